import { FormCollectionApi } from '../../credentials/FormCollectionApi.credentials';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { execute, testCredential } from '../support/engine';
import { formRecord } from '../support/formCollection';

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

/** Sends the request of the credential's test as n8n does, by a declarative node. */
const test = async (baseUrl: string) =>
	await execute({
		parameters: {},
		credentials: { baseUrl, apiKey: ` ${sandbox.apiKey}\n` },
		node: { type: 'test.credential' },
	});

it.each([(url: string) => url, (url: string) => ` ${url}/\n`, (url: string) => `${url}//`])(
	'is tested with the key, at the forms of the Base URL (%#)',
	async (paste) => {
		const { status, items } = await test(paste(sandbox.baseUrl));

		expect(status).toBe('success');
		expect(items.map(({ json }) => json)).toEqual([{ forms: [formRecord('f1')] }]);
		expect(
			sandbox.log.map(({ method, path, headers }) => [method, path, headers.authorization]),
		).toEqual([['GET', '/api/forms', 'Bearer sandbox-key']]);
	},
);

it('is not sent to where the service redirects', async () => {
	sandbox.faults.add({ redirectTo: `${elsewhere.baseUrl}/forms` });
	await test(sandbox.baseUrl);

	expect(elsewhere.log).toEqual([]);
});

it.each([
	[301, 'The service has moved: set the Base URL to its new address'],
	[401, 'The service refused the API key: copy it from your account settings'],
	[403, 'This API key has no access to your forms: use the key of an account that has'],
	[404, 'There are no forms at this Base URL: check it, it usually ends in /api'],
	[503, 'The service could not answer: try again in a few minutes'],
])('says what to do when the service answers %d', async (status, message) => {
	sandbox.faults.add({ status, body: 'Not now' });
	const { baseUrl, apiKey } = sandbox;

	expect(await testCredential({ baseUrl, apiKey })).toMatchObject({ status: 'Error', message });
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
	]);
});
