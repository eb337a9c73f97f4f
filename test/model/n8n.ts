import { ExecutionLifecycleHooks, getAdditionalKeys, WorkflowExecute } from 'n8n-core';
import { parse, stringify } from 'flatted';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	IDataObject,
	IExecuteData,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRun,
	IRunExecutionData,
	ITaskData,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { ICredentialsHelper, NodeConnectionTypes, NodeHelpers, Workflow } from 'n8n-workflow';
import { FormCollectionApi } from '../../credentials/FormCollectionApi.credentials';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';

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

/** Resolves the expressions of a credential for the item, and authenticates as its class says. */
class Credentials extends ICredentialsHelper {
	constructor(
		private readonly data: ICredentialDataDecryptedObject,
		private readonly additionalData: () => IWorkflowExecuteAdditionalData,
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
		throw new Error('Not part of the model');
	}

	getDecrypted = async (
		_additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		_type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		resolve?: ICredentialsExpressionResolveValues,
	) => {
		if (!resolve) return { ...this.data };
		const shown = NodeHelpers.getNodeParameters(
			this.getCredentialsProperties(),
			this.data as INodeParameters,
			true,
			false,
			null,
			null,
		) as INodeParameters;
		return resolve.workflow.expression.getParameterValue(
			shown,
			resolve.runExecutionData,
			resolve.runIndex,
			resolve.itemIndex,
			resolve.node.name,
			resolve.connectionInputData,
			mode,
			getAdditionalKeys(this.additionalData(), mode, null),
			executeData,
			false,
			shown,
		) as ICredentialDataDecryptedObject;
	};

	updateCredentials = async () => undefined;

	updateCredentialsOauthTokenData = async () => undefined;

	getCredentialsProperties = () => new FormCollectionApi().properties;
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
		const common = { typeVersion: 1, position: [0, 0] as [number, number] };
		return new Workflow({
			id: 'workflow',
			name: 'Model',
			active: false,
			nodes: [
				{ ...common, id: 'start', name: 'Start', type: 'model.start', parameters: {} },
				{
					...common,
					id: 'batches',
					name: 'Batches',
					type: 'model.batches',
					parameters: { batches },
				},
				{
					...common,
					id: 'node',
					name: NODE,
					type: 'n8n-nodes-form-collection.formCollection',
					parameters: structuredClone(parameters),
					credentials: { formCollectionApi: { id: '1', name: 'Form Collection' } },
					...node,
				},
				{ ...common, id: 'again', name: 'Again', type: 'model.again', parameters: { rounds } },
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

	private additionalData({
		credentials,
	}: Pick<WorkflowSpec, 'credentials'>): IWorkflowExecuteAdditionalData {
		const base = 'http://127.0.0.1:1/';
		const executionId = String(this.nextExecutionId++);
		const additionalData = {
			executionId,
			credentialsHelper: new Credentials(credentials, () => additionalData),
			hooks: new ExecutionLifecycleHooks('trigger', executionId, {
				id: 'workflow',
				name: 'Model',
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
		return additionalData;
	}
}

const description = (name: string, outputs: INodeType['description']['outputs']) => ({
	displayName: name,
	name,
	group: ['transform' as const],
	version: 1,
	description: name,
	defaults: { name },
	inputs: [NodeConnectionTypes.Main],
	outputs,
	properties: [],
});

function nodeTypesOf(formCollection: INodeType): INodeTypes {
	const start: INodeType = {
		description: {
			...description('Start', [NodeConnectionTypes.Main]),
			group: ['trigger'],
			inputs: [],
		},
		trigger: async () => ({}),
	};
	const batches: INodeType = {
		description: {
			...description('Batches', [NodeConnectionTypes.Main]),
			properties: [{ displayName: 'Batches', name: 'batches', type: 'number', default: 1 }],
		},
		async execute(this: IExecuteFunctions) {
			const items = this.getInputData();
			const count = Number(this.getNodeParameter('batches', 0));
			const size = Math.ceil(items.length / count);
			return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
		},
	};
	const again: INodeType = {
		description: {
			...description('Again', [NodeConnectionTypes.Main]),
			properties: [{ displayName: 'Rounds', name: 'rounds', type: 'number', default: 0 }],
		},
		async execute(this: IExecuteFunctions) {
			const round = Number(this.evaluateExpression('{{ $runIndex }}', 0));
			const isLast = round >= Number(this.getNodeParameter('rounds', 0));
			return [isLast ? [] : this.getInputData()];
		},
	};
	const registry: Record<string, INodeType> = {
		'model.again': again,
		'model.start': start,
		'model.batches': batches,
		'n8n-nodes-form-collection.formCollection': formCollection,
	};
	return {
		getByName: (type) => registry[type] as INodeType,
		getByNameAndVersion: (type, version) =>
			NodeHelpers.getVersionedNodeType(registry[type] as INodeType, version),
		getKnownTypes: () => ({}),
	};
}
