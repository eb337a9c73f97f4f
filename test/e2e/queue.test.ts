import type { SavedWorkflow } from '../../playground/n8nClient';
import { until } from '../../playground/run';
import { START } from '../../playground/workflows';
import { byId } from '../support/formCollection';
import { importInto, namesOf, outputOf, polledForms, rows } from './support/bench';
import { QueueBench } from './support/queue';

const bench = new QueueBench();
let polled: SavedWorkflow;

beforeAll(async () => {
	await bench.start(polledForms(['polled', 'created', 'same', 'killed']));
	// So that an import takes long enough to be disturbed.
	bench.main.sandbox.settings.createDelayMs = 100;
	polled = await bench.main.createTrigger('polled', 'polled');
	await bench.main.activate(polled);
});

afterAll(async () => await bench.stop());

test('executions are on a worker, whether a webhook or the editor starts them', async () => {
	const { client, repliedRows, responsesTo } = bench.main;
	const workflow = await bench.main.publishWebhook('created', importInto('created'));
	const created = await bench.post('created', rows(2));
	const read = {
		operation: 'getResponses',
		formId: byId('created'),
		options: { sort: 'asReceived' },
	};
	const inEditor = await bench.main.createRun([{}], read);
	const execution = await client.runWorkflow(inEditor.id, START);

	expect(repliedRows('created', created)).toEqual(['row 0.', 'row 1.']);
	expect(outputOf(execution)).toEqual(responsesTo('created'));
	for (const id of [await bench.executionOf(workflow), execution.id]) {
		expect((await bench.startsOf(id)).sort()).toEqual([0, 1]);
	}
});

test('two imports at once into a form: each row once, outputs not mixed', async () => {
	const imports = [0, 1].map((i) => rows(150, `import ${i}, row`));
	const workflows = [];
	for (const i of imports.keys()) {
		workflows.push(await bench.main.publishWebhook(`${i}`, importInto('same')));
	}

	const replies = await Promise.all(imports.map(async (items, i) => bench.post(`${i}`, items)));

	const starts = [];
	for (const workflow of workflows) {
		starts.push(await bench.startsOf(await bench.executionOf(workflow)));
	}
	expect(starts.sort()).toEqual([
		[0, 1],
		[1, 0],
	]);
	const replied = replies.map((items) => bench.main.repliedRows('same', items));
	expect(replied).toEqual(imports.map(namesOf));
	expect(bench.main.storedRows('same')).toHaveLength(300);
});

test('an import whose worker is killed is not started again; run again, it ends complete', async () => {
	const { client, repliedRows, storedRows } = bench.main;
	const items = rows(500);
	const { id, worker } = await bench.importUntil(100, 'killed', items);

	await worker.kill();

	expect(await client.waitForExecution(id)).toMatchObject({ status: 'error' });
	expect((await bench.startsOf(id)).sort()).toEqual([0, 1]);
	expect(storedRows('killed').length).toBeLessThan(500);
	const replies = await bench.post('killed', items);
	expect(repliedRows('killed', replies)).toEqual(namesOf(items));
	expect(storedRows('killed')).toHaveLength(500);
	await worker.start();
});

test('the trigger emits each response once, on workers, also if main is killed', async () => {
	const { main } = bench;
	// With durable cursors, n8n saves nothing of the activation: what comes before the next poll counts as seen.
	await until('the first poll of the scheduler', () => main.requestsFor('polled').length > 1);
	main.submit('polled', 'first');
	await main.started('polled', 'first');

	await main.killN8n();
	main.submit('polled', 'while main is killed');
	await main.startN8n();
	await main.started('polled', 'while main is killed');

	expect(main.idsFrom('polled')).toEqual(['first', 'while main is killed']);
	const executions = await main.client.listExecutions(polled.id);
	expect(executions).toHaveLength(2);
	for (const { id } of executions) expect((await bench.startsOf(id)).sort()).toEqual([0, 1]);
});
