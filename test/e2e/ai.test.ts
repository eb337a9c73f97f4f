import type { INodePropertyOptions } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import type { SavedCredential, WorkflowNode } from '../../playground/n8nClient';
import { node, nodeType, runsOn, START, using } from '../../playground/workflows';
import { byId } from '../support/formCollection';
import { McpClient, mcpExample, Model, type ToolCall } from './support/ai';
import { Bench, outputOf } from './support/bench';

const AGENT = '@n8n/n8n-nodes-langchain.agent';
const FORM = '8899d818-977d-46aa-8246-692996dcc594';

const bench = new Bench();
let model: Model;
let modelCredential: SavedCredential;
const clients: McpClient[] = [];

beforeAll(async () => {
	await bench.start();
	model = await Model.start();
	const data = { apiKey: 'model-key', url: model.url };
	modelCredential = await bench.client.createCredential('Model', 'openAiApi', data);
});

afterAll(async () => {
	await Promise.all(clients.map(async (client) => await client.close()));
	model?.stop();
	await bench.stop();
});

beforeEach(() => {
	bench.sandbox.reset();
	model.script.length = 0;
	model.requests.length = 0;
});

afterEach(() => {
	const told = [model.requests, clients.map(({ received }) => received)];
	expect(JSON.stringify(told)).not.toContain(bench.sandbox.apiKey);
});

async function connect(server = mcpExample(bench)): Promise<McpClient> {
	const client = await McpClient.connect(bench, await server);
	clients.push(client);
	return client;
}

type ChangeTool = (tool: WorkflowNode) => void;

/** The newest AI Agent 3, which lets n8n run a tool as a node of the workflow */
async function agentVersion(): Promise<number> {
	const types = await bench.client.nodeTypes();
	const versions = types.filter(({ name }) => name === AGENT).flatMap(({ version }) => version);
	const version = Math.max(...versions.filter((candidate) => candidate < 4));
	expect(version).toBeGreaterThanOrEqual(3);
	return version;
}

async function askAiAgent(changeTool?: ChangeTool): Promise<unknown[]> {
	const example = await mcpExample(bench, changeTool);
	const tools = example.nodes.filter(({ type }) => type.endsWith('Tool'));
	const workflow = runsOn([{ chatInput: 'Please register Ada' }], 'AI Agent', {
		type: AGENT,
		typeVersion: await agentVersion(),
		parameters: { promptType: 'define', text: '={{ $json.chatInput }}', options: {} },
	});
	const chatModel = node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.3, {
		parameters: { model: byId('scripted'), responsesApiEnabled: false, options: { maxRetries: 0 } },
		credentials: using(modelCredential),
	});
	const toAgent = (type: string) => ({ [type]: [[{ node: 'AI Agent', type, index: 0 }]] });
	workflow.nodes.push({ ...chatModel, position: [660, 200] }, ...tools);
	workflow.connections['Model'] = toAgent('ai_languageModel');
	for (const { name } of tools) workflow.connections[name] = toAgent('ai_tool');
	// As in every workflow that the editor creates. In the older order n8n asks the model before it runs the tools.
	workflow.settings = { executionOrder: 'v1' };

	const { id } = await bench.client.createWorkflow(workflow);
	const execution = await bench.client.runWorkflow(id, START);

	expect(execution.error).toBeUndefined();
	expect(outputOf(execution, 'AI Agent')).toMatchObject([{ output: 'Done' }]);
	return model.toolResults();
}

/** Without a workflow: the model's credential and the tools are in the Agent. */
async function askAgentOfN8n(changeTool?: ChangeTool): Promise<unknown[]> {
	const { nodes } = await mcpExample(bench, changeTool);
	const tools = nodes
		.filter(({ type }) => type.endsWith('Tool'))
		.map((tool) => ({
			type: 'node',
			name: tool.name,
			description: tool.parameters['toolDescription'],
			node: {
				nodeType: tool.type,
				nodeTypeVersion: tool.typeVersion,
				nodeParameters: tool.parameters,
				credentials: tool.credentials,
			},
		}));
	const agent = {
		name: 'Registrar',
		model: 'openai/scripted',
		credential: modelCredential.id,
		instructions: 'Register who asks for it',
		tools,
	};
	const events = await bench.client.askAgent(agent, 'Please register Ada');
	expect(events.find(({ type }) => type === 'text-delta')).toMatchObject({ delta: 'Done' });
	const results = model.toolResults() as { data?: { json: object }[]; error?: string }[];
	return results.map(({ data, error }) => data?.map(({ json }) => json) ?? [{ error }]);
}

/** Makes these calls, one after the other; returns the items or the error that each of them gives. */
type Ask = (calls: ToolCall[], changeTool?: ChangeTool) => Promise<unknown[]>;

const scripted =
	(ask: (changeTool?: ChangeTool) => Promise<unknown[]>): Ask =>
	async (calls, changeTool) => {
		model.script.push(...calls, 'Done');
		return await ask(changeTool);
	};

async function askMcpServer(calls: ToolCall[], changeTool?: ChangeTool): Promise<unknown[]> {
	const client = await connect(mcpExample(bench, changeTool));
	const results = [];
	for (const call of calls) results.push(await client.call(call));
	return results;
}

const createResponse = (answers: object): ToolCall => ({
	name: 'Create_Response',
	input: { form_id: FORM, answers },
});

const error = (code: number) => ({ error: expect.stringContaining(`(${code})`) as string });

describe.each<[string, Ask]>([
	['an MCP client', askMcpServer],
	['the model of an AI Agent', scripted(askAiAgent)],
	["the model of one of n8n's Agents", scripted(askAgentOfN8n)],
])('%s', (_, ask) => {
	test('finds the form and its questions, submits a response and reads it back', async () => {
		const before = bench.sandbox.responses.length;
		const answers = { full_name: 'Ada', topics: ['Sales', 'Press'] };

		const [forms, questions, created, read] = await ask([
			{ name: 'Get_Forms', input: {} },
			{ name: 'Get_Questions', input: { form_id: FORM } },
			createResponse(answers),
			{ name: 'Get_Responses', input: { form_id: FORM, limit: 1 } },
		]);

		expect(forms).toEqual(bench.sandbox.forms);
		const keys = (questions as { key: string }[]).map(({ key }) => key);
		expect(keys).toEqual(['full_name', 'email', 'company', 'topics', 'message']);
		const stored = bench.sandbox.responses.slice(before);
		expect(stored).toMatchObject([{ form_id: FORM, answers }]);
		expect(created).toEqual([{ success: true, response_id: stored[0]?.id }]);
		expect(read).toEqual([stored[0], { hint: expect.stringContaining('43') as string }]);
		expect(bench.routes()).toEqual([
			'GET /forms',
			'GET /responses',
			'POST /responses',
			'GET /responses',
		]);
	});

	test('is told what went wrong, and n8n does not send again what may have been stored', async () => {
		const { faults, responses } = bench.sandbox;
		const before = responses.length;
		faults.add({ route: 'POST /responses', status: 500, stored: true, times: 1 });
		faults.add({ route: 'GET /forms', status: 401 });

		const results = await ask(
			[
				createResponse({ full_name: 'Ada' }),
				createResponse({ full_name: 'Grace' }),
				{ name: 'Get_Forms', input: {} },
				{ name: 'Get_Questions', input: { form_id: '' } },
			],
			(tool) => Object.assign(tool, { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }),
		);

		const stored = responses.slice(before);
		expect(stored.map(({ answers }) => answers['full_name'])).toEqual(['Ada', 'Grace']);
		expect(results).toEqual([
			[error(500)],
			[{ success: true, response_id: stored[1]?.id }],
			[error(401)],
			[{ error: expect.stringMatching(/form/i) as string }],
		]);
	});
});

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);

test('an MCP client is told what the tools do and what they need', async () => {
	const tools = (await (await connect()).tools()).sort(byName);

	const fieldsOf = ({ inputSchema }: (typeof tools)[0]) =>
		(inputSchema.properties ?? {}) as Record<string, { description?: string }>;
	const needs = tools.map((tool) => [
		tool.name,
		Object.keys(fieldsOf(tool)),
		tool.inputSchema.required,
	]);
	expect(needs).toEqual([
		['Create_Response', ['form_id', 'answers'], ['form_id', 'answers']],
		['Get_Forms', [], undefined],
		['Get_Questions', ['form_id'], ['form_id']],
		['Get_Responses', ['form_id', 'limit', 'created_after'], ['form_id']],
	]);
	for (const { description } of tools.flatMap((tool) => [tool, ...Object.values(fieldsOf(tool))])) {
		expect(description).toMatch(/./);
	}
});

test('tools without names and descriptions of their own say what they do', async () => {
	const type = (await bench.client.nodeTypes()).find(({ name }) => name === `${nodeType}Tool`)!;
	const all = type.properties.find(({ name }) => name === 'operation')?.options;
	// One is an entry that n8n adds to the list of every node.
	const operations = (all as INodePropertyOptions[]).filter(
		({ value }) => value !== '__CUSTOM_API_CALL__',
	);
	const server = await mcpExample(bench);
	server.nodes = server.nodes.filter(({ name }) => name === 'MCP Server');
	server.connections = {};
	for (const { value } of operations) {
		const operation = String(value);
		const name = NodeHelpers.makeNodeName({ resource: 'form', operation }, type);
		server.nodes.push({
			name,
			type: type.name,
			typeVersion: 1,
			position: [0, 0],
			parameters: {
				operation,
				formId: byId(FORM),
				formSlug: { __rl: true, mode: 'slug', value: 'contact-us' },
				answersInput: 'json',
			},
			credentials: using(bench.credential),
		});
		server.connections[name] = { ai_tool: [[{ node: 'MCP Server', type: 'ai_tool', index: 0 }]] };
	}

	const tools = await (await connect(Promise.resolve(server))).tools();

	const expected = operations
		.map(({ action }) => `${action} in Form Collection`)
		.map((description) => ({ name: description.replace(/\W/g, '_'), description }));
	expect(tools.sort(byName)).toMatchObject(expected.sort(byName));
});
