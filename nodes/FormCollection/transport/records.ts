import type { IDataObject } from 'n8n-workflow';
import { UnexpectedBody } from './body';
import { parseJson } from './json';
import { parseTimestamp } from './timestamp';

/** A form as the service sent it; `id`, `title`, `slug`, `status`, `created_at` are documented. */
export type FormRecord = IDataObject;

/** A response as the service sent it; `id`, `form_id`, `answers`, `created_at` are documented. */
export type ResponseRecord = IDataObject;

/** An answer is a text, or a list of texts for multiple choice. */
export type Answers = Record<string, string | string[]>;

/**
 * A record that shares no objects with this one: nodes may change those they get. Without recursion,
 * because a record may be nested deeper than functions can call each other.
 */
export function copyOf(record: IDataObject): IDataObject {
	const copy = { ...record };
	const copied: Record<string, unknown>[] = [copy];
	// The list grows while it is walked.
	for (const parent of copied) {
		for (const key of Object.keys(parent)) {
			const value = parent[key];
			if (typeof value !== 'object' || value === null) continue;
			const child = (
				Array.isArray(value) ? [...(value as unknown[])] : { ...value }
			) as IDataObject;
			// No setter is called: a copy has even `__proto__` as a property of its own.
			parent[key] = child;
			copied.push(child);
		}
	}
	return copy;
}

/**
 * The reply to a submitted response, whatever it says
 *
 * @throws UnexpectedBody
 */
export function parseConfirmation(body: string): IDataObject {
	let reply: unknown;
	try {
		reply = parseJson(body);
	} catch {
		throw UnexpectedBody.notJson(body, /^\s*[{[]/.test(body));
	}
	if (!isRecord(reply)) throw new UnexpectedBody('noObject', body);
	return reply;
}

/** Whether the service has named the response: the API reference promises that it does. */
export function hasId({ response_id: id }: IDataObject): boolean {
	return isId(id);
}

export function isId(id: unknown): boolean {
	return id !== undefined && id !== null && id !== '';
}

/** Thousands of queries may ask for the time of one response, one after the other. */
let lastRead: { text: string; time: number | undefined } = { text: '', time: undefined };

/** @returns Unix epoch milliseconds, or undefined where `created_at` is missing or not a timestamp */
export function createdAt({ created_at: value }: ResponseRecord): number | undefined {
	if (typeof value !== 'string') return undefined;
	if (value !== lastRead.text) lastRead = { text: value, time: parseTimestamp(value) };
	return lastRead.time;
}

/** Whether a value is text or a list of text; what the service lists may be anything. */
export function isAnswer(value: unknown): value is string | string[] {
	return [value].flat().every((part) => typeof part === 'string');
}

export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
