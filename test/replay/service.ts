import type { Sandbox, SandboxResponse } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { formRecord, responseRecord } from '../support/formCollection';

/** Saved executions hold a fingerprint of it, so it must be the same for ever. */
export const credentials = {
	baseUrl: 'http://forms.example.com/api',
	apiKey: 'replay-key',
	embedUrl: 'https://forms.example.com',
};

export const firstResponses: SandboxResponse[] = [
	responseRecord('f1', 'r1', {
		answers: { email: 'ada@example.com', topics: ['Sales', 'Support'], message: 'First' },
		created_at: '2026-01-01T09:00:00.000Z',
	}),
	responseRecord('f1', 'r2', {
		answers: { email: 'bob@example.com', topics: ['Sales'], message: 'Second' },
		created_at: '2026-01-02T09:00:00.000Z',
	}),
	responseRecord('f1', 'r3', {
		answers: { email: 'cleo@example.com', message: 'Third' },
		created_at: '2026-01-03T09:00:00.000Z',
	}),
];

/** A service at the address above: a sandbox that is the proxy on the way to it. */
export async function startService(responses: SandboxResponse[]): Promise<Sandbox> {
	const sandbox = await startSandbox({
		apiKey: credentials.apiKey,
		forms: [formRecord('f1'), formRecord('f2')],
		responses,
	});
	process.env.HTTP_PROXY = sandbox.url;
	return {
		...sandbox,
		async stop() {
			Reflect.deleteProperty(process.env, 'HTTP_PROXY');
			await sandbox.stop();
		},
	};
}
