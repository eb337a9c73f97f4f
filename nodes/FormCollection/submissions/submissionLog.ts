import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { hashOf } from '../hash';
import type { Account } from '../transport/account';
import { type ErrorDetails, ServiceError } from '../transport/errors';
import { isUnknownOutcome } from '../transport/outcome';
import { type Answers, hasId } from '../transport/records';
import { canonical } from './comparison';
import { isFailureText, referenceIn } from './outcomeLines';

/** What became of one submission. n8n saves it with the execution: a format to be read for ever. */
interface Entry {
	/** The reply of the service, if it created the response */
	response?: IDataObject;
	/** The error of a submission whose outcome is unknown */
	unknown?: ErrorDetails;
	/** The response was there before, and nothing was sent */
	isExisting?: boolean;
	/** Of the form, whatever the item */
	form?: string;
	/** Of the answers, if the response has no ID by which to know it */
	answers?: string;
}

const LOOK_FIRST = 'check whether the response was stored before you send it again';

const ENDED_WHILE_SENDING: ErrorDetails = {
	message: `The execution ended before the service answered: ${LOOK_FIRST}`,
	outcome: 'unknown',
};

function unexpected(error: unknown): ErrorDetails {
	const reason = error instanceof Error ? error.message : String(error);
	return {
		message: `The reply of the service could not be read: ${LOOK_FIRST}`,
		description: `Reason: ${reason}`,
		outcome: 'unknown',
	};
}

/**
 * What this execution has submitted so far.
 *
 * n8n runs a node again with all its items for Retry On Fail and for a failed execution that is
 * retried, but keeps what the node saved with the execution. A submission is known by what is the same
 * in each try: credential, form, run, item index and input item. Its answers are not: n8n evaluates
 * their expressions anew.
 */
export function openSubmissionLog(context: IExecuteFunctions) {
	const saved = context.getContext('node') as {
		submitted?: Record<string, Entry>;
		/** What references to this log end with: not those to the log of another execution or node */
		log?: string;
	};
	const entries = (saved.submitted ??= {});
	const logId = (saved.log ??= Math.random().toString(36).slice(2, 8));
	const retried = context.getMode() === 'retry' ? retriedLog(logId) : {};
	Object.assign(entries, retried);
	const entryAt = (key: string): Entry | undefined => {
		if (retried[key] !== undefined) entries[key] = retried[key];
		return entries[key];
	};
	const items = context.getInputData();
	const credentialId = context.getNode().credentials?.formCollectionApi?.id ?? '';
	const runIndex = String(context.evaluateExpression('{{ $runIndex }}', 0));
	// n8n gives each try of a tool a run index of its own. Before 2.41, and where AI Agent 3 runs it in
	// 2.41, only the node type tells a tool.
	const isTool =
		(context as Partial<IExecuteFunctions>).isToolExecution?.() === true ||
		context.getNode().type.endsWith('Tool');
	const place = isTool ? 'tool' : runIndex;
	const fingerprintOf = (itemIndex: number) => {
		const json = { ...items[itemIndex]?.json };
		// The error output adds `error` to the item.
		if (isFailureText(json.error)) delete json.error;
		return hashOf(textOf(json));
	};
	// Before anything else, because expressions may change the items, e.g. `$json.tags.sort()`.
	const fingerprints = items.map((_, itemIndex) => fingerprintOf(itemIndex));

	return {
		isTool,

		/** The entry of one input item that is submitted to a form. */
		entryOf(itemIndex: number, formId: string) {
			const keyOf = (fingerprint = '') => {
				const id = hashOf(JSON.stringify([credentialId, formId, fingerprint]));
				return `${place}:${isTool ? 0 : itemIndex}:${id}`;
			};
			const key = keyOf(fingerprints[itemIndex]);
			const reference = `${key}-${logId}`;
			const set = (entry: Entry | undefined) => {
				// Also for the item as it is by now, in case the next try gets that.
				for (const each of new Set([key, keyOf(fingerprintOf(itemIndex))])) {
					for (const log of [entries, retried]) {
						if (entry === undefined) Reflect.deleteProperty(log, each);
						else log[each] = entry;
					}
				}
			};
			return {
				/** What earlier tries have come to. A tool that is called again is meant to submit again. */
				previous: () => (isTool ? undefined : entryAt(key)),

				/** The error, if an earlier try ended with an unknown outcome */
				unknownOutcome(): ServiceError | undefined {
					const details = entryAt(key)?.unknown;
					return details && new ServiceError(details, true);
				},

				/** Whether the item has come back from the error output with an unknown outcome. */
				hasComeBack(): boolean {
					const comeBack = referenceIn(items[itemIndex]?.json.error) ?? '';
					const [entryKey = '', isOther] = comeBack.split(`-${logId}`);
					return isOther === '' && entryAt(entryKey)?.unknown !== undefined;
				},

				/** Before the request: n8n may save the execution and end while it is under way. */
				begin(): void {
					set({ unknown: { ...ENDED_WHILE_SENDING, reference } });
				},

				created(
					response: IDataObject,
					{ account, answers }: { account: Account; answers: Answers },
					isExisting = false,
				): void {
					const entry: Entry = { response, isExisting, form: formKey(account, formId) };
					if (!hasId(response)) entry.answers = hashOf(canonical(answers) ?? '');
					set(entry);
				},

				/** Another item that may be stored may stand for this one. @returns the error */
				notSent(error: unknown): unknown {
					if (!(error instanceof ServiceError) || error.details.outcome !== 'unknown') return error;
					const unknown = { ...error.details, reference };
					set({ unknown });
					return new ServiceError(unknown, error.isRecorded);
				},

				/** @returns the error, which refers to this entry if the outcome is unknown */
				failed(error: unknown): unknown {
					if (!isUnknownOutcome(error)) {
						set(undefined);
						return error;
					}
					const details = error instanceof ServiceError ? error.details : unexpected(error);
					const unknown = { ...details, reference };
					set({ unknown });
					return new ServiceError(unknown);
				},
			};
		},

		/** What all tries of this run have come to. */
		ofThisRun() {
			const created = new Set<number>();
			const failed = new Map<number, ServiceError>();
			for (const [key, { response, isExisting, unknown }] of Object.entries(entries)) {
				const [run, item] = key.split(':');
				if (run !== place) continue;
				if (response !== undefined && isExisting !== true) created.add(Number(item));
				if (unknown !== undefined) failed.set(Number(item), new ServiceError(unknown, true));
			}
			return {
				created: created.size,
				failed: [...failed].map(([itemIndex, error]) => ({ itemIndex, error })),
			};
		},

		/**
		 * The responses of a form that stand for items of this execution, in any run: their ids as text,
		 * and for responses without an id a hash of their answers in the form that `canonical` gives.
		 */
		usedResponses(account: Account, formId: string) {
			const form = formKey(account, formId);
			const ofForm = Object.values(entries).filter((entry) => entry.form === form);
			const withId = ofForm.filter(({ response }) => response && hasId(response));
			return {
				ids: new Set(withId.map(({ response }) => String(response?.response_id))),
				withoutId: ofForm.map(({ answers }) => answers).filter((hash) => hash !== undefined),
			};
		},
	};
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

export type SubmissionLog = ReturnType<typeof openSubmissionLog>;

/**
 * Tells apart accounts that share a credential whose API Key is an expression: only the key differs.
 * It is saved with the execution, so it holds 3 of the letters and digits of a hash. About 15 bits
 * neither help to guess a key nor prove a guess right.
 */
function formKey({ baseUrl, apiKey }: Account, formId: string): string {
	return `${hashOf(JSON.stringify([baseUrl, formId]))}-${hashOf(apiKey).slice(0, 3)}`;
}

/** A text that is the same in each try, also for what nodes put into items although it is no JSON. */
function textOf(json: IDataObject): string {
	for (const replacer of [undefined, withoutCircles()]) {
		try {
			return JSON.stringify(json, replacer);
		} catch {
			// Circular, a BigInt, or nested too deeply.
		}
	}
	return Object.keys(json).join();
}

function withoutCircles() {
	const parents: unknown[] = [];
	return function (this: unknown, _: string, value: unknown): unknown {
		if (typeof value === 'bigint') return String(value);
		if (typeof value !== 'object' || value === null) return value;
		while (parents.length > 0 && parents.at(-1) !== this) parents.pop();
		if (parents.includes(value)) return parents.indexOf(value);
		parents.push(value);
		return value;
	};
}
