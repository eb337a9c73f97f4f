import type { INodePropertyOptions } from 'n8n-workflow';
import { isRecord, type ResponseRecord } from '../transport/records';

export type Condition =
	| 'contains'
	| 'notContains'
	| 'notEquals'
	| 'equals'
	| 'isEmpty'
	| 'isNotEmpty';

export const conditions: (INodePropertyOptions & { value: Condition })[] = [
	{ name: 'Contains', value: 'contains' },
	{ name: 'Does Not Contain', value: 'notContains' },
	{ name: 'Does Not Equal', value: 'notEquals' },
	{ name: 'Equals', value: 'equals' },
	{ name: 'Is Empty', value: 'isEmpty' },
	{ name: 'Is Not Empty', value: 'isNotEmpty' },
];

export const conditionsWithoutValue: Condition[] = ['isEmpty', 'isNotEmpty'];

export interface AnswerFilter {
	/** The question key */
	question: string;
	condition: Condition;
	value: string;
}

/** The texts of an answer and the value, all folded. A multiple-choice answer has many texts. */
type Test = (texts: string[], value: string) => boolean;

const tests: Record<Condition, Test> = {
	equals: (texts, value) => texts.includes(value),
	notEquals: (texts, value) => !texts.includes(value),
	contains: (texts, value) => texts.some((text) => text.includes(value)),
	notContains: (texts, value) => !texts.some((text) => text.includes(value)),
	isEmpty: (texts) => texts.every((text) => text === ''),
	isNotEmpty: (texts) => texts.some((text) => text !== ''),
};

/** @returns whether all filters hold for the answers of a response */
export function matcherOf(filters: AnswerFilter[]): (answers: unknown) => boolean {
	const wanted = filters.map(({ question, condition, value }) => ({
		question,
		test: tests[condition],
		value: folded(value),
	}));
	return (answers) =>
		wanted.every(({ question, test, value }) => test(foldedTexts(answers, question), value));
}

/** Which questions of the filters none of the responses has that are added one by one */
export function collectUnanswered(filters: AnswerFilter[]) {
	const unanswered = new Set(filters.map(({ question }) => question));
	let isEmpty = true;
	return {
		add({ answers }: ResponseRecord): void {
			isEmpty = false;
			for (const question of unanswered) {
				if (isRecord(answers) && Object.hasOwn(answers, question)) unanswered.delete(question);
			}
		},
		/** None where there are no responses */
		result: () => (isEmpty ? [] : [...unanswered]),
	};
}

/** For comparisons that ignore case and surrounding spaces */
export function folded(text: string): string {
	return text.trim().toLowerCase().normalize();
}

/** @returns the texts of the answer to a question, folded; none where there is no answer */
export function foldedTexts(answers: unknown, question: string): string[] {
	if (!isRecord(answers) || !Object.hasOwn(answers, question)) return [];
	return textsOf(answers[question]).map(folded);
}

/** The texts of an answer; what the service lists may be anything. */
export function textsOf(answer: unknown): string[] {
	const parts: unknown[] = Array.isArray(answer) ? answer : [answer];
	return parts.filter((part) => part !== undefined && typeof part !== 'object').map(String);
}
