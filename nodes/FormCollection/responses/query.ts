import type { ResponseRecord } from '../transport/records';
import { createdAt } from '../transport/records';
import { type AnswerFilter, matcherOf } from './answerFilters';

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
	/** `newestFirst`, `oldestFirst`; anything else leaves the order as it is */
	order: unknown;
	limit: number;
}

export interface QueryResult {
	responses: ResponseRecord[];
	/** Whether the limit left something out, or may have: in the order received, nothing is read past it */
	isCut: boolean;
	/** How many there are without the limit; undefined where nothing was read past it */
	total?: number;
	/** Whether a response has the ID that is asked for, also if a filter leaves it out */
	isIdFound: boolean;
}

/** Gets the responses of a form one by one and keeps no more of them than the query may want. */
export function selectionOf(query: ResponseQuery) {
	const { from, before, answerFilters, responseId, order, limit } = query;
	const isBounded = from !== -Infinity || before !== Infinity;
	const matches = matcherOf(answerFilters);
	const compare = comparisons[String(order)];
	// Up to twice the limit is kept before it is sorted and cut, so that sorting is rare.
	const mostKept = Math.max(2 * limit, 1_000);
	let kept: Kept[] = [];
	let found = 0;
	let isIdFound = false;

	const best = () => (compare ? kept.sort(compare).slice(0, limit) : kept);

	return {
		add(response: ResponseRecord): void {
			if (responseId !== undefined && String(response.id) !== responseId) return;
			isIdFound = responseId !== undefined;
			const time = isBounded || compare ? createdAt(response) : undefined;
			// Responses without a readable time are left out as soon as there is a bound.
			if (isBounded && !(time !== undefined && time >= from && time < before)) return;
			if (!matches(response)) return;
			found++;
			kept.push({ time, response });
			if (compare && kept.length > mostKept) kept = best();
		},
		isFull: () => isIdFound || (!compare && kept.length >= limit),
		result: (): QueryResult => ({
			responses: best().map(({ response }) => response),
			isCut: !isIdFound && (compare ? found > limit : kept.length >= limit),
			total: compare && found,
			isIdFound,
		}),
	};
}

export type ResponseSelection = ReturnType<typeof selectionOf>;

interface Kept {
	time: number | undefined;
	response: ResponseRecord;
}

type Comparison = (a: Kept, b: Kept) => number;

/** Responses without a readable time come last. NaN, of two infinite times, counts as equal. */
const comparisons: Record<string, Comparison | undefined> = {
	newestFirst: (a, b) => (b.time ?? -Infinity) - (a.time ?? -Infinity),
	oldestFirst: (a, b) => (a.time ?? Infinity) - (b.time ?? Infinity),
};
