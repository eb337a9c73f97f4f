import fc from 'fast-check';
import type { AnswerFilter } from '../../../../nodes/FormCollection/responses/answerFilters';
import { selectionOf, type ResponseQuery } from '../../../../nodes/FormCollection/responses/query';
import { indexQueries } from '../../../../nodes/FormCollection/responses/queryIndex';
import type { ResponseRecord } from '../../../../nodes/FormCollection/transport/records';

const START = Date.parse('2026-11-01T00:00:00Z');

/** Times that repeat, times that cannot be read, and none. */
const fields = {
	id: fc.nat(),
	answers: fc.oneof(
		fc.record(
			{
				a: fc.constantFrom('', 'x', 'X', 'xy', ' z'),
				b: fc.array(fc.constantFrom('x', 'Y', 'z')),
			},
			{ requiredKeys: [] },
		),
		fc.constant(undefined),
	),
	created_at: fc.oneof(
		{ weight: 5, arbitrary: fc.nat({ max: 300 }).map((ms) => new Date(START + ms).toISOString()) },
		fc.constantFrom(undefined, null, 'soon'),
	),
};

const response = fc.record(fields);

const bound = fc.nat({ max: 300 }).map((ms) => START + ms);

const answerFilter: fc.Arbitrary<AnswerFilter> = fc.record({
	question: fc.constantFrom('a', 'b', 'c'),
	condition: fc.constantFrom(
		'equals',
		'notEquals',
		'contains',
		'notContains',
		'isEmpty',
		'isNotEmpty',
	),
	value: fc.constantFrom('x', 'Y', 'z'),
});

const query: fc.Arbitrary<ResponseQuery> = fc.record({
	from: fc.oneof(fc.constant(-Infinity), bound),
	before: fc.oneof(fc.constant(Infinity), bound),
	answerFilters: fc.array(answerFilter, { maxLength: 3 }),
	order: fc.constantFrom('asReceived', 'newestFirst', 'oldestFirst', undefined),
	limit: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 50 })),
});

/** The same in other words, of all texts at once. */
function holds({ question, condition, value }: AnswerFilter, response: ResponseRecord): boolean {
	const answers = (response.answers ?? {}) as Record<string, string | string[] | undefined>;
	const texts = ([] as string[]).concat(answers[question] ?? []);
	const equal = texts.filter((text) => new RegExp(`^${value}$`, 'i').test(text)).length;
	const containing = texts.filter((text) => new RegExp(value, 'i').test(text)).length;
	const isEmpty = texts.join('').trim() === '';
	if (condition === 'equals') return equal > 0;
	if (condition === 'notEquals') return equal === 0;
	if (condition === 'contains') return containing > 0;
	if (condition === 'notContains') return containing === 0;
	return condition === 'isEmpty' ? isEmpty : !isEmpty;
}

/** Everything at once: filter, then order, then limit. */
function expected(responses: ResponseRecord[], query: ResponseQuery) {
	const { from, before, answerFilters, order, limit } = query;
	const isBounded = from !== -Infinity || before !== Infinity;
	const timed = responses.map((each) => ({ each, time: Date.parse(String(each.created_at)) }));
	const wanted = timed
		.filter(({ time }) => !isBounded || (time >= from && time < before))
		.filter(({ each }) => answerFilters.every((filter) => holds(filter, each)));
	const dated = wanted.filter(({ time }) => !Number.isNaN(time));
	const undated = wanted.filter(({ time }) => Number.isNaN(time));
	if (order === 'newestFirst') dated.sort((a, b) => b.time - a.time);
	if (order === 'oldestFirst') dated.sort((a, b) => a.time - b.time);
	const isSorted = order === 'newestFirst' || order === 'oldestFirst';
	const all = isSorted ? [...dated, ...undated] : wanted;
	return {
		responses: all.slice(0, limit).map(({ each }) => each),
		// In the order received nothing is read past the limit.
		isCut: isSorted ? all.length > limit : all.length >= limit,
		total: isSorted ? all.length : undefined,
		isIdFound: false,
	};
}

function collect(responses: ResponseRecord[], wanted: ResponseQuery) {
	const selection = selectionOf(wanted);
	let taken = 0;
	for (const each of responses) {
		if (selection.isFull()) break;
		selection.add(each);
		taken++;
	}
	return { results: selection.result(), taken };
}

it.each([
	['a few', { maxLength: 20 }],
	['more than are kept at once', { minLength: 1_500, maxLength: 2_500 }],
])('takes what filter, order and limit leave, of %s', (_, length) => {
	fc.assert(
		fc.property(fc.array(response, { size: 'max', ...length }), query, (responses, wanted) => {
			expect(collect(responses, wanted).results).toEqual(expected(responses, wanted));
		}),
		{ numRuns: 60 },
	);
});

it('is full with the response of an ID, whatever else is asked', () => {
	const responses = [3, 1, 2].map((n) => ({ id: n, created_at: `2026-11-0${n}T00:00:00Z` }));
	const wanted = { from: -Infinity, before: Infinity, answerFilters: [], limit: 1 };

	for (const order of ['asReceived', 'newestFirst']) {
		expect(collect(responses, { ...wanted, order, responseId: '1' })).toMatchObject({
			results: { responses: [responses[1]], isCut: false, isIdFound: true },
			taken: 2,
		});
		expect(collect(responses, { ...wanted, order, responseId: '4' })).toMatchObject({
			results: { responses: [], isCut: false, isIdFound: false },
			taken: 3,
		});
		const tooLate = { ...wanted, order, responseId: '1', from: Date.parse('2026-11-02') };
		expect(collect(responses, tooLate)).toMatchObject({
			results: { responses: [], isIdFound: true },
			taken: 2,
		});
	}
});

it('is full as soon as the limit in the order received is reached', () => {
	const responses = Array.from({ length: 9 }, (_, id) => ({ id }));
	const all = {
		from: -Infinity,
		before: Infinity,
		answerFilters: [],
		order: 'asReceived',
		limit: 4,
	};

	expect(collect(responses, all).taken).toBe(4);
	expect(collect(responses, { ...all, limit: Infinity }).taken).toBe(9);
	expect(collect(responses, { ...all, order: 'newestFirst' }).taken).toBe(9);
});

describe('an index of queries', () => {
	const maybeById = fc
		.tuple(query, fc.option(fc.nat({ max: 20 }).map(String), { nil: undefined }))
		.map(([each, responseId]) => ({ ...each, responseId }));

	it('leaves out no query that wants a response, and names none twice', () => {
		const some = fc.array(fc.record({ ...fields, id: fc.nat({ max: 20 }) }));
		fc.assert(
			fc.property(some, fc.array(maybeById), (responses, wanted) => {
				const selections = wanted.map(selectionOf);
				const selectionsFor = indexQueries(wanted.map((each, i) => [each, selections[i]!]));
				for (const each of responses) {
					for (const selection of selectionsFor(each)) {
						if (!selection.isFull()) selection.add(each);
					}
				}
				expect(selections.map((each) => each.result())).toEqual(
					wanted.map((each) => collect(responses, each).results),
				);
			}),
		);
	});

	it('asks as few queries as a response matches, however many there are', () => {
		const look = (answerFilters: AnswerFilter[], responseId?: string): ResponseQuery => ({
			from: -Infinity,
			before: Infinity,
			order: 'asReceived',
			limit: 1,
			answerFilters,
			responseId,
		});
		const numbers = Array.from({ length: 1_000 }, (_, i) => i);
		const equals = (i: number): AnswerFilter => ({
			question: 'email',
			condition: 'equals',
			value: `p${i}@example.com`,
		});
		const selectionsFor = indexQueries([
			...numbers.map((i) => [look([equals(i)]), `email ${i}`] as const),
			...numbers.map((i) => [look([], String(i)), `id ${i}`] as const),
		]);

		const answers = { email: 'P7@example.com' };
		expect([...selectionsFor({ id: 3, answers })]).toEqual(['id 3', 'email 7']);
		expect([...selectionsFor({ id: 3_000, answers: { email: [] } })]).toEqual([]);
	});
});

it.each([
	['newestFirst', ['900', '100']],
	['oldestFirst', ['100', '900']],
])('orders responses of one millisecond: %s', (order, ids) => {
	const selection = selectionOf({
		from: -Infinity,
		before: Infinity,
		order,
		limit: Infinity,
		answerFilters: [],
	});
	for (const id of [...ids].reverse()) {
		selection.add({ id, created_at: `2026-11-01T00:00:00.000${id}Z` });
	}

	expect(selection.result().responses.map(({ id }) => id)).toEqual(ids);
});

it.each([
	['first', (shared: object, own: object) => [shared, own]],
	['last', (shared: object, own: object) => [own, shared]],
])(
	'is indexed by the filter that the fewest queries share, where the shared one comes %s',
	(_, inOrder) => {
		const equals = (question: string, value: string) => ({ question, condition: 'equals', value });
		const names = Array.from({ length: 50 }, (_each, n) => `Name ${n}`);
		const selectionsFor = indexQueries(
			names.map((name) => {
				const answerFilters = inOrder(equals('status', 'open'), equals('name', name));
				const range = { from: -Infinity, before: Infinity, limit: 1, order: 'asReceived' };
				return [{ ...range, answerFilters } as ResponseQuery, name];
			}),
		);
		const answers = { status: 'Open', name: 'name 7' };

		expect([...selectionsFor({ id: 'r', answers })]).toEqual(['Name 7']);
	},
);
