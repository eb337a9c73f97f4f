import type { IExecuteFunctions } from 'n8n-workflow';

/** Before n8n 2.41, and where an AI Agent runs the tool in 2.41, only the node type tells. */
export function isTool(context: IExecuteFunctions): boolean {
	const { isToolExecution }: Partial<IExecuteFunctions> = context;
	return isToolExecution?.call(context) === true || context.getNode().type.endsWith('Tool');
}

/** E.g. "1,240 responses" */
export function counted(count: number, noun: string): string {
	return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

const LONGEST_LIST = 50;

/** @returns as many names as fit into a hint */
export function listOf(names: Iterable<string>, separator = ', '): string {
	const all = [...names];
	let shown = all.length;
	while (shown > 1 && all.slice(0, shown).join(separator).length > LONGEST_LIST) shown--;
	const more = all.length - shown;
	const text = all.slice(0, shown).join(separator).slice(0, LONGEST_LIST);
	return more > 0 ? `${text} and ${more} more` : text;
}

/** Reads what several items ask for once, and counts them for a hint. */
export class SharedReads<Result> {
	private readonly reads = new Map<string, Promise<Result>>();

	private items = 0;

	/** @returns the result, and whether an earlier item has it as well */
	async get(key: string, read: () => Promise<Result>) {
		this.items++;
		const earlier = this.reads.get(key);
		const reading = earlier ?? read();
		this.reads.set(key, reading);
		return { result: await reading, isShared: earlier !== undefined };
	}

	/** @param isSame - whether items that share a request get the same of its reply, too */
	hint(isSame = true): string | undefined {
		const { items, reads } = this;
		if (items <= reads.size) return undefined;
		const isRepeated = isSame && reads.size === 1;
		const once = isRepeated ? ': for one list, turn on Execute Once in Settings' : '';
		return `${counted(items, 'item')} shared ${counted(reads.size, 'request')}${once}`;
	}
}

export const PARTIAL_HINT = 'The service says that the list goes on: this may be only a part of it';
