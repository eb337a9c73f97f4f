import fc from 'fast-check';
import { Readable } from 'node:stream';
import { beginningOf, chunksOf, textOf } from '../../../../nodes/FormCollection/transport/body';

const chunks = (pieces: Uint8Array[]) => chunksOf(Readable.from(pieces), 1_000, () => undefined);

it('is the same text wherever it is split', async () => {
	const text = fc.string({ unit: 'binary', maxLength: 20 });
	await fc.assert(
		fc.asyncProperty(text, fc.array(fc.nat({ max: 80 })), async (sent, places) => {
			const body = Buffer.from(`{${sent}}`);
			const ends = [...places.sort((a, b) => a - b), body.length];
			const pieces = ends.map((end, i) => body.subarray(ends[i - 1] ?? 0, end));

			expect(await textOf(chunks(pieces))).toBe(body.toString());
		}),
	);
});

it('begins after a byte order mark, and may have none later', async () => {
	expect(await textOf(chunks([Buffer.from('\ufeff{"a":"\ufeff"}')]))).toBe('{"a":"\ufeff"}');
});

it('ends with a mark where its last character is cut off', async () => {
	expect(await textOf(chunks([Buffer.from('{"a":"ß').subarray(0, -1)]))).toBe('{"a":"\ufffd');
});

it('matters less than its status: its beginning is what came of it', async () => {
	async function* broken() {
		yield Buffer.from('Not ');
		yield Buffer.from('now');
		throw new Error('Broken off');
	}
	const stream = Readable.from(broken());

	expect(await beginningOf(chunksOf(stream, 1_000, () => undefined))).toBe('Not now');
});

it('is left once its beginning is enough', async () => {
	const stream = Readable.from(Array.from({ length: 1_000 }, () => Buffer.alloc(1_000, 'x')));

	const text = await beginningOf(chunksOf(stream, 1_000, () => undefined));

	expect(text).toHaveLength(100_000);
	expect(stream.destroyed).toBe(true);
});

describe('of which no more comes', () => {
	beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
	afterEach(() => jest.useRealTimers());

	/** A body that gives what it is told to, and nothing by itself. */
	function silent() {
		let give: (text: string) => void = () => undefined;
		let fail: (error: Error) => void = () => undefined;
		let end: () => void = () => undefined;
		const next = async () =>
			await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
				give = (text) => resolve({ done: false, value: Buffer.from(text) });
				fail = reject;
				end = () => resolve({ done: true, value: undefined });
			});
		const stop = jest.fn(() => fail(new Error('Aborted')));
		const text = textOf(chunksOf({ [Symbol.asyncIterator]: () => ({ next }) }, 1_000, stop));
		const after = async (ms: number, act: () => void = () => undefined) => {
			await jest.advanceTimersByTimeAsync(ms);
			act();
			await jest.advanceTimersByTimeAsync(0);
		};
		return { text, stop, after, give: (part: string) => give(part), end: () => end() };
	}

	it('ends the request once its time is over, and is broken', async () => {
		const { text, stop, after } = silent();
		const failure = text.catch((error: unknown) => error);

		await after(999);
		expect(stop).not.toHaveBeenCalled();
		await after(1);
		expect(stop).toHaveBeenCalledTimes(1);
		expect(await failure).toMatchObject({ reason: { code: 'ETIMEDOUT' } });
	});

	it('has its whole time again after each piece', async () => {
		const { text, stop, after, give } = silent();
		const failure = text.catch((error: unknown) => error);

		await after(900, () => give('a'));
		await after(900, () => give('b'));
		await after(999);
		expect(stop).not.toHaveBeenCalled();
		await after(1);
		expect(stop).toHaveBeenCalledTimes(1);
		expect(await failure).toMatchObject({ reason: { code: 'ETIMEDOUT' } });
	});

	it('is waited for no longer once it has ended', async () => {
		const { text, stop, after, give, end } = silent();

		await after(0, () => give('a'));
		await after(0, end);
		expect(await text).toBe('a');
		expect(jest.getTimerCount()).toBe(0);
		await after(5_000);
		expect(stop).not.toHaveBeenCalled();
	});
});
