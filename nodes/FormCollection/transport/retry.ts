import type { Method, RequestResult } from './attempt';

/** Which results of a request are sent again. Delays are in milliseconds. */
export const retryPolicy = {
	maxTries: 3,
	firstDelayMs: 500,
	/** A longer wait belongs in the workflow, where it holds no worker. */
	longestWaitMs: 20_000,
	statuses: {
		GET: new Set([408, 429, 500, 502, 503, 504]),
		// The API has no idempotency key: after anything but a 429 the response may be stored already.
		POST: new Set([429]),
	},
	connectionKinds: {
		// Not after a timeout: nobody who has waited that long should wait as long again.
		GET: new Set(['unreachable', 'proxy', 'lost', 'cutShort']),
		POST: new Set(['unreachable', 'proxy']),
	},
} as const;

/**
 * @param tries how many times the request was sent so far
 * @param random a number from 0 to 1
 * @returns milliseconds to wait before the request is sent again, or undefined if it must not be
 */
export function retryDelayMs(
	method: Method,
	result: RequestResult,
	tries: number,
	random: number,
): number | undefined {
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
