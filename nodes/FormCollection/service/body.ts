import { sleep } from 'n8n-workflow';

/** What is used of the stream that n8n's request helper gives for a body. */
export interface BodyStream extends AsyncIterable<string> {
	setEncoding(encoding: 'utf8'): void;
	destroy(error: Error): void;
}

/** A body that ended before its end. */
export class BrokenBody extends Error {
	constructor(readonly reason: unknown) {
		super();
	}
}

/** The reason of a body of which no more came in time. */
export const stalled = Object.assign(new Error(), { code: 'ETIMEDOUT' });

/**
 * The text of a body, in the pieces in which it comes in. Leaving the loop over it early closes the
 * connection.
 *
 * @param timeoutMs how long to wait for the next piece
 * @throws BrokenBody
 */
export async function* chunksOf(body: BodyStream, timeoutMs: number): AsyncGenerator<string> {
	// This keeps characters together that are split between two pieces.
	body.setEncoding('utf8');
	const finished = new AbortController();
	let lastAt = Date.now();
	const watch = async () => {
		// The timeout of n8n's helper ends with the headers.
		for (let leftMs = timeoutMs; leftMs > 0; leftMs = lastAt + timeoutMs - Date.now()) {
			await sleep(leftMs, finished.signal);
		}
		body.destroy(stalled);
	};
	watch().catch(() => undefined);
	let isFirst = true;
	try {
		for await (const chunk of withReason(body)) {
			lastAt = Date.now();
			yield isFirst ? chunk.replace(/^\ufeff/, '') : chunk;
			isFirst = false;
		}
	} finally {
		finished.abort();
	}
}

/** Errors of the body only: what the reader throws passes by a generator. */
async function* withReason(body: AsyncIterable<string>): AsyncGenerator<string> {
	try {
		yield* body;
	} catch (error) {
		throw brokenBy(error);
	}
}

function brokenBy(reason: unknown): BrokenBody {
	return new BrokenBody(reason);
}

export async function textOf(chunks: AsyncIterable<string>): Promise<string> {
	let text = '';
	for await (const chunk of chunks) text += chunk;
	return text;
}

const ENOUGH_WORDS = 10_000;

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
