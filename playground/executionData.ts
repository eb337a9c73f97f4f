import { parse } from 'flatted';

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

interface ExecutionData {
	resultData: { runData: RunData; error?: ExecutionError };
}

/** n8n sends an execution's data in the format of flatted, which writes shared objects once. */
export const parseExecutionData = (text: string) => (parse(text) as ExecutionData).resultData;
