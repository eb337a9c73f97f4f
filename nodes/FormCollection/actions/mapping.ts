import type { IDataObject, INode, ResourceMapperField } from 'n8n-workflow';
import { columnsOfQuestions } from '../responses/answers';
import { isRecord } from '../transport/records';

/**
 * A row of the answers mapping. The editor saves it with the node as it was loaded, with what n8n
 * does not know of it.
 */
export interface QuestionField extends ResourceMapperField {
	multipleChoice?: boolean;
}

/** What the saved mapping knows of the questions of the form. */
export interface KnownQuestions {
	keys: ReadonlySet<string>;
	/** By the name on screen */
	keyByName: ReadonlyMap<unknown, string>;
	multipleChoice: ReadonlySet<string>;
	/** What the field of an answer may be called, by that name and by the plain form of it */
	fieldNames: ReadonlyMap<string, string>;
	/** On screen, but n8n drops what is mapped to them */
	lostByN8n: ReadonlySet<string>;
	/** Then each item may have another form, and the editor has loaded the questions of the first one */
	isFormFromExpression: boolean;
}

/** n8n 1.123 and 2.41 leave these keys out when they copy parameters. */
const RESERVED_KEYS = ['__proto__', 'constructor', 'prototype'];

/** @returns nothing known where the mapping was never loaded in the editor */
export function knownQuestions({ parameters }: INode): KnownQuestions {
	// Not evaluated: a key may look like an expression.
	const mapping = parameters.answersMapping as { schema?: unknown } | undefined;
	const formId: unknown = parameters.formId;
	const schema: unknown[] = Array.isArray(mapping?.schema) ? mapping.schema : [];
	const rows = schema.filter(isRecord).filter(({ id }) => typeof id === 'string');
	const keys = rows.map(({ id }) => id as string);
	const keysOf = (some: IDataObject[]) => new Set(some.map(({ id }) => id as string));
	const shown = rows.filter(({ removed }) => removed !== true);
	const form = isRecord(formId) ? formId.value : formId;
	return {
		keys: new Set(keys),
		keyByName: new Map(rows.map(({ id, displayName }) => [displayName, id as string])),
		multipleChoice: keysOf(rows.filter(({ multipleChoice }) => multipleChoice === true)),
		fieldNames: fieldNamesOf(keys),
		lostByN8n: keysOf(shown.filter(({ id }) => RESERVED_KEYS.includes(id as string))),
		isFormFromExpression: typeof form === 'string' && form.startsWith('='),
	};
}

function fieldNamesOf(keys: string[]): ReadonlyMap<string, string> {
	const names = [...keys, ...keys.map((key) => `answer_${key}`)];
	const fieldNames = new Map(names.map((name): [string, string] => [plain(name), name]));
	for (const name of names) fieldNames.set(name, name);
	return fieldNames;
}

/** Without spaces around the name, for which `trim` takes a byte order mark, too */
function plain(name: string): string {
	return name.normalize('NFC').trim();
}

/** Whether automatic mapping can tell which fields of an item are answers. */
export function canMatchFields({ keys, isFormFromExpression }: KnownQuestions): boolean {
	return keys.size > 0 && !isFormFromExpression;
}

/**
 * Finds the answers among the fields of an item: a field that has the name of a question, or the name
 * that Flatten Answers has given it.
 *
 * @returns the answers by question key, and the other fields that have a value; without known
 * questions each field is an answer
 */
export function matchFields(item: IDataObject, questions: KnownQuestions) {
	if (!canMatchFields(questions)) return { answers: [...cleanNames(item)], others: [] };
	const fields = cleanNames(item, questions.fieldNames);
	const keyByField = columnsOfQuestions(questions.keys, fields.keys());
	const answers: [string, unknown][] = [];
	const others: [string, unknown][] = [];
	for (const [name, value] of fields) {
		const key = keyByField.get(name);
		if (key !== undefined) answers.push([key, value]);
		else if (value !== undefined && value !== null && value !== '') others.push([name, value]);
	}
	return { answers, others };
}

/**
 * The fields of an item by name. A CSV file that Excel has saved has a byte order mark before its first
 * name; other programs leave spaces there, or write accents as characters of their own.
 *
 * @param known names that a field gets if only such differences keep it from having them
 */
function cleanNames(item: IDataObject, known?: KnownQuestions['fieldNames']): Map<string, unknown> {
	const fields = new Map<string, unknown>();
	for (const [name, value] of Object.entries(item)) {
		const clean = known?.get(name) ?? known?.get(plain(name)) ?? name.replace(/^\uFEFF/, '');
		const isTaken = Object.hasOwn(item, clean) || fields.has(clean);
		// Some nodes give an empty cell as an empty list, e.g. Airtable.
		const isEmptyList = Array.isArray(value) && value.length === 0;
		fields.set(isTaken ? name : clean, isEmptyList ? '' : value);
	}
	return fields;
}

/** Text that was typed for multiple choice becomes a list, and so does a number or true or false. */
export function splitMultiple(
	answers: [string, unknown][],
	{ multipleChoice }: KnownQuestions,
	separator: string,
): [string, unknown][] {
	if (separator === '') return answers;
	return answers.map(([key, value]) => {
		if (!multipleChoice.has(key) || value === '') return [key, value];
		if (typeof value !== 'string') return [key, isSingle(value) ? [value] : value];
		const parts = value.split(separator).map((part) => part.trim());
		const options = parts.filter((part) => part !== '');
		return [key, options.length > 0 ? options : ''];
	});
}

function isSingle(value: unknown): boolean {
	return ['number', 'bigint', 'boolean'].includes(typeof value);
}
