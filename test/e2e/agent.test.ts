import { readExamples } from '../../playground/examples';
import type { SavedCredential, Workflow, WorkflowNode } from '../../playground/n8nClient';
import type { Playground } from '../../playground/playground';
import { runsOn, START, using } from '../../playground/workflows';
import { startBench } from './support/bench';
import { type Answer, Model, type ToolCall } from './support/model';

const AGENT = '@n8n/n8n-nodes-langchain.agent';
const FORM = '8899d818-977d-46aa-8246-692996dcc594';

let bench: Playground;
let model: Model;
let modelCredential: SavedCredential;
/** The newest of AI Agent 3, which lets n8n run a tool as a node of the workflow */
let typeVersion: number;

beforeAll(async () => {
	bench = await startBench();
	model = await Model.start();
	const data = { apiKey: 'model-key', url: model.url };
	modelCredential = await bench.client.createCredential('Model', 'openAiApi', data);
	const types = await bench.client.nodeTypes();
	const versions = types.filter(({ name }) => name === AGENT).flatMap(({ version }) => version);
	typeVersion = Math.max(...versions.filter((version) => version < 4));
	expect(typeVersion).toBeGreaterThanOrEqual(3);
});

afterAll(async () => await Promise.all([bench?.stop(), model?.stop()]));

beforeEach(() => {
	bench.sandbox.reset();
	model.reset();
});

afterEach(() => {
	expect(JSON.stringify(model.requests)).not.toContain(bench.sandbox.apiKey);
});

/** The tools of the example "MCP server". */
async function exampleTools(changeTool: (tool: WorkflowNode) => void): Promise<WorkflowNode[]> {
	const examples = await readExamples(bench.credential, bench.sandbox.url);
	const example = examples.find(({ name }) => name === 'Form Collection: MCP server')!;
	const tools = example.nodes.filter(({ type }) => type.endsWith('Tool'));
	tools.forEach(changeTool);
	return tools;
}

/** A workflow in which an AI Agent has these tools. */
async function agentWorkflow(changeTool: (tool: WorkflowNode) => void): Promise<Workflow> {
	const tools = await exampleTools(changeTool);
	const workflow = runsOn([{ chatInput: 'Please register Ada' }], 'AI Agent', {
		type: AGENT,
		typeVersion,
		parameters: { promptType: 'define', text: '={{ $json.chatInput }}', options: {} },
	});
	const chatModel: WorkflowNode = {
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.3,
		position: [660, 200],
		parameters: {
			model: { __rl: true, mode: 'id', value: 'scripted' },
			responsesApiEnabled: false,
			options: { maxRetries: 0 },
		},
		credentials: using(modelCredential),
	};
	const toAgent = (type: string) => ({ [type]: [[{ node: 'AI Agent', type, index: 0 }]] });
	return {
		...workflow,
		nodes: [...workflow.nodes, chatModel, ...tools],
		connections: {
			...workflow.connections,
			Model: toAgent('ai_languageModel'),
			...Object.fromEntries(tools.map(({ name }) => [name, toAgent('ai_tool')])),
		},
		// As in every workflow that the editor creates. In the older order n8n asks the model before it runs the tools.
		settings: { executionOrder: 'v1' },
	};
}

/** Runs the agent with a model that makes these calls, one at each turn; returns what the model gets for each. */
async function converse(
	calls: ToolCall[],
	changeTool: (tool: WorkflowNode) => void = () => undefined,
): Promise<unknown[]> {
	const turns: Answer[] = calls.map((call) => [call]);
	model.script.push(...turns, 'Done');
	const { id } = await bench.client.createWorkflow(await agentWorkflow(changeTool));
	const { runData, error } = await bench.client.runWorkflow(id, START);
	expect(error).toBeUndefined();
	expect(runData['AI Agent']?.at(-1)?.data?.main[0]).toMatchObject([{ json: { output: 'Done' } }]);
	return model.toolResults();
}

const routes = () => bench.sandbox.log.map(({ route }) => route);

const createResponse = (answers: object): ToolCall => ({
	name: 'Create_Response',
	input: { form_id: FORM, answers },
});

test('the model finds the form and its questions, submits a response and reads it back', async () => {
	const before = bench.sandbox.responses.length;
	const answers = { full_name: 'Ada', topics: ['Sales', 'Press'] };

	const [forms, questions, created, read] = await converse([
		{ name: 'Get_Forms', input: {} },
		{ name: 'Get_Questions', input: { form_id: FORM } },
		createResponse(answers),
		{ name: 'Get_Responses', input: { form_id: FORM, limit: 1 } },
	]);

	expect(forms).toEqual(bench.sandbox.forms);
	expect((questions as { key: string }[]).map(({ key }) => key)).toEqual([
		'full_name',
		'email',
		'company',
		'topics',
		'message',
	]);
	const stored = bench.sandbox.responses.slice(before);
	expect(stored).toMatchObject([{ form_id: FORM, answers }]);
	expect(created).toEqual([{ success: true, response_id: stored[0]?.id }]);
	expect(read).toEqual([stored[0], { hint: expect.stringContaining('43') as string }]);
	expect(routes()).toEqual(['GET /forms', 'GET /responses', 'POST /responses', 'GET /responses']);
});

test('the model is told what the tools do and what they need', async () => {
	await converse([]);

	const tools = model.requests[0]?.tools.map((tool) => tool.function) ?? [];
	expect(tools.map(({ name }) => name).sort()).toEqual([
		'Create_Response',
		'Get_Forms',
		'Get_Questions',
		'Get_Responses',
	]);
	expect(tools.find(({ name }) => name === 'Create_Response')).toMatchObject({
		description: expect.stringMatching(/./) as string,
		parameters: {
			properties: {
				form_id: { type: 'string', description: expect.stringMatching(/./) as string },
				answers: { description: expect.stringMatching(/./) as string },
			},
			required: ['form_id', 'answers'],
		},
	});
});

test.each([
	{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
	{ onError: 'continueRegularOutput' },
])('what may have been stored is not sent again by n8n, with %j', async (settings) => {
	const before = bench.sandbox.responses.length;
	bench.sandbox.faults.add({ route: 'POST /responses', status: 500, stored: true, times: 1 });

	const calls = ['Ada', 'Grace'].map((name) => createResponse({ full_name: name }));
	const results = await converse(calls, (tool) => Object.assign(tool, settings));

	const stored = bench.sandbox.responses.slice(before);
	expect(stored.map(({ answers }) => answers)).toEqual([
		{ full_name: 'Ada' },
		{ full_name: 'Grace' },
	]);
	expect(results).toEqual([
		[{ error: expect.stringContaining('(500)') as string }],
		[{ success: true, response_id: stored[1]?.id }],
	]);
	expect(routes()).toEqual(['POST /responses', 'POST /responses']);
});

test.each([undefined, 'continueRegularOutput'])(
	'the model gets the error message, with On Error %s',
	async (onError) => {
		bench.sandbox.faults.add({ status: 422, body: { message: 'topics has an unknown option' } });

		const results = await converse(
			[
				createResponse({ topics: ['Cats'] }),
				{ name: 'Get_Forms', input: {} },
				{ name: 'Get_Questions', input: { form_id: '' } },
			],
			(tool) => Object.assign(tool, { onError }),
		);

		expect(results).toEqual([
			[{ error: expect.stringContaining('(422)') as string }],
			[{ error: expect.stringContaining('(422)') as string }],
			[{ error: expect.stringMatching(/form/i) as string }],
		]);
	},
);

describe("one of n8n's Agents", () => {
	/** As `converse`, but without a workflow: the model's credential and the tools are in the Agent. */
	async function chat(
		calls: ToolCall[],
		changeTool: (tool: WorkflowNode) => void = () => undefined,
	): Promise<unknown[]> {
		const turns: Answer[] = calls.map((call) => [call]);
		model.script.push(...turns, 'Done');
		const tools = (await exampleTools(changeTool)).map((tool) => ({
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
		expect(events.filter(({ type }) => type === 'error')).toEqual([]);
		expect(events.find(({ type }) => type === 'text-delta')).toMatchObject({ delta: 'Done' });
		return model.toolResults();
	}

	/** What the model gets of these output items. */
	const success = (...items: unknown[]) => ({
		status: 'success',
		data: items.map((json) => ({ json, pairedItem: expect.anything() as unknown })),
	});

	test('finds the form and its questions, submits a response and reads it back', async () => {
		const before = bench.sandbox.responses.length;
		const answers = { full_name: 'Ada', topics: ['Sales', 'Press'] };

		const [forms, questions, created, read] = await chat([
			{ name: 'Get_Forms', input: {} },
			{ name: 'Get_Questions', input: { form_id: FORM } },
			createResponse(answers),
			{ name: 'Get_Responses', input: { form_id: FORM, limit: 1 } },
		]);

		expect(forms).toEqual(success(...bench.sandbox.forms));
		const keys = (questions as { data: { json: { key: string } }[] }).data.map(
			({ json }) => json.key,
		);
		expect(keys).toEqual(['full_name', 'email', 'company', 'topics', 'message']);
		const stored = bench.sandbox.responses.slice(before);
		expect(stored).toMatchObject([{ form_id: FORM, answers }]);
		expect(created).toEqual(success({ success: true, response_id: stored[0]?.id }));
		const hint = expect.stringContaining('43') as string;
		expect(read).toEqual(success(stored[0], { hint }));
		expect(routes()).toEqual(['GET /forms', 'GET /responses', 'POST /responses', 'GET /responses']);
	});

	test('submits again what may have been stored, but not with Skip Existing', async () => {
		const before = bench.sandbox.responses.length;
		const error = expect.stringContaining('(500)') as string;
		const repeated = async (name: string, options: object) => {
			bench.sandbox.faults.add({ route: 'POST /responses', status: 500, stored: true, times: 1 });
			const calls = [createResponse({ full_name: name }), createResponse({ full_name: name })];
			return await chat(calls, ({ parameters }) => Object.assign(parameters, { options }));
		};

		const twice = await repeated('Ada', {});
		model.reset();
		const once = await repeated('Grace', { skipExisting: true });

		const stored = bench.sandbox.responses.slice(before);
		expect(stored.map(({ answers }) => answers['full_name'])).toEqual(['Ada', 'Ada', 'Grace']);
		const [, ada, grace] = stored.map(({ id }) => ({ success: true, response_id: id }));
		expect(twice).toEqual([{ error }, success(ada)]);
		expect(once).toEqual([{ error }, success({ ...grace, skipped: true })]);
	});

	test('gets the error message', async () => {
		bench.sandbox.faults.add({ status: 422, body: { message: 'topics has an unknown option' } });

		const results = await chat([
			createResponse({ topics: ['Cats'] }),
			{ name: 'Get_Questions', input: { form_id: '' } },
		]);

		expect(results).toEqual([
			{ error: expect.stringContaining('(422)') as string },
			{ error: expect.stringMatching(/form/i) as string },
		]);
	});

	test('gets an embed code', async () => {
		const [embed] = await chat([{ name: 'Get_Forms', input: { slug: 'contact' } }], (tool) => {
			const formSlug = { __rl: true, mode: 'slug', value: "={{ $fromAI('slug') }}" };
			if (tool.name === 'Get Forms') tool.parameters = { operation: 'getEmbedCode', formSlug };
		});

		const html = expect.stringContaining('data-xform="contact"') as string;
		expect(embed).toEqual(success({ html, slug: 'contact', mode: 'inline' }));
		expect(routes()).toEqual([]);
	});
});
