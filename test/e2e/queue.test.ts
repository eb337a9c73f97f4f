import { setTimeout as sleep } from 'node:timers/promises';

import type { SavedCredential, SavedWorkflow, WorkflowNode } from '../../playground/n8nClient';
import { packPackage } from '../../playground/packageUnderTest';
import { until } from '../../playground/until';
import { nodeType, webhookWorkflow } from '../../playground/workflows';
import { QueueBench, type Worker } from './support/queueBench';

const bench = new QueueBench();
let credential: SavedCredential;

const forms = [
	'read',
	'created',
	'waits',
	'one',
	'two',
	'same',
	'stopped',
	'killed',
	'main restarts',
	'power cut',
	'redis fails',
	'postgres fails',
	'postgres is down',
];

beforeAll(async () => {
	await bench.start(await packPackage(), forms);
	const { client, sandbox } = bench.main;
	// So that an import takes long enough to be disturbed.
	sandbox.settings.createDelayMs = 100;
	const { baseUrl, apiKey, url: embedUrl } = sandbox;
	credential = await client.createCredential('Sandbox', 'formCollectionApi', {
		baseUrl,
		apiKey,
		embedUrl,
	});
});

afterAll(async () => await bench.stop());

const formId = (value: string) => ({ __rl: true, mode: 'id', value });

interface Reply {
	success: boolean;
	response_id: string;
}

/** Publishes a workflow that runs the posted items through the node. */
async function publish(path: string, parameters: Record<string, unknown>): Promise<SavedWorkflow> {
	const { client } = bench.main;
	const workflow = await client.createWorkflow(webhookWorkflow(path, parameters, credential));
	await client.activateWorkflow(workflow);
	return workflow;
}

const importInto = (form: string, options: object = {}) => ({
	operation: 'createResponse',
	formId: formId(form),
	answersInput: 'json',
	answersJson: '={{ { row: $json.row } }}',
	options,
});

const rows = (count: number, prefix = 'row') =>
	Array.from({ length: count }, (_, i) => ({ row: `${prefix} ${i}` }));

const rowsOf = (items: { row: string }[]) => items.map(({ row }) => row);

const post = async <T = Reply[]>(path: string, items: object[] = [{}]) =>
	await bench.main.client.callWebhook<T>(path, { items });

const stored = (form: string) =>
	bench.main.sandbox.responses.filter(({ form_id, answers }) => form_id === form && answers.row);

const storedRows = (form: string) =>
	stored(form)
		.map(({ answers }) => answers.row)
		.sort();

/** The rows that the replies stand for, in the order of the replies. */
const repliedRows = (form: string, replies: Reply[]) =>
	replies.map(({ response_id }) => stored(form).find(({ id }) => id === response_id)?.answers.row);

const executionsOf = async ({ id }: SavedWorkflow) => await bench.main.client.listExecutions(id);

/** Starts an import and waits until it has stored some rows; the reply comes when it is over. */
async function importUntil(count: number, path: string, items: object[]) {
	const workflow = await publish(path, importInto(path, { skipExisting: true }));
	// Main may be gone when the reply is due.
	const replied = post(path, items).catch(() => undefined);
	await until(`${count} rows`, () => stored(path).length >= count);
	const [execution] = await executionsOf(workflow);
	const { id } = execution as { id: string };
	const worker = (await bench.startsOf(id)).indexOf(1);
	expect(stored(path).length).toBeLessThan(items.length);
	return { id, replied, worker: bench.workers[worker] as Worker };
}

/** Presses Retry in the executions list. */
async function retry(id: string): Promise<string> {
	const { status } = await bench.main.client.request<{ status: string }>(
		'POST',
		`/executions/${id}/retry`,
		{ loadWorkflow: false },
	);
	return status;
}

const sandboxForms = () => bench.main.sandbox.forms;
const responsesToRead = () =>
	bench.main.sandbox.responses.filter(({ form_id }) => form_id === 'read');

test.each([
	['getForms', { returnAll: true }, () => sandboxForms()],
	[
		'getResponses',
		{ formId: formId('read'), returnAll: true, options: { sort: 'asReceived' } },
		() => responsesToRead(),
	],
	[
		'createResponse',
		{ ...importInto('created'), answersJson: '={{ { row: "only" } }}' },
		() => [{ success: true, response_id: stored('created')[0]?.id }],
	],
	[
		'getEmbedCode',
		{ formSlug: { __rl: true, mode: 'slug', value: 'form-read' }, mode: 'popover' },
		() => [
			{
				html: expect.stringContaining('data-xform="form-read"') as string,
				slug: 'form-read',
				mode: 'popover',
			},
		],
	],
])('%s runs on a worker', async (operation, parameters, expected) => {
	const workflow = await publish(operation, { operation, ...parameters });

	const { body } = await post<object[]>(operation);

	expect(body).toEqual(expected());
	const [execution] = await executionsOf(workflow);
	expect((await bench.startsOf(execution!.id)).sort()).toEqual([0, 1]);
});

test('a run from the editor is on a worker, too', async () => {
	const { client } = bench.main;
	const { nodes, ...rest } = webhookWorkflow('manual', { operation: 'getForms' }, credential);
	const [trigger, , node] = nodes as [WorkflowNode, WorkflowNode, WorkflowNode];
	const { id } = await client.createWorkflow({
		...rest,
		nodes: [{ ...trigger, type: 'n8n-nodes-base.manualTrigger', parameters: {} }, node],
		connections: { [trigger.name]: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
	});

	const run = await client.runWorkflow(id, trigger.name);

	const items = run.runData[node.name]?.[0]?.data?.main[0];
	expect(items?.map(({ json }) => json)).toEqual(sandboxForms());
	expect((await bench.startsOf(run.id)).sort()).toEqual([0, 1]);
});

test('without workers an execution waits, also if Redis fails; the form list and the questions do not', async () => {
	await bench.stopWorkers();
	const workflow = await publish('waits', importInto('waits'));
	const replied = post('waits', rows(1));
	await until('the execution', async () => (await executionsOf(workflow)).length === 1);

	const field = { nodeType, typeVersion: 1, credential };
	const parameters = { operation: 'createResponse', formId: formId('read') };
	const forms = await bench.main.client.listSearch({
		...field,
		path: 'parameters.formId',
		method: 'searchForms',
		parameters,
	});
	const { fields } = await bench.main.client.mappingColumns({
		...field,
		path: 'parameters.answersMapping',
		method: 'getQuestions',
		parameters,
	});

	expect(forms.map(({ value }) => value).sort()).toEqual(
		sandboxForms()
			.map(({ id }) => id)
			.sort(),
	);
	expect(fields.map(({ id }) => id)).toEqual(['name']);
	expect(await executionsOf(workflow)).toMatchObject([{ status: 'new' }]);
	expect(stored('waits')).toEqual([]);

	await bench.server('redis').kill();
	// After 10 seconds n8n would exit by default.
	await sleep(12_000);
	await bench.server('redis').start();
	await bench.startWorkers();
	const { body } = await replied;
	expect(repliedRows('waits', body)).toEqual(['row 0']);
});

test.each([
	['different forms', 'one', 'two'],
	['the same form', 'same', 'same'],
])('two imports at once into %s: each row once, outputs not mixed', async (_, ...forms) => {
	const imports = forms.map((form, i) => ({
		form,
		path: `${form} ${i}`,
		items: rows(150, `import ${i}, row`),
	}));
	const workflows = await Promise.all(
		imports.map(async ({ form, path }) => await publish(path, importInto(form))),
	);

	const replies = await Promise.all(imports.map(async ({ path, items }) => post(path, items)));

	const starts = await Promise.all(
		workflows.map(async (workflow) => {
			const [execution] = await executionsOf(workflow);
			return await bench.startsOf(execution!.id);
		}),
	);
	expect(starts.sort()).toEqual([
		[0, 1],
		[1, 0],
	]);
	imports.forEach(({ form, items }, i) => {
		expect(repliedRows(form, replies[i]!.body)).toEqual(rowsOf(items));
	});
	const all = imports.flatMap(({ items }) => rowsOf(items));
	expect([...new Set(forms)].flatMap(storedRows).sort()).toEqual(all.sort());
});

test('a worker that is stopped finishes its import', async () => {
	const items = rows(600);
	const { id, replied, worker } = await importUntil(50, 'stopped', items);

	await worker.stop();

	expect(stored('stopped')).toHaveLength(600);
	expect(repliedRows('stopped', (await replied)!.body)).toEqual(rowsOf(items));
	expect((await bench.startsOf(id)).sort()).toEqual([0, 1]);
	await worker.start();
});

test('an import whose worker is killed is not started again; run again, it ends complete', async () => {
	const { client } = bench.main;
	const items = rows(500);
	const { id, worker } = await importUntil(100, 'killed', items);

	await worker.kill();

	const execution = await client.waitForExecution(id, 120_000);
	expect(execution).toMatchObject({
		status: 'error',
	});
	expect((await bench.startsOf(id)).sort()).toEqual([0, 1]);
	const storedByThen = stored('killed').length;
	expect(storedByThen).toBeLessThan(500);

	// n8n has lost what the execution started with.
	expect(await retry(id)).toBe('error');
	expect(stored('killed')).toHaveLength(storedByThen);

	const { body } = await post('killed', items);
	expect(repliedRows('killed', body)).toEqual(rowsOf(items));
	expect(storedRows('killed')).toEqual(rowsOf(items).sort());
	await worker.start();
});

test.each(['redis', 'postgres'] as const)(
	'an import goes on while %s fails and comes back, and its caller gets the answer; run again, it sends nothing',
	async (name) => {
		const server = bench.server(name);
		const path = `${name} fails`;
		const items = rows(600);
		const { id, replied } = await importUntil(50, path, items);

		await server.kill();
		const before = stored(path).length;
		await until('more rows', () => stored(path).length > before + 20);
		await server.start();

		expect(stored(path).length).toBeLessThan(items.length);
		expect(repliedRows(path, (await replied)!.body)).toEqual(rowsOf(items));
		expect(storedRows(path)).toEqual(rowsOf(items).sort());
		expect((await bench.startsOf(id)).sort()).toEqual([0, 1]);
		expect(await bench.main.client.getExecution(id)).toMatchObject({ status: 'success' });

		const again = await post(path, items);
		expect(repliedRows(path, again.body)).toEqual(rowsOf(items));
		expect(stored(path)).toHaveLength(items.length);
	},
);

test('if PostgreSQL is down when an import ends, its result is lost; retried, it ends complete', async () => {
	const { main } = bench;
	const postgres = bench.server('postgres');
	const path = 'postgres is down';
	const items = rows(400);
	const { id, worker } = await importUntil(50, path, items);

	await postgres.kill();
	await until('the end of the import', async () => (await worker.endsOf(id)) === 1);
	await postgres.start();

	expect(storedRows(path)).toEqual(rowsOf(items).sort());
	// Until n8n has a connection again, it answers that its database is not ready.
	const execution = await until('n8n is ready', () =>
		main.client.getExecution(id).catch(() => undefined),
	);
	expect(execution).toMatchObject({ status: 'running', runData: {} });

	// n8n looks for executions that nobody runs when main starts.
	await main.killN8n();
	await main.startN8n();
	await until('n8n notices', async () => (await main.client.getExecution(id)).status === 'crashed');
	expect(await retry(id)).toBe('success');
	expect(storedRows(path)).toEqual(rowsOf(items).sort());
});

test('a restart of main lets a running import end', async () => {
	const items = rows(300);
	const { id } = await importUntil(50, 'main restarts', items);

	await bench.main.killN8n();
	await bench.main.startN8n();

	const { status } = await bench.main.client.waitForExecution(id);
	expect(status).toBe('success');
	expect(storedRows('main restarts')).toEqual(rowsOf(items).sort());
	expect((await bench.startsOf(id)).sort()).toEqual([0, 1]);
});

test('after a power cut, retrying the import ends it complete', async () => {
	const { main } = bench;
	const items = rows(300);
	const { id } = await importUntil(50, 'power cut', items);

	await bench.killAll();
	await bench.startWorkers();
	await main.startN8n();

	// n8n looks for executions that nobody runs when it starts, and then every three hours.
	await until('n8n notices', async () => {
		await main.stopN8n();
		await main.startN8n();
		return (await main.client.getExecution(id)).status === 'crashed';
	});
	expect((await bench.startsOf(id)).sort()).toEqual([0, 1]);
	expect(stored('power cut').length).toBeLessThan(300);
	expect(await retry(id)).toBe('success');
	expect(storedRows('power cut')).toEqual(rowsOf(items).sort());
});
