import type { IExecuteFunctions } from 'n8n-workflow';
import { InvalidInput, join, ServiceError, toNodeError } from '../transport/errors';
import { formatted } from './hintText';
import type { FailedItem, RunReport } from './operation';

/** Characters. More of them are only in the description. */
const LONGEST_NAMES = 200;

/** What was known before stops no other items: they would never be executed, in no try. */
export function isNew({ error }: FailedItem): boolean {
	return !(error instanceof ServiceError && error.isRecorded);
}

/**
 * One error for all failed items: the message is about the first, those of this try before those of
 * an earlier one; the description has each other message once, with its items.
 */
export function nodeErrorOf(
	context: IExecuteFunctions,
	failed: FailedItem[],
	total: number,
	{ progress, advice }: Partial<RunReport> = {},
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
	const groups = [...itemsByMessage].map(([message, items]) => ({ message, items }));
	const isOneForAll = !isCanceled && groups.length === 1 && failed.length > 1;
	const names = itemNames(groups[0]?.items ?? []);
	const areAll = failed.length === total;
	const areMany = !areAll && names.length > LONGEST_NAMES;
	const count = `${areAll ? 'All ' : ''}${formatted(failed.length)} items`;
	const who = areAll || areMany ? count : names;
	// The message says itself which item it is about.
	const isSaid = isOneForAll ? !areMany : !isCanceled && groups[0]?.items.length === 1;
	const listed = isSaid ? groups.slice(1) : groups;
	return toNodeError(
		node,
		isCanceled ? canceled(advice) : first.error,
		isCanceled ? undefined : first.itemIndex,
		{
			message: join(
				'. ',
				progress && join(': ', progress, isCanceled ? undefined : advice),
				isOneForAll ? `${who} failed for this reason` : undefined,
			),
			description: listed.map(({ message, items }) => `${itemNames(items)}: ${message}`).join('\n'),
		},
	);
}

/**
 * n8n saves an execution whose error has the word "canceled" in it as canceled, not as failed, and 2.41
 * offers no Retry for it.
 */
function canceled(advice = 'run it again'): InvalidInput {
	return new InvalidInput(`The execution was canceled before all items were done: ${advice}`);
}

/** All of them: an item may be stored without being in the output. E.g. "Item 3", "Items 0 to 4, 7" */
function itemNames(items: number[]): string {
	const ranges: [number, number][] = [];
	for (const item of [...items].sort((a, b) => a - b)) {
		const last = ranges.at(-1);
		if (last?.[1] === item - 1) last[1] = item;
		else ranges.push([item, item]);
	}
	const names = ranges.map(([from, to]) => {
		if (from === to) return String(from);
		return to === from + 1 ? `${from}, ${to}` : `${from} to ${to}`;
	});
	return `${items.length === 1 ? 'Item' : 'Items'} ${names.join(', ')}`;
}
