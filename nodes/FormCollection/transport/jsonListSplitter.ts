const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Cuts the records out of `{ "<member>": [ { … }, { … } ], … }` while its text comes in, so that no
 * more of it is in memory than one record and one chunk.
 *
 * Nothing is checked here: who parses the records and, in the end, the frame accepts what `JSON.parse`
 * of the whole accepts. Of a member that is there twice, the records of both are cut out.
 */
export class RecordCutter {
	private depth = 0;

	private isInList = false;

	private isInString = false;

	/** The last chunk ended in a string, with a backslash that escapes what comes next. */
	private isEscaped = false;

	/** What has come in of a record that is not complete; undefined outside of records. */
	private record: string[] | undefined;

	/** What came before the last record, each run of records in it being one `{}` */
	private before = '';

	/** What has come in since the last record */
	private after = '';

	private readonly key: RegExp;

	constructor(member: string) {
		this.key = new RegExp(`[{,\\s]"${member}"\\s*:\\s*\\[$`);
	}

	/** The text without the records: each run of them has become one `{}`. */
	get frame(): string {
		return this.before + this.after;
	}

	/** @returns the texts of the records that this chunk completes */
	push(chunk: string): string[] {
		const records: string[] = [];
		if (chunk === '') return records;
		let start = 0;
		for (let i = this.isInString ? this.endOfString(chunk, 0) + 1 : 0; i < chunk.length; i++) {
			switch (chunk.charCodeAt(i)) {
				case QUOTE:
					i = this.endOfString(chunk, i + 1);
					break;
				case OPEN_OBJECT:
					this.depth++;
					if (this.isInList && this.depth === 3) {
						this.after += chunk.slice(start, i);
						this.startRecord();
						start = i;
					}
					break;
				case CLOSE_OBJECT:
					this.depth--;
					if (this.record !== undefined && this.depth === 2) {
						this.record.push(chunk.slice(start, i + 1));
						records.push(this.record.join(''));
						this.record = undefined;
						start = i + 1;
					}
					break;
				case OPEN_LIST:
					this.depth++;
					if (this.depth === 2) {
						this.after += chunk.slice(start, i + 1);
						start = i + 1;
						this.isInList = this.isListOfRecords();
					}
					break;
				case CLOSE_LIST:
					this.depth--;
					if (this.depth === 1) this.isInList = false;
					break;
			}
		}
		if (this.record === undefined) this.after += chunk.slice(start);
		else this.record.push(chunk.slice(start));
		return records;
	}

	private startRecord(): void {
		this.record = [];
		if (!/^[ \t\r\n]*,[ \t\r\n]*$/.test(this.after)) this.before = `${this.frame}{}`;
		this.after = '';
	}

	/** Whether the list that has just begun is the one; a key with escapes is left to `JSON.parse`. */
	private isListOfRecords(): boolean {
		return /^\s*\{/.test(this.frame) && this.key.test(this.after);
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
}
