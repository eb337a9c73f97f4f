/**
 * A request that ended without a complete reply. The kinds from `unreachable` to `stopped` prove that the
 * service did not receive it.
 */
export interface ConnectionFailure {
	kind:
		| 'unreachable'
		| 'proxy'
		| 'handshake'
		| 'blocked'
		| 'stopped'
		| 'tls'
		| 'notHttp'
		| 'timeout'
		| 'lost'
		| 'cutShort'
		| 'canceled'
		| 'other';
	/** A Node.js or TLS code, or else n8n's own message */
	reason: string;
	/** It ended within the reply: there was a connection */
	hasReply?: boolean;
}

/** Connection codes that prove that the service never received the request. */
const NEVER_SENT_CODES: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'ENOTFOUND']);

/** Of the verification of a certificate, which comes before anything is sent. */
const CERTIFICATE_CODE =
	/^(CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$)/;

/** Node.js 20 and 24 give EPROTO with these texts to a request that waits for the handshake. */
const HANDSHAKE_TEXT =
	/wrong version number|alert handshake failure|alert protocol version|unsupported protocol|no shared cipher|unrecognized name/;

/** Of an ECONNRESET: Node.js 20 to 24 give this where the handshake was not over, so that nothing was sent. */
const BEFORE_HANDSHAKE_TEXT = 'before secure TLS connection was established';

/** For example "connect ECONNREFUSED 127.0.0.1:3128", and of the lookup "getaddrinfo ENOTFOUND proxy.example.com" */
const CONNECTING_TEXT = /\bconnect E[A-Z]+/;
const PORT_IN_TEXT = /\bconnect E[A-Z]+ \S+:(\d+)/;
const HOST_IN_TEXT = /\bgetaddrinfo E\w+ (\S+)/;

const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|EPROTO$)/;

interface Cause {
	name?: unknown;
	message?: unknown;
	/** Older versions (n8n 2.0 for one) keep of the error that they wrap only this and its code. */
	messages?: unknown[];
	description?: unknown;
	code?: unknown;
	httpCode?: unknown;
	syscall?: unknown;
	hostname?: unknown;
	host?: unknown;
	port?: unknown;
	cause?: unknown;
	/** One for each address of a host that has several */
	errors?: unknown;
}

const MOST_CAUSES = 20;

/** @param url empty where the request is known to have been sent */
export function connectionFailure(error: unknown, url = ''): ConnectionFailure {
	const causes = causesOf(error);
	const texts = (...fields: (keyof Cause)[]) =>
		causes.flatMap((cause) =>
			fields.map((field) => cause[field]).filter((text) => typeof text === 'string'),
		);
	const messages = [...texts('message'), ...causes.flatMap(({ messages: more }) => more ?? [])].map(
		String,
	);
	const firstMessage = messages[0] ?? String(error);

	// n8n's protection against requests to internal addresses, since 2.41.
	if (texts('name').some((name) => name.startsWith('SsrfBlocked'))) {
		return { kind: 'blocked', reason: texts('description')[0] ?? firstMessage };
	}
	if (messages.some((message) => message.includes('CONNECT response'))) {
		return { kind: 'proxy', reason: firstMessage };
	}
	const codes = texts('code', 'httpCode');
	const reason = codes.at(-1);
	if (reason === undefined) return { kind: 'other', reason: firstMessage };
	if (codes.includes('ERR_CANCELED')) return { kind: 'canceled', reason };
	// Whatever the code: an established connection can also end with many of these. n8n 2.0 keeps only the message.
	const isConnecting =
		texts('syscall').includes('connect') || messages.some((text) => CONNECTING_TEXT.test(text));
	// Without an address there is no connection, whatever the code. n8n 2.0 keeps only the message.
	const isLookup = [...texts('syscall'), ...messages].some((text) =>
		text.startsWith('getaddrinfo'),
	);
	if (
		isLookup ||
		isConnecting ||
		codes.some((code) => NEVER_SENT_CODES.has(code)) ||
		messages.some((message) => message.includes(BEFORE_HANDSHAKE_TEXT))
	) {
		return { kind: isElsewhere(causes, messages, url) ? 'proxy' : 'unreachable', reason };
	}
	// The address of the service was read before, so it is that of a proxy.
	if (codes.includes('ERR_INVALID_URL')) return { kind: 'proxy', reason };
	if (codes.some((code) => code.startsWith('HPE_'))) return { kind: 'notHttp', reason };
	if (codes.some((code) => CERTIFICATE_CODE.test(code))) return { kind: 'handshake', reason };
	if (codes.includes('EPROTO') && messages.some((message) => HANDSHAKE_TEXT.test(message))) {
		return { kind: 'handshake', reason };
	}
	if (codes.some((code) => TLS_CODE.test(code))) return { kind: 'tls', reason };
	if (codes.includes('ECONNABORTED') || codes.includes('ETIMEDOUT')) {
		return { kind: 'timeout', reason: 'ETIMEDOUT' };
	}
	return { kind: 'lost', reason };
}

/** The error and all that are in it, the ones in which it began last. */
function causesOf(error: unknown): Cause[] {
	const causes: Cause[] = [];
	const add = (cause: unknown) => {
		if (!isObject(cause) || causes.length === MOST_CAUSES) return;
		causes.push(cause);
		const { errors, cause: inner } = cause as Cause;
		for (const each of [errors, inner].flat()) add(each);
	};
	add(error);
	return causes;
}

/** Whether what was not found is another host or port than that of the address: a proxy. */
function isElsewhere(causes: Cause[], messages: string[], url: string): boolean {
	if (url === '') return false;
	const { hostname, port, protocol } = new URL(url);
	const own = hostname.replace(/^\[|\]$/g, '');
	const ownPort = Number(port) || (protocol === 'https:' ? 443 : 80);
	const hosts = [
		...causes.flatMap(({ hostname: name, host }) => [name, host]),
		...messages.map((text) => HOST_IN_TEXT.exec(text)?.[1]),
	];
	const ports = [
		...causes.map((cause) => cause.port),
		...messages.map((text) => Number(PORT_IN_TEXT.exec(text)?.[1] ?? ownPort)),
	];
	return (
		hosts.some((host) => typeof host === 'string' && host !== own) ||
		ports.some((port) => typeof port === 'number' && port !== ownPort)
	);
}

/** Errors of Node.js need not be instances of the `Object` that is in scope. */
function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
