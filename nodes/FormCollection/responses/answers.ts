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
	const isPlain = typeof value === 'boolean' || Number.isFinite(value);
	const text = isPlain ? String(value) : dateText(value ?? {});
	if (text !== undefined) return text;
	throw new InvalidInput(
		`The answer to "${key.slice(0, 40)}" cannot be sent: map text, a number, true or false, a date, or a list of these`,
	);
}

interface DateLike {
	/** Of Luxon, whose durations have `toHuman`, too */
	toISO?(): string;
	toHuman?: unknown;
	toISOString?(): string;
	valueOf(): unknown;
}

/** @returns ISO 8601, of a date of JavaScript or Luxon; undefined for anything else, an invalid date included */
function dateText(date: DateLike): string | undefined {
	if (date.toHuman !== undefined || !Number.isFinite(date.valueOf())) return undefined;
	return date.toISO?.() ?? date.toISOString?.();
}
