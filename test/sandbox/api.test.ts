import axios, { type AxiosInstance } from 'axios';
import { request } from 'node:http';

import { type Sandbox, type SandboxForm, startSandbox } from '../../sandbox';
import { verifyService } from '../../tools/verifyService/verify';

const form: SandboxForm = {
	id: 'f1',
	title: 'Contact us',
	slug: 'contact-us',
	status: 'published',
	created_at: '2026-11-01T09:00:00.000Z',
};

let sandbox: Sandbox;
let api: AxiosInstance;

async function start(options: Parameters<typeof startSandbox>[0]) {
	sandbox = await startSandbox(options);
	api = client(sandbox);
}

function client({ baseUrl, apiKey }: Sandbox) {
	const headers = { Authorization: `Bearer ${apiKey}` };
	return axios.create({ baseURL: baseUrl, headers, validateStatus: () => true });
}

afterEach(async () => await sandbox.stop());

describe.each([
	{ variant: 'plain' as const, formFields: [], responseFields: [], ids: /^10 characters \(\d+\)$/ },
	{
		variant: 'extended' as const,
		formFields: ['updated_at'],
		responseFields: ['pixel_fired'],
		ids: /^UUID \(\d+\)$/,
	},
])('the $variant variant', ({ variant, formFields, responseFields, ids }) => {
	beforeEach(async () => await start({ variant }));

	it('is what the reference of the service states, with its optional fields', async () => {
		const { holds, results } = await verifyService(sandbox, sandbox.forms[0]!.id);
		const learned = Object.fromEntries(results.map(({ name, text }) => [name, text]));

		expect(holds).toBe(true);
		expect(learned['Fields of forms']!.split(', ')).toEqual([
			...['id', 'title', 'slug', 'status', 'created_at'],
			...formFields,
		]);
		expect(learned['Fields of responses']!.split(', ')).toEqual([
			...['id', 'form_id', 'answers', 'created_at'],
			...responseFields,
		]);
		expect(learned.IDs).toMatch(ids);
	});

	it('lists the stored forms', async () => {
		const { status, data } = await api.get('/forms');

		expect(status).toBe(200);
		expect(data).toEqual({ forms: sandbox.forms });
		expect(data.forms.length).toBeGreaterThan(6);
	});

	it('lists the stored responses of one form, oldest first', async () => {
		const formId = sandbox.forms[0]!.id;
		const { status, data } = await api.get('/responses', { params: { form_id: formId } });

		expect(status).toBe(200);
		expect(data).toEqual({
			responses: sandbox.responses.filter((response) => response.form_id === formId),
		});
		const times = data.responses.map((response: { created_at: string }) => response.created_at);
		expect(times).toEqual([...times].sort());
	});

	it('stores a response that the next listing ends with', async () => {
		const formId = sandbox.forms[0]!.id;
		const answers = { full_name: 'Zoë Köhler', topics: ['Sales', 'Press'] };
		const created = await api.post('/responses', { form_id: formId, answers });

		expect(created.status).toBe(201);
		const { data } = await api.get('/responses', { params: { form_id: formId } });
		expect(data.responses.at(-1)).toMatchObject({ id: created.data.response_id, answers });
		expect(Object.keys(data.responses.at(-1))).toEqual(Object.keys(data.responses[0]));
	});
});

describe('records', () => {
	it('are served exactly as they stand in the store', async () => {
		const text =
			'{"id":"r1","form_id":"f1","answers":{"__proto__":"a","constructor":["b"],"error":""},' +
			'"created_at":"2026-11-02T10:00:00Z","__proto__":{"x":1},"score":0.1,"none":null}';
		await start({ forms: [form], responses: [JSON.parse(text)] });

		const { data } = await api.get<string>('/responses?form_id=f1', {
			transformResponse: (body: string) => body,
		});

		expect(data).toBe(`{"responses":[${text}]}`);
	});

	it('keep answers to question keys that JavaScript gives a meaning to', async () => {
		await start({ forms: [form] });
		const answers = '{"__proto__":["a","b"],"constructor":"c","id":"d","error":"e"}';

		const { status } = await api.post('/responses', `{"form_id":"f1","answers":${answers}}`, {
			headers: { 'Content-Type': 'application/json' },
		});

		expect(status).toBe(201);
		expect(JSON.stringify(sandbox.responses[0]!.answers)).toBe(answers);
	});

	it('do not change the seed when they change', async () => {
		const seed = [{ ...form }];
		await start({ forms: seed });
		sandbox.forms[0]!.title = 'Changed';
		await api.post('/responses', { form_id: 'f1', answers: {} });

		expect(seed).toEqual([form]);
		sandbox.reset();
		expect(sandbox.forms).toEqual([form]);
		expect(sandbox.responses).toEqual([]);
	});
});

it('sends a list that lies ready as it is, until the reset', async () => {
	await start({ forms: [form] });
	sandbox.bodies.set('f1', Buffer.from('{ "responses": [] }'));
	const get = async () => await api.get('/responses?form_id=f1', { transformResponse: String });

	expect((await get()).data).toBe('{ "responses": [] }');
	sandbox.reset();
	expect((await get()).data).toBe('{"responses":[]}');
});

it('createDelayMs is the time it takes to store a response', async () => {
	await start({ forms: [form], createDelayMs: 50 });
	const created = api.post('/responses', { form_id: 'f1', answers: {} });
	while (!sandbox.log[0]?.body) await new Promise(setImmediate);

	expect(sandbox.responses).toEqual([]);
	expect((await created).status).toBe(201);
	expect(sandbox.responses).toHaveLength(1);
});

it('a caller who leaves while sending leaves nothing behind', async () => {
	await start({ forms: [form] });
	const headers = { 'Content-Type': 'application/json', 'Content-Length': '100' };
	const { hostname, port } = new URL(sandbox.url);
	const half = request({ hostname, port, path: '/api/responses', method: 'POST', headers });
	half.on('error', jest.fn());
	half.write('{"form_id":');
	while (sandbox.log.length === 0) await new Promise(setImmediate);
	half.destroy();
	while (!sandbox.log[0]!.callerLeft) await new Promise(setImmediate);

	expect(sandbox.log[0]!.status).toBeUndefined();
	expect(sandbox.responses).toEqual([]);
	expect((await api.get('/forms')).status).toBe(200);
});

describe('refusals', () => {
	beforeEach(async () => await start({ forms: [form], apiKey: 'secret' }));

	it.each([undefined, 'Bearer wrong', 'secret', 'Basic secret'])(
		'401 for the Authorization header %p',
		async (authorization) => {
			const { status, data } = await axios.get(`${sandbox.baseUrl}/forms`, {
				headers: { Authorization: authorization },
				validateStatus: () => true,
			});

			expect(status).toBe(401);
			expect(data.error.code).toBe('unauthorized');
		},
	);

	it.each([
		['GET', '/responses', 400, 'missing_form_id'],
		['GET', '/responses?form_id=f2', 404, 'form_not_found'],
		['GET', '/form', 404, 'not_found'],
		['DELETE', '/forms', 405, 'method_not_allowed'],
	])('%s %s: %i %s', async (method, url, expected, code) => {
		const { status, data } = await api.request({ method, url });

		expect(status).toBe(expected);
		expect(data.error).toEqual({ code, message: expect.any(String) });
	});

	it.each([
		['{"form_id":"f1","answers":', 400, 'invalid_json'],
		['', 400, 'invalid_json'],
		['[]', 422, 'invalid_response'],
		['{"answers":{}}', 422, 'invalid_response'],
		['{"form_id":"f1"}', 422, 'invalid_response'],
		['{"form_id":"f1","answers":["a"]}', 422, 'invalid_response'],
		['{"form_id":"f1","answers":{"rating":5}}', 422, 'invalid_response'],
		['{"form_id":"f1","answers":{"rating":null}}', 422, 'invalid_response'],
		['{"form_id":"f1","answers":{"topics":["a",1]}}', 422, 'invalid_response'],
		['{"form_id":"f2","answers":{}}', 404, 'form_not_found'],
	])('POST %s: %i %s, and nothing is stored', async (body, expected, code) => {
		const { status, data } = await api.post('/responses', body, {
			headers: { 'Content-Type': 'application/json' },
		});

		expect(status).toBe(expected);
		expect(data.error.code).toBe(code);
		expect(sandbox.responses).toEqual([]);
	});

	it('a body that is not called JSON', async () => {
		const { status } = await api.post('/responses', 'form_id=f1', {
			headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
		});

		expect(status).toBe(415);
	});

	it('a body over 50 MB, while smaller ones are taken', async () => {
		const post = async (length: number) =>
			await api.post('/responses', { form_id: 'f1', answers: { a: 'x'.repeat(length) } });

		expect((await post(2_000_000)).status).toBe(201);
		expect((await post(52_428_800)).status).toBe(413);
		expect(sandbox.log.map(({ status }) => status)).toEqual([201, 413]);
	});
});

describe('the hourly limit', () => {
	it('refuses request 101 of the free plan, and counts no refused ones', async () => {
		await start({ forms: [form], plan: 'free' });
		await axios.get(`${sandbox.baseUrl}/forms`, { validateStatus: () => true });
		const statuses = [];
		for (let i = 0; i < 100; i++) statuses.push((await api.get('/forms')).status);
		const { status, headers, data } = await api.get('/forms');

		expect(new Set(statuses)).toEqual(new Set([200]));
		expect(status).toBe(429);
		expect(data.error.code).toBe('rate_limited');
		const seconds = Number(headers['retry-after']);
		expect(seconds).toBeGreaterThan(3_500);
		expect(seconds).toBeLessThanOrEqual(3_600);
		expect(sandbox.window.used).toBe(100);
	});

	it('follows the plan, ends with the hour, and is forgotten on reset', async () => {
		await start({ forms: [form], plan: 'pro' });
		const status = async () => (await api.get('/forms')).status;
		await status();
		sandbox.window.used = 999;
		expect([await status(), await status()]).toEqual([200, 429]);

		sandbox.setPlan('enterprise');
		expect(await status()).toBe(200);

		sandbox.setPlan('pro');
		sandbox.window.startedAt -= 3_600_000;
		expect(await status()).toBe(200);

		sandbox.window.used = 1_000;
		sandbox.reset();
		expect(await status()).toBe(200);
	});

	it.each([
		['date' as const, expect.stringMatching(/ GMT$/)],
		['none' as const, undefined],
	])('can say when to come back as %s', async (retryAfter, header) => {
		await start({ forms: [form], plan: 'free', retryAfter });
		await api.get('/forms');
		sandbox.window.used = 100;

		const { status, headers } = await api.get('/forms');

		expect(status).toBe(429);
		expect(headers['retry-after']).toEqual(header);
	});
});

describe('the log', () => {
	it('holds every API request and its outcome, in order', async () => {
		await start({ forms: [form] });
		await api.get('/forms');
		await api.get('/responses?form_id=f1');
		await api.post('/responses', { form_id: 'f1', answers: { a: 'b' } });
		await api.get('/nothing');
		await axios.get(sandbox.url);

		const common = { headers: expect.objectContaining({ authorization: 'Bearer sandbox-key' }) };
		expect(sandbox.log).toMatchObject([
			{ method: 'GET', path: '/api/forms', route: 'GET /forms', status: 200, ...common },
			{ path: '/api/responses?form_id=f1', route: 'GET /responses', formId: 'f1', status: 200 },
			{
				method: 'POST',
				route: 'POST /responses',
				formId: 'f1',
				body: { form_id: 'f1', answers: { a: 'b' } },
				status: 201,
			},
			{ path: '/api/nothing', route: 'GET /nothing', status: 404 },
		]);
	});

	it('tells that a caller left in the middle of a long answer', async () => {
		await start({ forms: [form] });
		const answers = { a: 'x'.repeat(1_000) };
		for (let i = 0; i < 50_000; i++) {
			sandbox.responses.push({ id: `r${i}`, form_id: 'f1', answers, created_at: '' });
		}
		const { data, headers } = await api.get('/responses?form_id=f1', { responseType: 'stream' });
		data.once('data', () => data.destroy());
		while (!sandbox.log[0]!.callerLeft) await new Promise(setImmediate);

		expect(sandbox.log[0]!.status).toBeUndefined();
		expect(sandbox.log[0]!.sentBytes).toBeLessThan(Number(headers['content-length']));
	});
});

describe('setVariant', () => {
	it('starts again from the sample records in the other variant', async () => {
		await start({ variant: 'extended' });
		const titles = sandbox.forms.map(({ title }) => title);
		sandbox.setVariant('plain');

		const { data } = await api.get('/forms');

		expect(data.forms.map((f: SandboxForm) => f.title)).toEqual(titles);
		expect(data.forms[0]).not.toHaveProperty('updated_at');
	});

	it('leaves given records as they are', async () => {
		await start({ forms: [form], variant: 'extended' });
		sandbox.setVariant('plain');

		expect((await api.get('/forms')).data).toEqual({ forms: [form] });
		await api.post('/responses', { form_id: 'f1', answers: {} });
		expect(sandbox.responses[0]).not.toHaveProperty('pixel_fired');
	});
});
