import { CredentialTestContext } from 'n8n-core';
import type {
	ICredentialTestFunction,
	ICredentialTestFunctions,
	IRequestOptions,
} from 'n8n-workflow';
import { FormCollectionApi } from '../../credentials/FormCollectionApi.credentials';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { testCredential } from '../support/engine';
import { useFastClock } from '../support/fastClock';
import { abandoned, credentialsOf, formRecord } from '../support/formCollection';

/** The credential and its test; its error messages are in the snapshot of the fault matrix. */

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

const test = async (fault?: Fault) => {
	if (fault) sandbox.faults.add(fault);
	return await testCredential(credentialsOf(sandbox));
};

it('hides the key in the editor, and asks for address and key', () => {
	const { name, properties } = new FormCollectionApi();

	expect(name).toBe(new FormCollection().description.credentials?.[0]?.name);
	expect(
		properties
			.filter(({ type }) => type !== 'hidden')
			.map(({ name, type, default: initial, required, typeOptions }) => [
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

it.each([(url: string) => url, (url: string) => ` ${url}/\n`, (url: string) => `${url}//`])(
	'is tested with the key, at the forms of the Base URL (%#)',
	async (paste) => {
		const baseUrl = paste(sandbox.baseUrl);
		const { status } = await testCredential({ baseUrl, apiKey: ` ${sandbox.apiKey}\n` });

		expect(status).toBe('OK');
		expect(
			sandbox.log.map(({ method, path, headers }) => [method, path, headers.authorization]),
		).toEqual([['GET', '/api/forms', 'Bearer sandbox-key']]);
	},
);

it.each([FormCollection, FormCollectionTrigger])('is tested by both nodes (%#)', async (Node) => {
	const { baseUrl } = sandbox;

	expect(await testCredential(credentialsOf(sandbox), Node)).toMatchObject({ status: 'OK' });
	expect(await testCredential({ baseUrl, apiKey: 'wrong' }, Node)).toMatchObject({
		status: 'Error',
	});
});

it('is not sent to where the service redirects', async () => {
	const { status, message } = await test({ redirectTo: `${elsewhere.baseUrl}/forms` });

	expect(status).toBe('Error');
	expect(message).toContain(elsewhere.baseUrl);
	expect(elsewhere.log).toEqual([]);
});

it.each([400, 401, 403, 429, 503])('asks once, and shows the status: %i', async (status) => {
	const result = await test({ status, body: '' });

	expect(result).toMatchObject({ status: 'Error' });
	expect(result.message).toContain(`(${status})`);
	expect(sandbox.log).toHaveLength(1);
});

it('is failed by a Base URL without /api, which the message names', async () => {
	const { url, apiKey } = sandbox;
	const { status, message } = await testCredential({ baseUrl: url, apiKey });

	expect(status).toBe('Error');
	expect(message).toMatch(/\(404\).*Base URL.*\/api/);
});

it.each<[string, Fault]>([
	['a refusal', { status: 401, body: { message: 'Your trial has ended' } }],
	['`success: false`', { body: { success: false, error: 'Your trial has ended.' } }],
])('shows what the service says: %s', async (_, fault) => {
	expect((await test(fault)).message).toContain('Your trial has ended');
});

it('shows no key that the service repeats', async () => {
	const { message } = await test({ status: 401, body: { message: `No ${sandbox.apiKey}!` } });

	expect(message).toContain('(401)');
	expect(message).not.toContain(sandbox.apiKey);
});

it.each([
	[{ baseUrl: '127.0.0.1:4000/api', apiKey: 'key' }, 'Base URL'],
	[{ baseUrl: '', apiKey: 'key' }, 'Base URL'],
	[{ baseUrl: 'http://127.0.0.1:1/api', apiKey: '' }, 'API Key'],
	[{ baseUrl: 'http://127.0.0.1:1/api', apiKey: 'key' }, 'http://127.0.0.1:1'],
])('names what no request can be made of (%#)', async (credentials, named) => {
	const { status, message } = await testCredential(credentials);

	expect(status).toBe('Error');
	expect(message).toContain(named);
});

describe('the test ends, also in n8n 2.0, whose timeout does not act until there is a connection,', () => {
	useFastClock();

	const testIn20 = async (fault: Fault) => {
		sandbox.faults.add(fault);
		const { description, methods } = new FormCollection();
		const name = description.credentials?.[0]?.testedBy as string;
		const { helpers } = new CredentialTestContext({} as never);
		const request = async (options: IRequestOptions) =>
			(await helpers.request({ ...options, timeout: undefined })) as unknown;
		return await (methods.credentialTest as Record<string, ICredentialTestFunction>)[name]!.call(
			{ helpers: { request } } as unknown as ICredentialTestFunctions,
			{ id: '1', name: 'Form Collection', type: 'formCollectionApi', data: credentialsOf(sandbox) },
		);
	};

	it.each([test, testIn20])(
		'after 30 seconds without a reply (%#)',
		async (ending) => {
			const startedAt = Date.now();
			const { message } = await ending({ hang: true });

			expect(message).toContain('30 seconds');
			expect(Date.now() - startedAt).toBeLessThan(32_000);
		},
		10_000,
	);

	it.each([test, testIn20])(
		'where a reply stops, and cuts it off (%#)',
		async (ending) => {
			await ending({ hang: 'body' });

			await abandoned(sandbox);
		},
		10_000,
	);
});
