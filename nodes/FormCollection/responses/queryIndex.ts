import type { ResponseRecord } from '../transport/records';
import { type AnswerFilter, folded, textsOf } from './answerFilters';
import type { ResponseQuery } from './query';

/**
 * Which of many queries a response may be wanted by, without asking each: a workflow that looks up
 * thousands of items by ID or email address makes as many queries of one form.
 *
 * @returns for a response all values whose query may want it, and others
 */
export function indexQueries<Value>(queries: Iterable<readonly [ResponseQuery, Value]>) {
	const byId = new Map<string, Value[]>();
	const byAnswer = new Map<string, Map<string, Value[]>>();
	const others: Value[] = [];
	const all = [...queries];
	const sharing = new Map<string, number>();
	for (const [query] of all) {
		for (const key of equalKeysOf(query)) sharing.set(key, (sharing.get(key) ?? 0) + 1);
	}

	for (const [query, value] of all) {
		const { responseId } = query;
		// By the one that the fewest queries share, such as an email address rather than a status.
		const equal = leastOf(equalFiltersOf(query), (filter) => sharing.get(keyOf(filter)) ?? 0);
		if (responseId !== undefined) {
			listIn(byId, responseId).push(value);
		} else if (equal !== undefined) {
			const byText = byAnswer.get(equal.question) ?? new Map<string, Value[]>();
			byAnswer.set(equal.question, byText);
			listIn(byText, folded(equal.value)).push(value);
		} else {
			others.push(value);
		}
	}

	return ({ id, answers }: ResponseRecord): Iterable<Value> => {
		if (byId.size === 0 && byAnswer.size === 0) return others;
		const found = new Set([...others, ...(byId.get(String(id)) ?? [])]);
		for (const [question, byText] of byAnswer) {
			for (const text of textsOf(answers, question)) {
				byText.get(text)?.forEach((value) => found.add(value));
			}
		}
		return found;
	};
}

const equalFiltersOf = ({ answerFilters }: ResponseQuery) =>
	answerFilters.filter(({ condition }) => condition === 'equals');

const keyOf = ({ question, value }: AnswerFilter) => JSON.stringify([question, folded(value)]);

const equalKeysOf = (query: ResponseQuery) => new Set(equalFiltersOf(query).map(keyOf));

/** @returns the first one of those for which the count is the lowest */
function leastOf<Item>(items: Item[], countOf: (item: Item) => number): Item | undefined {
	let least: Item | undefined;
	for (const item of items) {
		if (least === undefined || countOf(item) < countOf(least)) least = item;
	}
	return least;
}

function listIn<Value>(lists: Map<string, Value[]>, key: string): Value[] {
	const list = lists.get(key) ?? [];
	lists.set(key, list);
	return list;
}
