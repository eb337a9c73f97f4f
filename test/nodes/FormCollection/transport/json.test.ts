import { parseJson, repeatedKey } from '../../../../nodes/FormCollection/transport/json';

describe('a number that JavaScript would change', () => {
	it.each([
		['9007199254740992', '9007199254740992'],
		['-9007199254740992', '-9007199254740992'],
		['{"id":1234567890123456789}', { id: '1234567890123456789' }],
		[
			'[{"a":[null,"x",[-1234567890123456789]]},1]',
			[{ a: [null, 'x', ['-1234567890123456789']] }, 1],
		],
		['[1e999,-1.5E+999]', ['1e999', '-1.5E+999']],
		[
			String.raw`{"12345678901234567890":"12345678901234567890","a\"":"\\","b":12345678901234567890}`,
			{ '12345678901234567890': '12345678901234567890', 'a"': '\\', b: '12345678901234567890' },
		],
	])('becomes text: %s', (text, value) => {
		expect(parseJson(text)).toEqual(value);
	});

	it.each([
		['[9007199254740991,-9007199254740991]', [9007199254740991, -9007199254740991]],
		[
			'[-0.5,1.5e3,0,1e21,12345678901234567890.5]',
			[-0.5, 1500, 0, 1e21, Number('12345678901234567890.5')],
		],
		// Small ones are rounded next to a large one, too: they are no IDs.
		[
			'[12345678901234567890,0.12345678901234567890,7]',
			['12345678901234567890', Number('0.12345678901234567890'), 7],
		],
		['"12345678901234567890"', '12345678901234567890'],
		['null', null],
		['[null,true,{}]', [null, true, {}]],
	])('is not any other: %s', (text, value) => {
		expect(parseJson(text)).toEqual(value);
	});
});

it('what is no JSON is no value', () => {
	expect(() => parseJson('{"a":12345678901234567890,}')).toThrow(SyntaxError);
});

describe('a key that an object has twice', () => {
	it.each([
		['{"a":1,"b":2,"a":3}', 'a'],
		['{ "a" : 1 , "a" : 1 }', 'a'],
		['{"":1,"":2}', ''],
		[String.raw`{"é":1,"\u00e9":2}`, 'é'],
		['{"a":{"x":1},"b":[{"x":1},"a"],"b":2}', 'b'],
		[String.raw`{"a":"{","b":"}]:","c":"\"}","b":"["}`, 'b'],
		[String.raw`{"a":"\\","a":1}`, 'a'],
	])('is found: %s', (text, key) => {
		expect(repeatedKey(text)).toBe(key);
	});

	it.each([
		'{}',
		'{"a":1,"b":2}',
		'{"a":"b","b":"a","c":"a"}',
		'{"a":{"a":1,"b":1},"b":{"a":1}}',
		'{"a":[{"a":1},{"a":1}],"b":1}',
		// Inside of an answer the API knows no objects anyway.
		'{"a":{"x":1,"x":2}}',
		'{"a":"x,\\"b\\":","b":1}',
	])('is none of another object, and no text: %s', (text) => {
		expect(repeatedKey(text)).toBeUndefined();
	});
});
