import type { INodeProperties } from 'n8n-workflow';
import { InvalidInput } from '../transport/errors';
import { isRecord } from '../transport/records';
import type { FormReference } from '../transport/request';

export const formField: INodeProperties = {
	displayName: 'Form',
	name: 'formId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The form to use. Loading the list costs one request.',
	builderHint: {
		propertyHint:
			'Prefer mode "id" with the ID of the form, as Get Forms returns it: mode "list" is for users who pick the form by its title',
	},
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a form...',
			typeOptions: { searchListMethod: 'searchForms', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 8899d818-977d-46aa-8246-692996dcc594',
		},
	],
};

export const formSlugField: INodeProperties = {
	...formField,
	name: 'formSlug',
	builderHint: { propertyHint: 'Use mode "slug" with the slug of the form' },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a form...',
			typeOptions: { searchListMethod: 'searchFormSlugs', searchable: true },
		},
		{
			displayName: 'By Slug',
			name: 'slug',
			type: 'string',
			placeholder: 'e.g. contact-us',
		},
	],
};

/** n8n evaluates every saved text that begins with "=": a space keeps a choice of the list from becoming an expression. */
export function toChoiceText(text: string): string {
	return text.startsWith('=') ? ` ${text}` : text;
}

/** @returns the text that `toChoiceText` has made a choice of */
export function fromChoiceText(text: string): string {
	return text.startsWith(' =') ? text.slice(1) : text;
}

/**
 * @param value of a form field, as n8n resolves it
 * @param name of what identifies the form, e.g. "ID"
 * @throws InvalidInput if no form is chosen, also by an expression
 */
export function toForm(value: unknown, name = 'ID'): FormReference {
	const form = formOf(value);
	if (form === undefined) {
		throw new InvalidInput(`No form is chosen: select one in the field Form, or enter its ${name}`);
	}
	if (/https?:\/\//i.test(form.id)) {
		throw new InvalidInput(`Form is a web address: select the form, or enter its ${name}`);
	}
	return form;
}

/** @returns undefined if no form is chosen */
export function formOf(value: unknown): FormReference | undefined {
	const locator: Record<string, unknown> = isRecord(value) ? value : { value };
	const entered = locator.value;
	const id =
		typeof entered === 'string' || typeof entered === 'number' ? String(entered).trim() : '';
	if (id === '') return undefined;
	const title = locator.mode === 'list' ? locator.cachedResultName : undefined;
	return title ? { id, title: String(title) } : { id };
}
