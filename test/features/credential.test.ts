import { CredentialTestContext } from 'n8n-core';
import type { ICredentialTestFunctions, INodeParameters, IRequestOptions } from 'n8n-workflow';
import { FormCollectionApi } from '../../credentials/FormCollectionApi.credentials';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { execute, testCredential } from '../support/engine';
import { useFastClock } from '../support/fastClock';
import {
	abandoned,
	byId,
	credentialsOf,
	formRecord,
	itemsOf,
	requestsTo,
	responseRecord,
	runOn,
	shownBy,
} from '../support/formCollection';

/** The credential and its test; the error messages of requests are in the snapshot of the fault matrix. */

/** Two accounts of two services whose forms and responses have the same IDs. */
let ada: Sandbox;
let bob: Sandbox;

beforeAll(async () => {
	const start = async (name: string) =>
		await startSandbox({
			apiKey: `key-of-${name}`,
			forms: [formRecord('f1', { title: name })],
			responses: [responseRecord('f1', 'r1', { answers: { email: name } })],
		});
	[ada, bob] = [await start('ada'), await start('bob')];
});
beforeEach(() => [ada, bob].forEach((service) => service.reset()));
/** Each account got its own key, and no other. */
afterEach(() => {
	for (const { log, apiKey } of [ada, bob]) {
		for (const { headers } of log) expect(headers.authorization).toBe(`Bearer ${apiKey}`);
	}
});
afterAll(async () => void (await Promise.all([ada.stop(), bob.stop()])));

it('hides the key in the editor', () => {
	const hidden = new FormCollectionApi().properties.filter(
		({ typeOptions }) => typeOptions?.password,
	);

	expect(hidden.map(({ name }) => name)).toEqual(['apiKey']);
});

it.each([
	(url: string) => ` ${url}/\n`,
	(url: string) => `${url}///`,
	(url: string) => url.replace('http', 'HTTP'),
])('takes a Base URL, and a key, as people paste them (%#)', async (paste) => {
	const credentials = { baseUrl: paste(ada.baseUrl), apiKey: `\t${ada.apiKey}\n` };
	const { items } = await execute({ parameters: { operation: 'getForms' }, credentials });

	expect(items).toEqual(itemsOf(ada.forms, 0));
	for (const Node of [FormCollection, FormCollectionTrigger]) {
		expect((await testCredential(credentials, Node)).status).toBe('OK');
	}
	expect(ada.log.map(({ path }) => path)).toEqual(Array(3).fill('/api/forms'));
});

it.each<[string, unknown[], RegExp]>([
	[
		'baseUrl',
		['', '  ', undefined],
		/URL is empty: enter one like https:\/\/forms\.example\.com\/api/,
	],
	['baseUrl', ['example.com/api', 'localhost:3000/api', 'http://'], /The Base URL is not a web/],
	['baseUrl', ['ftp://secret@example.com'], /The Base URL is not a web address/],
	['baseUrl', ['https://me:secret@example.com', 'https://secret@example.com'], /Base URL has more/],
	['baseUrl', ['https://example.com/?key=secret', 'https://example.com/#secret'], /URL has more/],
	['apiKey', ['', ' ', undefined], /The API Key is empty/],
	['apiKey', ['two\nlines', 'two words', 'ключ'], /The API Key has invalid characters/],
	['apiKey', ['Bearer secret'], /The API Key begins with "Bearer"/],
])('is refused before any request, without its secrets: %s %j', async (field, values, named) => {
	for (const value of values) {
		const credentials = { ...credentialsOf(ada), [field]: value as string };
		const { error } = await execute({ parameters: { operation: 'getForms' }, credentials });
		const { status, message } = await testCredential(credentials);

		expect(shownBy({ error })).toMatch(named);
		expect(shownBy({ error })).toContain('the credential');
		expect([status, message]).toEqual(['Error', expect.stringMatching(named)]);
		expect(`${shownBy({ error })} ${message}`).not.toContain('secret');
	}
	expect(requestsTo(ada)).toEqual([]);
});

it('names n8n’s reason where n8n cannot read it', async () => {
	const getDecrypted = async () =>
		await Promise.reject(new Error('Credentials could not be decrypted.'));
	const { error } = await runOn(ada, { operation: 'getForms' }, { getDecrypted });

	expect(shownBy({ error })).toMatch(/credential[^]*Credentials could not be decrypted/);
});

describe('its test', () => {
	it('looks at the Embed URL, too', async () => {
		const { message } = await testCredential({ ...credentialsOf(ada), embedUrl: 'example.com' });

		expect(message).toMatch(/Embed URL/);
	});

	describe('in n8n 2.0, whose timeout does not act until there is a connection,', () => {
		useFastClock();

		it('ends where a reply stops, which it cuts off, and where there is none', async () => {
			ada.faults.add({ hang: 'body', times: 1 }, { hang: true });
			const { helpers } = new CredentialTestContext({} as never);
			const request = async (options: IRequestOptions) =>
				(await helpers.request({ ...options, timeout: undefined })) as unknown;
			const test = async () =>
				await new FormCollection().methods.credentialTest.testCredential.call(
					{ helpers: { request } } as unknown as ICredentialTestFunctions,
					{ id: '1', name: '', type: 'formCollectionApi', data: credentialsOf(ada) },
				);
			const startedAt = Date.now();
			const messages = (await Promise.all([test(), test()])).map(({ message }) => message);

			expect(messages).toEqual(Array(2).fill(expect.stringContaining('30 seconds')));
			expect(Date.now() - startedAt).toBeLessThan(32_000);
			await abandoned(ada);
		});
	});
});

describe('with expressions, as n8n evaluates them for each item,', () => {
	const run = async (
		parameters: INodeParameters,
		owners: Pick<Sandbox, 'baseUrl' | 'apiKey'>[],
		emails: string[] = [],
	) =>
		await execute({
			parameters: { formId: byId('f1'), ...parameters },
			credentials: {
				baseUrl: '={{ $json.account.base }}',
				apiKey: '={{ $json.account.key }}',
				embedUrl: '={{ $json.account.base }}',
			},
			input: owners.map(({ baseUrl, apiKey }, item) => ({
				email: emails[item],
				account: { base: baseUrl, key: apiKey },
			})),
			node: { onError: 'continueRegularOutput' },
		});

	const create = {
		operation: 'createResponse',
		answersInput: 'json',
		answersJson: '={{ { email: $json.email } }}',
		options: { parallelRequests: 1 },
	};

	const stored = ({ responses }: Sandbox) => responses.map(({ answers }) => answers.email);

	it.each([
		['getForms', 'title', 'GET /forms'],
		['getResponses', 'answers', 'GET /responses f1'],
		['getQuestions', 'example', 'GET /responses f1'],
	])('reads each account once: %s', async (operation, field, request) => {
		const { items } = await run({ operation }, [ada, bob, bob, ada]);

		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		const names = items.map(({ json }) => /ada|bob/.exec(JSON.stringify(json[field]))?.[0]);
		expect(names).toEqual(['ada', 'bob', 'bob', 'ada']);
		expect([requestsTo(ada), requestsTo(bob)]).toEqual([[request], [request]]);
	});

	it('goes on with the other account where one has a key that is refused', async () => {
		ada.faults.add({ status: 401 });
		const { items } = await run(create, [ada, bob, ada, bob], ['1', '2', '3', '4']);

		expect(items.map(({ json }) => json.success === true)).toEqual([false, true, false, true]);
		expect(ada.log).toHaveLength(1);
		expect(stored(bob)).toEqual(['bob', '2', '4']);
	});

	it('makes embed codes with the address of the account of the item', async () => {
		const formSlug = { __rl: true as const, mode: 'slug', value: 'contact' };
		const { items } = await run({ operation: 'getEmbedCode', formSlug }, [ada, bob]);

		for (const [item, { baseUrl }] of [ada, bob].entries()) {
			expect(items[item]?.json.html).toContain(`src="${baseUrl}/embed.js"`);
		}
	});

	it('fails the items for which it is of no use, and no others', async () => {
		const { items } = await run(create, [{ ...ada, apiKey: '' }, ada], ['1', '2']);

		expect(items.map(({ json }) => json.error)).toEqual([
			expect.stringMatching(/API Key/),
			undefined,
		]);
		expect(stored(ada)).toEqual(['ada', '2']);
	});

	it.each([
		['once for each item', "={{ 'key-of-ada' }}", 3],
		['once for all items where it has none', 'key-of-ada', 1],
	])('is read %s, and not again for a request', async (_, apiKey, reads) => {
		const input = ['1', '2', '3'].map((email) => ({ email }));
		const parameters = { ...create, formId: byId('f1') };
		const credentials = { baseUrl: ada.baseUrl, apiKey };
		const { credentialReads, items } = await execute({ parameters, credentials, input });

		expect([items.length, credentialReads]).toEqual([3, reads]);
	});
});
