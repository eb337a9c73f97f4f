import { mkdir } from 'node:fs/promises';

import { startSandbox, type Sandbox } from '../sandbox';
import { importExamples } from './examples';
import { startN8n, type RunningN8n } from './n8n';
import { N8nClient, type SavedCredential, type WorkflowReference } from './n8nClient';
import { installPackage, packPackage } from './packageUnderTest';
import { freePort } from './ports';
import { step, type Log } from './run';

const credentialType = 'formCollectionApi';
export const credentialName = 'Sandbox';

export interface PlaygroundOptions {
	userFolder: string;
	/** If it is free, else one of the next; any where it is missing */
	n8nPort?: number;
	sandboxPort?: number;
	logFile?: string;
	/** For n8n */
	env?: Record<string, string>;
	log?: Log;
}

export interface Playground {
	n8n: RunningN8n;
	sandbox: Sandbox;
	client: N8nClient;
	/** A credential that holds the sandbox's address and key. */
	credential: SavedCredential;
	/** The workflows of `examples/`, as they are in n8n. */
	examples: WorkflowReference[];
	stop(): Promise<void>;
}

async function ensureCredential(client: N8nClient, sandbox: Sandbox): Promise<SavedCredential> {
	const data = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, embedUrl: sandbox.url };
	const saved = (await client.listCredentials()).find(
		({ name, type }) => name === credentialName && type === credentialType,
	);
	return saved
		? await client.updateCredential(saved, data)
		: await client.createCredential(credentialName, credentialType, data);
}

/** A sandbox and an n8n that has this package, an owner, a credential and the examples. */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
	const log = options.log ?? (() => undefined);
	await mkdir(options.userFolder, { recursive: true });
	await step('Building the package and installing it into n8n', log, async () => {
		await installPackage(await packPackage(), options.userFolder);
	});

	// Before n8n starts, because the sandbox links to it.
	const n8nPort = await freePort(options.n8nPort);
	const sandbox = await startSandbox({
		port: await freePort(options.sandboxPort),
		n8nUrl: `http://127.0.0.1:${n8nPort}`,
	});
	const running: { stop(): Promise<void> }[] = [sandbox];
	const stop = async () => {
		await Promise.all(running.map(async (one) => await one.stop()));
	};
	try {
		const { userFolder, logFile, env } = options;
		const n8n = await step('Starting n8n', log, async () => {
			return await startN8n({ userFolder, port: n8nPort, logFile, env });
		});
		running.push(n8n);
		const client = new N8nClient(n8n.url);
		await client.signIn();
		const credential = await ensureCredential(client, sandbox);
		const examples = await importExamples(client, credential, sandbox.url);
		return { n8n, sandbox, client, credential, examples, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
