import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { toChoiceText } from '../parameters/formLocator';
import { folded } from '../responses/answerFilters';
import { ServiceClient } from '../transport/client';
import { toNodeError } from '../transport/errors';
import type { FormRecord } from '../transport/records';

/** The list of the form dropdown, whose values are form IDs: every form by title, in one request. */
export const searchForms = searchBy('id');

/** The list of the form dropdown of Get Embed Code, whose values are slugs. */
export const searchFormSlugs = searchBy('slug');

function searchBy(valueField: 'id' | 'slug') {
	return async function (
		this: ILoadOptionsFunctions,
		filter?: string,
	): Promise<INodeListSearchResult> {
		try {
			const service = new ServiceClient(this);
			const forms = await service.forms(await service.account(0));
			// A list has no place for a hint.
			for (const hint of service.hints()) this.logger.warn(hint);
			return { results: formChoices(forms, valueField, filter) };
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	};
}

/**
 * Choices sorted by title. Where these look alike, the slug and then the id tell forms apart.
 *
 * @param valueField the field of the record that becomes the value of the choice
 * @param filter keeps the forms whose title, slug, id or name in the list contains it, in any case
 */
export function formChoices(
	forms: FormRecord[],
	valueField: 'id' | 'slug',
	filter = '',
): { name: string; value: string }[] {
	const wanted = searchable(filter);
	const choices = labelled(forms)
		.filter(({ form }) => textOf(form[valueField]).trim() !== '')
		.filter(({ form: { title, slug, id }, label }) =>
			[title, slug, id, label].some((field) => searchable(textOf(field)).includes(wanted)),
		)
		.sort((a, b) => a.label.localeCompare(b.label))
		.map(({ form, label }) => ({
			name: toChoiceText(label),
			value: toChoiceText(textOf(form[valueField])),
		}));
	// n8n tells choices apart by their values: forms that share a slug are one choice with both names.
	const names = new Map<string, Set<string>>();
	for (const { name, value } of choices) {
		names.set(value, (names.get(value) ?? new Set()).add(name));
	}
	return [...names].map(([value, some]) => ({ name: [...some].join(', '), value }));
}

function labelled(forms: FormRecord[]): { form: FormRecord; label: string }[] {
	let entries = forms.map((form) => ({ form, details: 0, label: labelOf(form, 0) }));
	for (;;) {
		const counts = new Map<string, number>();
		for (const { label } of entries) counts.set(label, (counts.get(label) ?? 0) + 1);
		const isAmbiguous = ({ label, details }: (typeof entries)[number]) =>
			details < 2 && (counts.get(label) ?? 0) > 1;
		if (!entries.some(isAmbiguous)) return entries;
		entries = entries.map((entry) => {
			if (!isAmbiguous(entry)) return entry;
			const details = entry.details + 1;
			return { ...entry, details, label: labelOf(entry.form, details) };
		});
	}
}

function labelOf({ title, slug, id }: FormRecord, details: number): string {
	const texts = [title, slug, id].map((field) => asShown(textOf(field)));
	const [name = '', ...others] = texts.filter((text) => text !== '');
	const shown = others.slice(0, details);
	return shown.length > 0 ? `${name} (${shown.join(', ')})` : name;
}

/** As the page of the editor shows white space, and letters whose accents are characters of their own. */
function asShown(text: string): string {
	return text.replace(/\s+/g, ' ').trim().normalize();
}

function searchable(text: string): string {
	return folded(asShown(text));
}

function textOf(value: unknown): string {
	return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
}
