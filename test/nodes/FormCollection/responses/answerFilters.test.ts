import fc from 'fast-check';
import {
	type AnswerFilter,
	type Condition,
	matcherOf,
} from '../../../../nodes/FormCollection/responses/answerFilters';

const matches = (answer: unknown, condition: Condition, value = '') =>
	matcherOf([{ question: 'q', condition, value }])({ answers: { q: answer } as never });

it.each<[unknown, Condition, string, boolean]>([
	['Ada@Example.com', 'equals', 'ada@example.COM', true],
	['ada@example.com', 'equals', 'ada', false],
	['7', 'equals', '7', true],
	[7, 'equals', '7', true],
	['x', 'notEquals', 'X', false],
	['x', 'notEquals', 'y', true],
	['Straße 7', 'contains', 'STRASSE', true],
	['ΟΔΟΣΗΜΑΝΣΗ', 'contains', 'οδος', true],
	['Große Straße 7', 'contains', 'GROßE', true],
	['Sales', 'notContains', 'AL', false],
	['Sales', 'notContains', 'support', true],
	[['Sales', 'Support'], 'equals', 'support', true],
	[['Sales', 'Support'], 'equals', 'Sales, Support', false],
	[['Sales', 'Support'], 'notEquals', 'support', false],
	[['Sales', 'Support'], 'contains', 'upp', true],
	[['Sales', 'Support'], 'notContains', 'upp', false],
	['', 'isEmpty', '', true],
	[' \n', 'isEmpty', '', true],
	[[], 'isEmpty', '', true],
	[[''], 'isEmpty', '', true],
	[['', 'x'], 'isEmpty', '', false],
	['x', 'isNotEmpty', '', true],
	[null, 'isNotEmpty', '', false],
	[{ a: 1 }, 'isEmpty', '', true],
	[{ a: 1 }, 'contains', 'object', false],
])('of the answer %j: %s %j is %s', (answer, condition, value, expected) => {
	expect(matches(answer, condition, value)).toBe(expected);
});

it.each<[Condition, boolean]>([
	['equals', false],
	['contains', false],
	['isNotEmpty', false],
	['notEquals', true],
	['notContains', true],
	['isEmpty', true],
])('takes a question without an answer for one without texts: %s', (condition, expected) => {
	const filter = { question: 'constructor', condition, value: 'function' };

	for (const answers of [{}, { other: 'x' }, undefined, null, 'text', ['x']]) {
		expect(matcherOf([filter])({ answers: answers as never })).toBe(expected);
	}
});

it.each([
	['İstanbul', 'istanbul'],
	['ISPARTA', 'ısparta'],
	['Jose\u0301', 'José'],
	['José', 'jose\u0301'],
	['İstanbul', 'İstanbul'.toLowerCase()],
	['İstanbul'.toLowerCase(), 'ISTANBUL'],
	['Μαΐου', 'ΜΑΪ\u0301ΟΥ'],
	['Große', 'GROẞE'],
])(
	'takes letters for the same whatever their case, and however they are written: %s, %s',
	(answer, value) => {
		for (const condition of ['equals', 'contains'] as const) {
			expect(matcherOf([{ question: 'q', condition, value }])({ answers: { q: answer } })).toBe(
				true,
			);
		}
	},
);

it('lets pass what all filters let pass, and everything without filters', () => {
	const filters: AnswerFilter[] = [
		{ question: 'a', condition: 'equals', value: 'x' },
		{ question: 'b', condition: 'isEmpty', value: '' },
	];

	expect(matcherOf(filters)({ answers: { a: 'x' } })).toBe(true);
	expect(matcherOf(filters)({ answers: { a: 'x', b: 'y' } })).toBe(false);
	expect(matcherOf(filters)({ answers: { a: 'y' } })).toBe(false);
	expect(matcherOf([])({})).toBe(true);
});

it('divides all responses in two with each pair of conditions', () => {
	const answer = fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(undefined));
	const pairs = fc.constantFrom<[Condition, Condition]>(
		['equals', 'notEquals'],
		['contains', 'notContains'],
		['isEmpty', 'isNotEmpty'],
	);
	fc.assert(
		fc.property(answer, pairs, fc.string(), (q, [one, other], value) => {
			expect(matches(q, one, value)).toBe(!matches(q, other, value));
		}),
	);
});
