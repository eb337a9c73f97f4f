import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import type { Account } from './account';
import { beginningOf, type BodyStream, BrokenBody, chunksOf } from './body';
import { pause } from './pause';
import { NEVER_SENT_CODES, retryPolicy, UNREACHABLE_CODES } from './retryPolicy';
import { nextTryIn, retryAfterMs } from './retryTiming';

export type RequestContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

export type Method = 'GET' | 'POST';

export interface ServiceRequest {
	method: Method;
	account: Account;
	path: '/forms' | '/responses';
	/** The form that the request is about, if it is about one */
	formId?: string;
	/** JSON text */
	body?: string;
	/** The reply is 304 if nothing has changed since the reply that this was in */
	unless?: Validators;
	/** How long the service may stay silent, before its reply and within it */
	timeoutMs: number;
}

/** By which HTTP tells whether a reply is still the current one (RFC 9110, 8.8). */
export interface Validators {
	etag?: string;
	lastModified?: string;
}

export interface ErrorBody {
	text: string;
	/** The text breaks off before its end */
	isCut: boolean;
}

export interface Reply<Content = unknown> {
	kind: 'reply';
	status: number;
	/** The `Location` header of a redirect */
	location?: string;
	retryAfterMs?: number;
	validators?: Validators;
	/** How far the clock of the service is ahead of this one, by its `Date` header */
	clockOffsetMs?: number;
	/** Headers by which a service says that the list goes on, such as `Link` */
	pageHeaders?: string[];
	/** What was made of the body of a success */
	content?: Content;
	/** The body of anything else */
	errorBody?: ErrorBody;
}

/**
 * A request that ended without a complete reply. All down to `stopped` prove that the service did not
 * receive it.
 */
export interface ConnectionFailure {
	kind:
		| 'unreachable'
		| 'proxy'
		| 'handshake'
		| 'blocked'
		| 'stopped'
		| 'tls'
		| 'timeout'
		| 'lost'
		| 'cutShort'
		| 'canceled'
		| 'other';
	/** A Node.js or TLS code, or else n8n's own words */
	reason: string;
}

export type RequestResult<Content = unknown> = Reply<Content> | ConnectionFailure;

/** Makes something of a body while it comes in; leaving it early ends the download. */
export type Reader<Content> = (
	chunks: AsyncIterable<string>,
	reply: Pick<Reply, 'validators' | 'clockOffsetMs'>,
) => Promise<Content>;

/**
 * Sends a request, again where the retry policy allows it, and gives the last result.
 *
 * @param read of the body of a success; called anew for each try
 * @throws what `read` throws
 */
export async function send<Content>(
	context: RequestContext,
	request: ServiceRequest,
	read: Reader<Content>,
	maxTries: number = retryPolicy.maxTries,
): Promise<RequestResult<Content>> {
	for (let tries = 1; ; tries++) {
		const result = await sendOnce(context, request, read);
		const waitMs = nextTryIn(request.method, result, tries, Math.random());
		if (waitMs === undefined || tries >= maxTries) return result;
		await pause(waitMs, cancelSignalOf(context));
	}
}

async function sendOnce<Content>(
	context: RequestContext,
	request: ServiceRequest,
	read: Reader<Content>,
): Promise<RequestResult<Content>> {
	const { method, unless } = request;
	const options: IHttpRequestOptions & { timeout: number } = {
		method,
		url: `${request.account.baseUrl}${request.path}`,
		headers: {
			Accept: 'application/json',
			...(unless?.etag && { 'If-None-Match': unless.etag }),
			...(unless?.lastModified && { 'If-Modified-Since': unless.lastModified }),
		},
		timeout: request.timeoutMs,
		encoding: 'stream',
		returnFullResponse: true,
		// As a value: n8n sends a request that was answered 401 twice if it is thrown.
		ignoreHttpStatusErrors: true,
		// n8n forwards the key to wherever a redirect points.
		disableFollowRedirect: true,
	};
	if (method === 'GET') {
		if (request.formId !== undefined) options.qs = { form_id: request.formId };
	} else {
		options.headers = { ...options.headers, 'Content-Type': 'application/json' };
		// JSON text, because the HTTP library copies objects and drops keys such as `__proto__`.
		options.body = request.body;
	}
	const { caller, signal, stop, release } = stoppable(context);
	options.abortSignal = signal;
	if (signal.aborted) return { kind: 'stopped', reason: 'ERR_CANCELED' };
	try {
		return await exchange(caller, request, options, read, stop);
	} finally {
		release();
	}
}

async function exchange<Content>(
	context: RequestContext,
	{ account: { credential } }: ServiceRequest,
	options: IHttpRequestOptions & { timeout: number },
	read: Reader<Content>,
	stop: () => void,
): Promise<RequestResult<Content>> {
	const sentAt = Date.now();
	let response: { statusCode: number; headers: Record<string, unknown>; body: BodyStream };
	try {
		response = await context.helpers.httpRequestWithAuthentication.call(
			context,
			credential.type,
			options,
			// Or n8n reads it from its database and decrypts it for each request.
			{ credentialsDecrypted: credential },
		);
	} catch (error) {
		return connectionFailure(error, options.url);
	}
	const { statusCode: status, headers } = response;
	const reply = {
		kind: 'reply',
		status,
		location: header(headers.location),
		retryAfterMs: retryAfterMs(headers['retry-after'], Date.now()),
		validators: validatorsIn(headers),
		clockOffsetMs: clockOffsetMs(headers, sentAt, Date.now()),
		pageHeaders: pageHeadersIn(headers),
	} as const;
	const chunks = chunksOf(response.body, options.timeout, stop);
	if (status < 200 || status >= 300)
		return { ...reply, errorBody: { text: await beginningOf(chunks), isCut: false } };
	return await read(chunks, reply).then((content) => ({ ...reply, content }), brokenOff);
}

/**
 * A context whose requests can be stopped one by one: in an execution n8n's helper sends each with the
 * signal that its context gives, whatever signal the request itself has.
 */
function stoppable(context: RequestContext) {
	const controller = new AbortController();
	const { signal } = controller;
	const stop = () => controller.abort();
	if (!('getExecutionCancelSignal' in context)) {
		return { caller: context, signal, stop, release: () => undefined };
	}
	const cancel = context.getExecutionCancelSignal();
	cancel?.addEventListener('abort', stop);
	if (cancel?.aborted) stop();
	const caller = Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as RequestContext;
	return { caller, signal, stop, release: () => cancel?.removeEventListener('abort', stop) };
}

/** @throws the error itself unless it is of the body */
function brokenOff(error: unknown): ConnectionFailure {
	if (!(error instanceof BrokenBody)) throw error;
	const { kind, reason } = connectionFailure(error.reason);
	// Whatever broke it, the service has received the request.
	return { kind: kind === 'canceled' || kind === 'timeout' ? kind : 'cutShort', reason };
}

/**
 * A `Last-Modified` counts in whole seconds. Until one is surely over, more may change without a trace
 * in it (RFC 9110, 8.8.2.2; a minute is the older and stricter rule).
 */
function validatorsIn(headers: Record<string, unknown>): Validators | undefined {
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
function clockOffsetMs(
	headers: Record<string, unknown>,
	sentAt: number,
	receivedAt: number,
): number | undefined {
	const date = Date.parse(header(headers.date) ?? '');
	if (Number.isNaN(date)) return undefined;
	return date <= receivedAt && date + 1000 > sentAt ? 0 : date - receivedAt;
}

/** Names of the headers by which services commonly say that a list goes on elsewhere. */
function pageHeadersIn(headers: Record<string, unknown>): string[] {
	const names: string[] = [];
	if (/;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/i.test(header(headers.link) ?? ''))
		names.push('Link');
	if (header(headers['x-next-page'])?.trim()) names.push('X-Next-Page');
	if (header(headers['content-range']) !== undefined) names.push('Content-Range');
	return names;
}

function header(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/** Of the verification of a certificate, which comes before anything is sent. */
const CERTIFICATE_CODE =
	/^(CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$)/;

/** Node.js 20 and 24 give EPROTO with these texts to a request that waits for the handshake. */
const HANDSHAKE_TEXT =
	/wrong version number|alert handshake failure|alert protocol version|unsupported protocol|no shared cipher|unrecognized name/;

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
	port?: unknown;
	cause?: unknown;
}

/** @param url empty where the request is known to have been sent */
function connectionFailure(error: unknown, url = ''): ConnectionFailure {
	const causes: Cause[] = [];
	for (let cause = error; isObject(cause) && causes.length < 5; cause = causes.at(-1)?.cause) {
		causes.push(cause);
	}
	const texts = (...fields: (keyof Cause)[]) =>
		causes.flatMap((cause) =>
			fields.map((field) => cause[field]).filter((text) => typeof text === 'string'),
		);
	const messages = [...texts('message'), ...causes.flatMap(({ messages: more }) => more ?? [])].map(
		String,
	);
	const words = messages[0] ?? String(error);

	// n8n's protection against requests to internal addresses, since 2.41.
	if (texts('name').some((name) => name.startsWith('SsrfBlocked'))) {
		return { kind: 'blocked', reason: texts('description')[0] ?? words };
	}
	if (messages.some((message) => message.includes('CONNECT response'))) {
		return { kind: 'proxy', reason: words };
	}
	const codes = texts('code', 'httpCode');
	const reason = codes.at(-1);
	if (reason === undefined) return { kind: 'other', reason: words };
	if (codes.includes('ERR_CANCELED')) return { kind: 'canceled', reason };
	const isConnecting = texts('syscall').includes('connect');
	if (
		codes.some((code) => NEVER_SENT_CODES.has(code)) ||
		(isConnecting && codes.some((code) => UNREACHABLE_CODES.has(code)))
	) {
		return { kind: isElsewhere(causes, url) ? 'proxy' : 'unreachable', reason };
	}
	if (codes.some((code) => CERTIFICATE_CODE.test(code))) return { kind: 'handshake', reason };
	if (codes.includes('EPROTO') && messages.some((message) => HANDSHAKE_TEXT.test(message))) {
		return { kind: 'handshake', reason };
	}
	if (codes.some((code) => TLS_CODE.test(code))) return { kind: 'tls', reason };
	if (codes.includes('ECONNABORTED') || codes.includes('ETIMEDOUT')) {
		return { kind: 'timeout', reason };
	}
	return { kind: 'lost', reason };
}

/** Whether what was not found is another host or port than that of the address: a proxy. */
function isElsewhere(causes: Cause[], url: string): boolean {
	if (url === '') return false;
	const { hostname, port, protocol } = new URL(url);
	const own = Number(port) || (protocol === 'https:' ? 443 : 80);
	return causes.some(
		(cause) =>
			(typeof cause.hostname === 'string' && cause.hostname !== hostname) ||
			(typeof cause.port === 'number' && cause.port !== own),
	);
}

/** Errors of Node.js need not be instances of the `Object` that is in scope. */
function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

function cancelSignalOf(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}
