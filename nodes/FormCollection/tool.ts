import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Whether an AI model calls the node: it reads the output, and nobody sees the hints beside it. Before n8n
 * 2.41, and where AI Agent 3 runs the tool in 2.41, only the node type tells.
 */
export function isTool(context: IExecuteFunctions): boolean {
	const { isToolExecution }: Partial<IExecuteFunctions> = context;
	return isToolExecution?.call(context) === true || context.getNode().type.endsWith('Tool');
}

/**
 * Whether an item that fails becomes an output, as On Error says. Not the error output of a tool: where AI
 * Agent 3 runs it, n8n 2.41 puts an error of its own in place of the item, and the model learns nothing.
 */
export function continuesOnFail(context: IExecuteFunctions): boolean {
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	return context.continueOnFail() && !(hasErrorOutput && isTool(context));
}
