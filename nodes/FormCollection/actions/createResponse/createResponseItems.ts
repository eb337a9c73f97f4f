import type { IExecuteFunctions } from 'n8n-workflow';
import type { SubmissionLog } from '../../submissions/submissionLog';
import { readAnswerOptions, readAnswers, type ReadAnswers } from './answersInput';
import { readFormId, readOptions, readTimeout } from '../../parameters/fields';
import type { SavedQuestions } from './mapping';
import { optionOf, toBoolean, toWholeNumber } from '../../parameters/values';

export const DEFAULT_PARALLEL_REQUESTS = 10;

/** What is entered for one item. */
interface EnteredItem {
	options: ReturnType<typeof readCreateOptions>;
	read: ReadAnswers;
}

/**
 * Reads each item of Create Response once: an expression may change the item, so that it would have
 * another value the next time.
 */
export class CreateResponseItems {
	private readonly formIds = new Map<number, string>();

	private readonly begun = new Set<number>();

	/** The question keys of the items that were read */
	private readonly keys = new Set<string>();

	/** By item, those that were read before they began */
	private ahead: Map<number, EnteredItem | Error> | undefined;

	/** Items that an earlier try has submitted are not read: they may have any question key. */
	private hasUnread = false;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly log: SubmissionLog,
		private readonly questions: SavedQuestions,
	) {}

	/** @throws what is wrong with the form of the item */
	formIdOf(itemIndex: number): string {
		const formId = this.formIds.get(itemIndex) ?? readFormId(this.context, itemIndex);
		this.formIds.set(itemIndex, formId);
		return formId;
	}

	/** @throws what is wrong with the item */
	begin(itemIndex: number): EnteredItem {
		this.begun.add(itemIndex);
		const item = this.ahead?.get(itemIndex) ?? this.read(itemIndex);
		if (item instanceof Error) throw item;
		return item;
	}

	/** Whether any item has an answer to the question, maybe an empty one */
	haveKey(key: string): boolean {
		this.ahead ??= this.readAhead();
		return this.hasUnread || this.keys.has(key);
	}

	private read(itemIndex: number): EnteredItem | Error {
		try {
			const formId = this.formIdOf(itemIndex);
			const options = readCreateOptions(this.context, itemIndex);
			const read = readAnswers(this.context, itemIndex, options, this.questions, formId);
			for (const key of read.entered) this.keys.add(key);
			return { options, read };
		} catch (error) {
			// Thrown when the item begins.
			return error as Error;
		}
	}

	private readAhead() {
		const ahead = new Map<number, EnteredItem | Error>();
		for (const itemIndex of this.context.getInputData().keys()) {
			if (this.begun.has(itemIndex)) continue;
			if (this.isSubmitted(itemIndex)) this.hasUnread = true;
			else ahead.set(itemIndex, this.read(itemIndex));
		}
		return ahead;
	}

	/** By an earlier try */
	private isSubmitted(itemIndex: number): boolean {
		try {
			const entry = this.log.entryOf(itemIndex, this.formIdOf(itemIndex));
			return entry.previous()?.response !== undefined;
		} catch {
			return false;
		}
	}
}

function readCreateOptions(context: IExecuteFunctions, itemIndex: number) {
	const options = readOptions(context, itemIndex);
	toWholeNumber(
		'Parallel Requests',
		optionOf(options, 'parallelRequests', DEFAULT_PARALLEL_REQUESTS),
	);
	return {
		skipExisting: toBoolean('Skip Existing', optionOf(options, 'skipExisting', false)),
		matchOn: optionOf(options, 'matchOn', []),
		...readAnswerOptions(options),
		timeoutMs: readTimeout(options),
	};
}
