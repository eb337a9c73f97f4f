import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { N8nClient, SavedCredential, SavedWorkflow, Workflow } from './n8nClient';
import { paths } from './paths';

/** The sandbox's address as the example workflows write it. */
const SANDBOX_IN_EXAMPLES = /http:\/\/(localhost|127\.0\.0\.1):4000/g;

/** Reads `examples/*.json`, with this sandbox's address and this credential filled in. */
export async function readExamples(
	credential: SavedCredential,
	sandboxUrl: string,
): Promise<Workflow[]> {
	if (!existsSync(paths.examples)) return [];
	const files = (await readdir(paths.examples)).filter((name) => name.endsWith('.json')).sort();
	return await Promise.all(
		files.map(async (file) => {
			const text = await readFile(join(paths.examples, file), 'utf8');
			const workflow = JSON.parse(text.replace(SANDBOX_IN_EXAMPLES, sandboxUrl)) as Workflow;
			for (const node of workflow.nodes) {
				if (!node.type.startsWith('n8n-nodes-form-collection.')) continue;
				node.credentials = { [credential.type]: { id: credential.id, name: credential.name } };
			}
			return workflow;
		}),
	);
}

/** Creates the example workflows that n8n does not have yet; what has the same name stays. */
export async function importExamples(
	client: N8nClient,
	credential: SavedCredential,
	sandboxUrl: string,
): Promise<SavedWorkflow[]> {
	const present = new Set((await client.listWorkflows()).map(({ name }) => name));
	const missing = (await readExamples(credential, sandboxUrl)).filter(
		({ name }) => !present.has(name),
	);
	const created: SavedWorkflow[] = [];
	for (const workflow of missing) created.push(await client.createWorkflow(workflow));
	return created;
}
