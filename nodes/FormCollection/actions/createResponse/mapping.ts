import type { IDataObject, INode, ResourceMapperField } from 'n8n-workflow';
import { columnsOfQuestions } from '../../responses/table';
import { InvalidInput } from '../../transport/errors';
import { isRecord } from '../../transport/records';

/**
 * A row of the answers mapping. The editor saves it with the node as it was loaded, including the members
 * below, which are our own.
 */
export interface QuestionField extends ResourceMapperField {
	/** The form that it was loaded for */
	formId?: string;
	/** Whether a response has a list of answers to it */
	multipleChoice?: boolean;
	/** The responses do not tell whether it is multiple choice */
	isUnsure?: boolean;
	/** Mapped, but no response has answered it */
	isUnseen?: boolean;
}

/** The rows of the saved mapping. */
export interface SavedQuestions {
	keys: ReadonlySet<string>;
	/** By the name on screen */
	keyByName: ReadonlyMap<unknown, string>;
	/** Then each item may have another form, and the editor has loaded the questions of the first one */
	isFormFromExpression: boolean;
	/** How to load the questions again */
	refresh: string;
	/**
	 * What is known of the questions of a form
	 *
	 * @throws InvalidInput if the node has those of another one
	 */
	ofForm(formId: string): KnownQuestions;
}

/** Nothing is known of a form whose questions were not loaded. */
export interface KnownQuestions {
	keys: ReadonlySet<string>;
	multipleChoice: ReadonlySet<string>;
	/** Those that only have answers with one text */
	text: ReadonlySet<string>;
	/** What the field of an answer may be called, by that name and by the plain form of it */
	fieldNames: ReadonlyMap<string, string>;
	/** On screen, whatever the form, but n8n drops what is mapped to them */
	lostByN8n: ReadonlySet<string>;
}

/** n8n 1.123 and 2.41 leave these keys out when they copy parameters. */
const RESERVED_KEYS = ['__proto__', 'constructor', 'prototype'];

/** n8n shows it if the questions have changed. */
export const REFRESH_AUTOMATIC = 'open this node and select Refresh below Mapping Column Mode';

const REFRESH_LIST = 'select Refresh Question List in the menu (⋮) of Answers';

type SavedRow = Partial<QuestionField> & Pick<QuestionField, 'id'>;

/** @param mapping as n8n has saved it */
export function savedRows(mapping: unknown): SavedRow[] {
	const schema: unknown = isRecord(mapping) ? mapping.schema : undefined;
	const rows: unknown[] = Array.isArray(schema) ? schema : [];
	return rows.filter((row): row is SavedRow => isRecord(row) && typeof row.id === 'string');
}

/** @returns nothing known where the mapping was never loaded in the editor */
export function savedQuestions({ parameters }: INode): SavedQuestions {
	// Not evaluated: a key may look like an expression.
	const mapping: unknown = parameters.answersMapping;
	const rows = savedRows(mapping);
	const formId: unknown = parameters.formId;
	const form = isRecord(formId) ? formId.value : formId;
	const isFormFromExpression = typeof form === 'string' && form.startsWith('=');
	const lostByN8n = keysOf(
		rows.filter(({ id, removed }) => removed !== true && RESERVED_KEYS.includes(id)),
	);
	const isAutomatic = isRecord(mapping) && mapping.mappingMode === 'autoMapInputData';
	const refresh = isAutomatic
		? `open this node, choose Map Each Column Manually, ${REFRESH_LIST}, and choose Map Automatically again`
		: `open this node and ${REFRESH_LIST}`;
	const todo = isAutomatic ? refresh : `${refresh}, and check what is mapped to each question`;
	const byForm = new Map<string, KnownQuestions>();
	const isOf = (row: SavedRow, itemForm: string) =>
		typeof row.formId === 'string' ? row.formId === itemForm : !isFormFromExpression;
	return {
		keys: keysOf(rows),
		keyByName: new Map(rows.map(({ id, displayName }) => [displayName, id])),
		isFormFromExpression,
		refresh,
		ofForm(itemForm) {
			let known = byForm.get(itemForm);
			if (known === undefined) {
				const ofItem = rows.filter((row) => isOf(row, itemForm));
				// n8n 2.41 does not load those of a newly chosen form while an expression of the node has no data.
				if (!isFormFromExpression && ofItem.length === 0 && rows.length > 0) {
					throw new InvalidInput(`The questions under Answers are those of another form: ${todo}`);
				}
				known = { ...knownQuestions(ofItem), lostByN8n };
				byForm.set(itemForm, known);
			}
			return known;
		},
	};
}

function knownQuestions(rows: SavedRow[]): Omit<KnownQuestions, 'lostByN8n'> {
	// A row without a form was not loaded by this node, but made by a client of n8n's API or by an AI.
	const isSeen = ({ formId, isUnseen, isUnsure }: SavedRow) =>
		formId !== undefined && isUnseen !== true && isUnsure !== true;
	return {
		keys: keysOf(rows),
		multipleChoice: keysOf(rows.filter(({ multipleChoice }) => multipleChoice === true)),
		text: keysOf(rows.filter((row) => row.multipleChoice !== true && isSeen(row))),
		fieldNames: fieldNamesOf(rows.map(({ id }) => id)),
	};
}

function keysOf(rows: SavedRow[]): ReadonlySet<string> {
	return new Set(rows.map(({ id }) => id));
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
export function canMatchFields({ keys }: KnownQuestions): boolean {
	return keys.size > 0;
}

/**
 * Finds the answers among the fields of an item: a field that has the name of a question, or the name
 * that Flatten Answers has given it.
 *
 * @returns the answers by question key; the other fields that have a value; and the names of those among
 * them for which the answer is in the field that Flatten Answers has named. Without known questions each
 * field is an answer
 */
export function matchFields(item: IDataObject, questions: KnownQuestions) {
	if (!canMatchFields(questions)) {
		return { answers: [...cleanNames(item)], others: [], replaced: [] };
	}
	const fields = cleanNames(item, questions.fieldNames);
	const keyByField = columnsOfQuestions(questions.keys, fields.keys());
	const answers: [string, unknown][] = [];
	const others: [string, unknown][] = [];
	const replaced: string[] = [];
	for (const [name, value] of fields) {
		const key = keyByField.get(name);
		if (key !== undefined) answers.push([key, value]);
		else if (value === undefined || value === null || value === '') continue;
		else if (questions.keys.has(name)) replaced.push(name);
		else others.push([name, value]);
	}
	return { answers, others, replaced };
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

/**
 * Text that was typed for multiple choice becomes a list, and so does a number or true or false.
 *
 * @param separator empty if nothing is to be split
 * @returns also the keys of text that may be multiple choice and was not split, and without a separator
 * those of multiple-choice answers that are one text
 */
export function splitMultiple(
	answers: [string, unknown][],
	{ multipleChoice, text }: KnownQuestions,
	separator: string,
): { split: [string, unknown][]; unsplit: string[]; asText: string[] } {
	if (separator === '') {
		const isOne = (value: unknown) => (typeof value === 'string' ? value !== '' : isSingle(value));
		const asText = answers.filter(([key, value]) => multipleChoice.has(key) && isOne(value));
		return { split: answers, unsplit: [], asText: asText.map(([key]) => key) };
	}
	const split = answers.map(([key, value]): [string, unknown] => {
		if (!multipleChoice.has(key) || value === '') return [key, value];
		if (typeof value !== 'string') return [key, isSingle(value) ? [value] : value];
		const parts = value.split(separator).map((part) => part.trim());
		const options = parts.filter((part) => part !== '');
		return [key, options.length > 0 ? options : ''];
	});
	// Without a multiple-choice question, the option is of no use: those who chose one option only look so.
	const mayBeMultiple = (key: string) => !text.has(key) || multipleChoice.size === 0;
	const unsplit = split.filter(
		([key, value]) => typeof value === 'string' && value.includes(separator) && mayBeMultiple(key),
	);
	return { split, unsplit: unsplit.map(([key]) => key), asText: [] };
}

function isSingle(value: unknown): boolean {
	return ['number', 'bigint', 'boolean'].includes(typeof value);
}
