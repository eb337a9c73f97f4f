import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { normalizeUrl } from '../../../../nodes/FormCollection/transport/account';
import type { Sandbox } from '../../../../sandbox';
import { startSandbox } from '../../../../sandbox';
import { execute } from '../../../support/engine';
import {
	byId,
	factsOf,
	formRecord,
	itemsOf,
	requestsTo,
	runOn,
} from '../../../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const getForms = async (credentials: { baseUrl?: unknown; apiKey?: unknown }) =>
	await execute({
		parameters: { operation: 'getForms' },
		credentials: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, ...credentials } as never,
		input: [{}, {}],
	});

it.each([
	(url: string) => `${url}/`,
	(url: string) => `  ${url}///\n`,
	(url: string) => url.replace('http', 'HTTP'),
	(url: string) => `${url}?`,
])('takes a Base URL as people paste it (%#)', async (paste) => {
	const { items } = await getForms({ baseUrl: paste(sandbox.baseUrl) });

	expect(items).toHaveLength(2);
	expect(sandbox.log.map(({ path }) => path)).toEqual(['/api/forms']);
});

it('takes white space around the key', async () => {
	const { items } = await getForms({ apiKey: `\t${sandbox.apiKey}\n` });

	expect(items.slice(0, 1)).toEqual(itemsOf([formRecord('f1')], 0));
});

it.each<[string, (account: Sandbox) => ICredentialDataDecryptedObject, number]>([
	['without expressions once for all items', ({ baseUrl, apiKey }) => ({ baseUrl, apiKey }), 1],
	[
		'with an expression as Base URL once for each item',
		({ baseUrl, apiKey }) => ({ baseUrl: `={{ '${baseUrl}' }}`, apiKey }),
		3,
	],
	[
		'with an expression as API Key once for each item',
		({ baseUrl, apiKey }) => ({ baseUrl, apiKey: `={{ '${apiKey}' }}` }),
		3,
	],
])('reads a credential %s, and not again for a request', async (_, credentialsOf, reads) => {
	const parameters = {
		operation: 'createResponse',
		formId: byId('f1'),
		answersInput: 'json',
		answersJson: '={{ $json }}',
	};
	const { credentialReads } = await runOn(sandbox, parameters, {
		input: [{ a: '1' }, { a: '2' }, { a: '3' }],
		credentials: credentialsOf(sandbox),
	});

	expect(sandbox.log.map(({ status }) => status)).toEqual([201, 201, 201]);
	expect(credentialReads).toBe(reads);
});

const example =
	'enter one like https://forms.example.com/api in the Form Collection API credential';

it.each<[unknown, string]>([
	['', `The Base URL is empty: ${example}`],
	['  ', `The Base URL is empty: ${example}`],
	[undefined, `The Base URL is empty: ${example}`],
	['not a url', `The Base URL is not a web address: ${example}`],
	['forms.example.com/api', `The Base URL is not a web address: ${example}`],
	['localhost:3000/api', `The Base URL is not a web address: ${example}`],
	['ftp://user:secret@example.com', `The Base URL is not a web address: ${example}`],
	['not-https://example.com', `The Base URL is not a web address: ${example}`],
	['http://', `The Base URL is not a web address: ${example}`],
	...[
		'user:secret@example.com',
		'user@example.com',
		':secret@example.com',
		'example.com/api?key=secret',
		'example.com/#secret',
	].map((rest): [unknown, string] => [
		`https://${rest}`,
		`The Base URL has more than a host and a path: leave out the user name, "?" and "#", and ${example}`,
	]),
])(
	'refuses the Base URL %j before any request, and does not repeat it',
	async (baseUrl, message) => {
		const { error } = await getForms({ baseUrl });

		expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
		expect(requestsTo(sandbox)).toEqual([]);
	},
);

it.each([
	['', 'empty'],
	['  ', 'empty'],
	[undefined, 'empty'],
	['two\nlines', 'incomplete or has invalid characters'],
	['two words', 'incomplete or has invalid characters'],
	['ключ', 'incomplete or has invalid characters'],
])('refuses the API key %j before any request', async (apiKey, found) => {
	const { error } = await getForms({ apiKey });

	expect(factsOf(error)).toEqual({
		message: `The API Key is ${found}: copy it from your account settings into the Form Collection API credential`,
		itemIndex: 0,
	});
	expect(requestsTo(sandbox)).toEqual([]);
});

it.each(['Bearer abc-123', ' bearer  abc-123 '])('refuses the API key %j', async (apiKey) => {
	const { error } = await getForms({ apiKey });

	expect(factsOf(error)).toEqual({
		message:
			'The API Key begins with the word Bearer: leave it out in the Form Collection API credential, because the node adds it',
		itemIndex: 0,
	});
	expect(requestsTo(sandbox)).toEqual([]);
});

it.each([
	['https://forms.example.com', 'https://forms.example.com'],
	['https://Forms.Example.com:443/api/', 'https://forms.example.com/api'],
	['http://[::1]:8080/a/b//', 'http://[::1]:8080/a/b'],
])('makes %s of %s', (text, expected) => {
	expect(normalizeUrl('Base URL', text, 'https://forms.example.com/api')).toBe(expected);
});

it.each([
	['a key of fewer than 8 characters is left as it is', 'short', 'a-short-id'],
	['a longer key is not passed on', 'longer-key', 'a-…-id'],
])('the reply to a submission that repeats the key: %s', async (_, apiKey, response_id) => {
	sandbox.addKey(apiKey);
	sandbox.faults.add({ status: 200, body: { success: true, response_id: `a-${apiKey}-id` } });
	const { items } = await execute({
		parameters: {
			operation: 'createResponse',
			formId: byId('f1'),
			answersInput: 'json',
			answersJson: '{ "n": "1" }',
		},
		credentials: { baseUrl: sandbox.baseUrl, apiKey },
	});

	expect(items.map(({ json }) => json)).toEqual([{ success: true, response_id }]);
});
