/**
 * How a request ended without a complete reply. `unreachable`, `insecure`, `blocked` and `stopped` prove that the
 * service did not receive it.
 */
export type ConnectionKind =
	| 'unreachable'
	| 'insecure'
	| 'blocked'
	| 'stopped'
	| 'canceled'
	| 'timeout'
	| 'cutShort'
	| 'lost';

export interface ConnectionFailure {
	kind: ConnectionKind;
	/** A code of Node.js or TLS, with n8n's own message */
	reason: string;
}

/** Whatever the code, nothing was sent if it is about connecting, or about looking up the address. */
const CONNECTING = /\b(?:connect|getaddrinfo) E|before secure TLS connection|CONNECT response/;

/** Of the verification of a certificate, or of a handshake: both come before anything is sent. */
const INSECURE =
	/\b(?:CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)|EPROTO[^]*(?:wrong version number|handshake|protocol|cipher|unrecognized name)/;

/** The first row that matches the codes and messages of an error counts. */
const rows: [ConnectionKind, RegExp][] = [
	['blocked', /\bSsrfBlocked/],
	['canceled', /\bERR_CANCELED\b/],
	['unreachable', /\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\b/],
	['unreachable', CONNECTING],
	['insecure', INSECURE],
	['timeout', /\b(?:ECONNABORTED|ETIMEDOUT)\b/],
];

export function connectionFailure(error: unknown): ConnectionFailure {
	const texts = textsIn(error);
	const all = texts.join('\n');
	const kind = rows.find(([, pattern]) => pattern.test(all))?.[0] ?? 'lost';
	// n8n's own sentences are longer, and advise to send the request again.
	const told = texts.filter((text) => !text.endsWith(' E') && text.length < 100);
	return { kind, reason: [...new Set(told)].slice(-2).join(': ') };
}

interface Cause {
	name?: unknown;
	message?: unknown;
	/** n8n 2.0 keeps of the error that it wraps only this and its code. */
	messages?: unknown;
	code?: unknown;
	httpCode?: unknown;
	syscall?: unknown;
	/** One for each address of a host that has several */
	errors?: unknown;
	cause?: unknown;
}

/** The names, codes and messages of an error and of its causes, where it began last. */
function textsIn(error: unknown, depth = 0): string[] {
	// Errors of Node.js need not be instances of the `Error` that is in scope.
	if (typeof error !== 'object' || error === null || depth > 9) return [];
	const { name, message, messages, code, httpCode, syscall, errors, cause } = error as Cause;
	const call = `${String(syscall)} E`;
	const texts = [name, call, messages, message, httpCode, code].flat();
	const inner = [errors, cause].flat().flatMap((each) => textsIn(each, depth + 1));
	return [...texts.filter((text): text is string => typeof text === 'string'), ...inner].filter(
		(text) => text !== '' && text !== 'Error',
	);
}
