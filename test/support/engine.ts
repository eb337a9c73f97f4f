import { stringify, parse } from 'flatted';
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
	ICredentialsHelper,
	ICredentialTestFunction,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
	IRunExecutionData,
	ITaskData,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	NodeApiError,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import {
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

const NODE = 'Form Collection';
const TOOL_TYPE = 'n8n-nodes-form-collection.formCollectionTool';

/** Start → Batches → Form Collection, whose error output may lead through Between back into it. */
export interface TestRun {
	parameters: INodeParameters;
	/** What the credential holds, expressions unresolved */
	credentials: ICredentialDataDecryptedObject;
	/** The `json` of the input items; one empty item by default */
	input?: IDataObject[];
	node?: Partial<INode>;
	/** What n8n has saved of the workflow */
	staticData?: IDataObject;
	/** In place of what n8n does to read and decrypt the credential */
	getDecrypted?(): Promise<ICredentialDataDecryptedObject>;
	/** How often the node gets all items in the execution, as in a loop; 1 by default */
	runs?: number;
	/** In how many parts the items come in, each for a run of its own */
	batches?: number;
	/** Connects the error output with the input of the node */
	wiredBack?: {
		/** What a node in between (Set, Code) makes of each item */
		change?(json: IDataObject): IDataObject;
		/** How often at most; as long as items fail by default */
		rounds?: number;
	};
	/** n8n saves and loads what the node keeps before each run, as when another process goes on */
	isSavedBeforeEachRun?: boolean;
	/** Called when the execution has started, with what the Stop button does, and what n8n would save now */
	onStart?(stop: () => void, save: () => string): void;
}

export type TestResult = Awaited<ReturnType<typeof finish>>;

/** One run of the node in an execution. */
export type Run = TestResult['runs'][number];

export async function execute(test: TestRun): Promise<TestResult> {
	const prepared = prepare(test);
	const engine = new WorkflowExecute(prepared.additionalData, 'trigger');
	return await finish(test, prepared, engine, () => engine.run(prepared));
}

/**
 * What "Retry" in the list of executions does (n8n 2.41, `ExecutionService.retry`).
 *
 * @param change what was changed in the workflow, if it is retried as it is saved now
 */
export async function retry(
	{ test, save }: Pick<TestResult, 'test' | 'save'>,
	change?: Partial<TestRun>,
): Promise<TestResult> {
	const data = parse(save()) as IRunExecutionData;
	const { resultData } = data;
	delete resultData.error;
	const runs = resultData.runData[resultData.lastNodeExecuted ?? ''];
	if (runs?.at(-1)?.error !== undefined) runs.pop();
	const changed = { ...test, onStart: undefined, ...change };
	const prepared = prepare(changed);
	if (change) {
		for (const entry of data.executionData?.nodeExecutionStack ?? []) {
			entry.node = prepared.workflow.getNode(entry.node.name) as INode;
		}
	}
	const engine = new WorkflowExecute(prepared.additionalData, 'retry', data);
	return await finish(changed, prepared, engine, () =>
		engine.processRunExecutionData(prepared.workflow),
	);
}

async function finish(
	test: TestRun,
	{ credentials }: ReturnType<typeof prepare>,
	engine: WorkflowExecute,
	start: () => ReturnType<WorkflowExecute['run']>,
) {
	const calls: number[] = [];
	let current: IRunExecutionData | undefined;
	const runNode = engine.runNode.bind(engine);
	engine.runNode = async (...args) => {
		const [, { node }, data, runIndex] = args;
		current = data;
		if (node.name === NODE) calls.push(runIndex);
		if (test.isSavedBeforeEachRun && data.executionData) {
			data.executionData.contextData = jsonParse(JSON.stringify(data.executionData.contextData));
		}
		return await runNode(...args);
	};
	const running = start();
	test.onStart?.(
		() => running.cancel(),
		() => stringify(current),
	);
	const run = await running;
	const { runData, error } = run.data.resultData;
	const inputOf = ({ source }: ITaskData): IDataObject[] => {
		const { previousNode = '', previousNodeRun = 0, previousNodeOutput = 0 } = source[0] ?? {};
		const output = runData[previousNode]?.[previousNodeRun]?.data?.main?.[previousNodeOutput];
		return (output ?? []).map(({ json }) => json);
	};
	const runs = (runData[NODE] ?? []).map((task) => {
		const [items, failed] = task.data?.main ?? [];
		return {
			input: inputOf(task),
			/** Undefined for a run that failed */
			items: task.error ? undefined : (items ?? []),
			/** The error output */
			failed: failed ?? [],
			hints: (task.hints ?? []).map(({ message }) => message),
		};
	});
	return {
		test,
		status: run.status,
		runs,
		/** The first output of the last run; empty if the execution failed */
		items: runs.at(-1)?.items ?? [],
		/** The error output of the last run */
		failed: runs.at(-1)?.failed ?? [],
		/** What the execution ended with, as n8n saves it */
		error: error as (NodeApiError & { failure?: IDataObject }) | undefined,
		run,
		/** How often n8n called the node, and in which run each time */
		calls,
		/** How often n8n has read the credential */
		credentialReads: credentials.reads,
		/** As n8n saves the execution */
		save: () => stringify(run.data),
	};
}

const asToolNode = (test: TestRun): TestRun => ({
	...test,
	node: { ...test.node, type: TOOL_TYPE },
});

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
 * What AI Agent 3 calls one after the other in one execution: n8n runs the tool as a node of the workflow, and the agent
 * again after it.
 *
 * @param test.input what the agent itself gets
 * @param calls what the model fills in
 * @returns what the model gets for each call
 */
export async function askAgent(test: TestRun, calls: IDataObject[]): Promise<IDataObject[][]> {
	const waiting = [...calls];
	const replies: IDataObject[][] = [];
	const agent = async (response?: EngineResponse) => {
		for (const { data } of response?.actionResponses ?? []) {
			replies.push((data.data?.ai_tool?.[0] ?? []).map(({ json }) => json));
		}
		const input = waiting.shift();
		if (input === undefined) return [[]];
		const call = {
			actionType: 'ExecutionNodeAction' as const,
			nodeName: NODE,
			input,
			type: NodeConnectionTypes.AiTool,
			id: `call_${waiting.length}`,
			metadata: { itemIndex: 0 },
		};
		return { actions: [call], metadata: {} };
	};
	const { workflow, additionalData, pinData } = prepare(asToolNode(test), { Agent: agent });
	workflow.setConnections({
		Start: { main: [to('Agent')] },
		[NODE]: { ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]] },
	});
	await new WorkflowExecute(additionalData, 'manual').run({ workflow, pinData });
	return replies;
}

/** What one of n8n's Agents gets from a call of the tool, which n8n 2.41 runs without a workflow. */
export async function asToolOfAgents(test: TestRun, input: IDataObject): Promise<unknown> {
	const { workflow, node, additionalData } = prepare(asToolNode(test));
	const items = [{ json: input }];
	const data = { main: [items] };
	const context = new ExecuteContext(
		workflow,
		node,
		additionalData,
		'internal',
		// Without a workflow there is no place to keep anything in.
		createEmptyRunExecutionData(),
		0,
		items,
		data,
		{ node, data, source: null },
		[],
	);
	const [output] = (await new FormCollection().execute.call(context)) ?? [];
	return output?.map(({ json }) => json);
}

/** The context in which n8n calls the pickers of the node. */
export function loadOptions(test: TestRun) {
	const { workflow, node, additionalData } = prepare(test);
	// As the editor sends them: a workflow would replace null by a default.
	additionalData.currentNodeParameters = { ...node.parameters, ...test.parameters };
	return new LoadOptionsContext(workflow, node, additionalData, '');
}

/** What the editor says of a credential. */
export async function testCredential(
	data: ICredentialDataDecryptedObject,
	Node: typeof FormCollection | typeof FormCollectionTrigger = FormCollection,
) {
	const { description, methods } = new Node();
	const testedBy = description.credentials?.[0]?.testedBy as string;
	const tests: Record<string, ICredentialTestFunction> = methods.credentialTest;
	const test = tests[testedBy] as ICredentialTestFunction;
	const { additionalData } = prepare({ parameters: {}, credentials: data });
	const credential = { id: '1', name: 'Form Collection', type: 'formCollectionApi', data };
	return await test.call(new CredentialTestContext(additionalData), credential);
}

/** The context in which n8n polls the trigger. */
export function polling({ mode = 'trigger', ...test }: TestRun & { mode?: WorkflowExecuteMode }) {
	const type = 'n8n-nodes-form-collection.formCollectionTrigger';
	const polls = { ...test, node: { name: 'Form Collection Trigger', type, ...test.node } };
	const { workflow, node, additionalData } = prepare(polls);
	return { context: new PollContext(workflow, node, additionalData, mode, 'activate'), workflow };
}

const to = (node: string) => [{ node, type: NodeConnectionTypes.Main, index: 0 }];

/** What each node does, by name; a trigger does nothing */
type Executes = Record<string, INodeType['execute']>;

/** @param more nodes that are not connected */
function prepare(test: TestRun, more: Executes = {}) {
	const { runs = 1, batches, wiredBack } = test;
	const helpers: Executes = {
		Start: undefined,
		async Batches(this: IExecuteFunctions) {
			const items = this.getInputData();
			if (batches === undefined) return Array<INodeExecutionData[]>(runs).fill(items);
			const size = Math.ceil(items.length / batches);
			return Array.from({ length: batches }, (_, i) => items.slice(i * size, (i + 1) * size));
		},
		async Between(this: IExecuteFunctions) {
			const { change = (json: IDataObject) => json, rounds = Infinity } = wiredBack ?? {};
			if (Number(this.evaluateExpression('{{ $runIndex }}', 0)) >= rounds) return [[]];
			const items = this.getInputData();
			return [items.map(({ json }, item) => ({ json: change(json), pairedItem: { item } }))];
		},
		...more,
	};
	const node: INode = {
		...helperNode(NODE),
		type: 'n8n-nodes-form-collection.formCollection',
		// As n8n stores it: values only, no shared objects.
		parameters: jsonParse(JSON.stringify(test.parameters)),
		credentials: { formCollectionApi: { id: '1', name: 'Form Collection' } },
		...test.node,
	};
	const id = 'workflow';
	const workflow = new Workflow({
		id,
		name: 'Test',
		active: false,
		nodes: [...Object.keys(helpers).map(helperNode), node],
		connections: {
			Start: { main: [to('Batches')] },
			Batches: { main: Array.from({ length: batches ?? runs }, () => to(node.name)) },
			[node.name]: { main: [[], wiredBack ? to('Between') : []] },
			Between: { main: [to(node.name)] },
		},
		nodeTypes: nodeTypesOf(helpers),
		settings: { timezone: 'Europe/Berlin', executionOrder: 'v1' },
		staticData: test.staticData as IWorkflowBase['staticData'],
	});
	const credentials = new TestCredentials(test);
	// n8n takes them apart.
	const base = 'http://127.0.0.1:1/';
	const additionalData = {
		executionId: '1',
		credentialsHelper: credentials,
		hooks: new ExecutionLifecycleHooks('trigger', '1', { id, name: 'Test' } as IWorkflowBase),
		currentNodeExecutionIndex: 0,
		variables: {},
		formWaitingBaseUrl: base,
		webhookWaitingBaseUrl: base,
	} as unknown as IWorkflowExecuteAdditionalData;
	const pinData = { Start: (test.input ?? [{}]).map((json) => ({ json })) };
	return {
		workflow,
		node: workflow.getNode(node.name) ?? node,
		additionalData,
		credentials,
		pinData,
	};
}

const helperNode = (name: string): INode => ({
	id: name,
	name,
	type: `test.${name}`,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
});

const tool = new FormCollection();
tool.description = { ...tool.description, outputs: [NodeConnectionTypes.AiTool] };

const ownTypes: Record<string, INodeType> = {
	'n8n-nodes-form-collection.formCollection': new FormCollection(),
	'n8n-nodes-form-collection.formCollectionTrigger': new FormCollectionTrigger(),
	// What n8n makes of the node where it is a tool
	[TOOL_TYPE]: tool,
};

function nodeTypesOf(helpers: Executes) {
	const types = { ...ownTypes };
	for (const [name, execute] of Object.entries(helpers)) {
		const description = {
			name,
			version: 1,
			inputs: execute ? [NodeConnectionTypes.Main] : [],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		} as unknown as INodeTypeDescription;
		types[`test.${name}`] = {
			description,
			...(execute ? { execute } : { trigger: async () => ({}) }),
		};
	}
	const getByName = (type: string) => types[type] as INodeType;
	return { getByName, getByNameAndVersion: getByName, getKnownTypes: () => ({}) };
}

/** The part of n8n's credentials that a node with a key in a header comes across. */
class TestCredentials {
	/** How often n8n would have read and decrypted the credential */
	reads = 0;

	constructor(private readonly test: TestRun) {}

	getParentTypes = () => [];

	isCredentialUsableByNode = () => true;

	getCredentialsProperties = () => new FormCollectionApi().properties;

	preAuthentication = async () => undefined;

	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		_type: string,
		request: IHttpRequestOptions,
	) => await new FormCollectionApi().authenticate(credentials, request);

	/** Evaluates the expressions of the credential for the item, as n8n does in an execution. */
	getDecrypted: ICredentialsHelper['getDecrypted'] = async (...args) => {
		const [additionalData, , , mode, executeData, , resolve] = args;
		this.reads++;
		const { credentials, getDecrypted } = this.test;
		if (getDecrypted) return await getDecrypted();
		if (resolve === undefined) return { ...credentials };
		const properties = this.getCredentialsProperties();
		const values = credentials as INodeParameters;
		const shown = NodeHelpers.getNodeParameters(properties, values, true, false, null, null);
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
	};
}
