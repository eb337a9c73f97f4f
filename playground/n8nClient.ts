import axios, { type AxiosInstance } from 'axios';

import { until } from './run';

export const owner = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'User',
	// For this machine only: n8n listens on the loopback interface. n8n asks for a capital and a digit.
	password: 'Playground1',
};

export interface WorkflowNode {
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string | null; name: string }>;
	[setting: string]: unknown;
}

export interface Workflow {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

export interface WorkflowReference {
	id: string;
	name: string;
}

export interface SavedWorkflow extends Workflow, WorkflowReference {
	versionId: string;
}

export interface SavedCredential {
	id: string;
	name: string;
	type: string;
}

/** n8n's own REST API, as its editor uses it. */
export class N8nClient {
	protected readonly http: AxiosInstance;

	private cookie?: string;

	constructor(baseURL: string) {
		const validateStatus = () => true;
		this.http = axios.create({ baseURL, proxy: false, timeout: 120_000, validateStatus });
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

	/** Posts to a production webhook; n8n registers it up to a second after activation. */
	async callWebhook<T = unknown>(
		path: string,
		body: unknown,
	): Promise<{ status: number; body: T }> {
		return await until(`an answer of the webhook ${path}`, async () => {
			const { status, data } = await this.http.post<T>(`/webhook/${path}`, body);
			const isRegistered = status !== 404 || !JSON.stringify(data).includes('not registered');
			return isRegistered && { status, body: data };
		});
	}

	/** Any route of the REST API; returns the `data` member of the answer. */
	async request<T>(method: string, route: string, body?: unknown): Promise<T> {
		return (await this.send<{ data: T }>(method, `/rest${route}`, body)).data;
	}

	protected async send<T>(method: string, route: string, body?: unknown): Promise<T> {
		const answer = await this.http.request<T & { message?: string }>({
			method,
			url: route,
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
