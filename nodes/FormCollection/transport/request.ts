import type { IHttpRequestOptions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import type { Account, RequestContext } from './account';
import { type BodyStream, BrokenBody, chunksOf, orSilence, Silence, textOf } from './body';
import { connectionFailure, type ConnectionKind } from './connectionFailure';
import { retryAfterMs, retryDelayMs, retryPolicy } from './retry';

export interface ServiceRequest {
	method: 'GET' | 'POST';
	account: Account;
	path: '/forms' | '/responses';
	/** The form that the request is about, if it is about one */
	form?: FormReference;
	/** JSON text */
	body?: string;
	/** How long the service may stay silent, before its reply and within it */
	timeoutMs: number;
	/** Fewer than the retry policy allows */
	maxTries?: number;
}

export interface FormReference {
	id: string;
	/** The title that the user has selected in the list */
	title?: string;
}

/** What a request came to: a reply with its status, or a connection that failed. */
export interface RequestResult<Content = unknown> {
	kind: 'reply' | ConnectionKind;
	status?: number;
	retryAfterMs?: number;
	/** The `Location` header of a redirect */
	location?: string;
	/** The `Link` header of a list */
	link?: string;
	/** What was made of the body of a success */
	content?: Content;
	/** The body of anything else, if it could be read */
	errorBody?: string;
	/** Why the connection failed */
	reason?: string;
}

/** Makes something of a body while it comes in; leaving it early ends the download. */
export type Reader<Content> = (chunks: AsyncIterable<string>) => Promise<Content>;

/**
 * Sends a request, again where the retry policy allows it.
 *
 * @param read of the body of a success; called anew for each try
 * @returns what the last try came to
 * @throws what `read` throws
 */
export async function send<Content>(
	context: RequestContext,
	request: ServiceRequest,
	read: Reader<Content>,
): Promise<RequestResult<Content>> {
	const { maxTries = retryPolicy[request.method].maxTries } = request;
	for (let tries = 1; ; tries++) {
		const result = await sendOnce(context, request, read);
		const delayMs = retryDelayMs(request.method, result, tries, Math.random());
		if (delayMs === undefined || tries >= maxTries) return result;
		// An aborted wait rejects; the next try then ends as `stopped`.
		await sleep(delayMs, cancelSignalOf(context)).catch(() => undefined);
	}
}

async function sendOnce<Content>(
	context: RequestContext,
	request: ServiceRequest,
	read: Reader<Content>,
): Promise<RequestResult<Content>> {
	if (cancelSignalOf(context)?.aborted) return { kind: 'stopped' };
	const { caller, signal, stop, release } = stoppable(context);
	const { account, timeoutMs } = request;
	const failed = (error: unknown): RequestResult<Content> => {
		stop();
		if (error instanceof Silence) return { kind: 'timeout' };
		return connectionFailure(error);
	};
	try {
		const sent = caller.helpers.httpRequestWithAuthentication.call(
			caller,
			account.credential.type,
			{ ...optionsOf(request), abortSignal: signal },
			// Without it, n8n 2.41 reads the credential from its database and decrypts it for each request.
			{ credentialsDecrypted: account.credential },
		) as Promise<StreamedReply>;
		const reply = await orSilence(sent, timeoutMs).catch(failed);
		if ('kind' in reply) return reply;
		const chunks = chunksOf(reply.body, timeoutMs, stop);
		const result = resultOf(reply);
		if (Math.floor(reply.statusCode / 100) !== 2) {
			// The status tells enough where the body cannot be read.
			const errorBody = orSilence(textOf(chunks), timeoutMs).catch(() => undefined);
			return { ...result, errorBody: await errorBody.finally(stop) };
		}
		return await read(chunks).then(
			(content) => ({ ...result, content }),
			(error: unknown) => brokenOff(error, failed),
		);
	} finally {
		release();
	}
}

interface StreamedReply {
	statusCode: number;
	headers: Record<string, unknown>;
	body: BodyStream;
}

function resultOf({ statusCode, headers }: StreamedReply): RequestResult<never> {
	const header = (name: string) =>
		headers[name] === undefined ? undefined : String(headers[name]);
	return {
		kind: 'reply',
		status: statusCode,
		retryAfterMs: retryAfterMs(
			header('retry-after'),
			Date.parse(header('date') ?? '') || Date.now(),
		),
		location: header('location'),
		link: header('link'),
	};
}

/** Whatever broke the body off, the service has received the request. */
function brokenOff<Content>(
	error: unknown,
	failed: (error: unknown) => RequestResult<Content>,
): RequestResult<Content> {
	if (!(error instanceof BrokenBody)) throw error;
	const result = failed(error.reason);
	return ['timeout', 'canceled'].includes(result.kind) ? result : { ...result, kind: 'cutShort' };
}

function optionsOf({ method, account, path, form, body, timeoutMs }: ServiceRequest) {
	const options: IHttpRequestOptions & { headers: object; timeout: number } = {
		method,
		url: `${account.baseUrl}${path}`,
		headers: { Accept: 'application/json' },
		timeout: timeoutMs,
		encoding: 'stream',
		returnFullResponse: true,
		// As a value: n8n 2.41 sends a request that was answered 401 twice if it is thrown.
		ignoreHttpStatusErrors: true,
		// n8n forwards the key to wherever a redirect points.
		disableFollowRedirect: true,
	};
	if (method === 'GET')
		return form === undefined ? options : { ...options, qs: { form_id: form.id } };
	// JSON text, because the HTTP library drops keys such as `__proto__` of objects.
	return { ...options, headers: { ...options.headers, 'Content-Type': 'application/json' }, body };
}

export function cancelSignalOf(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/**
 * A context whose requests can be stopped one by one: in an execution, n8n's helper sends each request with the
 * signal of its context, whatever signal the request itself has.
 */
function stoppable(context: RequestContext) {
	const controller = new AbortController();
	const stop = () => controller.abort();
	const cancel = cancelSignalOf(context);
	cancel?.addEventListener('abort', stop);
	const caller = Object.create(context, {
		getExecutionCancelSignal: { value: () => controller.signal },
	}) as RequestContext;
	const release = () => cancel?.removeEventListener('abort', stop);
	return { caller, signal: controller.signal, stop, release };
}
