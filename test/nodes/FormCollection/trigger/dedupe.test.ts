import fc from 'fast-check';
import * as dedupe from '../../../../nodes/FormCollection/trigger/dedupe';
import { type DedupeState, newerOf } from '../../../../nodes/FormCollection/trigger/dedupe';
import type { ResponseRecord } from '../../../../nodes/FormCollection/transport/records';

const DAY = Date.parse('2026-11-01T00:00:00Z');
const KEPT_IDS = 5_000;

const at = (ms: number) => new Date(ms).toISOString();

/** As n8n does between two polls. */
const saved = (state: DedupeState): DedupeState => JSON.parse(JSON.stringify(state));

/** What the dedupe filter keeps must do as well as the whole list. */
function findNew(list: ResponseRecord[], state?: DedupeState) {
	const found = dedupe.findNew(list, state);
	for (const isWanted of [true, false]) {
		const filter = dedupe.dedupeFilter(state, () => isWanted);
		list.forEach(filter.add);
		const filtered = dedupe.findNew(filter.kept(), state);
		expect(filtered.state).toEqual(found.state);
		if (isWanted) expect(filtered.newResponses).toEqual(found.newResponses);
		else expect(idsOf(filtered.newResponses)).toEqual(idsOf(found.newResponses));
	}
	return found;
}

const idsOf = (responses: ResponseRecord[]) => responses.map(({ id }) => id);

const range = (count: number, make: (index: number) => ResponseRecord) =>
	Array.from({ length: count }, (_, index) => make(index));

/** A response of either variant, with a readable time, the same time as others, none or nonsense. */
const response = fc.record({
	id: fc.oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 8 }), fc.constant('__proto__')),
	created_at: fc.oneof(
		fc.integer({ min: 0, max: 5 }).map((ms) => at(DAY + ms)),
		fc.integer({ min: 0, max: 10 ** 9 }).map((ms) => at(DAY + ms)),
		fc.constantFrom(undefined, null, '', 'yesterday', 20261101, '2026-99-99T00:00:00Z'),
	),
});

const manyResponses = fc.uniqueArray(response, { selector: ({ id }) => id, maxLength: 40 });

it('finds responses of one millisecond in their order, once', () => {
	const list = ['900', '100'].map((micros) => ({
		id: micros,
		created_at: `2026-11-01T00:00:00.000${micros}Z`,
	}));
	const { newResponses, state } = findNew(list);

	expect(idsOf(newResponses)).toEqual(['100', '900']);
	expect(findNew(list, saved(state)).newResponses).toEqual([]);
});

it('goes on with the state of a version that read whole milliseconds', () => {
	const listed = range(5_001, (index) => ({
		id: String(index),
		created_at: `2026-11-01T00:00:0${Math.floor(index / 1_000)}.000900Z`,
	}));
	const processedIds = Object.fromEntries(
		range(6, (second) => ({ second })).map(({ second }) => [
			String(DAY + Number(second) * 1000),
			idsOf(listed.slice(Number(second) * 1_000, (Number(second) + 1) * 1_000)) as string[],
		]),
	);
	const arrived = { id: 'new', created_at: '2026-11-01T00:00:05.000950Z' };

	const { newResponses } = findNew([...listed, arrived], { watermark: DAY, processedIds });
	expect(idsOf(newResponses)).toEqual(['new']);
});

/** What happens to a form between two polls, and what a poll then reads of it. */
const step = fc.record({
	arriving: fc.integer({ min: 0, max: 10 }),
	leaving: fc.integer({ min: 0, max: 2 }),
	seed: fc.integer(),
	/** The service forgets a part of the list, for this poll only. */
	isPartial: fc.boolean(),
	isRepeated: fc.boolean(),
});

function shuffled<T>(values: T[], seed: number): T[] {
	let state = seed >>> 0;
	const random = () => (state = (state * 1_664_525 + 1_013_904_223) >>> 0);
	return values
		.map((value) => ({ value, order: random() }))
		.sort((a, b) => a.order - b.order)
		.map(({ value }) => value);
}

describe('findNew', () => {
	it('finds every response exactly once, whatever the order, the times and what is deleted', () => {
		fc.assert(
			fc.property(manyResponses, fc.array(step, { maxLength: 12 }), (all, steps) => {
				const waiting = [...all];
				let form: ResponseRecord[] = [];
				let state: DedupeState | undefined;
				const found: unknown[] = [];
				const listed = new Set<unknown>();
				for (const { arriving, leaving, seed, isPartial, isRepeated } of steps) {
					form = shuffled([...form, ...waiting.splice(0, arriving)], seed).slice(leaving);
					const list = isPartial ? form.slice(0, form.length / 2) : form;
					list.forEach(({ id }) => listed.add(id));
					const result = findNew(isRepeated ? [...list, ...list] : list, state);
					found.push(...idsOf(result.newResponses));
					state = saved(result.state);
				}
				expect(found.sort()).toEqual([...listed].sort());
			}),
			{ numRuns: 500 },
		);
	});

	it('gives the oldest first and those without a readable time last', () => {
		fc.assert(
			fc.property(manyResponses, (all) => {
				const times = findNew(all).newResponses.map(({ created_at }) =>
					typeof created_at === 'string' ? Date.parse(created_at) : NaN,
				);
				const readable = times.filter((time) => !Number.isNaN(time));
				expect(times).toEqual([
					...[...readable].sort((a, b) => a - b),
					...times.filter((time) => Number.isNaN(time)),
				]);
			}),
		);
	});

	it('leaves the records and the list as they are', () => {
		fc.assert(
			fc.property(manyResponses, (all) => {
				const before = structuredClone(all);
				const { newResponses } = findNew(all);
				expect(all).toEqual(before);
				expect(newResponses.every((record) => all.includes(record as (typeof all)[number]))).toBe(
					true,
				);
			}),
		);
	});

	it('finds nothing new in a list that was read before one it has processed', () => {
		fc.assert(
			fc.property(manyResponses, fc.nat(), (all, count) => {
				const { state } = findNew(all);
				expect(findNew(all.slice(0, count), saved(state)).newResponses).toEqual([]);
			}),
		);
	});

	it('finds more responses at once than it remembers, and each only once', () => {
		const burst = range(3 * KEPT_IDS, (n) => ({ id: `r${n}`, created_at: at(DAY + n) }));
		const first = findNew(burst);
		expect(first.newResponses).toHaveLength(3 * KEPT_IDS);
		expect(Object.values(first.state.processedIds).flat()).toHaveLength(KEPT_IDS);
		expect(first.state.watermark).toBe(DAY + 2 * KEPT_IDS);

		const later = [...burst, { id: 'later', created_at: at(DAY + 3 * KEPT_IDS) }];
		expect(idsOf(findNew(shuffled(later, 1), saved(first.state)).newResponses)).toEqual(['later']);
	});

	it('finds a late one that was created before others, if it is not older than the watermark', () => {
		const list = range(2 * KEPT_IDS, (n) => ({ id: `r${n}`, created_at: at(DAY + 2 * n) }));
		const { state } = findNew(list);
		const late = [
			{ id: 'just in time', created_at: at(DAY + 2 * KEPT_IDS + 1) },
			{ id: 'at the watermark', created_at: at(DAY + 2 * KEPT_IDS) },
			{ id: 'older than all that is remembered', created_at: at(DAY + 2 * KEPT_IDS - 1) },
		];
		expect(idsOf(findNew([...list, ...late], saved(state)).newResponses)).toEqual([
			'at the watermark',
			'just in time',
		]);
	});

	it('has no watermark up to as many as it remembers, those without a readable time aside', () => {
		const list = range(KEPT_IDS, (n) => ({ id: `r${n}`, created_at: at(DAY + n) }));
		const { state } = findNew([...list, { id: 'undated' }]);
		expect(state.watermark).toBeNull();
		expect(state.processedIds).toMatchObject({ [DAY]: ['r0'], '': ['undated'] });
	});

	it('keeps all ids of one moment at the watermark', () => {
		const list = range(2 * KEPT_IDS, (n) => ({ id: `r${n}`, created_at: at(DAY) }));
		const { state } = findNew(list);
		expect(findNew(shuffled(list, 2), saved(state)).newResponses).toEqual([]);
		const next = [...list, { id: 'next', created_at: at(DAY) }];
		expect(idsOf(findNew(next, saved(state)).newResponses)).toEqual(['next']);
	});

	it('keeps the ids of an import in one second until a day later', () => {
		const idsAfter = (imported: number, ms: number) => {
			const ids = Array.from({ length: imported }, (_, n) => `r${n}`);
			const before: DedupeState = { watermark: null, processedIds: { [DAY]: ids } };
			const list = [
				{ id: 'r0', created_at: at(DAY) },
				{ id: 'next', created_at: at(DAY + ms) },
			];
			const { newResponses, state } = findNew(list, before);
			expect(idsOf(newResponses)).toEqual(['next']);
			expect(findNew(list, saved(state)).newResponses).toEqual([]);
			return Object.values(state.processedIds).flat().length;
		};

		expect(idsAfter(KEPT_IDS + 1, 86_399_999)).toBe(KEPT_IDS + 2);
		expect(idsAfter(KEPT_IDS + 1, 86_400_000)).toBe(1);
		expect(idsAfter(KEPT_IDS, 86_400_000)).toBe(KEPT_IDS + 1);
	});

	it('does not take the watermark back when the newest responses are deleted', () => {
		const list = range(2 * KEPT_IDS, (n) => ({ id: `r${n}`, created_at: at(DAY + n) }));
		const { state } = findNew(list);
		const less = findNew(list.slice(0, KEPT_IDS / 2), saved(state));
		expect(less.newResponses).toEqual([]);
		expect(findNew(list, saved(less.state)).newResponses).toEqual([]);
	});

	it('tells responses without a readable time apart by id, however many they are', () => {
		const list = range(2 * KEPT_IDS, (n) => ({ id: `r${n}` }));
		const { state } = findNew(list);
		expect(findNew(list, saved(state)).newResponses).toEqual([]);
		expect(idsOf(findNew([...list, { id: 'next' }], saved(state)).newResponses)).toEqual(['next']);
	});

	it('keeps ids without a readable time for a while after they are gone', () => {
		const list = range(2 * KEPT_IDS, (n) => ({ id: `r${n}` }));
		const { state } = findNew([], saved(findNew(list).state));
		expect(Object.values(state.processedIds).flat()).toHaveLength(KEPT_IDS);
	});

	it('keeps of the ids without a readable time that are gone those that have gone last', () => {
		const undated = (name: string) => range(KEPT_IDS, (n) => ({ id: `${name}${n}` }));
		const [first, second] = [undated('a'), undated('b')];
		let state: DedupeState | undefined;
		for (const list of [[...first, ...second], first, second, []]) {
			({ state } = findNew(list, state && saved(state)));
		}
		expect(findNew(second, saved(state as DedupeState)).newResponses).toEqual([]);
	});

	it('knows a record without an id also when its pixel has fired', () => {
		const record = { answers: { name: 'Ada' }, pixel_fired: false };
		const { state } = findNew([record]);
		expect(findNew([{ ...record, pixel_fired: true }], saved(state)).newResponses).toEqual([]);
		expect(findNew([{ answers: record.answers }], saved(state)).newResponses).toEqual([]);
	});

	it('knows a record without an id by all it holds', () => {
		const list = [{ answers: { name: 'Ada' } }, { answers: { name: 'Grace' } }];
		const { newResponses, state } = findNew([...list, ...list]);
		expect(newResponses).toEqual(list);
		expect(findNew(list, saved(state)).newResponses).toEqual([]);
	});

	it('knows a response by an ID that is a number, whatever changes in it', () => {
		const list = [7, 8, 0, -1].map((id) => ({ id, created_at: at(DAY), answers: { a: 'b' } }));
		const { newResponses, state } = findNew([...list, ...list]);
		expect(newResponses).toEqual(list);
		expect(state.processedIds).toEqual({ [DAY]: ['7', '8', '0', '-1'] });

		const changed = list.map((each) => ({ ...each, answers: { a: 'c' }, pixel_fired: true }));
		const asText = list.map((each) => ({ ...each, id: String(each.id) }));
		expect(findNew([...changed, ...asText], saved(state)).newResponses).toEqual([]);
		const next = { id: 9, created_at: at(DAY) };
		expect(findNew([...changed, next], saved(state)).newResponses).toEqual([next]);
	});

	it('knows a record by all it holds where its ID is no text and no exact number', () => {
		const ids = [2 ** 53, 0.5, null, true, { a: 1 }, ['a']];
		const list = ids.flatMap((id) => [
			{ id, n: 1 } as ResponseRecord,
			{ id, n: 2 } as ResponseRecord,
		]);
		const { newResponses, state } = findNew([...list, ...list]);
		expect(newResponses).toEqual(list);
		expect(findNew(list, saved(state)).newResponses).toEqual([]);
	});

	it('saves less than 400 kB for a form of 100,000 responses', () => {
		const list = range(100_000, (n) => ({
			id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
			created_at: at(DAY + 60_000 * n),
		}));
		const bytes = JSON.stringify(findNew(list).state).length;
		expect(bytes).toBeLessThan(400_000);
	});

	it('keeps the same of a list that is the same', () => {
		fc.assert(
			fc.property(manyResponses, (all) => {
				const { state } = findNew(all);
				expect(findNew(shuffled(all, 1), saved(state)).state).toEqual(state);
			}),
		);
	});

	it('tells records without an id apart that are too deep to be made a text of', () => {
		const deep = (name: string): ResponseRecord =>
			JSON.parse(`{"name":"${name}","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
		const { newResponses, state } = dedupe.findNew([deep('a'), deep('b'), deep('a')]);

		expect(newResponses.map(({ name }) => name)).toEqual(['a', 'b']);
		expect(dedupe.findNew([deep('b')], saved(state)).newResponses).toEqual([]);
	});
});

describe('dedupeFilter', () => {
	const keeping = (list: ResponseRecord[], state?: DedupeState, isWanted = true) => {
		const filter = dedupe.dedupeFilter(state, () => isWanted);
		list.forEach(filter.add);
		return filter.kept();
	};
	const old = range(2 * KEPT_IDS, (n) => ({ id: `r${n}`, created_at: at(DAY + n), answers: {} }));

	it('holds back what is known already, by its id or by its time', () => {
		const { state } = dedupe.findNew(old);
		const late = { id: 'late', created_at: at(DAY) };
		const added = { id: 'new', created_at: at(DAY + 2 * KEPT_IDS) };

		expect(keeping([...old, late, added], saved(state))).toEqual([added]);
	});

	it('keeps only what tells that a response was there where the rest is of no use', () => {
		const [first] = old as [ResponseRecord];

		expect(keeping([first], undefined, false)).toEqual([{ id: 'r0', created_at: at(DAY) }]);
		expect(keeping([{ id: 7, answers: {} }], undefined, false)).toEqual([{ id: 7 }]);
		expect(keeping([{ answers: {} }], undefined, false)).toEqual([{ answers: {} }]);
		expect(keeping([{ id: 0.5, answers: {} }], undefined, false)).toEqual([
			{ id: 0.5, answers: {} },
		]);
	});
});

describe('a list with the ID of a response that is known', () => {
	const [dated, undated] = [{ id: 'r1', created_at: at(DAY) }, { id: 'r2' }];
	const { state } = dedupe.findNew([dated, undated]);

	it.each<[string, ResponseRecord, boolean]>([
		['of the same time', dated, true],
		['of another time', { ...dated, created_at: at(DAY + 1) }, false],
		['without a time now', { id: 'r1' }, false],
		['without a time before', { ...undated, created_at: at(DAY) }, false],
		['without a time before and now', undated, false],
		['and none of that ID', { ...dated, id: 'r3' }, false],
	])('is known to be of the same form by its time: %s', (_, listed, expected) => {
		const filter = dedupe.dedupeFilter(saved(state), () => true);
		expect(filter.isOfSameForm()).toBe(false);
		filter.add(listed);
		expect(filter.isOfSameForm()).toBe(expected);
		filter.add({ id: 'later', created_at: at(DAY + 2) });
		filter.add(undated);
		expect(filter.isOfSameForm()).toBe(expected);
	});
});

describe('newerOf', () => {
	const newestOf = (list: ResponseRecord[]) =>
		list.reduce<ResponseRecord | undefined>(newerOf, undefined);

	it('leads to the response created last, in whatever order they are listed', () => {
		const list = [at(DAY + 1), at(DAY + 3), at(DAY + 2)].map((created_at) => ({ created_at }));
		expect(newestOf(list)).toBe(list[1]);
	});

	it('leads to one with a readable time rather than to one without', () => {
		const list = [{ id: 'a' }, { id: 'b', created_at: at(DAY) }, { id: 'c', created_at: 'soon' }];
		expect(newestOf(list)).toBe(list[1]);
	});

	it('leads to the last one listed where no time is readable', () => {
		const list = [{ id: 'a' }, { id: 'b', created_at: 'soon' }];
		expect(newestOf(list)).toBe(list[1]);
	});
});
