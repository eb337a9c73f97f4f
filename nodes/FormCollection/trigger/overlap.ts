import type { IPollFunctions } from 'n8n-workflow';
import { nodeRevisionOf, savedRevision, triggerKey } from './savedState';
import { monotonicMs } from '../transport/monotonicMs';

/*
 * The scheduler of n8n 2.41 polls once for each of the Poll Times that are due at the same moment, and while
 * the first poll after a publishing is still under way. It has read the saved state for all of these polls
 * before one of them could save anything: each would emit the same.
 */

/** When the polls under way began, by trigger; see `monotonicMs` */
const underWay = new Map<string, number>();

/** What the last poll has given n8n to save, by trigger */
const lastSaved = new Map<string, Saved>();

interface Saved {
	/** See `monotonicMs` */
	at: number;
	revision: number;
	/** Of the state of the node, if n8n saves that, too: with durable cursors only together with an execution */
	nodeRevision: number;
}

/**
 * How long n8n may take to begin a poll for which it has read the saved state. Less than the minute between
 * two polls: where n8n could not save what the last one gave it, the next one has to emit the same again.
 */
const LONGEST_START_MS = 30_000;

/**
 * @param budgetMs how long n8n gives the poll. It has abandoned one that takes twice as long, and that may
 * never end, for example where n8n waits for its database to read the credential.
 */
export function isAnotherUnderWay(context: IPollFunctions, budgetMs: number): boolean {
	const earlier = underWay.get(triggerKey(context)) ?? -Infinity;
	return monotonicMs() - earlier < 2 * budgetMs;
}

/** Runs a poll that began at `startedAt`, and for which later ones do not begin. */
export async function alone<Result>(
	context: IPollFunctions,
	startedAt: number,
	poll: () => Promise<Result>,
): Promise<Result> {
	const trigger = triggerKey(context);
	underWay.set(trigger, startedAt);
	try {
		return await poll();
	} finally {
		if (underWay.get(trigger) === startedAt) underWay.delete(trigger);
	}
}

/** Notes that n8n saves what the poll has come to, unless it has abandoned the poll and begun another one. */
export function noteSaved(context: IPollFunctions, startedAt: number, isEmitted: boolean): void {
	if ((underWay.get(triggerKey(context)) ?? startedAt) !== startedAt) return;
	const revision = savedRevision(context);
	const nodeRevision = isEmitted ? nodeRevisionOf(context) : 0;
	lastSaved.set(triggerKey(context), { at: monotonicMs(), revision, nodeRevision });
}

/** @returns whether another poll has saved something since n8n has read the state for this one */
export function isOvertaken(context: IPollFunctions, startedAt: number): boolean {
	const last = lastSaved.get(triggerKey(context));
	if (last === undefined || startedAt - last.at >= LONGEST_START_MS) return false;
	return savedRevision(context) < last.revision || nodeRevisionOf(context) < last.nodeRevision;
}
