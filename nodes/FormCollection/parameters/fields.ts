import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { AnswerFilter, Condition } from '../responses/answerFilters';
import { type Columns, flattenAnswers } from '../responses/table';
import { InvalidInput } from '../transport/errors';
import type { ResponseRecord } from '../transport/records';
import { ofChoiceText, toFormId } from './formLocator';
import {
	optionOf,
	toBoolean,
	toChoice,
	toList,
	toObject,
	toOptionText,
	toText,
	toTimeout,
	toWholeNumber,
} from './values';

export const formField: INodeProperties = {
	displayName: 'Form',
	name: 'formId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'Opening or searching the list sends one request',
	builderHint: {
		propertyHint:
			'Prefer mode "id" with the ID of the form, as Get Forms returns it: mode "list" is for users who pick the form by its title',
	},
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a form...',
			typeOptions: { searchListMethod: 'searchForms', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 8899d818-977d-46aa-8246-692996dcc594',
		},
	],
};

/** @throws InvalidInput if no form is chosen */
export function readFormId(context: IExecuteFunctions, itemIndex: number): string {
	return toFormId(context.getNodeParameter('formId', itemIndex, ''));
}

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
	// `hide`, not `show`: n8n drops fields that are not shown, and with `show` that would be the limit where
	// Return All is the text "false".
	displayOptions: { hide: { returnAll: [true] } },
};

/** @returns how many results to return, Infinity for all */
export function readLimit(context: IExecuteFunctions, itemIndex: number): number {
	const returnAll = context.getNodeParameter('returnAll', itemIndex, false) as unknown;
	if (toBoolean('Return All', returnAll)) return Infinity;
	return toWholeNumber('Limit', context.getNodeParameter('limit', itemIndex, 50));
}

/** @returns the options that were added to the node */
export function readOptions(context: IExecuteFunctions, itemIndex: number) {
	return toObject('Options', context.getNodeParameter('options', itemIndex, {}));
}

export const flattenField: INodeProperties = {
	displayName: 'Flatten Answers',
	name: 'flattenAnswers',
	type: 'boolean',
	default: false,
	description:
		'Whether to turn each response into a table row: a column for each question, then the other fields. A question whose name the service or n8n uses gets the prefix answer_, e.g. answer_message.',
};

export const joinMultipleField: INodeProperties = {
	displayName: 'Join Multiple Choice With',
	name: 'joinMultipleWith',
	type: 'string',
	default: ', ',
	placeholder: 'e.g. ;',
	description:
		'Text between the options of a multiple-choice answer in a flattened response. Leave empty to keep a list.',
	displayOptions: { hide: { '/flattenAnswers': [false] } },
};

/** Makes output records of responses. */
export type Shape = (responses: ResponseRecord[], columns: Columns) => ResponseRecord[];

/** @returns how the two fields above shape the output, undefined if it is left as it is */
export function readShape(flatten: unknown, options: object): Shape | undefined {
	const separator = toOptionText(
		'Join Multiple Choice With',
		optionOf(options, 'joinMultipleWith', ', '),
		'make it return text, or empty text to keep lists',
	);
	if (!toBoolean('Flatten Answers', flatten)) return undefined;
	return (responses, columns) => flattenAnswers(responses, columns, separator);
}

const conditions: (INodePropertyOptions & { value: Condition })[] = [
	{ name: 'Contains', value: 'contains' },
	{ name: 'Does Not Contain', value: 'notContains' },
	{ name: 'Does Not Equal', value: 'notEquals' },
	{ name: 'Equals', value: 'equals' },
	{ name: 'Is Empty', value: 'isEmpty' },
	{ name: 'Is Not Empty', value: 'isNotEmpty' },
];

const withoutValue = ['isEmpty', 'isNotEmpty'];

export const answerFiltersField: INodeProperties = {
	displayName: 'Answer Filters',
	name: 'answerFilters',
	type: 'fixedCollection',
	placeholder: 'Add Filter',
	default: {},
	typeOptions: { multipleValues: true },
	description:
		'Return only responses with these answers. A response must match all filters; case does not matter. A multiple-choice answer equals or contains a value if one of the chosen options does.',
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
					description: 'The text to compare the answer with',
					displayOptions: { hide: { condition: withoutValue } },
				},
			],
		},
	],
};

/** @throws InvalidInput for a filter without a question, or without the value that it needs */
export function readAnswerFilters(options: object): AnswerFilter[] {
	const name = 'Answer Filters';
	const { filter: rows } = toObject(name, optionOf(options, 'answerFilters', {}));
	return toList(name, rows ?? []).map((row) => {
		const filter = toObject(name, row);
		const { question, value } = filter;
		const key = ofChoiceText(toText('Question Name or ID', question));
		if (key.trim() === '') {
			throw new InvalidInput(
				'Question Name or ID of a filter is empty: choose a question, or delete the filter',
			);
		}
		const test = toChoice(
			'Condition',
			optionOf(filter, 'condition', 'equals'),
			conditions,
		) as Condition;
		const text = toText('Value', value);
		if (text === '' && !withoutValue.includes(test)) {
			throw new InvalidInput(
				`Value of the filter for "${key}" is empty: enter what to compare with, or choose the condition Is Empty`,
			);
		}
		return { question: key, condition: test, value: text };
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

/** Every set of options ends with Timeout. */
export const optionsField = (...options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [...options, timeoutField],
});

/** @returns milliseconds */
export function readTimeout(options: object): number {
	return toTimeout('Timeout', optionOf(options, 'timeout', timeoutField.default));
}
