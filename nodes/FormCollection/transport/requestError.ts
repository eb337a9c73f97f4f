import type { UnexpectedKind } from './body';
import { lines, ServiceError } from './errors';
import { type ErrorRow, failureRows, LOOK_FIRST, statusRows } from './errorTable';
import type { RequestResult, ServiceRequest } from './request';
import { retryDelayMs } from './retry';
import { isWebPage, showable, wordsIn } from './showable';

type FailedResult = Omit<RequestResult, 'kind'> & { kind: RequestResult['kind'] | UnexpectedKind };

/** The error of a request that did not end as the API reference describes. */
export function requestError(request: ServiceRequest, result: FailedResult): ServiceError {
	const { status, retryAfterMs, errorBody = '', location = '', reason = '' } = result;
	const row = rowOf(request, result.kind, errorBody, status);
	const code = status === undefined ? '' : ` (${status})`;
	const isUnknown = request.method === 'POST' && row.outcome === 'unknown';
	const what = filled(row.what, request);
	const todo = retryAfterMs === undefined ? filled(row.todo, request) : tryAgain(retryAfterMs);
	const shown = (label: string, text: string) => {
		const words = showable(text, request.account.apiKey);
		return words && `${label}: ${words}`;
	};
	return new ServiceError({
		message: `${what}${code}: ${isUnknown ? LOOK_FIRST : todo}`,
		description: lines(
			withFullStop(shown('The service says', wordsIn(errorBody))),
			shown('It redirects to', location),
			withFullStop(shown('Reason', reason)),
			isUnknown && row.cause === 'configuration-invalid' ? `Then ${todo}.` : undefined,
			row.more && filled(row.more, request),
			isUnknown ? `Sent before ${new Date().toISOString()}.` : undefined,
		),
		httpCode: status?.toString(),
		failure: row.cause && { cause: row.cause, retryAfterMs },
		// The limit counts per hour: where it is not worth waiting for, further requests are in vain.
		isPermanent:
			row.cause === 'rate-limited'
				? retryDelayMs(request.method, result, 1, 0) === undefined
				: row.isPermanent,
		outcome: request.method === 'POST' ? row.outcome : 'not sent',
	});
}

function rowOf(
	{ method, form }: ServiceRequest,
	kind: FailedResult['kind'],
	errorBody: string,
	status = 0,
): ErrorRow {
	if (kind !== 'reply') return failureRows[kind];
	const row = statusRows.find(
		({ status: [first, last], hasForm, exceptWebPages, isSubmission }) =>
			status >= first &&
			status <= last &&
			(!hasForm || form !== undefined) &&
			(!exceptWebPages || !isWebPage(errorBody)) &&
			(!isSubmission || method === 'POST'),
	);
	return row as ErrorRow;
}

function withFullStop(text: string | undefined): string | undefined {
	return text === undefined || /[.!?]$/.test(text) ? text : `${text}.`;
}

const LONGEST_NAME = 40;

function filled(text: string, { form, account, path, timeoutMs }: ServiceRequest): string {
	const name = showable(form?.title ?? form?.id ?? '', account.apiKey);
	const short = name && name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
	const known = form === undefined ? 'your account' : 'the form';
	const whole = text
		.replace('{form}', () => (short === undefined ? known : `form "${short}"`))
		.replace('{origin}', () => new URL(account.baseUrl).origin.slice(0, LONGEST_NAME))
		.replace('{address}', () => `${account.baseUrl}${path}`)
		.replace('{seconds}', String(timeoutMs / 1000));
	return text.startsWith('{form}') ? whole.charAt(0).toUpperCase() + whole.slice(1) : whole;
}

function tryAgain(waitMs: number): string {
	const seconds = Math.max(Math.ceil(waitMs / 1000), 1);
	if (seconds < 120) return `try again in ${seconds} seconds`;
	const at = new Date(Date.now() + waitMs).toISOString().slice(11, 16);
	return `try again in ${Math.ceil(seconds / 60)} minutes, at ${at} UTC`;
}
