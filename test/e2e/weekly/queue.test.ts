import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../../../playground/run';
import { namesOf, polledForms, rows } from '../support/bench';
import { QueueBench } from '../support/queue';

// The trigger waits for several polls, which n8n may put off for minutes.
jest.setTimeout(900_000);

const bench = new QueueBench();

beforeAll(async () => {
	await bench.start(polledForms(['polled', 'redis fails', 'postgres fails']));
	// So that an import takes long enough to be disturbed.
	bench.main.sandbox.settings.createDelayMs = 100;
});

afterAll(async () => await bench.stop());

test.each(['redis', 'postgres'] as const)(
	'an import goes on while %s fails and comes back; run again, it sends nothing',
	async (name) => {
		const { repliedRows, storedRows } = bench.main;
		const form = `${name} fails`;
		const items = rows(600);
		const names = namesOf(items);
		const { id, replied } = await bench.importUntil(50, form, items);

		await bench[name].kill();
		const before = storedRows(form).length;
		await until('more rows', () => storedRows(form).length > before + 20);
		await bench[name].start();

		expect(storedRows(form).length).toBeLessThan(items.length);
		expect(repliedRows(form, await replied)).toEqual(names);
		expect((await bench.startsOf(id)).sort()).toEqual([0, 1]);
		expect(repliedRows(form, await bench.post(form, items))).toEqual(names);
		expect(storedRows(form)).toEqual(names.sort());
	},
);

test('the trigger emits each response once, over failures of main, Redis and PostgreSQL', async () => {
	const { main } = bench;
	await main.activate(await main.createTrigger('polled', 'polled'));
	// With durable cursors, n8n saves nothing of the activation: this counts as seen.
	main.submit('polled', 'before the first poll');
	await until('the first poll of the scheduler', () => main.requestsFor('polled').length > 1);
	const ids: string[] = [];
	const submit = (id: string) => {
		ids.push(id);
		main.submit('polled', id);
	};
	submit('first');
	await main.started('polled', 'first');

	for (const name of ['redis', 'postgres'] as const) {
		await bench[name].kill();
		submit(`while ${name} is down`);
		await main.killN8n();
		await bench[name].start();
		await main.startN8n();
		submit(`before ${name} fails in a poll`);
		const polls = main.requestsFor('polled').length;
		const delay = { times: 1, delayMs: 1_000, stored: true };
		main.sandbox.faults.add({ route: 'GET /responses', contains: 'polled', ...delay });
		await until('a poll', () => main.requestsFor('polled').length > polls);
		await bench[name].kill();
		await until('its answer', () => main.requestsFor('polled')[polls]?.status !== undefined);
		// In this time n8n passes on what it got, or cannot.
		await sleep(1_000);
		await bench[name].start();
		await main.started('polled', ...ids);
	}

	const before = main.requestsFor('polled').length;
	// When the second one begins, the first has emitted what it had to.
	await until('two more polls', () => main.requestsFor('polled').length > before + 1);
	expect(main.idsFrom('polled').sort()).toEqual(ids.sort());
});
