import type { IExecuteFunctions } from 'n8n-workflow';
import { InvalidInput } from './transport/errors';

/**
 * Whether an AI model calls the node: it reads the output, and nobody sees the hints beside it. Before n8n
 * 2.41, and where AI Agent 3 runs the tool in 2.41, only the node type tells.
 */
export function isTool(context: IExecuteFunctions): boolean {
	const { isToolExecution }: Partial<IExecuteFunctions> = context;
	return isToolExecution?.call(context) === true || context.getNode().type.endsWith('Tool');
}

/**
 * n8n 2.41 gives AI Agent 3 nothing of what comes of a tool with an error output, so that the model would take
 * a submission for one that has failed, and call again.
 *
 * @throws InvalidInput
 */
export function refuseErrorOutput(context: IExecuteFunctions): void {
	const isCalledByAgent3 = context.getInputData()[0]?.json?.toolCallId !== undefined;
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	if (!isTool(context) || !isCalledByAgent3 || !hasErrorOutput) return;
	throw new InvalidInput(
		'On Error of this tool is Continue (using error output), with which n8n gives the AI Agent no result: choose Continue under Settings, or delete the tool and add it again',
	);
}
