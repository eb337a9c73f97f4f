import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { hashOf } from '../hash';
import { isTool } from '../tool';
import { credentialIdOf } from '../transport/account';
import type { Answers } from '../transport/records';
import { keyOfAllAnswers } from './comparison';
import { partsOf } from './entryIndex';
import { fingerprintOf } from './fingerprint';
import { formKey } from './formKey';

/** Characters of the hash of a form: they need only tell apart the few forms that one item goes to. */
const FORM_LENGTH = 5;

/**
 * A submission is known by what is the same in each try: credential, form, run, item index and input
 * item. Its answers are not: n8n evaluates their expressions anew.
 */
export class ItemKeys {
	readonly isTool: boolean;

	readonly credentialId: string;

	private readonly items: INodeExecutionData[];

	readonly run: string;

	private readonly fingerprints: string[];

	constructor(context: IExecuteFunctions) {
		this.items = context.getInputData();
		this.credentialId = credentialIdOf(context.getNode());
		this.isTool = isTool(context);
		// n8n gives each try of a tool a run index of its own. Not by an expression: once one has used up the
		// memory that n8n 2.41 gives them, all others of the execution fail.
		this.run = this.isTool ? 'tool' : String(context.getWorkflowDataProxy(0).$runIndex);
		// Before anything else, because expressions may change the items, e.g. `$json.tags.sort()`.
		this.fingerprints = this.items.map((item) => hashOf(this.fingerprintOf(item)));
	}

	/** The key of an item that is submitted to a form, by the item as it was at the start. */
	keyOf(itemIndex: number, formId: string): string {
		return this.keyBy(itemIndex, formId, this.fingerprints[itemIndex] as string);
	}

	/** The key of an item that is submitted to a form, by the item as it is by now: expressions may change it. */
	currentKeyOf(itemIndex: number, formId: string): string {
		return this.keyBy(itemIndex, formId, hashOf(this.fingerprintOf(this.items[itemIndex])));
	}

	/** The key of the answers that a tool submits: a model that repeats a call may word it differently. */
	callKeyOf(formId: string, answers: Answers): string {
		return this.keyBy(0, formId, hashOf(`answers ${keyOfAllAnswers(answers) ?? ''}`));
	}

	/** Whether it is the key of what is an item of this run, or of any call of the tool. */
	isOfThisRun(key: string): boolean {
		const { run, item, fingerprint } = partsOf(key);
		return run === this.run && (this.isTool || this.fingerprints[Number(item)] === fingerprint);
	}

	/** @returns undefined for a key of another run */
	itemIndexOf(key: string): number | undefined {
		const { run, item } = partsOf(key);
		return run === this.run ? Number(item) : undefined;
	}

	/** What the item got when it failed, if it comes from the error output */
	errorOf(itemIndex: number): unknown {
		return this.items[itemIndex]?.json?.error;
	}

	private fingerprintOf(item?: INodeExecutionData): string {
		const fields = { ...item?.json };
		// AI Agent 3 gives each call an ID, also one that the model repeats.
		if (this.isTool) delete fields.toolCallId;
		return fingerprintOf(fields);
	}

	private keyBy(itemIndex: number, formId: string, fingerprint: string): string {
		const form = formKey(this.credentialId, formId).slice(0, FORM_LENGTH);
		return `${this.run}:${this.isTool ? 0 : itemIndex}:${fingerprint}:${form}`;
	}
}
