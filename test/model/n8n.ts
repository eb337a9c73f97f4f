import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import { parse, stringify } from 'flatted';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRun,
	IRunExecutionData,
	ITaskData,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeHelpers, Workflow } from 'n8n-workflow';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { TestCredentials } from '../support/engine';

const NODE = 'Form Collection';

/** Start → Batches → Form Collection, from whose error output Again may lead back into it. */
export interface WorkflowSpec {
	parameters: INodeParameters;
	/** What the credential holds, expressions unresolved */
	credentials: ICredentialDataDecryptedObject;
	node: Partial<INode>;
	/** In how many parts the items come in, each for a run of its own */
	batches: number;
	/** The error output leads back into the node, so many times */
	rounds?: number;
}

export interface Execution {
	status: IRun['status'];
	runs: Run[];
	/** What the execution failed with */
	error?: Failure;
	/** How often n8n called the node, and in which run each time */
	calls: number[];
	/** As n8n saves it */
	saved: string;
	workflow: WorkflowSpec;
}

/** One run of the node in an execution. */
export interface Run {
	input: IDataObject[];
	/** Undefined for a run that failed */
	items?: INodeExecutionData[];
	/** Of the error output */
	failed?: INodeExecutionData[];
	error?: Failure;
}

export interface Failure {
	message: string;
	description?: string | null;
}

/** What an instance of n8n does with workflows: runs, saves and retries them. */
export class Instance {
	private nextExecutionId = 1;

	private calls: number[] = [];

	private readonly formCollection = this.counting(new FormCollection());

	private readonly nodeTypes = nodeTypesOf(this.formCollection);

	async run(spec: WorkflowSpec, input: IDataObject[]): Promise<Execution> {
		const workflow = this.workflowOf(spec);
		const engine = new WorkflowExecute(this.additionalData(spec), 'trigger');
		const pinData = { Start: input.map((json) => ({ json })) };
		return await this.finish(spec, engine.run({ workflow, pinData }));
	}

	/** What "Retry" in the list of executions does (n8n 2.41, `ExecutionService.retry`). */
	async retry({ saved, workflow: original }: Execution, spec?: WorkflowSpec): Promise<Execution> {
		const data = parse(saved) as IRunExecutionData;
		const { resultData } = data;
		delete resultData.error;
		const runs = resultData.runData[resultData.lastNodeExecuted ?? ''];
		if (runs?.at(-1)?.error !== undefined) runs.pop();
		const workflow = this.workflowOf(spec ?? original);
		if (spec) {
			for (const entry of data.executionData?.nodeExecutionStack ?? []) {
				entry.node = workflow.getNode(entry.node.name) as INode;
			}
		}
		const engine = new WorkflowExecute(this.additionalData(spec ?? original), 'retry', data);
		return await this.finish(spec ?? original, engine.processRunExecutionData(workflow));
	}

	private async finish(
		workflow: WorkflowSpec,
		running: ReturnType<WorkflowExecute['run']>,
	): Promise<Execution> {
		this.calls = [];
		const { status, data } = await running;
		const { runData, error } = data.resultData;
		const inputOf = ({ source }: ITaskData): IDataObject[] => {
			const { previousNode = '', previousNodeRun = 0, previousNodeOutput = 0 } = source[0] ?? {};
			const output = runData[previousNode]?.[previousNodeRun]?.data?.main?.[previousNodeOutput];
			return (output ?? []).map(({ json }) => json);
		};
		const runs = (runData[NODE] ?? []).map((task): Run => {
			const [items, failed] = task.data?.main ?? [];
			return {
				input: inputOf(task),
				items: task.error ? undefined : (items ?? []),
				failed: failed ?? [],
				error: task.error as Failure | undefined,
			};
		});
		return {
			status,
			runs,
			error: error as Failure | undefined,
			calls: this.calls,
			saved: stringify(data),
			workflow,
		};
	}

	private counting(node: FormCollection): INodeType {
		const { execute } = node;
		const count = (run: number) => this.calls.push(run);
		return Object.assign(node, {
			async execute(this: IExecuteFunctions) {
				count(Number(this.evaluateExpression('{{ $runIndex }}', 0)));
				return await execute.call(this);
			},
		});
	}

	private workflowOf({ parameters, node, batches, rounds = 0 }: WorkflowSpec): Workflow {
		const main = (name: string) => [{ node: name, type: NodeConnectionTypes.Main, index: 0 }];
		const helper = (name: string, values: INodeParameters): INode => ({
			id: name,
			name,
			type: `model.${name}`,
			typeVersion: 1,
			position: [0, 0],
			parameters: values,
		});
		return new Workflow({
			id: 'workflow',
			name: 'Model',
			active: false,
			nodes: [
				helper('Start', {}),
				helper('Batches', { count: batches }),
				helper('Again', { count: rounds }),
				{
					...helper(NODE, structuredClone(parameters)),
					type: 'n8n-nodes-form-collection.formCollection',
					credentials: { formCollectionApi: { id: '1', name: 'Form Collection' } },
					...node,
				},
			],
			connections: {
				Start: { main: [main('Batches')] },
				Batches: { main: Array.from({ length: batches }, () => main(NODE)) },
				[NODE]: { main: [[], rounds > 0 ? main('Again') : []] },
				Again: { main: [main(NODE)] },
			},
			nodeTypes: this.nodeTypes,
			settings: { executionOrder: 'v1', timezone: 'Europe/Berlin' },
		});
	}

	private additionalData({ credentials }: WorkflowSpec): IWorkflowExecuteAdditionalData {
		const base = 'http://127.0.0.1:1/';
		const executionId = String(this.nextExecutionId++);
		const workflow = { id: 'workflow', name: 'Model' } as IWorkflowBase;
		return {
			executionId,
			credentialsHelper: new TestCredentials(credentials, undefined),
			hooks: new ExecutionLifecycleHooks('trigger', executionId, workflow),
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
	}
}

/** What the parameter `count` of this node is. */
const countOf = (context: IExecuteFunctions) => Number(context.getNodeParameter('count', 0));

const helpers: Record<string, Pick<INodeType, 'trigger' | 'execute'>> = {
	Start: { trigger: async () => ({}) },
	Batches: {
		async execute(this: IExecuteFunctions) {
			const items = this.getInputData();
			const size = Math.ceil(items.length / countOf(this));
			return Array.from({ length: countOf(this) }, (_, i) => items.slice(i * size, (i + 1) * size));
		},
	},
	Again: {
		async execute(this: IExecuteFunctions) {
			const round = Number(this.evaluateExpression('{{ $runIndex }}', 0));
			return [round >= countOf(this) ? [] : this.getInputData()];
		},
	},
};

const helperType = (name: string, code: (typeof helpers)[string]): INodeType => ({
	description: {
		displayName: name,
		name,
		group: [code.trigger ? 'trigger' : 'transform'],
		version: 1,
		description: name,
		defaults: { name },
		inputs: code.trigger ? [] : [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [{ displayName: 'Count', name: 'count', type: 'number', default: 1 }],
	},
	...code,
});

function nodeTypesOf(formCollection: INodeType): INodeTypes {
	const registry: Record<string, INodeType> = {
		'n8n-nodes-form-collection.formCollection': formCollection,
	};
	for (const [name, code] of Object.entries(helpers)) {
		registry[`model.${name}`] = helperType(name, code);
	}
	return {
		getByName: (type) => registry[type] as INodeType,
		getByNameAndVersion: (type, version) =>
			NodeHelpers.getVersionedNodeType(registry[type] as INodeType, version),
		getKnownTypes: () => ({}),
	};
}
