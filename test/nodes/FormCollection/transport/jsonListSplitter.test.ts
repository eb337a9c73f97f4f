import fc from 'fast-check';
import { RecordCutter } from '../../../../nodes/FormCollection/transport/jsonListSplitter';
import { strangeFields } from '../../../support/formCollection';

/** What the cutter makes of a text that comes in pieces. */
function cut(...chunks: string[]) {
	const cutter = new RecordCutter('responses');
	const records = chunks.flatMap((chunk) => cutter.push(chunk));
	return { records, frame: cutter.frame };
}

const body = `\n{"a":"]}\\"","list":[[1],{"b":2}], "responses" : [ {"id":"r1",${strangeFields}} , {"id":"\\\\","answers":{"x":["[{","\\\\\\"","]}"],"y":"é😀"}}\n,{}], "after":{"responses":[{"c":{"d":1}}]}}\n`;

const whole = JSON.parse(body) as { responses: unknown[] };

/** The same value with all records of the list in one. */
const frame = { ...whole, responses: [{}] };

it('cuts out the records, whatever is in and around them', () => {
	const { records, frame: rest } = cut(body);

	expect(records.map((text) => JSON.parse(text))).toEqual(whole.responses);
	expect(JSON.parse(rest)).toEqual(frame);
});

it('does not mind where the text is split', () => {
	const expected = cut(body);

	expect(cut(...body)).toEqual(expected);
	for (let first = 0; first <= body.length; first++) {
		for (let second = first; second <= Math.min(first + 4, body.length); second++) {
			expect(cut(body.slice(0, first), body.slice(first, second), body.slice(second))).toEqual(
				expected,
			);
		}
	}
});

const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 });

it('finds what JSON.parse finds, in any text of JSON and any pieces of it', () => {
	fc.assert(
		fc.property(
			fc.array(fc.dictionary(fc.string({ unit: 'binary' }), json)),
			fc.dictionary(
				fc.string({ unit: 'binary' }).filter((key) => key !== 'responses'),
				json,
			),
			fc.dictionary(
				fc.string().filter((key) => key !== 'responses'),
				json,
			),
			fc.constantFrom(undefined, 0, 1, '\t', ' \r\n'),
			fc.array(fc.nat({ max: 200 }), { maxLength: 20 }),
			(responses, before, after, space, lengths) => {
				const text = JSON.stringify({ ...before, responses, ...after }, undefined, space);
				let rest = text;
				const chunks = lengths.map((length) => {
					const chunk = rest.slice(0, length);
					rest = rest.slice(length);
					return chunk;
				});
				const found = cut(...chunks, rest);

				expect(found.records.map((record) => JSON.parse(record))).toEqual(
					(JSON.parse(text) as { responses: unknown[] }).responses,
				);
				expect(JSON.parse(found.frame)).toEqual(
					JSON.parse(
						JSON.stringify({ ...before, responses: responses.length > 0 ? [{}] : [], ...after }),
					),
				);
			},
		),
		{ numRuns: 500 },
	);
});

const isJson = (text: string) => {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
};

it('with its frame accepts only what JSON.parse accepts', () => {
	const good = '{"responses":[{"a":["\\""]},{"b":{}}],"c":[1,{}]}';
	fc.assert(
		fc.property(
			fc.nat({ max: good.length }),
			fc.nat({ max: 3 }),
			fc.string({ unit: fc.constantFrom(...'{}[],:"\\ a1'), maxLength: 3 }),
			(at, removed, inserted) => {
				const text = good.slice(0, at) + inserted + good.slice(at + removed);
				const { records, frame: rest } = cut(text);

				expect([rest, ...records].every(isJson)).toBe(isJson(text));
			},
		),
		{ numRuns: 5_000 },
	);
});

it.each([
	['no list', '{"responses":{"a":[{"b":1}]}}'],
	['the list in another member', '{"data":{"responses":[{"a":1}]}}'],
	['a list of lists', '{"responses":[[{"a":1}]]}'],
	['a bare list', '[{"responses":[{"a":1}]}]'],
	['a key with more to it', '{"x\\"responses":[{"a":1}]}'],
	['a key with escapes', '{"\\u0072esponses":[{"a":1}]}'],
	['a web page with such a list', '<script>{"responses":[{"a":1}]}</script>'],
	['nothing', ''],
])('leaves everything in the frame where there is %s', (_, text) => {
	expect(cut(text)).toEqual({ records: [], frame: text });
	expect(cut(...text)).toEqual({ records: [], frame: text });
});

it('keeps no more than a record and the frame', () => {
	const cutter = new RecordCutter('responses');
	cutter.push('{"responses":[{"id":0}');
	for (let id = 1; id < 10_000; id++) cutter.push(`,{"id":${id}}`);

	expect(cutter.frame).toBe('{"responses":[{}');
});
