import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { textOf } from '../../../../nodes/FormCollection/transport/body';
import type { ServiceRequest } from '../../../../nodes/FormCollection/transport/attempt';
import { send } from '../../../../nodes/FormCollection/transport/send';
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

it.each([300, 301, 302, 303, 307, 308])('does not follow a redirect (%i)', async (status) => {
	sandbox.faults.add({ status, redirectTo: `${elsewhere.baseUrl}/responses?form_id=f1` });

	const results = [await runOn(sandbox, read), await runOn(sandbox, create)];

	const moved = `The service has moved to ${elsewhere.baseUrl} (${status}): set the Base URL to it in the Form Collection API credential`;
	const lookFirst = 'check whether the response was stored before you send it again';
	// After a submission, 303 shows where the result is.
	const created =
		status === 303
			? `The service redirects to a result that is not followed (303): ${lookFirst}`
			: `${moved}, and ${lookFirst}`;
	expect(results.map(({ error }) => factsOf(error).message)).toEqual([moved, created]);
	expect(elsewhere.log).toEqual([]);
	expect(sandbox.log).toHaveLength(2);
});

it('is not answered by "not modified" (304), which it did not ask for', async () => {
	sandbox.faults.add({ status: 304 });

	const results = [await runOn(sandbox, read), await runOn(sandbox, create)];

	const check = 'check the Base URL in the Form Collection API credential';
	expect(results.map(({ error }) => factsOf(error).message)).toEqual([
		`There is an empty reply where the responses should be, at ${sandbox.baseUrl}/responses: ${check}`,
		`The service answered with an empty reply: ${check}, and check whether the response was stored before you send it again`,
	]);
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

describe('what n8n makes of a request', () => {
	/** As much of n8n as this uses: its other versions are not among the dependencies of the tests. */
	const outcomeIn = async (
		httpRequestWithAuthentication: () => Promise<unknown>,
		more: Partial<IExecuteFunctions> = {},
		method: ServiceRequest['method'] = 'POST',
	) => {
		const request: ServiceRequest = {
			method,
			account: {
				baseUrl: sandbox.baseUrl,
				apiKey: sandbox.apiKey,
				credential: { id: '', name: '', type: 'formCollectionApi', data: {} },
			},
			path: '/responses',
			timeoutMs: 1_000,
		};
		const context = { helpers: { httpRequestWithAuthentication }, ...more };
		const read = async (chunks: AsyncIterable<string>) => await textOf(chunks);
		return await send(context as unknown as IExecuteFunctions, request, read, 1);
	};
	const error = (more: object) => Object.assign(new Error('In words'), more);
	const circular = error({ code: 'ECONNRESET' });
	circular.cause = circular;

	it.each([
		['ECONNRESET', 'lost'],
		['NOT_A_CERT_CODE', 'lost'],
		['ECONNABORTED', 'timeout'],
		['ETIMEDOUT', 'timeout'],
		['EADDRNOTAVAIL', 'lost'],
		['EAI_AGAIN', 'unreachable'],
		['ECONNREFUSED', 'unreachable'],
		['EHOSTUNREACH', 'lost'],
		['ENETUNREACH', 'lost'],
		['ENOTFOUND', 'unreachable'],
		['EPROTO', 'tls'],
		['ERR_CANCELED', 'canceled'],
	])('that n8n 1 and 2.0 wrap with %s only in their words counts as %s', async (httpCode, kind) => {
		const wrapped = Object.assign(new NodeApiError({} as INode, { message: 'In words' }), {
			httpCode,
		});

		expect(await outcomeIn(async () => await Promise.reject(wrapped))).toEqual({
			kind,
			reason: kind === 'timeout' ? 'ETIMEDOUT' : httpCode,
		});
	});

	// What Node.js says of a host, of a port, and of all addresses of a host.
	it.each([
		['EAI_FAIL', 'getaddrinfo EAI_FAIL 127.0.0.1', 'unreachable'],
		['EAI_FAIL', 'getaddrinfo EAI_FAIL proxy.example.com', 'proxy'],
		['EHOSTUNREACH', 'connect EHOSTUNREACH 127.0.0.1:{port}', 'unreachable'],
		['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'proxy'],
		['ENETUNREACH', 'connect ENETUNREACH ff02::1:{port} - Local (:::0)', 'unreachable'],
		[
			'ETIMEDOUT',
			'connect ETIMEDOUT [::1]:{port} | connect ECONNREFUSED 127.0.0.1:{port}',
			'unreachable',
		],
		['ENETUNREACH', 'write ENETUNREACH', 'lost'],
	])(
		'that n8n 1 and 2.0 wrap with %s and only the words "%s": %s',
		async (httpCode, text, kind) => {
			const { port } = new URL(sandbox.baseUrl);
			const wrapped = Object.assign(new NodeApiError({} as INode, { message: 'In words' }), {
				httpCode,
				messages: [text.replaceAll('{port}', port)],
			});

			expect(await outcomeIn(async () => await Promise.reject(wrapped))).toEqual({
				kind,
				reason: httpCode,
			});
		},
	);

	it.each<[string, unknown, object]>([
		['words alone', error({}), { kind: 'other', reason: 'In words' }],
		['a text', 'In words', { kind: 'other', reason: 'In words' }],
		[
			'a cause in a cause',
			error({ code: 'ECONNREFUSED', cause: error({ code: 'ELAST' }) }),
			{ kind: 'unreachable', reason: 'ELAST' },
		],
		[
			'a cause in a refused certificate',
			error({ code: 'CERT_HAS_EXPIRED', cause: error({ code: 'ELAST' }) }),
			{ kind: 'handshake', reason: 'ELAST' },
		],
		['no cause', error({ code: 'EPIPE', cause: null }), { kind: 'lost', reason: 'EPIPE' }],
		['itself as its cause', circular, { kind: 'lost', reason: 'ECONNRESET' }],
	])('is read from an error with %s', async (_, thrown, outcome) => {
		expect(await outcomeIn(async () => await Promise.reject(thrown))).toEqual(outcome);
	});

	it.each([
		['ERR_CANCELED', 'canceled'],
		['ETIMEDOUT', 'timeout'],
		['ECONNRESET', 'cutShort'],
		['ECONNREFUSED', 'cutShort'],
	])('is read from a body that ends with %s: %s', async (code, kind) => {
		const body = new Readable({
			read() {
				this.destroy(error({ code }));
			},
		});

		expect(await outcomeIn(async () => ({ statusCode: 200, headers: {}, body }))).toEqual({
			kind,
			reason: code,
			hasReply: true,
		});
	});

	const date = 'Sun, 01 Feb 2026 09:01:00 GMT';
	it.each<[string, Record<string, string>, object | undefined]>([
		['nothing', { date }, undefined],
		['an ETag', { date, etag: '"a"', 'last-modified': '0' }, { etag: '"a"' }],
		[
			'a Last-Modified of a minute ago',
			{ date, 'last-modified': 'Sun, 01 Feb 2026 09:00:00 GMT' },
			{ lastModified: 'Sun, 01 Feb 2026 09:00:00 GMT' },
		],
		[
			'a Last-Modified of less than a minute ago',
			{ date, 'last-modified': 'Sun, 01 Feb 2026 09:00:01 GMT' },
			undefined,
		],
		[
			'a Last-Modified without a date',
			{ 'last-modified': 'Sun, 01 Feb 2026 09:00:00 GMT' },
			undefined,
		],
	])('tells by which headers the next reply may be none: %s', async (_, headers, validators) => {
		const body = Readable.from([]);
		const outcome = await outcomeIn(async () => ({ statusCode: 200, headers, body }), {}, 'GET');

		expect(outcome).toMatchObject({ kind: 'reply', content: '' });
		expect(outcome).toHaveProperty('validators', validators);
	});

	it('leaves nothing behind on the signal that stops the execution', async () => {
		const { signal } = new AbortController();
		const reply = { statusCode: 201, headers: {}, body: Readable.from([]) };
		let listening = 0;
		const outcome = await outcomeIn(
			async () => {
				listening = getEventListeners(signal, 'abort').length;
				return await Promise.resolve(reply);
			},
			{ getExecutionCancelSignal: () => signal },
		);

		expect(outcome).toMatchObject({ status: 201 });
		expect(listening).toBe(1);
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('needs no such signal', async () => {
		const reply = { statusCode: 201, headers: {}, body: Readable.from([]) };
		const outcome = await outcomeIn(async () => await Promise.resolve(reply), {
			getExecutionCancelSignal: () => undefined,
		});

		expect(outcome).toMatchObject({ status: 201 });
	});
});
