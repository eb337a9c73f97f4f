import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Account } from '../transport/account';
import type { ServiceClient } from '../transport/client';

/** One entry of the Operation list, with the fields it shows and what it does with the input items. */
export interface Operation<Input> {
	/** Saved in workflows: never changes once released */
	value: string;
	name: string;
	/** Names the node on the canvas and the tool of an AI agent */
	action: string;
	description: string;
	/** For the AI that builds workflows */
	builderHint?: INodePropertyOptions['builderHint'];
	fields: INodeProperties[];
	/** Whether a failed item says what is known of its outcome */
	isSubmission?: boolean;
	/** @returns what reads all parameters of one item, before anything is sent; it throws `InvalidInput` for a bad item */
	reader(context: IExecuteFunctions): (itemIndex: number) => Input;
	/** Called once for all items, when all are read. */
	start(run: Run<Input>): Handler<Input> | Promise<Handler<Input>>;
}

/** What all items of one run of the node share. */
export interface Run<Input> {
	context: IExecuteFunctions;
	client: ServiceClient;
	/** Without bad items */
	items: Item<Input>[];
}

export interface Item<Input> {
	itemIndex: number;
	input: Input;
	account: Account;
}

/** What an operation does in one run of the node. */
export interface Handler<Input> {
	/** How many items may be worked on at once; 1 by default */
	parallel?: number;
	/** Makes the output for one input item. */
	execute(item: Item<Input>): Promise<IDataObject[]>;
	/** What to say beside the output, at most 100 characters each */
	hints?(): (string | undefined)[];
	/** Lines for the error of a run that stops: what it has done so far, and what to do */
	progress?(): string[];
	/** Called after the last item, also if the run stops. */
	end?(): void;
}
