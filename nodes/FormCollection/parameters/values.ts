import type { INodePropertyOptions } from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';
import { InvalidInput } from '../transport/errors';
import { isRecord } from '../transport/records';
import { parseInternetDate, parseIso8601 } from '../transport/timestamp';

/*
 * Expressions and n8n's variables give text where a field asks for something else. Each of these reads
 * the value of a field, or refuses it by the name that the field has on screen.
 */

/** @throws InvalidInput unless it is true or false, 1 or 0, or the text of one of these */
export function toBoolean(name: string, value: unknown): boolean {
	const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
	if (text === true || text === 'true' || text === 1 || text === '1') return true;
	if (text === false || text === 'false' || text === 0 || text === '0') return false;
	throw refusal(name, value, 'enter true or false');
}

/** @throws InvalidInput unless it is a whole number of at least 1, or the text of one */
export function toWholeNumber(name: string, value: unknown): number {
	const number = numberOf(value);
	if (Number.isInteger(number) && number >= 1) return number;
	throw refusal(name, value, 'enter a whole number of at least 1');
}

/** @returns milliseconds */
export function toTimeout(name: string, value: unknown): number {
	const seconds = numberOf(value);
	if (seconds > 0 && seconds <= 3600) return seconds * 1000;
	throw refusal(name, value, 'enter a number of seconds from 1 to 3600');
}

/**
 * @param choices those of the field: a text may be the value or the name of one, in any case
 * @returns the value of the choice
 */
export function toChoice(name: string, value: unknown, choices: INodePropertyOptions[]): string {
	const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
	const choice = choices.find((each) =>
		[each.value, each.name].some((known) => String(known).toLowerCase() === text),
	);
	if (choice !== undefined) return String(choice.value);
	const names = choices.map((each) => each.name);
	const last = names.pop();
	throw refusal(name, value, `choose ${names.length > 0 ? `${names.join(', ')} or ` : ''}${last}`);
}

/**
 * For a choice that other fields depend on. A fixed one must be the value: n8n takes a name for another
 * choice, and drops the fields that depend on the right one. An expression may give the name.
 *
 * @param entered the parameter of the node, expressions not evaluated
 */
export function refuseFixedName(
	name: string,
	entered: unknown,
	choices: INodePropertyOptions[],
): void {
	if (typeof entered !== 'string' || entered.startsWith('=')) return;
	if (choices.some(({ value }) => value === entered)) return;
	const choice = choices.find(({ value }) => value === toChoice(name, entered, choices));
	throw new InvalidInput(
		`${name} is ${shown(entered)}, for which n8n does not keep the fields below it: choose ${choice?.name} from the list again, and fill in these fields`,
	);
}

/** @returns an empty text where there is no value */
export function toText(name: string, value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value !== 'object') return String(value);
	throw refusal(name, value, 'enter text');
}

/** Without what nobody sees at its ends: spaces, line breaks, and what is copied from web pages and windows unnoticed */
export function trimmed(text: string): string {
	return text.replace(/^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu, '');
}

/** @throws InvalidInput if there is no value, or one that has no text of its own */
export function toOptionText(name: string, value: unknown, advice: string): string {
	if (value !== undefined && value !== null) return toText(name, value);
	throw new InvalidInput(`${name} has an expression that returns no value: ${advice}`);
}

/** @returns those that are not empty of a list of texts, of the JSON text of one, or of a single text */
export function toTexts(name: string, value: unknown): string[] {
	const list = Array.isArray(value) ? value : (listIn(value) ?? [value]);
	return list.map((part) => toText(name, part)).filter((text) => text.trim() !== '');
}

/** @throws InvalidInput unless it is a list, or the JSON text of one */
export function toList(name: string, value: unknown): unknown[] {
	const list = parsed(value);
	if (Array.isArray(list)) return list;
	throw refusal(name, value, 'enter a list');
}

/** @throws InvalidInput unless it is an object, or the JSON text of one */
export function toObject(name: string, value: unknown): Record<string, unknown> {
	const object = parsed(value);
	if (isRecord(object)) return object;
	throw refusal(name, value, 'enter an object');
}

/**
 * @param zone of a date that names none
 * @returns Unix epoch milliseconds, undefined where there is no value
 */
export function toMoment(name: string, value: unknown, zone: string): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const moment = momentOf(value, zone);
	if (moment !== undefined) return moment;
	throw refusal(name, value, 'enter a date and time, e.g. 2026-01-31T09:00:00');
}

/** @returns the value of an option, its default where the option was not added to the node */
export function optionOf(options: object, name: string, byDefault: unknown): unknown {
	const value = name in options ? (options as Record<string, unknown>)[name] : byDefault;
	// For options saved as [], which is what PHP makes of {}, n8n gives as `sort` the method of the list.
	return typeof value === 'function' ? byDefault : value;
}

function refusal(name: string, value: unknown, advice: string): InvalidInput {
	return new InvalidInput(`${name} is ${shown(value)}: ${advice}`);
}

const LONGEST_SHOWN = 100;

function shown(value: unknown): string {
	if (value === undefined || value === null) return 'empty';
	if (typeof value === 'string' && value.trim() === '') return 'empty';
	if (typeof value !== 'object' && typeof value !== 'string') return String(value);
	const text = jsonOf(value);
	// Dates are null in JSON where they are none.
	if (text === 'null') return 'an invalid date';
	if (isRecord(value)) return 'an object';
	return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

function jsonOf(value: unknown): string {
	try {
		return JSON.stringify(value);
	} catch {
		return '[…]';
	}
}

function numberOf(value: unknown): number {
	if (typeof value === 'number') return value;
	return typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : NaN;
}

function parsed(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		// Without a byte order mark, too
		return JSON.parse(value.trim());
	} catch {
		return undefined;
	}
}

function listIn(value: unknown): unknown[] | undefined {
	const list = parsed(value);
	return Array.isArray(list) ? list : undefined;
}

function momentOf(value: unknown, zone: string): number | undefined {
	if (typeof value === 'number') return momentOfNumber(value);
	if (typeof value === 'object') return momentOfObject(value as object);
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (/^\d+$/.test(text) && text.length > 8) return momentOfNumber(Number(text));
	const time = parseIso8601(text);
	if (time === undefined) return parseInternetDate(text);
	if (time.offset !== undefined) return time.wallClock - time.offset;
	// n8n reads other forms than this one in the zone of the server.
	const local = new Date(time.wallClock).toISOString().slice(0, -1);
	try {
		// A time that comes twice, when the clock is put back, is the first one: Luxon would take the one that
		// has the offset of today.
		const moments = tryToParseDateTime(local, zone).getPossibleOffsets();
		return Math.min(...moments.map((moment) => moment.toMillis()));
	} catch {
		// Beyond the years that n8n can read.
		return undefined;
	}
}

/**
 * Dates of JavaScript, and those of Luxon that n8n's `$now` and `DateTime` make. Its durations can be turned
 * into milliseconds as well, which are no moment.
 */
function momentOfObject(value: {
	toHuman?: unknown;
	toMillis?: unknown;
	getTime?: unknown;
}): number | undefined {
	if (value.toHuman !== undefined) return undefined;
	const read = value.toMillis ?? value.getTime;
	const moment: unknown = typeof read === 'function' ? read.call(value) : undefined;
	return Number.isFinite(moment) ? (moment as number) : undefined;
}

/**
 * Only what is surely a count of milliseconds: smaller numbers may be seconds, larger ones microseconds,
 * and 202601310900 is a date without separators.
 */
function momentOfNumber(value: number): number | undefined {
	if (!(value >= 1e11 && value < 1e13)) return undefined;
	const digits = String(value);
	const isDate =
		/^(19|20|21)/.test(digits) &&
		parseIso8601(`${digits.slice(0, 8)}T${digits.slice(8)}`) !== undefined;
	return isDate ? undefined : value;
}
