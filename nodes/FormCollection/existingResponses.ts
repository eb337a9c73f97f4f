import { canonical } from './ledger';
import type { Service } from './service/client';
import type { Answers, ResponseRecord } from './service/records';
import { isAnswers } from './service/records';

/** Ids of the responses that a form has already, by their answers. */
type Existing = Map<string, unknown[]>;

const existingByService = new WeakMap<Service, Map<string, Promise<Existing>>>();

/**
 * Lets a response that the form has already stand for a submission with the same answers. The form is
 * read once; each response stands for one submission only.
 *
 * @param taken the ids of the responses that stand for a submission already
 * @returns the id of the response, or undefined if there is none left
 */
export async function takeExisting(
	service: Service,
	formId: string,
	answers: Answers,
	taken: () => ReadonlySet<unknown>,
	timeoutMs?: number,
): Promise<unknown> {
	const forms = existingByService.get(service) ?? new Map<string, Promise<Existing>>();
	existingByService.set(service, forms);
	const existing =
		forms.get(formId) ??
		service.responses(formId, timeoutMs).then((responses) => byAnswers(responses, taken()));
	forms.set(formId, existing);
	return (await existing).get(canonical(answers))?.shift();
}

function byAnswers(responses: ResponseRecord[], taken: ReadonlySet<unknown>): Existing {
	const existing: Existing = new Map();
	for (const { id, answers } of responses) {
		if (taken.has(id) || !isAnswers(answers)) continue;
		const key = canonical(answers);
		const ids = existing.get(key);
		if (ids === undefined) existing.set(key, [id]);
		else ids.push(id);
	}
	return existing;
}
