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

/**
 * n8n sends an execution's data in the format of flatted, which writes shared objects once. Of an
 * execution that it was killed in, an older n8n may have saved nothing: `[]`.
 */
export const parseExecutionData = (text: string): ExecutionData['resultData'] =>
	(parse(text) as ExecutionData | undefined)?.resultData ?? { runData: {} };
