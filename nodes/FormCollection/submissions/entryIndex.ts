/** The keys of the entries of a submission log, by run and item: a loop may run the node thousands of times. */
export class EntryIndex {
	private readonly keys = new Map<string, Map<string, Set<string>>>();

	constructor(keys: Iterable<string>) {
		for (const key of keys) this.add(key);
	}

	hasRun(run: string): boolean {
		return (this.keys.get(run)?.size ?? 0) > 0;
	}

	/** @returns the keys of an item, for whatever form; those that were added first come first */
	ofItem(run: string, item: string): Iterable<string> {
		return this.keys.get(run)?.get(item) ?? [];
	}

	/** @returns the keys of all items of a run */
	ofRun(run: string): string[] {
		return [...(this.keys.get(run)?.values() ?? [])].flatMap((keys) => [...keys]);
	}

	add(key: string): void {
		const { run, item } = partsOf(key);
		const items = this.keys.get(run) ?? new Map<string, Set<string>>();
		const keys = items.get(item) ?? new Set<string>();
		this.keys.set(run, items.set(item, keys.add(key)));
	}

	delete(key: string): void {
		const { run, item } = partsOf(key);
		const items = this.keys.get(run);
		const keys = items?.get(item);
		keys?.delete(key);
		if (keys?.size === 0) items?.delete(item);
	}
}

/** The run and the item of a key, and the hash of what is in the item. The rest of a key tells the form */
export function partsOf(key: string): { run: string; item: string; fingerprint: string } {
	const [run = '', item = '', fingerprint = ''] = key.split(':');
	return { run, item, fingerprint };
}

/** The run and the item of a key, as one text */
export function placeOf(key: string): string {
	const { run, item } = partsOf(key);
	return `${run}:${item}`;
}
