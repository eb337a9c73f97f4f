import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { type AnswerFilter, conditions, conditionsWithoutValue } from '../responses/answerFilters';
import { type Columns, flattenAnswers } from '../responses/table';
import { InvalidInput } from '../transport/errors';
import type { ResponseRecord } from '../transport/records';
import { fromChoiceText } from './formLocator';
import { toBoolean, toChoice, toCount, toList, toObject, toText, toTimeout } from './values';

export const returnAllField: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

export const limitField: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	// `hide`, not `show`: n8n drops fields that are not shown, and Return All may be the text "false".
	displayOptions: { hide: { returnAll: [true] } },
};

/** @returns how many results to return, Infinity for all */
export function readLimit(context: IExecuteFunctions, itemIndex: number): number {
	const returnAll: unknown = context.getNodeParameter('returnAll', itemIndex);
	if (toBoolean('Return All', returnAll)) return Infinity;
	return toCount('Limit', context.getNodeParameter('limit', itemIndex));
}

export const flattenField: INodeProperties = {
	displayName: 'Flatten Answers',
	name: 'flattenAnswers',
	type: 'boolean',
	default: false,
	description: 'Whether to return one column per question instead of nested answers',
};

const joinMultipleField: INodeProperties = {
	displayName: 'Join Multiple Choice With',
	name: 'joinMultipleWith',
	type: 'string',
	default: ', ',
	placeholder: 'e.g. ;',
	description: 'Text between the options of a multiple-choice answer. Leave empty to keep a list.',
	displayOptions: { hide: { '/flattenAnswers': [false] } },
};

/** Makes rows of a table of responses. */
export type Flatten = (responses: ResponseRecord[], columns: Columns) => ResponseRecord[];

/** @returns undefined if the responses are left as they are */
export function readFlatten(flatten: unknown, options: Options): Flatten | undefined {
	const separator = options.text('Join Multiple Choice With', 'joinMultipleWith', ', ');
	if (!toBoolean('Flatten Answers', flatten)) return undefined;
	return (responses, columns) => flattenAnswers(responses, columns, separator);
}

const answerFiltersField: INodeProperties = {
	displayName: 'Answer Filters',
	name: 'answerFilters',
	type: 'fixedCollection',
	placeholder: 'Add Filter',
	default: {},
	typeOptions: { multipleValues: true },
	description: 'Return only responses that match all of these filters. Case does not matter.',
	options: [
		{
			displayName: 'Filter',
			name: 'filter',
			values: [
				{
					displayName: 'Question Name or ID',
					name: 'question',
					type: 'options',
					typeOptions: {
						loadOptionsMethod: 'getQuestionKeys',
						loadOptionsDependsOn: ['formId.value'],
					},
					default: '',
					description:
						'The question whose answer is compared. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
				},
				{
					displayName: 'Condition',
					name: 'condition',
					type: 'options',
					default: 'equals',
					options: conditions,
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. ada@example.com',
					description: 'The text to compare the answer, or one of its options, with',
					displayOptions: { hide: { condition: conditionsWithoutValue } },
				},
			],
		},
	],
};

/** @throws InvalidInput for a filter without a question, or without the value that it needs */
export function readAnswerFilters(options: Options): AnswerFilter[] {
	const name = 'Answer Filters';
	const { filter: rows = [] } = toObject(name, options.get('answerFilters', {}));
	return toList(name, rows).map((row) => {
		const filter = toObject(name, row);
		const question = fromChoiceText(toText('Question Name or ID', filter.question));
		if (question.trim() === '') {
			throw new InvalidInput(
				'Question Name or ID of a filter is empty: choose a question, or delete the filter',
			);
		}
		const condition = toChoice('Condition', filter.condition, conditions);
		const value = toText('Value', filter.value);
		if (value.trim() === '' && !conditionsWithoutValue.includes(condition)) {
			throw new InvalidInput(
				`Value of the filter for "${question}" is empty: enter what to compare with`,
				'To find empty answers, choose the condition Is Empty.',
			);
		}
		return { question, condition, value };
	});
}

const timeoutField: INodeProperties = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 30,
	description: 'Seconds to wait for the service to respond',
};

export const optionsField = (...options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [...options, timeoutField],
});

/** The options of reading, in alphabetical order, around those that only one of the nodes has. */
export const readingOptions = (...others: INodeProperties[]): INodeProperties => {
	const options = [answerFiltersField, joinMultipleField, ...others];
	return optionsField(...options.sort((a, b) => a.displayName.localeCompare(b.displayName)));
};

/** The options that were added to the node. */
export class Options {
	private readonly values: Record<string, unknown>;

	constructor(value: unknown) {
		this.values = toObject('Options', value);
	}

	has(name: string): boolean {
		return Object.hasOwn(this.values, name);
	}

	/** @param byDefault for an option that was not added */
	get(name: string, byDefault: unknown): unknown {
		return this.has(name) ? this.values[name] : byDefault;
	}

	/** @throws InvalidInput where an expression gives no text */
	text(displayName: string, name: string, byDefault: string): string {
		const value = this.get(name, byDefault);
		if (value !== undefined && value !== null) return toText(displayName, value);
		throw new InvalidInput(
			`${displayName} has an expression that returns no value: make it return text, which may be empty`,
		);
	}

	/** @returns milliseconds */
	get timeoutMs(): number {
		return toTimeout('Timeout', this.get('timeout', timeoutField.default));
	}
}
