import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Advice } from '../transport/errors';
import { ServiceFault } from '../transport/errors';
import type { Answers } from '../transport/records';

/** What became of one submission: the reply of the service, or why nobody knows. */
interface Entry {
	/** Of form and answers, so that a changed submission is not taken for this one */
	hash: string;
	reply?: IDataObject;
	uncertain?: Advice;
}

export interface Submission {
	itemIndex: number;
	formId: string;
	answers: Answers;
}

/**
 * What this execution has submitted so far.
 *
 * n8n runs a node again with all its items for Retry On Fail and for a failed execution that is
 * retried, but keeps what the node saved with the execution.
 */
export function openLedger(context: IExecuteFunctions) {
	const saved = context.getContext('node') as { submitted?: Record<string, Entry> };
	const entries = (saved.submitted ??= {});
	const runIndex = String(context.evaluateExpression('{{ $runIndex }}', 0));
	// Each try of a tool has a run index of its own; older n8n lack the question.
	const isTool = (context as Partial<IExecuteFunctions>).isToolExecution?.() === true;
	const keyOf = (submission: Submission) =>
		isTool ? hashOf(submission) : `${runIndex}:${submission.itemIndex}`;
	const entryOf = (submission: Submission): Entry | undefined => {
		const entry = entries[keyOf(submission)];
		return entry?.hash === hashOf(submission) ? entry : undefined;
	};

	return {
		/** The reply to this submission, if it was made already; a tool that is called again is meant to submit again */
		replyTo: (submission: Submission) => (isTool ? undefined : entryOf(submission)?.reply),

		/** The fault of this submission, if it may have been stored already */
		doubtAbout(submission: Submission): ServiceFault | undefined {
			const advice = entryOf(submission)?.uncertain;
			return advice && new ServiceFault(advice, true);
		},

		record(submission: Submission, reply: IDataObject): IDataObject {
			entries[keyOf(submission)] = { hash: hashOf(submission), reply };
			return reply;
		},

		/** Remembers the submission if it may have been stored; @returns the error itself */
		recordFault(submission: Submission, error: unknown): unknown {
			if (error instanceof ServiceFault && error.advice.uncertain) {
				entries[keyOf(submission)] = { hash: hashOf(submission), uncertain: error.advice };
			}
			return error;
		},

		/** The ids of the responses that stand for items of this execution, in whatever run */
		responseIds: (): Set<unknown> =>
			new Set(Object.values(entries).flatMap(({ reply }) => (reply ? [reply.response_id] : []))),
	};
}

/** A text that is the same for the same answers, whatever the order of their keys. */
export function canonical(answers: Answers): string {
	const keys = Object.keys(answers).sort();
	return JSON.stringify(keys.map((key) => [key, answers[key]]));
}

/** 64 bits: FNV-1a with two seeds. */
function hashOf({ formId, answers }: Submission): string {
	const text = JSON.stringify([formId, canonical(answers)]);
	return [0x811c9dc5, 0x9dc5811c]
		.map((seed) => {
			let hash = seed;
			for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
			return (hash >>> 0).toString(36);
		})
		.join('-');
}
