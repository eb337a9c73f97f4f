import { type Advice, type Failure, join, ServiceFault } from './errors';
import type { ConnectionFailure, Outcome, Reply, ServiceRequest } from './request';
import { retryPolicy } from './retryPolicy';

const CREDENTIAL = 'the Form Collection API credential';
const TRY_LATER = 'try again in a few minutes';
const NOT_FOLLOWED = 'Redirects are not followed, so that the API key goes nowhere else';

/** A service that repeats the key in its reply must not bring it into an error. */
function faultWithoutKey({ apiKey }: ServiceRequest, advice: Advice): ServiceFault {
	const { message, description } = advice;
	return new ServiceFault({
		...advice,
		message: withoutKey(message, apiKey),
		description: description && withoutKey(description, apiKey),
		uncertain: message.endsWith(LOOK_FIRST),
	});
}

/** Each character of the key may be there as it is, as in an address (`%2F`) or as in JSON (`\/`). */
function withoutKey(text: string, apiKey: string): string {
	const characters = [...apiKey].map((character) => {
		const hex = character.charCodeAt(0).toString(16);
		return `\\\\{0,8}(?:\\x${hex}|%(?:25)*${hex}|u00${hex})`;
	});
	return text.replace(new RegExp(characters.join(''), 'gi'), '…');
}

/** What to tell the user about a reply whose status is not a success, or about no reply at all. */
export function faultOf(request: ServiceRequest, outcome: Outcome, now: number): ServiceFault {
	return faultWithoutKey(
		request,
		outcome.kind === 'reply'
			? { ...statusAdvice(request, outcome, now), httpCode: String(outcome.status) }
			: connectionAdvice(request, outcome),
	);
}

function statusAdvice(request: ServiceRequest, reply: Reply, now: number): Advice {
	const { status } = reply;
	const words = serviceWords(request, reply.words ?? '');
	const description = words && `The service says: ${words}`;
	if (status >= 300 && status < 400) return redirectAdvice(request, reply);
	if (status === 401) {
		return {
			message: `The service refused the API key (401): copy the key from your account settings into ${CREDENTIAL}`,
			description,
			failure: { cause: 'credential-invalid' },
			lasting: true,
		};
	}
	if (status === 403) {
		const what = request.formId === undefined ? 'your forms' : `form "${request.formId}"`;
		return {
			message: `The API key has no access to ${what} (403): use the key of an account that has, in ${CREDENTIAL}`,
			description,
			failure: { cause: 'configuration-invalid' },
		};
	}
	if (status === 404 && request.formId === undefined) return wrongBaseUrl(request, 'nothing (404)');
	if (status === 404) {
		return {
			message: `Form "${request.formId}" was not found (404): pick a form from the list, or check its ID`,
			description: join(
				'\n',
				description,
				`If this happens with every form, check the Base URL in ${CREDENTIAL}`,
			),
			failure: { cause: 'configuration-invalid' },
		};
	}
	if (status === 429) return limitAdvice(reply, description, now);
	if (status >= 500 || status === 408) {
		const retryIn = reply.retryAfterMs;
		return {
			message: `The service could not answer (${status}): ${sendAgain(request, retryIn === undefined ? TRY_LATER : tryAgainAt(retryIn, now))}`,
			description,
			failure: { cause: 'temporarily-unavailable', retryAfterMs: retryIn },
		};
	}
	const todo =
		request.method === 'POST'
			? 'check the answers against the form'
			: `check the form and ${CREDENTIAL}`;
	return {
		message: `The service did not accept the request (${status})${words && ` and says ${words}`}: ${todo}`,
		failure: { cause: 'configuration-invalid' },
	};
}

function redirectAdvice(request: ServiceRequest, { status, location: sent }: Reply): Advice {
	const { method, baseUrl, apiKey, path } = request;
	// Before it is taken apart: a part of the key is too much, too.
	const location = sent && withoutKey(sent, apiKey);
	// Unlike the others it does not ask to send it elsewhere: it shows where the result is.
	if (status === 303 && method === 'POST') {
		return {
			message: `The service redirects to a result that is not followed (${status}): ${LOOK_FIRST}`,
			description: NOT_FOLLOWED,
		};
	}
	if (location === undefined || !URL.canParse(location, baseUrl)) {
		return {
			message: `The service redirects without saying where to (${status}): check the Base URL in ${CREDENTIAL}`,
			failure: { cause: 'configuration-invalid' },
		};
	}
	const target = new URL(location, `${baseUrl}${path}`);
	const pathname = target.pathname.replace(/\/+$/, '').replaceAll(encodeURIComponent('…'), '…');
	const moved = pathname.endsWith(path);
	const address = target.origin + (moved ? pathname.slice(0, -path.length) : pathname);
	return {
		message: moved
			? `The service has moved to ${address} (${status}): set the Base URL to it in ${CREDENTIAL}`
			: `The service redirects to ${address} (${status}): if your service is there, set the Base URL to it in ${CREDENTIAL}`,
		description: NOT_FOLLOWED,
		failure: { cause: 'configuration-invalid' },
	};
}

function limitAdvice(reply: Reply, description: string, now: number): Advice {
	const { retryAfterMs } = reply;
	return {
		message:
			retryAfterMs === undefined
				? 'The request limit of your plan is reached (429): it counts per hour, so try again within the hour'
				: `The request limit of your plan is reached (429): ${tryAgainAt(retryAfterMs, now)}`,
		description: join(
			'\n',
			description,
			'To stay within the limit, let triggers poll less often, and send large amounts in batches with Loop Over Items and Wait',
		),
		failure: { cause: 'rate-limited', retryAfterMs },
		lasting: retryAfterMs === undefined || retryAfterMs > retryPolicy.longestWaitMs,
	};
}

function connectionAdvice(request: ServiceRequest, failure: ConnectionFailure): Advice {
	const { origin } = new URL(request.baseUrl);
	const description = `Reason: ${failure.reason}`;
	const down: Failure = { cause: 'temporarily-unavailable' };
	switch (failure.kind) {
		case 'neverSent':
			return {
				message: `The service at ${origin} cannot be reached: check the Base URL in ${CREDENTIAL} and that the service is running`,
				description,
				failure: down,
			};
		case 'tls':
			return {
				message: `No secure connection to ${origin}: check the Base URL in ${CREDENTIAL}, and ask whoever runs the service whether its certificate is valid`,
				description,
				failure: { cause: 'configuration-invalid' },
			};
		case 'timeout':
			return {
				message: `The service did not answer within ${plural(request.timeoutMs / 1000, 'second')}: ${sendAgain(request, request.formId === undefined ? TRY_LATER : 'try again, or raise Timeout under Options')}`,
				description,
				failure: down,
			};
		case 'cutShort':
			return { ...cutShort(request), description };
		case 'lost':
			return {
				message: `The connection to ${origin} broke off before the answer: ${sendAgain(request, TRY_LATER)}`,
				description,
				failure: down,
			};
		case 'canceled':
			return {
				message: `The execution was stopped before the service answered: ${sendAgain(request, 'start it again when you want the result')}`,
			};
		case 'refusedByN8n':
			return { message: `n8n did not send the request: ${failure.reason}` };
	}
}

function wrongBaseUrl({ baseUrl }: ServiceRequest, found: string): Advice {
	return {
		message: `There is ${found} where the forms should be, at ${baseUrl}/forms: check the Base URL in ${CREDENTIAL}`,
		description: 'It usually ends in /api, e.g. https://forms.example.com/api',
		failure: { cause: 'configuration-invalid' },
	};
}

function cutShort(request: ServiceRequest): Advice {
	return {
		message: `The reply of the service was cut short: ${sendAgain(request, TRY_LATER)}`,
		failure: { cause: 'temporarily-unavailable' },
	};
}

/** A success status, but a body that is not JSON. */
export function notJson(request: ServiceRequest, body: string): ServiceFault {
	const text = body.trim();
	if (/^[{[]/.test(text)) return faultWithoutKey(request, cutShort(request));
	const found =
		text === '' ? 'an empty reply' : text.startsWith('<') ? 'a web page' : 'text that is not JSON';
	if (request.method === 'GET') return faultWithoutKey(request, misplaced(request, found));
	return faultWithoutKey(request, {
		message: `The service answered with ${found}: check the Base URL in ${CREDENTIAL}, and ${LOOK_FIRST}`,
		failure: { cause: 'configuration-invalid' },
	});
}

/** JSON, but not the documented member. */
export function wrongShape(request: ServiceRequest, member: string): ServiceFault {
	return faultWithoutKey(request, misplaced(request, `JSON without a list of ${member}`));
}

function misplaced(request: ServiceRequest, found: string): Advice {
	if (request.path === '/forms') return wrongBaseUrl(request, found);
	return {
		message: `There is ${found} where the responses should be, at ${request.baseUrl}/responses: check the Base URL in ${CREDENTIAL}`,
		failure: { cause: 'configuration-invalid' },
	};
}

/** A success status without `success: true`. */
export function notConfirmed(request: ServiceRequest, body: string): ServiceFault {
	const words = serviceWords(request, body);
	return faultWithoutKey(request, {
		message: `The service did not confirm the response: check the answers against the form, and ${LOOK_FIRST}`,
		description: words && `The service says: ${words}`,
	});
}

const LOOK_FIRST = 'check whether the response was stored before you send it again';

/** What to do after a request that the service may have acted on. */
function sendAgain({ method }: ServiceRequest, todo: string): string {
	return method === 'POST' ? LOOK_FIRST : todo;
}

function tryAgainAt(waitMs: number, now: number): string {
	const seconds = Math.ceil(waitMs / 1000);
	if (seconds === 0) return TRY_LATER;
	if (seconds < 120) return `try again in ${plural(seconds, 'second')}`;
	const minutes = Math.ceil(seconds / 60);
	const time = new Date(now + minutes * 60_000).toISOString().slice(0, 16).replace('T', ' ');
	return `try again in ${plural(minutes, 'minute')}, after ${time} UTC`;
}

function plural(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const MOST_WORDS = 300;

/**
 * The texts in an error body, in quotes. Its shape is not documented: every text in JSON counts, a
 * short plain text too, a web page does not.
 */
function serviceWords({ apiKey }: ServiceRequest, body: string): string {
	const text = body.trim();
	if (text.startsWith('<')) return '';
	// Before it is shortened: a part of the key is too much, too.
	const words = withoutKey(textsIn(parse(text)).join(', '), apiKey);
	return words && `"${words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}…` : words}"`;
}

/** @returns the text itself if it is not JSON */
function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** @param depth how many levels down; unlimited, a hostile body would overflow the stack */
function textsIn(value: unknown, depth = 100): string[] {
	if (typeof value === 'string') return [value];
	if (!(value instanceof Object) || depth === 0) return [];
	return Object.values(value).flatMap((part) => textsIn(part, depth - 1));
}
