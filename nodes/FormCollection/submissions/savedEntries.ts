import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { ErrorDetails } from '../transport/errors';
import { hasId } from '../transport/records';
import { EntryIndex, placeOf } from './entryIndex';

/** What became of one submission. n8n saves it with the execution: a format to be read for ever. */
export interface Entry {
	/** The reply of the service, if it created the response */
	response?: IDataObject;
	/** The error of a submission whose outcome is unknown */
	unknown?: ErrorDetails;
	/** The response was there before, and nothing was sent */
	isExisting?: boolean;
	/** Hash of the form, the same for all items */
	form?: string;
	/** Mark of the account that the response is in, if `accountMark` makes one */
	account?: string;
	/** Hash of the answers, if the response has no ID by which to know it */
	answers?: string;
}

/** What n8n saves with the execution. */
interface Saved {
	submitted?: Record<string, Entry>;
	/** What references to these entries end with: not those to the entries of another execution or node */
	log?: string;
}

interface Known {
	index: EntryIndex;
	/** By response: the places of the items that it stands for */
	places: Map<string, Set<string>>;
}

/** By what n8n keeps for the node as long as the execution is in memory */
const knownByExecution = new WeakMap<object, Known>();

/** The entries of the submission log, where n8n saves them and the retries of the execution find them. */
export class SavedEntries {
	/** The object that n8n keeps for the node as long as the execution is in memory */
	readonly execution: object;

	/** Somebody has selected Retry for a failed execution in the list of executions. */
	private readonly isRetry: boolean;

	private readonly entries: Record<string, Entry>;

	/** The entries of all retries of the execution in this process, this one among them */
	private readonly retried: IndexedEntries;

	private readonly known: Known;

	/** The same in all retries of the execution */
	readonly logId: string;

	constructor(context: IExecuteFunctions) {
		const saved = savedOf(context);
		this.execution = saved;
		this.entries = saved.submitted ??= {};
		this.logId = saved.log ??= Math.random().toString(36).slice(2, 8);
		this.isRetry = context.getMode() === 'retry';
		this.retried = this.isRetry ? retriedEntries(this.logId) : new IndexedEntries();
		const known = knownByExecution.get(saved);
		this.known = known ?? { index: new EntryIndex([]), places: new Map<string, Set<string>>() };
		if (!known) for (const [key, entry] of this.all()) this.keep(key, entry);
		knownByExecution.set(saved, this.known);
	}

	/**
	 * Takes over what other retries of the execution have come to with the items of a run. In a loop, the nodes
	 * before may give other items in each retry: then a response may stand for another item here already.
	 *
	 * @returns the entries that are taken over
	 */
	takeOver(run: string, isItemHere: (key: string) => boolean): Entry[] {
		const taken: Entry[] = [];
		for (const [key, entry] of this.retried.ofRun(run)) {
			// What n8n has saved of a response is final: another process may know more than this one.
			const isNews = isItemHere(key) && this.entries[key]?.response === undefined;
			if (!isNews || this.isUsedElsewhere(key, entry)) continue;
			this.keep(key, entry);
			taken.push(entry);
		}
		return taken;
	}

	private isUsedElsewhere(key: string, entry: Entry): boolean {
		const places = this.placesOf(entry);
		return places.size > 0 && !places.has(placeOf(key));
	}

	/** The places of the items that the response stands for; none if it has no ID by which to know it */
	private placesOf({ response, form, account }: Entry): Set<string> {
		if (!response || !hasId(response)) return new Set();
		const key = JSON.stringify([form, account, String(response.response_id)]);
		const places = this.known.places.get(key) ?? new Set();
		this.known.places.set(key, places);
		return places;
	}

	/** Of any item of the run */
	hasRun(run: string): boolean {
		return this.known.index.hasRun(run);
	}

	ofItem(run: string, itemIndex: number): Entry | undefined {
		const [key] = this.known.index.ofItem(run, String(itemIndex));
		return key === undefined ? undefined : this.get(key);
	}

	all(): [string, Entry][] {
		return Object.entries(this.entries);
	}

	get(key: string): Entry | undefined {
		return this.entries[key];
	}

	set(key: string, entry: Entry): void {
		this.keep(key, entry);
		if (this.isRetry) this.retried.set(key, entry);
	}

	delete(key: string): void {
		Reflect.deleteProperty(this.entries, key);
		this.known.index.delete(key);
		this.retried.delete(key);
	}

	private keep(key: string, entry: Entry): void {
		this.entries[key] = entry;
		this.known.index.add(key);
		this.placesOf(entry).add(placeOf(key));
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
	private readonly index = new EntryIndex([]);

	ofRun(run: string): [string, Entry][] {
		return this.index.ofRun(run).map((key) => [key, this.get(key) as Entry]);
	}

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
