import { play } from './commands';
import { counterexamples } from './counterexamples';
import { World } from './world';

let world: World;

beforeAll(async () => {
	world = await World.start();
});
afterAll(async () => await world.stop());

it.each(Object.entries(counterexamples))('no longer happens: %s', async (_, history) => {
	await play(history, world);
});
