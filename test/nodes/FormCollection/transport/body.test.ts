import fc from 'fast-check';
import { Readable } from 'node:stream';
import {
	beginningOf,
	BrokenBody,
	chunksOf,
	textOf,
	UnexpectedBody,
} from '../../../../nodes/FormCollection/transport/body';

const ignore = () => undefined;

const chunks = (pieces: Uint8Array[], contentType = '') =>
	chunksOf(Readable.from(pieces), contentType, ignore, ignore);

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

const german = '{"a":"Grüße, €"}';

it.each<[string, string | undefined, Buffer]>([
	['utf-8', 'application/json', Buffer.from(german)],
	['utf-8', undefined, Buffer.from(german)],
	['utf-8', 'application/json; charset=', Buffer.from(german)],
	['utf-8', 'application/json; charset="UTF\\-8"', Buffer.from(german)],
	...['martian', 'binary', 'undefined', 'utf8mb4', "'utf_8'", 'utf-8,'].map(
		(unknown): [string, string, Buffer] => [
			'utf-8',
			`text/plain; charset=${unknown}`,
			Buffer.from(german),
		],
	),
	['utf-16le', 'application/json;CHARSET=UTF-16LE', Buffer.from(`\ufeff${german}`, 'utf16le')],
	[
		'windows-1252',
		'text/plain; a="; charset=x" ; charset="Windows-1252"; b=c',
		Buffer.from('{"a":"Gr\xfc\xdfe, \x80"}', 'latin1'),
	],
])('is read by its charset, %s in %s', async (_, contentType, bytes) => {
	const single = Array.from(bytes, (_byte, i) => bytes.subarray(i, i + 1));

	expect(await textOf(chunks([bytes], contentType))).toBe(german);
	expect(await textOf(chunks(single, contentType))).toBe(german);
});

it.each([
	[
		'bytes of an unknown one',
		'text/plain; charset=martian',
		[Buffer.from('{"a":"\xfc"}', 'latin1')],
		'notText',
	],
	['bytes of another one', undefined, [Buffer.from('{"a":"\xfc"}', 'latin1')], 'notText'],
	['half a character', undefined, [Buffer.from('{"a":"ß').subarray(0, -1)], 'cutShort'],
])('is refused with %s', async (_, contentType, pieces, found) => {
	const stream = Readable.from(pieces);
	const text = textOf(chunksOf(stream, contentType ?? '', ignore, ignore));
	const failure = await text.catch((error: unknown) => error);

	expect(failure).toBeInstanceOf(UnexpectedBody);
	expect(failure).toMatchObject({ found });
	expect(stream.destroyed).toBe(true);
});

describe('that matters less than its status', () => {
	it('is what came of it', async () => {
		async function* broken() {
			yield Buffer.from('Not ');
			yield Buffer.from('now');
			throw new Error('Broken off');
		}
		const stream = Readable.from(broken());

		expect(await beginningOf(chunksOf(stream, '', ignore, ignore))).toEqual({
			text: 'Not now',
			isCut: true,
		});
	});

	it('is what can be read of it', async () => {
		const pieces = [Buffer.from('Not '), Buffer.from('f\xfcr', 'latin1'), Buffer.from('you')];

		expect(await beginningOf(chunks(pieces))).toEqual({ text: 'Not ', isCut: true });
		expect(await beginningOf(chunks(pieces, 'a/b;charset=latin1'))).toEqual({
			text: 'Not füryou',
			isCut: false,
		});
		expect(await beginningOf(chunks(pieces, 'a/b;charset=x'))).toEqual({
			text: 'Not ',
			isCut: true,
		});
	});

	it('is left once its beginning is enough', async () => {
		const stream = Readable.from(Array.from({ length: 1_000 }, () => Buffer.alloc(1_000, 'x')));

		const { text, isCut } = await beginningOf(chunksOf(stream, '', ignore, ignore));

		expect(text).toHaveLength(100_000);
		expect(isCut).toBe(true);
		expect(stream.destroyed).toBe(true);
	});
});

it('tells of each piece that comes in, and of a stream that breaks', async () => {
	async function* broken() {
		yield Buffer.from('a');
		yield Buffer.from('b');
		throw new Error('Broken off');
	}
	const onPiece = jest.fn();
	const failure = await textOf(chunksOf(Readable.from(broken()), '', onPiece, ignore)).catch(
		(error: unknown) => error,
	);

	expect(failure).toBeInstanceOf(BrokenBody);
	expect(failure).toMatchObject({ reason: { message: 'Broken off' } });
	expect(onPiece).toHaveBeenCalledTimes(2);
});
