import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { operationByValue } from './operations';
import { connect } from './service/client';
import { InvalidInput, toNodeError } from './service/errors';

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
	const service = connect(this);
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

	const work = async () => {
		while (next < items.length && !signal?.aborted) {
			if (faults.length > 0 && !this.continueOnFail()) return;
			const itemIndex = next++;
			try {
				const records = await operation.execute(this, service, itemIndex);
				outputs[itemIndex] = records.map((json) => ({ json, pairedItem: { item: itemIndex } }));
				done++;
			} catch (error) {
				faults.push({ error, itemIndex });
				const failed = toNodeError(this.getNode(), error, itemIndex);
				outputs[itemIndex] = [
					{ json: { error: failed.message }, error: failed, pairedItem: { item: itemIndex } },
				];
			}
		}
	};
	const parallel = operation.parallelRequests?.(this) ?? 1;
	await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, work));

	const [first, ...others] = faults;
	if (first !== undefined && !this.continueOnFail()) {
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
	return [outputs.flat()];
}
