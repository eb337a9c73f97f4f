import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Account, RequestContext } from './account';
import { beginningOf, type BodyStream, BrokenBody, chunksOf, type ErrorBody } from './body';
import { type ConnectionFailure, connectionFailure } from './connectionFailure';
import { type InactivityTimeout, inactivityTimeout } from './inactivityTimeout';
import {
	clockOffsetMs,
	header,
	type PageHeader,
	pageHeadersIn,
	retryAfterMs,
	type Validators,
	validatorsIn,
} from './replyHeaders';

export type Method = 'GET' | 'POST';

export interface ServiceRequest {
	method: Method;
	account: Account;
	path: '/forms' | '/responses';
	/** The form that the request is about, if it is about one */
	formId?: string;
	/** JSON text */
	body?: string;
	/**
	 * Validators of an earlier reply: makes this a conditional request, answered 304 if nothing has changed
	 * (RFC 9110, 13)
	 */
	ifChangedSince?: Validators;
	/** How long the service may stay silent, before its reply and within it */
	timeoutMs: number;
	/** The timeout is that of the option Timeout, or its default */
	hasTimeoutOption?: boolean;
	/** How long n8n gives the whole poll */
	budgetMs?: number;
}

/** What the headers of a reply tell about its list, before the list itself. */
export interface ReplyInfo {
	validators?: Validators;
	/** How far the clock of the service is ahead of this one, by its `Date` header */
	clockOffsetMs?: number;
}

export interface Reply<Content = unknown> extends ReplyInfo {
	kind: 'reply';
	status: number;
	/** The `Location` header of a redirect */
	location?: string;
	/** The `WWW-Authenticate` header of a 401: how it wants to be asked */
	challenge?: string;
	retryAfterMs?: number;
	/** Headers by which a service says that the list goes on, such as `Link` */
	pageHeaders?: PageHeader[];
	/** What was made of the body of a success */
	content?: Content;
	/** The body of anything else */
	errorBody?: ErrorBody;
}

export type RequestResult<Content = unknown> = Reply<Content> | ConnectionFailure;

/** Makes something of a body while it comes in; leaving it early ends the download. */
export type Reader<Content> = (chunks: AsyncIterable<string>, reply: ReplyInfo) => Promise<Content>;

/**
 * Sends a request once.
 *
 * @param read of the body of a success
 * @throws what `read` throws
 */
export async function attempt<Content>(
	context: RequestContext,
	request: ServiceRequest,
	read: Reader<Content>,
): Promise<RequestResult<Content>> {
	const { method, ifChangedSince } = request;
	const options: IHttpRequestOptions & { timeout: number } = {
		method,
		url: `${request.account.baseUrl}${request.path}`,
		headers: {
			Accept: 'application/json',
			...(ifChangedSince?.etag && { 'If-None-Match': ifChangedSince.etag }),
			...(ifChangedSince?.lastModified && { 'If-Modified-Since': ifChangedSince.lastModified }),
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
	const inactivity = inactivityTimeout(request.timeoutMs, stop, request.budgetMs);
	try {
		return await exchange(caller, request, options, read, inactivity, stop);
	} finally {
		inactivity.end();
		release();
	}
}

async function exchange<Content>(
	context: RequestContext,
	{ account: { credential } }: ServiceRequest,
	options: IHttpRequestOptions & { timeout: number },
	read: Reader<Content>,
	inactivity: InactivityTimeout,
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
		return inactivity.hasExpired() ? TIMEOUT : connectionFailure(error, options.url);
	}
	const { statusCode: status, headers } = response;
	const reply = {
		kind: 'reply',
		status,
		location: header(headers.location),
		challenge: header(headers['www-authenticate']),
		retryAfterMs: retryAfterMs(headers, Date.now()),
		...(options.method === 'GET' && {
			validators: validatorsIn(headers),
			clockOffsetMs: clockOffsetMs(headers, sentAt, Date.now()),
			pageHeaders: pageHeadersIn(headers),
		}),
	} as const;
	inactivity.restart();
	const contentType = header(headers['content-type']) ?? '';
	const isList = options.method === 'GET' && status >= 200 && status < 300;
	// A list may take its time as long as more of it comes; anything else is short.
	const onPiece = () => void (isList && inactivity.restart());
	const chunks = chunksOf(response.body, contentType, onPiece, stop);
	if (status < 200 || status >= 300) return { ...reply, errorBody: await beginningOf(chunks) };
	return await read(chunks, reply).then(
		(content) => ({ ...reply, content }),
		(error: unknown) => brokenOff(error, inactivity),
	);
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

const TIMEOUT: ConnectionFailure = { kind: 'timeout', reason: 'ETIMEDOUT' };

/** @throws the error itself unless it is of the body */
function brokenOff(error: unknown, inactivity: InactivityTimeout): ConnectionFailure {
	if (!(error instanceof BrokenBody)) throw error;
	const { kind, reason } = inactivity.hasExpired() ? TIMEOUT : connectionFailure(error.reason);
	// Whatever broke it, the service has received the request.
	return {
		kind: kind === 'canceled' || kind === 'timeout' ? kind : 'cutShort',
		reason,
		hasReply: true,
	};
}
