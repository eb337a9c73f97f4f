import { sleep } from 'n8n-workflow';

/** What is used of the stream that n8n's request helper gives for a body. */
export type BodyStream = AsyncIterable<Uint8Array>;

/** Nothing came for so long. */
export class Silence extends Error {}

/** A body that ended before its end, or is silent. */
export class BrokenBody extends Error {
	constructor(readonly reason: unknown) {
		super();
	}
}

/** What was found where a documented body was expected; `denied`: it says `success: false`. */
export type UnexpectedKind = 'notApi' | 'cutShort' | 'denied' | 'unconfirmed';

/** A reply with a success status, but not the documented one. */
export class UnexpectedBody extends Error {
	constructor(
		readonly kind: UnexpectedKind,
		readonly text: string,
	) {
		super();
	}
}

/** Made once: without a reason, each abort would make an error with a stack. */
const ARRIVED = new Error('arrived');

/**
 * n8n's own timeout ends with the headers of the reply, and in n8n 2.0 it does not act while a proxy is connected.
 *
 * @throws Silence if the piece does not come within so many milliseconds
 */
export async function orSilence<Piece>(piece: Promise<Piece>, timeoutMs: number): Promise<Piece> {
	const arrived = new AbortController();
	const silence = sleep(timeoutMs, arrived.signal).then(() => Promise.reject(new Silence()));
	try {
		return await Promise.race([piece, silence]);
	} finally {
		arrived.abort(ARRIVED);
		silence.catch(() => undefined);
	}
}

/**
 * The text of a body (UTF-8) in the pieces in which it comes in. Leaving the loop over it early closes the connection.
 *
 * @param stop closes the connection, also a silent one
 * @throws BrokenBody, UnexpectedBody
 */
export async function* chunksOf(
	body: BodyStream,
	timeoutMs: number,
	stop: () => void,
): AsyncGenerator<string> {
	const pieces = body[Symbol.asyncIterator]();
	const decoder = new TextDecoder('utf-8', { fatal: true });
	let isAtEnd = false;
	try {
		while (!isAtEnd) {
			const { done, value } = await orSilence(pieces.next(), timeoutMs).catch((error: unknown) =>
				Promise.reject(new BrokenBody(error)),
			);
			isAtEnd = done === true;
			const text = decode(decoder, isAtEnd ? undefined : value);
			if (text === undefined) throw new UnexpectedBody('notApi', '');
			yield text;
		}
	} finally {
		if (!isAtEnd) stop();
	}
}

/** @returns undefined for what is not UTF-8 */
function decode(decoder: InstanceType<typeof TextDecoder>, piece?: Uint8Array): string | undefined {
	try {
		return decoder.decode(piece, { stream: true });
	} catch {
		return undefined;
	}
}

export async function textOf(chunks: AsyncIterable<string>): Promise<string> {
	let text = '';
	for await (const chunk of chunks) text += chunk;
	return text;
}
