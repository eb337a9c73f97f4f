import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { OUTCOME_LINES } from '../submissions/submissionLog';
import { connect } from '../transport/client';
import { InvalidInput, join, outcomeOfError, ServiceError, toNodeError } from '../transport/errors';
import type { Operation } from './action';
import { operationByValue } from './index';

interface FailedItem {
	error: unknown;
	itemIndex: number;
}

/**
 * The one loop over the input items: bounded parallelism, pairing, continue on fail.
 *
 * Without "continue" the first error starts no more items; those in flight finish, because a sent
 * response cannot be called back.
 */
export async function route(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = this.getInputData();
	const outputs: INodeExecutionData[][] = [];
	const failed: FailedItem[] = [];
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
	const service = connect(this);
	const execute = operation.start(this, service, (hint) => hints.push(hint));
	const fail = (error: unknown, itemIndex: number) => {
		failed.push({ error, itemIndex });
		outputs[itemIndex] = [failedItem(this, operation, error, itemIndex)];
	};
	const work = async () => {
		while (next < items.length && !signal?.aborted) {
			if (failed.some(isNew) && !this.continueOnFail()) return;
			const itemIndex = next++;
			try {
				const records = await execute(itemIndex);
				outputs[itemIndex] = records.map((json) => ({ json, pairedItem: { item: itemIndex } }));
				done++;
			} catch (error) {
				fail(error, itemIndex);
			}
		}
	};
	const parallel = Math.max(1, operation.parallelRequests?.(this) || 1);
	await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, work));

	const isCanceled = signal?.aborted === true && done < items.length;
	if (isCanceled) while (next < items.length) fail(new InvalidInput(NOT_STARTED), next++);
	if (failed.length > 0 && !this.continueOnFail()) {
		const progress = items.length > 1 ? operation.progress?.(done, items.length) : undefined;
		const error = isCanceled ? new InvalidInput(CANCELED) : undefined;
		throw nodeErrorOf(this, failed, items.length, progress, error);
	}
	showHints(
		this,
		hints.map((hint) => hint()).filter((hint) => hint !== undefined),
		service.hints(),
	);
	return [outputs.flat()];
}

const NOT_STARTED = 'The execution was canceled before this item had its turn: run it again';

// n8n saves an execution whose error has the word "canceled" in it as canceled, not as failed.
const CANCELED = 'The execution was canceled before all items were done: run it again';

/** n8n before 2.41 may lack both methods; a tool has nobody who looks at its output. */
function showHints(context: Partial<IExecuteFunctions>, ...messages: string[][]): void {
	if (context.isToolExecution?.()) return;
	const hints = messages.flat().map((message) => ({ message, location: 'outputPane' as const }));
	context.addExecutionHints?.(...hints);
}

/** An unknown outcome of an earlier try stops no other items: they would never get their turn. */
function isNew({ error }: FailedItem): boolean {
	return !(error instanceof ServiceError && error.isRecorded);
}

/**
 * One error for all failed items: the message is about the first, those of this try before those of
 * an earlier one; the description has each other message once, with its items.
 *
 * @param error instead of that of the first item
 */
function nodeErrorOf(
	context: IExecuteFunctions,
	failed: FailedItem[],
	total: number,
	progress: string | undefined,
	error?: Error,
) {
	const node = context.getNode();
	const inOrder = [...failed.filter(isNew), ...failed.filter((item) => !isNew(item))];
	const itemsByMessage = new Map<string, number[]>();
	for (const item of inOrder) {
		const { message } = toNodeError(node, item.error);
		const items = itemsByMessage.get(message);
		if (items === undefined) itemsByMessage.set(message, [item.itemIndex]);
		else items.push(item.itemIndex);
	}
	const [first] = inOrder as [FailedItem];
	const isOneForAll = error === undefined && itemsByMessage.size === 1 && failed.length > 1;
	const isAll = isOneForAll && failed.length === total;
	const others = [...itemsByMessage].slice(error === undefined ? 1 : 0);
	return toNodeError(
		node,
		error ?? first.error,
		error === undefined ? first.itemIndex : undefined,
		{
			message: join(
				'. ',
				progress,
				isOneForAll ? `${isAll ? `All ${total}` : failed.length} items failed for this reason` : '',
			),
			description: others
				.map(([message, items]) => `${itemNames(items.sort((a, b) => a - b))}: ${message}`)
				.join('\n'),
		},
	);
}

const MOST_NAMED = 10;

/** E.g. "Item 3", "Items 0, 1, 2", "Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 190 more" */
function itemNames(items: number[]): string {
	if (items.length === 1) return `Item ${items[0]}`;
	const named = items.slice(0, MOST_NAMED).join(', ');
	const more = items.length - MOST_NAMED;
	return more > 0 ? `Items ${named} and ${more} more` : `Items ${named}`;
}

function failedItem(
	context: IExecuteFunctions,
	{ isSubmission }: Operation,
	error: unknown,
	itemIndex: number,
): INodeExecutionData {
	const node = context.getNode();
	const nodeError = toNodeError(node, error, itemIndex);
	const pairedItem = { item: itemIndex };
	const text = join(
		'\n',
		nodeError.message,
		nodeError.description ?? undefined,
		isSubmission ? OUTCOME_LINES[outcomeOfError(error)] : undefined,
	);
	if (node.onError !== 'continueErrorOutput')
		return { json: { error: text }, error: nodeError, pairedItem };
	// Without an `error` of the item n8n adds the fields of the input item, so that a failed row can be
	// sent again. With more than one key n8n 1 and 2.0 would take this for a success.
	return { json: { error: text }, pairedItem };
}
