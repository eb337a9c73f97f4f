import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SavedCredential, Workflow, WorkflowNode } from './n8nClient';
import { paths } from './paths';

export const nodeType = 'n8n-nodes-form-collection.formCollection';

/** What a node needs to use the credential. */
export const using = ({ id, name, type }: SavedCredential): WorkflowNode['credentials'] => ({
	[type]: { id, name },
});

/** Connects each node with the next one. */
export function inARow(nodes: Workflow['nodes']): Workflow['connections'] {
	return Object.fromEntries(
		nodes
			.slice(1)
			.map(({ name: node }, i) => [nodes[i]?.name, { main: [[{ node, type: 'main', index: 0 }]] }]),
	);
}

/** One node of a row; where it stands follows from the row. */
export const node = (name: string, type: string, typeVersion: number, settings: object = {}) => ({
	name,
	type: type.includes('.') ? type : `n8n-nodes-base.${type}`,
	typeVersion,
	parameters: {},
	...settings,
});

export function rowOf(name: string, parts: ReturnType<typeof node>[]): Workflow {
	const nodes = parts.map((part, i): WorkflowNode => ({ ...part, position: [220 * i, 0] }));
	return { name, nodes, connections: inARow(nodes) };
}

export const splitOut = (fieldToSplitOut: string) =>
	node('Split Out', 'splitOut', 1, { parameters: { fieldToSplitOut, options: {} } });

const rawJson = (name: string, jsonOutput: string) =>
	node(name, 'set', 3.4, { parameters: { mode: 'raw', jsonOutput, options: {} } });

// In base64, because nothing of a text may run in the page.
const REFUSED =
	"{{ $('Get Embed Code').all(1).map((item) => item.json.error).toJsonString().base64Encode() }}";

/**
 * A workflow that answers a GET to its webhook with a web page that holds the embed codes of the
 * forms named in the query: `embeds` is a JSON array of `slug`, `mode`, `height`, `buttonText`.
 * Its head says why the others were refused.
 */
export function embedPageWorkflow(
	path: string,
	credential: SavedCredential,
	pageAround = (embeds: string) =>
		`<!doctype html><html lang="en"><title>Test</title><meta name="refused" content="${REFUSED}"><body>${embeds}`,
): Workflow {
	const embedCodes = "{{ $('Get Embed Code').all().map((item) => item.json.html).join('\\n') }}";
	const contentType = { name: 'Content-Type', value: 'text/html; charset=utf-8' };
	return rowOf(path, [
		node('Webhook', 'webhook', 2.1, {
			webhookId: path,
			parameters: { path, responseMode: 'responseNode', options: {} },
		}),
		rawJson('Embeds', '={{ JSON.stringify({ embeds: JSON.parse($json.query.embeds) }) }}'),
		splitOut('embeds'),
		node('Get Embed Code', nodeType, 1, {
			onError: 'continueErrorOutput',
			parameters: {
				operation: 'getEmbedCode',
				// As if chosen from the list: an entered text that cannot be a slug would be refused.
				formSlug: { __rl: true, mode: 'list', value: '={{ $json.slug }}' },
				mode: '={{ $json.mode }}',
				height: '={{ $json.height }}',
				buttonText: '={{ $json.buttonText }}',
			},
			credentials: using(credential),
		}),
		node('Respond to Webhook', 'respondToWebhook', 1.5, {
			parameters: {
				respondWith: 'text',
				responseBody: `=${pageAround(embedCodes)}`,
				options: { responseHeaders: { entries: [contentType] } },
			},
		}),
	]);
}

/** The trigger of `runsOn`. */
export const START = 'When clicking Execute';

/** A workflow that is started by hand and runs a node with one input item for each of the rows. */
export function runsOn(rows: object[], name: string, settings: Partial<WorkflowNode>): Workflow {
	return rowOf(name, [
		node(START, 'manualTrigger', 1),
		rawJson('Rows', JSON.stringify({ rows })),
		splitOut('rows'),
		node(name, nodeType, 1, settings),
	]);
}

/** The sandbox's address as the example workflows write it. */
const SANDBOX_IN_EXAMPLES = /http:\/\/(localhost|127\.0\.0\.1):4000/g;

/** Reads `examples/*.json`, with this sandbox's address and this credential filled in. */
export async function readExamples(
	credential: SavedCredential,
	sandboxUrl: string,
): Promise<Workflow[]> {
	const files = (await readdir(paths.examples)).filter((name) => name.endsWith('.json')).sort();
	return await Promise.all(
		files.map(async (file) => {
			const text = await readFile(join(paths.examples, file), 'utf8');
			const workflow = JSON.parse(text.replace(SANDBOX_IN_EXAMPLES, sandboxUrl)) as Workflow;
			for (const node of workflow.nodes) {
				if (!node.type.startsWith('n8n-nodes-form-collection.')) continue;
				node.credentials = using(credential);
			}
			return workflow;
		}),
	);
}
