import type { RequestResult } from './attempt';
import { parse } from './errorBody';
import { type Outcome, ServiceError } from './errors';

/** Of a request that got no success status, or no reply at all. */
export function outcomeOf(result: RequestResult): Outcome {
	if (result.kind !== 'reply') return NEVER_SENT_KINDS.has(result.kind) ? 'neverSent' : 'unknown';
	// A client error says that the request was not carried out.
	const { status } = result;
	return status >= 400 && status < 500 && !hasGivenUp(status) ? 'refused' : 'unknown';
}

/**
 * Whether the service, or a gateway before it, waited no longer: more of the request may have arrived than it
 * knows. 460 and 499 are what gateways say of a client that has closed the connection.
 */
export function hasGivenUp(status: number): boolean {
	return status === 408 || status === 460 || status === 499;
}

/** Of a success status. The reference says: `success`, true on success. */
export function outcomeOfConfirmation(reply: unknown): Outcome {
	const success = (reply as { success?: unknown } | null)?.success;
	if (success === true) return 'created';
	return success === false ? 'refused' : 'unknown';
}

/** Whether a text is a whole confirmation: a JSON object has an end of its own. */
export function saysCreated(text: string): boolean {
	return outcomeOfConfirmation(parse(text)) === 'created';
}

/** Whether the response may be stored although the request has failed. */
export function isUnknownOutcome(error: unknown): boolean {
	const outcome = error instanceof ServiceError ? error.details.outcome : undefined;
	return outcome !== 'refused' && outcome !== 'neverSent';
}

const NEVER_SENT_KINDS: ReadonlySet<string> = new Set([
	'unreachable',
	'proxy',
	'handshake',
	'blocked',
	'stopped',
]);
