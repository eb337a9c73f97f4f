/**
 * What is sent again, and when. Delays are in milliseconds. The service has no idempotency key, so a submission
 * is sent again only where it surely did not arrive (`unreachable`), or after a 429.
 */
export const retryPolicy = {
	firstDelayMs: 500,
	/** A longer wait belongs in the workflow, where it holds no worker. */
	longestWaitMs: 20_000,
	GET: {
		maxTries: 3,
		statuses: new Set([408, 429, 500, 502, 503, 504]),
		// Not after a timeout, because the user has waited long enough.
		connections: new Set(['unreachable', 'lost', 'cutShort']),
	},
	POST: { maxTries: 3, statuses: new Set([429]), connections: new Set(['unreachable']) },
} as const;

/**
 * @param tries how many times the request was sent so far
 * @param random a number from 0 to 1
 * @returns milliseconds to wait before the request is sent again, undefined if it must not be
 */
export function retryDelayMs(
	method: 'GET' | 'POST',
	{ kind, status, retryAfterMs }: { kind: string; status?: number; retryAfterMs?: number },
	tries: number,
	random: number,
): number | undefined {
	const {
		statuses,
		connections,
	}: Record<'statuses' | 'connections', ReadonlySet<unknown>> = retryPolicy[method];
	if (kind === 'reply' ? !statuses.has(status) : !connections.has(kind)) return undefined;
	if (retryAfterMs !== undefined) {
		return retryAfterMs <= retryPolicy.longestWaitMs ? retryAfterMs : undefined;
	}
	// The limit counts per hour: without a stated wait, further tries only use up more requests.
	if (status === 429) return undefined;
	const delay = retryPolicy.firstDelayMs * 2 ** (tries - 1);
	return delay / 2 + (delay / 2) * random;
}

/**
 * Reads a `Retry-After` header (RFC 9110, 10.2.3): seconds, or an HTTP date.
 *
 * @param now Unix epoch milliseconds, on the clock of the service
 * @returns milliseconds to wait, undefined for an absent or unreadable header
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
	const text = (header ?? '').trim();
	if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
	const date = text.endsWith('GMT') ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}
