import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { ServiceRequest } from '../../../../nodes/FormCollection/service/request';
import { send } from '../../../../nodes/FormCollection/service/request';
import type { Sandbox } from '../../../../sandbox';
import { startSandbox } from '../../../../sandbox';
import {
	byId,
	factsOf,
	formRecord,
	itemsOf,
	responseRecord,
	runOn,
} from '../../../support/formCollection';

let sandbox: Sandbox;
let elsewhere: Sandbox;

beforeAll(async () => {
	const seed = { forms: [formRecord('f1')], responses: [responseRecord('f1', 'r1')] };
	sandbox = await startSandbox(seed);
	elsewhere = await startSandbox(seed);
});
beforeEach(() => {
	sandbox.reset();
	elsewhere.reset();
});
afterAll(async () => {
	await sandbox.stop();
	await elsewhere.stop();
});

const read = { operation: 'getResponses', formId: byId('f1') };
const create = {
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '{"a":"b"}',
};

it('is JSON with the key, and nothing that is not documented', async () => {
	await runOn(sandbox, read);
	await runOn(sandbox, create);

	const documented = ({ method, path, headers, body }: Sandbox['log'][number]) => ({
		method,
		path,
		authorization: headers.authorization,
		accept: headers.accept,
		type: headers['content-type'],
		body,
	});
	expect(sandbox.log.map(documented)).toEqual([
		{
			method: 'GET',
			path: '/api/responses?form_id=f1',
			authorization: 'Bearer sandbox-key',
			accept: 'application/json',
		},
		{
			method: 'POST',
			path: '/api/responses',
			authorization: 'Bearer sandbox-key',
			accept: 'application/json',
			type: expect.stringMatching(/^application\/json/),
			body: { form_id: 'f1', answers: { a: 'b' } },
		},
	]);
});

it.each([301, 302, 303, 307, 308])('does not follow a redirect (%i)', async (status) => {
	sandbox.faults.add({ status, redirectTo: `${elsewhere.baseUrl}/responses?form_id=f1` });

	const results = [await runOn(sandbox, read), await runOn(sandbox, create)];

	const moved = `The service has moved to ${elsewhere.baseUrl} (${status}): set the Base URL to it in the Form Collection API credential`;
	// After a submission, 303 shows where the result is.
	const created = status === 303 ? expect.stringContaining('response was stored') : moved;
	expect(results.map(({ error }) => factsOf(error).message)).toEqual([moved, created]);
	expect(elsewhere.log).toEqual([]);
	expect(sandbox.log).toHaveLength(2);
});

it('may be answered compressed, slowly, or after the limit has passed', async () => {
	sandbox.faults.add(
		{ times: 1, status: 429, headers: { 'Retry-After': '0' } },
		{ times: 1, gzip: true, slowBodyMs: 100 },
	);
	const { items } = await runOn(sandbox, read);

	expect(items).toEqual(itemsOf([responseRecord('f1', 'r1')], 0));
	expect(sandbox.log.map(({ status }) => status)).toEqual([429, 200]);
});

it('gets through where the service fails once', async () => {
	sandbox.faults.add({ times: 1, cut: 'body' }, { times: 1, status: 502 });
	const { items } = await runOn(sandbox, read);

	expect(items).toEqual(itemsOf([responseRecord('f1', 'r1')], 0));
	expect(sandbox.log).toHaveLength(3);
});

it('creates once where the limit has passed at the second try', async () => {
	sandbox.faults.add({ times: 1, status: 429, headers: { 'Retry-After': '0' } });
	const { items } = await runOn(sandbox, create);

	expect(items).toEqual(itemsOf([{ success: true, response_id: sandbox.responses.at(-1)?.id }], 0));
	expect(sandbox.log.map(({ status }) => status)).toEqual([429, 201]);
	expect(sandbox.responses).toHaveLength(2);
});

it.each([
	['ECONNRESET', 'lost'],
	['ECONNABORTED', 'timeout'],
	['EADDRNOTAVAIL', 'neverSent'],
	['EAI_AGAIN', 'neverSent'],
	['ECONNREFUSED', 'neverSent'],
	['EHOSTUNREACH', 'neverSent'],
	['ENETUNREACH', 'neverSent'],
	['ENOTFOUND', 'neverSent'],
	['EPROTO', 'tls'],
	['ERR_CANCELED', 'canceled'],
])('that n8n 1 and 2.0 wrap with %s only in their words counts as %s', async (httpCode, kind) => {
	const wrapped = Object.assign(new NodeApiError({} as INode, { message: 'In words' }), {
		httpCode,
	});
	// As much of n8n as this uses: these versions are not among the tests' dependencies.
	const helpers = { httpRequestWithAuthentication: async () => await Promise.reject(wrapped) };
	const request: ServiceRequest = {
		method: 'POST',
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.apiKey,
		credential: { id: '', name: '', type: 'formCollectionApi', data: {} },
		path: '/responses',
		timeoutMs: 1_000,
	};
	const outcome = await send(
		{ helpers } as unknown as IExecuteFunctions,
		request,
		async () => '',
		1,
	);

	expect(outcome).toEqual({ kind, reason: httpCode });
});
