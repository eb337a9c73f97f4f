import type { UnexpectedKind } from './body';
import type { ConnectionKind } from './connectionFailure';
import type { N8nFailure, Outcome } from './errors';

export interface ErrorRow {
	/** What happened. {form}, {origin}, {address} and {seconds} stand for those of the request */
	what: string;
	/** What to do, unless the outcome of a submission is unknown: then look first */
	todo: string;
	/** A further line for the description */
	more?: string;
	/** Of a submission */
	outcome: Outcome;
	cause?: NonNullable<N8nFailure>['cause'];
	/** Every further request of this account would end the same way. */
	isPermanent?: boolean;
}

interface StatusRow extends ErrorRow {
	/** The first and the last status */
	status: [number, number];
	/** Only for requests that are about a form */
	hasForm?: true;
	/** Not where a web page answered: then the address is wrong */
	exceptWebPages?: true;
	/** Only for submissions */
	isSubmission?: true;
}

export const LOOK_FIRST = 'check whether the response was stored before you send it again';

const TRY_LATER = 'try again in a few minutes';
const CREDENTIAL = 'the credential';
const CHECK_BASE_URL = `check the Base URL in ${CREDENTIAL}`;

const refused = { outcome: 'refused', cause: 'configuration-invalid' } as const;
const misplaced = { outcome: 'unknown', cause: 'configuration-invalid' } as const;
const down = { outcome: 'unknown', cause: 'temporarily-unavailable' } as const;

const gaveUp = { what: 'The service could not answer', todo: TRY_LATER, ...down };

/** The first row that fits counts. */
export const statusRows: StatusRow[] = [
	{
		status: [300, 399],
		what: 'The service redirects to another address',
		todo: CHECK_BASE_URL,
		more: 'Redirects are not followed, so that the API key goes nowhere else.',
		...misplaced,
	},
	{
		status: [401, 401],
		what: 'The service refused the API key',
		todo: `copy the key from your account settings into ${CREDENTIAL}`,
		outcome: 'refused',
		cause: 'credential-invalid',
		isPermanent: true,
	},
	{
		status: [403, 403],
		what: 'The API key has no access to {form}',
		todo: `copy the key of an account that has into ${CREDENTIAL}`,
		...refused,
	},
	{
		status: [404, 404],
		hasForm: true,
		exceptWebPages: true,
		what: '{form} was not found',
		todo: 'it may have been deleted, so choose another form or check the ID',
		more: `If this happens with every form, ${CHECK_BASE_URL}.`,
		...refused,
	},
	{
		status: [404, 405],
		what: 'There is no API at the Base URL',
		todo: `${CHECK_BASE_URL}, which usually ends in /api`,
		more: 'Address: {address}',
		...refused,
	},
	{
		status: [407, 407],
		what: 'A proxy before the service asks for a password',
		todo: 'ask your n8n administrator to check the proxy settings',
		...refused,
	},
	{ status: [408, 408], ...gaveUp },
	{
		status: [429, 429],
		what: 'The request limit of your plan is reached',
		todo: 'it counts per hour, so try again in up to an hour',
		more: 'To stay within the limit, let triggers poll less often, and send many items in batches with Loop Over Items and Wait.',
		outcome: 'refused',
		cause: 'rate-limited',
	},
	// What gateways say of a client that has closed the connection
	{ status: [460, 460], ...gaveUp },
	{ status: [499, 499], ...gaveUp },
	{
		status: [400, 499],
		isSubmission: true,
		what: 'The service did not accept the answers',
		todo: 'check them against the questions of {form}',
		...refused,
	},
	{
		status: [400, 499],
		what: 'The service did not accept the request',
		todo: `check the form and ${CREDENTIAL}`,
		...refused,
	},
	{ status: [0, 999], ...gaveUp },
];

/** Of connections that failed, and of replies with a success status and another body than the documented one */
export const failureRows: Record<ConnectionKind | UnexpectedKind, ErrorRow> = {
	unreachable: {
		what: '{origin} cannot be reached',
		todo: `${CHECK_BASE_URL}, and that it is running`,
		more: 'If n8n uses a proxy, it may be the proxy that cannot be reached.',
		outcome: 'not sent',
		cause: 'temporarily-unavailable',
	},
	insecure: {
		what: 'No secure connection to {origin}',
		todo: `${CHECK_BASE_URL}, or the certificate of the service`,
		outcome: 'not sent',
		cause: 'configuration-invalid',
	},
	blocked: {
		what: 'The security settings of n8n do not allow requests to {origin}',
		todo: 'ask your n8n administrator to allow it',
		outcome: 'not sent',
		cause: 'configuration-invalid',
	},
	// By the word "canceled", n8n saves the execution as canceled.
	stopped: {
		what: 'The execution was canceled before the request was sent',
		todo: 'start it again',
		outcome: 'not sent',
	},
	canceled: {
		what: 'The execution was canceled before the service answered',
		todo: 'start it again',
		outcome: 'unknown',
	},
	timeout: {
		what: 'The service did not answer within {seconds} seconds',
		todo: `try again, or ${CHECK_BASE_URL}`,
		more: 'A large form may take longer: raise Timeout under Options, where the operation has it.',
		...down,
	},
	cutShort: { what: 'The reply of the service was cut short', todo: TRY_LATER, ...down },
	lost: {
		what: 'The connection to {origin} was lost',
		todo: `try again, or ${CHECK_BASE_URL}`,
		more: 'The Base URL may have to begin with https.',
		...down,
	},
	notApi: {
		what: 'Something other than the API of the service answered',
		todo: `${CHECK_BASE_URL}, which usually ends in /api`,
		more: 'Address: {address}',
		...misplaced,
	},
	denied: {
		what: 'The service refused the request',
		todo: `check {form}, and the key in ${CREDENTIAL}`,
		...refused,
	},
	unconfirmed: {
		what: 'The service did not confirm the response',
		todo: CHECK_BASE_URL,
		...misplaced,
	},
};
