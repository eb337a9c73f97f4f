import type { IPollFunctions } from 'n8n-workflow';

/** n8n polls with one context from activation on; only its scheduler makes one for each tick. */
const usedContexts = new WeakSet<IPollFunctions>();

/** What n8n 2.41 answers for all polls but those of its scheduler; it ends none of them then. */
const NO_BUDGET_MS = 300_000;

/**
 * Whether this is the poll that comes with the activation of the workflow. To be asked once a poll: the next
 * time, the context is one that n8n has polled with before.
 *
 * Only the scheduler of n8n 2.41 polls with new contexts later on. It calls each of them an update, as
 * n8n also calls the publishing of a workflow that is published already. Nothing but the budget tells
 * these two apart. n8n 1.123 and 2.0 have neither a scheduler nor budgets.
 */
export function isActivation(context: IPollFunctions): boolean {
	if (context.getMode() === 'manual' || usedContexts.has(context)) return false;
	usedContexts.add(context);
	return context.getActivationMode() !== 'update' || tickBudgetMs(context) === undefined;
}

/**
 * Whether n8n activates on its own what was published before: it starts, or takes over from another main
 * process.
 */
export function isRestart(context: IPollFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/** @returns after how long the scheduler of n8n abandons this poll, if it has started it */
export function tickBudgetMs(context: Partial<IPollFunctions>): number | undefined {
	const budgetMs = context.getPollBudgetMs?.();
	return budgetMs === NO_BUDGET_MS ? undefined : budgetMs;
}
