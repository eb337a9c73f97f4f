import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { ServiceClient } from '../transport/client';

/** One entry of the Operation dropdown, with the fields it shows and what it does for one item. */
export interface Operation {
	/** Saved in workflows: never changes once released */
	value: string;
	name: string;
	/** Names the node on the canvas and the tool of an AI agent */
	action: string;
	description: string;
	/** For the AI that builds workflows */
	builderHint?: INodePropertyOptions['builderHint'];
	fields: INodeProperties[];
	/** How many items may be worked on at once; 1 by default, and for what is not a number */
	parallelRequests?(context: IExecuteFunctions): number;
	/** Whether it submits responses: then a failed item tells what is known of its outcome */
	isSubmission?: boolean;
	/** Called once for all input items. */
	start(
		context: IExecuteFunctions,
		service: ServiceClient,
		addHint: AddHint,
	): OperationRun | Promise<OperationRun>;
}

export interface OperationRun {
	/** Makes the output for one input item. */
	execute(itemIndex: number): Promise<IDataObject[]>;
	/** Called when it has ended with all items, or will execute no more of them. */
	end?(): void;
	/** Whether to execute the remaining items after this error although On Error is Stop Workflow */
	continuesAfter?(error: unknown): boolean;
	/** For the error message of a run that ends early: what is known from earlier tries, too */
	report?(): RunReport;
}

export interface RunReport {
	/** E.g. "3 of 5 responses were created"; empty where one item says it all */
	progress: string;
	/** What to do before the workflow is run again */
	advice?: string;
	failed: FailedItem[];
}

export interface FailedItem {
	error: unknown;
	itemIndex: number;
}

/** Is called after the last item, and gives undefined if there is nothing to say. */
export type Hint = (outputItems: number) => string | undefined;

/** Adds a hint for the output. */
export type AddHint = (hint: Hint) => void;
