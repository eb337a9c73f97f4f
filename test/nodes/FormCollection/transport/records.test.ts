import { createdAt, isAnswers, readList } from '../../../../nodes/FormCollection/transport/records';
import type { ServiceRequest } from '../../../../nodes/FormCollection/transport/request';

describe.each([
	['as the reference has it', '"responses"'],
	['with an escape in its key', String.raw`"\u0072esponses"`],
])('the list in a body, %s', (_, key) => {
	async function* body() {
		yield `{"before":[{}],${key}:[{"a":1},`;
		yield '{"a":2},{"a":3}],"after":[{}]}';
	}
	const read = async (most: number) => {
		const taken: unknown[] = [];
		const take = (record: unknown) => taken.push(record) < most;
		await readList({} as ServiceRequest, body(), 'responses', take);
		return taken;
	};

	it('is given record by record', async () => {
		expect(await read(Infinity)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
	});

	it('is read no further than wanted', async () => {
		expect(await read(1)).toEqual([{ a: 1 }]);
		expect(await read(2)).toEqual([{ a: 1 }, { a: 2 }]);
	});
});

it.each<[unknown, boolean]>([
	[{}, true],
	[{ a: 'b', c: [] }, true],
	[{ a: ['b', 'c'] }, true],
	[{ a: ['b', 1] }, false],
	[{ a: 'b', c: 1 }, false],
	[{ a: { b: 'c' } }, false],
	[{ a: null }, false],
	[['a'], false],
	['a', false],
	[null, false],
])('takes %j for answers: %s', (value, expected) => {
	expect(isAnswers(value)).toBe(expected);
});

const NINE = Date.UTC(2026, 0, 31, 9);

it.each([
	['2026-01-31T09:00:00.000Z', NINE],
	['2026-01-31T09:00:00z', NINE],
	['2026-01-31T10:00:00+01:00', NINE],
	['2026-01-31T05:00:00-0400', NINE],
	// The tests run in New York: a time read as local would be another one.
	['2026-01-31T09:00:00', NINE],
	['2026-01-31 09:00', NINE],
	['+002026-01-31T09:00:00', NINE],
	['2026-01-31', Date.UTC(2026, 0, 31)],
	['yesterday', undefined],
	['', undefined],
	[NINE, undefined],
	[null, undefined],
	[undefined, undefined],
])('reads created_at %j', (created_at, time) => {
	expect(createdAt({ created_at })).toBe(time);
});
