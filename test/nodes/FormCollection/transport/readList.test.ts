import fc from 'fast-check';
import { parseJson } from '../../../../nodes/FormCollection/transport/json';
import { UnexpectedBody } from '../../../../nodes/FormCollection/transport/body';
import { readList } from '../../../../nodes/FormCollection/transport/readList';
import { isRecord } from '../../../../nodes/FormCollection/transport/records';

async function* inPieces(pieces: Iterable<string>) {
	yield* pieces;
}

/** What came of a body: its records and what else is known of the list, or what it is instead. */
async function read(pieces: Iterable<string>, most = Infinity) {
	const records: unknown[] = [];
	const add = (record: unknown) => records.push(record) < most;
	try {
		return { records, info: await readList(inPieces(pieces), 'responses', add) };
	} catch (error) {
		if (!(error instanceof UnexpectedBody)) throw error;
		return { found: error.found, text: error.text };
	}
}

describe.each([
	['as the reference has it', '"responses"'],
	['with an escape in its key', String.raw`"\u0072esponses"`],
])('the list in a body, %s', (_, key) => {
	const pieces = [`{"next":"b",${key}:[{"a":1},`, '{"a":2},{"a":3}', '],"total":3,"page":1}'];

	it('is given record by record', async () => {
		expect(await read(pieces)).toEqual({
			records: [{ a: 1 }, { a: 2 }, { a: 3 }],
			info: { count: 3, paginationMembers: ['next', 'page'], hasNextPage: true, isComplete: true },
		});
	});

	it.each([1, 2])('is read no further than wanted', async (most) => {
		expect(await read(pieces, most)).toEqual({
			records: [{ a: 1 }, { a: 2 }].slice(0, most),
			info: { count: most, paginationMembers: ['next'], hasNextPage: true, isComplete: false },
		});
	});
});

it('keeps the digits of numbers that JavaScript would change, wherever the text is split', async () => {
	const texts = ['{"responses":[{"id":"r1"}', ',{"id":12345678901234567890}', ',{"a":[-1e999]}]}'];
	const records = [{ id: 'r1' }, { id: '12345678901234567890' }, { a: ['-1e999'] }];
	const body = texts.join('');

	expect(await read(texts)).toMatchObject({ records });
	for (let at = 0; at <= body.length; at++) {
		expect(await read([body.slice(0, at), body.slice(at)])).toMatchObject({ records });
	}
});

it.each([
	['{"responses":[],"success":false}', true],
	['{"success":true,"responses":[],"success":false}', true],
	['{"success":false,"responses":[],"success":true}', false],
	['{"responses":[{}],"success":false}', false],
	['{"responses":[],"meta":{"success":false}}', false],
	['{"responses":[],"steps":[{"success":false}]}', false],
	['{"success":true,"webhook":{"success":false},"responses":[]}', false],
])('is a refusal only if it is empty and says so itself: %s', async (body, isRefused) => {
	const { found } = await read([body]);

	expect(found).toBe(isRefused ? 'noList' : undefined);
});

it('is followed by a total of something else', async () => {
	expect(await read(['{"responses":[{}],"total":2,"count":"1"}'])).toEqual({
		records: [{}],
		info: { count: 1, paginationMembers: ['total', 'count'], hasNextPage: false, isComplete: true },
	});
});

it.each([
	['has_more":false,"page":1,"limit":50,"total":1', [], false],
	['meta":{"has_more":false,"next":null}', [], false],
	['meta":{"hasNextPage":false,"per_page":50,"total":1,"status":"ok"}', [], false],
	['meta":{"has_more":false,"total":2}', ['meta'], false],
	['has_more":false,"next":"b"', ['next'], false],
	['has_more":true,"page":1', ['has_more', 'page'], true],
	['is_beta":false,"page":1', ['page'], false],
	['meta":{"page":1,"has_more":true}', ['meta'], true],
	['next_cursor":"c2"', ['next_cursor'], true],
	['meta":{"nextPageToken":"t"}', ['meta'], true],
	['next_review":"Monday"', ['next_review'], false],
	['pages":[{"status":"ok"},{"rel":"next"}],"status":"ok"', ['pages'], false],
])(
	'is followed by what tells whether it is all: "%s',
	async (members, paginationMembers, hasNextPage) => {
		const body = `{"responses":[{}],"${members}}`;
		expect(await read([body])).toMatchObject({ info: { paginationMembers, hasNextPage } });
	},
);

it.each([
	['notJson', '{"responses":[{"a":1}],"responses":[{"a":2}]}'],
	['empty', ''],
	['empty', ' \n'],
	['webPage', '\n<html>{"responses":[]}</html>'],
	['notJson', 'Not found'],
	['notJson', '{"responses":[{a:1}]}'],
	['notJson', '{"responses":[{"a":1]]}'],
	['notJson', '{"responses":[] "a":1}'],
	['notJson', '{"responses":[{},]}'],
	['notJson', '{"responses":[{},,{}]}'],
	['notJson', '{"responses":[,{}]}'],
	['cutShort', '{"responses":[{"a":1}'],
	['cutShort', '{"responses":[{"a":1}]'],
	['noList', '{"forms":[]}'],
	['noList', '{"responses":[{"a":1},2]}'],
	['noList', '{"responses":[{"a":1},null]}'],
	['noList', '[]'],
	['noList', 'null'],
])('tells %s from a list: %s', async (found, text) => {
	expect(await read([text])).toEqual({ found, text: text.trimStart() });
	expect(await read(text)).toMatchObject({ found });
});

it('shows the beginning of something else', async () => {
	const text = `${' '.repeat(5_000)}{${'x'.repeat(5_000)}`;

	expect(await read([text])).toEqual({ found: 'notJson', text: text.trim().slice(0, 1_000) });
	expect(await read([`{"a":"${'x'.repeat(5_000)}`])).toMatchObject({
		found: 'cutShort',
		text: expect.stringMatching(/^{"a":"x{994}$/) as string,
	});
});

const piecesOf = (text: string, lengths: number[]) => {
	let rest = text;
	const pieces = lengths.map((length) => {
		const piece = rest.slice(0, length);
		rest = rest.slice(length);
		return piece;
	});
	return [...pieces, rest];
};

const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 });
const holdsSomething = (value: unknown): boolean =>
	value instanceof Object
		? Object.values(value).some(holdsSomething)
		: value !== null && value !== false && value !== '';
// Not such as "ok" or "next": what these tell is in tests of their own.
const hasNoWords = (members: object) => !/"[a-z_]{2,}":/i.test(JSON.stringify(members));

it('finds what JSON.parse finds, in any text of JSON and any pieces of it', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.dictionary(fc.string({ unit: 'binary' }), json)),
			fc.dictionary(fc.string({ unit: 'binary' }), json).filter(hasNoWords),
			fc.dictionary(fc.string(), json).filter(hasNoWords),
			fc.constantFrom(undefined, 0, 1, '\t', ' \r\n'),
			fc.array(fc.nat({ max: 200 }), { maxLength: 20 }),
			async (responses, before, after, space, lengths) => {
				const text = JSON.stringify({ ...before, responses, ...after }, undefined, space);
				const whole = parseJson(text) as Record<string, unknown>;
				const names = Object.keys(whole).filter((name) => {
					return name !== 'responses' && holdsSomething(whole[name]);
				});

				expect(await read(piecesOf(text, lengths))).toEqual({
					records: whole.responses,
					info: {
						count: responses.length,
						paginationMembers: expect.any(Array) as string[],
						hasNextPage: expect.any(Boolean) as boolean,
						isComplete: true,
					},
				});
				const { info } = (await read([text])) as { info: { paginationMembers: string[] } };
				expect(info.paginationMembers.sort()).toEqual(names.sort());
			},
		),
		{ numRuns: 200 },
	);
});

/** @returns the list that `JSON.parse` of the whole finds */
const listIn = (text: string): unknown => {
	try {
		const whole: unknown = parseJson(text);
		const list = isRecord(whole) ? whole.responses : undefined;
		return Array.isArray(list) && list.every(isRecord) ? list : undefined;
	} catch {
		return undefined;
	}
};

it('accepts what JSON.parse accepts, and nothing else', async () => {
	const good =
		'{"a":[-1.5e+3,{"b":true}],"responses":[{"a":["\\""]},{"b":{}}],"c":[1,{},"\\u00e9"]}';
	await fc.assert(
		fc.asyncProperty(
			fc.nat({ max: good.length }),
			fc.nat({ max: 3 }),
			fc.string({ unit: fc.constantFrom(...'{}[],:"\\ a1.e-0u\u00a0'), maxLength: 3 }),
			fc.array(fc.nat({ max: 40 }), { maxLength: 5 }),
			async (at, removed, inserted, lengths) => {
				const text = good.slice(0, at) + inserted + good.slice(at + removed);

				expect((await read(piecesOf(text, lengths))).records).toEqual(listIn(text));
			},
		),
		{ numRuns: 5_000 },
	);
});
