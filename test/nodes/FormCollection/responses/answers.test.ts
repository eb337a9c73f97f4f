import { runInNewContext } from 'node:vm';
import {
	toAnswers,
	toAnswersFromCells,
	toAnswersFromRows,
} from '../../../../nodes/FormCollection/responses/answers';

const UNREADABLE =
	'The answer to "q" is a date that could not be read: check the value and its format, in the expression or before this node, and return null where there is no date';
const EMPTY_ENTRY =
	'The answer to "q" is a list with an empty entry: remove the entry, e.g. with compact(), in the expression or before this node';

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
		['a function', () => 'x'],
		['a symbol', Symbol('x')],
		['not a number that can be sent (NaN)', NaN],
		['not a number that can be sent (-Infinity)', [-Infinity]],
	])('are not %s', (found, value) => {
		expect(() => toAnswers([['q', value]])).toThrow(
			`The answer to "q" is ${found}: map text, a number, true or false, or a list of these`,
		);
	});

	it.each([
		['toISOString', new Date(0)],
		['toISO', { toISO: '' }],
		['toISOString', ['a', new Date(0)]],
	])('are no dates, which have %s()', (method, value) => {
		expect(() => toAnswers([['q', value]])).toThrow(
			`The answer to "q" is a date: convert it to text with ${method}(), in the expression or before this node`,
		);
	});

	it.each([
		'Invalid DateTime',
		' Invalid Date ',
		'Invalid Duration',
		'Invalid Interval',
		new Date(NaN),
		runInNewContext('new Date("")'),
		{ toISO: '', isValid: false },
		['a', new Date(NaN)],
	])('are no dates that could not be read: %p', (value) => {
		expect(() => toAnswers([['q', value]])).toThrow(UNREADABLE);
	});

	it('may tell of such a date', () => {
		const answers = { q: 'n8n shows Invalid DateTime', p: 'Invalid Dates' };
		expect(toAnswers(Object.entries(answers))).toEqual(answers);
		expect(() => toAnswers([['q', { isValid: false }]])).toThrow('The answer to "q" is an object');
	});

	it.each([undefined, null])('are no lists with an entry that is %p', (none) => {
		for (const read of [toAnswers, toAnswersFromCells]) {
			expect(() => read([['q', ['a', none]]])).toThrow(EMPTY_ENTRY);
		}
		const rows = ['b', ['a', none]].map((value) => ({ key: 'q', value }));
		expect(() => toAnswersFromRows(rows)).toThrow(EMPTY_ENTRY);
		expect(() => toAnswersFromRows(rows.slice(1))).toThrow(EMPTY_ENTRY);
	});

	it('are no lists with a gap', () => {
		const gap = Object.assign([], { 1: 'a' });
		expect(() => toAnswers([['q', gap]])).toThrow(EMPTY_ENTRY);
		const rows = ['b', gap].map((value) => ({ key: 'q', value }));
		expect(() => toAnswersFromRows(rows)).toThrow(EMPTY_ENTRY);
	});

	it('leave out empty cells, but no other empty text', () => {
		expect(
			toAnswersFromCells([
				['a', ''],
				['b', ' '],
				['c', ['']],
				['d', ['x', '']],
				['e', []],
			]),
		).toEqual({ b: ' ', d: ['x', ''], e: [] });
		for (const list of [[null], Object.assign([], { 1: '' })]) {
			expect(() => toAnswersFromCells([['q', list]])).toThrow(EMPTY_ENTRY);
		}
	});

	it('are none in rows that are all empty', () => {
		const rows = ['email', 'name'].map((key) => ({ key, value: '' }));
		expect(() => toAnswersFromRows(rows)).toThrow('This item has no answers');
		for (const value of [undefined, null, [], [''], '']) {
			const more = [...rows, { key: 'topics', value }];
			expect(() => toAnswersFromRows(more)).toThrow('This item has no answers');
		}
		expect(() => toAnswersFromRows([{ key: ' ', value: '' }])).toThrow('has no question key');
		expect(toAnswersFromRows([...rows, { key: 'topics', value: 0 }])).toEqual({
			email: '',
			name: '',
			topics: '0',
		});
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

	it('of rows with the same key are a list, whichever of them have a value', () => {
		const rows = (key: string, ...values: unknown[]) => values.map((value) => ({ key, value }));

		expect(
			toAnswersFromRows([
				...rows('one left', 'Sales', undefined),
				...rows('the last left', null, '', 0),
				...rows('none left', '', null, []),
				...rows('none left, too', '', ''),
				...rows('two left', 'Sales', '', 'Support'),
				...rows('single', 'Sales'),
				...rows('single and empty', ''),
				...rows('single without a value', null),
			]),
		).toEqual({
			'one left': ['Sales'],
			'the last left': ['0'],
			'two left': ['Sales', 'Support'],
			single: 'Sales',
			'single and empty': '',
		});
	});

	it.each([
		[null, 'A row of Answers is empty: enter a question key and an answer'],
		[['q', 'a'], 'A row of Answers is a list: enter a question key and an answer'],
		[{ key: { a: 1 }, value: 'a' }, 'A Question Key is an object: enter the key as text'],
		[{ key: ['q'], value: 'a' }, 'A Question Key is a list: enter the key as text'],
		[
			{ key: ' name\n', value: 'a' },
			'The Question Key " name\\n" begins or ends with spaces or a line break: remove them, or choose As JSON under Enter Answers if the key really has them',
		],
	])('are not read from the row %j', (row, message) => {
		expect(() => toAnswersFromRows([{ key: 'q', value: 'a' }, row])).toThrow(message);
	});
});
