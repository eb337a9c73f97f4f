import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';

import { newUserFolder, packPackage } from '../../../playground/install';
import { startN8n, type RunningN8n } from '../../../playground/n8n';
import type {
	SavedCredential,
	SavedWorkflow,
	Workflow,
	WorkflowNode,
} from '../../../playground/n8nClient';
import { until } from '../../../playground/run';
import { node, nodeType, rowOf, runsOn, splitOut, using } from '../../../playground/workflows';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';
import { byId, formRecord, responseRecord } from '../../support/formCollection';
import { EditorClient, n8nHas, type Execution } from './n8n';

/** The name of the Form Collection node in the workflows of these tests. */
export const NODE = 'Form Collection';

/** A form to which each workflow with a trigger submits what it was started with. */
const STARTED = 'started';

interface PublicationStatus {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: { status: string; errorMessage?: string | null }[];
}

/** Forms to poll, each with two responses that are there before any workflow is published. */
export const polledForms = (ids: string[]): SandboxOptions => ({
	forms: [...ids, STARTED].map((id) => formRecord(id)),
	responses: ids.flatMap((id) => [
		responseRecord(id, `${id} old 1`),
		responseRecord(id, `${id} old 2`),
	]),
});

/** What the last run of a node has put out. */
export const outputOf = ({ runData }: Execution, name = NODE) =>
	(runData[name]?.at(-1)?.data?.main[0] ?? []).map(({ json }) => json);

/** Items to import. The dot makes each name one that is part of no other. */
export const rows = (count: number, prefix = 'row') =>
	Array.from({ length: count }, (_, i) => ({ row: `${prefix} ${i}.` }));

export const namesOf = (items: { row: string }[]) => items.map(({ row }) => row);

/** Parameters of Create Response that submit the field `row` of each item. */
export const importInto = (form: string, options: object = {}) => ({
	operation: 'createResponse',
	formId: byId(form),
	answersInput: 'json',
	answersJson: '={{ { row: $json.row } }}',
	options,
});

/**
 * An n8n that nobody used before, with the package as it would be published, and a sandbox that goes on when n8n
 * is stopped or killed and started again.
 */
export class Bench {
	private n8n?: RunningN8n;

	client!: EditorClient;

	sandbox!: Sandbox;

	userFolder!: string;

	/** Of the sandbox */
	credential!: SavedCredential;

	constructor(
		private readonly sandboxOptions: SandboxOptions = {},
		private readonly env: Record<string, string> = {},
	) {}

	async start(): Promise<void> {
		this.userFolder = await newUserFolder(await packPackage());
		this.sandbox = await startSandbox(this.sandboxOptions);
		await this.startN8n();
		this.credential = await this.createCredential('Sandbox');
	}

	async startN8n(): Promise<void> {
		this.n8n = await startN8n({ userFolder: this.userFolder, env: this.env });
		this.client = new EditorClient(this.n8n.url);
		await this.client.signIn();
	}

	get url(): string {
		return this.n8n!.url;
	}

	stopN8n = async () => await this.n8n?.stop();

	killN8n = async () => await this.n8n?.kill();

	/** Also what a start that failed has left: a sandbox that nobody stops would keep the tests from ending. */
	async stop(): Promise<void> {
		await this.stopN8n();
		await this.sandbox?.stop();
		if (this.userFolder) await rm(this.userFolder, { recursive: true, force: true });
	}

	async createCredential(name: string, apiKey = this.sandbox.apiKey): Promise<SavedCredential> {
		const { baseUrl, url: embedUrl } = this.sandbox;
		const data = { baseUrl, apiKey, embedUrl };
		return await this.client.createCredential(name, 'formCollectionApi', data);
	}

	/** Creates the workflow and publishes it. */
	async publish(workflow: Workflow): Promise<SavedWorkflow> {
		const saved = await this.client.createWorkflow(workflow);
		await this.client.activateWorkflow(saved);
		return saved;
	}

	/**
	 * Publishes a workflow that answers a POST to its webhook with what the Form Collection node puts out. The
	 * node gets one item for each entry of `items` in the posted body.
	 */
	async publishWebhook(path: string, parameters: object, credential = this.credential) {
		const response = { responseMode: 'lastNode', responseData: 'allEntries' };
		return await this.publish(
			rowOf(path, [
				node('Webhook', 'webhook', 2, {
					webhookId: path,
					parameters: { path, httpMethod: 'POST', ...response },
				}),
				splitOut('body.items'),
				node(NODE, nodeType, 1, { parameters, credentials: using(credential) }),
			]),
		);
	}

	/** Saves a workflow that is started by hand and runs the node with these items. */
	async createRun(items: object[], parameters: Record<string, unknown>, settings: object = {}) {
		const formCollection = { parameters, credentials: using(this.credential), ...settings };
		return await this.client.createWorkflow(runsOn(items, NODE, formCollection));
	}

	/** The answers to the question `row` in the form, sorted */
	storedRows = (form: string) =>
		this.responsesTo(form)
			.filter(({ answers }) => answers['row'] !== undefined)
			.map(({ answers }) => String(answers['row']))
			.sort();

	/** The rows that the items of Create Response stand for, in the order of the items. */
	repliedRows = (form: string, replies: object[]) =>
		(replies as { response_id?: string }[]).map(
			({ response_id }) =>
				this.responsesTo(form).find(({ id }) => id === response_id)?.answers['row'],
		);

	responsesTo = (form: string) => this.sandbox.responses.filter(({ form_id }) => form_id === form);

	routes = () => this.sandbox.log.map(({ route }) => route);

	requestsFor = (form: string) => this.sandbox.log.filter(({ formId }) => formId === form);

	/** Saves a workflow with a trigger: what comes in is submitted to another form. */
	async createTrigger(
		name: string,
		formId: string,
		{
			options = {},
			credential = this.credential,
		}: { options?: object; credential?: SavedCredential } = {},
	): Promise<SavedWorkflow> {
		const pollTimes = { item: [{ mode: 'everyMinute' }] };
		const trigger = node('New response', `${nodeType}Trigger`, 1, {
			id: randomUUID(),
			parameters: { pollTimes, formId: byId(formId), options },
			credentials: using(credential),
		});
		const tell = node('Tell', nodeType, 1, {
			id: randomUUID(),
			parameters: {
				...importInto(STARTED, { parallelRequests: 1 }),
				answersJson: '={{ { workflow: $workflow.name, id: $json.id } }}',
			},
			credentials: using(this.credential),
		});
		return await this.client.createWorkflow(rowOf(name, [trigger, tell]));
	}

	/** The responses that the workflow was started with. */
	idsFrom = (workflow: string) =>
		this.responsesTo(STARTED)
			.filter(({ answers }) => answers['workflow'] === workflow)
			.map(({ answers }) => String(answers['id']));

	/** Waits until the workflow was started with these responses, and perhaps with others. */
	async started(workflow: string, ...ids: string[]): Promise<void> {
		await until(`${workflow} is started with ${ids.join()}`, () =>
			ids.every((id) => this.idsFrom(workflow).includes(id)),
		);
	}

	/** Someone fills in the form. */
	submit(formId: string, ...ids: string[]): void {
		const created_at = new Date().toISOString();
		for (const id of ids) this.sandbox.responses.push(responseRecord(formId, id, { created_at }));
	}

	/** Publishes the workflow; rejects with what n8n says if its trigger cannot run. */
	async activate(workflow: SavedWorkflow): Promise<void> {
		await this.client.activateWorkflow(workflow);
		const isDecided = ({ status }: PublicationStatus) =>
			!['in_progress', 'not_published'].includes(status);
		const publication = await this.publication(workflow, isDecided);
		if (publication && publication.status !== 'published') {
			throw new Error(publication.triggers.map(({ errorMessage }) => errorMessage).join());
		}
	}

	async deactivate(workflow: SavedWorkflow): Promise<void> {
		await this.client.request('POST', `/workflows/${workflow.id}/deactivate`, {});
		await this.publication(workflow, ({ status }) => status === 'not_published');
	}

	/** Waits for this state; undefined from an n8n that answers only when it is done. */
	private async publication(
		{ id, name }: SavedWorkflow,
		is: (publication: PublicationStatus) => boolean,
	): Promise<PublicationStatus | undefined> {
		if (!n8nHas('publication status')) return undefined;
		return await until(`the publication of ${name}`, async () => {
			const route = `/workflows/${id}/publication-status`;
			const publication = await this.client.request<PublicationStatus>('GET', route);
			return is(publication) && publication;
		});
	}

	/** Saves the workflow with its trigger changed. */
	async change(workflow: SavedWorkflow, change: (trigger: WorkflowNode) => void) {
		const { id } = workflow;
		const { nodes, connections } = structuredClone(workflow);
		change(nodes[0]!);
		const { versionId } = await this.client.request<SavedWorkflow>('GET', `/workflows/${id}`);
		const body = { nodes, connections, versionId };
		return await this.client.request<SavedWorkflow>('PATCH', `/workflows/${id}`, body);
	}
}
