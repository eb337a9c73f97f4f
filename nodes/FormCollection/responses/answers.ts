import { InvalidInput } from '../transport/errors';
import type { Answers } from '../transport/records';

/**
 * Answers as the API takes them: text stays as it is; numbers, true, false and dates become text; lists become lists of
 * text; `undefined` and `null` are left out.
 *
 * @param entries pairs of question key and value
 * @throws InvalidInput naming the question key of any other value, or if no answer is left
 */
export function toAnswers(entries: Iterable<readonly [string, unknown]>): Answers {
	const answers: [string, string | string[]][] = [];
	for (const [key, value] of entries) {
		if (value === undefined || value === null) continue;
		if (key.trim() === '') {
			throw new InvalidInput('An answer has no question key: enter the key that it belongs to');
		}
		const answer = Array.isArray(value)
			? value.map((part) => toAnswerText(key, part))
			: toAnswerText(key, value);
		answers.push([key, answer]);
	}
	if (answers.length === 0) {
		throw new InvalidInput(
			'This item has no answers: fill in at least one, or remove the item before this node',
			'If Answers shows no questions, choose By Question Key under Enter Answers. If the item has its answers in the field "answers", choose As JSON.',
		);
	}
	// Unlike an assignment, this keeps a key named `__proto__`.
	return Object.fromEntries(answers);
}

/** Where a table or a mapping has an empty cell there is no answer; in a list, only the other options count. */
export function withoutEmpty(value: unknown): unknown {
	if (value === '') return undefined;
	if (!Array.isArray(value)) return value;
	const options = value.filter((part) => part !== '');
	return options.length > 0 ? options : undefined;
}

function toAnswerText(key: string, value: unknown): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
	if (typeof value === 'number' && Number.isFinite(value)) return String(value);
	if (typeof value === 'object' && isDate(value)) return dateText(value);
	throw new InvalidInput(
		`The answer to "${key.slice(0, 40)}" is ${nameOf(value)}: map text, a number, true or false, a date, or a list`,
	);
}

interface DateLike {
	/** Of Luxon, and null for an invalid date; its durations have `toHuman`, too */
	toISO?(): string | null;
	toHuman?: unknown;
	toISOString?(): string;
	valueOf(): unknown;
}

/** Whether it is a date of JavaScript or Luxon */
function isDate(value: object | null): value is DateLike {
	const date = (value ?? {}) as DateLike;
	return (
		(date.toISO ?? date.toISOString) !== undefined &&
		date.toHuman === undefined &&
		Number.isFinite(date.valueOf())
	);
}

/** ISO 8601 */
function dateText(date: DateLike): string {
	return date.toISO?.() ?? date.toISOString?.() ?? '';
}

function nameOf(value: unknown): string {
	if (value === undefined || value === null) return 'a list with an empty entry';
	if (Array.isArray(value)) return 'a list of lists';
	if (typeof value === 'number') return `${value}, not a number that can be sent`;
	return typeof value === 'object' && Number.isNaN(value.valueOf())
		? 'an invalid date'
		: 'an object';
}
