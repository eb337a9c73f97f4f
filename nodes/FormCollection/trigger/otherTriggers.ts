import type { IPollFunctions } from 'n8n-workflow';
import { keepStateOf } from './savedState';

/*
 * When a workflow is published, n8n 2.41 registers only the triggers that are new or changed, each time with
 * a copy of what is saved by then. When one of them emits, n8n saves its whole copy: also what the other
 * triggers knew at that time, in place of what they know by now. So each trigger first puts that into its copy.
 */

/** What n8n polls with, by workflow and trigger */
const contexts = new Map<string, Map<string, WeakRef<IPollFunctions>>>();

/** @param context of a poll */
export function rememberTrigger(context: IPollFunctions): void {
	const workflowId = String(context.getWorkflow().id);
	const ofWorkflow = contexts.get(workflowId) ?? new Map<string, WeakRef<IPollFunctions>>();
	ofWorkflow.set(context.getNode().id, new WeakRef(context));
	contexts.set(workflowId, ofWorkflow);
}

/** To be called before a poll emits. */
export function keepOtherTriggers(context: IPollFunctions): void {
	for (const reference of contexts.get(String(context.getWorkflow().id))?.values() ?? []) {
		const other = reference.deref();
		if (other !== undefined) keepStateOf(other, context);
	}
}
