import fc from 'fast-check';
import { collectorOf, type ResponseQuery } from '../../../../nodes/FormCollection/responses/query';
import type { ResponseRecord } from '../../../../nodes/FormCollection/transport/records';

const START = Date.parse('2026-11-01T00:00:00Z');

/** Times that repeat, times that cannot be read, and none. */
const response = fc.record({
	id: fc.nat(),
	created_at: fc.oneof(
		{ weight: 5, arbitrary: fc.nat({ max: 300 }).map((ms) => new Date(START + ms).toISOString()) },
		fc.constantFrom(undefined, null, 'soon'),
	),
});

const bound = fc.nat({ max: 300 }).map((ms) => START + ms);

const query: fc.Arbitrary<ResponseQuery> = fc.record({
	from: fc.oneof(fc.constant(-Infinity), bound),
	before: fc.oneof(fc.constant(Infinity), bound),
	order: fc.constantFrom('asReceived', 'newestFirst', 'oldestFirst', undefined),
	limit: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 50 })),
});

/** Everything at once: filter, then order, then limit. */
function expected(responses: ResponseRecord[], { from, before, order, limit }: ResponseQuery) {
	const isBounded = from !== -Infinity || before !== Infinity;
	const timed = responses.map((each) => ({ each, time: Date.parse(String(each.created_at)) }));
	const wanted = timed.filter(({ time }) => !isBounded || (time >= from && time < before));
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
	};
}

function collect(responses: ResponseRecord[], wanted: ResponseQuery) {
	const collector = collectorOf(wanted);
	let taken = 0;
	for (const each of responses) {
		if (collector.isFull()) break;
		collector.add(each);
		taken++;
	}
	return { results: collector.result(), taken };
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

it('is full as soon as the limit in the order received is reached', () => {
	const responses = Array.from({ length: 9 }, (_, id) => ({ id }));
	const all = { from: -Infinity, before: Infinity, order: 'asReceived', limit: 4 };

	expect(collect(responses, all).taken).toBe(4);
	expect(collect(responses, { ...all, limit: Infinity }).taken).toBe(9);
	expect(collect(responses, { ...all, order: 'newestFirst' }).taken).toBe(9);
});
