import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { accountKey } from '../transport/account';
import type { ServiceClient } from '../transport/client';
import { ServiceError } from '../transport/errors';
import { isUnknownOutcome } from '../transport/outcome';
import { FormState } from './formState';
import { currentPosition, keepWhile, noteSubmission, type Submitter } from './recentSubmissions';
import { ResponseIds } from './responseIds';
import { Submission, type Wanted } from './submission';
import type { Entry } from './savedEntries';
import { entriesOf, type SubmissionLog } from './submissionLog';

/** What an execution knows. */
interface Known {
	/** By account, form and questions to match on */
	states: Map<string, FormState>;
	submitter: Submitter;
}

/**
 * For each execution that this process runs. The key is the object that n8n keeps for the node as long as
 * the execution is in memory: a loop runs the node many times, and reads each form once.
 */
const knownByExecution = new WeakMap<object, Known>();

/** The last run of the node in each of these executions */
const lastRuns = new WeakMap<object, string>();

/**
 * Lets each response that a form has already stand for one submission with the same answers. With
 * questions to match on, it stands for all submissions with the same answers to these; in a tool, for all
 * calls with the same answers.
 */
export class ExistingResponses {
	private readonly known: Known;

	/**
	 * A request that failed is not repeated for the other items of this run. One from before something
	 * was missed is of no use.
	 */
	private readonly requests = new Map<
		FormState,
		{ misses: number; request: Promise<ResponseIds> }
	>();

	/** Of this run, under way or ended */
	private readonly submissions = new Set<Promise<unknown>>();

	/**
	 * @param timeoutMs of the request, which all items share
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly service: ServiceClient,
		private readonly log: SubmissionLog,
		private readonly timeoutMs: () => number,
	) {
		const { execution } = log;
		this.known = knownByExecution.get(execution) ?? {
			states: new Map<string, FormState>(),
			submitter: {},
		};
		knownByExecution.set(execution, this.known);
		// When a run is tried again, the form may show what came of unknown outcomes.
		if (lastRuns.get(execution) === log.run) this.outcomesAreUnknown();
		lastRuns.set(execution, log.run);
	}

	/** Waits until no other item of this process that matches is being submitted. */
	async begin(wanted: Wanted): Promise<Submission> {
		const { account, formId, answers, matchOn } = wanted;
		const form = formOf(wanted);
		const key = JSON.stringify([form, matchOn]);
		const { states, submitter } = this.known;
		const state =
			states.get(key) ??
			new FormState(form, this.log.origin(account, formId), matchOn, this.log.isTool, submitter);
		states.set(key, state);
		state.addQuestionsOf(answers);
		const release = await state.lock(answers, this.context.getExecutionCancelSignal());
		const read = async () => await this.readOnce(wanted, state);
		return new Submission(wanted, state, state.comparisonKey(answers), read, release);
	}

	/**
	 * @param submission undefined if the form is not looked at for this item
	 * @throws what `create` throws
	 */
	async send(
		wanted: Omit<Wanted, 'matchOn'>,
		create: () => Promise<IDataObject>,
		submission?: Submission,
	): Promise<IDataObject> {
		const response = await create().catch((error: unknown) => {
			this.noteFailure(error, wanted, submission);
			throw error;
		});
		this.addCreated(wanted, response);
		return response;
	}

	/** @param taken from other retries: the responses of these are used */
	leaveOut(taken: Entry[]): void {
		for (const state of this.known.states.values()) {
			for (const { response } of entriesOf(taken, state.origin)) {
				if (response !== undefined) state.use(response.response_id);
			}
		}
	}

	/** @param submission from before its request until its outcome is in the log */
	async track<Result>(submission: Promise<Result>): Promise<Result> {
		this.submissions.add(submission);
		return await submission;
	}

	private async readOnce(wanted: Wanted, state: FormState): Promise<ResponseIds> {
		const { misses } = state;
		const known = this.requests.get(state);
		if (known?.misses === misses) return await known.request;
		const request = state.shareReading(
			async () => await keepWhile(state.form, async () => await this.read(wanted, state)),
		);
		this.requests.set(state, { misses, request });
		return await request;
	}

	private async read({ account, formId, matchOn }: Wanted, state: FormState): Promise<ResponseIds> {
		const unknownWhenRead = state.unknownOutcomes;
		const readAt = currentPosition();
		const { result, isPartial } = await this.service.responses(
			account,
			formId,
			() => new ResponseIds(matchOn),
			{ timeoutMs: this.timeoutMs() },
		);
		if (isPartial) throw partOnly();
		const existing = result as ResponseIds;
		// Only now, because other items may have created some of these while the form was read.
		await Promise.allSettled(this.submissions);
		const { ids, withoutId } = this.log.usedResponses(account, formId);
		if (!this.log.isTool) {
			existing.leaveOut({ ids: new Set([...ids, ...state.claimed]), withoutId });
		}
		state.setExisting(existing, unknownWhenRead, readAt);
		state.catchUp();
		return existing;
	}

	private noteFailure(
		error: unknown,
		wanted: Omit<Wanted, 'matchOn'>,
		submission?: Submission,
	): void {
		if (!isUnknownOutcome(error)) return;
		this.outcomesAreUnknown();
		submission?.outcomeIsUnknown();
		noteSubmission(formOf(wanted), { by: this.known.submitter, answers: wanted.answers });
	}

	private outcomesAreUnknown(): void {
		for (const state of this.known.states.values()) state.unknownOutcomes++;
	}

	/** For all items of the form, also those that match on other questions. */
	private addCreated(wanted: Omit<Wanted, 'matchOn'>, { response_id: id }: IDataObject): void {
		const form = formOf(wanted);
		for (const state of this.known.states.values()) {
			if (state.form === form) state.addCreated(state.comparisonKey(wanted.answers), id);
		}
		noteSubmission(form, { by: this.known.submitter, answers: wanted.answers, response: { id } });
	}
}

function formOf({ account, formId }: Omit<Wanted, 'matchOn'>): string {
	return JSON.stringify([accountKey(account), formId]);
}

function partOnly(): ServiceError {
	return new ServiceError({
		message:
			'The service sent only part of the responses, so Skip Existing cannot tell what the form already has: turn it off to submit without this check',
		outcome: 'neverSent',
	});
}
