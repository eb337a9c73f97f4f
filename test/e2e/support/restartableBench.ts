import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { startN8n, type RunningN8n } from '../../../playground/n8n';
import { N8nClient, type SavedCredential } from '../../../playground/n8nClient';
import type { Sandbox } from '../../../sandbox';

/** An n8n that can be stopped, killed and started again, beside a sandbox that goes on. */
export class RestartableBench {
	private starts = 0;

	private n8n!: RunningN8n;

	client!: N8nClient;

	constructor(
		readonly sandbox: Sandbox,
		readonly userFolder: string,
		readonly env: Record<string, string> = {},
	) {}

	async startN8n(): Promise<void> {
		this.n8n = await startN8n({
			userFolder: this.userFolder,
			logFile: this.logFile(++this.starts),
			env: { N8N_LOG_LEVEL: 'debug', ...this.env },
		});
		this.client = new N8nClient(this.n8n.url);
		await this.client.signIn();
	}

	get url(): string {
		return this.n8n.url;
	}

	private logFile = (start: number) => join(this.userFolder, `n8n-${start}.log`);

	/** What n8n has logged, by start. */
	async logs(): Promise<string[]> {
		return await Promise.all(
			Array.from({ length: this.starts }, async (_, start) =>
				readFile(this.logFile(start + 1), 'utf8'),
			),
		);
	}

	stopN8n = async () => await this.n8n.stop();

	killN8n = async () => await this.n8n.kill('SIGKILL');

	async stop(): Promise<void> {
		// Missing if it never started.
		await this.n8n?.stop();
		await this.sandbox.stop();
		await rm(this.userFolder, { recursive: true, force: true });
	}

	async credential(name: string, apiKey = this.sandbox.apiKey): Promise<SavedCredential> {
		const { baseUrl } = this.sandbox;
		return await this.client.createCredential(name, 'formCollectionApi', { baseUrl, apiKey });
	}
}
