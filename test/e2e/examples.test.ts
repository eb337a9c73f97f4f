import type { Playground } from '../../playground/playground';
import type { WorkflowNode } from '../../playground/n8nClient';
import { readExamples } from '../../playground/examples';
import { startBench } from './support/bench';
import { McpClient, publishMcpServer } from './support/mcp';

const TRIGGER = 'When clicking Execute';

let bench: Playground;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => await bench?.stop());

beforeEach(() => bench.sandbox.reset());

function exampleId(name: string): string {
	const found = bench.examples.find((workflow) => workflow.name === `Form Collection: ${name}`);
	if (!found) throw new Error(`There is no example "${name}"`);
	return found.id;
}

test('list forms: one item per form', async () => {
	const { status, runData } = await bench.client.runWorkflow(exampleId('list forms'), TRIGGER);

	expect(status).toBe('success');
	const items = runData['Get Forms']?.[0]?.data?.main[0] ?? [];
	expect(items.map(({ json }) => json)).toEqual(bench.sandbox.forms);
});

test('responses to a table: one file', async () => {
	const { status, runData } = await bench.client.runWorkflow(
		exampleId('responses to a table'),
		TRIGGER,
	);

	expect(status).toBe('success');
	expect(runData['To CSV file']?.[0]?.data?.main[0]).toHaveLength(1);
});

test('new response to message: a test event becomes a message to whom it is for', async () => {
	const workflow = exampleId('new response to message');
	const messages = async (node: string) => {
		const { runData } = await bench.client.runWorkflow(workflow, 'New response');
		return runData[node]?.[0]?.data?.main[0]?.map(({ json }) => json['message']);
	};
	const submit = (topics: string[], created_at: string) =>
		bench.sandbox.responses.push({
			id: topics.join(),
			form_id: '8899d818-977d-46aa-8246-692996dcc594',
			answers: { full_name: 'Ada', email: 'ada@example.com', topics, message: 'Hello' },
			created_at,
		});

	expect(await messages('Message to everyone')).toHaveLength(1);

	submit(['Press', 'Sales'], '2026-11-21T09:00:00Z');
	expect(await messages('Message to Sales')).toEqual([
		'New sales question from Ada (ada@example.com): Hello',
	]);

	submit(['Press'], '2026-11-21T10:00:00Z');
	expect(await messages('Message to everyone')).toEqual([
		'New contact from Ada (ada@example.com): Hello',
	]);
	expect(bench.sandbox.log.map(({ route }) => route)).toEqual(Array(3).fill('GET /responses'));
});

test('MCP server: a client finds a form by its title and reads what people answered', async () => {
	const mcp = await McpClient.connect(await publishMcpServer(bench));

	const forms = await mcp.records('Get_Forms');
	const { id: form_id } = forms.find(({ title }) => title === 'Newsletter sign-up') ?? {};
	const responses = await mcp.records('Get_Responses', { form_id });
	await mcp.close();

	expect(responses.filter(({ id }) => id !== undefined)).toHaveLength(10);
	expect(responses[0]).toMatchObject({
		form_id,
		answers: { email: expect.stringContaining('@') },
	});
});

test('import a CSV file: 200 rows sent, each once, and read back', async () => {
	const { log, responses } = bench.sandbox;
	const before = responses.length;

	const { status, runData, error } = await bench.client.runWorkflow(
		exampleId('import a CSV file'),
		TRIGGER,
	);

	expect({ status, error }).toEqual({ status: 'success', error: undefined });
	const created = responses.slice(before);
	expect(created).toHaveLength(200);
	expect(log.filter(({ route }) => route === 'POST /responses')).toHaveLength(200);
	// Skip Existing reads the form, too.
	expect(log.filter(({ route }) => route === 'GET /responses')).toHaveLength(2);

	const rows = runData['One item per row']?.[0]?.data?.main[0]?.map(({ json }) => json) ?? [];
	const emails = (records: { email?: unknown }[]) => records.map(({ email }) => email).sort();
	expect(emails(created.map(({ answers }) => answers))).toEqual(emails(rows));

	const interestsOf = (email: unknown) =>
		created.find(({ answers }) => answers.email === email)?.answers.interests;
	const { email, interests } = rows.find((row) => String(row['interests']).includes(';')) ?? {};
	expect(interestsOf(email)).toEqual(String(interests).split(';'));

	const readBack = runData['Read them back']?.[0]?.data?.main[0] ?? [];
	expect(readBack.map(({ json }) => json['id']).sort()).toEqual(created.map(({ id }) => id).sort());
});

test('import a CSV file twice: nothing is sent twice', async () => {
	const { log, responses } = bench.sandbox;
	await bench.client.runWorkflow(exampleId('import a CSV file'), TRIGGER);
	const count = responses.length;

	await bench.client.runWorkflow(exampleId('import a CSV file'), TRIGGER);

	expect(responses).toHaveLength(count);
	expect(log.filter(({ route }) => route === 'POST /responses')).toHaveLength(200);
});

test('paced import: all rows, 90 at a time, with a wait between', async () => {
	const before = bench.sandbox.responses.length;
	const examples = await readExamples(bench.credential, bench.sandbox.url);
	const paced = examples.find(({ name }) => name === 'Form Collection: paced import')!;
	const wait = paced.nodes.find(({ name }) => name === 'Wait an hour')!;
	wait.parameters = { amount: 1, unit: 'seconds' };
	const { id } = await bench.client.createWorkflow({ ...paced, name: 'Paced, in seconds' });

	const { status, runData } = await bench.client.runWorkflow(id, TRIGGER);

	expect(status).toBe('success');
	const sizes = runData['Create Response']?.map(({ data }) => data?.main[0]?.length);
	expect(sizes).toEqual([90, 90, 20]);
	expect(runData['Wait an hour']).toHaveLength(2);
	expect(runData['All sent']?.[0]?.data?.main[0]).toHaveLength(200);
	expect(bench.sandbox.responses).toHaveLength(before + 200);

	const again = await bench.client.runWorkflow(id, TRIGGER);

	expect(again.status).toBe('success');
	expect(again.runData['Wait an hour']).toBeUndefined();
	expect(again.runData['All sent']?.[0]?.data?.main[0]).toHaveLength(200);
	expect(bench.sandbox.responses).toHaveLength(before + 200);
});

test('notes lie beside the nodes, where they hide no line', async () => {
	const margin = 30;
	for (const { name, nodes } of await readExamples(bench.credential, bench.sandbox.url)) {
		const isNote = ({ type }: WorkflowNode) => type === 'n8n-nodes-base.stickyNote';
		const note = nodes.find(isNote);
		const bottom = (note?.position[1] ?? NaN) + Number(note?.parameters['height']);
		const right = (note?.position[0] ?? NaN) + Number(note?.parameters['width']);

		const behind = nodes
			.filter((node) => !isNote(node))
			.filter(({ position: [x, y] }) => x < right + margin && y < bottom + margin);
		expect({ name, behind: behind.map((node) => node.name) }).toEqual({ name, behind: [] });
	}
});

test.each([
	['with the original workflow', false],
	['with the currently saved workflow', true],
])('a failed import, retried %s, sends each row once', async (_, loadWorkflow) => {
	const { faults, log, responses } = bench.sandbox;
	const before = responses.length;
	faults.add({ route: 'POST /responses', skip: 120, times: 1, status: 422, body: 'Not now' });
	const failed = await bench.client.runWorkflow(exampleId('import a CSV file'), TRIGGER);
	expect(failed.status).toBe('error');
	const sentBefore = log.filter(({ route }) => route === 'POST /responses').length;

	const workflowId = exampleId('import a CSV file');
	const { status, runData } = await bench.client.retryExecution(failed.id, {
		workflowId,
		loadWorkflow,
	});

	expect(status).toBe('success');
	expect(sentBefore).toBeLessThan(200);
	expect(log.filter(({ route }) => route === 'POST /responses')).toHaveLength(201);
	const created = responses.slice(before).map(({ id }) => id);
	const replies = runData['Create Response']?.at(-1)?.data?.main[0] ?? [];
	expect(replies.map(({ json }) => json['response_id']).sort()).toEqual(created.sort());
	expect(created).toHaveLength(200);
});
