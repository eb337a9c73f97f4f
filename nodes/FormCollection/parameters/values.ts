import type { INodePropertyOptions } from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';
import { InvalidInput } from '../transport/errors';
import { parseJson } from '../transport/jsonList';
import { isRecord } from '../transport/records';

/*
 * Expressions give text where a field asks for something else. Each of these functions reads the value of a field, or
 * refuses it (`InvalidInput`) by the name that the field has on screen.
 */

export function toBoolean(name: string, value: unknown): boolean {
	const text = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
	if (text === 'true' || text === '1') return true;
	if (text === 'false' || text === '0') return false;
	throw refusal(name, value, 'enter true or false');
}

/** @returns a whole number of at least 1 */
export function toCount(name: string, value: unknown): number {
	const number = toNumber(value);
	if (Number.isInteger(number) && number >= 1) return number;
	throw refusal(name, value, 'enter a whole number of at least 1');
}

/** @returns milliseconds */
export function toTimeout(name: string, value: unknown): number {
	const seconds = toNumber(value);
	if (seconds > 0 && seconds <= 3600) return seconds * 1000;
	throw refusal(name, value, 'enter a number of seconds from 1 to 3600');
}

/** @returns the value of the choice that has this value or name, in any case */
export function toChoice<Value extends string>(
	name: string,
	value: unknown,
	choices: (INodePropertyOptions & { value: Value })[],
): Value {
	const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
	const choice = choices.find((each) =>
		[each.value, each.name].some((known) => known.toLowerCase() === text),
	);
	if (choice !== undefined) return choice.value;
	throw refusal(name, value, `choose ${choices.map((each) => each.name).join(', ')}`);
}

/** @returns an empty text where there is no value */
export function toText(name: string, value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value !== 'object') return String(value);
	throw refusal(name, value, 'enter text');
}

/** @param value an object, or the JSON text of one */
export function toObject(name: string, value: unknown): Record<string, unknown> {
	const object = parsed(value);
	if (isRecord(object)) return object;
	// The value is not shown: it may be long, or secret.
	throw new InvalidInput(`${name} is not an object: use an expression that returns one`);
}

/** @param value a list, or the JSON text of one */
export function toList(name: string, value: unknown): unknown[] {
	const list = parsed(value);
	if (Array.isArray(list)) return list;
	throw new InvalidInput(`${name} is not a list: use an expression that returns one`);
}

/** Year, month and day, optionally with a time and a zone (ISO 8601) */
const ISO_DATE = /^\d{4}-\d\d-(\d\d)/;

/**
 * @param value a text of ISO 8601, or a date of JavaScript or Luxon; an empty text is no date
 * @param zone of a date that names none
 * @returns Unix epoch milliseconds
 */
export function toMoment(name: string, value: unknown, zone: string): number | undefined {
	if (value === '') return undefined;
	const moment = momentOf(value);
	if (Number.isFinite(moment)) return moment;
	const text = typeof value === 'string' ? value.trim() : '';
	const day = ISO_DATE.exec(text)?.[1];
	const date = parsedDate(text.replace(' ', 'T'), zone);
	// n8n's function takes 30 February for 2 March.
	if (date !== undefined && date.day === Number(day)) return date.toMillis();
	throw refusal(name, value, 'enter a date and time, e.g. 2026-01-31T09:00:00');
}

/** @returns NaN for an invalid date; undefined for what is no date, such as a duration of Luxon, which has `toHuman` */
function momentOf(value: unknown): number | undefined {
	const date = (value ?? {}) as { toHuman?: unknown; toMillis?(): number; getTime?(): number };
	return date.toHuman === undefined ? (date.toMillis?.() ?? date.getTime?.()) : undefined;
}

function parsedDate(text: string, zone: string) {
	try {
		return tryToParseDateTime(text, zone);
	} catch {
		return undefined;
	}
}

function toNumber(value: unknown): number {
	const isNumeric = typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value);
	return typeof value === 'number' || isNumeric ? Number(value) : NaN;
}

function parsed(value: unknown): unknown {
	return typeof value === 'string' ? parseJson(value) : value;
}

const LONGEST_SHOWN = 40;

function refusal(name: string, value: unknown, todo: string): InvalidInput {
	return new InvalidInput(`${name} is ${shown(value)}: ${todo}`);
}

function shown(value: unknown): string {
	if (value === undefined || value === null) return 'an expression that returns no value';
	if (typeof value === 'string' && value.trim() === '') return 'empty';
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
	const text = String(value);
	return `"${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text}"`;
}
