import type { IExecuteFunctions } from 'n8n-workflow';
import { FormState } from './formState';

/**
 * Of the executions that this process runs. The key is the object that n8n keeps for the node as long as
 * the execution is in memory: a loop runs the node many times, and reads each form once.
 */
const statesByExecution = new WeakMap<object, FormStates>();

/** Of all these executions, by account and form */
const statesByForm = new Map<string, Set<WeakRef<FormState>>>();

/** What a node knows of forms within one execution. */
export class FormStates {
	/** By account, form and questions to match on */
	private readonly states = new Map<string, FormState>();

	static of(context: IExecuteFunctions): FormStates {
		const execution = context.getContext('node');
		const states = statesByExecution.get(execution) ?? new FormStates();
		statesByExecution.set(execution, states);
		return states;
	}

	/** @param form the account and the form */
	get(form: string, matchOn: string[], isTool: boolean): FormState {
		const key = JSON.stringify([form, matchOn]);
		const known = this.states.get(key);
		if (known !== undefined) return known;
		const state = new FormState(form, matchOn, isTool);
		this.states.set(key, state);
		statesByForm.set(form, new Set([...livingStatesOf(form), state].map(toWeakRef)));
		return state;
	}

	own(): FormState[] {
		return [...this.states.values()];
	}

	/** What other nodes and executions know of the form */
	othersOf(form: string): FormState[] {
		const own = new Set(this.own());
		return livingStatesOf(form).filter((state) => !own.has(state));
	}
}

function livingStatesOf(form: string): FormState[] {
	const states = [...(statesByForm.get(form) ?? [])].map((reference) => reference.deref());
	const living = states.filter((state) => state !== undefined);
	if (living.length === 0) statesByForm.delete(form);
	return living;
}

function toWeakRef(state: FormState): WeakRef<FormState> {
	return new WeakRef(state);
}
