import fc from 'fast-check';
import { Readable } from 'node:stream';
import { beginningOf, chunksOf, textOf } from '../../../../nodes/FormCollection/service/body';

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
