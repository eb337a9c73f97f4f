import { getEventListeners } from 'node:events';
import { acquireLock } from '../../../../nodes/FormCollection/submissions/locks';

const [one, other] = [{}, {}];

/** Whether it is settled when all that needs no waiting is done */
async function isWaiting(lock: Promise<unknown>): Promise<boolean> {
	let settled = false;
	void lock.then(() => (settled = true));
	await new Promise((resolve) => setImmediate(resolve));
	return !settled;
}

it('an owner waits until the other one has released its lock as often as it has acquired it', async () => {
	const releases = [await acquireLock('a', one), await acquireLock('a', one)];
	const lock = acquireLock('a', other);

	expect(await isWaiting(lock)).toBe(true);
	releases[0]?.();
	expect(await isWaiting(lock)).toBe(true);
	releases[1]?.();
	(await lock)();
});

it.each(['before', 'while'])(
	'an execution that is stopped %s it waits gets no lock',
	async (when) => {
		const release = await acquireLock('b', one);
		const stop = new AbortController();
		if (when === 'before') stop.abort();
		const lock = acquireLock('b', other, stop.signal);
		stop.abort();
		(await lock)();

		const next = acquireLock('b', other);
		expect(await isWaiting(next)).toBe(true);
		release();
		(await next)();
	},
);

it('a lock that was waited for leaves nothing behind at the execution', async () => {
	const { signal } = new AbortController();
	const release = await acquireLock('c', one);
	const lock = acquireLock('c', other, signal);
	expect(getEventListeners(signal, 'abort')).toHaveLength(1);
	release();
	(await lock)();

	expect(getEventListeners(signal, 'abort')).toEqual([]);
});
