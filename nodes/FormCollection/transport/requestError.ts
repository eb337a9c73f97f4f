import { type FoundInstead, UnexpectedBody } from './body';
import { lines, ServiceError } from './errors';
import { bodyRows, connectionRows, type ErrorRow, LOOK_FIRST, statusRows } from './errorTable';
import type { FormReference, RequestResult, ServiceRequest } from './request';
import { retryPolicy } from './retry';
import { showable, wordsIn } from './showable';

/** The error of a reply whose status is not a success, or of a connection that failed. */
export function requestError(request: ServiceRequest, result: RequestResult): ServiceError {
	const { kind, status, retryAfterMs, location, errorBody = '', reason = '' } = result;
	const show = (label: string, text: string) => {
		const shown = showable(text, request.account.apiKey);
		return shown === undefined ? undefined : `${label}: ${shown}`;
	};
	if (kind !== 'reply') {
		return errorOf(request, connectionRows[kind], { facts: [show('Reason', reason)] });
	}
	const row = statusRow(request, status ?? 0);
	const isLimit = status === 429;
	return errorOf(
		request,
		{
			...row,
			todo: retryAfterMs === undefined ? row.todo : `try again ${inTime(retryAfterMs)}`,
			isPermanent: isLimit ? !(Number(retryAfterMs) <= retryPolicy.longestWaitMs) : row.isPermanent,
		},
		{
			status,
			retryAfterMs,
			facts: [
				show('The service says', wordsIn(errorBody)),
				location === undefined ? undefined : show('It redirects to', location),
			],
		},
	);
}

/** The error of a success status with a body that is not the documented one. */
export function bodyError(request: ServiceRequest, { found, text }: UnexpectedBody): ServiceError {
	const words = bodyWords(found) ? showable(wordsIn(text), request.account.apiKey) : undefined;
	return errorOf(request, bodyRows[found], {
		facts: [words === undefined ? undefined : `The service says: ${words}`],
	});
}

function bodyWords(found: FoundInstead): boolean {
	return found === 'denied' || found === 'unconfirmed';
}

function statusRow({ method, form }: ServiceRequest, status: number): ErrorRow {
	const fits = (wanted: boolean | undefined, is: boolean) => wanted === undefined || wanted === is;
	return statusRows.find(
		({ from, to, hasForm, isSubmission }) =>
			status >= from &&
			status <= to &&
			fits(hasForm, form !== undefined) &&
			fits(isSubmission, method === 'POST'),
	) as ErrorRow;
}

interface Facts {
	status?: number;
	retryAfterMs?: number;
	/** For the description */
	facts: (string | undefined)[];
}

function errorOf(request: ServiceRequest, row: ErrorRow, { status, retryAfterMs, facts }: Facts) {
	const filled = (text: string) =>
		text.replace(/\{(\w+)\}/g, (_, name: string) => placeholders[name]?.(request) ?? '');
	const isUnknown = request.method === 'POST' && row.outcome === 'unknown';
	const code = status === undefined ? '' : ` (${status})`;
	const todo = filled(row.todo);
	const what = filled(row.what);
	return new ServiceError({
		message: `${what.charAt(0).toUpperCase()}${what.slice(1)}${code}: ${isUnknown ? LOOK_FIRST : todo}`,
		description: lines(
			...facts,
			isUnknown ? `If this happens each time, ${todo}.` : undefined,
			row.more,
		),
		httpCode: status === undefined ? undefined : String(status),
		failure: row.cause && { cause: row.cause, retryAfterMs },
		isPermanent: row.isPermanent,
		outcome: row.outcome,
	});
}

const placeholders: Record<string, (request: ServiceRequest) => string> = {
	form: ({ form, account }) => (form === undefined ? 'your forms' : nameOf(form, account.apiKey)),
	host: ({ account }) => `The service at ${new URL(account.baseUrl).host}`.slice(0, 60),
	seconds: ({ timeoutMs }) => String(timeoutMs / 1000),
};

const LONGEST_NAME = 40;

function nameOf({ id, title }: FormReference, apiKey: string): string {
	const name = showable(title ?? id, apiKey);
	if (name === undefined) return 'the form';
	return `form "${name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name}"`;
}

function inTime(waitMs: number): string {
	const seconds = Math.ceil(waitMs / 1000);
	if (seconds < 120) return `in ${Math.max(seconds, 1)} seconds`;
	const at = new Date(Date.now() + waitMs).toISOString().slice(0, 16).replace('T', ' ');
	return `in ${Math.ceil(seconds / 60)} minutes, at ${at} UTC`;
}
