import fc from 'fast-check';
import { play } from './commands';
import { counterexamples } from './counterexamples';
import { histories } from './history';
import { World } from './world';

/** A weekly run plays 2,000, with a seed of its own. */
const HISTORIES = Number(process.env.HISTORIES ?? 60);
const SEED = Number(process.env.SEED ?? 1);

/** So many histories at a time, each in a world of its own: they wait most of the time. */
const LANES = 10;

/** A counterexample is left as it is, unless this is set: to shrink it takes minutes. */
const { SHRINK } = process.env;

async function explore(seed: number, numRuns: number): Promise<string | undefined> {
	const world = await World.start();
	try {
		const property = fc.asyncProperty(histories, async (history) => await play(history, world));
		const result = await fc.check(property, { seed, numRuns, endOnFailure: !SHRINK });
		if (!result.failed) return undefined;
		const { stack } = result.errorInstance as Error;
		return [
			`After ${result.numRuns} histories: ${stack}`,
			`SHRINK=1 HISTORIES=${LANES * result.numRuns} SEED=${seed} npm test -- test/model`,
			JSON.stringify(result.counterexample),
		].join('\n');
	} finally {
		await world.stop();
	}
}

it.each(Object.entries(counterexamples))('no longer happens: %s', async (_, history) => {
	const world = await World.start();
	await play(history, world).finally(async () => await world.stop());
});

it(
	`keeps every promise in ${HISTORIES} random histories`,
	async () => {
		const lanes = Array.from(
			{ length: LANES },
			async (_, lane) => await explore(SEED + lane, Math.ceil(HISTORIES / LANES)),
		);

		expect((await Promise.all(lanes)).filter(Boolean)).toEqual([]);
	},
	60_000 + HISTORIES * 1_000,
);
