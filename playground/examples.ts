import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { N8nClient, SavedCredential, Workflow, WorkflowReference } from './n8nClient';
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

/** Creates the example workflows that n8n lacks, by name; returns all of them. */
export async function importExamples(
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
