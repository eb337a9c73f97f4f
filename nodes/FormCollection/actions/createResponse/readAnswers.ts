import type { IExecuteFunctions, INodeExecutionData, INodePropertyOptions } from 'n8n-workflow';
import type { Options } from '../../parameters/fields';
import { toChoice, toList, toObject, toText } from '../../parameters/values';
import { toAnswers, withoutEmpty } from '../../responses/answers';
import { isFailureText } from '../../submissions/submissionLog';
import { InvalidInput } from '../../transport/errors';
import type { Answers } from '../../transport/records';
import { listOf } from '../hints';
import { answersInputs, DEFAULT_SEPARATOR, otherFieldsChoices } from './fields';
import { type KnownQuestions, knownQuestions, matchFields } from './mapping';

export interface ReadAnswers {
	answers: Answers;
	/** The names of fields that are not sent */
	leftOut?: string[];
	/** The names of all fields, which are sent because no question is known */
	allSent?: string[];
}

/** As n8n names them */
const mappingModes: (INodePropertyOptions & { value: 'defineBelow' | 'autoMapInputData' })[] = [
	{ name: 'Map Each Column Manually', value: 'defineBelow' },
	{ name: 'Map Automatically', value: 'autoMapInputData' },
];

/** @returns what reads the answers of one item, however they are entered; it throws `InvalidInput` */
export function answersReader(context: IExecuteFunctions) {
	const node = context.getNode();
	const items = context.getInputData();
	const knownByForm = new Map<string, KnownQuestions>();
	return (itemIndex: number, formId: string, options: Options): ReadAnswers => {
		const parameter = (name: string, byDefault: unknown): unknown =>
			// n8n's validation of a mapping fails where nothing is mapped, and turns values into other types.
			context.getNodeParameter(name, itemIndex, byDefault, { skipValidation: true });
		const input = context.getNodeParameter('answersInput', itemIndex);
		switch (toChoice('Enter Answers', input, answersInputs)) {
			case 'keyValue':
				return { answers: fromRows(toList('Answers', parameter('answers.answer', []))) };
			case 'json':
				return { answers: fromJson(context.getNodeParameter('answersJson', itemIndex)) };
		}
		const known = knownByForm.get(formId) ?? knownQuestions(node, formId);
		knownByForm.set(formId, known);
		const mode = parameter('answersMapping.mappingMode', 'defineBelow');
		const isManual = toChoice('Mapping Column Mode', mode, mappingModes) === 'defineBelow';
		const { entries, ...more } = isManual
			? {
					entries: Object.entries(toObject('Answers', parameter('answersMapping.value', {}) ?? {})),
				}
			: automatic(items[itemIndex] as INodeExecutionData, known.keys, options);
		return { answers: fromCells(entries, known, options), ...more };
	};
}

function fromCells(
	cells: [string, unknown][],
	{ multipleChoice }: KnownQuestions,
	options: Options,
): Answers {
	const separator = options.text('Split Multiple Choice At', 'splitMultipleAt', DEFAULT_SEPARATOR);
	const toOptions = (value: unknown) => {
		if (typeof value === 'string') return value.split(separator).map((part) => part.trim());
		return typeof value === 'number' || typeof value === 'boolean' ? [value] : value;
	};
	return toAnswers(
		cells.map(([key, value]) => {
			const isSplit = separator !== '' && multipleChoice.has(key);
			return [key, withoutEmpty(isSplit ? toOptions(value) : value)];
		}),
	);
}

/** @throws InvalidInput if there are other fields, and Other Fields does not say what to do with them */
function automatic({ json }: INodeExecutionData, keys: ReadonlySet<string>, options: Options) {
	const choice = toChoice('Other Fields', options.get('otherFields', 'stop'), otherFieldsChoices);
	const { answers, others } = matchFields(withoutFailure(json), keys);
	const names = others.map(([name]) => name);
	if (keys.size === 0) return { entries: others, allSent: names };
	if (choice === 'send') return { entries: [...answers, ...others] };
	if (choice === 'leaveOut' || names.length === 0) return { entries: answers, leftOut: names };
	throw new InvalidInput(
		`No question matches ${listOf(names)}: rename the fields, or set Other Fields under Options`,
		`The form has: ${[...keys].join(', ')}. If it has other questions by now, open this node and refresh them.`,
	);
}

/** Rows with the same key become one list, in their order. */
function fromRows(rows: unknown[]): Answers {
	const valuesByKey = new Map<string, unknown[]>();
	for (const row of rows) {
		const { key, value } = toObject('Answers', row);
		const name = toText('Question Key', key).trim();
		valuesByKey.set(name, [...(valuesByKey.get(name) ?? []), withoutEmpty(value) ?? null]);
	}
	return toAnswers(
		[...valuesByKey].map(([key, values]) => {
			const given = values.filter((value) => value !== null);
			return [key, values.length > 1 && given.length > 0 ? given.flat() : given[0]];
		}),
	);
}

function fromJson(json: unknown): Answers {
	return toAnswers(Object.entries(withoutFailure(toObject('Answers (JSON)', json))));
}

/** Without the error message that this node has added to an item which comes back from its error output. */
function withoutFailure<Item extends Record<string, unknown>>(item: Item) {
	const { error, ...fields } = item;
	return isFailureText(error) ? fields : item;
}
