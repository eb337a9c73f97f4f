import { takeTurn } from '../../../../nodes/FormCollection/submissions/locks';

const [one, other] = [{}, {}];

/** Whether it is settled when all that needs no waiting is done */
async function isWaiting(turn: Promise<unknown>): Promise<boolean> {
	let settled = false;
	void turn.then(() => (settled = true));
	await new Promise((resolve) => setImmediate(resolve));
	return !settled;
}

it('an owner waits until all turns of the other one have ended', async () => {
	const ends = [await takeTurn('a', one), await takeTurn('a', one)];
	const turn = takeTurn('a', other);

	expect(await isWaiting(turn)).toBe(true);
	ends[0]?.();
	expect(await isWaiting(turn)).toBe(true);
	ends[1]?.();
	(await turn)();
});

it.each(['before', 'while'])(
	'an execution that is stopped %s it waits gets no turn',
	async (when) => {
		const end = await takeTurn('b', one);
		const stop = new AbortController();
		if (when === 'before') stop.abort();
		const turn = takeTurn('b', other, stop.signal);
		stop.abort();
		(await turn)();

		const next = takeTurn('b', other);
		expect(await isWaiting(next)).toBe(true);
		end();
		(await next)();
	},
);
