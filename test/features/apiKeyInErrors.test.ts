import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ServiceError } from '../../nodes/FormCollection/transport/errors';
import { InputMask } from '../../nodes/FormCollection/transport/inputMask';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool, loadOptions } from '../support/engine';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';

const apiKey = 'fc-0123456789"abcdef';
const other = 'fc-another-account-98765';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		apiKey,
		forms: [formRecord('f1')],
		responses: [responseRecord('f1', 'r1')],
	});
});
beforeEach(() => sandbox.reset());
afterEach(() => expect(requestsTo(sandbox)).toEqual([]));
afterAll(async () => await sandbox.stop());

const responses = (parameters: object = {}) =>
	({ operation: 'getResponses', formId: byId('f1'), ...parameters }) as INodeParameters;
const embedCode = (parameters: object = {}) =>
	({
		operation: 'getEmbedCode',
		formSlug: { __rl: true, mode: 'slug', value: 'contact-us' },
		...parameters,
	}) as INodeParameters;
const create = (parameters: object) =>
	({ operation: 'createResponse', formId: byId('f1'), ...parameters }) as INodeParameters;

const credentials = () => ({ ...credentialsOf(sandbox), embedUrl: 'https://forms.example.com' });

const limitIs = (value: string) => `Limit is ${value}: enter a whole number of at least 1`;

it.each<[string, INodeParameters, string]>([
	['Limit', { operation: 'getForms', limit: '={{ $json.secret }}' }, limitIs('"…"')],
	[
		'a date',
		responses({ options: { createdAfter: `Bearer ${apiKey}` } }),
		'Created After is "Bearer …": enter a date and time, e.g. 2026-01-31T09:00:00',
	],
	[
		'a web address',
		responses({ formId: byId(`https://forms.example.com/f?key=${encodeURIComponent(apiKey)}`) }),
		'Form is a web address (https://forms.example.com/f?key=…): select the form from the list, or enter its ID',
	],
	[
		'the question of a filter',
		responses({
			options: {
				answerFilters: { filter: [{ question: '={{ $json.secret }}', condition: 'equals' }] },
			},
		}),
		'Value of the filter for "…" is empty: enter what to compare with, or choose the condition Is Empty',
	],
	[
		'Height',
		embedCode({ height: '={{ $json.secret }}' }),
		'Height is "…": enter a number with a CSS unit, e.g. 600px or 80vh',
	],
	[
		'a slug',
		embedCode({ formSlug: { __rl: true, mode: 'slug', value: `/${apiKey}` } }),
		'Form is "/…", which cannot be a slug: select the form from the list, or enter its slug, e.g. contact-us',
	],
	[
		'a question key',
		create({ answersInput: 'json', answersJson: '={{ { [$json.secret]: {} } }}' }),
		'The answer to "…" is an object: map text, a number, true or false, or a list of these',
	],
	[
		'the operation',
		{ operation: apiKey },
		'There is no operation "…": select one from the Operation list',
	],
	[
		'the name of a field',
		create({
			answersInput: 'mapping',
			answersMapping: {
				mappingMode: 'autoMapInputData',
				value: null,
				schema: [{ id: 'name', displayName: 'name', formId: 'f1' }],
			},
			options: { otherFields: 'stop' },
		}),
		'These fields are not among the questions that this node has loaded: secret, ….',
	],
])('an error message does not show the API key: %s', async (_, parameters, message) => {
	const input = [{ secret: apiKey, [apiKey]: 'x' }];
	const { error } = await runOn(sandbox, parameters, { input, credentials: credentials() });
	const { items } = await runOn(sandbox, parameters, {
		input,
		credentials: credentials(),
		node: { onError: 'continueRegularOutput' },
	});
	const call = asTool({
		parameters: JSON.parse(
			JSON.stringify(parameters).replaceAll(
				'={{ $json.secret }}',
				JSON.stringify(apiKey).slice(1, -1),
			),
		) as INodeParameters,
		credentials: credentials(),
		node: { type: 'n8n-nodes-form-collection.formCollectionTool' },
	});

	const texts = [error?.message, error?.description, error?.stack, items[0]?.json.error];
	for (const text of [...texts, await call({}).catch(String)]) {
		expect(String(text)).not.toContain('0123');
	}
	expect(error?.message).toContain(message);
	expect(items[0]?.json.error).toContain(message);
});

it.each([
	['is longer than what is shown', 'aB3'.repeat(100), (key: string) => key],
	[
		'is shown in part',
		'fc_live_9fK2mQ7xT4vB8nZ1cR6wY3hJ5pL0sD2g',
		(key: string) => 'x'.repeat(80) + key,
	],
])('an error message shows no part of an API key that %s', async (_, key, textOf) => {
	const { error } = await runOn(
		sandbox,
		{ operation: 'getForms', limit: '={{ $json.secret }}' },
		{
			input: [{ secret: textOf(key) }],
			credentials: { ...credentials(), apiKey: key },
		},
	);

	expect(error?.message).toMatch(/^Limit is "x*……: enter a whole number/);
});

it('an error message shows the API key of no item', async () => {
	const secrets = [apiKey, other, apiKey];
	const { failed } = await runOn(sandbox, responses({ limit: '={{ $json.limit }}' }), {
		input: secrets.map((secret) => ({ secret, limit: `${secret}!` })),
		credentials: { baseUrl: sandbox.baseUrl, apiKey: '={{ $json.secret }}' },
		node: { onError: 'continueErrorOutput' },
	});

	expect(failed.map(({ json }) => json.error)).toEqual(Array(3).fill(limitIs('"…!"')));
});

it('the credential is read once for all items that fail, if it is the same for all', async () => {
	const { credentialReads, items } = await runOn(sandbox, responses({ limit: 0 }), {
		input: Array.from({ length: 100 }, (): IDataObject => ({})),
		node: { onError: 'continueRegularOutput' },
	});

	expect(items).toHaveLength(100);
	expect(credentialReads).toBe(1);
});

it.each<[string, Parameters<typeof runOn>[2]]>([
	['a key that is too short to tell', { credentials: { baseUrl: '', apiKey: 'Limit' } }],
	['no key', { credentials: { baseUrl: '', apiKey: '' } }],
	[
		'a credential that cannot be read',
		{ getDecrypted: async () => await Promise.reject(new Error('Database is locked')) },
	],
])('an error message stays as it is with %s', async (_, more) => {
	const { error } = await runOn(sandbox, responses({ limit: 0 }), more);

	expect(factsOf(error)).toEqual({ message: limitIs('0'), itemIndex: 0 });
});

it('a word of an error message may also be in the key', async () => {
	const createdAfter = { options: { createdAfter: 'soon' } };
	const { error } = await runOn(sandbox, responses(createdAfter), {
		credentials: { baseUrl: '', apiKey: '2026-01-31T09:00:00-0123456789abcdefghijkl' },
	});

	expect(error?.message).toBe(
		'Created After is "soon": enter a date and time, e.g. 2026-01-31T09:00:00',
	);
});

describe('what is no error about what was entered', () => {
	const mask = () => new InputMask(loadOptions({ parameters: {}, credentials: credentials() }));

	it('stays as it is: the service has said it, which is masked where it is read', async () => {
		const ofService = new ServiceError({ message: `There is a form ${apiKey}` });
		const entered = new Error(`There is a form ${apiKey}`);
		await mask().apply(ofService, 0);
		await mask().apply(entered, 0);

		expect([ofService.message, entered.message]).toEqual([
			`There is a form ${apiKey}`,
			'There is a form …',
		]);
	});

	it.each([undefined, null, 'A text', { message: apiKey }])(
		'stays as it is: %j, which somebody has thrown',
		async (thrown) => {
			const before = JSON.stringify(thrown);
			await expect(mask().apply(thrown, 0)).resolves.toBeUndefined();

			expect(JSON.stringify(thrown)).toBe(before);
		},
	);
});
