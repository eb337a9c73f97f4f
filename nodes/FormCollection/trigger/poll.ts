import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { findNew, newerOf, type Seen, sieveOf } from './dedupe';
import { events } from './events';
import { readTimeout, shaper } from '../actions/fields';
import { toFormId } from '../actions/formLocator';
import { optionOf, toBoolean, toChoice, toObject } from '../actions/parameters';
import { connect, DEFAULT_TIMEOUT_MS } from '../transport/client';
import { InvalidInput, isTemporary, toNodeError } from '../transport/errors';
import { createdAt, type ResponseRecord } from '../transport/records';
import type { Validators } from '../transport/request';

/** What is known of a form. Saved between polls. */
interface State {
	/** The credential and the form that it is about */
	source?: string;
	seen?: Seen;
	/** Of the reply that `seen` is of, or of a later one that had nothing new */
	validators?: Validators;
	/** Unix epoch milliseconds: when the first poll got nothing, until one has got `seen` */
	since?: number;
}

/** n8n polls with one context from activation on; only its scheduler makes one for each tick. */
const usedContexts = new WeakSet<IPollFunctions>();

/**
 * Emits the responses that are new since the last poll, in one request, which reads nothing if the
 * service says that nothing has changed.
 */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const isActivation = isActivating(this);
	usedContexts.add(this);
	let source: string | undefined;
	try {
		toChoice('Event', this.getNodeParameter('event', 'newResponse'), events);
		const formId = toFormId(this.getNodeParameter('formId', ''));
		const options = toObject('Options', this.getNodeParameter('options', {}));
		source = `${this.getNode().credentials?.formCollectionApi?.id ?? ''} ${formId}`;
		// The next poll is the second try.
		const service = connect(this, 1);
		const toItem = shaper(options);
		const includeExisting = toBoolean(
			'Include Existing Responses',
			optionOf(options, 'includeExisting', false),
		);
		const timeout = timeoutMs(this, options);

		if (this.getMode() === 'manual') {
			let newest: ResponseRecord | undefined;
			const start = () => {
				newest = undefined;
				return (response: ResponseRecord) => void (newest = newerOf(newest, response));
			};
			await service.responses(formId, start, { timeoutMs: timeout });
			if (newest !== undefined) return [this.helpers.returnJsonArray(toItem(newest))];
			throw new InvalidInput(
				'This form has no responses yet: submit one and fetch the test event again',
			);
		}

		const before = knownOf(this, source);
		const isWanted = (time: number | undefined) =>
			before?.seen !== undefined ||
			includeExisting ||
			(time ?? -Infinity) >= (before?.since ?? Infinity);
		let sieve = sieveOf(before?.seen, isWanted);
		const { isUnchanged, validators } = await service.responses(
			formId,
			() => (sieve = sieveOf(before?.seen, isWanted)).take,
			{ timeoutMs: timeout, unless: before?.seen && before.validators },
		);
		if (isUnchanged) return null;

		// Read again after the request, so that a poll that overtook this one is taken into account.
		const state: State = this.getWorkflowStaticData('node');
		const known = knownOf(this, source);
		// That one has seen what is there; what has come since is for the next poll.
		if ((known?.seen === undefined) !== (before?.seen === undefined)) return null;
		const { fresh, seen } = findNew(sieve.passed(), known?.seen);
		const next: State = { source, seen, validators };
		// Where nothing has changed, nothing is marked as changed, which n8n would save.
		if (known !== state || fresh.length > 0) {
			Object.assign(state, next);
			setStart(this, known !== state ? next : undefined);
		} else if (hasChanged(state.validators, validators)) {
			Object.assign(state, { validators });
		}
		const emitted = fresh.filter((response) => isWanted(createdAt(response)));
		return emitted.length > 0 ? [this.helpers.returnJsonArray(emitted.map(toItem))] : null;
	} catch (error) {
		const nodeError = toNodeError(this.getNode(), error);
		if (isActivation && source !== undefined && isTemporary(error)) {
			if (knownOf(this, source) === undefined) setStart(this, { source, since: Date.now() });
			this.logger.warn(
				`The first poll of "${this.getNode().name}" got nothing: ${nodeError.message}`,
			);
			return null;
		}
		throw nodeError;
	}
}

/** @returns undefined where nothing is known, which makes all responses that are there old ones */
function knownOf(context: IPollFunctions, source: string): State | undefined {
	const state: State = context.getWorkflowStaticData('node');
	const start = context.getWorkflowStaticData('global')[startKey(context)] as State | undefined;
	return [state, start].find((candidate) => candidate?.source === source);
}

/**
 * What activation found is kept until the state of the node is sure to be saved. After activation n8n
 * saves the static data of the workflow in every case; that of the node it leaves unsaved with durable
 * cursors, and without them after each later poll that emits nothing.
 */
function setStart(context: IPollFunctions, start: State | undefined): void {
	context.getWorkflowStaticData('global')[startKey(context)] = start;
}

function startKey(context: IPollFunctions): string {
	return `formCollectionTrigger ${context.getNode().id}`;
}

function hasChanged(before: Validators | undefined, after: Validators | undefined): boolean {
	return JSON.stringify(before) !== JSON.stringify(after);
}

const UNSCHEDULED_BUDGET_MS = 300_000;

/** Activation polls once, and would be refused for what is over by the next poll. */
function isActivating(context: IPollFunctions): boolean {
	if (context.getMode() === 'manual' || usedContexts.has(context)) return false;
	// n8n's scheduler gives each of its ticks less time.
	return budgetMs(context) >= UNSCHEDULED_BUDGET_MS;
}

/** After its budget n8n abandons the poll. */
function timeoutMs(context: IPollFunctions, options: object): number {
	return Math.min(readTimeout(options) ?? DEFAULT_TIMEOUT_MS, budgetMs(context));
}

/** n8n before 2.41 has no budget. */
function budgetMs(context: Partial<IPollFunctions>): number {
	return context.getPollBudgetMs?.() ?? UNSCHEDULED_BUDGET_MS;
}
