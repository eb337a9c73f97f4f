import { InvalidInput } from '../transport/errors';
import { isRecord } from '../transport/records';
import { trimmed } from './values';

/*
 * n8n evaluates every text that begins with "=" in a saved parameter, also what was chosen from a list.
 * A space before it keeps the ID or the title of a form from becoming an expression.
 */

/** @returns what n8n can save for a form that is chosen from the list */
export function toChoiceText(text: string): string {
	return /^\s*=/.test(text) ? ` ${text}` : text;
}

/** @returns the text that `toChoiceText` has made a choice of */
export function ofChoiceText(text: string): string {
	return /^\s+=/.test(text) ? text.slice(1) : text;
}

/**
 * @param value the parameter as n8n resolves it, without `extractValue`: what was chosen from the list
 * is taken as it is, what was entered is trimmed
 * @returns undefined unless it is a text, or a number
 */
export function formIdOf(value: unknown): string | undefined {
	const entered = isLocator(value) ? value.value : value;
	const id = typeof entered === 'number' ? String(entered) : entered;
	if (typeof id !== 'string' || id.trim() === '') return undefined;
	if (isFromList(value)) return ofChoiceText(id);
	return trimmed(id) || undefined;
}

/** Otherwise it was entered, or an expression gives it. */
export function isFromList(value: unknown): boolean {
	return isLocator(value) && value.mode === 'list';
}

/** @throws InvalidInput if no form is chosen, or by what an expression returns instead of one */
export function toFormId(value: unknown, name = 'ID'): string {
	const formId = formIdOf(value);
	if (formId !== undefined && /^https?:\/\//i.test(formId)) {
		throw new InvalidInput(
			`Form is a web address (${formId}): select the form from the list, or enter its ${name}`,
		);
	}
	if (formId !== undefined) return formId;
	const entered: unknown = isLocator(value) ? value.value : (value ?? '');
	if (typeof entered === 'string') {
		throw new InvalidInput(
			`No form is chosen: select one in the field Form, or enter its ${name} there`,
		);
	}
	throw new InvalidInput(
		`Form has an expression that returns ${nameOf(entered)}: make it return the ${name} of one form`,
	);
}

/** Without a mode, as a program may write it, it was entered. */
function isLocator(value: unknown): value is { mode?: unknown; value?: unknown } {
	return isRecord(value) && ('mode' in value || value.__rl === true);
}

function nameOf(value: unknown): string {
	if (value === undefined || value === null) return 'no value';
	if (Array.isArray(value)) return 'a list';
	return typeof value === 'object' ? 'an object' : String(value);
}
