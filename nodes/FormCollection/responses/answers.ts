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
			'This item has no answers: enter an answer to at least one question',
			'If its answers are in the field "answers", turn on Flatten Answers where you read them, or choose As JSON.',
		);
	}
	// Unlike an assignment, this keeps a key named `__proto__`.
	return Object.fromEntries(answers);
}

/** Where a table or a mapping has an empty cell there is no answer; in a list, only the other options count. */
export function withoutEmpty(value: unknown): unknown {
	if (value === '') return undefined;
	if (!Array.isArray(value)) return value;
	const options = value.filter((part) => part !== '' && part !== undefined && part !== null);
	return options.length > 0 ? options : undefined;
}

function toAnswerText(key: string, value: unknown): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
	if (typeof value === 'number' && Number.isFinite(value)) return String(value);
	const text = typeof value === 'object' && value !== null ? dateText(value) : undefined;
	if (text !== undefined) return text;
	throw new InvalidInput(
		`The answer to "${key.slice(0, 40)}" is ${nameOf(value)}: map text, a number, true or false, a date, or a list`,
	);
}

/** @returns ISO 8601 of a date of JavaScript or Luxon; undefined for anything else, and for an invalid date */
function dateText(value: {
	toISO?: unknown;
	toMillis?: unknown;
	toISOString?: unknown;
}): string | undefined {
	const read = value.toMillis === undefined ? value.toISOString : value.toISO;
	if (typeof read !== 'function' || Number.isNaN(value.valueOf())) return undefined;
	return (read.call(value) as string | null) ?? undefined;
}

function nameOf(value: unknown): string {
	if (value === undefined || value === null) return 'a list with an empty entry';
	if (Array.isArray(value)) return 'a list of lists';
	if (typeof value === 'number') return `${value}, not a number that can be sent`;
	const isDate = typeof (value as { valueOf(): unknown }).valueOf() === 'number';
	return isDate ? 'an invalid date' : 'an object';
}
