import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import type { WorkflowNode } from '../../playground/n8nClient';
import type { Playground } from '../../playground/playground';
import { nodeType, using } from '../../playground/workflows';
import { startBench } from './support/bench';
import { McpClient, publishMcpServer } from './support/mcp';

const FORM = '8899d818-977d-46aa-8246-692996dcc594';
const FORM_OF_60_RESPONSES = 'fc286c4f-d368-4f9b-8128-503ce57281fd';

let bench: Playground;
let mcp: McpClient;
const clients: McpClient[] = [];

beforeAll(async () => {
	bench = await startBench();
	mcp = await connect();
});

afterAll(async () => {
	process.stdout.write(`${clients.flatMap(({ transcript }) => transcript).join('\n\n')}\n`);
	await Promise.all(clients.map(async (client) => await client.close()));
	await bench?.stop();
});

beforeEach(() => bench.sandbox.reset());

afterEach(() => {
	expect(clients.flatMap(({ received }) => received).join()).not.toContain(bench.sandbox.apiKey);
});

async function connect(changeTool?: (tool: WorkflowNode) => void): Promise<McpClient> {
	const client = await McpClient.connect(await publishMcpServer(bench, changeTool));
	clients.push(client);
	return client;
}

const routes = () => bench.sandbox.log.map(({ route }) => route);

const anyText = expect.stringMatching(/./) as string;

const text = { type: 'string', description: anyText };

const schema = (properties: object, required?: string[]) => ({
	$schema: 'https://json-schema.org/draft/2020-12/schema',
	type: 'object',
	additionalProperties: true,
	properties,
	...(required && { required }),
});

test('a client without the token gets nothing', async () => {
	const url = await publishMcpServer(bench);

	await expect(McpClient.connect(url, 'guessed')).rejects.toThrow();

	expect(routes()).toEqual([]);
});

test('the tools say what they do and what they need', async () => {
	expect(mcp.instructions()).toMatch(/Get Forms/);
	const tools = await mcp.tools();

	expect(tools.sort((a, b) => a.name.localeCompare(b.name))).toEqual([
		{
			name: 'Create_Response',
			description: anyText,
			inputSchema: schema({ form_id: text, answers: { description: anyText } }, [
				'form_id',
				'answers',
			]),
		},
		{
			name: 'Get_Forms',
			description: anyText,
			inputSchema: schema({}),
		},
		{
			name: 'Get_Questions',
			description: anyText,
			inputSchema: schema({ form_id: text }, ['form_id']),
		},
		{
			name: 'Get_Responses',
			description: anyText,
			inputSchema: schema(
				{
					form_id: text,
					limit: { type: 'number', description: anyText, default: 10 },
					created_after: { ...text, default: '' },
				},
				['form_id'],
			),
		},
	]);
});

test('without names and descriptions of their own, all differ and say what they do', async () => {
	const type = (await bench.client.nodeTypes()).find(({ name }) => name === `${nodeType}Tool`)!;
	const all = type.properties.find(({ name }) => name === 'operation')?.options;
	// One is an entry that n8n adds to the list of every node.
	const operations = (all as INodePropertyOptions[]).filter(
		({ value }) => value !== '__CUSTOM_API_CALL__',
	);
	const url = await publishMcpServer(bench, undefined, (example) => {
		example.nodes = example.nodes.filter(({ name }) => name === 'MCP Server');
		example.connections = {};
		for (const { value: operation } of operations) {
			const name = NodeHelpers.makeNodeName(
				{ resource: 'form', operation: String(operation) },
				type,
			);
			const parameters = {
				operation,
				formId: { __rl: true, mode: 'id', value: FORM },
				formSlug: { __rl: true, mode: 'slug', value: 'contact-us' },
				answersInput: 'json',
			};
			const { credential } = bench;
			const position: [number, number] = [0, 0];
			const credentials = using(credential);
			const tool = { name, type: type.name, typeVersion: 1, position, parameters, credentials };
			example.nodes.push(tool);
			example.connections[name] = {
				ai_tool: [[{ node: 'MCP Server', type: 'ai_tool', index: 0 }]],
			};
		}
	});
	const client = await McpClient.connect(url);
	clients.push(client);

	const tools = (await client.tools()).map(({ name, description }) => [name, description]);
	const expected = operations
		.map(({ action }) => `${action} in Form Collection`)
		.map((description) => [description.replace(/\W/g, '_'), description]);
	expect(tools.sort()).toEqual(expected.sort());
	expect(new Set(tools.map(([name]) => name)).size).toBe(5);
});

test('Get Forms returns the forms', async () => {
	expect(await mcp.records('Get_Forms')).toEqual(bench.sandbox.forms);
	expect(routes()).toEqual(['GET /forms']);
});

test('Get Responses returns the newest ones, few if nothing is said', async () => {
	const newest = bench.sandbox.responses
		.filter((response) => response.form_id === FORM)
		.sort((a, b) => b.created_at.localeCompare(a.created_at));
	const ids = newest.map(({ id }) => id);
	const read = async (input: object) =>
		await mcp.records('Get_Responses', { form_id: FORM, ...input });
	const idsOf = async (input: object) => (await read(input)).map(({ id }) => id);
	const first = (count: number) => [
		...newest.slice(0, count),
		{ hint: expect.stringContaining(String(ids.length)) as string },
	];

	expect(await read({})).toEqual(first(10));
	expect(await read({ limit: 3 })).toEqual(first(3));
	expect(await idsOf({ created_after: newest[4]?.created_at })).toEqual(ids.slice(0, 5));
	expect(await idsOf({ created_after: '2099-01-01' })).toEqual([]);
	expect(routes()).toEqual(Array(4).fill('GET /responses'));
});

test('Get Questions returns the keys that Create Response needs', async () => {
	const questions = await mcp.records('Get_Questions', { form_id: FORM });

	expect(questions.map(({ key }) => key)).toEqual([
		'full_name',
		'email',
		'company',
		'topics',
		'message',
	]);
	expect(questions[3]).toMatchObject({
		multipleChoice: true,
		options: expect.arrayContaining(['Sales']),
	});
	expect(routes()).toEqual(['GET /responses']);
});

test('with the default limit the text stays below 5,000 tokens, at 4 characters each', async () => {
	const client = await connect(({ parameters }) => delete parameters['limit']);

	const result = await client.call('Get_Responses', { form_id: FORM_OF_60_RESPONSES });

	const records = JSON.parse(result.text) as IDataObject[];
	expect(records.filter(({ id }) => id !== undefined)).toHaveLength(50);
	expect(result.text.length).toBeLessThan(20_000);
});

test('Create Response submits once', async () => {
	const before = bench.sandbox.responses.length;
	const answers = { full_name: 'Ada', topics: ['Sales', 'Press'] };

	const [reply] = await mcp.records('Create_Response', { form_id: FORM, answers });

	const created = bench.sandbox.responses.slice(before);
	expect(created).toMatchObject([{ form_id: FORM, answers }]);
	expect(reply).toEqual({ success: true, response_id: created[0]?.id });
	expect(routes()).toEqual(['POST /responses']);
	const [readBack] = await mcp.records('Get_Responses', { form_id: FORM, limit: 1 });
	expect(readBack).toMatchObject({ id: created[0]?.id, answers });
});

test('n8n itself refuses answers that are no object, before the node runs', async () => {
	const { isError } = await mcp.call('Create_Response', { form_id: FORM, answers: 'Ada' });

	expect(isError).toBe(true);
	expect(routes()).toEqual([]);
});

describe('the client is told what went wrong', () => {
	const complaintOf = async (tool: string, input: object, client = mcp) => {
		const result = await client.call(tool, input);
		expect(result.isError).toBe(true);
		return result.text;
	};

	test.each([
		['Get_Responses', { form_id: 'contact-us' }, /"contact-us".*\(404\)/],
		['Get_Responses', { form_id: '' }, /\bForm\b/],
		['Get_Responses', { form_id: FORM, limit: 0 }, /\bLimit\b/],
		['Get_Responses', { form_id: FORM, created_after: 'yesterday' }, /Created After.*"yesterday"/],
		['Create_Response', { form_id: FORM, answers: { address: { city: 'Bern' } } }, /"address"/],
	])('when %s gets %j', async (tool, input, expected) => {
		const before = bench.sandbox.responses.length;

		expect(await complaintOf(tool, input)).toMatch(expected);
		expect(bench.sandbox.responses).toHaveLength(before);
	});

	test.each([401, 429])('when the service answers %s', async (status) => {
		bench.sandbox.faults.add({ status });

		expect(await complaintOf('Get_Forms', {})).toContain(`(${status})`);
	});

	test('when a response may have been stored, which Retry On Fail does not send again', async () => {
		const client = await connect((tool) => {
			Object.assign(tool, { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 });
		});
		const before = bench.sandbox.responses.length;
		bench.sandbox.faults.add({
			route: 'POST /responses',
			times: 1,
			cut: 'connection',
			stored: true,
		});
		const input = { form_id: FORM, answers: { full_name: 'Ada' } };

		expect(await complaintOf('Create_Response', input, client)).toMatch(/stored/);
		expect(routes()).toEqual(['POST /responses']);
		expect(bench.sandbox.responses).toHaveLength(before + 1);

		expect(await client.records('Create_Response', input)).toMatchObject([{ success: true }]);
	});
});
