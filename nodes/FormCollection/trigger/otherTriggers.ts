import type { IPollFunctions } from 'n8n-workflow';
import { tickBudgetMs } from './activation';
import { keepStateOf, type StaticDataCopy, staticDataCopyOf } from './savedState';

/*
 * When a workflow is published, n8n 2.41 registers only the triggers that are new or changed, each time with
 * a copy of what is saved by then. When one of them emits, n8n saves its whole copy: also what the other
 * triggers knew at that time, in place of what they know by now. So each trigger first puts that into its copy.
 */

/** The copies of the triggers, by workflow and trigger */
const copies = new Map<string, Map<string, WeakRef<StaticDataCopy>>>();

/** Keeps each as long as n8n polls with it. */
const lifetimes = new WeakMap<object, StaticDataCopy>();

/**
 * The scheduler of n8n polls with a fresh copy each time, and with durable cursors it may still drop what a
 * trigger has in memory, together with the execution that it was to start.
 */
const isOfScheduler = (context: IPollFunctions) => tickBudgetMs(context) !== undefined;

/**
 * To be called when n8n starts the workflow again: it has just read what is saved. That is newer than what
 * is known here if another main process had the leadership in between.
 */
export function forgetTriggers(context: IPollFunctions): void {
	copies.delete(String(context.getWorkflow().id));
}

/**
 * To be called in each poll: n8n lets a trigger read what is saved of it only while it polls.
 *
 * @param isFirst whether the poll comes with the activation
 */
export function rememberTrigger(context: IPollFunctions, isFirst: boolean): void {
	if (isOfScheduler(context)) return;
	const workflowId = String(context.getWorkflow().id);
	const ofWorkflow = copies.get(workflowId) ?? new Map<string, WeakRef<StaticDataCopy>>();
	const copy = staticDataCopyOf(context, !isFirst);
	lifetimes.set(context, copy);
	ofWorkflow.set(context.getNode().id, new WeakRef(copy));
	copies.set(workflowId, ofWorkflow);
}

/**
 * To be called before n8n saves what the poll knows by now, and after each first poll: n8n 2.41 saves the copy
 * also where it refuses to activate this trigger, because others may be activated with it. Nothing tells a
 * first poll whether n8n uses the scheduler, but the later polls of another trigger.
 */
export function keepOtherTriggers(context: IPollFunctions, isFirst: boolean): void {
	if (isOfScheduler(context)) return;
	for (const copy of copies.get(String(context.getWorkflow().id))?.values() ?? []) {
		const other = copy.deref();
		if (other !== undefined && (other.isTick || !isFirst)) keepStateOf(other, context);
	}
}
