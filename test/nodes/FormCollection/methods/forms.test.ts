import { FormCollection } from '../../../../nodes/FormCollection/FormCollection.node';
import type { Sandbox } from '../../../../sandbox';
import { startSandbox } from '../../../../sandbox';
import { loadOptions } from '../../../support/engine';
import { credentialsOf, factsOf, formRecord, requestsTo } from '../../../support/formCollection';

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
