import type { Entry } from './savedEntries';

/** Logs and their entries, of all executions together */
const MOST_KEPT = 100_000;

/** By log, the one that was used last at the end */
const logs = new Map<string, Map<string, Entry>>();

/**
 * What the retries of one execution have submitted. A second retry starts from the log that n8n saved with
 * the execution, not with its first retry. Only this process knows it, until it ends.
 */
export function retriedEntries(logId: string): Map<string, Entry> {
	const log = logs.get(logId) ?? new Map<string, Entry>();
	logs.delete(logId);
	logs.set(logId, log);
	let kept = 0;
	for (const { size } of logs.values()) kept += 1 + size;
	for (const [oldest, { size }] of logs) {
		if (kept <= MOST_KEPT || oldest === logId) break;
		logs.delete(oldest);
		kept -= 1 + size;
	}
	return log;
}
