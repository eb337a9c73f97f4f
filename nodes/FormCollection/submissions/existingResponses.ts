import type { IExecuteFunctions } from 'n8n-workflow';
import { type Account, accountKey } from '../transport/account';
import type { Service } from '../transport/client';
import type { Answers, ResponseRecord } from '../transport/records';
import { isAnswers } from '../transport/records';

/** Ids of the responses that a form has already, by their answers. */
type Existing = Map<string, unknown[]>;

/**
 * Of each execution that this process runs, by what n8n keeps for the node as long as the execution
 * is in memory: a loop runs the node many times, and reads each form once.
 */
const readBefore = new WeakMap<object, Map<string, Existing>>();

/**
 * Lets each response that a form has already stand for one submission with the same answers.
 *
 * @param usedIds ids of the responses that stand for a submission already
 * @param timeoutMs of the request, which all items share
 */
export function existingResponses(
	context: IExecuteFunctions,
	service: Service,
	usedIds: () => ReadonlySet<unknown>,
	timeoutMs: () => number | undefined,
) {
	const execution = context.getContext('node');
	const forms = readBefore.get(execution) ?? new Map<string, Existing>();
	readBefore.set(execution, forms);
	// A request that failed is not repeated for the other items of this run.
	const reading = new Map<string, Promise<Existing>>();

	const read = async (account: Account, formId: string, key: string): Promise<Existing> => {
		const { result } = await service.responses(account, formId, collectIds, {
			timeoutMs: timeoutMs(),
		});
		const existing: Existing = new Map();
		// Only now, because other items may have created some of these while the form was read.
		const used = usedIds();
		for (const [answers, ids] of result ?? []) {
			existing.set(
				answers,
				ids.filter((id) => !used.has(id)),
			);
		}
		forms.set(key, existing);
		return existing;
	};

	return {
		/**
		 * Reads the form at the first call for it in this execution.
		 *
		 * @param isFresh reads it at the first such call in this run, even if it was read before
		 * @returns the id of the response, or undefined if there is none left
		 */
		async claim(account: Account, formId: string, answers: Answers, isFresh: boolean) {
			const key = `${accountKey(account)} ${formId}`;
			const known = isFresh ? undefined : forms.get(key);
			if (known !== undefined) return known.get(canonical(answers))?.shift();
			const existing = reading.get(key) ?? read(account, formId, key);
			reading.set(key, existing);
			return (await existing).get(canonical(answers))?.shift();
		},
	};
}

function collectIds() {
	const existing: Existing = new Map();
	return {
		add({ id, answers }: ResponseRecord): void {
			if (!isAnswers(answers)) return;
			const key = canonical(answers);
			const ids = existing.get(key);
			if (ids === undefined) existing.set(key, [id]);
			else ids.push(id);
		},
		result: () => existing,
	};
}

/** A text that is the same for the same answers, whatever the order of their keys. */
export function canonical(answers: Answers): string {
	const keys = Object.keys(answers).sort();
	return JSON.stringify(keys.map((key) => [key, answers[key]]));
}
