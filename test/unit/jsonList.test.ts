import fc from 'fast-check';
import { readList } from '../../nodes/FormCollection/transport/jsonList';

// The same cases in each run.
fc.configureGlobal({ seed: 1 });

/** The text in pieces that end at these places. */
function cutAt(text: string, ...places: number[]): string[] {
	const ends = [...places].sort((a, b) => a - b);
	return [...ends, text.length].map((end, i) => text.slice(ends[i - 1] ?? 0, end));
}

/** Reads at most so many records. */
async function read(pieces: string[], most = Infinity) {
	const records: unknown[] = [];
	let taken = 0;
	const chunks = (async function* () {
		for (const piece of pieces) {
			taken++;
			yield piece;
		}
	})();
	const envelope = await readList(chunks, 'list', (record) => records.push(record) < most);
	return { records, envelope, taken };
}

const around = (records: string, behind = '') => `{"list":[${records}]${behind}}`;

it.each([
	['an empty list', '{"list":[]}'],
	['records', around('{"a":1},{"b":2},{}')],
	['white space', '\n{ "list" :\t[ {"a":1} ,\n {"b":2}\n ,{} ] }\n'],
	['records and lists within records', around('{"a":[{},{"b":[{},{}]}]},{"list":[{},{}]}')],
	['brackets and boundaries in texts', around('{"a":"},{"},{"b":"[}, {]}"},{"c":"]}"}')],
	['escaped quotes', around('{"a":"\\"},{\\""},{"b\\\\":"\\\\"},{"c":"\\u0022},{"}')],
	['members before the list', '{"success":true,"total":2,"more":{"list":[]},"list":[{},{}]}'],
	[
		'a list of the same name deeper',
		'{"more":{"list":[{"x":1},{"y":2}]},"list":[{"a":1},{"b":2}]}',
	],
	['members behind the list', around('{"a":1},{"b":2}', ',"next":"},{","more":{"list":[{},{}]}')],
])('reads %s, wherever the text is cut', async (_, text) => {
	const { list, ...others } = JSON.parse(text) as { list: unknown[] };
	for (let place = 0; place <= text.length; place++) {
		const { records, envelope } = await read(cutAt(text, place));

		expect(records).toEqual(list);
		expect(envelope).toEqual({ ...others, list: expect.any(Array) });
	}
	expect((await read([...text])).records).toEqual(list);
});

it('reads what JSON.parse reads, however the text is cut', async () => {
	const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'"\\{}[],: ') }));
	const { record } = fc.letrec((tie) => ({
		value: fc.oneof({ depthSize: 'small' }, text, fc.integer(), tie('record'), tie('values')),
		values: fc.array(tie('value'), { maxLength: 3 }),
		record: fc.dictionary(text, tie('value'), { maxKeys: 3 }),
	}));
	const places = fc.array(fc.nat(), { maxLength: 20 });
	await fc.assert(
		fc.asyncProperty(fc.array(record), record, places, async (list, others, cuts) => {
			const body = JSON.stringify({ ...others, list: undefined, more: 1 });
			const whole = `{"list":${JSON.stringify(list)},${body.slice(1)}`;
			const pieces = cutAt(whole, ...cuts.map((place) => place % whole.length));
			const { records, envelope } = await read(pieces);

			expect(records).toEqual(JSON.parse(JSON.stringify(list)));
			expect({ ...envelope, list: 0 }).toEqual({ ...JSON.parse(whole), list: 0 });
		}),
		{ numRuns: 300 },
	);
});

it('takes no more of the text than it needs for the records that are wanted', async () => {
	const pieces = ['{"list":[{"a":1},', '{"a":2},{"a":3},', '{"a":4},', ']}'];

	expect(await read(pieces, 2)).toEqual({
		records: [{ a: 1 }, { a: 2 }],
		envelope: undefined,
		taken: 2,
	});
	expect((await read(['{"list":[{"a":1}', ']}'], 1)).envelope).toBeUndefined();
	expect(await read(['{"list":[{"a":1},{"a":"},{', '"}', ']}'], 1)).toMatchObject({ taken: 1 });
});

it.each([
	['a text full of boundaries', `"${'},{'.repeat(300_000)}"`],
	['a long list of records', `[${Array(200_000).fill('{}').join()}]`],
])('looks through %s a few times, not once for each piece', async (_, value) => {
	const text = around(`{"a":${value}},{"b":1}`);
	const pieces = text.match(/[^]{1,10000}/g) ?? [];
	const parse = jest.spyOn(JSON, 'parse');
	const { records } = await read(pieces);
	const looked = parse.mock.calls.reduce((sum, [each]) => sum + each.length, 0);
	parse.mockRestore();

	expect(records).toHaveLength(2);
	expect(looked).toBeLessThan(30 * text.length);
});

it.each([
	[
		'cutShort',
		['{', '\n{', '{"list":[{"a":1}', '{"list":[{"a":1},{"b":1}]', '{"list":[{"a":1},{"b"'],
	],
	['notApi', ['', 'ok', 'ok []', '<html>', 'null', '"list"', '[{}]', '{"data":[]}', '{"list":{}}']],
	['notApi', ['{"list":[1]}', '{"list":[{},null]}', '{"list":[{},{},[]]}', '{"list":null}']],
	['denied', ['{"success":false}', '{"success":false,"list":[{}]}']],
])('refuses as %s: %j', async (kind, texts) => {
	for (const text of texts) await expect(read([...text])).rejects.toMatchObject({ kind });
});

it('reads on behind a piece that is longer than a beginning may be', async () => {
	const long = JSON.stringify({ a: 'x'.repeat(1_100_000) });

	expect((await read([`{"list":[${long},{"b":`, '1}]}'])).records).toHaveLength(2);
});

it('gives up a text that goes on without a list', async () => {
	const pieces = Array<string>(100).fill(' '.repeat(100_000));
	const error = await read(['{', ...pieces]).catch((each: { kind: string; text: string }) => each);

	expect(error).toMatchObject({ kind: 'cutShort' });
	expect('text' in error && error.text.length).toBeLessThan(1_200_000);
});
