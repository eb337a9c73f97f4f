import axios, { type AxiosInstance } from 'axios';
import type { INodeTypeDescription } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { parseExecutionData, type ExecutionError, type RunData } from './executionData';
import { until } from './until';

export const owner = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'User',
	// For this machine only: n8n listens on the loopback interface. n8n asks for a capital and a digit.
	password: 'Playground1',
};

const ANSWER_TIMEOUT = 120_000;

export interface WorkflowNode {
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	id?: string;
	webhookId?: string;
	credentials?: Record<string, { id: string | null; name: string }>;
	[setting: string]: unknown;
}

export interface Workflow {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	pinData?: Record<string, unknown>;
	meta?: Record<string, unknown>;
}

export interface WorkflowReference {
	id: string;
	name: string;
}

export interface SavedWorkflow extends Workflow, WorkflowReference {
	versionId: string;
	active: boolean;
}

export interface SavedCredential {
	id: string;
	name: string;
	type: string;
}

export interface Execution {
	id: string;
	status: string;
	/** What each node put out, by node name and run. */
	runData: RunData;
	error?: ExecutionError;
}

export interface ListedExecution {
	id: string;
	status: string;
	startedAt: string;
	/** When the last node was done; n8n shows the execution as ended once it is saved. */
	stoppedAt?: string;
	/** The execution that this one is a retry of */
	retryOf?: string | null;
}

/** What the editor sends when a node's field asks the service for its choices. */
export interface FieldRequest {
	nodeType: string;
	typeVersion: number;
	/** Where the field sits, e.g. `parameters.formId`. */
	path: string;
	method: string;
	parameters: Record<string, unknown>;
	credential?: SavedCredential;
}

export interface ListChoice {
	name: string;
	value: string;
	url?: string;
	description?: string;
}

/** One of n8n's own Agents, as their editor saves it. */
export interface Agent {
	name: string;
	/** Of which vendor, and its ID, e.g. `openai/gpt-5` */
	model: string;
	/** The ID of the model's credential */
	credential: string;
	instructions: string;
	tools: unknown[];
}

/** What n8n tells while an Agent answers. */
export interface AgentEvent {
	type: string;
	[property: string]: unknown;
}

function fieldBody(field: FieldRequest): Record<string, unknown> {
	const { credential } = field;
	return {
		path: field.path,
		methodName: field.method,
		nodeTypeAndVersion: { name: field.nodeType, version: field.typeVersion },
		currentNodeParameters: field.parameters,
		credentials: credential && { [credential.type]: { id: credential.id, name: credential.name } },
	};
}

/** n8n's own REST API, as its editor uses it. */
export class N8nClient {
	private readonly http: AxiosInstance;

	private cookie?: string;

	constructor(private readonly url: string) {
		this.http = axios.create({ proxy: false, timeout: ANSWER_TIMEOUT, validateStatus: () => true });
	}

	/** Calls back with whatever n8n answers, refusals too. */
	onAnswer(callback: (route: string, body: unknown) => void): void {
		this.http.interceptors.response.use((answer) => {
			callback(String(answer.config.url).slice(this.url.length), answer.data);
			return answer;
		});
	}

	/** Creates the owner's account at the first start, signs in at later ones. */
	async signIn(): Promise<void> {
		const { userManagement } = await this.request<{
			userManagement: { showSetupOnFirstLoad: boolean };
		}>('GET', '/settings');
		const { email, password } = owner;
		await (userManagement.showSetupOnFirstLoad
			? this.request('POST', '/owner/setup', owner)
			: this.request('POST', '/login', { emailOrLdapLoginId: email, password }));
	}

	async nodeTypes(): Promise<INodeTypeDescription[]> {
		const { data } = await this.http.get<INodeTypeDescription[]>(`${this.url}/types/nodes.json`, {
			headers: { Cookie: this.cookie },
		});
		return data;
	}

	async nodeTypeNames(): Promise<string[]> {
		return [...new Set((await this.nodeTypes()).map(({ name }) => name))];
	}

	async listCredentials(): Promise<SavedCredential[]> {
		return await this.request('GET', '/credentials');
	}

	async createCredential(
		name: string,
		type: string,
		data: Record<string, unknown>,
	): Promise<SavedCredential> {
		return await this.request('POST', '/credentials', { name, type, data });
	}

	async updateCredential(
		{ id, name, type }: SavedCredential,
		data: Record<string, unknown>,
	): Promise<SavedCredential> {
		return await this.request('PATCH', `/credentials/${id}`, { name, type, data });
	}

	/** Runs the credential's test with these values, as the credential window does. */
	async testCredential(
		{ id, name, type }: SavedCredential,
		data: Record<string, unknown>,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		const body = { credentials: { id, name, type, data } };
		return await this.request('POST', '/credentials/test', body);
	}

	async listWorkflows(): Promise<WorkflowReference[]> {
		return await this.request('GET', '/workflows');
	}

	async createWorkflow(workflow: Workflow): Promise<SavedWorkflow> {
		const body = { active: false, settings: {}, pinData: {}, ...workflow };
		return await this.request('POST', '/workflows', body);
	}

	async activateWorkflow({ id, versionId }: { id: string; versionId: string }): Promise<void> {
		await this.request('POST', `/workflows/${id}/activate`, { versionId });
	}

	/** Starts a saved workflow at its trigger, as the editor's button does; returns the execution's ID. */
	async startWorkflow(id: string, trigger: string): Promise<string> {
		// Older versions do not read it from their database.
		const workflowData = await this.request('GET', `/workflows/${id}`);
		const body = { triggerToStartFrom: { name: trigger }, workflowData };
		const route = `/workflows/${id}/run`;
		return (await this.request<{ executionId: string }>('POST', route, body)).executionId;
	}

	/** Starts a saved workflow and waits for the end. */
	async runWorkflow(id: string, trigger: string, timeout?: number): Promise<Execution> {
		return await this.waitForExecution(await this.startWorkflow(id, trigger), timeout);
	}

	/** Retries a failed execution, as its entry in the executions list does, and waits for the end. */
	async retryExecution(
		id: string,
		{ workflowId, loadWorkflow = false }: { workflowId: string; loadWorkflow?: boolean },
		timeout?: number,
	): Promise<Execution> {
		// n8n answers when the retry has ended, and it cannot put the output of every node into the answer.
		this.request('POST', `/executions/${id}/retry`, { loadWorkflow }).catch(() => undefined);
		const isRetry = ({ retryOf }: ListedExecution) => retryOf === id;
		const look = async () => (await this.listExecutions(workflowId)).find(isRetry);
		const retry = await until(`a retry of execution ${id}`, look, ANSWER_TIMEOUT);
		return await this.waitForExecution(retry.id, timeout);
	}

	/** Ends a running execution, as the Stop button does. */
	async stopExecution(id: string): Promise<void> {
		await this.request('POST', `/executions/${id}/stop`);
	}

	async listExecutions(workflowId: string): Promise<ListedExecution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const route = `/executions?filter=${filter}`;
		return (await this.request<{ results: ListedExecution[] }>('GET', route)).results;
	}

	async getExecution(id: string): Promise<Execution> {
		const route = `/executions/${id}`;
		const { status, data } = await this.request<{ status: string; data: string }>('GET', route);
		const { runData, error } = parseExecutionData(data);
		return { id, status, runData, error };
	}

	async waitForExecution(id: string, timeout = ANSWER_TIMEOUT): Promise<Execution> {
		const start = Date.now();
		for (;;) {
			const { status } = await this.request<{ status: string }>('GET', `/executions/${id}`);
			if (!['new', 'running', 'waiting'].includes(status)) return await this.getExecution(id);
			if (Date.now() - start > timeout) throw new Error(`Execution ${id} is still ${status}`);
			await sleep(200);
		}
	}

	/** The choices of a searchable list, e.g. the forms. */
	async listSearch(field: FieldRequest, filter?: string): Promise<ListChoice[]> {
		const route = '/dynamic-node-parameters/resource-locator-results';
		const body = { ...fieldBody(field), filter };
		return (await this.request<{ results: ListChoice[] }>('POST', route, body)).results;
	}

	/** The columns that a mapping offers. */
	async mappingColumns(field: FieldRequest): Promise<{
		fields: { id: string; displayName: string; [property: string]: unknown }[];
		emptyFieldsNotice?: string;
	}> {
		const route = '/dynamic-node-parameters/resource-mapper-fields';
		return await this.request('POST', route, fieldBody(field));
	}

	/** Posts to a production webhook; n8n registers it up to a second after activation. */
	async callWebhook<T = unknown>(
		path: string,
		body: unknown,
	): Promise<{ status: number; body: T }> {
		const start = Date.now();
		for (;;) {
			const { status, data } = await this.http.post<T>(`${this.url}/webhook/${path}`, body);
			const isUnregistered = status === 404 && JSON.stringify(data).includes('not registered');
			if (!isUnregistered || Date.now() - start > ANSWER_TIMEOUT) return { status, body: data };
			await sleep(100);
		}
	}

	/** Creates an Agent and sends it a message; returns all that happened until it had answered. */
	async askAgent(agent: Agent, message: string): Promise<AgentEvent[]> {
		const project = await this.request<{ id: string }>('GET', '/projects/personal');
		const route = `/projects/${project.id}/agents/v2`;
		const body = { name: agent.name, schema: agent };
		const { id } = await this.request<{ id: string }>('POST', route, body);
		const events = await this.send<string>('POST', `${route}/${id}/chat`, { message });
		return [...events.matchAll(/^data: (.*)$/gm)].map(
			([, event]) => JSON.parse(event!) as AgentEvent,
		);
	}

	/** Any route of the REST API; returns the `data` member of the answer. */
	async request<T>(method: string, route: string, body?: unknown): Promise<T> {
		return (await this.send<{ data: T }>(method, route, body)).data;
	}

	private async send<T>(method: string, route: string, body?: unknown): Promise<T> {
		const answer = await this.http.request<T & { message?: string }>({
			method,
			url: `${this.url}/rest${route}`,
			data: body,
			headers: { Cookie: this.cookie },
		});
		if (answer.status >= 400) {
			const words = answer.data?.message ?? JSON.stringify(answer.data);
			throw new Error(`n8n answered ${answer.status} to ${method} ${route}: ${words}`);
		}
		const [cookie] = answer.headers['set-cookie'] ?? [];
		if (cookie) this.cookie = cookie.split(';')[0];
		return answer.data;
	}
}
