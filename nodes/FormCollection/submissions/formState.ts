import type { Answers } from '../transport/records';
import { answeredOf, comparedOf, isMatch } from './comparison';
import type { ResponseIds } from './responseIds';
import { takeTurn } from './turns';

/** What is known of a form within one execution, for items with the same questions to match on. */
export class FormState {
	/** Those of the questions to match on that responses of the form or items have */
	readonly questions = new Set<string>();

	/** IDs, as text, of the responses that stand for an item, maybe not yet in the submission log */
	readonly claimed = new Set<string>();

	/** IDs of the responses that stand for all submissions of which the same is compared */
	readonly created = new Map<string, unknown>();

	/** What is compared of such submissions whose outcome is unknown */
	readonly unknown = new Set<string>();

	/** How many outcomes have become unknown since the first item */
	unknownOutcomes = 0;

	/** How many of these when the form was read */
	private unknownWhenRead = 0;

	/** The responses that the form had when it was read */
	private existing?: ResponseIds;

	/** The request that is under way; an AI agent may call a tool several times at once */
	private reading?: Promise<ResponseIds>;

	/** The responses with an ID that other executions have created, by ID */
	private readonly createdByOthers = new Map<string, { compared: string; id: unknown }>();

	constructor(
		/** The account and the form */
		readonly form: string,
		private readonly matchOn: string[],
		private readonly isTool: boolean,
	) {}

	comparedOf(answers: Answers): string {
		return comparedOf(answers, this.matchOn) as string;
	}

	/** Whether one response stands for all submissions of which this is compared, or for one of them. */
	standsForAll(compared: string): boolean {
		return this.isTool || isMatch(compared);
	}

	/**
	 * Waits until no other item of this process that matches is being submitted.
	 *
	 * @returns lets the next one begin
	 */
	async takeTurn(compared: string): Promise<() => void> {
		const matchOn = isMatch(compared) ? this.matchOn : [];
		return await takeTurn(JSON.stringify([this.form, matchOn, compared]));
	}

	async shareReading(read: () => Promise<ResponseIds>): Promise<ResponseIds> {
		this.reading ??= read().finally(() => (this.reading = undefined));
		return await this.reading;
	}

	addQuestionsOf(answers: Answers): void {
		for (const question of answeredOf(answers, this.matchOn)) this.questions.add(question);
	}

	/** @param unknownWhenRead `unknownOutcomes` before the request */
	setExisting(existing: ResponseIds, unknownWhenRead: number): void {
		for (const question of existing.questions) this.questions.add(question);
		for (const [key, { compared, id }] of this.createdByOthers) {
			if (!this.claimed.has(key)) existing.include(compared, id);
		}
		this.existing = existing;
		this.unknownWhenRead = unknownWhenRead;
	}

	/**
	 * @param mustBeCurrent whether it has to show what came of unknown outcomes
	 * @returns undefined if the form has to be read for that
	 */
	getExisting(mustBeCurrent: boolean): ResponseIds | undefined {
		const isStale = this.unknownWhenRead < this.unknownOutcomes;
		return mustBeCurrent && isStale ? undefined : this.existing;
	}

	addCreated(answers: Answers, id: unknown): void {
		const compared = this.comparedOf(answers);
		if (this.standsForAll(compared)) this.created.set(compared, id);
	}

	/** A response that another execution of this process has created */
	addCreatedByOther(answers: Answers, id: unknown): void {
		this.addCreated(answers, id);
		const compared = this.comparedOf(answers);
		if (id !== undefined && id !== null) this.createdByOthers.set(String(id), { compared, id });
		this.existing?.include(compared, id);
	}

	/** What another execution of this process may have created */
	addUnknownOfOther(answers: Answers): void {
		this.unknown.add(this.comparedOf(answers));
		this.unknownOutcomes++;
	}

	addUnknown(compared: string): void {
		if (this.standsForAll(compared)) this.unknown.add(compared);
	}

	/** @returns the ID of the response that stands for the submission, if one is left */
	claim(existing: ResponseIds, compared: string): { id: unknown } | undefined {
		const ids = existing.of(compared);
		if (ids.length === 0) return undefined;
		this.unknown.delete(compared);
		const [id] = ids;
		if (this.standsForAll(compared)) {
			this.created.set(compared, id);
		} else {
			ids.shift();
			if (id !== undefined && id !== null) this.claimed.add(String(id));
		}
		return { id };
	}
}
