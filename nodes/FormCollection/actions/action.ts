import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { Service } from '../transport/client';

/** One entry of the Operation dropdown, with the fields it shows and what it does for one item. */
export interface Operation {
	/** Saved in workflows: never changes once released */
	value: string;
	name: string;
	action: string;
	description: string;
	fields: INodeProperties[];
	/** How many items may be worked on at once; 1 by default, and for what is not a number */
	parallelRequests?(context: IExecuteFunctions): number;
	/** Whether it submits responses: then a failed item tells what is known of its outcome */
	isSubmission?: boolean;
	/** Called once for all input items. */
	start(context: IExecuteFunctions, service: Service, hint: AddHint): ActionRun;
}

export interface ActionRun {
	/** Makes the output for one input item. */
	execute(itemIndex: number): Promise<IDataObject[]>;
	/** For the error message of a run that ends early: what is known from earlier tries, too */
	report?(): { progress: string; failed: FailedItem[] };
}

export interface FailedItem {
	error: unknown;
	itemIndex: number;
}

/**
 * Takes what makes, after the last item, a sentence for the person who looks at the output, if there
 * is something to say.
 */
export type AddHint = (sentence: () => string | undefined) => void;
