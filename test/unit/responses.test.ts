import { collectUnanswered, matcherOf } from '../../nodes/FormCollection/responses/answerFilters';
import type { Condition } from '../../nodes/FormCollection/responses/answerFilters';
import { createdAt } from '../../nodes/FormCollection/responses/createdAt';
import {
	EVERYTHING,
	type Order,
	type ResponseQuery,
	ResponseSelection,
} from '../../nodes/FormCollection/responses/query';
import { collectColumns, flattenAnswers } from '../../nodes/FormCollection/responses/table';

describe('an answer filter', () => {
	const topics = ['Sales', 'Support'];

	it.each<[unknown, Condition, string, boolean]>([
		['Ada@Example.com', 'equals', ' ada@example.COM\n', true],
		['ada@example.com', 'equals', 'ada', false],
		['e\u0301', 'equals', '\u00c9', true],
		[7, 'equals', '7', true],
		['x', 'notEquals', 'X', false],
		['x', 'notEquals', 'y', true],
		['Große Straße 7', 'contains', 'GROßE', true],
		['Sales', 'notContains', 'AL', false],
		['Sales', 'notContains', 'support', true],
		[topics, 'equals', 'support', true],
		[topics, 'equals', 'Sales, Support', false],
		[topics, 'notEquals', 'support', false],
		[topics, 'contains', 'upp', true],
		[topics, 'notContains', 'upp', false],
		['Straße', 'equals', 'strasse', false],
		['', 'isEmpty', '', true],
		['', 'isNotEmpty', '', false],
		[' \n', 'isEmpty', '', true],
		[[], 'isEmpty', '', true],
		[['', 'x'], 'isEmpty', '', false],
		[['', 'x'], 'isNotEmpty', '', true],
		[null, 'isNotEmpty', '', false],
		[{ a: 1 }, 'contains', 'o', false],
		[undefined, 'equals', 'undefined', false],
		[undefined, 'notEquals', 'x', true],
		[undefined, 'notContains', 'x', true],
		[undefined, 'isEmpty', '', true],
	])('takes %j %s %j as %p', (answer, condition, value, expected) => {
		const matches = matcherOf([{ question: 'q', condition, value }]);

		expect(matches({ q: answer, other: 'undefined' })).toBe(expected);
	});

	it('finds no answers in what every object has', () => {
		const matches = matcherOf([{ question: 'constructor', condition: 'isEmpty', value: '' }]);

		expect([{}, null, 'text', ['constructor']].map(matches)).toEqual([true, true, true, true]);
	});

	it('is one of those that must all hold', () => {
		const matches = matcherOf([
			{ question: 'a', condition: 'equals', value: 'x' },
			{ question: 'b', condition: 'isNotEmpty', value: '' },
		]);

		expect([{ a: 'x', b: 'y' }, { a: 'x' }, { b: 'y' }].map(matches)).toEqual([true, false, false]);
	});
});

it.each<[string[], object[]]>([
	[['q'], [{ answers: { a: 1 } }, { answers: 'q' }, {}]],
	[[], [{ answers: { a: 1 } }, { answers: { q: '' } }]],
	[[], []],
])('the questions %j of filters are answered by none of %j', (expected, responses) => {
	const unanswered = collectUnanswered([
		{ question: 'q', condition: 'equals', value: '' },
		{ question: 'a', condition: 'equals', value: '' },
	]);
	for (const response of responses) unanswered.add({ ...response });

	expect(unanswered.result()).toEqual(expected);
});

it.each([
	...['2026-01-31T09:00:00.000Z', '2026-01-31T09:00:00Z', '2026-01-31T10:00:00+01:00'],
	...['2026-01-31 09:00:00.000+00', '2026-01-31T03:30:00-0530', '2026-01-31T09:00'],
	...['2026-01-31T09:00:00.0000000', '2026-01-31T14:15:00+05:15'],
])('%s is 9 o’clock of 31 January in UTC', (created_at) => {
	expect(createdAt({ created_at })).toBe(Date.UTC(2026, 0, 31, 9));
});

it('a date is its midnight in UTC', () => {
	expect(createdAt({ created_at: '2026-01-31' })).toBe(Date.UTC(2026, 0, 31));
});

it.each([
	...[undefined, null, 1769850000, '', 'yesterday', '2026-13-45', 'x026-01-31T09:00:00.000Z'],
	...['x2026-01-31', '2026-01-31x', '2026-01-31T09', '31 January 2026', '01/31/2026 09:00'],
])('%j is no time of creation', (created_at) => {
	expect(createdAt({ created_at })).toBeUndefined();
});

describe('a selection', () => {
	const day = 86_400_000;
	/** Out of order: 7 and the count have no common divisor. */
	const days = Array.from({ length: 5_000 }, (_, i) => (i * 7) % 5_000);

	it.each<[Order, number, number[]]>([
		['newestFirst', 5_000, [4_999, 4_998, 4_997]],
		['oldestFirst', 5_000, [0, 1, 2]],
		['asReceived', 3, [0, 7, 14]],
	])('has %s the right ones of many, and keeps few', (order, matches, expected) => {
		const selection = new ResponseSelection({ ...EVERYTHING, order, limit: 3 });
		for (const id of days) {
			const response = { id, created_at: new Date(id * day).toISOString() };
			if (!selection.isFull) selection.add(response);
		}

		expect(JSON.stringify(selection).length).toBeLessThan(100_000);
		const result = selection.result();
		expect([result.responses.map(({ id }) => id), result.matches]).toEqual([expected, matches]);
	});

	const answerFilters = [{ question: 'q', condition: 'isNotEmpty' as const, value: '' }];
	it.each<[string, Partial<ResponseQuery>, number[]]>([
		['of a moment or later', { from: 2 * day }, [2, 4]],
		['before a moment', { before: 2 * day }, [1, 0]],
		['between two', { from: day, before: 2 * day }, [1]],
		['that match filters', { answerFilters }, [1]],
		['with an id', { responseId: '2' }, [2]],
		['up to the limit', { limit: 2 }, [3, 2]],
		['up to a limit of those that match', { limit: 1, from: day }, [2]],
	])('has those %s', (_, query, expected) => {
		const selection = new ResponseSelection({ ...EVERYTHING, order: 'asReceived', ...query });
		for (const id of [3, 2, 4, 1, 0]) {
			const created_at = id === 3 ? 'odd' : new Date(id * day).toISOString();
			if (!selection.isFull) selection.add({ id, created_at, answers: id === 1 ? { q: 'x' } : {} });
		}

		expect(selection.result().responses.map(({ id }) => id)).toEqual(expected);
	});

	it.each(['newestFirst', 'oldestFirst'] as const)(
		'has responses without a time last, as they were received, and equal times too: %s',
		(order) => {
			const selection = new ResponseSelection({ ...EVERYTHING, order });
			const times = ['none', '2026-01-01', '', '2026-01-01'];
			for (const [id, created_at] of times.entries()) selection.add({ id, created_at });

			expect(selection.result().responses.map(({ id }) => id)).toEqual([1, 3, 0, 2]);
		},
	);
});

describe('a table', () => {
	const tableOf = (records: object[], join = ', ') => {
		const columns = collectColumns();
		for (const record of records) columns.add({ ...record });
		return flattenAnswers(records as never, columns.result(), join);
	};

	it.each<[string, object[], object[]]>([
		[
			'a column for each question, in the order of the form',
			[{ answers: { a: '1', c: '3' } }, { answers: { b: '2', c: '3', d: '4' } }],
			[
				{ a: '1', b: '', c: '3', d: '' },
				{ a: '', b: '2', c: '3', d: '4' },
			],
		],
		['multiple choice as one text', [{ answers: { a: ['x', 7, null] } }], [{ a: 'x, 7, ' }]],
		[
			'what is no text as it is',
			[{ answers: { a: null, b: 7, c: ['x', {}] } }],
			[{ a: null, b: 7, c: ['x', {}] }],
		],
		[
			'answers that are none as a field',
			[{ id: 1, answers: null }, { answers: 'b' }, { answers: { a: '1' } }],
			[{ id: 1, answers: null }, { answers: 'b' }, { a: '1' }],
		],
		[
			'one name for a question in all rows, where only one record has such a field',
			[{ score: 1, answers: { score: 'a' } }, { answers: { score: 'b' } }],
			[{ answer_score: 'a', score: 1 }, { answer_score: 'b' }],
		],
		[
			'no answer and no field lost where names collide',
			[{ id: 1, answer_id: 2, answers: { id: 'a', answer_id: 'b' } }],
			[{ answer_answer_id: 'a', answer_answer_answer_id: 'b', id: 1, answer_id: 2 }],
		],
		[
			'names of fields of the reference, and that by which n8n routes, with a prefix in each read',
			[{ answers: { id: 1, form_id: 2, answers: 3, created_at: 4, pixel_fired: 5, error: 6 } }],
			[
				{
					...{ answer_id: 1, answer_form_id: 2, answer_answers: 3, answer_created_at: 4 },
					...{ answer_pixel_fired: 5, answer_error: 6 },
				},
			],
		],
		['the name message as it is', [{ answers: { message: 'a' } }], [{ message: 'a' }]],
	])('has %s', (_, records, rows) => {
		expect(tableOf(records).map((row) => JSON.stringify(row))).toEqual(
			rows.map((row) => JSON.stringify(row)),
		);
	});

	it('keeps lists where they are not to be joined', () => {
		expect(tableOf([{ answers: { a: ['x', 'y'], b: [] } }], '')).toEqual([
			{ a: ['x', 'y'], b: [] },
		]);
	});
});
