import { isAnswer } from '../transport/records';

const MATCH = 'match ';

/**
 * The comparison key of answers: a text that is equal for equal answers, whatever the order of their question
 * keys. An empty answer counts as none, and a list of one text as that text.
 *
 * @param matchOn the questions that are compared; all if there are none, or none of them is answered
 * @returns undefined for what the service lists without answers that can be compared
 */
export function comparisonKey(answers: Record<string, unknown>, matchOn: string[]) {
	const values = matchOn.map((question) => {
		const value = Object.hasOwn(answers, question) ? single(answers[question]) : null;
		return isAnswer(value) && !isBlank(value) ? value : null;
	});
	if (values.some((value) => value !== null)) return MATCH + JSON.stringify(values);
	return keyOfAllAnswers(answers);
}

/** Those of the questions to match on that the answers have, even if they are empty */
export function answeredOf(answers: object, matchOn: string[]): string[] {
	return matchOn.filter((question) => Object.hasOwn(answers, question));
}

/** Whether a comparison key is of questions to match on: then one response stands for any number of items. */
export function isMatchOnKey(key: string): boolean {
	return key.startsWith(MATCH);
}

/** The comparison key of all answers; undefined if one of them is not text or a list of text. */
export function keyOfAllAnswers(answers: Record<string, unknown>): string | undefined {
	const answered = Object.entries(answers)
		.map(([key, answer]) => [key, single(answer)] as const)
		.filter(([, answer]) => !isEmpty(answer));
	if (!answered.every(([, answer]) => isAnswer(answer))) return undefined;
	return JSON.stringify(answered.sort(byKey));
}

/** One chosen option is the same answer as a text and as a list. */
function single(answer: unknown): unknown {
	return Array.isArray(answer) && answer.length === 1 ? (answer[0] as unknown) : answer;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
	return a < b ? -1 : 1;
}

/** A cell that only looks empty is nothing to match on. */
function isBlank(answer: unknown): boolean {
	return isEmpty(typeof answer === 'string' ? answer.trim() : answer);
}

function isEmpty(answer: unknown): boolean {
	return answer === null || answer === '' || (Array.isArray(answer) && answer.length === 0);
}
