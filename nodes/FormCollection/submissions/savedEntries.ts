import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { ErrorDetails } from '../transport/errors';

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

/** The entries of the submission log, where n8n saves them and the retries of the execution find them. */
export class SavedEntries {
	/** The object that n8n keeps for the node as long as the execution is in memory */
	readonly execution: object;

	/** n8n executes again a failed execution of the list. */
	readonly isRetry: boolean;

	private readonly entries: Record<string, Entry>;

	private readonly retried: Record<string, Entry>;

	private readonly logId: string;

	constructor(context: IExecuteFunctions) {
		const saved = savedOf(context);
		this.execution = saved;
		this.entries = saved.submitted ??= {};
		this.logId = saved.log ??= Math.random().toString(36).slice(2, 8);
		this.isRetry = context.getMode() === 'retry';
		this.retried = this.isRetry ? retriedLog(this.logId) : {};
		Object.assign(this.entries, this.retried);
	}

	all(): [string, Entry][] {
		return Object.entries(this.entries);
	}

	get(key: string): Entry | undefined {
		const retried = this.retried[key];
		if (retried !== undefined) this.entries[key] = retried;
		return this.entries[key];
	}

	set(key: string, entry: Entry): void {
		this.entries[key] = entry;
		this.retried[key] = entry;
	}

	delete(key: string): void {
		Reflect.deleteProperty(this.entries, key);
		Reflect.deleteProperty(this.retried, key);
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

const MOST_RETRIED = 50;
const retriedLogs = new Map<string, Record<string, Entry>>();

/**
 * What the retries of one execution have submitted. A second retry starts from the log that n8n saved with
 * the execution, not with its first retry. Only this process knows it, until it ends.
 */
function retriedLog(logId: string): Record<string, Entry> {
	const log = retriedLogs.get(logId) ?? {};
	retriedLogs.delete(logId);
	retriedLogs.set(logId, log);
	const [oldest] = retriedLogs.keys();
	if (retriedLogs.size > MOST_RETRIED && oldest !== undefined) retriedLogs.delete(oldest);
	return log;
}
