import { play } from './commands';
import { counterexamples } from './counterexamples';
import { describeCounterexample, explore } from './model';
import { World } from './world';

let world: World;

beforeAll(async () => {
	world = await World.start();
});
afterAll(async () => await world.stop());

it.each(Object.entries(counterexamples))('no longer happens: %s', async (_, history) => {
	await play(history, world);
});

it('keeps every promise in 200 random histories', async () => {
	let played = 0;
	const counterexample = await explore({
		seed: 1,
		histories: 200,
		lanes: 10,
		isQuick: true,
		onHistory: () => void played++,
	});

	expect(counterexample && describeCounterexample(counterexample)).toBeUndefined();
	expect(played).toBe(200);
}, 300_000);
