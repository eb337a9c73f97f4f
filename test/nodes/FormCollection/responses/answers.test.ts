import { runInNewContext } from 'node:vm';
import {
	flattenAnswers,
	toAnswers,
	toAnswersFromCells,
	toAnswersFromRows,
} from '../../../../nodes/FormCollection/responses/answers';

describe('answers', () => {
	it('are text, or lists of text', () => {
		expect(
			toAnswers([
				['text', ''],
				['number', -1.5],
				['bigint', 12345678901234567890n],
				['yes', true],
				['list', [1, 'a', false, 2n]],
				['left out', undefined],
				['left out, too', null],
			]),
		).toEqual({
			text: '',
			number: '-1.5',
			bigint: '12345678901234567890',
			yes: 'true',
			list: ['1', 'a', 'false', '2'],
		});
	});

	it('keep the names that objects have already', () => {
		const answers = toAnswers([
			['__proto__', 'p'],
			['constructor', 'c'],
			['toString', 't'],
		]);

		expect(JSON.stringify(answers)).toBe('{"__proto__":"p","constructor":"c","toString":"t"}');
		expect(Object.getPrototypeOf(answers)).toBe(Object.prototype);
	});

	it.each([
		['an object', {}],
		['an object', runInNewContext('({ a: 1 })')],
		['a date (use its toISO() text)', new Date(0)],
		['a date (use its toISO() text)', { toISO: () => '' }],
		['a function', () => 'x'],
		['a symbol', Symbol('x')],
		['a list', [['a']]],
		['empty', ['a', undefined]],
		['not a number that can be sent (NaN)', NaN],
		['not a number that can be sent (-Infinity)', [-Infinity]],
	])('are not %s', (found, value) => {
		expect(() => toAnswers([['q', value]])).toThrow(
			`The answer to "q" is ${found}: map a text, a number, true or false, or a list of these`,
		);
	});

	it('leave out empty cells, but no other empty text', () => {
		expect(
			toAnswersFromCells([
				['a', ''],
				['b', ' '],
				['c', ['']],
			]),
		).toEqual({ b: ' ', c: [''] });
	});

	it('of rows with the same key are one list, in their order', () => {
		expect(
			toAnswersFromRows([
				{},
				{ key: 'q', value: 'a' },
				{ key: 'p', value: 'x' },
				{ key: 'q', value: null },
				{ key: 'q', value: ['b', 'c'] },
				{ key: 'q', value: 'a' },
				{ key: '__proto__', value: 'y' },
			]),
		).toEqual(JSON.parse('{"q":["a","b","c","a"],"p":"x","__proto__":"y"}'));
	});

	it.each([
		[null, 'A row of Answers is empty: enter a question key and an answer'],
		[['q', 'a'], 'A row of Answers is a list: enter a question key and an answer'],
		[{ key: { a: 1 }, value: 'a' }, 'A Question Key is an object: enter the key as a text'],
		[{ key: ['q'], value: 'a' }, 'A Question Key is a list: enter the key as a text'],
	])('are not read from the row %j', (row, message) => {
		expect(() => toAnswersFromRows([{ key: 'q', value: 'a' }, row])).toThrow(message);
	});
});

describe('flattened answers', () => {
	it('stand behind the other fields, which stay as they are', () => {
		const record = {
			id: 'r1',
			extra: { a: [null] },
			answers: { name: 'Ada', list: ['a', 'b'], odd: 7, none: null },
			created_at: 't',
		};

		const flat = flattenAnswers(record, ' | ');

		expect(JSON.stringify(flat)).toBe(
			'{"id":"r1","extra":{"a":[null]},"created_at":"t","name":"Ada","list":"a | b","odd":7,"none":null}',
		);
		expect(record.answers.list).toEqual(['a', 'b']);
	});

	it('keep lists without a separator', () => {
		expect(flattenAnswers({ answers: { list: ['a', 'b'], one: [] } }, '')).toEqual({
			list: ['a', 'b'],
			one: [],
		});
	});

	it('lose no answer and no field where names collide', () => {
		const record = JSON.parse(
			'{"id":"r1","created_at":"t","pixel_fired":true,"answer_error":"of the record","__proto__":1,"constructor":2,' +
				'"answers":{"id":"a","created_at":"b","error":"c","message":"d","details":"e","answers":"f",' +
				'"answer_id":"g","answer_message":"h","__proto__":"i","constructor":"j","toString":"k","form_id":"l"}}',
		);

		expect(JSON.stringify(flattenAnswers(record, ''))).toBe(
			'{"id":"r1","created_at":"t","pixel_fired":true,"answer_error":"of the record","__proto__":1,"constructor":2,' +
				'"answer_answer_id":"a","answer_created_at":"b","answer_answer_error":"c","answer_answer_message":"d",' +
				'"answer_details":"e","answer_answers":"f","answer_id":"g","answer_message":"h",' +
				'"answer___proto__":"i","answer_constructor":"j","toString":"k","form_id":"l"}',
		);
	});

	it('have no name that later nodes would lose', () => {
		const record = JSON.parse(
			'{"answers":{"__proto__":"p","constructor":"c","prototype":"o","toString":"t","hasOwnProperty":"h","answer_constructor":"a"}}',
		);

		expect(JSON.stringify(flattenAnswers(record, ''))).toBe(
			'{"answer___proto__":"p","answer_answer_constructor":"c","answer_prototype":"o","toString":"t","hasOwnProperty":"h","answer_constructor":"a"}',
		);
	});

	it.each([undefined, null, 'text', [1]])('are not made of answers that are %p', (answers) => {
		expect(flattenAnswers({ id: 'r1', answers } as never, ', ')).toEqual({ id: 'r1', answers });
	});
});

it('joins only lists of plain values', () => {
	const answers = { plain: ['x', null, 1], mixed: ['x', { y: 1 }], lists: [['x']] };

	expect(flattenAnswers({ answers }, ', ')).toEqual({ ...answers, plain: 'x, , 1' });
});
