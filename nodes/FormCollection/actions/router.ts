import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	NodeOperationError,
} from 'n8n-workflow';
import { outcomeLines } from '../submissions/outcomeLines';
import { isTool, refuseErrorOutput } from '../tool';
import { ServiceClient } from '../transport/client';
import {
	type ErrorDetails,
	InvalidInput,
	join,
	ServiceError,
	toNodeError,
} from '../transport/errors';
import { InputMask } from '../transport/inputMask';
import type { FailedItem, Hint, Operation, OperationRun } from './operation';
import { isNew, nodeErrorOf } from './runError';
import { explanationLines } from './explanation';
import { withFixedParameters } from '../parameters/fixedParameters';
import { operationByValue } from './index';

/** Starts the operation, and makes of what its items came to an output or an error of the node. */
export async function route(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = this.getInputData();
	const hints: Hint[] = [];
	const context = withFixedParameters(this);
	const service = new ServiceClient(context);
	// With continue on fail, too: it is that setting which is refused.
	try {
		refuseErrorOutput(this);
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
	let operation: Operation | undefined;
	let run: OperationRun;
	let parallel: number;
	try {
		operation = operationOf(context);
		run = await operation.start(context, service, (hint) => hints.push(hint));
		parallel = Math.max(1, operation.parallelRequests?.(context) || 1);
	} catch (error) {
		const { itemIndex } = (error as Partial<NodeOperationError>).context ?? {};
		await new InputMask(this).apply(error, Number(itemIndex ?? 0));
		if (!this.continueOnFail())
			throw toNodeError(this.getNode(), error, itemIndex as number | undefined);
		// If this returned nothing, n8n would pass on the input items as if all were well. An unknown
		// operation may be meant as a submission: its items say, too, that nothing was sent.
		const details = operation === undefined || operation.isSubmission ? {} : undefined;
		const fields = operation?.fields ?? [];
		return [items.map((_, index) => failedItem(context, fields, details, error, index))];
	}
	const { outputs, failed } = await executeItems(context, operation, run, parallel).finally(() =>
		run.end?.(),
	);
	if (failed.length > 0 && !this.continueOnFail()) {
		const report = run.report?.();
		for (const item of report?.failed ?? []) {
			if (!failed.some(({ itemIndex }) => itemIndex === item.itemIndex)) failed.push(item);
		}
		throw nodeErrorOf(this, failed, items.length, report);
	}
	const { length } = outputs.flat();
	const messages = [...hints.map((hint) => hint(length)), ...service.hints()].filter(
		(message) => message !== undefined,
	);
	if (!isTool(this)) showHints(this, messages);
	else if (operation.isSubmission !== true && messages.length > 0) {
		// A model sees no hints, and may take a part for all. The reply to a submission stays as it is.
		const pairedItem = items.map((_, item) => ({ item }));
		outputs.push([{ json: { hint: messages.join('. ') }, pairedItem }]);
	}
	return [outputs.flat()];
}

/**
 * The one loop over the input items: bounded parallelism, pairing, continue on fail.
 *
 * Without "continue", no more items are started after the first error, unless the run goes on after it;
 * those in flight finish, because a sent response cannot be called back.
 */
async function executeItems(
	context: IExecuteFunctions,
	{ isSubmission, fields }: Operation,
	run: OperationRun,
	parallel: number,
) {
	const items = context.getInputData();
	const mask = new InputMask(context);
	const outputs: INodeExecutionData[][] = [];
	const failed: FailedItem[] = [];
	let next = 0;
	let isStopped = false;
	const work = async () => {
		// In a canceled execution, too: each item tells what is known of it, and nothing is sent any more.
		while (next < items.length) {
			if (isStopped && !context.continueOnFail()) return;
			const itemIndex = next++;
			try {
				const records = await run.execute(itemIndex);
				const pairedItem = { item: itemIndex };
				outputs[itemIndex] = records.map((json) => ({ json, pairedItem }));
			} catch (error) {
				failed.push({ error, itemIndex });
				isStopped ||= isNew({ error, itemIndex }) && run.continuesAfter?.(error) !== true;
				await mask.apply(error, itemIndex);
				const known = error instanceof ServiceError ? error.details : {};
				const details = isSubmission ? known : undefined;
				outputs[itemIndex] = [failedItem(context, fields, details, error, itemIndex)];
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, work));
	return { outputs, failed };
}

function operationOf(context: IExecuteFunctions): Operation {
	const name = context.getNodeParameter('operation', 0);
	const operation = operationByValue.get(name);
	if (operation !== undefined) return operation;
	throw new InvalidInput(`There is no operation "${name}": select one from the Operation list`);
}

/** Older versions of n8n lack the method. */
function showHints(context: Partial<IExecuteFunctions>, messages: string[]): void {
	const hints = messages.map((message) => ({
		// n8n shows hints as HTML, and names in them may be anything.
		message: message.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
		location: 'outputPane' as const,
	}));
	context.addExecutionHints?.(...hints);
}

function failedItem(
	context: IExecuteFunctions,
	fields: INodeProperties[],
	/** Of a submission */
	details: Partial<ErrorDetails> | undefined,
	error: unknown,
	itemIndex: number,
): INodeExecutionData {
	const node = context.getNode();
	const nodeError = toNodeError(node, error, itemIndex);
	const pairedItem = { item: itemIndex };
	const text = join(
		'\n',
		nodeError.message,
		explanationLines(nodeError, fields),
		nodeError.description ?? undefined,
		details && outcomeLines(details),
	);
	if (node.onError !== 'continueErrorOutput')
		return { json: { error: text }, error: nodeError, pairedItem };
	// Without an `error` of the item n8n adds the fields of the input item, so that a failed row can be
	// sent again. With more than one key n8n 1 and 2.0 would take this for a success.
	return { json: { error: text }, pairedItem };
}
