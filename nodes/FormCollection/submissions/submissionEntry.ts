import type { IDataObject } from 'n8n-workflow';
import { hashOf } from '../hash';
import type { Account } from '../transport/account';
import { LOOK_FIRST } from '../transport/errorDetails';
import { type ErrorDetails, ServiceError } from '../transport/errors';
import { isUnknownOutcome } from '../transport/outcome';
import { type Answers, hasId } from '../transport/records';
import { keyOfAllAnswers } from './comparison';
import { accountMark, formKey } from './formKey';
import type { ItemKeys } from './itemKeys';
import type { Entry, SavedEntries } from './savedEntries';

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

/** What is known of one input item that is submitted to a form. */
export class SubmissionEntry {
	private readonly key: string;

	private callKey: string | undefined;

	constructor(
		private readonly entries: SavedEntries,
		private readonly keys: ItemKeys,
		private readonly itemIndex: number,
		private readonly formId: string,
		/** The item has come back from the error output with an unknown outcome. */
		readonly hasComeBack: boolean,
	) {
		this.key = keys.keyOf(itemIndex, formId);
	}

	/** What earlier tries have come to. A tool that is called again is meant to submit again. */
	previous(): Entry | undefined {
		return this.keys.isTool ? undefined : this.entries.get(this.key);
	}

	/** The error, if an earlier try ended with an unknown outcome */
	unknownOutcome(): ServiceError | undefined {
		return this.unknownOf(this.key);
	}

	/** The error, if an earlier call of a tool was to submit the same answers and ended with an unknown outcome */
	unknownCall({ answers }: { answers: Answers }): ServiceError | undefined {
		if (!this.keys.isTool) return undefined;
		this.callKey = this.keys.callKeyOf(this.formId, answers);
		return this.unknownOf(this.callKey);
	}

	private unknownOf(key: string): ServiceError | undefined {
		const details = this.entries.get(key)?.unknown;
		// What was not sent because of another item is asked anew: by now it may be known what became of that.
		return details && details.isOfAnother !== true ? new ServiceError(details, true) : undefined;
	}

	/** Before the request: n8n may save the execution and end while it is under way. */
	begin(): void {
		this.setUnknown(ENDED_WHILE_SENDING);
	}

	created(
		response: IDataObject,
		{ account, answers }: { account: Account; answers: Answers },
		isExisting = false,
	): void {
		const form = formKey(this.keys.credentialId, this.formId);
		const entry: Entry = { response, isExisting, form, account: accountMark(account) };
		if (!hasId(response)) entry.answers = hashOf(keyOfAllAnswers(answers) ?? '');
		this.set(entry);
	}

	/**
	 * Records that the item was not sent, if the reason is that another one that matches it may be stored
	 * already.
	 *
	 * @returns the error to throw; it refers to this entry if that is recorded
	 */
	notSent(error: unknown): unknown {
		if (!(error instanceof ServiceError) || error.details.outcome !== 'unknown') return error;
		return new ServiceError(this.setUnknown(error.details), error.isRecorded);
	}

	/** @returns the error, which refers to this entry if the outcome is unknown */
	failed(error: unknown): unknown {
		if (!isUnknownOutcome(error)) {
			for (const key of this.allKeys()) this.entries.delete(key);
			return error;
		}
		const details = error instanceof ServiceError ? error.details : unexpected(error);
		return new ServiceError(this.setUnknown(details));
	}

	private setUnknown(details: ErrorDetails): ErrorDetails {
		const unknown = { ...details, reference: this.entries.referenceTo(this.key) };
		this.set({ unknown });
		return unknown;
	}

	private set(entry: Entry): void {
		for (const key of this.allKeys()) this.entries.set(key, entry);
	}

	/** Also for the item as it is by now, in case the next try gets that. */
	private allKeys(): Set<string> {
		const keys = new Set([this.key, this.keys.currentKeyOf(this.itemIndex, this.formId)]);
		return this.callKey === undefined ? keys : keys.add(this.callKey);
	}
}
