import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { connect } from '../transport/client';
import { toNodeError } from '../transport/errors';
import type { FormRecord } from '../transport/records';

/** The list of the form dropdown: every form by title, in one request. */
export const searchForms = searchBy('id');

/** The same where the slug is what is needed. */
export const searchFormSlugs = searchBy('slug');

function searchBy(valueField: 'id' | 'slug') {
	return async function (
		this: ILoadOptionsFunctions,
		filter?: string,
	): Promise<INodeListSearchResult> {
		try {
			const service = connect(this);
			const forms = await service.forms(await service.account(0));
			return { results: formChoices(forms, valueField, filter) };
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	};
}

/**
 * Choices sorted by title. Where titles repeat or are empty, the slug or the id tells forms apart.
 *
 * @param valueField the field of the record that becomes the value of the choice
 * @param filter keeps the forms whose title, slug or id contains it, in any case
 */
export function formChoices(
	forms: FormRecord[],
	valueField: 'id' | 'slug',
	filter = '',
): { name: string; value: string }[] {
	const text = (value: unknown) => (typeof value === 'string' ? value : '');
	const titleOf = ({ title }: FormRecord) => text(title).trim();
	const titles = new Map<string, number>();
	for (const form of forms) titles.set(titleOf(form), (titles.get(titleOf(form)) ?? 0) + 1);

	const wanted = filter.trim().toLowerCase();
	return forms
		.filter((form) => text(form[valueField]) !== '')
		.filter(({ title, slug, id }) =>
			[title, slug, id].some((field) => text(field).toLowerCase().includes(wanted)),
		)
		.map((form) => {
			const title = titleOf(form);
			const label = text(form.slug) || text(form.id);
			const repeated = (titles.get(title) ?? 0) > 1;
			const name = title === '' ? label : repeated ? `${title} (${label})` : title;
			return { name, value: text(form[valueField]) };
		})
		.sort((a, b) => a.name.localeCompare(b.name));
}
