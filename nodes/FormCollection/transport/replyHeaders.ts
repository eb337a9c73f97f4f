/** By which HTTP tells whether a reply is still the current one (RFC 9110, 8.8). */
export interface Validators {
	etag?: string;
	lastModified?: string;
}

/**
 * A `Last-Modified` counts in whole seconds. Until one is surely over, more may change without a trace
 * in it (RFC 9110, 8.8.2.2; a minute is the older and stricter rule).
 */
export function validatorsIn(headers: Record<string, unknown>): Validators | undefined {
	const etag = header(headers.etag);
	if (etag !== undefined) return { etag };
	const lastModified = header(headers['last-modified']);
	const ageMs = Date.parse(header(headers.date) ?? '') - Date.parse(lastModified ?? '');
	return ageMs >= 60_000 ? { lastModified } : undefined;
}

/**
 * By the `Date` header, which counts in whole seconds: 0 where both clocks may show the same, else the
 * least that it can be.
 */
export function clockOffsetMs(
	headers: Record<string, unknown>,
	sentAt: number,
	receivedAt: number,
): number | undefined {
	const date = Date.parse(header(headers.date) ?? '');
	if (Number.isNaN(date)) return undefined;
	return date <= receivedAt && date + 1000 > sentAt ? 0 : date - receivedAt;
}

/** Names of the headers by which services commonly say that a list goes on elsewhere. */
export function pageHeadersIn(headers: Record<string, unknown>): string[] {
	const names: string[] = [];
	if (/;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/i.test(header(headers.link) ?? ''))
		names.push('Link');
	if (header(headers['x-next-page'])?.trim()) names.push('X-Next-Page');
	if (header(headers['content-range']) !== undefined) names.push('Content-Range');
	return names;
}

export function header(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Reads a `Retry-After` header (RFC 9110, 10.2.3): seconds or an HTTP date.
 *
 * @param now Unix epoch milliseconds
 * @returns milliseconds to wait, or undefined for an absent or unreadable header
 */
export function retryAfterMs(header: unknown, now: number): number | undefined {
	if (typeof header !== 'string' && typeof header !== 'number') return undefined;
	const text = String(header).trim();
	if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_TIMER_MS);
	const date = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : Math.min(Math.max(date - now, 0), MAX_TIMER_MS);
}
