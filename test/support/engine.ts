import {
	CredentialTestContext,
	ExecuteContext,
	ExecutionLifecycleHooks,
	LoadOptionsContext,
	PollContext,
	SupplyDataContext,
	WorkflowExecute,
	getAdditionalKeys,
} from 'n8n-core';
import { makeHandleToolInvocation } from 'n8n-core/dist/execution-engine/node-execution-context/utils/get-input-connection-data';
import type {
	EngineResponse,
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	ICredentialTestFunction,
	IDataObject,
	IExecuteData,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INode,
	INodeCredentialsDetails,
	INodeCredentialTestResult,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypes,
	IPinData,
	IRun,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	NodeApiError,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import {
	ICredentialsHelper,
	NodeConnectionTypes,
	NodeHelpers,
	Workflow,
	createEmptyRunExecutionData,
	createRunExecutionData,
	jsonParse,
} from 'n8n-workflow';
import { FormCollectionApi } from '../../credentials/FormCollectionApi.credentials';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';

const start: INodeType = {
	description: {
		displayName: 'Start',
		name: 'start',
		group: ['trigger'],
		version: 1,
		description: 'Where the items of a test come in',
		defaults: { name: 'Start' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	},
	trigger: async () => ({}),
};

let currentBetween: ((json: IDataObject) => IDataObject) | undefined;

const between: INodeType = {
	description: {
		...start.description,
		displayName: 'Between',
		name: 'between',
		inputs: [NodeConnectionTypes.Main],
	},
	async execute() {
		return [
			this.getInputData().map(({ json }, item) => ({
				json: currentBetween!(json),
				pairedItem: { item },
			})),
		];
	},
};

/** What a conversation still has to ask, and what has come back. */
let currentCalls: IDataObject[] = [];
let currentReplies: IDataObject[][] = [];

/** Asks as AI Agent 3 does: n8n runs the tool as a node of the workflow, and the agent again after it. */
const agent: INodeType = {
	description: { ...between.description, displayName: 'Agent', name: 'agent' },
	async execute(response?: EngineResponse) {
		for (const { data } of response?.actionResponses ?? []) {
			currentReplies.push((data.data?.ai_tool?.[0] ?? []).map(({ json }) => json));
		}
		const input = currentCalls.shift();
		if (input === undefined) return [[]];
		return {
			actions: [
				{
					actionType: 'ExecutionNodeAction',
					nodeName: 'Form Collection',
					input,
					type: NodeConnectionTypes.AiTool,
					id: `call_${currentCalls.length}`,
					metadata: { itemIndex: 0 },
				},
			],
			metadata: {},
		};
	},
};

/** What n8n makes of the node where it is a tool */
const tool = new FormCollection();
tool.description = { ...tool.description, outputs: [NodeConnectionTypes.AiTool] };

const registry: Record<string, INodeType> = {
	'test.agent': agent,
	'test.between': between,
	'test.start': start,
	'n8n-nodes-form-collection.formCollection': new FormCollection(),
	'n8n-nodes-form-collection.formCollectionTool': tool,
	'n8n-nodes-form-collection.formCollectionTrigger': new FormCollectionTrigger(),
};

const nodeTypes: INodeTypes = {
	getByName: (type) => nodeType(type),
	getByNameAndVersion: (type, version) => NodeHelpers.getVersionedNodeType(nodeType(type), version),
	getKnownTypes: () => ({}),
};

function nodeType(type: string): INodeType {
	const found = registry[type];
	if (found === undefined) throw new Error(`The test engine knows no node type ${type}`);
	return found;
}

/** Authenticates as the credential class says; nothing else of n8n's credentials is needed. */
export class TestCredentials extends ICredentialsHelper {
	/** How often n8n would have read and decrypted the credential */
	reads = 0;

	constructor(
		private readonly data: ICredentialDataDecryptedObject,
		private readonly replacement: TestRun['getDecrypted'],
	) {
		super();
	}

	getParentTypes = () => [];

	isCredentialUsableByNode = () => true;

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_typeName: string,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		return await new FormCollectionApi().authenticate(credentials, requestOptions);
	}

	preAuthentication = async () => undefined;

	runPreAuthentication = async () => undefined;

	getCredentials(): never {
		throw new Error('Not part of the test engine');
	}

	/** Evaluates the expressions of the credential for the item, as n8n does in an execution. */
	async getDecrypted(
		additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		_type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		resolve?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		this.reads++;
		if (this.replacement) return await this.replacement();
		if (resolve === undefined) return { ...this.data };
		const shown = NodeHelpers.getNodeParameters(
			this.getCredentialsProperties(),
			this.data as INodeParameters,
			true,
			false,
			null,
			null,
		);
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = resolve;
		return workflow.expression.getParameterValue(
			shown as INodeParameters,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			getAdditionalKeys(additionalData, mode, null),
			executeData,
		) as ICredentialDataDecryptedObject;
	}

	updateCredentials = async () => undefined;

	updateCredentialsOauthTokenData = async () => undefined;

	getCredentialsProperties = () => new FormCollectionApi().properties;
}

export interface TestRun {
	parameters: INodeParameters;
	credentials: ICredentialDataDecryptedObject;
	/** The `json` of the input items, or whole items; one empty item by default */
	input?: IDataObject[];
	node?: Partial<INode>;
	workflowId?: string;
	/** What n8n has saved of the workflow */
	staticData?: IDataObject;
	/** In place of what n8n does to read and decrypt the credential */
	getDecrypted?(): Promise<ICredentialDataDecryptedObject>;
	/** How often the node runs in the execution, as in a loop; 1 by default */
	runs?: number;
	/** Connects the error output with the input of the node */
	isErrorOutputWiredBack?: boolean;
	/** With `isErrorOutputWiredBack`: what a node in between (Set, Code) makes of each item */
	between?(json: IDataObject): IDataObject;
	/** n8n saves and loads what the node keeps before each run, as when another process goes on */
	isSavedBeforeEachRun?: boolean;
	/** Called when the execution has started, with what the Stop button does */
	onStart?(stop: () => void): void;
}

export interface TestResult {
	/** All runs of the node: the items of its first and its error output */
	runs: INodeExecutionData[][][];
	status: IRun['status'];
	/** The first output; empty if the execution failed */
	items: INodeExecutionData[];
	/** The error output */
	failed: INodeExecutionData[];
	/** What the execution ended with, as n8n saves it */
	error?: NodeApiError & { failure?: IDataObject };
	run: IRun;
	/** How often n8n has read the credential */
	credentialReads: number;
}

/** Runs Start → Form Collection in n8n's engine. */
export async function execute(test: TestRun): Promise<TestResult> {
	const { workflow, additionalData } = prepare(test);
	const pinData: IPinData = { Start: (test.input ?? [{}]).map((json) => ({ json })) };
	const engine = new WorkflowExecute(additionalData, 'manual');
	if (test.isSavedBeforeEachRun) {
		const runNode = engine.runNode.bind(engine);
		engine.runNode = async (...args) => {
			const data = args[2].executionData;
			if (data) data.contextData = jsonParse(JSON.stringify(data.contextData));
			return await runNode(...args);
		};
	}
	const running = engine.run({ workflow, pinData });
	test.onStart?.(() => running.cancel());
	const run = await running;
	const { runData, error } = run.data.resultData;
	const outputs = runData['Form Collection']?.at(-1)?.data?.main ?? [];
	return {
		status: run.status,
		runs: (runData['Form Collection'] ?? []).map(({ data }) =>
			(data?.main ?? []).map((output) => output ?? []),
		),
		items: outputs[0] ?? [],
		failed: outputs[1] ?? [],
		error: error as TestResult['error'],
		run,
		credentialReads: (additionalData.credentialsHelper as TestCredentials).reads,
	};
}

/** What an agent calls, as often as it likes in one execution, with what the model fills in. */
export function asTool(test: TestRun): (input: IDataObject) => Promise<unknown> {
	const { workflow, node, additionalData } = prepare(test);
	const runData = createRunExecutionData();
	const contextOf = (runIndex: number) =>
		new SupplyDataContext(
			workflow,
			node,
			additionalData,
			'manual',
			runData,
			runIndex,
			[{ json: {} }],
			{},
			NodeConnectionTypes.AiTool,
			{ node, data: {}, source: null },
			[],
		);
	return makeHandleToolInvocation(contextOf, node, new FormCollection(), runData);
}

/**
 * What AI Agent 3 calls one after the other in one execution, with what the model fills in.
 *
 * @param test.input what the agent itself gets
 * @returns what the model gets for each call
 */
export async function askAgent(test: TestRun, calls: IDataObject[]): Promise<IDataObject[][]> {
	const type = 'n8n-nodes-form-collection.formCollectionTool';
	const { workflow, additionalData } = prepare({ ...test, node: { ...test.node, type } });
	workflow.setNodes([...Object.values(workflow.nodes), helperNode('agent', 'Agent')]);
	workflow.setConnections({
		Start: { main: [[{ node: 'Agent', type: NodeConnectionTypes.Main, index: 0 }]] },
		'Form Collection': {
			ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]],
		},
	});
	currentCalls = [...calls];
	currentReplies = [];
	const pinData: IPinData = { Start: (test.input ?? [{}]).map((json) => ({ json })) };
	await new WorkflowExecute(additionalData, 'manual').run({ workflow, pinData });
	return currentReplies;
}

/** What one of n8n's Agents gets from a call of the tool, which n8n 2.41 runs without a workflow. */
export async function asToolOfAgents(test: TestRun, input: IDataObject): Promise<unknown> {
	const type = 'n8n-nodes-form-collection.formCollectionTool';
	const { workflow, node, additionalData } = prepare({ ...test, node: { ...test.node, type } });
	const items = [{ json: input }];
	const data = { main: [items] };
	const context = new ExecuteContext(
		workflow,
		node,
		additionalData,
		'internal',
		createEmptyRunExecutionData(),
		0,
		items,
		data,
		{ node, data, source: null },
		[],
	);
	const [output] = (await tool.execute.call(context)) ?? [];
	return output?.map(({ json }) => json);
}

/** The context in which n8n calls the pickers of the node. */
export function loadOptions(test: TestRun): ILoadOptionsFunctions {
	const { workflow, node, additionalData } = prepare(test);
	// As the editor sends them: a workflow would replace null by a default.
	additionalData.currentNodeParameters = { ...node.parameters, ...test.parameters };
	return new LoadOptionsContext(workflow, node, additionalData, '');
}

/** What the editor says of a credential. */
export async function testCredential(
	data: ICredentialDataDecryptedObject,
	Node: typeof FormCollection | typeof FormCollectionTrigger = FormCollection,
): Promise<INodeCredentialTestResult> {
	const { description, methods } = new Node();
	const testedBy = description.credentials?.[0]?.testedBy;
	const test = (methods.credentialTest as Record<string, ICredentialTestFunction>)[
		testedBy as string
	] as ICredentialTestFunction;
	const { additionalData } = prepare({ parameters: {}, credentials: data });
	const context = new CredentialTestContext(additionalData);
	return await test.call(context, {
		id: '1',
		name: 'Form Collection',
		type: 'formCollectionApi',
		data,
	});
}

export interface PollTest extends TestRun {
	mode?: WorkflowExecuteMode;
	activation?: WorkflowActivateMode;
	/** Where the static data of the node is, if not with that of the workflow */
	staged?: () => IDataObject;
	/** How long a poll may take */
	budgetMs?: number;
}

/** The context in which n8n polls the trigger. */
export function polling(test: PollTest): { context: PollContext; workflow: Workflow } {
	const { workflow, node, additionalData } = prepare({
		...test,
		node: {
			name: 'Form Collection Trigger',
			type: 'n8n-nodes-form-collection.formCollectionTrigger',
			...test.node,
		},
	});
	const context = new PollContext(
		workflow,
		node,
		additionalData,
		test.mode ?? 'trigger',
		test.activation ?? 'activate',
		undefined,
		undefined,
		undefined,
		undefined,
		test.staged,
		test.budgetMs === undefined ? undefined : () => test.budgetMs as number,
	);
	return { context, workflow };
}

const helperNode = (id: string, name: string): INode => ({
	id,
	name,
	type: `test.${id}`,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
});

function prepare(test: TestRun) {
	const { parameters, credentials, node: settings, staticData, runs = 1 } = test;
	currentBetween = test.between;
	const node: INode = {
		id: 'node',
		name: 'Form Collection',
		type: 'n8n-nodes-form-collection.formCollection',
		typeVersion: 1,
		position: [200, 0],
		// As n8n stores it: values only, no shared objects.
		parameters: jsonParse(JSON.stringify(parameters)),
		credentials: { formCollectionApi: { id: '1', name: 'Form Collection' } },
		...settings,
	};
	const workflow = new Workflow({
		id: test.workflowId ?? 'workflow',
		name: 'Test',
		active: false,
		nodes: [
			helperNode('start', 'Start'),
			node,
			...(test.between === undefined ? [] : [helperNode('between', 'Between')]),
		],
		connections: {
			...(test.between && {
				Between: { main: [[{ node: node.name, type: NodeConnectionTypes.Main, index: 0 }]] },
			}),
			Start: {
				main: [
					Array.from({ length: runs }, () => ({
						node: node.name,
						type: NodeConnectionTypes.Main,
						index: 0,
					})),
				],
			},
			...(test.isErrorOutputWiredBack && {
				[node.name]: {
					main: [
						[],
						[
							{
								node: test.between ? 'Between' : node.name,
								type: NodeConnectionTypes.Main,
								index: 0,
							},
						],
					],
				},
			}),
		},
		nodeTypes,
		settings: { timezone: 'Europe/Berlin', executionOrder: 'v1' },
		staticData: staticData as IWorkflowBase['staticData'],
	});
	const base = 'http://127.0.0.1:1/';
	const additionalData = {
		executionId: '1',
		credentialsHelper: new TestCredentials(credentials, test.getDecrypted),
		hooks: new ExecutionLifecycleHooks('manual', '1', {
			id: 'workflow',
			name: 'Test',
			active: false,
			activeVersionId: null,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
			nodes: [],
			connections: {},
		}),
		currentNodeExecutionIndex: 0,
		variables: {},
		restApiUrl: base,
		instanceBaseUrl: base,
		formWaitingBaseUrl: base,
		webhookBaseUrl: base,
		webhookWaitingBaseUrl: base,
		webhookTestBaseUrl: base,
		setExecutionStatus: () => undefined,
		sendDataToUI: () => undefined,
		logAiEvent: () => undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
	return { workflow, node: workflow.getNode(node.name) ?? node, additionalData };
}
