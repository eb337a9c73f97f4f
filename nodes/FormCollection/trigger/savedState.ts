import type { IPollFunctions } from 'n8n-workflow';
import type { DedupeState } from './dedupe';
import type { Validators } from '../transport/replyHeaders';

/** What is known of a form. n8n saves it between polls: its names never change once released. */
export interface SavedState {
	/** The credential and the form that it is about */
	source?: string;
	dedupe?: DedupeState;
	/** Of the reply that `dedupe` is of, or of a later one that had nothing new */
	validators?: Validators;
	/** Unix epoch milliseconds: when the first poll got nothing, until one has got `dedupe` */
	publishedAt?: number;
}

/** @returns undefined where nothing is known, which makes all responses that are there old ones */
export function knownState(context: IPollFunctions, source: string): SavedState | undefined {
	return [nodeState(context), activationState(context)].find((state) => state?.source === source);
}

/** @param isNew false if nothing but the validators may differ from what is known */
export function saveState(context: IPollFunctions, next: SavedState, isNew: boolean): void {
	const state = nodeState(context);
	const isKnown = knownState(context, next.source ?? '') === state;
	// Where nothing has changed, nothing is marked as changed, which n8n would save.
	if (!isKnown || isNew) {
		Object.assign(state, next);
		saveActivationState(context, isKnown ? undefined : next);
	} else if (JSON.stringify(state.validators) !== JSON.stringify(next.validators)) {
		state.validators = next.validators;
	}
}

/**
 * What activation found is kept until the state of the node is sure to be saved. After activation n8n
 * saves the static data of the workflow in every case; that of the node it leaves unsaved with durable
 * cursors, and without them after each later poll that emits nothing.
 */
export function saveActivationState(context: IPollFunctions, state: SavedState | undefined): void {
	context.getWorkflowStaticData('global')[activationKey(context)] = state;
}

function activationState(context: IPollFunctions): SavedState | undefined {
	return context.getWorkflowStaticData('global')[activationKey(context)] as SavedState | undefined;
}

function nodeState(context: IPollFunctions): SavedState {
	return context.getWorkflowStaticData('node');
}

function activationKey(context: IPollFunctions): string {
	return `formCollectionTrigger ${context.getNode().id}`;
}
