import type { IDataObject, INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** Something the user entered that no request can be made of. */
export class InvalidInput extends Error {
	constructor(
		message: string,
		readonly description?: string,
	) {
		super(message);
	}
}

/**
 * What is known of a submission after its last attempt. Everything else follows from it: whether a later try
 * of the execution sends it, what the error message advises, what the submission log keeps.
 */
export type Outcome = 'created' | 'refused' | 'neverSent' | 'unknown';

export type Failure = NonNullable<ConstructorParameters<typeof NodeApiError>[2]>['failure'];

export interface ErrorDetails {
	/** One sentence: what happened, what to do */
	message: string;
	description?: string;
	httpCode?: string;
	failure?: Failure;
	/** Every further request of this account would end the same way */
	isPermanent?: boolean;
	/** Of a submission: what is known of it */
	outcome?: Outcome;
	/** It is another submission that may have been stored: this one was not sent */
	isOfAnother?: boolean;
	/** Of an unknown outcome: its entry in the submission log */
	reference?: string;
}

/** A request that did not end as the API reference describes. */
export class ServiceError extends Error {
	constructor(
		readonly details: ErrorDetails,
		/**
		 * Nothing was sent just now: an earlier try, or another item that matches, may have been stored. It stops
		 * no other items.
		 */
		readonly isRecorded = false,
	) {
		super(details.message);
	}
}

/**
 * The one place where errors get the form in which n8n shows them.
 *
 * @param itemIndex of the input item, where there is one
 * @param extra sentences for the end of the message and of the description
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
	extra: { message?: string; description?: string } = {},
): NodeApiError | NodeOperationError {
	const { message, description } = textsOf(error);
	const options = {
		message: join('. ', message, extra.message),
		description: join('\n', description, extra.description),
		itemIndex,
	};
	const explanation = explanationOf(error, extra);
	const nodeError =
		error instanceof ServiceError
			? new NodeApiError(node, {}, { ...options, ...codesOf(error) })
			: new NodeOperationError(node, options.message, options);
	// n8n 2.41 replaces a message that has a word such as ECONNREFUSED in it by one of its own.
	nodeError.message = options.message;
	Object.assign(nodeError.context, explanation);
	return nodeError;
}

/**
 * What the editor explains a broken expression with. Nothing else of an error's context is kept: it may hold a
 * request with the API key.
 */
const EXPLANATIONS = [
	'causeDetailed',
	'descriptionKey',
	'descriptionTemplate',
	'messageTemplate',
	'nodeCause',
	'parameter',
	'runIndex',
	'type',
];

function explanationOf(error: unknown, extra: { message?: string; description?: string }) {
	const { context } = Object(error) as { context?: IDataObject };
	const kept: IDataObject = {};
	for (const key of EXPLANATIONS) {
		if (context?.[key] !== undefined) kept[key] = context[key];
	}
	// The editor shows these instead of the message and of the description, so they would hide what is added.
	if (typeof kept.messageTemplate === 'string') {
		kept.messageTemplate = join('. ', kept.messageTemplate, extra.message);
	}
	if (extra.description) {
		delete kept.descriptionKey;
		delete kept.descriptionTemplate;
	}
	return kept;
}

/** Whether it may be over by the next poll. */
export function isTemporary(error: unknown): boolean {
	if (!(error instanceof ServiceError)) return false;
	const cause = error.details.failure?.cause;
	return cause === 'rate-limited' || cause === 'temporarily-unavailable';
}

function codesOf({ details: { httpCode, failure } }: ServiceError) {
	return { httpCode, failure };
}

function textsOf(error: unknown): { message: string; description?: string } {
	if (error instanceof ServiceError) return error.details;
	if (!(error instanceof Error)) return { message: String(error) };
	const { description } = error as { description?: unknown };
	return {
		message: error.message,
		description: typeof description === 'string' ? description : undefined,
	};
}

/** @returns the texts that are there, one after the other */
export function join(separator: string, ...texts: (string | undefined)[]): string {
	return texts.filter((text) => text !== undefined && text !== '').join(separator);
}
