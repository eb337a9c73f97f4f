/** The printable ASCII characters that HTML has names for; `fjlig` is the only name of two letters. */
const HTML_NAMES: Record<string, string> = {
	excl: '!',
	quot: '"',
	num: '#',
	dollar: '$',
	percnt: '%',
	amp: '&',
	apos: "'",
	lpar: '(',
	rpar: ')',
	ast: '*',
	midast: '*',
	plus: '+',
	comma: ',',
	period: '.',
	sol: '/',
	colon: ':',
	semi: ';',
	lt: '<',
	equals: '=',
	gt: '>',
	quest: '?',
	commat: '@',
	lsqb: '[',
	lbrack: '[',
	bsol: '\\',
	rsqb: ']',
	rbrack: ']',
	hat: '^',
	lowbar: '_',
	underbar: '_',
	grave: '`',
	diacriticalgrave: '`',
	lcub: '{',
	lbrace: '{',
	verbar: '|',
	vert: '|',
	verticalline: '|',
	rcub: '}',
	rbrace: '}',
	fjlig: 'fj',
};

const LONGEST_FIRST = Object.keys(HTML_NAMES).sort((a, b) => b.length - a.length);

/** The escapes of printable characters, in lower-case text */
const PERCENT = /%(?:u00)?([2-7][\da-f])/g;
const BACKSLASHED = /\\(?:(?:u00|x)([2-7][\da-f])|u\{0*([2-7][\da-f])\}|(\\))/g;
const HTML = htmlEscapes(';');
const HTML_UNENDED = htmlEscapes('');

/** An escape, or the beginning of one, to which the next character could still belong. */
const OPEN_ESCAPE =
	/(?:%(?:u0{0,2})?[2-7]?|\\(?:u0{0,2}[2-7]?|u\{[\da-f]*|x[2-7]?)?|&(?:#x?[\da-f]*|[a-z]{0,16})?)$/;

const BACKSLASH = 0x5c;

/** A shorter part of a key tells nothing, and may be there by chance. */
const SHORTEST_PART = 8;
const SHORTEST_ENCODED = 4;
const MAX_LAYERS = 20;
const MAX_OPEN = 4;

/** Text, and for each of its characters where in the original text it comes from. */
interface Layer {
	text: string;
	starts: number[];
	ends: number[];
}

/** What the key may look like once the escapes around it are gone. */
interface Form {
	text: string;
	/** A character next to it holds a part of the key, too. */
	sharesBefore: boolean;
	sharesAfter: boolean;
}

/**
 * Puts "…" in place of the API key and of each part of it that has 8 characters or more, in upper or
 * lower case, as it is or in any layers of escapes: those of URLs, JSON and HTML, base64, hexadecimal.
 *
 * Decodes the text layer by layer until no escape is left, and looks for the key in each layer.
 * Backslashes do not count: JSON in JSON has any number of them.
 *
 * @param isCut the text breaks off, maybe in the key
 */
export function maskKey(text: string, apiKey: string, isCut = false): string {
	if (apiKey === '') return text;
	const forms = formsOf(apiKey);
	// Nothing is left of a key that is all backslashes.
	if (forms.some((form) => form.text === '')) return '…';
	const parts = partsOf(forms);
	const mask = new Mask(text.length);
	let layer = layerOf(text);
	for (let layers = 0; layers < MAX_LAYERS; layers++) {
		// One may be all that is left of another: `&\u00` of `&#65;`.
		for (let i = 0; isCut && i < MAX_OPEN; i++) layer = withoutOpenEscape(layer, mask);
		const bare = withoutBackslashes(layer);
		maskParts(bare, parts, mask);
		if (isCut) for (const form of forms) maskBeginning(bare, form, mask);
		const next = decoded(layer);
		if (next === undefined) return mask.applyTo(text);
		layer = next;
	}
	// No service escapes that often: whoever does so hides something.
	return '…';
}

function lowerCase(text: string): string {
	// `toLowerCase` makes two characters of some others.
	return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function layerOf(text: string): Layer {
	const starts = Array.from({ length: text.length }, (_, i) => i);
	return { text: lowerCase(text), starts, ends: starts.map((start) => start + 1) };
}

function htmlEscapes(end: string): RegExp {
	const codes = `#x0*([2-7][\\da-f])(?![\\da-f])|#0*([1-9]\\d\\d?)(?!\\d)`;
	return new RegExp(`&(?:${codes}|(${LONGEST_FIRST.join('|')}))${end}`, 'g');
}

/** @returns undefined if there is nothing to decode */
function decoded(layer: Layer): Layer | undefined {
	// One kind at a time: what belongs to an escape may be escaped in another way.
	return (
		replaced(layer, PERCENT, ([, hex]) => fromHex(hex)) ??
		replaced(layer, BACKSLASHED, ([, hex, braced, same]) => same ?? fromHex(hex ?? braced)) ??
		replaced(layer, HTML, fromHtml) ??
		replaced(layer, HTML_UNENDED, fromHtml)
	);
}

function fromHex(digits = ''): string {
	return String.fromCharCode(parseInt(digits, 16));
}

function fromHtml([, hex, decimal, name]: RegExpMatchArray): string {
	if (name !== undefined) return HTML_NAMES[name] as string;
	return decimal === undefined ? fromHex(hex) : String.fromCharCode(Number(decimal));
}

function replaced(
	{ text, starts, ends }: Layer,
	escape: RegExp,
	charactersOf: (match: RegExpMatchArray) => string,
): Layer | undefined {
	const next: Layer = { text: '', starts: [], ends: [] };
	const pieces: string[] = [];
	let at = 0;
	const copyUntil = (end: number) => {
		pieces.push(text.slice(at, end));
		for (; at < end; at++) {
			next.starts.push(starts[at] as number);
			next.ends.push(ends[at] as number);
		}
	};
	for (const match of text.matchAll(escape)) {
		const characters = charactersOf(match);
		if (!/^[!-~]+$/.test(characters)) continue;
		copyUntil(match.index);
		const end = at + match[0].length;
		for (const character of characters) {
			pieces.push(lowerCase(character));
			next.starts.push(starts[at] as number);
			next.ends.push(ends[end - 1] as number);
		}
		at = end;
	}
	if (at === 0) return undefined;
	copyUntil(text.length);
	next.text = pieces.join('');
	return next;
}

/** Each character that is left stands for the backslashes around it, too. */
function withoutBackslashes({ text, starts, ends }: Layer): Layer {
	if (!text.includes('\\')) return { text, starts, ends };
	const bare: Layer = { text: text.replace(/\\+/g, ''), starts: [], ends: [] };
	let start: number | undefined;
	for (const [i, end] of ends.entries()) {
		start ??= starts[i] as number;
		if (text.charCodeAt(i) === BACKSLASH) {
			if (bare.ends.length > 0) bare.ends[bare.ends.length - 1] = end;
			continue;
		}
		bare.starts.push(start);
		bare.ends.push(end);
		start = undefined;
	}
	return bare;
}

function withoutOpenEscape({ text, starts, ends }: Layer, mask: Mask): Layer {
	let end = text.search(OPEN_ESCAPE);
	if (end === -1) return { text, starts, ends };
	while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH) end--;
	mask.add(starts[end] as number, ends[text.length - 1] as number);
	return { text: text.slice(0, end), starts: starts.slice(0, end), ends: ends.slice(0, end) };
}

function formsOf(apiKey: string): Form[] {
	const forms: Form[] = [];
	let layer = layerOf(apiKey);
	for (let layers = 0; layers < MAX_LAYERS; layers++) {
		const { text } = withoutBackslashes(layer);
		forms.push({ text, sharesBefore: false, sharesAfter: false });
		const next = decoded(layer);
		if (next === undefined) break;
		layer = next;
	}
	const bytes = new TextEncoder().encode(apiKey);
	const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
	const encoded = [{ text: hex, sharesBefore: false, sharesAfter: false }];
	for (const offset of [0, 1, 2]) encoded.push(...base64FormsOf(bytes, offset));
	return [...forms, ...encoded.filter(({ text }) => text.length >= SHORTEST_ENCODED)];
}

/** @param offset of the key in the groups of three bytes that base64 makes four characters of */
function base64FormsOf(bytes: Uint8Array, offset: number): Form[] {
	const padded =
		' '.repeat(offset) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
	// Six bits a character; the first and the last one may hold bits of the neighbours.
	const from = Math.ceil((offset * 8) / 6);
	const to = Math.floor((padded.length * 8) / 6);
	const text = btoa(padded).slice(from, to);
	const forms = new Set([text, text.replaceAll('+', '-').replaceAll('/', '_')]);
	return [...forms].map((form) => ({
		text: lowerCase(form),
		sharesBefore: offset > 0,
		sharesAfter: padded.length % 3 > 0,
	}));
}

/** The parts of each length that are looked for, and how many more characters to mask on both sides. */
type Parts = Map<number, Map<string, { before: number; after: number }>>;

function partsOf(forms: Form[]): Parts {
	const parts: Parts = new Map();
	for (const { text, sharesBefore, sharesAfter } of forms) {
		const length = Math.min(text.length, SHORTEST_PART);
		const known = parts.get(length) ?? new Map<string, { before: number; after: number }>();
		parts.set(length, known);
		const last = text.length - length;
		for (let i = 0; i <= last; i++) {
			const part = text.slice(i, i + length);
			const before = known.get(part)?.before ?? 0;
			const after = known.get(part)?.after ?? 0;
			known.set(part, {
				before: sharesBefore && i === 0 ? 1 : before,
				after: sharesAfter && i === last ? 1 : after,
			});
		}
	}
	return parts;
}

function maskParts({ text, starts, ends }: Layer, parts: Parts, mask: Mask): void {
	for (const [length, known] of parts) {
		for (let i = 0; i + length <= text.length; i++) {
			const part = known.get(text.slice(i, i + length));
			if (part === undefined) continue;
			const first = Math.max(i - part.before, 0);
			const last = Math.min(i + length - 1 + part.after, text.length - 1);
			mask.add(starts[first] as number, ends[last] as number);
		}
	}
}

/** Masks the longest beginning of a form that the text ends with (Knuth, Morris and Pratt). */
function maskBeginning(
	{ text, starts, ends }: Layer,
	{ text: form, sharesBefore }: Form,
	mask: Mask,
): void {
	const fallbacks = [0];
	for (let i = 1, length = 0; i < form.length; i++) {
		while (length > 0 && form.charCodeAt(i) !== form.charCodeAt(length)) {
			length = fallbacks[length - 1] as number;
		}
		if (form.charCodeAt(i) === form.charCodeAt(length)) length++;
		fallbacks.push(length);
	}
	let length = 0;
	for (let i = Math.max(text.length - form.length, 0); i < text.length; i++) {
		if (length === form.length) length = fallbacks[length - 1] as number;
		while (length > 0 && text.charCodeAt(i) !== form.charCodeAt(length)) {
			length = fallbacks[length - 1] as number;
		}
		if (text.charCodeAt(i) === form.charCodeAt(length)) length++;
	}
	if (length === 0) return;
	let first = text.length - length;
	if (sharesBefore && /[\w+/-]/.test(text.charAt(first - 1))) first--;
	mask.add(starts[first] as number, ends[text.length - 1] as number);
}

/** Parts of a text, which may overlap. */
class Mask {
	/** How many parts begin at a character, less those that end there */
	private readonly changes: Int32Array;

	constructor(length: number) {
		this.changes = new Int32Array(length + 1);
	}

	add(start: number, end: number): void {
		this.changes[start] = (this.changes[start] as number) + 1;
		this.changes[end] = (this.changes[end] as number) - 1;
	}

	applyTo(text: string): string {
		const pieces: string[] = [];
		let covering = 0;
		let start = 0;
		for (let i = 0; i < this.changes.length; i++) {
			const before = covering;
			covering += this.changes[i] as number;
			if (before === 0 && covering > 0) pieces.push(text.slice(start, i), '…');
			else if (before > 0 && covering === 0) start = i;
		}
		pieces.push(text.slice(start));
		return pieces.join('');
	}
}
