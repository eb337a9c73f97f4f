import { parse } from 'flatted';
import type { INodeTypeDescription } from 'n8n-workflow';
import { readFileSync } from 'node:fs';

import { N8nClient, type SavedCredential } from '../../../playground/n8nClient';
import { paths } from '../../../playground/paths';
import { until } from '../../../playground/run';
import older from '../../../playground/versions.json';
import { nodeType, using } from '../../../playground/workflows';

type Feature = 'publication status' | 'credential window that closes when saved' | 'settings menu';

/** Whether the n8n that runs here has what some older ones lack, as versions.json says. */
export function n8nHas(feature: Feature): boolean {
	const { version } = JSON.parse(readFileSync(paths.n8nManifest, 'utf8')) as { version: string };
	const lacks = older.find(({ n8n }) => n8n === version)?.lacks ?? [];
	return !lacks.some((lack) => lack.feature === feature);
}

interface ExecutionResult {
	/** What each node put out, by node name and run. */
	runData: Record<string, { data?: { main: ({ json: Record<string, unknown> }[] | null)[] } }[]>;
	error?: { message: string };
}

export interface Execution extends ExecutionResult {
	id: string;
	status: string;
}

interface ListedExecution {
	id: string;
	status: string;
	/** The execution that this one is a retry of */
	retryOf?: string | null;
}

/** What n8n's editor does with executions, fields and Agents, through the REST API. */
export class EditorClient extends N8nClient {
	/** Calls back with whatever n8n answers, refusals too. */
	onAnswer(callback: (route: string, body: unknown) => void): void {
		this.http.interceptors.response.use((answer) => {
			callback(String(answer.config.url), answer.data);
			return answer;
		});
	}

	async nodeTypes(): Promise<INodeTypeDescription[]> {
		return await this.send('GET', '/types/nodes.json');
	}

	/** Runs the credential's test with these values, as the credential window does. */
	async testCredential(
		{ id, name, type }: SavedCredential,
		data: Record<string, unknown>,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		const body = { credentials: { id, name, type, data } };
		return await this.request('POST', '/credentials/test', body);
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
	async runWorkflow(id: string, trigger: string): Promise<Execution> {
		return await this.waitForExecution(await this.startWorkflow(id, trigger));
	}

	/** Retries a failed execution, as its entry in the executions list does, and waits for the end. */
	async retryExecution(id: string, workflowId: string): Promise<Execution> {
		// n8n answers when the retry has ended, and it cannot put the output of every node into the answer.
		this.request('POST', `/executions/${id}/retry`, { loadWorkflow: false }).catch(() => undefined);
		const isRetry = ({ retryOf }: ListedExecution) => retryOf === id;
		const retry = await until(`a retry of execution ${id}`, async () =>
			(await this.listExecutions(workflowId)).find(isRetry),
		);
		return await this.waitForExecution(retry.id);
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
		// The format of flatted writes shared objects once. Of an execution that it was killed in, an older n8n may
		// have saved nothing: `[]`.
		const saved = parse(data) as { resultData: Partial<ExecutionResult> } | undefined;
		const { runData = {}, error } = saved?.resultData ?? {};
		return { id, status, runData, error };
	}

	async waitForExecution(id: string): Promise<Execution> {
		await until(`the end of execution ${id}`, async () => {
			const { status } = await this.request<{ status: string }>('GET', `/executions/${id}`);
			return !['new', 'running', 'waiting'].includes(status);
		});
		return await this.getExecution(id);
	}

	/** The choices of the node's form list. */
	async searchForms(
		credential: SavedCredential,
		parameters: object,
		filter?: string,
	): Promise<object[]> {
		const field = fieldOf('formId', 'searchForms', credential, parameters);
		const route = '/dynamic-node-parameters/resource-locator-results';
		const body = { ...field, filter };
		return (await this.request<{ results: object[] }>('POST', route, body)).results;
	}

	/** The questions that the node's mapping offers. */
	async getQuestions(credential: SavedCredential, parameters: object): Promise<{ id: string }[]> {
		const field = fieldOf('answersMapping', 'getQuestions', credential, parameters);
		const route = '/dynamic-node-parameters/resource-mapper-fields';
		return (await this.request<{ fields: { id: string }[] }>('POST', route, field)).fields;
	}

	/** Creates an Agent, as its editor saves it, and sends it a message; returns all that happened until it answered. */
	async askAgent(agent: { name: string }, message: string): Promise<{ type: string }[]> {
		const project = await this.request<{ id: string }>('GET', '/projects/personal');
		const route = `/projects/${project.id}/agents/v2`;
		const body = { name: agent.name, schema: agent };
		const { id } = await this.request<{ id: string }>('POST', route, body);
		const events = await this.send<string>('POST', `/rest${route}/${id}/chat`, { message });
		return [...events.matchAll(/^data: (.*)$/gm)].map(
			([, event]) => JSON.parse(event!) as { type: string },
		);
	}
}

/** What the editor sends when a field of the node asks the service for its choices. */
const fieldOf = (
	name: string,
	methodName: string,
	credential: SavedCredential,
	parameters: object,
) => ({
	path: `parameters.${name}`,
	methodName,
	nodeTypeAndVersion: { name: nodeType, version: 1 },
	currentNodeParameters: parameters,
	credentials: using(credential),
});
