import type { IPollFunctions } from 'n8n-workflow';

/** n8n polls with one context from activation on; only its scheduler makes one for each tick. */
const usedContexts = new WeakSet<IPollFunctions>();

/** What n8n 2.41 gives every poll that its scheduler does not start; before, there is no budget. */
const UNSCHEDULED_BUDGET_MS = 300_000;

/** Whether this is the poll that comes with the activation of the workflow. */
export function isActivation(context: IPollFunctions): boolean {
	if (context.getMode() === 'manual' || usedContexts.has(context)) return false;
	usedContexts.add(context);
	// n8n's scheduler gives each of its ticks less time.
	return budgetMs(context) >= UNSCHEDULED_BUDGET_MS;
}

/** How long a poll may take: n8n abandons it then. */
export function budgetMs(context: Partial<IPollFunctions>): number {
	return context.getPollBudgetMs?.() ?? UNSCHEDULED_BUDGET_MS;
}
