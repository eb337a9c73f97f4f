import type { ResponseRecord } from '../transport/records';
import { folded, textsOf } from './answerFilters';
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

	for (const [{ responseId, answerFilters }, value] of queries) {
		const equal = answerFilters.find(({ condition }) => condition === 'equals');
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

function listIn<Value>(lists: Map<string, Value[]>, key: string): Value[] {
	const list = lists.get(key) ?? [];
	lists.set(key, list);
	return list;
}
