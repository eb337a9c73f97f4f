import type { IDataObject } from 'n8n-workflow';
import { UnexpectedBody } from './body';
import { isRecord } from './records';

/** @throws UnexpectedBody for a text that is not JSON */
export function parseBody(text: string): unknown {
	const value = parseJson(text);
	if (value !== undefined) return value;
	throw new UnexpectedBody(/^\s*[[{]/.test(text) ? 'cutShort' : 'notApi', text);
}

/** @returns undefined for a text that is not JSON */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** A body may go on for so long before its list begins. */
const LONGEST_BEGINNING = 1_000_000;

/**
 * Reads the records of the list in `{ "<member>": [ … ], … }` while the text comes in.
 *
 * @param add gets the records one by one; false ends the reading
 * @returns the object around the list, with the last of its records; undefined if the reading was ended
 * @throws UnexpectedBody
 */
export async function readList(
	chunks: AsyncIterable<string>,
	member: string,
	add: (record: IDataObject) => unknown,
): Promise<IDataObject | undefined> {
	let beginning = '';
	let rest = '';
	let nextTryAt = 0;
	for await (const chunk of chunks) {
		rest += chunk;
		if (beginning === '') {
			beginning = beginningOf(rest, member);
			if (beginning === '' && rest.length > LONGEST_BEGINNING) break;
			if (beginning === '') continue;
			rest = rest.slice(beginning.length);
		}
		if (rest.length < nextTryAt) continue;
		const whole = wholeRecords(rest);
		// A record that is longer than a chunk is not looked through for each chunk of it.
		nextTryAt = whole === undefined ? 2 * rest.length : 0;
		if (whole === undefined) continue;
		rest = whole.rest;
		if (!addAll(whole.records, add)) return undefined;
	}
	const text = beginning + rest;
	const envelope = parseBody(text);
	if (!isRecord(envelope)) throw new UnexpectedBody('notApi', text);
	if (envelope.success === false) throw new UnexpectedBody('denied', text);
	const last: unknown = envelope[member];
	if (!Array.isArray(last)) throw new UnexpectedBody('notApi', text);
	return addAll(last, add) ? envelope : undefined;
}

/** @returns the text up to the list, empty if that has not come yet; a list of the same name may lie deeper */
function beginningOf(text: string, member: string): string {
	const openings = text.matchAll(new RegExp(`"${member}"\\s*:\\s*\\[`, 'g'));
	return (
		[...openings]
			.map((match) => text.slice(0, match.index + match[0].length))
			.find((beginning) => parseJson(`${beginning}]}`) !== undefined) ?? ''
	);
}

function addAll(records: unknown[], add: (record: IDataObject) => unknown): boolean {
	if (!records.every(isRecord)) throw new UnexpectedBody('notApi', '');
	return records.every((record) => add(record) !== false);
}

/** Between two records, but also in a text or in a list that a record holds: then what is before it is no list. */
const BOUNDARY = /\}\s*,\s*(?:\{|$)/y;
const MOST_TRIES = 10;

/** @returns the records at the beginning of a text, as far as they are complete, and the text after them */
function wholeRecords(text: string): { records: unknown[]; rest: string } | undefined {
	let tries = 0;
	for (let at = text.lastIndexOf('}'); at > 0; at = text.lastIndexOf('}', at - 1)) {
		BOUNDARY.lastIndex = at;
		if (!BOUNDARY.test(text)) continue;
		const records = parseJson(`[${text.slice(0, at + 1)}]`);
		if (records !== undefined) {
			return { records: records as unknown[], rest: text.slice(text.indexOf(',', at) + 1) };
		}
		if (++tries === MOST_TRIES) return undefined;
	}
	return undefined;
}
