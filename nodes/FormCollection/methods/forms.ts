import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { toChoiceText } from '../parameters/formLocator';
import { folded } from '../responses/answerFilters';
import { readAccount } from '../transport/account';
import { ServiceClient } from '../transport/client';
import { toNodeError } from '../transport/errors';
import type { FormRecord } from '../transport/records';

/** The list of the form field, whose values are form IDs: every form by title, in one request. */
export const searchForms = searchBy('id');

/** The list of the form field of Get Embed Code, whose values are slugs. */
export const searchFormSlugs = searchBy('slug');

function searchBy(valueField: 'id' | 'slug') {
	return async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		const read = async () => await new ServiceClient(this).forms(await readAccount(this, 0));
		const { result } = await read().catch((error: unknown) =>
			Promise.reject(toNodeError(this.getNode(), error)),
		);
		return { results: formChoices(result, valueField, filter) };
	};
}

/** Choices sorted by title; where titles repeat or are empty, they show the slug or the id. */
function formChoices(forms: FormRecord[], valueField: 'id' | 'slug', filter: string) {
	const counts = new Map<string, number>();
	for (const form of forms) {
		for (const label of labelsOf(form)) counts.set(label, (counts.get(label) ?? 0) + 1);
	}
	return forms
		.filter((form) => textOf(form[valueField]) !== '')
		.filter((form) => labelsOf(form).some((label) => folded(label).includes(folded(filter))))
		.map((form) => {
			const labels = labelsOf(form);
			const name = labels.find((label) => counts.get(label) === 1) ?? (labels.at(-1) as string);
			return { name: toChoiceText(name), value: toChoiceText(textOf(form[valueField])) };
		})
		.sort((a, b) => a.name.localeCompare(b.name));
}

/** What a form may be called, the shortest first. */
function labelsOf({ title, slug, id }: FormRecord): string[] {
	const name = textOf(title);
	const details = [textOf(slug), textOf(id)].filter((text) => text !== '');
	return name === '' ? details : [name, ...details.map((detail) => `${name} (${detail})`)];
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}
