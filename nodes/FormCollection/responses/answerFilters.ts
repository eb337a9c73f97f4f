import type { IDataObject } from 'n8n-workflow';
import type { ResponseRecord } from '../transport/records';
import { isRecord } from '../transport/records';

/** Saved in workflows: never changes once released */
export type Condition = keyof typeof conditions;

export interface AnswerFilter {
	/** The question key */
	question: string;
	condition: Condition;
	/** Not used by `isEmpty` and `isNotEmpty` */
	value: string;
}

/** The texts of an answer and the value, both folded. A multiple-choice answer has many texts. */
type Test = (texts: string[], value: string) => boolean;

const equals: Test = (texts, value) => texts.includes(value);
const contains: Test = (texts, value) => texts.some((text) => text.includes(value));
const isEmpty: Test = (texts) => texts.every((text) => text.trim() === '');

const not =
	(test: Test): Test =>
	(texts, value) =>
		!test(texts, value);

const conditions = {
	equals,
	notEquals: not(equals),
	contains,
	notContains: not(contains),
	isEmpty,
	isNotEmpty: not(isEmpty),
} satisfies Record<string, Test>;

/** @returns whether all filters hold for a response */
export function matcherOf(filters: AnswerFilter[]): (response: ResponseRecord) => boolean {
	const wanted = filters.map((filter) => ({ ...filter, value: folded(filter.value) }));
	return ({ answers }) =>
		wanted.every(({ question, condition, value }) =>
			conditions[condition](textsOf(answers, question), value),
		);
}

/**
 * Upper case, as the lower case of a letter may depend on its place in the word (σ, ς), or be another (ß).
 * İ, ı and I are the same, and é is the same whether it is one character or e and an accent.
 */
export function folded(text: string): string {
	return text.toUpperCase().normalize().replaceAll('İ', 'I').replaceAll('ẞ', 'SS');
}

/** Whether there is an answer to the question, maybe an empty one. */
export function hasQuestion(answers: unknown, question: string): answers is IDataObject {
	// A question may have a name that every object has.
	return isRecord(answers) && Object.hasOwn(answers, question);
}

/** Which questions of the filters none of the responses has that are added one by one */
export function collectUnanswered(filters: AnswerFilter[]) {
	const unanswered = new Set(filters.map(({ question }) => question));
	let isEmpty = true;
	return {
		add({ answers }: ResponseRecord): void {
			isEmpty = false;
			for (const question of unanswered) {
				if (hasQuestion(answers, question)) unanswered.delete(question);
			}
		},
		/** None where there are no responses */
		result: () => (isEmpty ? [] : [...unanswered]),
	};
}

/** @returns the texts of the answer to a question, folded */
export function textsOf(answers: unknown, question: string): string[] {
	if (!hasQuestion(answers, question)) return [];
	return [answers[question]]
		.flat()
		.filter((part) => part !== null && typeof part !== 'object')
		.map((part) => folded(String(part)));
}
