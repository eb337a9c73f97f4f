import type { SavedCredential, Workflow } from '../../../playground/n8nClient';

export const nodeType = 'n8n-nodes-form-collection.formCollection';

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
				credentials: { [credential.type]: { id: credential.id, name: credential.name } },
			},
		],
		connections: {
			Webhook: { main: [[{ node: 'Split Out', type: 'main', index: 0 }]] },
			'Split Out': { main: [[{ node: 'Form Collection', type: 'main', index: 0 }]] },
		},
	};
}
