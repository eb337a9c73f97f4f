import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { findNew, newestOf, type Seen } from './newResponses';
import { shaper, toFormId } from './operations/fields';
import { connect, DEFAULT_TIMEOUT_MS } from './service/client';
import { InvalidInput, isTemporary, toNodeError } from './service/errors';
import { retryPolicy } from './service/retryPolicy';

/** What is saved between polls. */
interface State {
	/** The credential and the form that `seen` is about */
	source?: string;
	seen?: Seen;
}

/** n8n polls with one context from activation on; only its scheduler makes one for each tick. */
const usedContexts = new WeakSet<IPollFunctions>();

/** Emits the responses that are new since the last poll, in one request. */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const isActivation = isActivating(this);
	usedContexts.add(this);
	try {
		const formId = toFormId(this.getNodeParameter('formId', '', { extractValue: true }));
		const options = this.getNodeParameter('options', {}) as Record<string, unknown>;
		const responses = await connect(this).responses(formId, timeoutMs(this));
		const toItem = shaper(options);

		if (this.getMode() === 'manual') {
			const newest = newestOf(responses);
			if (newest !== undefined) return [this.helpers.returnJsonArray(toItem(newest))];
			throw new InvalidInput(
				'This form has no responses yet: submit one and fetch the test event again',
			);
		}

		// Read after the request, so that a poll that overtook this one is taken into account.
		const state: State = this.getWorkflowStaticData('node');
		const source = `${this.getNode().credentials?.formCollectionApi?.id ?? ''} ${formId}`;
		const known = state.source === source ? state.seen : undefined;
		const { fresh, seen } = findNew(responses, known);
		if (known === undefined || fresh.length > 0) Object.assign(state, { source, seen });
		const emitted = known === undefined && options.includeExisting !== true ? [] : fresh;
		return emitted.length > 0 ? [this.helpers.returnJsonArray(emitted.map(toItem))] : null;
	} catch (error) {
		const nodeError = toNodeError(this.getNode(), error);
		if (isActivation && isTemporary(error)) {
			this.logger.warn(
				`The first poll of "${this.getNode().name}" got nothing: ${nodeError.message}`,
			);
			return null;
		}
		throw nodeError;
	}
}

/** Activation polls once, and would be refused for what is over by the next poll. */
function isActivating(context: IPollFunctions): boolean {
	if (context.getMode() === 'manual' || usedContexts.has(context)) return false;
	const state: State = context.getWorkflowStaticData('node');
	return state.seen === undefined || !isScheduledTick(context);
}

const UNSCHEDULED_BUDGET_MS = 300_000;

/** n8n's scheduler gives each tick less time than the five minutes that a poll has otherwise. */
function isScheduledTick(context: IPollFunctions): boolean {
	return context.getActivationMode() === 'update' && budgetMs(context) < UNSCHEDULED_BUDGET_MS;
}

/** All tries together must end before n8n abandons the poll. */
function timeoutMs(context: IPollFunctions): number {
	return Math.min(DEFAULT_TIMEOUT_MS, budgetMs(context) / (retryPolicy.maxTries + 1));
}

/** n8n before 2.41 has no budget. */
function budgetMs(context: Partial<IPollFunctions>): number {
	return context.getPollBudgetMs?.() ?? UNSCHEDULED_BUDGET_MS;
}
