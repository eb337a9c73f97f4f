import { FormCollectionApi } from '../../credentials/FormCollectionApi.credentials';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { testCredential } from '../support/engine';
import { credentialsOf, formRecord } from '../support/formCollection';

let sandbox: Sandbox;
let elsewhere: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')] });
	elsewhere = await startSandbox({ forms: [formRecord('f2')] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => {
	await sandbox.stop();
	await elsewhere.stop();
});

const ok = { status: 'OK', message: 'Connection successful!' };
const failed = (message: string) => ({ status: 'Error', message });

it.each([(url: string) => url, (url: string) => ` ${url}/\n`, (url: string) => `${url}//`])(
	'is tested with the key, at the forms of the Base URL (%#)',
	async (paste) => {
		const baseUrl = paste(sandbox.baseUrl);

		expect(await testCredential({ baseUrl, apiKey: ` ${sandbox.apiKey}\n` })).toEqual(ok);
		expect(
			sandbox.log.map(({ method, path, headers }) => [method, path, headers.authorization]),
		).toEqual([['GET', '/api/forms', 'Bearer sandbox-key']]);
	},
);

it.each([FormCollection, FormCollectionTrigger])('is tested by both nodes (%#)', async (Node) => {
	const { baseUrl } = sandbox;

	expect(await testCredential(credentialsOf(sandbox), Node)).toEqual(ok);
	expect(await testCredential({ baseUrl, apiKey: 'wrong' }, Node)).toMatchObject({
		status: 'Error',
	});
});

it('is not sent to where the service redirects', async () => {
	sandbox.faults.add({ redirectTo: `${elsewhere.baseUrl}/forms` });

	expect(await testCredential(credentialsOf(sandbox))).toEqual(
		failed(
			`The service has moved to ${elsewhere.baseUrl} (302): set the Base URL to it. Redirects are not followed, so that the API key goes nowhere else`,
		),
	);
	expect(elsewhere.log).toEqual([]);
});

it.each([
	[400, 'The service did not accept the request (400): check the Base URL'],
	[401, 'The service refused the API key (401): copy the key from your account settings'],
	[403, 'The API key has no access to your forms (403): copy the key of an account with access'],
	[
		503,
		'The service, or a proxy on the way to it, could not answer (503): try again in a few minutes',
	],
])('says what to do when the service answers %d, and asks once', async (status, message) => {
	sandbox.faults.add({ status, body: '' });

	expect(await testCredential(credentialsOf(sandbox))).toEqual(failed(message));
	expect(sandbox.log).toHaveLength(1);
});

it('says that a missing /api is missing', async () => {
	const { url, apiKey } = sandbox;

	expect(await testCredential({ baseUrl: url, apiKey })).toEqual(
		failed(
			`There is nothing (404) where the forms should be, at ${url}/forms: check the Base URL. It usually ends in /api, e.g. https://forms.example.com/api`,
		),
	);
});

it('passes on what the service says, without the key', async () => {
	sandbox.faults.add({ status: 401, body: { message: `No account has ${sandbox.apiKey}` } });

	expect(await testCredential(credentialsOf(sandbox))).toEqual(
		failed(
			'The service refused the API key (401): copy the key from your account settings. The service says: "No account has …"',
		),
	);
});

it('passes on what the service says beside `success: false`', async () => {
	sandbox.faults.add({ body: { success: false, error: 'Your trial has ended.' } });

	expect(await testCredential(credentialsOf(sandbox))).toEqual(
		failed(
			'The service refused the request and says "Your trial has ended": check your account and the API key',
		),
	);
});

it('says where nothing listens', async () => {
	expect(await testCredential({ baseUrl: 'http://127.0.0.1:1/api', apiKey: 'key' })).toEqual(
		failed(
			'The service at http://127.0.0.1:1 cannot be reached: check the Base URL and that the service is running',
		),
	);
});

it.each([
	[
		{ baseUrl: '127.0.0.1:4000/api', apiKey: 'key' },
		'The Base URL is not a web address: enter one like https://forms.example.com/api',
	],
	[
		{ baseUrl: '', apiKey: 'key' },
		'The Base URL is empty: enter one like https://forms.example.com/api',
	],
	[
		{ baseUrl: 'http://127.0.0.1:1/api', apiKey: '' },
		'The API Key is empty: copy it from your account settings',
	],
])('names the field that no request can be made of (%#)', async (credentials, message) => {
	expect(await testCredential(credentials)).toEqual(failed(message));
});

it('ends the words of the service with one full stop', async () => {
	sandbox.faults.add({ status: 403, times: 1, body: { error: 'No access.' } });
	expect((await testCredential(credentialsOf(sandbox))).message).toBe(
		'The API key has no access to your forms (403): copy the key of an account with access. The service says: "No access."',
	);
	sandbox.faults.add({ status: 429, body: { error: 'Too many.' } });
	expect((await testCredential(credentialsOf(sandbox))).message).toMatch(
		/The service says: "Too many\." To stay within/,
	);
});

it('hides the key in the editor, and asks for address and key', () => {
	const { name, properties } = new FormCollectionApi();

	expect(name).toBe(new FormCollection().description.credentials?.[0]?.name);
	expect(
		properties.map(({ name, type, default: initial, required, typeOptions }) => [
			name,
			type,
			initial,
			required,
			typeOptions?.password,
		]),
	).toEqual([
		['baseUrl', 'string', '', true, undefined],
		['apiKey', 'string', '', true, true],
		['embedUrl', 'string', '', undefined, undefined],
		['sameForAllItems', 'hidden', true, undefined, undefined],
	]);
});
