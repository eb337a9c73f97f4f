import type { ResponseRecord } from '../transport/records';

const ISO_8601 =
	/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:([+-]\d\d):?(\d\d)?)?)?$/;

/** @returns Unix epoch milliseconds, undefined where `created_at` is missing or not a timestamp */
export function createdAt({ created_at: text }: ResponseRecord): number | undefined {
	if (typeof text !== 'string') return undefined;
	// The usual form, without a regular expression for each response
	const time = text.endsWith('Z') ? Date.parse(text) : parseTimestamp(text);
	return Number.isNaN(time) ? undefined : time;
}

/** Without a zone it is in UTC, as the API reference says. `Date.parse` knows no `+00` and no `+0000`. */
function parseTimestamp(text: string): number {
	const [, date = '', time = '00:00', hours = '+00', minutes = '00'] = ISO_8601.exec(text) ?? [];
	return Date.parse(`${date}T${time}${hours}:${minutes}`);
}
