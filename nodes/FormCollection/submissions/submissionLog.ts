import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { credentialIdOf } from '../transport/account';
import { type ErrorDetails, lines, ServiceError } from '../transport/errors';
import { hashOf } from '../transport/hash';

/** What is known of a submission. Written before its request, so that it is known whatever comes then. */
interface Entry {
	formId: string;
	/** The reply of the service, or what stood for it where the form had the response already */
	reply?: IDataObject;
	/** The error where the outcome is unknown */
	unknown?: ErrorTexts;
}

type ErrorTexts = Pick<ErrorDetails, 'message' | 'description'>;

/** By key; n8n saves it with the execution */
type Entries = Record<string, Entry | undefined>;

const IN_FLIGHT: ErrorTexts = {
	message: 'The outcome of this submission is unknown: check whether the response was stored',
};

const NOT_AGAIN =
	'A retry does not send it again. If the form does not have it, run the workflow again, with Skip Existing.';

const OUTCOME_LINE = /\nOutcome: (?:refused|not sent|unknown)$/;

/** Whether it is the `error` that this node has given to a failed item. */
export function isFailureText(value: unknown): boolean {
	return OUTCOME_LINE.test(String(value));
}

/** n8n's Agents run a tool without a workflow, and so without anything that is saved. */
function savedData(context: IExecuteFunctions): object {
	try {
		return context.getContext('node');
	} catch {
		return {};
	}
}

/**
 * What this execution has submitted so far. n8n runs a node again with all its items for Retry On Fail and for a failed
 * execution that is retried, but keeps what the node saved with the execution.
 */
export class SubmissionLog {
	/** An object that is the same for each run of the node in the execution */
	readonly execution: object;

	private readonly entries: Entries;

	private readonly run: string;

	private readonly credentialId: unknown;

	private readonly items: INodeExecutionData[];

	constructor(
		context: IExecuteFunctions,
		private readonly isTool: boolean,
	) {
		this.items = context.getInputData();
		const saved = savedData(context) as { submissions?: Entries };
		this.execution = saved;
		this.entries = saved.submissions ??= {};
		// n8n gives each try of a tool a run index of its own.
		this.run = isTool ? 'tool' : String(context.getWorkflowDataProxy(0).$runIndex);
		this.credentialId = credentialIdOf(context.getNode());
	}

	/**
	 * The key of a submission: what is the same in each try. The answers are not, because n8n evaluates their expressions
	 * anew, and an expression may change the item. Of a tool, all calls have one place, but an item of their own.
	 */
	keyOf(itemIndex: number, formId: string): string {
		// An AI Agent gives each call an id, also one that the model repeats.
		const call = { ...this.jsonOf(itemIndex), toolCallId: undefined };
		const place = this.isTool ? call : itemIndex;
		return `${this.run}:${hashOf(JSON.stringify([this.credentialId, formId, place]))}`;
	}

	private jsonOf(itemIndex: number): IDataObject {
		return (this.items[itemIndex] as INodeExecutionData).json;
	}

	/** What an earlier try has noted */
	find(key: string): Entry | undefined {
		return this.entries[key];
	}

	/** To be called right before the request: until there is an outcome, it is unknown. */
	begin(key: string, formId: string): void {
		this.entries[key] = { formId, unknown: IN_FLIGHT };
	}

	/** A model may submit the same again on purpose, so of a tool only unknown outcomes are kept. */
	stored(key: string, formId: string, reply: IDataObject): void {
		this.entries[key] = this.isTool ? undefined : { formId, reply };
	}

	/** Of a submission that has not taken place, nothing is kept: n8n does not save `undefined`. */
	failed(key: string, formId: string, { details }: ServiceError): void {
		const { outcome, message, description } = details;
		// By the word "canceled", n8n would save a later try as canceled, too.
		const unknown = { message: message.replace('canceled', 'stopped'), description };
		this.entries[key] = outcome === 'unknown' ? { formId, unknown } : undefined;
	}

	/** The error of an earlier try whose outcome is unknown. */
	recordedError({ unknown = IN_FLIGHT }: Entry): ServiceError {
		const description = lines(unknown.description, NOT_AGAIN);
		return new ServiceError({ ...unknown, description, outcome: 'unknown' }, true);
	}

	/** Whether the item comes from the error output of this node, which does not know its outcome. */
	hasComeBack(itemIndex: number): boolean {
		const error = String(this.jsonOf(itemIndex).error);
		// One that matches such an item was not sent, and is compared with the form again.
		if (!error.endsWith('\nOutcome: unknown')) return false;
		// They have the time of the submission, so that no item of another node or execution is taken for one of these.
		const descriptions = Object.values(this.entries).map((entry) => entry?.unknown?.description);
		return descriptions.some((each) => each !== undefined && error.includes(each));
	}

	/** The ids of the responses to a form that stand for items of this execution. */
	responseIdsOf(formId: string): Set<string> {
		const ofForm = Object.values(this.entries).filter((entry) => entry?.formId === formId);
		return new Set(ofForm.map((entry) => String(entry?.reply?.response_id)));
	}
}
