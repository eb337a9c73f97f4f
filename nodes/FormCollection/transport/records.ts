import type { IDataObject } from 'n8n-workflow';
import { notConfirmed, notJson, wrongShape } from './errorDetails';
import { outcomeOfConfirmation } from './outcome';
import { RecordCutter } from './jsonListSplitter';
import type { ServiceRequest } from './request';

/** A form as the service sent it; `id`, `title`, `slug`, `status`, `created_at` are documented. */
export type FormRecord = IDataObject;

/** A response as the service sent it; `id`, `form_id`, `answers`, `created_at` are documented. */
export type ResponseRecord = IDataObject;

/** An answer is a text, or a list of texts for multiple choice. */
export type Answers = Record<string, string | string[]>;

/** Reads the list in a body while it comes in. */
export async function readList(
	request: ServiceRequest,
	chunks: AsyncIterable<string>,
	member: 'forms' | 'responses',
	add: (record: IDataObject) => unknown,
): Promise<{ otherMembers: string[] }> {
	const cutter = new RecordCutter(member);
	let found = 0;
	for await (const chunk of chunks) {
		for (const text of cutter.push(chunk)) {
			found++;
			if (add(parseJson(request, text) as IDataObject) === false) return { otherMembers: [] };
		}
	}
	const list = listIn(request, cutter.frame, member);
	if (found === 0) for (const record of list) if (add(record) === false) break;
	return { otherMembers: [] };
}

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

/** @returns the reply to a submitted response, with `success: true` */
export function parseConfirmation(request: ServiceRequest, body: string): IDataObject {
	const reply = parseJson(request, body);
	const outcome = outcomeOfConfirmation(reply);
	if (!isRecord(reply) || outcome !== 'created') throw notConfirmed(request, outcome, body);
	return reply;
}

/** @returns Unix epoch milliseconds, or undefined where `created_at` is missing or not a timestamp */
export function createdAt({ created_at: value }: ResponseRecord): number | undefined {
	if (typeof value !== 'string') return undefined;
	// The reference says UTC; without a zone JavaScript would read local time.
	const zoned = /(Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`;
	const time = Date.parse(zoned);
	return Number.isNaN(time) ? undefined : time;
}

/** What the service lists may be anything, and nested too deeply to be compared. */
export function isAnswers(value: unknown): value is Answers {
	if (!isRecord(value)) return false;
	return Object.values(value).every((answer) =>
		[answer].flat().every((part) => typeof part === 'string'),
	);
}

export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listIn(
	request: ServiceRequest,
	body: string,
	member: 'forms' | 'responses',
): IDataObject[] {
	const reply = parseJson(request, body);
	const list: unknown = isRecord(reply) ? reply[member] : undefined;
	if (!Array.isArray(list) || !list.every(isRecord)) throw wrongShape(request, member);
	return list;
}

function parseJson(request: ServiceRequest, body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		throw notJson(request, body);
	}
}
