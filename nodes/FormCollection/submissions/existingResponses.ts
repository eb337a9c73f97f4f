import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { type Account, accountKey } from '../transport/account';
import type { ServiceClient } from '../transport/client';
import { ServiceError } from '../transport/errors';
import { isUnknownOutcome } from '../transport/outcome';
import type { FormState } from './formState';
import { FormStates } from './formStates';
import { ResponseIds } from './responseIds';
import { Submission, type Wanted } from './submission';
import type { SubmissionLog } from './submissionLog';

/**
 * Lets each response that a form has already stand for one submission with the same answers. With
 * questions to match on, it stands for all submissions with the same answers to these; in a tool, for all
 * calls with the same answers.
 */
export class ExistingResponses {
	private readonly states: FormStates;

	/** A request that failed is not repeated for the other items of this run. */
	private readonly requests = new Map<FormState, Promise<ResponseIds>>();

	private readonly underWay = new Set<Promise<unknown>>();

	/**
	 * @param accounts of all items
	 * @param timeoutMs of the request, which all items share
	 */
	constructor(
		context: IExecuteFunctions,
		private readonly service: ServiceClient,
		private readonly log: SubmissionLog,
		private readonly accounts: () => Promise<(Account | Error)[]>,
		private readonly timeoutMs: () => number,
	) {
		this.states = FormStates.of(context);
	}

	/** Waits until no other item of this process that matches is being submitted. */
	async begin(wanted: Wanted): Promise<Submission> {
		const { answers, matchOn } = wanted;
		const state = this.states.get(formOf(wanted), matchOn, this.log.isTool);
		state.addQuestionsOf(answers);
		const compared = state.comparedOf(answers);
		const end = await state.takeTurn(compared);
		return new Submission(wanted, state, compared, () => this.readOnce(wanted, state), end);
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
		try {
			const response = await create();
			this.addCreated(wanted, response);
			return response;
		} catch (error) {
			throw this.failed(error, wanted, submission);
		}
	}

	/** @param submission from before its request until its outcome is in the log */
	async track<Result>(submission: Promise<Result>): Promise<Result> {
		this.underWay.add(submission);
		return await submission.finally(() => this.underWay.delete(submission));
	}

	private readOnce(wanted: Wanted, state: FormState): Promise<ResponseIds> {
		const request =
			this.requests.get(state) ?? state.shareReading(async () => await this.read(wanted, state));
		this.requests.set(state, request);
		request.then(
			() => this.requests.delete(state),
			() => undefined,
		);
		return request;
	}

	private async read({ account, formId, matchOn }: Wanted, state: FormState): Promise<ResponseIds> {
		const unknownWhenRead = state.unknownOutcomes;
		const { result, isPartial } = await this.service.responses(
			account,
			formId,
			() => new ResponseIds(matchOn),
			{ timeoutMs: this.timeoutMs() },
		);
		if (isPartial) throw partOnly();
		const existing = result as ResponseIds;
		// Only now, because other items may have created some of these while the form was read.
		await Promise.allSettled(this.underWay);
		const accounts = (await this.accounts()).filter(
			(each): each is Account => !(each instanceof Error),
		);
		const { ids, withoutId } = this.log.usedResponses(account, formId, accounts);
		if (!this.log.isTool) {
			existing.leaveOut({ ids: new Set([...ids, ...state.claimed]), withoutId });
		}
		state.setExisting(existing, unknownWhenRead);
		return existing;
	}

	/** @returns the error */
	private failed(
		error: unknown,
		wanted: Omit<Wanted, 'matchOn'>,
		submission?: Submission,
	): unknown {
		if (!isUnknownOutcome(error)) return error;
		for (const state of this.states.own()) state.unknownOutcomes++;
		submission?.outcomeIsUnknown();
		for (const state of this.states.othersOf(formOf(wanted))) {
			state.addUnknownOfOther(wanted.answers);
		}
		return error;
	}

	/** For all items of the form, also those that match on other questions. */
	private addCreated(wanted: Omit<Wanted, 'matchOn'>, { response_id: id }: IDataObject): void {
		const form = formOf(wanted);
		for (const state of this.states.own()) {
			if (state.form === form) state.addCreated(wanted.answers, id);
		}
		for (const state of this.states.othersOf(form)) state.addCreatedByOther(wanted.answers, id);
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
