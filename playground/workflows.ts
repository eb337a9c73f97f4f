import type { SavedCredential, Workflow, WorkflowNode } from './n8nClient';

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

/**
 * A workflow that answers a POST to its webhook with what the Form Collection node puts out. The
 * node gets one item for each entry of `items` in the posted body.
 */
export function webhookWorkflow(
	path: string,
	parameters: Record<string, unknown>,
	credential: SavedCredential,
): Workflow {
	return {
		name: path,
		nodes: [
			{
				name: 'Webhook',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				position: [0, 0],
				webhookId: path,
				parameters: {
					path,
					httpMethod: 'POST',
					responseMode: 'lastNode',
					responseData: 'allEntries',
				},
			},
			{
				name: 'Split Out',
				type: 'n8n-nodes-base.splitOut',
				typeVersion: 1,
				position: [220, 0],
				parameters: { fieldToSplitOut: 'body.items', options: {} },
			},
			{
				name: 'Form Collection',
				type: nodeType,
				typeVersion: 1,
				position: [440, 0],
				parameters,
				credentials: using(credential),
			},
		],
		connections: {
			Webhook: { main: [[{ node: 'Split Out', type: 'main', index: 0 }]] },
			'Split Out': { main: [[{ node: 'Form Collection', type: 'main', index: 0 }]] },
		},
	};
}

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
	const nodes: Workflow['nodes'] = [
		{
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2.1,
			position: [0, 0],
			webhookId: path,
			parameters: { path, responseMode: 'responseNode', options: {} },
		},
		{
			name: 'Embeds',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			position: [220, 0],
			parameters: {
				mode: 'raw',
				jsonOutput: '={{ JSON.stringify({ embeds: JSON.parse($json.query.embeds) }) }}',
				options: {},
			},
		},
		{
			name: 'Split Out',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			position: [440, 0],
			parameters: { fieldToSplitOut: 'embeds', options: {} },
		},
		{
			name: 'Get Embed Code',
			type: nodeType,
			typeVersion: 1,
			position: [660, 0],
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
		},
		{
			name: 'Respond to Webhook',
			type: 'n8n-nodes-base.respondToWebhook',
			typeVersion: 1.5,
			position: [880, 0],
			parameters: {
				respondWith: 'text',
				responseBody: `=${pageAround(embedCodes)}`,
				options: {
					responseHeaders: {
						entries: [{ name: 'Content-Type', value: 'text/html; charset=utf-8' }],
					},
				},
			},
		},
	];
	return { name: path, nodes, connections: inARow(nodes) };
}

/** The trigger of `runsOn`. */
export const START = 'When clicking Execute';

/** A workflow that is started by hand and runs a node with one input item for each of the rows. */
export function runsOn(rows: object[], name: string, node: Partial<WorkflowNode>): Workflow {
	const nodes: Workflow['nodes'] = [
		{
			name: START,
			type: 'n8n-nodes-base.manualTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		},
		{
			name: 'Rows',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			position: [220, 0],
			parameters: { mode: 'raw', jsonOutput: JSON.stringify({ rows }), options: {} },
		},
		{
			name: 'Split Out',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			position: [440, 0],
			parameters: { fieldToSplitOut: 'rows', options: {} },
		},
		{ name, type: nodeType, typeVersion: 1, position: [660, 0], parameters: {}, ...node },
	];
	return { name, nodes, connections: inARow(nodes) };
}
