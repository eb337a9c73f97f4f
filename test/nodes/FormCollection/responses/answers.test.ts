import { runInNewContext } from 'node:vm';
import {
	collectColumns,
	flattenAnswers,
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

describe('flattened answers', () => {
	const flat = (records: object[], columns: string[] = [], separator = '') =>
		JSON.stringify(flattenAnswers(records as never, collectColumns(columns).result(), separator));

	it('stand before the other fields, which stay as they are', () => {
		const record = {
			id: 'r1',
			extra: { a: [null] },
			answers: { name: 'Ada', list: ['a', 'b'], odd: 7, none: null },
			created_at: 't',
		};

		expect(flat([record], [], ' | ')).toBe(
			'[{"name":"Ada","list":"a | b","odd":7,"none":null,"id":"r1","extra":{"a":[null]},"created_at":"t"}]',
		);
		expect(record.answers.list).toEqual(['a', 'b']);
	});

	it('have the same columns in each row, empty where a question was not answered', () => {
		const records = [
			{ answers: { b: '1' }, id: 'x' },
			{ id: 'y' },
			{ answers: { c: '2', a: '3' } },
		];

		expect(flat(records, ['a', 'b', 'id'])).toBe(
			'[{"a":"","b":"1","answer_id":"","id":"x"},{"a":"","b":"","answer_id":"","id":"y"},{"a":"3","b":"","answer_id":"","c":"2"}]',
		);
	});

	it('have one name for each question, whichever fields a record has', () => {
		const records = [
			{ score: 1, answers: { score: 'a', pixel_fired: 'b' } },
			{ answers: { score: 'c' } },
		];

		expect(flat(records)).toBe(
			'[{"answer_score":"a","answer_pixel_fired":"b","score":1},{"answer_score":"c"}]',
		);
	});

	it.each([{ score: 'a' }, { answer_score: 'b' }, { score: 'a', answer_score: 'b' }])(
		'have one name for each question, whichever others there are: %j',
		(answers) => {
			const table = flattenAnswers(
				[{ answers }],
				{ questions: new Set(), fields: new Set(['score']) },
				'',
			);

			for (const [key, answer] of Object.entries(answers)) {
				expect(table[0]).toHaveProperty(`answer_${key}`, answer);
			}
		},
	);

	it('keep lists without a separator, and lists of other than plain values', () => {
		expect(flat([{ answers: { list: ['a', 'b'], one: [] } }])).toBe(
			'[{"list":["a","b"],"one":[]}]',
		);
		expect(
			flat(
				[{ answers: { plain: ['x', null, 1], mixed: ['x', { y: 1 }], lists: [['x']] } }],
				[],
				', ',
			),
		).toBe('[{"plain":"x, , 1","mixed":["x",{"y":1}],"lists":[["x"]]}]');
	});

	it('lose no answer and no field where names collide', () => {
		const record = JSON.parse(
			'{"id":"r1","created_at":"t","pixel_fired":true,"answer_error":"of the record","__proto__":1,"constructor":2,' +
				'"answers":{"id":"a","created_at":"b","error":"c","message":"d","details":"e","answers":"f",' +
				'"answer_id":"g","answer_message":"h","__proto__":"i","constructor":"j","toString":"k","form_id":"l"}}',
		);

		expect(flat([record])).toBe(
			'[{"answer_id":"a","answer_created_at":"b","answer_answer_error":"c","answer_message":"d",' +
				'"answer_details":"e","answer_answers":"f","answer_answer_id":"g","answer_answer_message":"h",' +
				'"answer___proto__":"i","answer_constructor":"j","toString":"k","answer_form_id":"l",' +
				'"id":"r1","created_at":"t","pixel_fired":true,"answer_error":"of the record","__proto__":1,"constructor":2}]',
		);
	});

	it('have no name that later nodes would lose', () => {
		const record = JSON.parse(
			'{"answers":{"__proto__":"p","constructor":"c","prototype":"o","toString":"t","hasOwnProperty":"h","answer_constructor":"a"}}',
		);

		expect(flat([record])).toBe(
			'[{"answer___proto__":"p","answer_constructor":"c","answer_prototype":"o","toString":"t","hasOwnProperty":"h","answer_answer_constructor":"a"}]',
		);
	});

	it.each([null, 'text', [1]])('are not made of answers that are %p', (answers) => {
		expect(flat([{ id: 'r1', answers }], ['a'])).toBe(
			JSON.stringify([{ a: '', id: 'r1', answers }]),
		);
	});
});

it('collects a bounded number of columns, in the order of the form', () => {
	const columns = collectColumns(['z']);
	columns.add({ answers: { b: 'x', a: [] } });
	columns.add({ answers: { a: 'y', c: 'z' } });
	columns.add({ answers: null });
	columns.add({ id: 'r1' });
	expect([...columns.result().questions]).toEqual(['z', 'b', 'a', 'c']);
	columns.add({ answers: { between: 'x', c: 'y' } });
	expect([...columns.result().questions]).toEqual(['z', 'b', 'a', 'between', 'c']);
	expect([...columns.result().fields]).toEqual(['answers', 'id']);

	for (let n = 0; n < 300; n++)
		columns.add({ [`f${n}`]: 0, [`g${n}`]: 0, answers: { [`k${n}`]: '', [`l${n}`]: '' } });
	expect(columns.result().questions.size).toBe(500);
	expect(columns.result().fields.size).toBe(500);
});
