import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Whether an AI model calls the node: it reads the output, and nobody sees the hints beside it. Before n8n
 * 2.41, and where AI Agent 3 runs the tool in 2.41, only the node type tells.
 */
export function isTool(context: IExecuteFunctions): boolean {
	const { isToolExecution }: Partial<IExecuteFunctions> = context;
	return isToolExecution?.call(context) === true || context.getNode().type.endsWith('Tool');
}
