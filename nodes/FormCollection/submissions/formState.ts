import type { Answers } from '../transport/records';
import { answeredOf, canonical, comparedOf, isMatch } from './comparison';
import { acquireLock } from './locks';
import { currentPosition, submissionsSince, watchForm } from './recentSubmissions';
import type { ResponseIds } from './responseIds';

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

	/** The responses that the form had when it was read; undefined if that misses some that came since */
	private existing?: ResponseIds;

	/** How many times that was so */
	misses = 0;

	/** The request that is under way; an AI agent may call a tool several times at once */
	private reading?: Promise<ResponseIds>;

	/** What other executions of this process have submitted up to here is known. */
	private position = currentPosition();

	constructor(
		/** The account and the form */
		readonly form: string,
		private readonly matchOn: string[],
		private readonly isTool: boolean,
		/** The node in its execution */
		private readonly owner: unknown,
	) {
		watchForm(form);
	}

	comparedOf(answers: Answers): string {
		return comparedOf(answers, this.matchOn) as string;
	}

	/** Whether one response stands for all submissions of which this is compared, or for one of them. */
	standsForAll(compared: string): boolean {
		return this.isTool || isMatch(compared);
	}

	/**
	 * Waits until no other item of this process that matches is being submitted. Equal items that each
	 * stand for a response of their own wait only for those of other executions.
	 *
	 * @returns lets the next one begin
	 */
	async lock(answers: Answers, signal?: AbortSignal): Promise<() => void> {
		const compared = this.comparedOf(answers);
		const owner = this.standsForAll(compared) ? {} : this.owner;
		const matchOn = isMatch(compared) ? this.matchOn : [];
		const releaseMatch = await acquireLock(
			JSON.stringify([this.form, matchOn, compared]),
			owner,
			signal,
		);
		if (!isMatch(compared)) return releaseMatch;
		// Nodes that match on other questions have the same item under this key.
		const all = JSON.stringify([this.form, [], canonical(answers)]);
		const releaseAll = await acquireLock(all, owner, signal);
		return () => {
			releaseAll();
			releaseMatch();
		};
	}

	/** Learns what other executions of this process have submitted. */
	catchUp(): void {
		watchForm(this.form);
		const submissions = submissionsSince(this.form, this.position, this.owner);
		this.position = currentPosition();
		if (submissions === undefined) {
			// Not all of it is known any more, so that the form has to be read for the items from here on.
			this.existing = undefined;
			this.misses++;
			return;
		}
		for (const { answers, response } of submissions) {
			if (response === undefined) this.addUnknownOfOther(answers);
			else this.addCreatedByOther(answers, response.id);
		}
	}

	async shareReading(read: () => Promise<ResponseIds>): Promise<ResponseIds> {
		this.reading ??= read().finally(() => (this.reading = undefined));
		return await this.reading;
	}

	addQuestionsOf(answers: Answers): void {
		for (const question of answeredOf(answers, this.matchOn)) this.questions.add(question);
	}

	/**
	 * @param unknownWhenRead `unknownOutcomes` before the request
	 * @param readAt the position in the submissions of this process before the request
	 */
	setExisting(existing: ResponseIds, unknownWhenRead: number, readAt: number): void {
		for (const question of existing.questions) this.questions.add(question);
		this.existing = existing;
		this.unknownWhenRead = unknownWhenRead;
		this.position = Math.min(this.position, readAt);
	}

	/**
	 * @param mustBeCurrent whether it has to show what came of unknown outcomes
	 * @returns undefined if the form has to be read
	 */
	getExisting(mustBeCurrent: boolean): ResponseIds | undefined {
		const isStale = this.unknownWhenRead < this.unknownOutcomes;
		return mustBeCurrent && isStale ? undefined : this.existing;
	}

	addCreated(answers: Answers, id: unknown): void {
		const compared = this.comparedOf(answers);
		if (this.standsForAll(compared)) this.created.set(compared, id);
	}

	private addCreatedByOther(answers: Answers, id: unknown): void {
		this.addCreated(answers, id);
		if (!this.claimed.has(String(id))) this.existing?.include(this.comparedOf(answers), id);
	}

	private addUnknownOfOther(answers: Answers): void {
		const compared = this.comparedOf(answers);
		if (this.unknown.has(compared)) return;
		this.unknown.add(compared);
		this.unknownOutcomes++;
	}

	addUnknown(compared: string): void {
		if (this.standsForAll(compared)) this.unknown.add(compared);
	}

	/** @returns the ID of the response that stands for the submission, if one is left */
	claim(existing: ResponseIds, compared: string): { id: unknown } | undefined {
		const ids = existing.of(compared);
		if (ids.length === 0) return undefined;
		const [id] = ids;
		if (this.standsForAll(compared)) {
			this.unknown.delete(compared);
			this.created.set(compared, id);
		} else {
			ids.shift();
			if (id !== undefined && id !== null) this.claimed.add(String(id));
		}
		return { id };
	}
}
