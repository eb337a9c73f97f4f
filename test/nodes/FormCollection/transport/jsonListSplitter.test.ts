import { JsonListParser } from '../../../../nodes/FormCollection/transport/jsonListParser';
import { JsonListSplitter } from '../../../../nodes/FormCollection/transport/jsonListSplitter';
import { strangeFields } from '../../../support/formCollection';
import { stepsOf } from '../../../support/steps';

/** What the splitter makes of a text that comes in pieces. */
function split(...chunks: string[]) {
	const splitter = new JsonListSplitter('responses');
	const texts = chunks.flatMap((chunk) => splitter.push(chunk));
	const isComplete = splitter.end();
	const { failure, hasList, others, falseNames } = splitter;
	return {
		elements: texts.flatMap((text) => JSON.parse(`[${text}]`) as unknown[]),
		end: failure ?? (isComplete ? (hasList ? 'list' : 'noList') : 'incomplete'),
		others: Object.fromEntries([...others].map(([key, names]) => [key, Object.fromEntries(names)])),
		falseNames: [...falseNames],
	};
}

const body = `\n{"a":"]}\\"","list":[[1],{"b":2}], "responses" : [ {"id":"r1",${strangeFields}} , {"id":"\\\\","answers":{"x":["[{","\\\\\\"","]}"],"y":"é😀"}}\n,{}], "t\\u006ftal": 3.0e0, "after":{"responses":[{"c":{"d":1}}]}}\n`;

const expected = {
	elements: (JSON.parse(body) as { responses: unknown[] }).responses,
	end: 'list',
	others: {
		a: { a: undefined },
		list: { list: 1, b: 2 },
		total: { total: 3 },
		after: { d: 1 },
	},
	falseNames: [],
};

it('finds the elements, whatever is in and around them, wherever the text is split', () => {
	expect(split(body)).toEqual(expected);
	expect(split(...body)).toEqual(expected);
	for (let first = 0; first <= body.length; first++) {
		for (let second = first; second <= Math.min(first + 4, body.length); second++) {
			expect(split(body.slice(0, first), body.slice(first, second), body.slice(second))).toEqual(
				expected,
			);
		}
	}
});

it.each([
	['an empty list', '{"responses":[ ]}', 'list'],
	['a list after a value that is none', '{"responses":1,"responses":[]}', 'list'],
	['a list before a value that is none', '{"responses":[],"responses":1}', 'noList'],
	['two lists', '{"responses":[{}],"responses":[]}', 'notJson'],
	['two lists, others between them', '{"responses":[],"a":[{}],"responses":[{}]}', 'notJson'],
	['an object', '{"responses":{"a":[{"b":1}]}}', 'noList'],
	['the list in another member', '{"data":{"responses":[{"a":1}]}}', 'noList'],
	['the list in a list', '{"data":[{"responses":[{"a":1}]}],"x":[{}]}', 'noList'],
	['a bare list', '[{"responses":[{"a":1}]}]', 'noList'],
	['a key with more to it', '{"x\\"responses":[{"a":1}]}', 'noList'],
	['a list of lists', '{"responses":[[{"a":1}]', 'notObjects'],
	['a list of texts', '{"responses":["a', 'notObjects'],
	['a list of numbers', '{"responses":[ 1', 'notObjects'],
	['a bare number', ' -1.5E+3 ', 'noList'],
	['a bare text', '"responses"', 'noList'],
	['a web page with such a list', '<script>{"responses":[{"a":1}]}</script>', 'notJson'],
	['a list that ends as an object', '{"responses":[{}}', 'notJson'],
	['a text after the end', '{"responses":[]}x', 'notJson'],
	['a second value', '{"responses":[]}{}', 'notJson'],
	['a leading zero', `{"a":-${'0'.repeat(50)}1}`, 'notJson'],
	['a number of many parts', `{"a":${'1.1e1'.repeat(50)}}`, 'notJson'],
	['a number of many digits', `{"a":${'1'.repeat(200)},"responses":[]}`, 'list'],
	['one with many decimals', `{"a":-1.${'1'.repeat(200)},"responses":[]}`, 'list'],
	['one with many digits before the point', `{"a":${'1'.repeat(45)}.5e+10,"responses":[]}`, 'list'],
	['one that ends in a point', `{"a":${'1'.repeat(45)}.}`, 'notJson'],
	['a word that is none', `{"a":truefalse}`, 'notJson'],
	['a word where no value is expected', '{"a"true', 'notJson'],
	['a line break in a text', '{"a":"\n"}', 'notJson'],
	['an escape that is none', '{"a":"\\U0041"}', 'notJson'],
	['a code that is none', '{"a":"\\u00g1"}', 'notJson'],
	['many levels', '['.repeat(10_000) + ']'.repeat(10_000), 'noList'],
	['too many levels', '['.repeat(10_001), 'notJson'],
	['nothing', '', 'incomplete'],
	['a list without an end', '{"responses":[{}', 'incomplete'],
	['an object without an end', '{"responses":[]', 'incomplete'],
	['a text without an end', '{"responses":[],"a', 'incomplete'],
])('tells %s', (_, text, end) => {
	expect(split(text)).toMatchObject({ end });
	expect(split(...text)).toMatchObject({ end });
});

it('names the other members that have a value', () => {
	const nothing = '"a":null,"b":false,"c":"","d":[null,[]],"e":{"x":{"y":false,"z":""}}';
	const something =
		'"f":true,"g":"x","h":[null,"y"],"i":{"a":{"b":0,"c":null},"d":"e"},"j":0,"k":-1.5e3,"f\\"":1,"\\u00e9\\n":2';

	expect(split(`{${nothing},"responses":[],${something}}`)).toMatchObject({
		others: {
			f: { f: undefined },
			g: { g: undefined },
			h: { h: undefined },
			i: { b: 0, d: undefined },
			j: { j: 0 },
			k: { k: -1500 },
			'f"': { 'f"': 1 },
			'é\n': { 'é\n': 2 },
		},
		falseNames: ['b', 'y'],
	});
	expect(split('{"a":1,"b":1,"b":null,"a":2}').others).toEqual({ a: { a: 2 } });
	const name = 'x'.repeat(100);
	expect(split(`{"${'x'.repeat(200)}":${'1'.repeat(200)}}`).others).toEqual({
		[name]: { [name]: undefined },
	});
	expect(Object.keys(split(`{${'"a":1,'.repeat(9)}"z":1}`).others)).toEqual(['a', 'z']);
	const many = Array.from({ length: 30 }, (_, i) => `"m${i}":1`).join();
	expect(Object.keys(split(`{${many},"m3":2}`).others)).toHaveLength(20);
	expect(split(`{${many},"m3":2}`).others).toMatchObject({ m3: { m3: 2 }, m19: { m19: 1 } });
	expect(Object.keys(split(`{"a":{${many}}}`).others.a ?? {})).toHaveLength(20);
	expect(split(`{${many.replaceAll('1,', 'false,')}}`).falseNames).toHaveLength(20);
});

it('knows a number of up to 40 characters, digit by digit', () => {
	const digits = '1'.repeat(40);

	expect(split(`{"a":${digits},"b":${digits}1,"c":-${digits}}`).others).toEqual({
		a: { a: Number(digits) },
		b: { b: undefined },
		c: { c: undefined },
	});
});

const exhaust = (values: Iterable<unknown>) => void [...values];

const repeat = (text: string) => (length: number) => text.repeat(length / text.length);

it.each<[string, (length: number) => string]>([
	['records', (length) => `{"responses":[${repeat('{"a":"bcdef"},')(length)}`],
	['one long record', (length) => `{"responses":[{"a":["${repeat('b","')(length)}`],
	['a list beside it', (length) => `{"x":[${repeat('[{}],')(length)}`],
	['many lists', (length) => `{${repeat('"a":[],')(length)}`],
	['many lists by its name', (length) => `{${repeat('"responses":[],')(length)}`],
	['nested lists', repeat('[')],
	['nested lists in a record', (length) => `{"responses":[{"a":${repeat('[')(length)}`],
	['nested lists in the list', (length) => `{"responses":[${repeat('[')(length)}`],
	['what looks like boundaries', (length) => `{"responses":[{"a":"${repeat('},{')(length)}`],
	['records in a record', (length) => `{"responses":[{"a":[${repeat('{"a":1},')(length)}`],
	[
		'boundaries of records in a record',
		(length) => `{"responses":[{"a":[{${repeat('},{')(length)}`,
	],
	['quotes', (length) => `{"responses":[{"a":"${repeat('\\"')(length)}`],
	['backslashes', (length) => `{"responses":[{"a":"${repeat('\\')(length)}`],
	['backslashes beside it', (length) => `{"a":"${repeat('\\')(length)}`],
	['a long key', (length) => `{"${repeat('r')(length)}`],
	['a key of escapes', (length) => `{"${repeat('\\u0072')(length)}`],
	[
		'many keys',
		(length) => `{${Array.from({ length: length / 10 }, (_, i) => `"key${i}":1`).join()}`,
	],
	['a long number', (length) => `{"a":${repeat('1')(length)}`],
	['a long number in the list', (length) => `{"responses":[${repeat('1')(length)}`],
	['white space', repeat(' ')],
	['white space in the list', (length) => `{"responses":[${repeat(' ')(length)}`],
	['white space after a record', (length) => `{"responses":[{}${repeat(' ')(length)}`],
	['commas', (length) => `{"responses":[{}${repeat(',')(length)}`],
])('takes steps in proportion to the length, in any pieces: %s', (_, make) => {
	for (const size of [Infinity, 1_000, 3, 1]) {
		const steps = [4_000, 8_000, 16_000].map((length) => {
			const text = make(length);
			const chunks = text.match(size === Infinity ? /^[^]*$/g : new RegExp(`[^]{1,${size}}`, 'g'));
			const splitter = new JsonListSplitter('responses');
			const parser = new JsonListParser(splitter);
			return stepsOf(() => {
				for (const chunk of chunks ?? []) exhaust(parser.push(chunk));
				splitter.end();
			});
		}) as [number, number, number];

		expect(steps[2] - steps[1]).toBeLessThan(2.5 * (steps[1] - steps[0]) + 100);
	}
});

it.each([
	['records', '{"responses":[', '{"id":"r1","answers":{}},'],
	['white space', '{"responses":[', ' \n'],
	['white space after a record', '{"responses":[{}', ' \n'],
	['a text beside it', '{"a":"', 'é\\n'],
	['a list beside it', '{"a":[1', ',["b",{"c":[]}]'],
	['other members', '{"a":1', ',"b":2'],
	['a key', '{"', 'a'],
	['a number', '{"a":1', '234567890'],
	['a word that is none', '{"a":x', 'xyz'],
	['white space beside it', '{', ' '],
	['a list of texts', '{"responses":[', '"a",'],
	['a long text in the list', '{"responses":["', 'a'],
])('keeps no more than a record and a bounded part of the rest: %s', (_, start, more) => {
	const splitter = new JsonListSplitter('responses');
	const parser = new JsonListParser(splitter);
	exhaust(parser.push(start));
	for (let i = 0; i < 20_000; i++) exhaust(parser.push(more));

	const kept = JSON.stringify([parser, { ...splitter, others: [...splitter.others] }]);
	expect(kept.length).toBeLessThan(1_000);
});
