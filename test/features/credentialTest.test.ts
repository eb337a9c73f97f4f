import { CredentialTestContext } from 'n8n-core';
import type { ICredentialTestFunctions, IRequestOptions } from 'n8n-workflow';
import { testCredential } from '../../nodes/FormCollection/methods/credentialTest';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { useFastClock } from '../support/fastClock';
import { abandoned, credentialsOf } from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

describe('a credential test in n8n 2.0, whose timeout does not act until there is a connection', () => {
	useFastClock();

	const test = async (fault: Fault) => {
		sandbox.faults.add(fault);
		const { helpers } = new CredentialTestContext({} as never);
		const request = async (options: IRequestOptions) =>
			(await helpers.request({ ...options, timeout: undefined })) as unknown;
		const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
		return await testCredential.call(context, {
			id: '1',
			name: 'Form Collection',
			type: 'formCollectionApi',
			data: credentialsOf(sandbox),
		});
	};

	it('ends after 30 seconds without a reply', async () => {
		const startedAt = Date.now();
		const { message } = await test({ hang: true });

		expect(message).toMatch(/^The service did not answer within 30 seconds: /);
		expect(Date.now() - startedAt).toBeLessThan(32_000);
	}, 10_000);

	it('cuts off a reply that comes too late', async () => {
		// In time of the sandbox, which the fast clock does not change.
		await test({ delayMs: 3_500, hang: 'body' });

		await abandoned(sandbox);
	}, 15_000);

	it('cuts off a reply that stops', async () => {
		await test({ hang: 'body' });

		await abandoned(sandbox);
	}, 10_000);
});
