import type { ResponseRecord } from '../transport/records';

const ISO_8601 =
	/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** @returns Unix epoch milliseconds, undefined where `created_at` is missing or not a timestamp */
export function createdAt({ created_at: text }: ResponseRecord): number | undefined {
	if (typeof text !== 'string') return undefined;
	// The usual form, e.g. 2026-01-31T09:00:00.000Z, without a regular expression for each response
	const isUsual = text.length === 24 && text[10] === 'T' && text[23] === 'Z' && text[4] === '-';
	const time = isUsual ? Date.parse(text) : parseTimestamp(text);
	return Number.isNaN(time) ? undefined : time;
}

/** Without a zone it is in UTC, as the API reference says. `Date.parse` knows no `+00` and no `+0000`. */
function parseTimestamp(text: string): number {
	const [, date, time = '00:00', zone = 'Z'] = ISO_8601.exec(text.trim()) ?? [];
	if (date === undefined) return NaN;
	const offset = zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2');
	return Date.parse(`${date}T${time}${offset}`);
}
