import { InvalidInput } from '../transport/errors';
import { parseJson, repeatedKey } from '../transport/json';
import { SHORTEST_PART } from '../transport/redaction';
import type { Answers } from '../transport/records';
import { isRecord } from '../transport/records';

/**
 * Answers as the API takes them. Text passes as it is, numbers and booleans become text, lists of
 * these become lists of text, `undefined` and `null` are left out.
 *
 * @param entries pairs of question key and value
 * @throws InvalidInput naming the question key of any other value, or if no answer is left
 */
export function toAnswers(entries: [string, unknown][]): Answers {
	const answers: [string, string | string[]][] = [];
	for (const [key, value] of entries) {
		if (value === undefined || value === null) continue;
		if (key.trim() === '')
			throw new InvalidInput('An answer has no question key: enter the key that it belongs to');
		answers.push([key, Array.isArray(value) ? answerTexts(key, value) : answerText(key, value)]);
	}
	if (answers.length === 0) {
		throw new InvalidInput('This item has no answers: enter an answer to at least one question');
	}
	// Unlike an assignment, this keeps a key named `__proto__`.
	return Object.fromEntries(answers);
}

/**
 * The answers of a mapping. An empty cell is an unanswered question, and so is a list of nothing but empty
 * text, which an expression such as `{{ $json.topics.split(',') }}` returns for an empty cell.
 *
 * @throws InvalidInput as `toAnswers`
 */
export function toAnswersFromCells(cells: [string, unknown][]): Answers {
	return toAnswers(cells.filter(([, value]) => !isEmptyCell(value)));
}

function isEmptyCell(value: unknown): boolean {
	if (!Array.isArray(value)) return value === '';
	// `every` would pass over the gaps of a list, which `answerTexts` is to refuse.
	return value.length > 0 && Array.from<unknown>(value).every((option) => option === '');
}

/**
 * The answers of rows of key and value. Rows with the same key become one list in their order, without
 * those that have no value.
 *
 * @throws InvalidInput as `toAnswers`, and for a row or key of another type
 */
export function toAnswersFromRows(rows: unknown[]): Answers {
	const valuesByKey = new Map<string, unknown[]>();
	for (const row of rows) {
		if (!isRecord(row)) {
			throw new InvalidInput(
				`A row of Answers is ${nameOf(row)}: enter a question key and an answer`,
			);
		}
		const { key, value } = row;
		if (typeof key === 'object' && key !== null) {
			throw new InvalidInput(`A Question Key is ${nameOf(key)}: enter the key as text`);
		}
		const name = String(key ?? '');
		if (name.trim() !== '' && name !== name.trim()) {
			throw new InvalidInput(
				`The Question Key ${JSON.stringify(name)} begins or ends with spaces or a line break: remove them, or choose As JSON under Enter Answers if the key really has them`,
			);
		}
		const values = valuesByKey.get(name);
		if (values === undefined) valuesByKey.set(name, [value]);
		else values.push(value);
	}
	const answers = [...valuesByKey].map(([key, values]) => [key, answerOf(key, values)] as const);
	// A blank row of a spreadsheet; beside other answers, an empty one is meant.
	const isBlank = answers.every(([key, answer]) => isBlankAnswer(answer) && key.trim() !== '');
	return toAnswers(isBlank ? [] : answers.map(([key, answer]) => [key, answer]));
}

function isBlankAnswer(answer: unknown): boolean {
	if (Array.isArray(answer) && answer.length === 0) return true;
	return answer === undefined || answer === null || isEmptyCell(answer);
}

function answerOf(key: string, values: unknown[]): unknown {
	if (values.length === 1) return values[0];
	// Where n8n makes empty rows of what an expression returns, `toAnswers` is to refuse them.
	const isGiven = (value: unknown) => value !== '' || key.trim() === '';
	const given = values
		.filter((value) => value !== undefined && value !== null && isGiven(value))
		// `flat` would drop the gaps of a list, which `answerTexts` is to refuse.
		.flatMap((value) => (Array.isArray(value) ? Array.from<unknown>(value) : [value]));
	return given.length > 0 ? given : undefined;
}

/**
 * The answers in a JSON object, or in the text of one.
 *
 * @throws InvalidInput as `toAnswers`, and for what is no JSON object, or has a question key twice
 */
export function toAnswersFromJson(json: unknown): Answers {
	const value = typeof json === 'string' ? parseAnswers(json) : json;
	if (!isRecord(value)) {
		throw new InvalidInput(
			`Answers (JSON) is ${nameOf(value)}: enter an object of question keys and answers, e.g. { "email": "ada@example.com" }`,
		);
	}
	const repeated = typeof json === 'string' ? repeatedKey(json) : undefined;
	if (repeated !== undefined) {
		throw new InvalidInput(
			`Answers (JSON) has the question key "${repeated}" twice: enter it once, with a list for several options. ${FROM_ITEM}`,
		);
	}
	return toAnswers(Object.entries(value));
}

/** @throws InvalidInput if an answer, or the key of one, has the API key of the account in it */
export function refuseApiKey(answers: Answers, apiKey: string): void {
	if (apiKey.length < SHORTEST_PART) return;
	for (const [key, answer] of Object.entries(answers)) {
		if (key.includes(apiKey)) {
			throw new InvalidInput(
				'A question key contains the API key of the credential: leave the field out, e.g. with Edit Fields before this node',
			);
		}
		if ([answer].flat().some((text) => text.includes(apiKey))) {
			throw new InvalidInput(
				`The answer to "${key}" contains the API key of the credential: leave the field out, e.g. with Edit Fields before this node`,
			);
		}
	}
}

/** What somebody has typed into a form may have quotes in it, which end the text and begin another answer. */
const FROM_ITEM =
	'For a value of the item, write {{ JSON.stringify(… ?? null) }} without quotes around it';

/** @throws InvalidInput unless it is JSON */
export function parseAnswers(json: string): unknown {
	try {
		// Some programs begin text with a byte order mark.
		return parseJson(json.replace(/^\uFEFF/, ''));
	} catch (error) {
		throw invalidJson(error);
	}
}

function invalidJson(error: unknown): InvalidInput {
	return new InvalidInput(
		`Answers (JSON) is not valid JSON: check quotes, commas and brackets. ${FROM_ITEM}`,
		error instanceof Error ? error.message.replace(EXCERPT, ' in JSON') : undefined,
	);
}

/** What `JSON.parse` quotes of its text, which may have the API key in it. */
const EXCERPT = /, (?:\.{3})?"[^]*"(?:\.{3})? is not valid JSON$/;

/** What Luxon and JavaScript write for a date, a duration or an interval that they could not read */
const UNREADABLE = 'Invalid (?:DateTime|Date|Duration|Interval)';

const UNREADABLE_TEXT = new RegExp(String.raw`^\s*${UNREADABLE}\s*$`);

const PLACEHOLDER = new RegExp(String.raw`\[object Object\]|${UNREADABLE}`);

/** Whether JavaScript or Luxon has written into the text that a value has no text of its own. */
export function hasPlaceholder(text: string): boolean {
	return PLACEHOLDER.test(text);
}

/** Objects of Luxon and JavaScript, by a method that only these have */
const CONVERSIONS = [
	['toHuman', 'a duration', `to text with toHuman(), or to a number with as('days')`],
	['toDuration', 'an interval', `to a number with length('days')`],
	['toISO', 'a date', 'to text with toISO()'],
	['toISOString', 'a date', 'to text with toISOString()'],
] as const;

function answerTexts(key: string, list: unknown[]): string[] {
	// Unlike `map`, this does not pass over gaps.
	return Array.from(list, (part) => {
		if (part !== undefined && part !== null) return answerText(key, part);
		throw new InvalidInput(
			`The answer to "${key}" is a list with an empty entry: remove the entry, e.g. with compact(), in the expression or before this node`,
		);
	});
}

function answerText(key: string, value: unknown): string {
	if (typeof value === 'string' && !UNREADABLE_TEXT.test(value)) return value;
	if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
	if (Number.isFinite(value)) return String(value);
	const conversion = CONVERSIONS.find(([method]) => isRecord(value) && method in value);
	if (typeof value === 'string' || (conversion !== undefined && isUnreadable(value as object))) {
		throw new InvalidInput(
			`The answer to "${key}" is a date that could not be read: check the value and its format, in the expression or before this node, and return null where there is no date`,
		);
	}
	if (conversion !== undefined) {
		const [, name, how] = conversion;
		throw new InvalidInput(
			`The answer to "${key}" is ${name}: convert it ${how}, in the expression or before this node`,
		);
	}
	if (Array.isArray(value)) {
		throw new InvalidInput(
			`The answer to "${key}" is a list of lists: make it one list, e.g. with flat(), in the expression or before this node`,
		);
	}
	throw new InvalidInput(
		`The answer to "${key}" is ${nameOf(value)}: map text, a number, true or false, or a list of these`,
	);
}

function isUnreadable(value: { isValid?: unknown }): boolean {
	return value.isValid === false || Number.isNaN(value.valueOf());
}

function nameOf(value: unknown): string {
	if (value === undefined || value === null) return 'empty';
	if (Array.isArray(value)) return 'a list';
	if (Number.isFinite(value)) return 'a number';
	if (typeof value === 'number') return `not a number that can be sent (${value})`;
	if (typeof value === 'boolean') return String(value);
	// Not the text itself: it may be the API key.
	if (typeof value === 'string') return 'text';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
