import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** Something that the user has to change, such as a value that no request can be made of. */
export class InvalidInput extends Error {
	constructor(
		message: string,
		readonly description?: string,
	) {
		super(message);
	}
}

/** What is known of a submission that has failed; the last line of a failed item says it. */
export type Outcome = 'refused' | 'not sent' | 'unknown';

export type N8nFailure = NonNullable<ConstructorParameters<typeof NodeApiError>[2]>['failure'];

export interface ErrorDetails {
	/** `What happened (code): what to do`, at most 140 characters */
	message: string;
	description?: string;
	httpCode?: string;
	failure?: N8nFailure;
	/** Every further request of this account would end the same way. */
	isPermanent?: boolean;
	outcome: Outcome;
}

/** A request that did not end as the API reference describes. */
export class ServiceError extends Error {
	constructor(
		readonly details: ErrorDetails,
		/** Nothing was sent just now: an earlier try, or an item that matches this one, may have been stored. */
		readonly isFollowUp = false,
	) {
		super(details.message);
	}
}

/**
 * The one place where errors get the form in which n8n shows them. Errors of n8n itself, such as that of an
 * expression, stay as they are: the editor explains them.
 *
 * @param itemIndex of the input item, where there is one
 * @param more lines for the end of the description
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number, ...more: string[]) {
	const isOurs = error instanceof ServiceError || error instanceof InvalidInput;
	if (!isOurs) return error instanceof Error ? error : new NodeOperationError(node, String(error));
	const { message, description } = error instanceof ServiceError ? error.details : error;
	const options = { message, description: lines(description, ...more), itemIndex };
	const nodeError =
		error instanceof ServiceError
			? new NodeApiError(node, {}, { ...error.details, ...options })
			: new NodeOperationError(node, message, options);
	// n8n 2.41 replaces a message that has a word such as ECONNREFUSED in it by one of its own.
	nodeError.message = message;
	return nodeError;
}

/** Whether it may be over by the next poll. */
export function isTemporary(error: unknown): boolean {
	const cause = error instanceof ServiceError ? error.details.failure?.cause : undefined;
	return cause === 'rate-limited' || cause === 'temporarily-unavailable';
}

/** @returns the texts that are there, one below the other */
export function lines(...texts: (string | null | undefined)[]): string {
	return texts.filter((text) => text !== undefined && text !== null && text !== '').join('\n');
}
