import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../transport/account';
import { type Answers, copyOf } from '../transport/records';
import type { Entry } from './savedEntries';
import type { SubmissionEntry } from './submissionEntry';

/** How an input item came to its output. */
export type Submitted =
	| WithResponse
	/** It came back from the error output with an unknown outcome, and may be stored already. */
	| { how: 'cameBack' };

interface WithResponse {
	/** `earlier`: by an earlier try of this execution; `existing`: the form has it already */
	how: 'now' | 'earlier' | 'existing';
	response: IDataObject;
}

/**
 * The order in which one item is submitted at most once.
 *
 * @param prepare reads what is to be sent; called only if it is needed
 * @param steps.findExisting gives the id of a response that stands for the item already, which an
 * earlier try of this execution may have created
 * @throws what the steps throw; and the recorded error if the outcome of an earlier try is unknown
 */
export async function submitOnce<Prepared extends { account: Account; answers: Answers }>(
	entry: SubmissionEntry,
	prepare: () => Promise<Prepared>,
	steps: {
		findExisting(prepared: Prepared, mayBeNew: boolean): Promise<{ id: unknown } | undefined>;
		send(prepared: Prepared): Promise<IDataObject>;
		/** Resolves when the request may begin */
		beforeSubmission(): Promise<void>;
		/** Gets each submission from before its request until its outcome is in the log */
		track<Result>(submission: Promise<Result>): Promise<Result>;
	},
): Promise<Submitted> {
	const submitted = earlierSubmission(entry.previous());
	if (submitted !== undefined) return submitted;

	const { hasComeBack } = entry;
	let unknown = entry.unknownOutcome();
	const find = async () => {
		const ready = await prepare();
		unknown ??= entry.unknownCall(ready);
		const mayBeNew = hasComeBack || unknown !== undefined;
		return { ready, existing: await steps.findExisting(ready, mayBeNew) };
	};
	// The error of an earlier try, if its outcome is unknown, matters more than the one that stops this try.
	const found = await find().catch((error: unknown) => {
		if (hasComeBack) return undefined;
		throw unknown ?? entry.notSent(error);
	});
	if (found?.existing !== undefined) {
		const { id } = found.existing;
		const response = {
			success: true,
			...(id !== undefined && { response_id: id }),
			skipped: true,
		} as IDataObject;
		entry.created(response, found.ready, true);
		return { how: 'existing', response: copyOf(response) };
	}
	if (found === undefined || hasComeBack) return { how: 'cameBack' };
	if (unknown !== undefined) throw unknown;

	const submit = async (): Promise<Submitted> => {
		await steps.beforeSubmission();
		entry.begin();
		try {
			const response = await steps.send(found.ready);
			entry.created(response, found.ready);
			return { how: 'now', response: copyOf(response) };
		} catch (error) {
			throw entry.failed(error);
		}
	};
	return await steps.track(submit());
}

/** @returns undefined unless an earlier try has submitted the item, or has found it in the form */
export function earlierSubmission(entry: Entry | undefined): WithResponse | undefined {
	if (entry?.response === undefined) return undefined;
	const how = entry.isExisting === true ? 'existing' : 'earlier';
	return { how, response: copyOf(entry.response) };
}
