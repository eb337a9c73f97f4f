import type { ResponseRecord } from '../transport/records';
import { type AnswerFilter, matcherOf } from './answerFilters';
import { createdAt } from './createdAt';

export type Order = 'newestFirst' | 'oldestFirst' | 'asReceived';

/** Which responses of a form are wanted: filter, then order, then limit. */
export interface ResponseQuery {
	/** Unix epoch milliseconds; responses created at this moment count */
	from: number;
	/** Unix epoch milliseconds; responses created at this moment do not count */
	before: number;
	/** All must hold */
	answerFilters: AnswerFilter[];
	/** Nothing is read past the response with this ID; undefined for all responses */
	responseId?: string;
	order: Order;
	limit: number;
}

/** All responses, the newest first */
export const EVERYTHING: ResponseQuery = {
	from: -Infinity,
	before: Infinity,
	answerFilters: [],
	order: 'newestFirst',
	limit: Infinity,
};

export interface QueryResult {
	responses: ResponseRecord[];
	/** How many match, whatever the limit; at least so many where nothing was read past the limit */
	matches: number;
}

interface Kept {
	time: number;
	response: ResponseRecord;
}

/** The fewest that are kept before they are sorted and cut */
const LEAST_KEPT = 1_000;

/** Gets the responses of a form one by one, and keeps no more of them than the query may want. */
export class ResponseSelection {
	private readonly matches: (answers: unknown) => boolean;

	/** Larger is better, so that what comes first in the output has the largest. */
	private readonly sign: number;

	private kept: Kept[] = [];

	private matched = 0;

	private isIdFound = false;

	constructor(private readonly query: ResponseQuery) {
		this.matches = matcherOf(query.answerFilters);
		this.sign = query.order === 'oldestFirst' ? -1 : 1;
	}

	/** Whether no more responses are of use */
	get isFull(): boolean {
		const { order, limit } = this.query;
		return this.isIdFound || (order === 'asReceived' && this.kept.length >= limit);
	}

	add(response: ResponseRecord): void {
		const { from, before, responseId, limit } = this.query;
		if (responseId !== undefined && String(response.id) !== responseId) return;
		this.isIdFound = responseId !== undefined;
		const created = createdAt(response);
		// Responses without a readable time are left out as soon as there is a bound, and come last in any order.
		const isBounded = from !== -Infinity || before !== Infinity;
		if (created === undefined ? isBounded : created < from || created >= before) return;
		if (!this.matches(response.answers)) return;
		this.matched++;
		const time = created === undefined ? -Infinity : created * this.sign;
		this.kept.push({ time, response });
		// Not in the order as received, where the limit comes first.
		if (this.kept.length > 2 * limit + LEAST_KEPT) this.kept = this.best();
	}

	result(): QueryResult {
		return { responses: this.best().map(({ response }) => response), matches: this.matched };
	}

	private best(): Kept[] {
		const { order, limit } = this.query;
		if (order === 'asReceived') return this.kept;
		// NaN, of two infinite times, counts as equal.
		return this.kept.sort((a, b) => b.time - a.time).slice(0, limit);
	}
}
