import type { IExecuteFunctions } from 'n8n-workflow';
import type { QueryResult, ResponseQuery } from '../responses/query';
import type { AddHint } from './operation';
import { LimitHint } from './limitHint';
import { formatted, listOf } from './hintText';
import { SharedRequestHint } from './sharedRequestHint';

/** What an input item has got. */
interface Answered {
	/** Names the request that it came with */
	request: string;
	query: ResponseQuery;
	/** Equal for queries that have the same result */
	queryKey: string;
	result: QueryResult;
	form: {
		/** Question keys in answer filters that no response has */
		unanswered: string[];
		/** How many responses were read */
		total: number;
		/** There may be responses that were not read */
		isEndedEarly: boolean;
		/** The service says that there may be more, so nobody knows what is missing */
		isPartial: boolean;
	};
}

/** Counts what the hints of Get Responses tell of the items. */
export class GetResponsesHints {
	private readonly shared = new SharedRequestHint('response');

	private readonly limit: LimitHint;

	private readonly unanswered = new Set<string>();

	private readonly answered = new Set<string>();

	private readonly counts = { withoutMatch: 0, leftOut: 0, empty: 0 };

	/** How many responses the form has, of each item for which none matches */
	private readonly unmatched: number[] = [];

	constructor(context: IExecuteFunctions, addHint: AddHint) {
		this.limit = new LimitHint(context, 'responses');
		const { shared, limit, counts, unmatched } = this;
		addHint(() => shared.text());
		addHint(() => missing(counts.withoutMatch));
		addHint(() => filteredOut(counts.leftOut));
		addHint(() => unansweredHint([...this.unanswered].filter((key) => !this.answered.has(key))));
		addHint(() => emptyHint(counts.empty));
		addHint(() => unmatchedHint(unmatched));
		addHint((outputItems) => limit.text(outputItems));
	}

	add({ request, query, queryKey, result, form }: Answered): void {
		const { counts } = this;
		const { length: returned } = result.responses;
		this.shared.add({ request, query: queryKey, returned });
		// With "Is Empty", say, the first responses match, and one that was not read may have an answer.
		const mayBeAnswered = form.isEndedEarly && returned > 0;
		for (const { question } of query.answerFilters) {
			if (!form.unanswered.includes(question)) {
				if (form.total > 0) this.answered.add(question);
			} else if (!mayBeAnswered) this.unanswered.add(question);
		}
		if (result.isCut) this.limit.add({ returned, total: result.total });
		if (returned > 0) return;
		if (result.isIdFound) counts.leftOut++;
		else if (form.isPartial) return;
		else if (query.responseId === undefined && form.total === 0) counts.empty++;
		else if (query.responseId === undefined) this.unmatched.push(form.total);
		else counts.withoutMatch++;
	}
}

function missing(items: number): string | undefined {
	if (items === 0) return undefined;
	if (items === 1) return 'The form has no response with this Response ID';
	return `For ${formatted(items)} items the form has no response with their Response ID`;
}

function filteredOut(items: number): string | undefined {
	if (items === 0) return undefined;
	const why = 'does not match Answer Filters, Created After, or Created Before';
	if (items === 1) return `The response with this Response ID ${why}`;
	return `For ${formatted(items)} items the response with their Response ID ${why}`;
}

function unansweredHint(questions: string[]): string | undefined {
	if (questions.length === 0) return undefined;
	return `None of the responses that were read has an answer to ${quoted(questions)}: check the question in Answer Filters`;
}

function emptyHint(items: number): string | undefined {
	if (items === 0) return undefined;
	if (items === 1) return 'The form has no responses yet';
	return `For ${formatted(items)} items the form has no responses yet`;
}

/** @param totals how many responses the form has, of each item without an output */
function unmatchedHint(totals: number[]): string | undefined {
	const [total, ...others] = totals;
	if (total === undefined) return undefined;
	const filters = 'Answer Filters, Created After, or Created Before';
	if (others.length > 0)
		return `For ${formatted(totals.length)} items no response matches ${filters}`;
	return `None of the responses (${formatted(total)}) matches ${filters}`;
}

/** Question keys, for a message */
export function quoted(keys: string[]): string {
	return listOf(keys.map((key) => `"${key}"`));
}
