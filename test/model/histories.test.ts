import { play } from './commands';
import { counterexamples } from './counterexamples';
import { describeCounterexample, explore } from './model';
import { World } from './world';

/** A weekly run plays 2,000, with a seed of its own. */
const HISTORIES = Number(process.env.HISTORIES ?? 60);
const SEED = Number(process.env.SEED ?? 1);

let world: World;

beforeAll(async () => {
	world = await World.start();
});
afterAll(async () => await world.stop());

it.each(Object.entries(counterexamples))('no longer happens: %s', async (_, history) => {
	await play(history, world);
});

it(
	`keeps every promise in ${HISTORIES} random histories`,
	async () => {
		let played = 0;
		const counterexample = await explore({
			seed: SEED,
			histories: HISTORIES,
			lanes: 10,
			isQuick: true,
			onHistory: () => void played++,
		});

		expect(counterexample && describeCounterexample(counterexample)).toBeUndefined();
		expect(played).toBeGreaterThanOrEqual(HISTORIES);
	},
	60_000 + HISTORIES * 1_000,
);
