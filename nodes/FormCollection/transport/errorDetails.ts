import { withoutSlashesAtEnd } from './account';
import type { FoundInstead, UnexpectedBody } from './body';
import type { ConnectionFailure } from './connectionFailure';
import { type ErrorDetails, type Failure, join, type Outcome, ServiceError } from './errors';
import { andSays, errorBodyText, isWebPage, parse } from './errorBody';
import { hasGivenUp, outcomeOf, outcomeOfConfirmation } from './outcome';
import { hidesAWord, maskKey } from './redaction';
import type { Reply, RequestResult, ServiceRequest } from './attempt';
import { retryPolicy } from './retry';
import { plural, timerMs, tryAgainAt, TRY_LATER } from './waitText';

const CREDENTIAL = 'the Form Collection API credential';
export const LOOK_FIRST = 'check whether the response was stored before you send it again';
export const STOPPED = 'The execution was stopped before the request was sent: run it again';
const NOT_FOLLOWED = 'Redirects are not followed, so that the API key goes nowhere else';

/** @param outcome of a submission; a reading request has none */
function serviceError(
	{ method }: ServiceRequest,
	outcome: Outcome,
	details: ErrorDetails,
): ServiceError {
	return new ServiceError({ ...details, outcome: method === 'POST' ? outcome : undefined });
}

/** The error of a reply whose status is not a success, or of a request without a reply. */
export function resultError(
	request: ServiceRequest,
	result: RequestResult,
	now: number,
): ServiceError {
	const outcome = outcomeOf(result);
	const details =
		result.kind === 'reply'
			? { ...statusDetails(request, result, now), httpCode: String(result.status) }
			: connectionDetails(request, result);
	return serviceError(request, outcome, details);
}

/** What others have written, such as an ID, without the API key. */
function shown({ account: { apiKey } }: ServiceRequest, text = ''): string {
	return maskKey(text, apiKey);
}

/** An address without the API key; its host may have a word in common with the key. */
function shownAddress({ account: { apiKey } }: ServiceRequest, address: string): string {
	const masked = maskKey(address, apiKey);
	const path = address.replace(/^https?:\/\/[^/?#]*/i, '');
	return masked.endsWith(path) && hidesAWord(address, masked, apiKey) ? address : masked;
}

/** What to do: after a submission whose outcome is unknown, look first. */
function nextStep({ method }: ServiceRequest, result: RequestResult, todo: string): string {
	return method === 'POST' && outcomeOf(result) === 'unknown' ? LOOK_FIRST : todo;
}

/** What to do: `todo` in any case; after a submission whose outcome is unknown, look first as well. */
function nextStepAfter(request: ServiceRequest, result: RequestResult, todo: string): string {
	const unknown = nextStep(request, result, '');
	return unknown === '' ? todo : `${todo}, and ${unknown}`;
}

function statusDetails(request: ServiceRequest, reply: Reply, now: number): ErrorDetails {
	const { status } = reply;
	const bodyText = errorBodyText(request, reply.errorBody);
	const description = bodyText && `The service says: ${bodyText}`;
	if (status >= 300 && status < 400) return redirectDetails(request, reply);
	if ([401, 402, 403, 407].includes(status)) return accessDetails(request, reply, bodyText);
	if ([404, 405].includes(status)) return placeDetails(request, reply, description);
	if (status === 429) return limitDetails(reply, description, now);
	if (status >= 500 || hasGivenUp(status)) {
		const { retryAfterMs } = reply;
		const who = [502, 503, 504].includes(status)
			? 'The service, or a proxy on the way to it,'
			: 'The service';
		const later = retryAfterMs === undefined ? TRY_LATER : tryAgainAt(retryAfterMs, now);
		return {
			message: `${who} could not answer (${status}): ${nextStep(request, reply, later)}`,
			description,
			failure: { cause: 'temporarily-unavailable', retryAfterMs: timerMs(retryAfterMs) },
		};
	}
	if (status === 413 && request.method === 'POST') {
		return {
			message:
				'The answers are too large for the service, or for a proxy on the way to it (413): shorten the longest ones, or leave them out',
			description,
			failure: { cause: 'configuration-invalid' },
		};
	}
	const where = request.formId === undefined ? 'the Base URL in' : 'the form and';
	// A firewall also refuses answers with a web page.
	const mayBeElsewhere = isWebPage(reply.errorBody) && status !== 409 && status !== 422;
	const todo =
		request.method === 'POST'
			? `check the answers against the form${mayBeElsewhere ? `, and the Base URL in ${CREDENTIAL}` : ''}`
			: `check ${where} ${CREDENTIAL}`;
	return {
		message: `The service did not accept the request (${status})${andSays(bodyText)}: ${nextStep(request, reply, todo)}`,
		failure: { cause: 'configuration-invalid' },
	};
}

/** Of 401, 402, 403 and 407 */
function accessDetails(request: ServiceRequest, reply: Reply, bodyText: string): ErrorDetails {
	const { status } = reply;
	const description = bodyText && `The service says: ${bodyText}`;
	if (mayBeInBetween(request, reply)) {
		return {
			message: `The service, or a proxy on the way to it, denied access (${status}): copy the key of an account with access into ${CREDENTIAL}, or ask your n8n administrator about the proxy`,
			description,
			failure: { cause: 'configuration-invalid' },
			isPermanent: status === 401,
		};
	}
	if (status === 401) {
		return {
			message: `The service refused the API key (401): copy the key from your account settings into ${CREDENTIAL}`,
			description,
			failure: { cause: 'credential-invalid' },
			isPermanent: true,
		};
	}
	if (status === 402) {
		return {
			message: `The service asks for a payment (402)${andSays(bodyText)}: check the plan of your account`,
			failure: { cause: 'configuration-invalid' },
			isPermanent: true,
		};
	}
	if (status === 407) {
		return {
			message:
				'A proxy between n8n and the service requires a user name and password (407): ask your n8n administrator to check the proxy settings',
			description,
			failure: { cause: 'configuration-invalid' },
			isPermanent: true,
		};
	}
	const what =
		request.formId === undefined ? 'your forms' : `form "${shown(request, request.formId)}"`;
	return {
		message: `The API key has no access to ${what} (403): copy the key of an account with access into ${CREDENTIAL}`,
		description,
		failure: { cause: 'configuration-invalid' },
	};
}

/** Of 404 and 405 */
function placeDetails(
	request: ServiceRequest,
	{ status, errorBody }: Reply,
	description: string,
): ErrorDetails {
	// Whatever is there takes other requests than the API does.
	if (status === 405) {
		const details = misplaced(request, 'something else (405)');
		return { ...details, description: join('\n', description, details.description) };
	}
	if (request.formId === undefined) return wrongBaseUrl(request, 'nothing (404)');
	const notFound = `Form "${shown(request, request.formId)}" was not found (404)`;
	if (isWebPage(errorBody)) {
		return {
			message: `${notFound}: select a form from the list, and check the Base URL in ${CREDENTIAL}`,
			description: 'A web page answered, which also happens where there is no API',
			failure: { cause: 'configuration-invalid' },
		};
	}
	return {
		message: `${notFound}: select a form from the list, or enter its ID, not its slug`,
		description: join(
			'\n',
			description,
			`If this happens with every form, check the Base URL in ${CREDENTIAL}`,
		),
		failure: { cause: 'configuration-invalid' },
	};
}

/**
 * A 401 that is a web page, or asks for more than a bearer token, may be of a gateway with a password. And n8n
 * gives the 403 of a proxy that makes no connection as if it were the service's: of https, the status alone.
 */
function mayBeInBetween(
	{ account: { baseUrl } }: ServiceRequest,
	{ status, challenge, errorBody }: Reply,
): boolean {
	if (status === 401) {
		return isWebPage(errorBody) || (challenge !== undefined && !/\bBearer\b/i.test(challenge));
	}
	const text = errorBody?.text.trim() ?? '';
	return status === 403 && (text === '' ? baseUrl.startsWith('https:') : !/^[{[]/.test(text));
}

function redirectDetails(request: ServiceRequest, reply: Reply): ErrorDetails {
	const { account, path } = request;
	const { baseUrl } = account;
	const { status } = reply;
	// Before it is taken apart: a part of the key is too much, too.
	const location = reply.location && shownAddress(request, reply.location);
	if (location === undefined || !isWebAddress(location, baseUrl)) {
		return {
			message: `The service redirects without saying where to (${status}): ${nextStepAfter(request, reply, `check the Base URL in ${CREDENTIAL}`)}`,
			failure: { cause: 'configuration-invalid' },
		};
	}
	// A 303 does not name another address of the API: it says where the result is.
	if (status === 303 && request.method === 'POST') {
		return {
			message: `The service redirects to a result that is not followed (${status}): ${LOOK_FIRST}`,
			description: NOT_FOLLOWED,
		};
	}
	const target = new URL(location, `${baseUrl}${path}`);
	const pathname = withoutSlashesAtEnd(target.pathname).replaceAll(encodeURIComponent('…'), '…');
	const hasMoved = pathname.endsWith(path);
	const address = shownAddress(
		request,
		target.origin + (hasMoved ? pathname.slice(0, -path.length) : pathname),
	);
	if (address === shownAddress(request, baseUrl)) {
		return {
			message: `The service redirects within ${address} (${status}): ${nextStepAfter(request, reply, 'ask the administrator of the service')}`,
			description: NOT_FOLLOWED,
			failure: { cause: 'configuration-invalid' },
		};
	}
	const setBaseUrl = `set the Base URL to it in ${CREDENTIAL}`;
	return {
		message: hasMoved
			? `The service has moved to ${address} (${status}): ${nextStepAfter(request, reply, setBaseUrl)}`
			: `The service redirects to ${address} (${status}): ${nextStepAfter(request, reply, `if your service is there, ${setBaseUrl}`)}`,
		description: NOT_FOLLOWED,
		failure: { cause: 'configuration-invalid' },
	};
}

function isWebAddress(location: string, baseUrl: string): boolean {
	return URL.canParse(location, baseUrl) && /^https?:$/.test(new URL(location, baseUrl).protocol);
}

function limitDetails(reply: Reply, description: string, now: number): ErrorDetails {
	const { retryAfterMs } = reply;
	return {
		message:
			retryAfterMs === undefined
				? 'The request limit of your plan is reached (429): it counts per hour, so wait up to an hour before you try again'
				: `The request limit of your plan is reached (429): ${tryAgainAt(retryAfterMs, now)}`,
		description: join(
			'\n',
			description,
			'To stay within the limit, let triggers poll less often, and send large amounts in batches with Loop Over Items and Wait',
		),
		failure: { cause: 'rate-limited', retryAfterMs: timerMs(retryAfterMs) },
		isPermanent: retryAfterMs === undefined || retryAfterMs > retryPolicy.longestWaitMs,
	};
}

function connectionDetails(request: ServiceRequest, failure: ConnectionFailure): ErrorDetails {
	const origin = shownAddress(request, new URL(request.account.baseUrl).origin);
	const description = `Reason: ${shown(request, failure.reason)}`;
	const down: Failure = { cause: 'temporarily-unavailable' };
	const wrong: Failure = { cause: 'configuration-invalid' };
	switch (failure.kind) {
		case 'unreachable':
			return {
				message: `The service at ${origin} cannot be reached: check the Base URL in ${CREDENTIAL} and that the service is running`,
				description,
				failure: down,
			};
		case 'proxy':
			return {
				message:
					'The proxy between n8n and the service cannot be reached: ask your n8n administrator to check the proxy settings',
				description,
				failure: down,
			};
		case 'handshake':
			return {
				message: `No secure connection to ${origin}: check the Base URL in ${CREDENTIAL}, and ask the administrator of the service whether its certificate is valid`,
				description,
				failure: wrong,
			};
		case 'blocked':
			return {
				message: `The security settings of n8n do not allow requests to ${origin}: check the Base URL in ${CREDENTIAL}, or ask your n8n administrator to allow this address`,
				description,
				failure: wrong,
				isPermanent: true,
			};
		case 'stopped':
			return { message: STOPPED };
		default:
			return interruptedDetails(request, failure, origin, description);
	}
}

/** Where the service may have received the request. */
function interruptedDetails(
	request: ServiceRequest,
	failure: ConnectionFailure,
	origin: string,
	description: string,
): ErrorDetails {
	const down: Failure = { cause: 'temporarily-unavailable' };
	const wrong: Failure = { cause: 'configuration-invalid' };
	switch (failure.kind) {
		case 'tls':
			return {
				message: `No secure connection to ${origin}: ${nextStepAfter(request, failure, `check the Base URL in ${CREDENTIAL}`)}`,
				description,
				failure: wrong,
			};
		case 'notHttp':
			return {
				message: `The reply from ${origin} could not be read as HTTP: ${nextStepAfter(request, failure, `check the Base URL in ${CREDENTIAL}, or ask the administrator of the service`)}`,
				description,
				failure: wrong,
			};
		case 'timeout':
			return timeoutDetails(request, failure);
		case 'cutShort':
			return {
				message: `The reply of the service was cut short: ${nextStep(request, failure, TRY_LATER)}`,
				description,
				failure: down,
			};
		case 'lost':
			return {
				message: `The connection to ${origin} was lost before the service answered: ${nextStep(request, failure, TRY_LATER)}`,
				description: origin.startsWith('https:')
					? description
					: `${description}\nIf this happens each time, check whether the Base URL in ${CREDENTIAL} has to begin with https`,
				failure: down,
			};
		case 'canceled':
			return {
				message: `The execution was stopped before the service answered: ${nextStep(request, failure, 'start it again when you want the result')}`,
			};
		default:
			return {
				message: `n8n could not complete the request: ${nextStep(request, failure, 'try again, and show the reason below to your n8n administrator')}`,
				description,
			};
	}
}

/** Until there is a reply nobody knows of a connection: a firewall may have dropped all that was sent. */
function timeoutDetails(request: ServiceRequest, failure: ConnectionFailure): ErrorDetails {
	const again = request.hasTimeoutOption ? 'try again, or raise Timeout under Options' : TRY_LATER;
	const check = failure.hasReply
		? ''
		: `check the Base URL in ${CREDENTIAL} and that n8n can reach it`;
	const todo = nextStep(request, failure, join(', or ', again, check));
	const more = todo === LOOK_FIRST && check ? `If this happens each time, ${check}` : '';
	return {
		message: `The service did not answer within ${plural(request.timeoutMs / 1000, 'second')}: ${todo}`,
		description: join('\n', `Reason: ${failure.reason}`, more),
		failure: { cause: 'temporarily-unavailable' },
	};
}

function wrongBaseUrl(request: ServiceRequest, found: string): ErrorDetails {
	const address = shownAddress(request, `${request.account.baseUrl}/forms`);
	return {
		message: `There is ${found} where the forms should be, at ${address}: check the Base URL in ${CREDENTIAL}`,
		description: 'It usually ends in /api, e.g. https://forms.example.com/api',
		failure: { cause: 'configuration-invalid' },
	};
}

const FOUND: Record<FoundInstead, string> = {
	empty: 'an empty reply',
	webPage: 'a web page',
	notJson: 'text that is not JSON',
	notText: 'text in a character set that cannot be read',
	noObject: 'JSON without an object',
	noList: 'JSON without a list',
	cutShort: '',
};

/** The error of a success status with a body that is not the documented one. */
export function bodyError(request: ServiceRequest, { found, text }: UnexpectedBody): ServiceError {
	const isSubmission = request.method === 'POST';
	if (found === 'cutShort') {
		return serviceError(request, 'unknown', {
			message: `The reply of the service was cut short: ${isSubmission ? LOOK_FIRST : TRY_LATER}`,
			failure: { cause: 'temporarily-unavailable' },
		});
	}
	if (found === 'noObject') return confirmationError(request, 'unknown', text);
	const bodyText = errorBodyText(request, { text, isCut: false });
	if (found === 'noList' && outcomeOfConfirmation(parse(text)) === 'refused') {
		const what = request.formId === undefined ? 'your account and the API key in' : 'the form and';
		return serviceError(request, 'unknown', {
			message: `The service refused the request${andSays(bodyText)}: check ${what} ${CREDENTIAL}`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	if (!isSubmission) {
		const list = found === 'noList' ? ` of ${request.path.slice(1)}` : '';
		return serviceError(request, 'unknown', misplaced(request, FOUND[found] + list));
	}
	return serviceError(request, 'unknown', {
		message: `The service answered with ${FOUND[found]}: check the Base URL in ${CREDENTIAL}, and ${LOOK_FIRST}`,
		failure: { cause: 'configuration-invalid' },
	});
}

function misplaced(request: ServiceRequest, found: string): ErrorDetails {
	if (request.path === '/forms') return wrongBaseUrl(request, found);
	const address = shownAddress(request, `${request.account.baseUrl}/responses`);
	return {
		message: `There is ${found} where the responses should be, at ${address}: check the Base URL in ${CREDENTIAL}`,
		failure: { cause: 'configuration-invalid' },
	};
}

/** The error of a success status whose JSON does not say `success: true`. */
export function confirmationError(
	request: ServiceRequest,
	outcome: Outcome,
	body: string,
): ServiceError {
	const bodyText = errorBodyText(request, { text: body, isCut: false });
	const isRefused = outcome === 'refused';
	return serviceError(request, outcome, {
		message: isRefused
			? `The service refused the response${andSays(bodyText)}: check the answers against the form`
			: `The service did not confirm the response: check the answers against the form, and ${LOOK_FIRST}`,
		description: isRefused || bodyText === '' ? undefined : `The service says: ${bodyText}`,
	});
}
