import { type Answers, isId } from '../transport/records';
import { answeredOf, comparisonKey, isMatchOnKey, keyOfAllAnswers } from './comparison';
import { acquireLock } from './locks';
import { currentPosition, type Submitter, submissionsSince, watchForm } from './recentSubmissions';
import type { ResponseIds } from './responseIds';
import type { Entry } from './savedEntries';

/** What is known of a form within one execution, for items with the same questions to match on. */
export class FormState {
	/** The questions to match on that a response of the form, or an item, has, maybe with an empty answer */
	readonly questions = new Set<string>();

	/** IDs, as text, of the responses that stand for an item, maybe not yet in the submission log */
	readonly claimed = new Set<string>();

	/** By comparison key: the ID of the one response that stands for all submissions with this key */
	readonly created = new Map<string, unknown>();

	/** The comparison keys of submissions whose outcome is unknown, where one response stands for all */
	readonly unknown = new Set<string>();

	/** How many outcomes have become unknown since the first item */
	unknownOutcomes = 0;

	/** How many of these when the form was read */
	private unknownWhenRead = 0;

	/**
	 * The responses that the form had when it was read; undefined before that, and if submissions of other
	 * executions may be missing
	 */
	private existing?: ResponseIds;

	/** How many times submissions of other executions may have been missed */
	misses = 0;

	/** The request that is under way; an AI agent may call a tool several times at once */
	private reading?: Promise<ResponseIds>;

	/** What other executions of this process have submitted up to here is known. */
	private position = currentPosition();

	constructor(
		/** The account and the form */
		readonly form: string,
		/** The same, as entries of the submission log name it */
		readonly origin: Pick<Entry, 'form' | 'account'>,
		private readonly matchOn: string[],
		private readonly isTool: boolean,
		private readonly owner: Submitter,
	) {
		watchForm(form);
	}

	comparisonKey(answers: Answers): string {
		return comparisonKey(answers, this.matchOn) as string;
	}

	/** Whether one response stands for all submissions with this comparison key, or for one of them. */
	standsForAll(key: string): boolean {
		return this.isTool || isMatchOnKey(key);
	}

	/**
	 * Waits until no other item of this process that matches is being submitted. Equal items that each
	 * stand for a response of their own wait only for those of other executions.
	 *
	 * @returns lets the next one begin
	 */
	async lock(answers: Answers, signal?: AbortSignal): Promise<() => void> {
		const key = this.comparisonKey(answers);
		const owner = this.standsForAll(key) ? {} : this.owner;
		const acquire = async (matchOn: string[], keyOfAnswers?: string) =>
			await acquireLock(JSON.stringify([this.form, matchOn, keyOfAnswers]), owner, signal);
		if (!isMatchOnKey(key)) return await acquire([], key);
		const releaseMatch = await acquire(this.matchOn, key);
		// Nodes that match on other questions have the same item under this key.
		const releaseAll = await acquire([], keyOfAllAnswers(answers));
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
			this.forgetExisting();
			return;
		}
		for (const { answers, response } of submissions) {
			const key = this.comparisonKey(answers);
			if (response === undefined) this.addUnknownOfOther(key);
			else this.addCreatedByOther(key, response.id);
		}
	}

	/** The response stands for an item already. Without an ID only the next reading tells which are left. */
	use(id: unknown): void {
		if (isId(id)) this.claimed.add(String(id));
		else this.forgetExisting();
	}

	private forgetExisting(): void {
		this.existing = undefined;
		this.misses++;
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

	addCreated(key: string, id: unknown): void {
		if (this.standsForAll(key)) this.created.set(key, id);
	}

	private addCreatedByOther(key: string, id: unknown): void {
		this.addCreated(key, id);
		// Without an ID only the next reading tells how many there are.
		if (!isId(id) && !this.standsForAll(key)) this.forgetExisting();
		else if (!this.claimed.has(String(id))) this.existing?.include(key, id);
	}

	private addUnknownOfOther(key: string): void {
		if (this.unknown.has(key)) return;
		this.unknown.add(key);
		this.unknownOutcomes++;
	}

	addUnknown(key: string): void {
		if (this.standsForAll(key)) this.unknown.add(key);
	}

	/** @returns the ID of the response that stands for the submission, if one is left */
	claim(existing: ResponseIds, key: string): { id: unknown } | undefined {
		const ids = existing.of(key);
		while (!this.standsForAll(key) && isId(ids[0]) && this.claimed.has(String(ids[0]))) ids.shift();
		if (ids.length === 0) return undefined;
		const [id] = ids;
		if (this.standsForAll(key)) {
			this.unknown.delete(key);
			this.created.set(key, id);
		} else {
			ids.shift();
			if (isId(id)) this.claimed.add(String(id));
		}
		return { id };
	}
}
