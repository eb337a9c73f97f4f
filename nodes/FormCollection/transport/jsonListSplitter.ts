const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 100;
const MAX_NUMBER_LENGTH = 40;
/** Of lists and objects beside the list */
const MAX_DEPTH = 10_000;

const BLANK = /^[ \t\r\n]*$/;
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const ESCAPES = '"\\/bfnrt';
const ESCAPED = '"\\/\b\f\n\r\t';

type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd';

/**
 * Finds the elements of the list in `{ "<member>": [ … ], … }` while its text comes in. Keeps the
 * element that is not complete yet, and of everything beside the list a bounded part.
 *
 * Checks the syntax outside of the list; whoever parses the elements checks the rest. Two lists of this
 * name are a failure: nothing says which one counts.
 */
export class JsonListSplitter {
	/** Why the rest of the text does not matter */
	failure: 'notJson' | 'notObjects' | undefined;

	hasList = false;

	/**
	 * What the other members of the top level hold, at any depth: the names that have a value other than
	 * `null`, `false` and an empty text, and the values of those that are numbers
	 */
	readonly others = new Map<string, Map<string, number | undefined>>();

	/** The names outside of the list whose value is `false` */
	readonly falseNames = new Set<string>();

	/** Those of the top level */
	readonly falseMembers = new Set<string>();

	private readonly stack: ('{' | '[')[] = [];

	private expected: Expected = 'value';

	/** The key of the current member of the top level */
	private key = '';

	/** The last key outside of the list */
	private name = '';

	/** The beginning of the current or last string outside of the list */
	private text = '';

	private isInString = false;

	/** What has come in of an escape outside of the list, without its backslash */
	private escape: string | undefined;

	/** What has come in of a number, `true`, `false` or `null` outside of the list */
	private scalar = '';

	private isInList = false;

	private hasElements = false;

	/** How deep within the list */
	private depth = 0;

	/** The last chunk ended in a string of the list, with a backslash that escapes what comes next. */
	private isEscaped = false;

	/** What has come in of an element that is not complete */
	private element: string[] = [];

	constructor(private readonly member: string) {}

	/** @returns texts that are each one or more of the elements, with commas between them */
	push(chunk: string): string[] {
		const found: string[] = [];
		for (let at = 0; at < chunk.length && this.failure === undefined; ) {
			if (this.isInList) at = this.readList(chunk, at, found);
			else if (this.isInString) at = this.readString(chunk, at);
			else this.readSyntax(chunk.charAt(at++));
		}
		return found;
	}

	/**
	 * Forgets an element whose beginning was in the last chunk.
	 *
	 * @returns what has come in of it, for another way to read on
	 */
	takeBack(): string | undefined {
		if (!this.isInList || this.element.length > 1) return undefined;
		const [rest = ''] = this.element;
		this.element = [];
		this.depth = 0;
		this.isInString = false;
		this.isEscaped = false;
		return rest;
	}

	/** @returns whether the text is complete; sets `failure` if that shows only now */
	end(): boolean {
		this.endScalar();
		return this.expected === 'commaOrEnd' && this.stack.length === 0 && !this.isInString;
	}

	/** The only part that reads many characters: as few steps as possible for each. */
	private readList(chunk: string, from: number, found: string[]): number {
		let start = from;
		let comma = -1;
		let depth = this.depth;
		for (
			let i = this.isInString ? this.endOfString(chunk, from) + 1 : from;
			i < chunk.length;
			i++
		) {
			const code = chunk.charCodeAt(i);
			switch (code) {
				case QUOTE:
					i = this.endOfString(chunk, i + 1);
					break;
				case COMMA:
					if (depth === 0) comma = i;
					break;
				case OPEN_OBJECT:
				case OPEN_LIST:
					depth++;
					break;
				case CLOSE_OBJECT:
				case CLOSE_LIST:
					if (depth-- > 0) break;
					if (code === CLOSE_OBJECT) this.failure = 'notJson';
					else this.endList(chunk.slice(start, i), found);
					return i + 1;
			}
		}
		this.depth = depth;
		if (comma !== -1) {
			this.addElements(chunk.slice(start, comma), found);
			start = comma + 1;
		}
		this.keep(chunk.slice(start));
		return chunk.length;
	}

	private endList(last: string, found: string[]): void {
		const isEmpty = !this.hasElements && this.element.length === 0 && BLANK.test(last);
		if (!isEmpty) this.addElements(last, found);
		this.isInList = false;
		this.hasList = true;
		this.expected = 'commaOrEnd';
	}

	private addElements(end: string, found: string[]): void {
		if (this.element.length === 0 && BLANK.test(end)) this.failure = 'notJson';
		else found.push(this.element.join('') + end);
		this.element = [];
		this.hasElements = true;
	}

	/** Of white space between elements, and of anything that is no object, no more than it takes. */
	private keep(rest: string): void {
		const isBetween = this.depth === 0 && !this.isInString && BLANK.test(rest);
		if (this.element.length > 0) {
			if (!isBetween) this.element.push(rest);
			else if (this.element[this.element.length - 1] !== ' ') this.element.push(' ');
		} else if (!isBetween) {
			this.element.push(rest);
			if (!/^[ \t\r\n]*\{/.test(rest)) this.failure = 'notObjects';
		}
	}

	/** @returns the index of the quote that ends a string, or the length if that is in a later chunk */
	private endOfString(chunk: string, from: number): number {
		const first = this.isEscaped ? from + 1 : from;
		for (let at = first; ; at++) {
			at = chunk.indexOf('"', at);
			const end = at === -1 ? chunk.length : at;
			let backslashes = 0;
			while (end - backslashes > first && chunk.charCodeAt(end - backslashes - 1) === BACKSLASH) {
				backslashes++;
			}
			const isEscaped = backslashes % 2 === 1;
			if (at !== -1 && isEscaped) continue;
			this.isInString = at === -1;
			this.isEscaped = isEscaped;
			return end;
		}
	}

	private readSyntax(char: string): void {
		if (/[-+.\w]/.test(char)) {
			this.readScalar(char);
			return;
		}
		this.endScalar();
		const parent = this.stack[this.stack.length - 1];
		const expected = this.expected;
		if (this.failure !== undefined || /[ \t\r\n]/.test(char)) return;
		if (char === '"' && expected !== 'colon' && expected !== 'commaOrEnd') {
			this.isInString = true;
			this.text = '';
		} else if (char === '{' && this.isValueExpected()) {
			this.open('{', 'keyOrEnd');
		} else if (char === '[' && this.isValueExpected()) {
			if (this.isOfTopLevel() && this.key === this.member) this.startList();
			else this.open('[', 'valueOrEnd');
		} else if (
			char === '}' &&
			parent === '{' &&
			(expected === 'keyOrEnd' || expected === 'commaOrEnd')
		) {
			this.close();
		} else if (
			char === ']' &&
			parent === '[' &&
			(expected === 'valueOrEnd' || expected === 'commaOrEnd')
		) {
			this.close();
		} else if (char === ',' && expected === 'commaOrEnd' && parent !== undefined) {
			this.expected = parent === '{' ? 'key' : 'value';
		} else if (char === ':' && expected === 'colon') {
			this.expected = 'value';
		} else {
			this.failure = 'notJson';
		}
	}

	private isValueExpected(): boolean {
		return this.expected === 'value' || this.expected === 'valueOrEnd';
	}

	private isOfTopLevel(): boolean {
		return this.stack.length === 1 && this.stack[0] === '{';
	}

	private startList(): void {
		if (this.hasList) this.failure = 'notJson';
		this.isInList = true;
		this.hasElements = false;
		this.depth = 0;
	}

	private open(bracket: '{' | '[', expected: Expected): void {
		this.stack.push(bracket);
		this.expected = expected;
		if (this.stack.length > MAX_DEPTH) this.failure = 'notJson';
	}

	private close(): void {
		this.stack.pop();
		this.endValue();
	}

	private endValue(): void {
		this.expected = 'commaOrEnd';
		if (this.isOfTopLevel() && this.key === this.member) this.hasList = false;
	}

	private noteValue(number?: number): void {
		if (this.stack[0] !== '{' || this.key === this.member) return;
		const names = this.others.get(this.key) ?? new Map<string, number | undefined>();
		if (names.size < MAX_NAMES || names.has(this.name)) names.set(this.name, number);
		if (this.others.size < MAX_NAMES) this.others.set(this.key, names);
	}

	private readString(chunk: string, from: number): number {
		for (let at = from; at < chunk.length; at++) {
			const code = chunk.charCodeAt(at);
			if (this.escape !== undefined) this.readEscape(chunk.charAt(at));
			else if (code === BACKSLASH) this.escape = '';
			else if (code === QUOTE) {
				this.endString();
				return at + 1;
			} else if (code < 0x20) this.failure = 'notJson';
			else this.addToText(chunk.charAt(at));
			if (this.failure !== undefined) break;
		}
		return chunk.length;
	}

	private readEscape(char: string): void {
		const escape = `${this.escape}${char}`;
		const simple = escape.length === 1 ? ESCAPES.indexOf(escape) : -1;
		if (simple !== -1) {
			this.addToText(ESCAPED.charAt(simple));
			this.escape = undefined;
		} else if (/^u[\da-fA-F]{4}$/.test(escape)) {
			this.addToText(String.fromCharCode(parseInt(escape.slice(1), 16)));
			this.escape = undefined;
		} else if (/^u[\da-fA-F]*$/.test(escape)) this.escape = escape;
		else this.failure = 'notJson';
	}

	private addToText(char: string): void {
		if (this.text.length < MAX_NAME_LENGTH) this.text += char;
	}

	private endString(): void {
		this.isInString = false;
		if (this.isValueExpected()) {
			if (this.text !== '') this.noteValue();
			this.endValue();
			return;
		}
		this.name = this.text;
		if (this.isOfTopLevel()) {
			this.key = this.text;
			// Of members with the same name the last one counts.
			this.others.delete(this.key);
			this.falseMembers.delete(this.key);
		}
		this.expected = 'colon';
	}

	private readScalar(char: string): void {
		// Further digits make no number valid or invalid.
		if (this.scalar.length > MAX_NUMBER_LENGTH && /\d\d$/.test(this.scalar) && /\d/.test(char))
			return;
		this.scalar += char;
		if (!this.isValueExpected() || this.scalar.length > 2 * MAX_NUMBER_LENGTH)
			this.failure = 'notJson';
	}

	private endScalar(): void {
		const { scalar } = this;
		if (scalar === '') return;
		this.scalar = '';
		if (!SCALAR.test(scalar)) this.failure = 'notJson';
		const isNumber = /\d/.test(scalar);
		// A longer one has lost digits.
		const value = isNumber && scalar.length <= MAX_NUMBER_LENGTH ? Number(scalar) : undefined;
		if (isNumber || scalar === 'true') this.noteValue(value);
		if (scalar === 'false') {
			if (this.falseNames.size < MAX_NAMES) this.falseNames.add(this.name);
			const isMember = this.isOfTopLevel() && this.falseMembers.size < MAX_NAMES;
			if (isMember) this.falseMembers.add(this.key);
		}
		this.endValue();
	}
}
