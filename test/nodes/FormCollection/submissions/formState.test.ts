import { FormState } from '../../../../nodes/FormCollection/submissions/formState';
import {
	currentPosition,
	noteSubmission,
	watchForm,
} from '../../../../nodes/FormCollection/submissions/recentSubmissions';
import { ResponseIds } from '../../../../nodes/FormCollection/submissions/responseIds';
import type { Answers } from '../../../../nodes/FormCollection/transport/records';

const ada = { email: 'ada@example.com', name: 'Ada' };
const bob = { email: 'bob@example.com', name: 'Bob' };

let forms = 0;

const another = {};

/** Of a form of its own */
function stateOf(matchOn: string[] = [], { isTool = false, form = `form ${++forms}` } = {}) {
	const owner = {};
	const state = new FormState(form, {}, matchOn, isTool, owner);
	return {
		state,
		/** Another execution has submitted this; without an ID, its outcome is unknown. */
		submit: (answers: Answers, ...ids: unknown[]) =>
			noteSubmission(form, {
				by: another,
				answers,
				...(ids.length > 0 && { response: { id: ids[0] } }),
			}),
		submitItself: (answers: Answers, id: unknown) =>
			noteSubmission(form, { by: owner, answers, response: { id } }),
		/** What the form has now, as a request finds it that began at this position */
		read: (responses: Record<string, Answers>, readAt = currentPosition()) => {
			const existing = new ResponseIds(matchOn);
			for (const [id, answers] of Object.entries(responses)) existing.add({ id, answers });
			state.setExisting(existing, state.unknownOutcomes, readAt);
			return existing;
		},
		claim: (answers: Answers) => {
			const existing = state.getExisting(false) ?? new ResponseIds(matchOn);
			return state.claim(existing, state.comparisonKey(answers))?.id;
		},
	};
}

describe('what other executions submit', () => {
	it('is known from the first item on', () => {
		const { state, submit, submitItself, read, claim } = stateOf();
		read({});
		submit(ada, 'r1');
		submitItself(bob, 'r2');
		state.catchUp();

		expect([claim(ada), claim(ada), claim(bob)]).toEqual(['r1', undefined, undefined]);
	});

	it('stands for no other item where an item of another retry has it', () => {
		const { state, read, claim } = stateOf();
		const existing = read({ r1: ada, r2: ada });
		state.use('r1');
		expect([claim(ada), claim(ada)]).toEqual(['r2', undefined]);
		expect(state.getExisting(false)).toBe(existing);

		state.use(undefined);
		expect(state.getExisting(false)).toBeUndefined();
	});

	it.each([undefined, null, ''])(
		'makes the form be read again where the service gave it the ID %p',
		(id) => {
			const { state, submit, read, claim } = stateOf();
			read({ r1: ada });
			submit(ada, id);
			state.catchUp();
			expect(state.getExisting(false)).toBeUndefined();
			expect([state.misses, state.claimed.size]).toEqual([1, 0]);

			read({ r1: ada });
			state.catchUp();
			expect([claim(ada), claim(ada)]).toEqual(['r1', undefined]);
		},
	);

	it('is known also where another item has learned of it while the form was read', () => {
		const { state, submit, read, claim } = stateOf();
		const readAt = currentPosition();
		submit(ada, 'r1');
		state.catchUp();
		// The service has made its reply before that.
		read({}, readAt);
		state.catchUp();

		expect(claim(ada)).toBe('r1');
	});

	it('is known also from before the form was read, where its outcome is unknown', () => {
		const { state, submit, read } = stateOf();
		submit(ada);
		read({});
		state.catchUp();

		expect(state.unknown).toEqual(new Set([state.comparisonKey(ada)]));
	});

	it.each(['r1', 7])('stands for one item, also where the form shows it, too: %j', (id) => {
		const { state, submit, read, claim } = stateOf();
		read({ [id]: ada });
		expect(claim(ada)).toBe(String(id));
		submit(ada, id);
		state.catchUp();
		expect(claim(ada)).toBeUndefined();
		submit(ada, 'r2');
		state.catchUp();
		expect(claim(ada)).toBe('r2');
	});

	it('stands for one item each where the service names no response', () => {
		const { state } = stateOf();
		const existing = new ResponseIds([]);
		for (const id of [undefined, null]) existing.add({ id, answers: ada });
		state.setExisting(existing, 0, currentPosition());
		const claimed = () => state.claim(existing, state.comparisonKey(ada));

		expect([claimed(), claimed(), claimed()]).toEqual([{ id: undefined }, { id: null }, undefined]);
		expect(state.claimed.size).toBe(0);
	});
});

describe('the form has to be read', () => {
	beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }));
	afterEach(() => void jest.useRealTimers());

	it('at first, and where the result has to be current, once an outcome has become unknown', () => {
		const { state, submit, read } = stateOf();
		expect(state.getExisting(false)).toBeUndefined();
		const first = read({});
		expect([state.getExisting(false), state.getExisting(true)]).toEqual([first, first]);

		submit(ada);
		state.catchUp();
		expect([state.getExisting(false), state.getExisting(true)]).toEqual([first, undefined]);
		const second = read({ r1: ada });
		expect(state.getExisting(true)).toBe(second);

		// It is known already that this one may be stored.
		submit(ada);
		state.catchUp();
		expect(state.getExisting(true)).toBe(second);
		submit(bob);
		state.catchUp();
		expect(state.getExisting(true)).toBeUndefined();
	});

	it('each time that submissions of others may have been missed', () => {
		const { state, submit, read } = stateOf();
		for (const misses of [1, 2]) {
			read({});
			submit(ada, 'r1');
			jest.advanceTimersByTime(121_000);
			submit(bob, 'r2');
			state.catchUp();

			expect(state.getExisting(false)).toBeUndefined();
			expect(state.misses).toBe(misses);
			read({});
			state.catchUp();
			expect(state.misses).toBe(misses);
		}
	});

	it('not where nobody has submitted anything for long', () => {
		const { state, submit, read, claim } = stateOf();
		const existing = read({});
		jest.advanceTimersByTime(121_000);
		watchForm('another');
		state.catchUp();
		expect(state.getExisting(false)).toBe(existing);

		jest.advanceTimersByTime(100_000);
		submit(ada, 'r1');
		state.catchUp();
		expect(claim(ada)).toBe('r1');
	});
});

describe('one response', () => {
	const claims = ({ claim, read }: ReturnType<typeof stateOf>) => {
		read({ r1: ada });
		return [claim(ada), claim(ada)];
	};

	it('stands for one item', () => {
		const form = stateOf();
		expect(claims(form)).toEqual(['r1', undefined]);
		expect(form.state.claimed).toEqual(new Set(['r1']));
		form.state.addCreated(form.state.comparisonKey(ada), 'r2');
		form.state.addUnknown(form.state.comparisonKey(ada));
		expect([form.state.created.size, form.state.unknown.size]).toEqual([0, 0]);
	});

	it.each([
		['calls of a tool', [], true],
		['items with the same answers to match on', ['email'], false],
	])('stands for all %s', (_, matchOn, isTool) => {
		const form = stateOf(matchOn, { isTool });
		const key = form.state.comparisonKey(ada);
		form.state.addUnknown(key);
		expect(form.state.unknown).toEqual(new Set([key]));
		expect(claims(form)).toEqual(['r1', 'r1']);
		expect(form.state.unknown.size).toBe(0);
		expect([...form.state.created]).toEqual([[key, 'r1']]);
		expect(form.state.claimed.size).toBe(0);

		form.state.addCreated(form.state.comparisonKey(bob), 'r2');
		expect(form.state.created.get(form.state.comparisonKey(bob))).toBe('r2');
	});

	it('stands for one item that answers none of the questions to match on', () => {
		const form = stateOf(['phone']);
		expect(claims(form)).toEqual(['r1', undefined]);
	});
});

it('the questions to match on are known that a response or an item has', () => {
	const { state, read } = stateOf(['email', 'name', 'phone']);
	state.addQuestionsOf({ email: '', other: 'x' });
	expect(state.questions).toEqual(new Set(['email']));
	read({ r1: { name: 'Ada', other: 'x' } });
	expect(state.questions).toEqual(new Set(['email', 'name']));
});

it('items that need the form at once share one request, later ones send another', async () => {
	const { state } = stateOf();
	let requests = 0;
	const read = async () => {
		requests++;
		await Promise.resolve();
		return new ResponseIds([]);
	};

	const [one, two] = await Promise.all([state.shareReading(read), state.shareReading(read)]);
	expect(one).toBe(two);
	expect(await state.shareReading(read)).not.toBe(one);
	expect(requests).toBe(2);
	const failure = new Error('Not now');
	await expect(state.shareReading(async () => await Promise.reject(failure))).rejects.toBe(failure);
	await state.shareReading(read);
	expect(requests).toBe(3);
});

describe('an item that matches waits', () => {
	/** Whether it is settled when all that needs no waiting is done */
	const isWaiting = async (lock: Promise<unknown>) => {
		let settled = false;
		void lock.then(() => (settled = true));
		await new Promise((resolve) => setImmediate(resolve));
		return !settled;
	};

	/** Whether the second one waits for the first one, and for no longer than that */
	const waits = async (
		first: FormState,
		second: FormState,
		[one, two]: [Answers, Answers] = [ada, ada],
	) => {
		const release = await first.lock(one);
		const lock = second.lock(two);
		const isSecondWaiting = await isWaiting(lock);
		release();
		expect(await isWaiting(lock)).toBe(false);
		(await lock)();
		(await first.lock(one))();
		return isSecondWaiting;
	};

	it('for those of other executions, whatever they match on', async () => {
		const form = `form ${++forms}`;
		const choices = [[], ['email'], ['name']];
		for (const one of choices) {
			for (const two of choices) {
				expect(await waits(stateOf(one, { form }).state, stateOf(two, { form }).state)).toBe(true);
			}
		}
	});

	it.each<[string[], Answers, boolean]>([
		[['email'], { ...bob, email: ada.email }, true],
		[['email'], { ...ada, email: bob.email }, false],
		[[], { ...ada, name: 'Bob' }, false],
	])('for those that have the same answers to match on: %j, %j', async (matchOn, answers, is) => {
		const form = `form ${++forms}`;
		const [one, two] = [stateOf(matchOn, { form }).state, stateOf(matchOn, { form }).state];
		expect(await waits(one, two, [ada, answers])).toBe(is);
	});

	it('not for those of other forms', async () => {
		expect(await waits(stateOf().state, stateOf().state)).toBe(false);
	});

	it('for those of its own execution only where one response stands for both', async () => {
		const [item, call, match] = [stateOf(), stateOf([], { isTool: true }), stateOf(['email'])];
		expect(await waits(item.state, item.state)).toBe(false);
		expect(await waits(call.state, call.state)).toBe(true);
		expect(await waits(match.state, match.state)).toBe(true);
	});
});
