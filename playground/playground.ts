import { mkdir } from 'node:fs/promises';

import { startSandbox, type Sandbox } from '../sandbox';
import { installPackage, packPackage } from './install';
import { freePort, startN8n, type RunningN8n } from './n8n';
import { N8nClient, type SavedCredential, type WorkflowReference } from './n8nClient';
import { step, type Log } from './run';
import { readExamples } from './workflows';

const credentialType = 'formCollectionApi';
const credentialName = 'Sandbox';

interface PlaygroundOptions {
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

/** Creates the example workflows that n8n lacks, by name; returns all of them. */
async function importExamples(
	client: N8nClient,
	credential: SavedCredential,
	sandboxUrl: string,
): Promise<WorkflowReference[]> {
	const present = await client.listWorkflows();
	const examples: WorkflowReference[] = [];
	for (const workflow of await readExamples(credential, sandboxUrl)) {
		const same = present.find(({ name }) => name === workflow.name);
		const { id, name } = same ?? (await client.createWorkflow(workflow));
		examples.push({ id, name });
	}
	return examples;
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
