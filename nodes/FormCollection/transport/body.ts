import { pause } from './pause';

/** What is used of the stream that n8n's request helper gives for a body. */
export type BodyStream = AsyncIterable<Uint8Array>;

/** A body that ended before its end. */
export class BrokenBody extends Error {
	constructor(readonly reason: unknown) {
		super();
	}
}

/** The reason of a body of which no more came in time. */
const stalled = Object.assign(new Error(), { code: 'ETIMEDOUT' });

/**
 * The text of a body, in the pieces in which it comes in. Leaving the loop over it early closes the
 * connection.
 *
 * @param timeoutMs how long to wait for the next piece
 * @param stop ends the request
 * @throws BrokenBody
 */
export async function* chunksOf(
	body: BodyStream,
	timeoutMs: number,
	stop: () => void,
): AsyncGenerator<string> {
	// Keeps characters together that are split between two pieces; many times as fast as `setEncoding`
	// where there are other letters than Latin ones.
	const decoder = new TextDecoder();
	const finished = new AbortController();
	let lastAt = Date.now();
	let isStalled = false;
	const watch = async () => {
		// The timeout of n8n's helper ends with the headers.
		for (let leftMs = timeoutMs; leftMs > 0; leftMs = lastAt + timeoutMs - Date.now()) {
			await pause(leftMs, finished.signal);
			if (finished.signal.aborted) return;
		}
		isStalled = true;
		stop();
	};
	void watch();
	const pieces = body[Symbol.asyncIterator]();
	try {
		for (;;) {
			const { done, value } = await pieces.next().catch((error: unknown) => {
				throw new BrokenBody(isStalled ? stalled : error);
			});
			lastAt = Date.now();
			yield decoder.decode(value, { stream: !done });
			if (done) return;
		}
	} finally {
		finished.abort();
		await pieces.return?.();
	}
}

export async function textOf(chunks: AsyncIterable<string>): Promise<string> {
	let text = '';
	for await (const chunk of chunks) text += chunk;
	return text;
}

const ENOUGH_WORDS = 100_000;

/** The first words of a body that matters less than its status: as much as comes of them. */
export async function beginningOf(chunks: AsyncIterable<string>): Promise<string> {
	let text = '';
	try {
		for await (const chunk of chunks) {
			text += chunk;
			if (text.length >= ENOUGH_WORDS) break;
		}
	} catch {
		// The status is known.
	}
	return text;
}
