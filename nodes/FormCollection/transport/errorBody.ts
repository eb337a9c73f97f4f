import type { ServiceRequest } from './attempt';
import type { ErrorBody } from './body';
import { maskKey } from './redaction';

const MOST_SHOWN = 300;
const MOST_MASKED = 20_000;

/**
 * The texts in an error body, in quotes. Its shape is not documented: every text in JSON counts, a
 * short plain text too, a web page does not. A code beside a message says the same once more.
 */
export function errorBodyText({ account: { apiKey } }: ServiceRequest, body?: ErrorBody): string {
	if (isWebPage(body)) return '';
	const text = (body?.text ?? '').trim();
	const all = textsIn(parse(text)).join(', ');
	// Masked before it is shortened to what is shown: a part of the key is too much, too.
	const isCut = body?.isCut === true || all.length > MOST_MASKED;
	const masked = maskKey(all.slice(0, MOST_MASKED), apiKey, isCut);
	return masked && `"${masked.length > MOST_SHOWN ? `${masked.slice(0, MOST_SHOWN)}…` : masked}"`;
}

export function isWebPage(body?: ErrorBody): boolean {
	return body?.text.trimStart().startsWith('<') === true;
}

/** Within a sentence, so without a full stop at the end. */
export function andSays(bodyText: string): string {
	return bodyText && ` and says ${bodyText.replace(/\."$/, '"')}`;
}

/** @returns the text itself if it is not JSON */
export function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** @param depth how many levels down; unlimited, a hostile body would overflow the stack */
function textsIn(value: unknown, depth = 100): string[] {
	if (typeof value === 'string') return [value];
	if (!(value instanceof Object) || depth === 0) return [];
	const { code, ...others } = value as Record<string, unknown>;
	const hasMessage = typeof code === 'string' && typeof others.message === 'string';
	const parts = hasMessage ? others : value;
	return Object.values(parts).flatMap((part) => textsIn(part, depth - 1));
}
