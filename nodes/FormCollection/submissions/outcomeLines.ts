import type { ErrorDetails } from '../transport/errors';

const OUTCOMES = {
	created: 'created',
	refused: 'refused',
	neverSent: 'not sent',
	unknown: 'unknown',
};

/**
 * The last lines of a failed item. By the last one a workflow tells an unknown outcome from a refusal,
 * and by the reference this node recognizes an item that comes back.
 */
export function outcomeLines({ outcome = 'neverSent', reference }: Partial<ErrorDetails>): string {
	const line = `Outcome: ${OUTCOMES[outcome]}`;
	return reference === undefined ? line : `Reference: ${reference}\n${line}`;
}

const OUTCOME_LINES = /\n(?:Reference: ([\w:-]+)\n)?Outcome: (?:refused|not sent|unknown)$/;

/** Whether it is the `error` that this node has given to a failed item. */
export function isFailureText(value: unknown): boolean {
	return typeof value === 'string' && OUTCOME_LINES.test(value);
}

/** The reference in the `error` of a failed item, if it has one */
export function referenceIn(error: unknown): string | undefined {
	return typeof error === 'string' ? OUTCOME_LINES.exec(error)?.[1] : undefined;
}
