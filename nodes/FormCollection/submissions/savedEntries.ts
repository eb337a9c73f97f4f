import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { ErrorDetails } from '../transport/errors';
import { EntryIndex } from './entryIndex';

/** What became of one submission. n8n saves it with the execution: a format to be read for ever. */
export interface Entry {
	/** The reply of the service, if it created the response */
	response?: IDataObject;
	/** The error of a submission whose outcome is unknown */
	unknown?: ErrorDetails;
	/** The response was there before, and nothing was sent */
	isExisting?: boolean;
	/** Of the form, whatever the item */
	form?: string;
	/** Of the account that the response is in */
	account?: string;
	/** Of the answers, if the response has no ID by which to know it */
	answers?: string;
}

/** What n8n saves with the execution. */
interface Saved {
	submitted?: Record<string, Entry>;
	/** What references to these entries end with: not those to the entries of another execution or node */
	log?: string;
}

/** By what n8n keeps for the node as long as the execution is in memory */
const indexes = new WeakMap<object, EntryIndex>();

/** The entries of the submission log, where n8n saves them and the retries of the execution find them. */
export class SavedEntries {
	/** The object that n8n keeps for the node as long as the execution is in memory */
	readonly execution: object;

	/** n8n executes again a failed execution of the list. */
	readonly isRetry: boolean;

	private readonly entries: Record<string, Entry>;

	/** Of all retries of the execution in this process, those with an outcome */
	private readonly retried: IndexedEntries;

	private readonly index: EntryIndex;

	/** The same in all retries of the execution */
	readonly logId: string;

	constructor(context: IExecuteFunctions) {
		const saved = savedOf(context);
		this.execution = saved;
		this.entries = saved.submitted ??= {};
		this.logId = saved.log ??= Math.random().toString(36).slice(2, 8);
		this.isRetry = context.getMode() === 'retry';
		this.retried = this.isRetry ? retriedEntries(this.logId) : new IndexedEntries();
		const known = indexes.get(saved);
		if (known === undefined) Object.assign(this.entries, Object.fromEntries(this.retried));
		this.index = known ?? new EntryIndex(Object.keys(this.entries));
		indexes.set(saved, this.index);
	}

	/** Of any item of the run */
	hasRun(run: string): boolean {
		return this.index.hasRun(run) || this.retried.index.hasRun(run);
	}

	ofItem(run: string, itemIndex: number): Entry | undefined {
		const item = String(itemIndex);
		const [key] = [...this.index.ofItem(run, item), ...this.retried.index.ofItem(run, item)];
		return key === undefined ? undefined : this.get(key);
	}

	all(): [string, Entry][] {
		return Object.entries({ ...this.entries, ...Object.fromEntries(this.retried) });
	}

	get(key: string): Entry | undefined {
		const retried = this.retried.get(key);
		if (retried !== undefined) this.keep(key, retried);
		return this.entries[key];
	}

	/** For as long as the submission has no outcome, of which another retry may come to know. */
	setUnderWay(key: string, entry: Entry): void {
		this.keep(key, entry);
	}

	set(key: string, entry: Entry): void {
		this.keep(key, entry);
		if (this.isRetry) this.retried.set(key, entry);
	}

	delete(key: string): void {
		Reflect.deleteProperty(this.entries, key);
		this.index.delete(key);
		this.retried.delete(key);
	}

	private keep(key: string, entry: Entry): void {
		this.entries[key] = entry;
		this.index.add(key);
	}

	referenceTo(key: string): string {
		return `${key}-${this.logId}`;
	}

	/** @returns undefined for a reference to the log of another execution or node */
	referredToBy(reference: string): Entry | undefined {
		const [key = '', rest] = reference.split(`-${this.logId}`);
		return rest === '' ? this.get(key) : undefined;
	}
}

function savedOf(context: IExecuteFunctions): Saved {
	try {
		return context.getContext('node') as Saved;
	} catch {
		// Where one of the Agents of n8n 2.41 calls the node, each call is an execution that n8n keeps nothing of.
		return {};
	}
}

class IndexedEntries extends Map<string, Entry> {
	readonly index = new EntryIndex([]);

	override set(key: string, entry: Entry): this {
		this.index.add(key);
		return super.set(key, entry);
	}

	override delete(key: string): boolean {
		this.index.delete(key);
		return super.delete(key);
	}
}

/** Logs and their entries, of all executions together */
const MOST_KEPT = 100_000;

/** By log, the one that was used last at the end */
const retriedLogs = new Map<string, IndexedEntries>();

/**
 * What the retries of one execution have submitted. A second retry starts from the log that n8n saved with
 * the execution, not with its first retry. Only this process knows it, until it ends.
 */
function retriedEntries(logId: string): IndexedEntries {
	const log = retriedLogs.get(logId) ?? new IndexedEntries();
	retriedLogs.delete(logId);
	retriedLogs.set(logId, log);
	let kept = 0;
	for (const { size } of retriedLogs.values()) kept += 1 + size;
	for (const [oldest, { size }] of retriedLogs) {
		if (kept <= MOST_KEPT || oldest === logId) break;
		retriedLogs.delete(oldest);
		kept -= 1 + size;
	}
	return log;
}
