import axios, { type AxiosInstance, isCancel } from 'axios';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault, type Sandbox, startSandbox } from '../../sandbox';

let sandbox: Sandbox;
let api: AxiosInstance;

beforeAll(async () => {
	const form = { id: 'f1', title: 'T', slug: 't', status: 'published', created_at: '' };
	sandbox = await startSandbox({ forms: [form] });
	const headers = { Authorization: `Bearer ${sandbox.apiKey}` };
	api = axios.create({
		baseURL: sandbox.baseUrl,
		headers,
		maxRedirects: 0,
		validateStatus: () => true,
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = async (name = 'Ada', signal?: AbortSignal) =>
	await api.post('/responses', { form_id: 'f1', answers: { name } }, { signal });
const until = async (condition: () => unknown) => {
	while (!condition()) await new Promise(setImmediate);
};
const statusOf = async (request: Promise<{ status: number }>) => (await request).status;

describe('which requests a fault strikes', () => {
	it('every request until cleared', async () => {
		sandbox.faults.add({ status: 500 });
		expect(await statusOf(api.get('/forms'))).toBe(500);
		expect(await statusOf(create())).toBe(500);
		expect(sandbox.responses).toEqual([]);

		sandbox.faults.clear();
		expect(await statusOf(api.get('/forms'))).toBe(200);
	});

	it('so many requests of one route', async () => {
		sandbox.faults.add({ route: 'POST /responses', times: 2, status: 503 });

		expect(await statusOf(api.get('/forms'))).toBe(200);
		expect(await statusOf(create())).toBe(503);
		expect(sandbox.faults.list()).toEqual([{ route: 'POST /responses', times: 1, status: 503 }]);
		expect(await statusOf(create())).toBe(503);
		expect(await statusOf(create())).toBe(201);
		expect(sandbox.faults.list()).toEqual([]);
	});

	it('the requests after some others', async () => {
		sandbox.faults.add({ skip: 2, times: 1, status: 500 });
		const statuses = [];
		for (let i = 0; i < 4; i++) statuses.push(await statusOf(api.get('/forms')));

		expect(statuses).toEqual([200, 200, 500, 200]);
	});

	it('the requests that contain a text', async () => {
		sandbox.faults.add({ contains: 'Grace', status: 500 }, { contains: 'form_id=f1', status: 502 });

		expect(await statusOf(create('Ada'))).toBe(201);
		expect(await statusOf(create('Grace'))).toBe(500);
		expect(await statusOf(api.get('/responses?form_id=f1'))).toBe(502);
	});

	it('a share of the requests, repeatably', async () => {
		const run = async () => {
			sandbox.reset();
			sandbox.faults.add({ probability: 0.5, status: 500 });
			const statuses = [];
			for (let i = 0; i < 20; i++) statuses.push(await statusOf(api.get('/forms')));
			return statuses;
		};
		const statuses = await run();

		expect(new Set(statuses)).toEqual(new Set([200, 500]));
		expect(await run()).toEqual(statuses);
	});

	it('no request, if the fault has an unknown field', () => {
		expect(() => sandbox.faults.add({ staus: 500 } as Fault)).toThrow('staus');
	});
});

describe('what a fault does', () => {
	it('answers another status, body and headers', async () => {
		sandbox.faults.add({
			status: 503,
			headers: { 'Content-Type': 'text/html', 'Retry-After': '7' },
			body: '<h1>Down</h1>',
		});
		const { status, headers, data } = await api.get('/forms');

		expect(status).toBe(503);
		expect(headers).toMatchObject({ 'content-type': 'text/html', 'retry-after': '7' });
		expect(data).toBe('<h1>Down</h1>');
		expect(sandbox.log[0]!.status).toBe(503);
	});

	it('answers other JSON with 200', async () => {
		sandbox.faults.add({ body: { form: [] } });
		expect(await api.get('/forms')).toMatchObject({ status: 200, data: { form: [] } });
	});

	it('adds headers to the real answer', async () => {
		sandbox.faults.add({ headers: { 'X-Extra': 'yes' } });
		const { headers, data } = await api.get('/forms');

		expect(headers['x-extra']).toBe('yes');
		expect(data).toEqual({ forms: sandbox.forms });
	});

	it('redirects', async () => {
		sandbox.faults.add(
			{ times: 1, redirectTo: 'https://forms.example.com/api' },
			{ status: 308, redirectTo: '/elsewhere' },
		);
		const first = await api.get('/forms');
		const second = await api.get('/forms');

		expect([first.status, first.headers.location]).toEqual([302, 'https://forms.example.com/api']);
		expect([second.status, second.headers.location]).toEqual([308, '/elsewhere']);
	});

	it('never answers', async () => {
		sandbox.faults.add({ hang: true });
		const leave = new AbortController();
		const answer = create('Ada', leave.signal).catch(isCancel);
		await until(() => sandbox.log[0]?.body);
		leave.abort();
		await until(() => sandbox.log[0]!.callerLeft);

		expect(await answer).toBe(true);
		expect(sandbox.log[0]!.status).toBeUndefined();
		expect(sandbox.responses).toEqual([]);
	});

	it('stops in the middle of the body', async () => {
		sandbox.faults.add({ hang: 'body' });
		const { data, headers } = await api.get('/forms', { responseType: 'stream' });
		const [first] = await once(data, 'data');
		const ended = await Promise.race([once(data, 'end'), sleep(200, 'still open')]);
		data.destroy();
		await until(() => sandbox.log[0]!.callerLeft);

		expect(first.length).toBeGreaterThan(0);
		expect(first.length).toBeLessThan(Number(headers['content-length']));
		expect(ended).toBe('still open');
		expect(sandbox.log[0]!.status).toBeUndefined();
	});

	it('cuts the connection before the answer', async () => {
		sandbox.faults.add({ cut: 'connection' });
		await expect(create()).rejects.toMatchObject({ code: 'ECONNRESET' });

		expect(sandbox.log[0]!.status).toBeUndefined();
		expect(sandbox.log[0]!.callerLeft).toBeUndefined();
		expect(sandbox.responses).toEqual([]);
	});

	it('cuts the real answer in the middle of its body', async () => {
		sandbox.faults.add({ cut: 'body' });
		await expect(create()).rejects.toThrow('aborted');

		expect(sandbox.log[0]!.status).toBeUndefined();
		expect(sandbox.responses).toHaveLength(1);
	});

	it.each<[string, Fault]>([
		['an error', { status: 500 }],
		['a reset', { cut: 'connection' }],
		['no answer', { hang: true }],
	])('stores the response before %s', async (_name, fault) => {
		sandbox.faults.add({ ...fault, stored: true });
		const leave = new AbortController();
		const answer = create('Ada', leave.signal).catch((error: Error) => error);
		await until(() => sandbox.responses.length > 0);
		if (fault.hang) leave.abort();

		expect(await answer).not.toMatchObject({ data: { success: true } });
		expect(sandbox.responses).toMatchObject([{ form_id: 'f1', answers: { name: 'Ada' } }]);
	});

	it('waits before the real answer', async () => {
		sandbox.faults.add({ delayMs: 20 });
		expect((await create()).data.success).toBe(true);
	});

	it('spreads the body over time', async () => {
		sandbox.faults.add({ slowBodyMs: 20 });
		const { data } = await api.get('/forms', { responseType: 'stream' });
		const pieces: Buffer[] = [];
		for await (const piece of data) pieces.push(piece);

		expect(pieces.length).toBeGreaterThan(1);
		expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual({ forms: sandbox.forms });
	});

	it('compresses the body', async () => {
		sandbox.faults.add({ gzip: true });
		const { data, headers } = await api.get('/forms', { decompress: false });
		const decompressed = await api.get('/forms');

		expect(headers['content-encoding']).toBe('gzip');
		expect(data).not.toEqual(decompressed.data);
		expect(decompressed.data).toEqual({ forms: sandbox.forms });
	});
});

it('stops at once, with requests hanging', async () => {
	const other = await startSandbox({ forms: [] });
	other.faults.add({ hang: true });
	const hanging = axios.get(`${other.baseUrl}/forms`).catch((error) => error.code);
	await until(() => other.log.length > 0);
	await other.stop();

	expect(await hanging).toBe('ECONNRESET');
	await expect(axios.get(other.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
