import fc from 'fast-check';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { formChoices } from '../../nodes/FormCollection/methods/forms';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions } from '../support/engine';
import { credentialsOf, factsOf, formRecord, requestsTo } from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [
			formRecord('7', { title: 'survey', slug: 'Autumn' }),
			formRecord('1', { title: 'Contact', slug: 'contact-a' }),
			formRecord('2', { title: 'Contact ', slug: 'contact-b' }),
			formRecord('3', { title: 'Contact', slug: '' }),
			formRecord('4', { title: '', slug: 'no-title' }),
			formRecord('5', { title: null, slug: undefined } as never),
			formRecord('6', { title: 'Änderung', slug: 'change' }),
			formRecord('8', { title: 'Café', slug: 'composed' }),
			formRecord('9', { title: 'Cafe\u0301', slug: 'decomposed' }),
			formRecord('', { title: 'No id' }),
			{ title: 'No id either' } as never,
		],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

async function search(filter?: string, method: 'searchForms' | 'searchFormSlugs' = 'searchForms') {
	const context = loadOptions({ parameters: {}, credentials: credentialsOf(sandbox) });
	return await new FormCollection().methods.listSearch[method].call(context, filter);
}

it('lists every form by title, told apart by slug or ID, in one request', async () => {
	expect(await search()).toEqual({
		results: [
			{ name: '5', value: '5' },
			{ name: 'Änderung', value: '6' },
			{ name: 'Café (composed)', value: '8' },
			{ name: 'Café (decomposed)', value: '9' },
			{ name: 'Contact (3)', value: '3' },
			{ name: 'Contact (contact-a)', value: '1' },
			{ name: 'Contact (contact-b)', value: '2' },
			{ name: 'no-title', value: '4' },
			{ name: 'survey', value: '7' },
		],
	});
	expect(requestsTo(sandbox)).toEqual(['GET /forms']);
});

it.each([
	['by title, in any case', 'SURV', ['7']],
	['by slug, in any case', ' autumn ', ['7']],
	['by ID', '5', ['5']],
	['by a letter beyond ASCII', 'äND', ['6']],
	['by an accent that is a character of its own', 'FE\u0301', ['8', '9']],
	['by an accent that is none', 'fé', ['8', '9']],
	['not at all', 'nothing like it', []],
])('finds forms %s', async (_, filter, expected) => {
	const { results } = await search(filter);

	expect(results.map(({ value }) => value)).toEqual(expected);
});

it('keeps the slug beside a title of which the filter leaves one', async () => {
	expect(await search('contact-b')).toEqual({
		results: [{ name: 'Contact (contact-b)', value: '2' }],
	});
});

it('shows the sentence of what went wrong', async () => {
	sandbox.faults.add({ status: 401 });
	const error: unknown = await search().catch((thrown: unknown) => thrown);

	expect(factsOf(error)).toEqual({
		message:
			'The service refused the API key (401): copy the key from your account settings into the Form Collection API credential',
		httpCode: '401',
		failure: { cause: 'credential-invalid' },
	});
});

it('lists the forms that have a slug by it, where the slug is what is needed', async () => {
	expect(await search(undefined, 'searchFormSlugs')).toEqual({
		results: [
			{ name: 'Änderung', value: 'change' },
			{ name: 'Café (composed)', value: 'composed' },
			{ name: 'Café (decomposed)', value: 'decomposed' },
			{ name: 'Contact (contact-a)', value: 'contact-a' },
			{ name: 'Contact (contact-b)', value: 'contact-b' },
			{ name: 'No id', value: 'form-' },
			{ name: 'no-title', value: 'no-title' },
			{ name: 'survey', value: 'Autumn' },
		],
	});
	expect(requestsTo(sandbox)).toEqual(['GET /forms']);
});

it('finds slugs by title', async () => {
	const { results } = await search('SURV', 'searchFormSlugs');

	expect(results).toEqual([{ name: 'survey', value: 'Autumn' }]);
});

it.each([
	[
		'the slug, where titles repeat',
		[
			['1', 'Contact', 'b'],
			['2', ' Contact', 'a'],
			['3', 'Other', 'a'],
		],
		['Contact (a)', 'Contact (b)', 'Other'],
	],
	[
		'the ID, where the slug repeats as well',
		[
			['1', 'Contact', 'contact-us'],
			['5f0c', 'Contact', 'contact-us'],
			['2', 'Contact', 'other'],
		],
		['Contact (contact-us, 1)', 'Contact (contact-us, 5f0c)', 'Contact (other)'],
	],
	[
		'the ID, where there is no slug',
		[
			['1', 'Contact', ''],
			['2', 'Contact', null],
			['3', 'Contact', 'contact-us'],
		],
		['Contact (1)', 'Contact (2)', 'Contact (contact-us)'],
	],
	[
		'the ID, where a title is repeated with white space',
		[
			['1', 'A  B', ''],
			['2', 'A\tB ', ''],
		],
		['A B (1)', 'A B (2)'],
	],
	[
		'the ID, where there is no title',
		[
			['1', '', 'a'],
			['2', null, 'a'],
			['3', undefined, undefined],
		],
		['3', 'a (1)', 'a (2)'],
	],
	[
		'more, where a title looks like that',
		[
			['1', 'Contact', 'a'],
			['2', 'Contact', 'b'],
			['3', 'Contact (a)', 'c'],
		],
		['Contact (a, 1)', 'Contact (a) (c)', 'Contact (b)'],
	],
	[
		'nothing, of a form that is listed twice',
		[
			['1', 'A', 'a'],
			['1', 'A', 'a'],
		],
		['A (a, 1)'],
	],
])('tells forms apart by %s', (_, forms, names) => {
	const records = forms.map(([id, title, slug]) => ({ id, title, slug }));

	expect(formChoices(records as never, 'id').map(({ name }) => name)).toEqual(names);
});

it.each(['Contact us', 'survey 2026', 'Dup (dup-b)', 'istanbul', 'İSTANBUL'])(
	'finds a form by what the list shows of it: %s',
	(filter) => {
		const forms = [
			{ id: '1', title: 'Contact  us' },
			{ id: '2', title: 'Survey\u00a02026' },
			{ id: '3', title: 'Dup', slug: 'dup-a' },
			{ id: '4', title: 'Dup', slug: 'dup-b' },
			{ id: '5', title: 'İstanbul' },
		];
		const found = formChoices(forms as never, 'id', filter);

		expect(found).toHaveLength(1);
		expect(formChoices(forms as never, 'id')).toContainEqual(found[0]);
	},
);

it('gives no two forms the same name, and sorts them by title', () => {
	const text = fc.constantFrom('', 'a', 'b', ' a', 'a (b)', 'a (b, 1)', '=a', null, 7);
	const form = fc.record({ id: fc.nat({ max: 9_999 }), title: text, slug: text });
	const forms = fc.uniqueArray(form, { selector: ({ id }) => id, maxLength: 30 });
	fc.assert(
		fc.property(forms, (records) => {
			const choices = formChoices(records, 'id');
			const names = choices.map(({ name }) => name.trim());
			expect(new Set(names).size).toBe(records.length);
			expect(choices.map(({ value }) => value).sort()).toEqual(
				records.map(({ id }) => String(id)).sort(),
			);
			expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));
		}),
	);
});

it('offers IDs and slugs that are numbers as text, and finds them', () => {
	const forms = [
		{ id: 7, title: 'Seven', slug: 2026 },
		{ id: 0, title: 'Zero', slug: 'zero' },
		{ id: ' ', title: 'Blank', slug: ' ' },
		{ id: true, title: 'True', slug: {} },
	];

	expect(formChoices(forms, 'id')).toEqual([
		{ name: 'Seven', value: '7' },
		{ name: 'Zero', value: '0' },
	]);
	expect(formChoices(forms, 'slug', '202')).toEqual([{ name: 'Seven', value: '2026' }]);
});

it('offers each value once, by all its names', () => {
	const forms = [
		{ id: '1', title: 'Kontakt', slug: 'contact' },
		{ id: '2', title: 'Survey', slug: 'survey' },
		{ id: '3', title: 'Contact', slug: 'contact' },
		{ id: '2', title: 'Survey, too', slug: 'survey' },
		{ id: '3', title: 'Contact', slug: 'contact' },
	];

	expect(formChoices(forms, 'slug')).toEqual([
		{ name: 'Contact (contact, 3), Kontakt', value: 'contact' },
		{ name: 'Survey, Survey, too', value: 'survey' },
	]);
	expect(formChoices(forms, 'id')).toEqual([
		{ name: 'Contact (contact, 3)', value: '3' },
		{ name: 'Kontakt', value: '1' },
		{ name: 'Survey, Survey, too', value: '2' },
	]);
});

it('offers nothing that n8n would take for an expression, in the order of the titles', () => {
	const forms = [
		{ id: '=1+1', title: 'B', slug: '={{ 1 }}' },
		{ id: ' =2', title: '=A', slug: 'a' },
	];

	expect(formChoices(forms, 'id')).toEqual([
		{ name: ' =A', value: '  =2' },
		{ name: 'B', value: ' =1+1' },
	]);
	expect(formChoices(forms, 'slug')).toEqual([
		{ name: ' =A', value: 'a' },
		{ name: 'B', value: ' ={{ 1 }}' },
	]);
});
