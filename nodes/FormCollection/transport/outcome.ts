import type { RequestResult } from './attempt';
import { type Outcome, ServiceError } from './errors';

/** Of a request that got no success status, or no reply at all. */
export function outcomeOf(result: RequestResult): Outcome {
	if (result.kind !== 'reply') return NEVER_SENT_KINDS.has(result.kind) ? 'neverSent' : 'unknown';
	// A client error says that the request was not carried out. After a 408 that is not sure: more of
	// the request may have arrived than the service knows.
	const { status } = result;
	return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'unknown';
}

/** Of a success status. The reference says: `success`, true on success. */
export function outcomeOfConfirmation(reply: unknown): Outcome {
	const success = (reply as { success?: unknown } | null)?.success;
	if (success === true) return 'created';
	return success === false ? 'refused' : 'unknown';
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
