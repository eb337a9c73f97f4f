import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { NEVER_SENT_CODES, retryPolicy } from './retryPolicy';
import { nextTryIn, retryAfterMs } from './retryTiming';

export type ServiceContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

export type Method = 'GET' | 'POST';

export interface ServiceRequest {
	method: Method;
	baseUrl: string;
	/** Sent by n8n; here so that errors can leave it out */
	apiKey: string;
	path: '/forms' | '/responses';
	/** The form that the request is about, if it is about one */
	formId?: string;
	/** JSON text */
	body?: string;
	timeoutMs: number;
}

export interface Reply {
	kind: 'reply';
	status: number;
	/** The `Location` header of a redirect */
	location?: string;
	retryAfterMs?: number;
	body: string;
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

export type Outcome = Reply | ConnectionFailure;

/** Sends a request, again where the retry policy allows it, and gives the last outcome. Never throws. */
export async function send(
	context: ServiceContext,
	request: ServiceRequest,
	maxTries: number = retryPolicy.maxTries,
): Promise<Outcome> {
	for (let tries = 1; ; tries++) {
		const outcome = await sendOnce(context, request);
		const waitMs = nextTryIn(request.method, outcome, tries, Math.random());
		if (waitMs === undefined || tries >= maxTries) return outcome;
		await pause(context, waitMs);
	}
}

async function sendOnce(context: ServiceContext, request: ServiceRequest): Promise<Outcome> {
	const options: IHttpRequestOptions = {
		method: request.method,
		url: `${request.baseUrl}${request.path}`,
		headers: { Accept: 'application/json' },
		timeout: request.timeoutMs,
		// Text, so that a reply that is not JSON or is cut short can be told from a good one.
		encoding: 'text',
		returnFullResponse: true,
		// As a value: n8n sends a request that was answered 401 twice if it is thrown.
		ignoreHttpStatusErrors: true,
		// n8n forwards the key to wherever a redirect points.
		disableFollowRedirect: true,
	};
	if (request.method === 'GET') {
		if (request.formId !== undefined) options.qs = { form_id: request.formId };
	} else {
		options.headers = { ...options.headers, 'Content-Type': 'application/json' };
		// JSON text, because the HTTP library copies objects and drops keys such as `__proto__`.
		options.body = request.body;
	}
	try {
		const { statusCode, headers, body } = (await context.helpers.httpRequestWithAuthentication.call(
			context,
			'formCollectionApi',
			options,
		)) as { statusCode: number; headers: Record<string, unknown>; body: unknown };
		return {
			kind: 'reply',
			status: statusCode,
			location: typeof headers.location === 'string' ? headers.location : undefined,
			retryAfterMs: retryAfterMs(headers['retry-after'], Date.now()),
			body: typeof body === 'string' ? body : '',
		};
	} catch (error) {
		return connectionFailure(error);
	}
}

const TLS_CODE =
	/^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/;

function connectionFailure(error: unknown): ConnectionFailure {
	const codes: string[] = [];
	const messages: string[] = [];
	for (let cause = error, depth = 0; cause instanceof Object && depth < 5; depth++) {
		const { code, message } = cause as { code?: unknown; message?: unknown };
		if (typeof code === 'string') codes.push(code);
		if (typeof message === 'string') messages.push(message);
		cause = (cause as { cause?: unknown }).cause;
	}
	const reason = codes[codes.length - 1];
	if (reason === undefined) return { kind: 'refusedByN8n', reason: messages[0] ?? String(error) };
	if (codes.includes('ERR_CANCELED')) return { kind: 'canceled', reason };
	if (codes.some((code) => NEVER_SENT_CODES.has(code))) return { kind: 'neverSent', reason };
	if (codes.some((code) => TLS_CODE.test(code))) return { kind: 'tls', reason };
	if (codes.includes('ECONNABORTED') || codes.includes('ETIMEDOUT'))
		return { kind: 'timeout', reason };
	if (messages.some((message) => message.includes('aborted'))) return { kind: 'cutShort', reason };
	return { kind: 'lost', reason };
}

async function pause(context: ServiceContext, ms: number): Promise<void> {
	const signal =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	// Rejects when the execution is stopped; n8n then ends the next request before it is sent.
	await sleep(ms, signal).catch(() => undefined);
}
