/** What is used of the stream that n8n's request helper gives for a body. */
export type BodyStream = AsyncIterable<Uint8Array>;

/** A body that ended before its end. */
export class BrokenBody extends Error {
	constructor(readonly reason: unknown) {
		super();
	}
}

/** What was found where JSON was expected. */
export type FoundInstead =
	| 'empty'
	| 'webPage'
	| 'notJson'
	| 'cutShort'
	| 'noObject'
	| 'noList'
	| 'notText';

/** A complete body, but not the documented one. */
export class UnexpectedBody extends Error {
	constructor(
		readonly found: FoundInstead,
		/** The beginning of the body */
		readonly text: string,
	) {
		super();
	}

	/** @param isCutShort ends too early to be JSON, unless it is something else altogether */
	static notJson(text: string, isCutShort: boolean): UnexpectedBody {
		const start = text.trimStart().charAt(0);
		if (start === '') return new UnexpectedBody('empty', text);
		if (start === '<') return new UnexpectedBody('webPage', text);
		return new UnexpectedBody(isCutShort ? 'cutShort' : 'notJson', text);
	}
}

/**
 * The text of a body, in the pieces in which it comes in. Leaving the loop over it early closes the
 * connection.
 *
 * @param contentType the header
 * @param onPiece called for each piece that comes in
 * @param onLeave called if it is left before its end
 * @throws BrokenBody, UnexpectedBody
 */
export async function* chunksOf(
	body: BodyStream,
	contentType: string,
	onPiece: () => void,
	onLeave: () => void,
): AsyncGenerator<string> {
	const pieces = body[Symbol.asyncIterator]();
	let isAtEnd = false;
	try {
		let decoder: Decoder | undefined;
		for (;;) {
			const { done, value } = await pieces.next().catch((error: unknown) => {
				throw new BrokenBody(error);
			});
			onPiece();
			// Not before the first piece: a stream that nobody has read from is not closed by `return`.
			decoder ??= decoderOf(contentType);
			isAtEnd = done === true;
			yield decode(decoder, done ? undefined : value);
			if (done) return;
		}
	} finally {
		if (!isAtEnd) onLeave();
		await pieces.return?.();
	}
}

type Decoder = InstanceType<typeof TextDecoder>;

/** Keeps characters together that are split between two pieces. */
function decoderOf(contentType: string): Decoder {
	try {
		return new TextDecoder(charsetIn(contentType), { fatal: true });
	} catch {
		return new TextDecoder('utf-8', { fatal: true });
	}
}

/** JSON is UTF-8 unless the service says something else that is known. */
function charsetIn(contentType: string): string {
	const parameters = contentType.matchAll(/;\s*([^\s;="]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g);
	for (const [, name, quoted, token] of parameters) {
		if (name?.toLowerCase() !== 'charset') continue;
		return (quoted?.replace(/\\(.)/g, '$1') ?? token ?? '').replace(/^'|'$/g, '');
	}
	return 'utf-8';
}

/** @param piece undefined at the end */
function decode(decoder: Decoder, piece: Uint8Array | undefined): string {
	try {
		return decoder.decode(piece, { stream: piece !== undefined });
	} catch {
		throw unreadable(piece === undefined ? 'cutShort' : 'notText');
	}
}

function unreadable(found: FoundInstead): UnexpectedBody {
	return new UnexpectedBody(found, '');
}

const LONGEST_TEXT = 1_000_000;

/**
 * @param isWhole whether nothing that may follow this text matters, so that it may break off
 * @throws BrokenBody, and UnexpectedBody for a text that is longer than any reply to a submission is
 */
export async function textOf(
	chunks: AsyncIterable<string>,
	isWhole: (text: string) => boolean = () => false,
): Promise<string> {
	let text = '';
	const read = async () => {
		for await (const chunk of chunks) {
			text += chunk;
			if (text.length > LONGEST_TEXT) throw new UnexpectedBody('notJson', '');
		}
	};
	await read().catch((error: unknown) => {
		if (!(error instanceof BrokenBody && isWhole(text))) throw error;
	});
	return text;
}

const MOST_READ = 100_000;

/** The body of a reply that is no success */
export interface ErrorBody {
	text: string;
	/** The text breaks off before its end */
	isCut: boolean;
}

/**
 * The beginning of a body that matters less than its status: as much as comes of it and can be read.
 */
export async function beginningOf(chunks: AsyncIterable<string>): Promise<ErrorBody> {
	let text = '';
	try {
		for await (const chunk of chunks) {
			text += chunk;
			if (text.length >= MOST_READ) return { text, isCut: true };
		}
	} catch {
		// Enough for the error message: the status is known.
		return { text, isCut: true };
	}
	return { text, isCut: false };
}
