import type { Method, RequestResult } from './request';
import { retryPolicy } from './retryPolicy';

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

/**
 * @param tries how many times the request was sent so far
 * @param random a number from 0 to 1
 * @returns milliseconds to wait before the request is sent again, or undefined if it must not be
 */
export function nextTryIn(
	method: Method,
	result: RequestResult,
	tries: number,
	random: number,
): number | undefined {
	if (tries >= retryPolicy.maxTries) return undefined;
	if (result.kind !== 'reply') {
		const kinds: ReadonlySet<string> = retryPolicy.connectionKinds[method];
		return kinds.has(result.kind) ? backOff(tries, random) : undefined;
	}
	const statuses: ReadonlySet<number> = retryPolicy.statuses[method];
	if (!statuses.has(result.status)) return undefined;
	if (result.retryAfterMs !== undefined) {
		return result.retryAfterMs <= retryPolicy.longestWaitMs ? result.retryAfterMs : undefined;
	}
	// The limit counts per hour: without a stated wait, seconds of back-off only burn more requests.
	return result.status === 429 ? undefined : backOff(tries, random);
}

function backOff(tries: number, random: number): number {
	const delay = retryPolicy.firstDelayMs * 2 ** (tries - 1);
	return delay / 2 + (delay / 2) * random;
}
