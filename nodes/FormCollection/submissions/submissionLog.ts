import type { IExecuteFunctions } from 'n8n-workflow';
import type { Account } from '../transport/account';
import { ServiceError } from '../transport/errors';
import { hasId } from '../transport/records';
import { partsOf } from './entryIndex';
import { accountMark, formKey } from './formKey';
import { ItemKeys } from './itemKeys';
import { acquireLock } from './locks';
import { referenceIn } from './outcomeLines';
import { type Entry, SavedEntries } from './savedEntries';
import { SubmissionEntry } from './submissionEntry';

/**
 * What this execution has submitted so far.
 *
 * n8n runs a node again with all its items for Retry On Fail and for a failed execution that is
 * retried, but keeps what the node saved with the execution.
 */
export class SubmissionLog {
	private readonly entries: SavedEntries;

	private readonly keys: ItemKeys;

	constructor(context: IExecuteFunctions) {
		this.entries = new SavedEntries(context);
		this.keys = new ItemKeys(context);
	}

	/** An object that is the same for each run of the node in this execution */
	get execution(): object {
		return this.entries.execution;
	}

	get isTool(): boolean {
		return this.keys.isTool;
	}

	/** Equal in each try of a run of the node */
	get run(): string {
		return this.keys.run;
	}

	/** The entry of one input item that is submitted to a form. */
	entryOf(itemIndex: number, formId: string): SubmissionEntry {
		const hasComeBack = this.hasComeBack(itemIndex);
		return new SubmissionEntry(this.entries, this.keys, itemIndex, formId, hasComeBack);
	}

	/** What earlier tries of this run have come to with the item, in whatever form. */
	ofItem(itemIndex: number): Entry | undefined {
		if (this.isTool) return undefined;
		return this.entries.ofItem(this.keys.run, itemIndex);
	}

	/**
	 * Waits until no other run may be about to submit the same: the previous call of a tool, or a run in another
	 * retry of the execution, which n8n lets you start while one is running. Then takes over what that has
	 * come to.
	 *
	 * @returns `release` lets the next one begin; `taken` has the entries that are taken over
	 */
	async begin(signal?: AbortSignal): Promise<{ release: () => void; taken: Entry[] }> {
		const release = await acquireLock(this.entries.logId, {}, signal);
		const taken = this.entries.takeOver(this.keys.run, (key) => this.keys.isOfThisRun(key));
		return { release, taken };
	}

	/** Whether the item has come back from the error output with an unknown outcome. */
	hasComeBack(itemIndex: number): boolean {
		const reference = referenceIn(this.keys.errorOf(itemIndex)) ?? '';
		return this.entries.referredToBy(reference)?.unknown !== undefined;
	}

	/** Whether a try of this run has submitted an item, found it in the form, or left its outcome unknown */
	hasAny(): boolean {
		return this.entries.hasRun(this.keys.run);
	}

	/** What all tries of this run have come to, and how many responses the other runs have created. */
	summary() {
		const created = new Set<number>();
		const createdByOthers = new Set<string>();
		const failed = new Map<number, ServiceError>();
		for (const [key, { response, isExisting, unknown }] of this.entries.all()) {
			const itemIndex = this.keys.itemIndexOf(key);
			const isCreated = response !== undefined && isExisting !== true;
			if (itemIndex === undefined) {
				const { run, item } = partsOf(key);
				if (isCreated) createdByOthers.add(`${run}:${item}`);
				continue;
			}
			if (isCreated) created.add(itemIndex);
			if (unknown !== undefined) failed.set(itemIndex, new ServiceError(unknown, true));
		}
		return {
			created: created.size,
			createdByOthers: createdByOthers.size,
			failed: [...failed].map(([itemIndex, error]) => ({ itemIndex, error })),
		};
	}

	/** What entries have of the form and of the account that they are about */
	origin(account: Account, formId: string): Pick<Entry, 'form' | 'account'> {
		return { form: formKey(this.keys.credentialId, formId), account: accountMark(account) };
	}

	/**
	 * The responses of a form that stand for items of this execution, in any run: their ids as text,
	 * and for responses without an id a hash of the comparison key of all their answers.
	 */
	usedResponses(account: Account, formId: string) {
		// An item that an expression has changed has the same entry twice.
		const entries = new Set(this.entries.all().map(([, entry]) => entry));
		const ofForm = entriesOf([...entries], this.origin(account, formId));
		const withId = ofForm.filter(({ response }) => response && hasId(response));
		return {
			ids: new Set(withId.map(({ response }) => String(response?.response_id))),
			withoutId: ofForm.map(({ answers }) => answers).filter((hash) => hash !== undefined),
		};
	}
}

/** @returns those that are about a form */
export function entriesOf(entries: Entry[], origin: Pick<Entry, 'form' | 'account'>): Entry[] {
	return entries.filter(({ form, account }) => form === origin.form && account === origin.account);
}
