export interface OutputItem {
	json: Record<string, unknown>;
	pairedItem?: unknown;
	error?: unknown;
}

export type RunData = Record<
	string,
	{ executionStatus: string; data?: { main: (OutputItem[] | null)[] }; error?: unknown }[]
>;

export interface ExecutionError {
	message: string;
	description?: string | null;
	context?: { itemIndex?: number };
}

/**
 * n8n sends an execution's data as one flat JSON array, so that shared objects are written once:
 * inside objects and arrays, a string is the index of the entry that it stands for.
 */
export function parseExecutionData(text: string): { runData: RunData; error?: ExecutionError } {
	const entries = JSON.parse(text) as unknown[];
	const revived = new Map<number, unknown>();

	const member = (value: unknown) => (typeof value === 'string' ? entry(Number(value)) : value);
	const entry = (index: number): unknown => {
		const value = entries[index];
		if (typeof value !== 'object' || value === null) return value;
		if (revived.has(index)) return revived.get(index);
		const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
		revived.set(index, copy);
		for (const [key, child] of Object.entries(value)) {
			(copy as Record<string, unknown>)[key] = member(child);
		}
		return copy;
	};

	const { resultData } = entry(0) as {
		resultData: { runData: RunData; error?: ExecutionError };
	};
	return resultData;
}
