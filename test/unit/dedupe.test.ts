import {
	type DedupeState,
	type Identity,
	identityOf,
	newTo,
	NOTHING_SEEN,
	withSeen,
} from '../../nodes/FormCollection/trigger/dedupe';

const identity = (id: string, time: number | null): Identity => ({ id, time });
const numbered = (count: number, timeOf: (n: number) => number | null) =>
	Array.from({ length: count }, (_, n) => identity(`r${n}`, timeOf(n)));
const afterJson = (state: DedupeState) => JSON.parse(JSON.stringify(state)) as DedupeState;

describe('a response', () => {
	it.each<[unknown, string]>([
		['R1', 'R1'],
		[7, '7'],
	])('is known by its id: %j', (id, expected) => {
		expect(identityOf({ id: id as string, created_at: '1970-01-01T00:00:01Z' })).toEqual(
			identity(expected, 1_000),
		);
	});

	it.each([[undefined], [''], [null], [{}]])('without an id is known by all it holds: %j', (id) => {
		const [first, same, other] = ['a', 'a', 'b'].map((n) =>
			identityOf({ id, answers: { n } } as never),
		);

		expect(first).toEqual(same);
		expect(first!.id).not.toBe(other!.id);
		expect(first!.time).toBeNull();
	});
});

it('an id is new once, whatever its time', () => {
	const first = [identity('a', 5), identity('b', null), identity('constructor', 3)];
	const state = afterJson(withSeen(NOTHING_SEEN, first));

	expect(first.map(newTo(NOTHING_SEEN))).toEqual([true, true, true]);
	expect(first.map(newTo(state))).toEqual([false, false, false]);
	expect([identity('c', -1), identity('toString', null)].map(newTo(state))).toEqual([true, true]);
});

describe('of more than 5,000 ids', () => {
	const first = (count: number) =>
		withSeen(NOTHING_SEEN, [...numbered(count, (n) => n), identity('undated', null)]);

	it('the newest are kept', () => {
		const state = first(5_002);

		expect(Object.keys(state.ids)).toHaveLength(5_001);
		expect(state.watermark).toBe(2);
		expect(first(5_000).watermark).toBeNull();
	});

	it('what is older than these counts as seen, but nothing else', () => {
		const late = [identity('late', 1), identity('at the moment', 2), identity('no time', null)];

		expect(late.map(newTo(afterJson(first(5_002))))).toEqual([false, true, true]);
	});

	it('those of one moment are all kept, and those without a time', () => {
		const many = withSeen(NOTHING_SEEN, [...numbered(6_000, () => 1), identity('undated', null)]);

		expect(Object.keys(many.ids)).toHaveLength(6_001);
		expect(many.watermark).toBe(1);
	});

	it('the watermark never goes back', () => {
		const cut = withSeen({ ids: {}, watermark: 9 }, [identity('old', 8), identity('new', 10)]);

		expect(cut).toEqual({ ids: { new: 10 }, watermark: 9 });
	});
});
