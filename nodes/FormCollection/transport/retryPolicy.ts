/** Which outcomes of a request may be sent again. Delays are in milliseconds. */

/** Connection codes that prove that the service never received the request. */
export const NEVER_SENT_CODES: ReadonlySet<string> = new Set([
	'EAI_AGAIN',
	'ECONNREFUSED',
	'ENOTFOUND',
]);

/** The same, but only while a connection is made: an established one can also end with these. */
export const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
	'EADDRNOTAVAIL',
	'EHOSTUNREACH',
	'ENETUNREACH',
]);

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
		// Not after a timeout: whoever has waited that long must not wait three times as long.
		GET: new Set(['unreachable', 'proxy', 'lost', 'cutShort']),
		POST: new Set(['unreachable', 'proxy']),
	},
} as const;
