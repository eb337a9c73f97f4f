import type { FoundInstead } from './body';
import type { ConnectionKind } from './connectionFailure';
import type { Failure, Outcome } from './errors';

export interface ErrorRow {
	/** What happened. {form}, {host} and {seconds} stand for those of the request */
	what: string;
	/** What to do; after a submission whose outcome is unknown, the description says it */
	todo: string;
	/** Of a submission */
	outcome: Outcome;
	cause?: NonNullable<Failure>['cause'];
	/** Every further request of this account would end the same way. */
	isPermanent?: boolean;
	/** A line for the description */
	more?: string;
}

interface StatusRow extends ErrorRow {
	from: number;
	to: number;
	/** Only of requests that are about a form, or only of others */
	hasForm?: boolean;
	isSubmission?: boolean;
}

export const TRY_LATER = 'try again in a few minutes';
export const LOOK_FIRST = 'check whether the response was stored before you send it again';

const CREDENTIAL = 'the Form Collection API credential';
const CHECK_BASE_URL = `check the Base URL in ${CREDENTIAL}`;

const wrong = { cause: 'configuration-invalid', outcome: 'refused' } as const;
const down = { cause: 'temporarily-unavailable' } as const;

/** By status; the first row that fits counts. */
export const statusRows: StatusRow[] = [
	{
		from: 300,
		to: 399,
		what: 'The service redirects to another address',
		todo: CHECK_BASE_URL,
		more: 'Redirects are not followed, so that the API key goes nowhere else.',
		cause: 'configuration-invalid',
		outcome: 'unknown',
	},
	{
		from: 401,
		to: 401,
		what: 'The service refused the API key',
		todo: `copy the key from your account settings into ${CREDENTIAL}`,
		cause: 'credential-invalid',
		outcome: 'refused',
		isPermanent: true,
	},
	{
		from: 402,
		to: 402,
		what: 'The service asks for a payment',
		todo: 'check the plan of your account',
		...wrong,
		isPermanent: true,
	},
	{
		from: 403,
		to: 403,
		what: 'The API key has no access to {form}',
		todo: `use the key of an account that has, in ${CREDENTIAL}`,
		...wrong,
	},
	{
		from: 404,
		to: 404,
		hasForm: true,
		what: '{form} was not found',
		todo: 'it may have been deleted, so choose another form or check the ID',
		more: `If this happens with every form, ${CHECK_BASE_URL}.`,
		...wrong,
	},
	{
		from: 404,
		to: 405,
		what: 'There is no API at the Base URL',
		todo: `${CHECK_BASE_URL}, which usually ends in /api`,
		...wrong,
	},
	{
		from: 407,
		to: 407,
		what: 'A proxy before the service asks for a password',
		todo: 'ask your n8n administrator to check the proxy settings',
		...wrong,
		isPermanent: true,
	},
	{
		from: 408,
		to: 408,
		what: 'The service could not answer',
		todo: TRY_LATER,
		...down,
		outcome: 'unknown',
	},
	{
		from: 429,
		to: 429,
		what: 'The request limit of your plan is reached',
		todo: 'it counts per hour, so try again in up to an hour',
		more: 'To stay within the limit, let triggers poll less often, and send many items in batches with Loop Over Items and Wait.',
		cause: 'rate-limited',
		outcome: 'refused',
	},
	{
		// What gateways say of a client that has closed the connection
		from: 460,
		to: 460,
		what: 'The service could not answer',
		todo: TRY_LATER,
		...down,
		outcome: 'unknown',
	},
	{
		from: 499,
		to: 499,
		what: 'The service could not answer',
		todo: TRY_LATER,
		...down,
		outcome: 'unknown',
	},
	{
		from: 400,
		to: 498,
		isSubmission: true,
		what: 'The service did not accept the answers',
		todo: 'check them against the questions of {form}',
		...wrong,
	},
	{
		from: 400,
		to: 498,
		what: 'The service did not accept the request',
		todo: `check the form and ${CREDENTIAL}`,
		...wrong,
	},
	{
		from: 0,
		to: 999,
		what: 'The service could not answer',
		todo: TRY_LATER,
		...down,
		outcome: 'unknown',
	},
];

/** Of connections that failed */
export const connectionRows: Record<ConnectionKind, ErrorRow> = {
	unreachable: {
		what: '{host} cannot be reached',
		todo: `${CHECK_BASE_URL}, and whether the service is running`,
		...down,
		outcome: 'not sent',
	},
	insecure: {
		what: '{host} has no valid certificate',
		todo: `${CHECK_BASE_URL}, or ask the administrator of the service`,
		cause: 'configuration-invalid',
		outcome: 'not sent',
	},
	blocked: {
		what: 'The security settings of n8n do not allow requests to {host}',
		todo: 'ask your n8n administrator to allow it',
		cause: 'configuration-invalid',
		outcome: 'not sent',
		isPermanent: true,
	},
	stopped: {
		what: 'The execution was stopped before the request was sent',
		todo: 'run it again',
		outcome: 'not sent',
	},
	canceled: {
		what: 'The execution was stopped before the service answered',
		todo: 'run it again',
		outcome: 'unknown',
	},
	timeout: {
		what: 'The service did not answer within {seconds} seconds',
		todo: 'try again, or raise Timeout under Options',
		...down,
		outcome: 'unknown',
	},
	notHttp: {
		what: 'The reply from {host} cannot be read as HTTP',
		todo: CHECK_BASE_URL,
		cause: 'configuration-invalid',
		outcome: 'unknown',
	},
	cutShort: {
		what: 'The reply of the service was cut short',
		todo: TRY_LATER,
		...down,
		outcome: 'unknown',
	},
	lost: {
		what: 'The connection to {host} was lost before the service answered',
		todo: `try again, or ${CHECK_BASE_URL}`,
		...down,
		outcome: 'unknown',
	},
};

/** Of replies with a success status */
export const bodyRows: Record<FoundInstead, ErrorRow> = {
	webPage: {
		what: 'A web page answered instead of the API',
		todo: CHECK_BASE_URL,
		cause: 'configuration-invalid',
		outcome: 'unknown',
	},
	empty: {
		what: 'The service answered with nothing',
		todo: CHECK_BASE_URL,
		cause: 'configuration-invalid',
		outcome: 'unknown',
	},
	notJson: {
		what: 'The service answered with something other than JSON',
		todo: CHECK_BASE_URL,
		cause: 'configuration-invalid',
		outcome: 'unknown',
	},
	truncated: {
		what: 'The reply of the service was cut short',
		todo: TRY_LATER,
		...down,
		outcome: 'unknown',
	},
	noList: {
		what: 'The service answered without the list that was asked for',
		todo: CHECK_BASE_URL,
		cause: 'configuration-invalid',
		outcome: 'unknown',
	},
	denied: {
		what: 'The service refused the request',
		todo: `check {form} and ${CREDENTIAL}`,
		...wrong,
	},
	unconfirmed: {
		what: 'The service did not confirm the response',
		todo: CHECK_BASE_URL,
		outcome: 'unknown',
	},
};
