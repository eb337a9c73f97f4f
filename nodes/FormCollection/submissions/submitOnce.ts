import type { IDataObject } from 'n8n-workflow';
import { copyOf } from '../transport/records';
import type { SubmissionLog } from './submissionLog';

type LogEntry = ReturnType<SubmissionLog['entryOf']>;

/** How an input item came to its output. */
export type Submitted =
	/** `how: 'earlier'`: by an earlier try of this execution; `existing`: the form has it already */
	| { how: 'now' | 'earlier' | 'existing'; response: IDataObject }
	/** It came back from the error output with an unknown outcome, and may be stored already. */
	| { how: 'cameBack' };

/**
 * The order in which one item is submitted at most once.
 *
 * @param prepare reads the answers; called only if they are needed
 * @param steps.findExisting gives the id of a response that stands for the item already, which an
 * earlier try of this execution may have created
 * @throws what the steps throw; and the recorded error if the outcome of an earlier try is unknown
 */
export async function submitOnce<Prepared>(
	entry: LogEntry,
	prepare: () => Promise<Prepared>,
	steps: {
		findExisting(prepared: Prepared, mayBeNew: boolean): Promise<unknown>;
		send(prepared: Prepared): Promise<IDataObject>;
	},
): Promise<Submitted> {
	const previous = entry.previousResponse();
	if (previous !== undefined) {
		const how = previous.skipped === true ? 'existing' : 'earlier';
		return { how, response: copyOf(previous) };
	}
	const hasComeBack = entry.hasComeBack();
	const unknown = entry.unknownOutcome();
	const find = async () => {
		const ready = await prepare();
		const mayBeNew = hasComeBack || unknown !== undefined;
		return { prepared: ready, existingId: await steps.findExisting(ready, mayBeNew) };
	};
	// What went wrong before matters more than what keeps this try from going on.
	const { prepared, existingId } = await find().catch((error: unknown) => {
		throw unknown ?? error;
	});
	if (existingId !== undefined) {
		const response = { success: true, response_id: existingId, skipped: true } as IDataObject;
		entry.created(response);
		return { how: 'existing', response: copyOf(response) };
	}
	if (hasComeBack) return { how: 'cameBack' };
	if (unknown !== undefined) throw unknown;

	entry.begin();
	try {
		const response = await steps.send(prepared);
		entry.created(response);
		return { how: 'now', response: copyOf(response) };
	} catch (error) {
		throw entry.failed(error);
	}
}
