import type {
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { beginningOf, type BodyStream, BrokenBody, chunksOf } from './body';
import { NEVER_SENT_CODES, retryPolicy } from './retryPolicy';
import { nextTryIn, retryAfterMs } from './retryTiming';

export type ServiceContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

export type Method = 'GET' | 'POST';

export interface ServiceRequest {
	method: Method;
	baseUrl: string;
	/** Sent by n8n; here so that errors can leave it out */
	apiKey: string;
	/** The credential that n8n makes the header of */
	credential: ICredentialsDecrypted;
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

export interface Reply<Content = unknown> {
	kind: 'reply';
	status: number;
	/** The `Location` header of a redirect */
	location?: string;
	retryAfterMs?: number;
	validators?: Validators;
	/** What was made of the body of a success */
	content?: Content;
	/** The beginning of the body of anything else */
	words?: string;
}

/**
 * A request that ended without a complete reply. Only `neverSent` and `tls` prove that the service
 * did not receive it.
 */
export interface ConnectionFailure {
	kind: 'neverSent' | 'tls' | 'timeout' | 'lost' | 'cutShort' | 'canceled' | 'refusedByN8n';
	/** A Node.js or TLS code, or n8n's own words for `refusedByN8n` */
	reason: string;
}

export type Outcome<Content = unknown> = Reply<Content> | ConnectionFailure;

/** Makes something of a body while it comes in; leaving it early ends the download. */
export type Reader<Content> = (chunks: AsyncIterable<string>) => Promise<Content>;

/**
 * Sends a request, again where the retry policy allows it, and gives the last outcome.
 *
 * @param read of the body of a success; called anew for each try
 * @throws what `read` throws
 */
export async function send<Content>(
	context: ServiceContext,
	request: ServiceRequest,
	read: Reader<Content>,
	maxTries: number = retryPolicy.maxTries,
): Promise<Outcome<Content>> {
	for (let tries = 1; ; tries++) {
		const outcome = await sendOnce(context, request, read);
		const waitMs = nextTryIn(request.method, outcome, tries, Math.random());
		if (waitMs === undefined || tries >= maxTries) return outcome;
		await pause(context, waitMs);
	}
}

async function sendOnce<Content>(
	context: ServiceContext,
	request: ServiceRequest,
	read: Reader<Content>,
): Promise<Outcome<Content>> {
	const { method, unless } = request;
	const options: IHttpRequestOptions & { timeout: number } = {
		method,
		url: `${request.baseUrl}${request.path}`,
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
	try {
		return await exchange(caller, request, options, read, stop);
	} finally {
		release();
	}
}

async function exchange<Content>(
	context: ServiceContext,
	{ credential }: ServiceRequest,
	options: IHttpRequestOptions & { timeout: number },
	read: Reader<Content>,
	stop: () => void,
): Promise<Outcome<Content>> {
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
		return connectionFailure(error);
	}
	const { statusCode: status, headers } = response;
	const reply = {
		kind: 'reply',
		status,
		location: header(headers.location),
		retryAfterMs: retryAfterMs(headers['retry-after'], Date.now()),
		validators: validatorsIn(headers),
	} as const;
	const chunks = chunksOf(response.body, {
		contentType: header(headers['content-type']),
		timeoutMs: options.timeout,
		stop,
	});
	if (status < 200 || status >= 300) return { ...reply, words: (await beginningOf(chunks)).text };
	return await read(chunks).then((content) => ({ ...reply, content }), brokenOff);
}

/**
 * A context whose requests can be stopped one by one: in an execution n8n's helper sends each with the
 * signal that its context gives, whatever signal the request itself has.
 */
function stoppable(context: ServiceContext) {
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
	}) as ServiceContext;
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

function header(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

const TLS_CODE =
	/^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/;

function connectionFailure(error: unknown): ConnectionFailure {
	const codes: string[] = [];
	for (let cause = error, depth = 0; isObject(cause) && depth < 5; depth++) {
		// Older versions (2.0 for one) keep of the error that they wrap only the code, as `httpCode`.
		const { code, httpCode } = cause as { code?: unknown; httpCode?: unknown };
		for (const text of [code, httpCode]) if (typeof text === 'string') codes.push(text);
		cause = (cause as { cause?: unknown }).cause;
	}
	const reason = codes[codes.length - 1];
	if (reason === undefined) {
		return { kind: 'refusedByN8n', reason: error instanceof Error ? error.message : String(error) };
	}
	if (codes.includes('ERR_CANCELED')) return { kind: 'canceled', reason };
	if (codes.some((code) => NEVER_SENT_CODES.has(code))) return { kind: 'neverSent', reason };
	if (codes.some((code) => TLS_CODE.test(code))) return { kind: 'tls', reason };
	if (codes.includes('ECONNABORTED') || codes.includes('ETIMEDOUT')) {
		return { kind: 'timeout', reason };
	}
	return { kind: 'lost', reason };
}

/** Errors of Node.js need not be instances of the `Object` that is in scope. */
function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

async function pause(context: ServiceContext, ms: number): Promise<void> {
	const signal =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	// Rejects when the execution is stopped; n8n then ends the next request before it is sent.
	await sleep(ms, signal).catch(() => undefined);
}
