import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { OUTCOME_LINES } from '../submissions/submissionLog';
import { connect } from '../transport/client';
import { InvalidInput, join, outcomeOfError, ServiceError, toNodeError } from '../transport/errors';
import type { FailedItem, Operation } from './action';
import { operationByValue } from './index';

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
	let next = 0;

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
	const run = operation.start(this, service, (hint) => hints.push(hint));
	const work = async () => {
		// In a canceled execution, too: each item tells what is known of it, and nothing is sent any more.
		while (next < items.length) {
			if (failed.some(isNew) && !this.continueOnFail()) return;
			const itemIndex = next++;
			try {
				const records = await run.execute(itemIndex);
				outputs[itemIndex] = records.map((json) => ({ json, pairedItem: { item: itemIndex } }));
			} catch (error) {
				failed.push({ error, itemIndex });
				outputs[itemIndex] = [failedItem(this, operation, error, itemIndex)];
			}
		}
	};
	const parallel = Math.max(1, operation.parallelRequests?.(this) || 1);
	await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, work));

	if (failed.length > 0 && !this.continueOnFail()) {
		const report = run.report?.();
		for (const item of report?.failed ?? []) {
			if (!failed.some(({ itemIndex }) => itemIndex === item.itemIndex)) failed.push(item);
		}
		const progress = items.length > 1 ? report?.progress : undefined;
		throw nodeErrorOf(this, failed, items.length, progress);
	}
	showHints(
		this,
		hints.map((hint) => hint()).filter((hint) => hint !== undefined),
		service.hints(),
	);
	return [outputs.flat()];
}

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
 */
function nodeErrorOf(
	context: IExecuteFunctions,
	failed: FailedItem[],
	total: number,
	progress: string | undefined,
) {
	const node = context.getNode();
	const isCanceled = context.getExecutionCancelSignal()?.aborted === true;
	const isRecorded = (item: FailedItem) => !isNew(item);
	const inOrder = isCanceled
		? [...failed].sort((a, b) => a.itemIndex - b.itemIndex)
		: [...failed.filter(isNew), ...failed.filter(isRecorded)];
	const itemsByMessage = new Map<string, number[]>();
	for (const { error, itemIndex } of inOrder) {
		const { message } = toNodeError(node, error);
		const items = itemsByMessage.get(message);
		if (items === undefined) itemsByMessage.set(message, [itemIndex]);
		else items.push(itemIndex);
	}
	const [first] = inOrder as [FailedItem];
	const others = [...itemsByMessage].slice(isCanceled ? 0 : 1);
	const isForAll = !isCanceled && others.length === 0 && failed.length > 1;
	const who = failed.length === total ? `All ${total}` : failed.length;
	return toNodeError(
		node,
		isCanceled ? new InvalidInput(CANCELED) : first.error,
		isCanceled ? undefined : first.itemIndex,
		{
			message: join('. ', progress, isForAll ? `${who} items failed for this reason` : undefined),
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
