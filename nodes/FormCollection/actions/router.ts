import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { type Account, readAccounts } from '../transport/account';
import { ServiceClient } from '../transport/client';
import { InvalidInput, lines, ServiceError, toNodeError } from '../transport/errors';
import { counted, isTool } from './hints';
import { operationByValue } from './index';
import type { Handler, Item, Operation } from './operation';

interface FailedItem {
	itemIndex: number;
	error: unknown;
}

const NOTHING_SENT = 'Nothing was sent.';

/** Reads all items, then acts on them: the one loop over the input items. */
export async function route(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const node = this.getNode();
	const failed = (failures: FailedItem[], ...progress: string[]) => {
		const [first, ...others] = failures as [FailedItem];
		const also = others.length > 0 ? `${counted(others.length, 'more item')} failed.` : '';
		return toNodeError(node, first.error, first.itemIndex, ...progress, also);
	};
	const operation = operationOf(this);
	const read = operation.reader(this);
	const inputs = this.getInputData().map((_, itemIndex) => readInput(read, itemIndex));
	const accounts = await readAccounts(this, inputs.length);
	const items = inputs.map((input, i): Item<unknown> | FailedItem => {
		const account = accounts[i] as Account | InvalidInput;
		return account instanceof Error ? { itemIndex: i, error: account } : { ...input, account };
	});
	const bad = items.filter((item) => 'error' in item);
	if (bad.length > 0 && !this.continueOnFail()) throw failed(bad, NOTHING_SENT);

	const client = new ServiceClient(this);
	const good = items.filter((item) => 'input' in item);
	const handler = await operation.start({ context: this, client, items: good });
	const outputs: INodeExecutionData[][] = [];
	const put = (itemIndex: number, records: IDataObject[]) => {
		const pairedItem = { item: itemIndex };
		outputs[itemIndex] = records.map((json) => ({ json, pairedItem }));
	};
	const failures = await executeAll(handler, good, this.continueOnFail(), put).finally(() =>
		handler.end?.(),
	);
	if (!this.continueOnFail() && failures.length > 0) {
		throw failed(failures, ...(handler.progress?.() ?? []));
	}
	for (const { itemIndex, error } of [...bad, ...failures]) {
		outputs[itemIndex] = [failedItem(this, operation, error, itemIndex)];
	}
	const hints = (handler.hints?.() ?? []).filter((hint) => hint !== undefined);
	if (hints.length > 0 && isTool(this) && !operation.isSubmission) {
		// A model sees no hints, and may take a part for all. The reply to a submission stands alone.
		const pairedItem = items.map(({ itemIndex }) => ({ item: itemIndex }));
		outputs.push([{ json: { hint: hints.join('. ') }, pairedItem }]);
	} else {
		showHints(this, hints);
	}
	return [outputs.flat()];
}

function operationOf(context: IExecuteFunctions): Operation<unknown> {
	const value = context.getNodeParameter('operation', 0);
	const operation = operationByValue.get(value);
	if (operation !== undefined) return operation;
	throw toNodeError(
		context.getNode(),
		new InvalidInput(`There is no operation "${value}": select one from the Operation list`),
	);
}

type Read = { itemIndex: number; input: unknown } | FailedItem;

function readInput(read: (itemIndex: number) => unknown, itemIndex: number): Read {
	try {
		return { itemIndex, input: read(itemIndex) };
	} catch (error) {
		return { itemIndex, error };
	}
}

/**
 * Without "continue", no more items are started after the first error, but those under way finish: what was sent cannot
 * be called back. An error about what was sent before stops no other items, or no try would get past it.
 *
 * @returns the failures as they came, those about earlier submissions last
 */
async function executeAll(
	handler: Handler<unknown>,
	items: Item<unknown>[],
	continues: boolean,
	put: (itemIndex: number, records: IDataObject[]) => void,
): Promise<FailedItem[]> {
	const failures: FailedItem[] = [];
	const isFollowUp = ({ error }: FailedItem) => error instanceof ServiceError && error.isFollowUp;
	let next = 0;
	const work = async () => {
		while (next < items.length && (continues || failures.every(isFollowUp))) {
			const item = items[next++] as Item<unknown>;
			const { itemIndex } = item;
			await handler.execute(item).then(
				(records) => put(itemIndex, records),
				(error: unknown) => failures.push({ itemIndex, error }),
			);
		}
	};
	await Promise.all(Array.from({ length: Math.min(handler.parallel ?? 1, items.length) }, work));
	return failures.sort((a, b) => Number(isFollowUp(a)) - Number(isFollowUp(b)));
}

function failedItem(
	context: IExecuteFunctions,
	{ isSubmission }: Operation<unknown>,
	error: unknown,
	itemIndex: number,
): INodeExecutionData {
	const nodeError = toNodeError(context.getNode(), error, itemIndex);
	const { message, description } = nodeError as { message: string; description?: string };
	const outcome = error instanceof ServiceError ? error.details.outcome : 'not sent';
	const text = lines(message, description, isSubmission ? `Outcome: ${outcome}` : undefined);
	// Without an `error` of the item, n8n keeps this text, and adds the input fields to what goes to the error output.
	return { json: { error: text }, pairedItem: { item: itemIndex } };
}

/** Older versions of n8n lack the method. */
function showHints(context: Partial<IExecuteFunctions>, hints: string[]): void {
	// n8n shows hints as HTML, and the names in them may be anything.
	const escaped = hints.map((hint) => hint.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`));
	context.addExecutionHints?.(
		...escaped.map((message) => ({ message, location: 'outputPane' as const })),
	);
}
