import type { Fault, LoggedRequest } from '../../sandbox';

/** What can be known of one submission: whether the service has it. */
export type Outcome = 'created' | 'refused' | 'unknown';

/** What a service may repeat in its errors. */
export interface Echo {
	key: string;
	/** Where a redirect may point to */
	elsewhere: string;
}

const withKey = ({ key }: Echo) => ({
	message: `Not with ${key}, ${encodeURIComponent(key)}`,
	escaped: key.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
});

const redirect =
	(status: number) =>
	(echo: Echo): Fault => ({
		status,
		redirectTo: `${echo.elsewhere}/responses?key=${encodeURIComponent(echo.key)}`,
		stored: true,
	});

const submitting = {
	refused: (echo: Echo): Fault => ({ status: 422, body: withKey(echo) }),
	refusedInWords: (echo: Echo): Fault => ({ status: 400, body: `No: ${echo.key}` }),
	successFalse: (echo: Echo): Fault => ({ body: { success: false, ...withKey(echo) } }),
	unauthorized: (echo: Echo): Fault => ({ status: 401, body: withKey(echo) }),
	forbidden: (echo: Echo): Fault => ({ status: 403, body: withKey(echo) }),
	limitShort: (echo: Echo): Fault => ({
		status: 429,
		headers: { 'Retry-After': '0' },
		body: withKey(echo),
	}),
	limitLong: (echo: Echo): Fault => ({
		status: 429,
		headers: { 'Retry-After': '3600' },
		body: withKey(echo),
	}),
	limit: (echo: Echo): Fault => ({ status: 429, body: withKey(echo) }),
	troubleAfterStoring: (echo: Echo): Fault => ({ status: 500, body: withKey(echo), stored: true }),
	trouble: (): Fault => ({ status: 503, headers: { 'Retry-After': '0' } }),
	timeoutOfService: (): Fault => ({ status: 408, stored: true }),
	redirect303: redirect(303),
	redirect307: redirect(307),
	cut: (): Fault => ({ cut: 'connection' }),
	cutAfterStoring: (): Fault => ({ cut: 'connection', stored: true }),
	cutInBody: (): Fault => ({ cut: 'body' }),
	webPage: ({ key }: Echo): Fault => ({ body: `<html>${key}</html>`, stored: true }),
	brokenJson: ({ key }: Echo): Fault => ({
		body: JSON.stringify({ success: true, key }).slice(0, -8),
		stored: true,
	}),
	empty: (): Fault => ({ status: 204, stored: true }),
	otherJson: (echo: Echo): Fault => ({ body: { data: withKey(echo) }, stored: true }),
};

const reading = {
	forbidden: (echo: Echo): Fault => ({ status: 403, body: withKey(echo) }),
	notFound: (echo: Echo): Fault => ({ status: 404, body: withKey(echo) }),
	unauthorized: (echo: Echo): Fault => ({ status: 401, body: withKey(echo) }),
	limit: (echo: Echo): Fault => ({ status: 429, body: withKey(echo) }),
	trouble: (echo: Echo): Fault => ({
		status: 503,
		headers: { 'Retry-After': '0' },
		body: withKey(echo),
	}),
	redirect: redirect(302),
	webPage: ({ key }: Echo): Fault => ({ body: `<html>${key}</html>` }),
	brokenJson: ({ key }: Echo): Fault => ({
		body: JSON.stringify({ responses: [{ id: key }] }).slice(0, -9),
	}),
	otherJson: (echo: Echo): Fault => ({ body: { data: withKey(echo) } }),
};

export type SubmitFault = keyof typeof submitting;
export type ReadFault = keyof typeof reading;

export const submitFaults = Object.keys(submitting) as SubmitFault[];
export const readFaults = Object.keys(reading) as ReadFault[];

export const submitFault = (name: SubmitFault, echo: Echo): Fault => submitting[name](echo);
export const readFault = (name: ReadFault, echo: Echo): Fault => reading[name](echo);

/** What a trigger does when it is published while its service fails: what else fails may go either way. */
export const isTemporary = (name: ReadFault): boolean => name === 'limit' || name === 'trouble';
export const isPermanent = (name: ReadFault): boolean =>
	name === 'unauthorized' || name === 'notFound';

/** Whether something went wrong with a request */
export const isStruck = ({ fault }: LoggedRequest): boolean => fault !== undefined;

/** What the caller can know of its submission from what came back. */
export function outcomeOf({ fault, status }: LoggedRequest): Outcome {
	if (fault?.body instanceof Object && (fault.body as { success?: unknown }).success === false) {
		return 'refused';
	}
	if (status === undefined) return 'unknown';
	if (status >= 400 && status < 500) return status === 408 ? 'unknown' : 'refused';
	return fault === undefined ? 'created' : 'unknown';
}
