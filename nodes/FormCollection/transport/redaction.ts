/** The printable ASCII characters that HTML has names for, each after its name */
const HTML_NAMES = new Map(
	(
		'excl! quot" num# dollar$ percnt% amp& apos\' lpar( rpar) ast* midast* plus+ comma, period. sol/ ' +
		'colon: semi; lt< equals= gt> quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] hat^ lowbar_ ' +
		'underbar_ grave` diacriticalgrave` lcub{ lbrace{ verbar| vert| verticalline| rcub} rbrace}'
	)
		.split(' ')
		.map((entry) => [entry.slice(0, -1), entry.slice(-1)] as const),
);

/** The escapes of ASCII characters */
const PERCENT = /%(?:u00)?([0-7][\da-f])/gi;
const BACKSLASHED = /\\(?:(?:u00|x)([0-7][\da-f])|u\{0*([2-7][\da-f])\}|(\\))/gi;
const HTML = htmlEscapes(';');
const HTML_UNENDED = htmlEscapes('');

/** An escape, or the beginning of one, to which the next character could still belong. */
const OPEN_ESCAPE =
	/(?:%(?:u0{0,2})?[2-7]?|\\(?:u0{0,2}[2-7]?|u\{[\da-f]*|x[2-7]?)?|&(?:#x?[\da-f]*|[a-z]{0,16})?)$/i;

/** What holds several characters: how many it takes for how many, and what they are. */
const ENCODINGS = [
	{ run: /[\w+/-]{4,}/g, takes: 4, gives: 3, decode: fromBase64 },
	{ run: /[\da-f]{4,}/gi, takes: 2, gives: 1, decode: fromPairs },
];

/** A shorter part of a key tells nothing, and may be there by chance. */
export const SHORTEST_PART = 8;
const SHORTEST_ENCODED = 4;
const MAX_LAYERS = 20;
const MAX_ENCODINGS = 2;
const MAX_OPEN = 4;
/** How many characters may be looked at for each character of the text */
const MOST_WORK = 12;

/** Printable text, and for each of its characters where in the original text it comes from. */
interface Layer {
	text: string;
	starts: number[];
	ends: number[];
	/** It ends where the text around it does. */
	isLast?: boolean;
}

/** Vendors put a name of this length at most before their keys. */
const LONGEST_WORD = 20;

/**
 * Whether what was masked is more likely a word that the text shares with the key than a part of the key:
 * vendors put their name before their keys. Not for a text that breaks off, or where one hidden part follows
 * another: nobody knows how much of the key there was.
 *
 * @param text before, and `masked` after `maskKey`
 */
export function hidesAWord(text: string, masked: string, apiKey: string): boolean {
	const hidden = text.length - masked.replaceAll('…', '').length;
	return hidden <= LONGEST_WORD && 2 * hidden < apiKey.length && !masked.includes('……');
}

/**
 * Puts "…" in place of the API key and of each part of it that has 8 characters or more, in upper or
 * lower case, as it is or in any layers of escapes: those of URLs, JSON and HTML; and within these, in
 * base64 or hexadecimal, once or in one another.
 *
 * Decodes the text layer by layer until no escape is left, and looks for the key in each layer.
 * Backslashes do not count: JSON in JSON has any number of them. Neither do characters that cannot be
 * printed: UTF-16 has one beside each character.
 *
 * @param isCut the text breaks off, maybe in the key
 */
export function maskKey(text: string, apiKey: string, isCut = false): string {
	if (apiKey === '') return text;
	const keys = formsOf(apiKey);
	// Nothing is left of a key that is all backslashes.
	if (keys.includes('')) return '…';
	const parts = partsOf(keys);
	const mask = new Mask(text.length);
	const depth = apiKey.length < SHORTEST_ENCODED ? 0 : MAX_ENCODINGS;
	let work = MOST_WORK * (text.length + 1_000);

	/**
	 * @param isOpen the text breaks off where the layer ends
	 * @returns whether it came to an end: no service escapes more often, unless it hides something
	 */
	const search = (outer: Layer, encodings: number, isOpen: boolean): boolean => {
		let layer = outer;
		for (let layers = 0; layers < MAX_LAYERS; layers++) {
			work -= layer.text.length;
			if (work < 0) return false;
			// One may be all that is left of another: `&\u00` of `&#65;`.
			for (let i = 0; isOpen && encodings === depth && i < MAX_OPEN; i++) {
				layer = withoutOpenEscape(layer, mask);
			}
			const bare = withoutBackslashes(layer);
			maskParts(bare, parts, mask);
			if (isOpen) for (const key of keys) maskBeginning(bare, key, mask);
			for (const inner of encodings > 0 ? encodedIn(bare) : []) {
				if (!search(inner, encodings - 1, isOpen && inner.isLast === true)) return false;
			}
			const next = unescaped(layer);
			if (next === undefined) return true;
			layer = next;
		}
		return false;
	};
	return search(layerOf(text), depth, isCut) ? mask.applyTo(text) : '…';
}

function layerOf(text: string): Layer {
	const layer = emptyLayer();
	for (let i = 0; i < text.length; i++) {
		if (isPrintable(text.charCodeAt(i))) append(layer, text.charAt(i), i, i + 1);
	}
	return layer;
}

function emptyLayer(): Layer {
	return { text: '', starts: [], ends: [] };
}

function append(layer: Layer, character: string, start?: number, end?: number): void {
	layer.text += character;
	layer.starts.push(start as number);
	layer.ends.push(end as number);
}

function isPrintable(code: number): boolean {
	return code >= 0x20 && code <= 0x7e;
}

function htmlEscapes(end: string): RegExp {
	const names = [...HTML_NAMES.keys()].sort((a, b) => b.length - a.length);
	const codes = `#x0*([2-7][\\da-f])(?![\\da-f])|#0*([1-9]\\d\\d?)(?!\\d)`;
	return new RegExp(`&(?:${codes}|(${names.join('|')}))${end}`, 'gi');
}

/** @returns undefined if there is no escape */
function unescaped(layer: Layer): Layer | undefined {
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

function fromPairs(digits: string): string {
	return digits.replace(/../g, fromHex);
}

function fromBase64(characters: string): string {
	return atob(characters.replaceAll('-', '+').replaceAll('_', '/'));
}

function fromHtml([, hex, decimal, name]: RegExpMatchArray): string {
	if (name !== undefined) return HTML_NAMES.get(name.toLowerCase()) as string;
	return decimal === undefined ? fromHex(hex) : String.fromCharCode(Number(decimal));
}

function replaced(
	{ text, starts, ends }: Layer,
	escape: RegExp,
	characterOf: (match: RegExpMatchArray) => string,
): Layer | undefined {
	const next = emptyLayer();
	let at = 0;
	const copyUntil = (end: number) => {
		for (; at < end; at++) append(next, text.charAt(at), starts[at], ends[at]);
	};
	for (const match of text.matchAll(escape)) {
		const character = characterOf(match);
		// Spaces stay escaped: they end a key.
		if (character === ' ' || character > '~') continue;
		copyUntil(match.index);
		at += match[0].length;
		if (character > ' ') append(next, character, starts[match.index], ends[at - 1]);
	}
	if (at === 0) return undefined;
	copyUntil(text.length);
	return next;
}

/** What may be encoded in the text: a run of characters may begin before its first group does. */
function encodedIn({ text, starts, ends }: Layer): Layer[] {
	const layers: Layer[] = [];
	for (const { run, takes, gives, decode } of ENCODINGS) {
		for (let offset = 0; offset < takes; offset++) {
			const layer = emptyLayer();
			for (const { 0: characters, index } of text.matchAll(run)) {
				const first = index + offset;
				const last = index + characters.length;
				const groups = Math.ceil((last - first) / takes);
				// What is decoded from other runs does not belong together.
				append(layer, '\n', starts[index], starts[index]);
				const decoded = decode(text.slice(first, last).padEnd(groups * takes, 'A'));
				for (let i = 0; i < decoded.length; i++) {
					const start = first + Math.floor((i * takes) / gives);
					const end = first + Math.ceil(((i + 1) * takes) / gives);
					if (end > last || !isPrintable(decoded.charCodeAt(i))) continue;
					append(layer, decoded.charAt(i), starts[start], ends[end - 1]);
				}
				layer.isLast = last === text.length;
			}
			if (layer.text !== '') layers.push(layer);
		}
	}
	return layers;
}

/** Each character that is left stands for the backslashes around it, too. */
function withoutBackslashes({ text, starts, ends }: Layer): Layer {
	if (!text.includes('\\')) return { text, starts, ends };
	const bare = emptyLayer();
	let start: number | undefined;
	for (const [i, end] of ends.entries()) {
		start ??= starts[i];
		if (text[i] === '\\') {
			if (bare.ends.length > 0) bare.ends[bare.ends.length - 1] = end;
			continue;
		}
		append(bare, text.charAt(i), start, end);
		start = undefined;
	}
	return bare;
}

function withoutOpenEscape({ text, starts, ends }: Layer, mask: Mask): Layer {
	let end = text.search(OPEN_ESCAPE);
	if (end === -1) return { text, starts, ends };
	while (end > 0 && text[end - 1] === '\\') end--;
	mask.add(starts[end] as number, ends[text.length - 1] as number);
	return { text: text.slice(0, end), starts: starts.slice(0, end), ends: ends.slice(0, end) };
}

/** What the key may look like once the escapes around it are gone. */
function formsOf(apiKey: string): string[] {
	const forms: string[] = [];
	let layer: Layer | undefined = layerOf(apiKey);
	for (let layers = 0; layer !== undefined && layers < MAX_LAYERS; layers++) {
		const text = withoutBackslashes(layer).text.toLowerCase();
		// As a form of HTML sends it, a space stands for a plus sign.
		forms.push(text, text.replaceAll('+', ' '));
		layer = unescaped(layer);
	}
	return [...new Set(forms)];
}

/** The parts that are looked for, by their length */
type Parts = Map<number, Set<string>>;

function partsOf(keys: string[]): Parts {
	const parts: Parts = new Map();
	for (const key of keys) {
		const length = Math.min(key.length, SHORTEST_PART);
		const known = parts.get(length) ?? new Set<string>();
		parts.set(length, known);
		for (let i = 0; i + length <= key.length; i++) known.add(key.slice(i, i + length));
	}
	return parts;
}

function maskParts({ text, starts, ends }: Layer, parts: Parts, mask: Mask): void {
	const lower = text.toLowerCase();
	for (const [length, known] of parts) {
		for (let i = 0; i + length <= lower.length; i++) {
			if (!known.has(lower.slice(i, i + length))) continue;
			mask.add(starts[i] as number, ends[i + length - 1] as number);
		}
	}
}

/** Masks the longest beginning of a key that the text ends with (Knuth, Morris and Pratt). */
function maskBeginning({ text, starts }: Layer, key: string, mask: Mask): void {
	const end = text.slice(-key.length).toLowerCase();
	const fallbacks = [0];
	let length = 0;
	// The key, a character that neither has, and the end of the text.
	const joined = `${key}\n${end}`;
	for (let i = 1; i < joined.length; i++) {
		while (length > 0 && joined[i] !== joined[length]) length = fallbacks[length - 1] as number;
		if (joined[i] === joined[length]) length++;
		fallbacks.push(length);
	}
	if (length > 0) mask.addFrom(starts[text.length - length] as number);
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

	addFrom(start: number): void {
		this.add(start, this.changes.length - 1);
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
