import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import type { SavedCredential, SavedWorkflow, Workflow } from '../../../playground/n8nClient';
import { n8nHas } from '../../../playground/n8nVersion';
import { newUserFolder } from '../../../playground/packageUnderTest';
import { paths } from '../../../playground/paths';
import { run } from '../../../playground/run';
import { until } from '../../../playground/until';
import { nodeType, using } from '../../../playground/workflows';
import { startSandbox, type SandboxOptions } from '../../../sandbox';
import { formRecord, responseRecord } from '../../support/formCollection';
import { RestartableBench } from './restartableBench';

// Some wait for several polls, which n8n may put off for minutes.
jest.setTimeout(600_000);

export interface Emitted {
	workflow: string;
	id: string;
}

interface PublicationStatus {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: { status: string; errorMessage?: string | null }[];
}

/** An n8n that polls forms of a sandbox, and a place where its workflows tell what they were started with. */
export class TriggerBench extends RestartableBench {
	readonly emitted: Emitted[] = [];

	private readonly listeners: ((emitted: Emitted) => void)[] = [];

	private readonly collector = createServer((request, response) => {
		let body = '';
		request.on('data', (part: Buffer) => (body += part.toString()));
		request.on('end', () => {
			const emitted = JSON.parse(body) as Emitted;
			this.emitted.push(emitted);
			response.end('{}');
			for (const listener of this.listeners.splice(0)) listener(emitted);
		});
	});

	static async start(
		tarball: string,
		env: Record<string, string>,
		forms: string[],
		more: SandboxOptions = {},
	) {
		const userFolder = await newUserFolder(tarball);
		const sandbox = await startSandbox({
			forms: forms.map((id) => formRecord(id)),
			responses: forms.flatMap((id) => [
				responseRecord(id, `${id} old 1`),
				responseRecord(id, `${id} old 2`),
			]),
			...more,
		});
		const bench = new TriggerBench(sandbox, userFolder, env);
		bench.collector.listen(0, '127.0.0.1');
		await once(bench.collector, 'listening');
		await bench.startN8n();
		return bench;
	}

	/** How often n8n says that it polled for this workflow. */
	async pollsOf({ id }: SavedWorkflow): Promise<number> {
		const polled = /Poll(ing)? trigger initiated|Poll returned|Poll failed at runtime/;
		return (await this.logs())
			.flatMap((log) => log.split('\n'))
			.filter((line) => polled.test(line) && line.includes(id)).length;
	}

	/** Changes n8n's database behind its back. */
	async sql(statement: string): Promise<void> {
		const script =
			'const [file, statement] = process.argv.slice(1);' +
			'const { DatabaseSync } = require("node:sqlite");' +
			'new DatabaseSync(file, { timeout: 10_000 }).exec(statement);';
		const file = join(this.userFolder, '.n8n', 'database.sqlite');
		await run(paths.node, ['-e', script, '--', file, statement]);
	}

	override async stop(): Promise<void> {
		this.collector.close();
		this.collector.closeAllConnections();
		await super.stop();
	}

	/** Trigger → a request that tells the ID of each response that came in. */
	async create(
		name: string,
		formId: string,
		credential: SavedCredential,
		options: object = {},
	): Promise<SavedWorkflow> {
		const { port } = this.collector.address() as AddressInfo;
		const workflow: Workflow = {
			name,
			nodes: [
				{
					id: randomUUID(),
					name: 'New response',
					type: `${nodeType}Trigger`,
					typeVersion: 1,
					position: [0, 0],
					parameters: {
						pollTimes: { item: [{ mode: 'everyMinute' }] },
						formId: { __rl: true, mode: 'id', value: formId },
						options,
					},
					credentials: using(credential),
				},
				{
					id: randomUUID(),
					name: 'Tell',
					type: 'n8n-nodes-base.httpRequest',
					typeVersion: 4.2,
					position: [220, 0],
					parameters: {
						method: 'POST',
						url: `http://127.0.0.1:${port}/`,
						sendBody: true,
						specifyBody: 'json',
						jsonBody: '={{ JSON.stringify({ workflow: $workflow.name, id: $json.id }) }}',
						options: {},
					},
				},
			],
			connections: { 'New response': { main: [[{ node: 'Tell', type: 'main', index: 0 }]] } },
		};
		return await this.client.createWorkflow(workflow);
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
			const publication = await this.client.request<PublicationStatus>(
				'GET',
				`/workflows/${id}/publication-status`,
			);
			return is(publication) && publication;
		});
	}

	/** Saves the workflow with its trigger changed. */
	async change(workflow: SavedWorkflow, change: (trigger: Workflow['nodes'][0]) => void) {
		const { id } = workflow;
		const { nodes, connections } = structuredClone(workflow);
		change(nodes[0] as Workflow['nodes'][0]);
		const { versionId } = await this.client.request<SavedWorkflow>('GET', `/workflows/${id}`);
		return await this.client.request<SavedWorkflow>('PATCH', `/workflows/${id}`, {
			nodes,
			connections,
			versionId,
		});
	}

	/** Someone fills in the form. */
	submit(formId: string, ...ids: string[]): void {
		const created_at = new Date().toISOString();
		for (const id of ids) this.sandbox.responses.push(responseRecord(formId, id, { created_at }));
	}

	idsFrom(workflow: string): string[] {
		return this.emitted.filter((one) => one.workflow === workflow).map(({ id }) => id);
	}

	/** Resolves at the moment at which the next workflow tells what it was started with. */
	async nextEmitted(): Promise<Emitted> {
		return await new Promise((resolve) => this.listeners.push(resolve));
	}

	requestsFor(formId: string) {
		return this.sandbox.log.filter((request) => request.formId === formId);
	}
}
