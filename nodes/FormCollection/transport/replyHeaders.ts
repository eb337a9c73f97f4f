import { parseHttpDate } from './timestamp';

/** By which HTTP tells whether a reply is still the current one (RFC 9110, 8.8). */
export interface Validators {
	etag?: string;
	lastModified?: string;
}

/**
 * A `Last-Modified` counts in whole seconds. Until its second is surely over, the list may change again
 * under the same date (RFC 9110, 8.8.2.2; a minute is the older and stricter rule).
 */
export function validatorsIn(headers: Record<string, unknown>): Validators | undefined {
	const etag = header(headers.etag);
	if (etag !== undefined) return { etag };
	const lastModified = header(headers['last-modified']);
	const sentAt = parseHttpDate(header(headers.date)) ?? NaN;
	const ageMs = sentAt - (parseHttpDate(lastModified) ?? NaN);
	return ageMs >= 60_000 ? { lastModified } : undefined;
}

/**
 * How far the clock of the service is ahead, by the `Date` header. That counts in whole seconds, so the
 * result is the smallest offset that is possible: 0 if both clocks may show the same.
 */
export function clockOffsetMs(
	headers: Record<string, unknown>,
	sentAt: number,
	receivedAt: number,
): number | undefined {
	const sent = parseHttpDate(header(headers.date));
	if (sent === undefined) return undefined;
	// A cache passes on the date of the service, and tells how long ago that was.
	const date = sent + (Number(header(headers.age)) || 0) * 1000;
	return date <= receivedAt && date + 1000 > sentAt ? 0 : date - receivedAt;
}

const PAGE_HEADERS = ['X-Next-Page', 'Content-Range', 'X-Total-Count', 'X-Total'];

export interface PageHeader {
	name: string;
	value: string;
}

/** The headers by which services commonly say that a list goes on elsewhere. */
export function pageHeadersIn(headers: Record<string, unknown>): PageHeader[] {
	const link = header(headers.link) ?? '';
	const found = PAGE_HEADERS.map((name) => ({
		name,
		value: (header(headers[name.toLowerCase()]) ?? '').trim(),
	}));
	if (/;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/i.test(link)) {
		found.unshift({ name: 'Link', value: link });
	}
	return found.filter(({ value }) => value !== '');
}

export function header(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/**
 * Reads a `Retry-After` header (RFC 9110, 10.2.3): seconds, or an HTTP date, which counts on the clock
 * of the service. Some services send a fraction of a second, or a point in time (Unix epoch seconds, ten digits).
 *
 * @param now Unix epoch milliseconds
 * @returns milliseconds to wait, or undefined for an absent or unreadable header
 */
export function retryAfterMs(headers: Record<string, unknown>, now: number): number | undefined {
	const text = String(headers['retry-after'] ?? '').trim();
	if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
	const date = /^\d{10}(\.\d+)?$/.test(text) ? Number(text) * 1000 : parseHttpDate(text);
	if (date === undefined) return undefined;
	return Math.max(date - (parseHttpDate(header(headers.date)) ?? now), 0);
}
