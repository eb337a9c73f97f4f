import { isRecord, type ResponseRecord } from '../transport/records';
import { questionOrder } from './questionOrder';

/** Names by which n8n takes an item for a failed one, and those that later nodes and expressions lose. */
const RESERVED_NAMES = ['error', 'message', 'details', '__proto__', 'constructor', 'prototype'];

/** So that a question has the same column in each read, whichever of them the records have. */
const RECORD_FIELDS = ['id', 'form_id', 'answers', 'created_at', 'pixel_fired'];

/** More questions than any form has: a bound for what a table adds to its records. */
const MOST_COLUMNS = 500;

/** What decides about the columns of a table. */
export interface Columns {
	/** Question keys in the order of the form: each row has a column for each of them */
	questions: ReadonlySet<string>;
	/** Fields of the records, which are columns with these names */
	fields: ReadonlySet<string>;
}

/** @param known question keys of earlier tables */
export function collectColumns(known: string[] = []) {
	const order = questionOrder(MOST_COLUMNS);
	order.add(known);
	const fields = new Set<string>();
	return {
		add(response: ResponseRecord): void {
			for (const field of Object.keys(response)) {
				if (fields.size < MOST_COLUMNS) fields.add(field);
			}
			if (isRecord(response.answers)) order.add(Object.keys(response.answers));
		},
		result: (): Columns => ({ questions: new Set(order.keys()), fields }),
	};
}

/**
 * Makes rows of a table: the answers, and after them the other fields of the record. An unanswered
 * question has an empty text.
 *
 * @param columns those of all records that were read
 * @param joinMultipleWith text between the options of a multiple-choice answer; empty keeps the list
 */
export function flattenAnswers(
	records: ResponseRecord[],
	columns: Columns,
	joinMultipleWith: string,
): ResponseRecord[] {
	const keys = new Set(columns.questions);
	const fields = new Set(columns.fields);
	// More than `collectColumns` collects.
	for (const record of records) {
		for (const field of Object.keys(record)) fields.add(field);
		if (isRecord(record.answers)) Object.keys(record.answers).forEach((key) => keys.add(key));
	}
	const nameByKey = columnNames(keys, fields);
	const empty = [...nameByKey.values()]
		.slice(0, columns.questions.size)
		.map((name) => [name, ''] as const);

	return records.map((record) => {
		const { answers, ...others } = record;
		// Where a name comes twice, the later value takes the place of the earlier one. Unlike an assignment,
		// `Object.fromEntries` keeps a key named `__proto__`.
		const entries: (readonly [string, unknown])[] = [...empty];
		if (!isRecord(answers)) return Object.fromEntries([...entries, ...Object.entries(record)]);
		for (const key of Object.keys(answers)) {
			const answer: unknown = answers[key];
			const joined = joinMultipleWith !== '' && Array.isArray(answer) && answer.every(isPlain);
			entries.push([nameByKey.get(key) as string, joined ? answer.join(joinMultipleWith) : answer]);
		}
		return Object.fromEntries([...entries, ...Object.entries(others)]);
	}) as ResponseRecord[];
}

const PREFIX = 'answer_';

/**
 * The columns of a table by question key. A key that is also a field of a record, or a name with a
 * meaning of its own, becomes `answer_<key>`; so do the keys that this would collide with, whether or
 * not both questions are there: a question keeps its column.
 *
 * @param fields of the records
 */
function columnNames(keys: ReadonlySet<string>, fields: Iterable<string>): Map<string, string> {
	const prefixes = new Map<string, number>();
	for (const name of [...RECORD_FIELDS, ...RESERVED_NAMES, ...fields]) {
		const base = withoutPrefixes(name);
		const taken = (name.length - base.length) / PREFIX.length + 1;
		prefixes.set(base, Math.max(prefixes.get(base) ?? 0, taken));
	}
	return new Map(
		[...keys].map((key) => [key, PREFIX.repeat(prefixes.get(withoutPrefixes(key)) ?? 0) + key]),
	);
}

/**
 * The way back: the question keys by the columns of a row, which may also have other names than those of
 * a table. All keys that differ only in prefixes have got the same number of further prefixes, and no
 * field of the record has as many: the longest name tells how many these are.
 *
 * @param names of the row
 */
export function columnsOfQuestions(
	keys: ReadonlySet<string>,
	names: Iterable<string>,
): Map<string, string> {
	const longest = new Map<string, string>();
	for (const name of names) {
		const base = withoutPrefixes(name);
		if (name.length > (longest.get(base) ?? '').length) longest.set(base, name);
	}
	return new Map(
		[...keys].map((key) => {
			const column = longest.get(withoutPrefixes(key)) ?? key;
			return [addedTo(column, keys) + key, key];
		}),
	);
}

/** The fewest prefixes without which the name of a column is a question key */
function addedTo(column: string, keys: ReadonlySet<string>): string {
	let key = column;
	while (!keys.has(key) && key.startsWith(PREFIX)) key = key.slice(PREFIX.length);
	return column.slice(0, column.length - key.length);
}

function withoutPrefixes(name: string): string {
	let start = 0;
	while (name.startsWith(PREFIX, start)) start += PREFIX.length;
	return name.slice(start);
}

/** Objects have no text of their own, nor may they have one at all. */
function isPlain(value: unknown): boolean {
	return typeof value !== 'object' || value === null;
}
