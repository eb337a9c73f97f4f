import { until } from '../../playground/until';
import {
	expectAllEmittedOnce,
	expectOneRequestPerPoll,
	PollPaths,
	startPolling,
} from './support/pollPaths';

const paths = new PollPaths();

beforeAll(async () => {
	await paths.start(['steady', 'quiet', 'existing']);
	await paths.onEach(startPolling);
});

afterAll(async () => await paths.stop());

test('a restart of n8n loses and repeats nothing', async () => {
	await paths.onEach(async ({ bench }) => {
		bench.submit('steady', 'before the restart');
		await bench.stopN8n();
		bench.submit('steady', 'during the restart');
		await bench.startN8n();
		await until('both', () => bench.idsFrom('steady').includes('during the restart'));
		expect(bench.idsFrom('steady')).toEqual([
			'steady 1',
			'before the restart',
			'during the restart',
		]);
	});
});

test('n8n killed right after a poll that emitted loses and repeats nothing', async () => {
	await paths.onEach(async ({ bench }) => {
		const emitted = bench.nextEmitted();
		bench.submit('steady', 'before the kill');
		expect(await emitted).toEqual({ workflow: 'steady', id: 'before the kill' });
		await bench.killN8n();
		bench.submit('steady', 'after the kill');
		await bench.startN8n();
		await until('after the kill', () => bench.idsFrom('steady').includes('after the kill'));
		expect(bench.idsFrom('steady').slice(3)).toEqual(['before the kill', 'after the kill']);
	});
});

test('in the end all was emitted once, the old ones never', async () => {
	await paths.onEach(async (path) => {
		await expectAllEmittedOnce(path);
		await expectOneRequestPerPoll(path, 'steady');
	});
});
