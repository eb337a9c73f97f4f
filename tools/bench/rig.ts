import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newUserFolder } from '../../playground/install';
import { startN8n, type RunningN8n } from '../../playground/n8n';
import { N8nClient, type SavedCredential, type Workflow } from '../../playground/n8nClient';
import { lastLines } from '../../playground/run';
import type { Told } from './service';

/** What one run took. */
export interface Figures {
	wallMs: number;
	cpuMs: number;
	/** Above what n8n had in memory before */
	peakBytes: number;
	requests: number;
	/** What the service has sent */
	bytes: number;
}

/** The kernel counts the time of a process in these: 100 a second on every Linux. */
const TICK_MS = 10;

function cpuMs(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function memory(pid: number, name: 'VmRSS' | 'VmHWM'): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

/** A new n8n with a packed package and the floor node. */
export class Rig {
	private constructor(
		private readonly userFolder: string,
		private readonly n8n: RunningN8n,
		private readonly client: N8nClient,
		readonly credential: SavedCredential,
		private readonly ask: () => Promise<Told>,
	) {}

	static async start(tarball: string, ask: () => Promise<Told>): Promise<Rig> {
		const userFolder = await newUserFolder(tarball);
		const n8n = await startN8n({
			userFolder,
			env: { N8N_CUSTOM_EXTENSIONS: join(__dirname, 'floorNode') },
			nodeArgs: ['--expose-gc', '--require', join(__dirname, 'collectGarbage.cjs')],
		});
		const client = new N8nClient(n8n.url);
		await client.signIn();
		const { baseUrl } = await ask();
		const data = { baseUrl, apiKey: 'bench-key' };
		const credential = await client.createCredential('Bench', 'formCollectionApi', data);
		return new Rig(userFolder, n8n, client, credential, ask);
	}

	async stop(): Promise<void> {
		await this.n8n.stop();
		await rm(this.userFolder, { recursive: true, force: true });
	}

	/** @returns what calls the webhook of the workflow */
	async publish(workflow: Workflow): Promise<() => Promise<unknown>> {
		await this.client.activateWorkflow(await this.client.createWorkflow(workflow));
		return async () => {
			const path = String(workflow.nodes[0]?.parameters.path);
			const { status, body } = await this.client.callWebhook(path, {});
			if (status === 200) return body;
			const said = lastLines(await readFile(this.n8n.logFile, 'utf8'));
			throw new Error(`${workflow.name}: ${JSON.stringify(body)}\n\n${said}`);
		};
	}

	async measure(call: () => Promise<unknown>): Promise<Figures> {
		const { pid } = this.n8n;
		process.kill(pid, 'SIGUSR2');
		// What n8n does after an execution, and the release of what was collected
		await sleep(1_000);
		await this.ask();
		writeFileSync(`/proc/${pid}/clear_refs`, '5');
		const [idleBytes, idleCpuMs, start] = [memory(pid, 'VmRSS'), cpuMs(pid), performance.now()];
		await call();
		const wallMs = performance.now() - start;
		const peakBytes = memory(pid, 'VmHWM') - idleBytes;
		const { requests, bytes } = await this.ask();
		return { wallMs, cpuMs: cpuMs(pid) - idleCpuMs, peakBytes, requests, bytes };
	}
}
