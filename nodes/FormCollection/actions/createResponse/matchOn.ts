import { InvalidInput } from '../../transport/errors';
import { ofChoiceText } from '../../parameters/formLocator';
import type { SavedQuestions } from './mapping';
import { toTexts } from '../../parameters/values';

const MATCH_ON = 'Match On Names or IDs';

/**
 * The keys of the questions to match on, in alphabetical order. A text from an expression may hold
 * several, with commas between them, and a name on screen stands for its key.
 *
 * @param value of the option
 * @param entered the question keys of the item
 */
export function readMatchOn(
	value: unknown,
	entered: ReadonlySet<string>,
	{ keys, keyByName }: SavedQuestions,
): string[] {
	const known = (text: string) => {
		const key = keyByName.get(text) ?? text;
		return entered.has(key) || keys.has(key) ? key : undefined;
	};
	const texts = toTexts(MATCH_ON, value).map(ofChoiceText);
	const [only = ''] = texts;
	const isJoined = typeof value === 'string' && texts.length === 1 && known(only) === undefined;
	const parts = isJoined ? only.split(',').map((part) => part.trim()) : texts;
	const matchOn = parts.map((part) => known(part) ?? known(part.trim()) ?? part);
	const found = [...new Set(matchOn)].filter((key) => key !== '').sort();
	const isEmptyList = value === '[]' || (Array.isArray(value) && value.length === 0);
	if (found.length > 0 || isEmptyList || value === '') return found;
	throw new InvalidInput(
		`${MATCH_ON} has an expression that returns no question: make it return a question key, or remove the option to compare all answers`,
	);
}

/** @throws InvalidInput if one of the questions is not known: all answers would be compared instead */
export function refuseUnknown(matchOn: string[], isKnown: (key: string) => boolean): void {
	const unknown = matchOn.find((key) => !isKnown(key));
	if (unknown === undefined) return;
	throw new InvalidInput(
		`${MATCH_ON} has "${unknown}", but neither the form nor an item has an answer to it: check the spelling, or choose the question from the list`,
	);
}
