import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { operationByValue } from './index';
import { connect } from '../transport/client';
import { InvalidInput, join, ServiceFault, toNodeError } from '../transport/errors';

/**
 * The one loop over the input items: bounded parallelism, pairing, continue on fail.
 *
 * Without "continue" the first fault starts no more items; those in flight finish, because a sent
 * response cannot be called back.
 */
export async function route(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = this.getInputData();
	const outputs: INodeExecutionData[][] = [];
	const faults: { error: unknown; itemIndex: number }[] = [];
	const signal = this.getExecutionCancelSignal();
	let next = 0;
	let done = 0;

	const name = this.getNodeParameter('operation', 0);
	const operation = operationByValue.get(name);
	if (operation === undefined) {
		throw toNodeError(
			this.getNode(),
			new InvalidInput(`There is no operation "${name}": pick an entry of the list Operation`),
		);
	}

	const hints: (() => string | undefined)[] = [];
	const execute = operation.start(this, connect(this), (hint) => hints.push(hint));
	const work = async () => {
		while (next < items.length && !signal?.aborted) {
			if (faults.some(isNew) && !this.continueOnFail()) return;
			const itemIndex = next++;
			try {
				const records = await execute(itemIndex);
				outputs[itemIndex] = records.map((json) => ({ json, pairedItem: { item: itemIndex } }));
				done++;
			} catch (error) {
				faults.push({ error, itemIndex });
				outputs[itemIndex] = [failedItem(this, error, itemIndex)];
			}
		}
	};
	const parallel = Math.max(1, operation.parallelRequests?.(this) || 1);
	await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, work));

	const [first, ...others] = [...faults.filter(isNew), ...faults.filter((fault) => !isNew(fault))];
	// With an error n8n would show a stopped execution as a failed one.
	if (first !== undefined && !this.continueOnFail() && !signal?.aborted) {
		throw toNodeError(this.getNode(), first.error, first.itemIndex, {
			message: items.length > 1 ? operation.progress?.(done, items.length) : undefined,
			description: others
				.map(
					({ error, itemIndex }) =>
						`Item ${itemIndex}: ${toNodeError(this.getNode(), error).message}`,
				)
				.join('\n'),
		});
	}
	showHints(
		this,
		hints.map((hint) => hint()).filter((hint) => hint !== undefined),
	);
	return [outputs.flat()];
}

/** n8n before 2.41 may lack both methods; a tool has nobody who looks at its output. */
function showHints(context: Partial<IExecuteFunctions>, messages: string[]): void {
	if (context.isToolExecution?.()) return;
	const hints = messages.map((message) => ({ message, location: 'outputPane' as const }));
	context.addExecutionHints?.(...hints);
}

/** What an earlier try could not settle stops no other items: they would never get their turn. */
function isNew({ error }: { error: unknown }): boolean {
	return !(error instanceof ServiceFault && error.isRecorded);
}

function failedItem(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
): INodeExecutionData {
	const node = context.getNode();
	const failed = toNodeError(node, error, itemIndex);
	const pairedItem = { item: itemIndex };
	if (node.onError !== 'continueErrorOutput') {
		return { json: { error: failed.message }, error: failed, pairedItem };
	}
	// Without an `error` of the item n8n adds the fields of the input item, so that a failed row can be
	// sent again. With more than one key n8n 1 and 2.0 would take this for a success.
	return {
		json: { error: join('\n', failed.message, failed.description ?? undefined) },
		pairedItem,
	};
}
