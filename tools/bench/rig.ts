import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startN8n, type RunningN8n } from '../../playground/n8n';
import {
	N8nClient,
	type ListedExecution,
	type SavedCredential,
	type SavedWorkflow,
	type Workflow,
} from '../../playground/n8nClient';
import { newUserFolder } from '../../playground/packageUnderTest';
import { paths } from '../../playground/paths';
import { freePort } from '../../playground/ports';
import { lastLines } from '../../playground/run';
import { until } from '../../playground/until';
import { cpuMs, Inspector, peakBytes, type Share, startOfPeak } from './process';
import type { Answer, Order } from './sandboxProcess';

type Log = NonNullable<Answer['log']>;

/** What one run took. */
export interface Figures {
	requests: number;
	/** What the service has sent */
	bytes: number;
	wallMs: number;
	cpuMs: number;
	/** Above what n8n had in memory before */
	peakBytes: number;
}

/** How long a run may take that is not dead. */
const RUN_TIMEOUT = 300_000;

/** A new n8n with the packed package, and a sandbox in a process of its own. */
export class Rig {
	private n8n!: RunningN8n;

	private inspector!: Inspector;

	private ended?: string;

	/** Of the last run, while runs are profiled */
	private shares?: Share[];

	private client!: N8nClient;

	private waiting?: (answer: Answer) => void;

	credential!: SavedCredential;

	private constructor(
		private readonly userFolder: string,
		private readonly sandbox: ChildProcess,
		readonly service: Answer,
	) {}

	static async start(tarball: string): Promise<Rig> {
		const sandbox = fork(join(__dirname, 'sandboxProcess.ts'));
		await once(sandbox, 'message');
		sandbox.send({} satisfies Order);
		const [service] = (await once(sandbox, 'message')) as [Answer];
		const rig = new Rig(await newUserFolder(tarball), sandbox, service);
		sandbox.on('message', (answer: Answer) => rig.waiting?.(answer));
		await rig.startN8n();
		return rig;
	}

	get baseUrl(): string {
		return this.service.baseUrl;
	}

	async startN8n(): Promise<void> {
		const port = await freePort();
		this.ended = undefined;
		this.n8n = await startN8n({
			userFolder: this.userFolder,
			env: { N8N_CUSTOM_EXTENSIONS: join(__dirname, 'floorNode') },
			nodeArgs: [`--inspect=127.0.0.1:${port}`],
		});
		this.n8n.onUnexpectedEnd((sentence) => (this.ended = sentence));
		this.inspector = await Inspector.connect(port);
		this.client = new N8nClient(this.n8n.url);
		await this.client.signIn();
		const { baseUrl, apiKey } = this.service;
		this.credential = await this.client.createCredential('Sandbox', 'formCollectionApi', {
			baseUrl,
			apiKey,
		});
	}

	async stop(): Promise<void> {
		this.inspector?.close();
		await this.n8n?.stop();
		this.sandbox.disconnect();
		await rm(this.userFolder, { recursive: true, force: true });
	}

	/** Tells the sandbox's process what to do. */
	async order(order: Order): Promise<Answer> {
		return await new Promise((resolve) => {
			this.waiting = resolve;
			this.sandbox.send(order);
		});
	}

	async create(workflow: Workflow): Promise<SavedWorkflow> {
		return await this.client.createWorkflow(workflow);
	}

	/** Publishes a workflow that answers a POST to its webhook. */
	async publish(workflow: Workflow): Promise<SavedWorkflow> {
		const saved = await this.create(workflow);
		await this.client.activateWorkflow(saved);
		// n8n registers the webhook after its answer.
		await sleep(2_000);
		return saved;
	}

	/** Calls a published workflow. */
	async call({ name, nodes }: Workflow): Promise<unknown> {
		const path = String(nodes[0]?.parameters.path);
		const { status, body } = await this.client.callWebhook(path, {});
		if (status === 200) return body;
		const said = lastLines(await readFile(this.n8n.logFile, 'utf8'));
		throw new Error(`${name}: ${JSON.stringify(body)}\n\n${said}`);
	}

	/** After a node that computed for long, it takes its database for lost for a while. */
	private async untilItAnswers({ id }: SavedWorkflow): Promise<void> {
		await until('n8n answers', async () => await this.executionsOf(id));
	}

	async remove({ id }: SavedWorkflow): Promise<void> {
		await this.client.deleteWorkflow(id);
	}

	/** Measures a call of a published workflow, from outside. */
	async measureCall(workflow: SavedWorkflow): Promise<Figures> {
		await this.untilItAnswers(workflow);
		return await this.measure(async () => {
			const start = performance.now();
			await this.call(workflow);
			const wallMs = performance.now() - start;
			return () => wallMs;
		});
	}

	/** Measures a run of a workflow that is started by hand, as n8n notes it. */
	async measureRun(workflow: SavedWorkflow, trigger: string): Promise<Figures> {
		const { id, name } = workflow;
		await this.untilItAnswers(workflow);
		return await this.measure(async () => {
			const start = Date.now();
			const execution = await this.client.startWorkflow(id, trigger);
			for (;;) {
				// Each look costs n8n time.
				await sleep(500);
				const executions = await this.executionsOf(id);
				const { status, startedAt, stoppedAt } =
					executions?.find((one) => one.id === execution) ?? {};
				if (status === 'success') {
					const wallMs = Date.parse(stoppedAt ?? '') - Date.parse(startedAt ?? '');
					return () => wallMs;
				}
				if (status !== undefined && !['new', 'running'].includes(status))
					throw new Error(`${name} ended with ${status}`);
				if (Date.now() - start > RUN_TIMEOUT)
					throw new Error(`${name} takes longer than ${RUN_TIMEOUT} ms`);
			}
		});
	}

	/** Publishes a workflow that polls, and calls back while it does. */
	async whilePolling<T>(
		workflow: Workflow,
		work: (workflow: SavedWorkflow) => Promise<T>,
	): Promise<T> {
		const saved = await this.publish(workflow);
		await until('the first poll', async () => (await this.takeLog()).length > 0);
		// It saves what it has seen.
		await sleep(2_000);
		const result = await work(saved);
		await this.remove(saved);
		return result;
	}

	/** The next poll, with so many new responses. */
	async poll({ id }: SavedWorkflow, formId: string, count: number): Promise<Figures> {
		await until('time enough before the next poll', () =>
			[4, 5].includes(new Date().getSeconds() % 10),
		);
		await this.order({ add: { formId, count } });
		const before = (await this.executionsOf(id))?.length ?? 0;
		return await this.measure(async () => {
			const execution = await until('the poll starts an execution', async () => {
				const executions = (await this.executionsOf(id)) ?? [];
				return executions.length > before && executions[0];
			});
			return ([poll]) => Date.parse(execution.startedAt) - Date.parse(poll?.at ?? '');
		});
	}

	/** Starts n8n again if it has ended. @returns what it said last */
	async reasonOfFailure({ message }: Error): Promise<string> {
		await sleep(1_000);
		if (this.ended === undefined) return message;
		const text = await readFile(this.n8n.logFile, 'utf8');
		await this.n8n.stop();
		await this.startN8n();
		return /FATAL ERROR: .*|RangeError: .*|Cannot create a string .*/.exec(text)?.[0] ?? message;
	}

	/** @returns where n8n's time goes in this run */
	async profile(run: () => Promise<Figures>): Promise<Share[]> {
		this.shares = [];
		await run();
		const { shares } = this;
		this.shares = undefined;
		return shares;
	}

	/** The same work in a script without n8n. */
	async bareScript(work: object): Promise<Figures> {
		await this.takeLog();
		const { baseUrl, apiKey } = this.service;
		const script = fork(join(__dirname, 'bareScript.mjs'), { execPath: paths.node, execArgv: [] });
		script.send({ baseUrl, apiKey, ...work });
		const [figures] = (await once(script, 'message')) as [Figures];
		return { ...figures, ...sumOf(await this.takeLog()) };
	}

	async takeLog(): Promise<Log> {
		return (await this.order({ takeLog: true })).log ?? [];
	}

	/** @returns undefined while n8n answers nothing, because a node computes */
	private async executionsOf(workflowId: string): Promise<ListedExecution[] | undefined> {
		try {
			return await this.client.listExecutions(workflowId);
		} catch (error) {
			if (this.ended !== undefined) throw new Error(this.ended);
			// It also takes its database for lost when a ping was answered late.
			if (/timeout|ECONNRESET|answered 503/.test((error as Error).message)) return undefined;
			throw error;
		}
	}

	/** @param work gives the time that it took, by what the service has logged */
	private async measure(work: () => Promise<(log: Log) => number>): Promise<Figures> {
		const { pid } = this.n8n;
		await this.inspector.collectGarbage();
		// What it does after an execution, and the release of what was collected.
		await sleep(300);
		await this.inspector.collectGarbage();
		await this.takeLog();
		const idle = startOfPeak(pid);
		const cpuBefore = cpuMs(pid);
		if (this.shares) await this.inspector.startProfile();
		const wallMsBy = await work();
		if (this.shares) this.shares = await this.inspector.endProfile();
		const figures = { cpuMs: cpuMs(pid) - cpuBefore, peakBytes: peakBytes(pid) - idle };
		const log = await this.takeLog();
		return { wallMs: wallMsBy(log), ...figures, ...sumOf(log) };
	}
}

function sumOf(log: Log) {
	const bytes = log.reduce((sum, { sentBytes = 0 }) => sum + sentBytes, 0);
	return { requests: log.length, bytes };
}
