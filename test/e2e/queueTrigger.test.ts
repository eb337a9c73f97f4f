import { setTimeout as sleep } from 'node:timers/promises';

import type { SavedWorkflow } from '../../playground/n8nClient';
import { packPackage } from '../../playground/packageUnderTest';
import { until } from '../../playground/until';
import { QueueBench } from './support/queueBench';

const bench = new QueueBench();
let polled: SavedWorkflow;

beforeAll(async () => await bench.start(await packPackage(), ['polled']));

afterAll(async () => await bench.stop());

test('a trigger is activated', async () => {
	polled = await bench.main.create('polled', 'polled', await bench.main.credential('Sandbox'));
	await bench.main.activate(polled);
	// With durable cursors, n8n saves nothing of the activation: what comes before the next poll counts as seen.
	await until('the first poll of the scheduler', () => bench.main.requestsFor('polled').length > 1);
});

const passedOn = async (...ids: string[]) =>
	void (await until(ids.join(), () =>
		ids.every((id) => bench.main.idsFrom('polled').includes(id)),
	));

test('the trigger emits each response once, on workers, over failures of main, Redis and PostgreSQL', async () => {
	const { main } = bench;
	const ids: string[] = [];
	const submit = (id: string) => {
		ids.push(id);
		main.submit('polled', id);
	};
	/** The server fails before the next poll, and again in it. */
	const failAroundPoll = async (name: 'redis' | 'postgres') => {
		const server = bench.server(name);
		await server.kill();
		submit(`while ${name} is down`);
		await server.start();

		submit(`before ${name} fails in a poll`);
		const delay = { times: 1, delayMs: 1_000, stored: true };
		main.sandbox.faults.add({ route: 'GET /responses', contains: 'polled', ...delay });
		const polls = main.requestsFor('polled').length;
		await until('a poll', () => main.requestsFor('polled').length > polls);
		await server.kill();
		await until('its answer', () => main.requestsFor('polled')[polls]?.status !== undefined);
		// In this time n8n passes on what it got, or cannot.
		await sleep(1_000);
		await server.start();
		await passedOn(...ids);
	};
	submit('first');
	submit('second');
	await passedOn(...ids);

	await main.stopN8n();
	submit('while main is stopped');
	await main.startN8n();
	submit('after the stop');
	await failAroundPoll('redis');

	await main.killN8n();
	submit('while main is killed');
	await main.startN8n();
	submit('after the kill');
	await failAroundPoll('postgres');

	const before = main.requestsFor('polled').length;
	// When the second one begins, the first has emitted what it had to.
	await until('two more polls', () => main.requestsFor('polled').length > before + 1);
	expect([...main.idsFrom('polled')].sort()).toEqual(ids.sort());
	const executions = await main.client.listExecutions(polled.id);
	const starts = await Promise.all(
		executions
			// A poll that could not save what it found is an execution that no worker has seen.
			.filter(({ status }) => status === 'success')
			.map(async ({ id }) => (await bench.startsOf(id)).sort()),
	);
	expect(starts.length).toBeGreaterThanOrEqual(3);
	expect(starts).toEqual(starts.map(() => [0, 1]));
});
