import { parseJson } from './jsonList';

const LONGEST = 300;
const PART = 8;

/**
 * Words of the service, or of n8n, for an error message.
 *
 * @returns undefined for what is long, or holds eight characters of the API key in a row: as it is, or with percent
 * signs or HTML entities decoded. Such words are left out, not masked, because no mask covers every spelling.
 */
export function showable(text: string, apiKey: string): string | undefined {
	const trimmed = text.trim();
	if (trimmed === '' || trimmed.length > LONGEST) return undefined;
	const spellings = [trimmed, withoutPercents(trimmed), withoutEntities(trimmed)];
	for (let at = 0; at === 0 || at + PART <= apiKey.length; at++) {
		const part = apiKey.slice(at, at + PART);
		if (spellings.some((spelling) => spelling.includes(part))) return undefined;
	}
	return trimmed.replace(/\s+/g, ' ');
}

/** A key has ASCII characters only. */
function withoutPercents(text: string): string {
	return text.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
		String.fromCharCode(parseInt(hex, 16)),
	);
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function withoutEntities(text: string): string {
	return text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w+));/gi, (entity, decimal, hex, name) => {
		if (name !== undefined) return ENTITIES[String(name)] ?? entity;
		return String.fromCodePoint(decimal === undefined ? parseInt(hex, 16) : Number(decimal));
	});
}

/** The texts in an error body: all in JSON, or a short plain text; nothing of a web page. */
export function wordsIn(body: string): string {
	if (isWebPage(body)) return '';
	const value = parseJson(body);
	return value === undefined ? body : textsIn(value).join(', ');
}

export function isWebPage(body: string): boolean {
	return body.trimStart().startsWith('<');
}

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return value instanceof Object ? Object.values(value).flatMap(textsIn) : [];
}
