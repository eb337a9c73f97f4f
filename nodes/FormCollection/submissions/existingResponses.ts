import type { IDataObject } from 'n8n-workflow';
import { canonical } from './submissionLog';
import type { Service } from '../transport/client';
import type { Answers } from '../transport/records';
import { isAnswers } from '../transport/records';

/** Ids of the responses that a form has already, by their answers. */
type Existing = Map<string, unknown[]>;

/**
 * Lets each response that a form has already stand for one submission with the same answers.
 *
 * @param taken the ids of the responses that stand for a submission already
 */
export function existingResponses(service: Service, taken: () => ReadonlySet<unknown>) {
	const forms = new Map<string, Promise<Existing>>();

	return {
		/**
		 * Reads the form at the first call for it.
		 *
		 * @returns the id of the response, or undefined if there is none left
		 */
		async take(formId: string, answers: Answers, timeoutMs?: number): Promise<unknown> {
			const existing = forms.get(formId) ?? readExisting(service, formId, taken, timeoutMs);
			forms.set(formId, existing);
			return (await existing).get(canonical(answers))?.shift();
		},
	};
}

async function readExisting(
	service: Service,
	formId: string,
	taken: () => ReadonlySet<unknown>,
	timeoutMs?: number,
): Promise<Existing> {
	let existing: Existing = new Map();
	const start = () => {
		existing = new Map();
		return ({ id, answers }: IDataObject) => {
			if (!isAnswers(answers)) return;
			const key = canonical(answers);
			const ids = existing.get(key);
			if (ids === undefined) existing.set(key, [id]);
			else ids.push(id);
		};
	};
	await service.responses(formId, start, { timeoutMs });
	// Only now, because other items may have created some of these while the form was read.
	const others = taken();
	for (const [key, ids] of existing) {
		existing.set(
			key,
			ids.filter((id) => !others.has(id)),
		);
	}
	return existing;
}
