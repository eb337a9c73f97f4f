import axios, { type AxiosInstance } from 'axios';
import { readFileSync } from 'node:fs';

import { type Fault, type Sandbox, type SandboxForm, startSandbox } from '../../sandbox';
import { sampleForms } from '../../sandbox/sampleForms';
import { verifyService } from '../../tools/verifyService/verify';

const form: SandboxForm = {
	id: 'f1',
	title: '<T>',
	slug: 't',
	status: 'published',
	created_at: '',
};
let sandbox: Sandbox;
let site: AxiosInstance;

async function start(options: Parameters<typeof startSandbox>[0]) {
	sandbox = await startSandbox(options);
	const headers = { Authorization: `Bearer ${sandbox.apiKey}` };
	const always = { validateStatus: () => true, maxRedirects: 0, timeout: 1_000 };
	site = axios.create({ baseURL: sandbox.url, headers, ...always });
}

const json = { headers: { 'Content-Type': 'application/json' } };
const getForms = async () => await site.get('/api/forms');
const create = async (answers: object = {}) =>
	await site.post('/api/responses', { form_id: sandbox.forms[0]!.id, answers });
const until = async (condition: () => unknown) => {
	while (!condition()) await new Promise(setImmediate);
};

afterEach(async () => await sandbox.stop());

describe('the service', () => {
	it.each([
		['plain' as const, '', /^10 characters/],
		['extended' as const, ', pixel_fired', /^UUID/],
	])('is what its reference states in the %s variant', async (variant, optional, ids) => {
		await start({ variant });
		const { holds, results } = await verifyService(sandbox, sandbox.forms[0]!.id);
		const learned = Object.fromEntries(results.map(({ name, text }) => [name, text]));

		expect(holds).toBe(true);
		expect(learned['Fields of responses']).toBe(`id, form_id, answers, created_at${optional}`);
		expect(learned.IDs).toMatch(ids);
	});

	it('has the same answers in both variants', async () => {
		await start({ variant: 'extended' });
		const answersOf = () => sandbox.responses.map(({ answers }) => answers);
		const extended = answersOf();
		sandbox.setVariant('plain');

		expect(answersOf()).toEqual(extended);
		expect(sandbox.responses[0]).not.toHaveProperty('pixel_fired');
	});

	it('serves records exactly as they stand in the store', async () => {
		const answers = '{"__proto__":"a","constructor":["b"],"error":""}';
		const record = `{"id":"r1","form_id":"f1","answers":${answers},"score":0.1,"none":null}`;
		await start({ forms: [form], responses: [JSON.parse(record)] });
		await site.post('/api/responses', `{"form_id":"f1","answers":${answers}}`, json);
		const options = { transformResponse: String };
		const { data } = await site.get<string>('/api/responses?form_id=f1', options);

		expect(data.startsWith(`{"responses":[${record},`)).toBe(true);
		expect(data).toContain(`"form_id":"f1","answers":${answers},"created_at"`);
		sandbox.reset();
		expect(sandbox.responses).toHaveLength(1);
	});

	it.each([
		['GET', 'responses?form_id=f2', '', 404, 'form_not_found'],
		['POST', 'responses', '{"form_id":"f1","answers":', 400, 'invalid_json'],
		['POST', 'responses', '{"form_id":"f1","answers":{"a":5}}', 422, 'invalid_response'],
		['POST', 'responses', '{"form_id":"f1","answers":{"a":["b",1]}}', 422, 'invalid_response'],
		['POST', 'responses', '{"form_id":"f2","answers":{}}', 404, 'form_not_found'],
	])('%s %s %s: %i %s', async (method, path, data, status, code) => {
		await start({ forms: [form] });
		const reply = await site.request({ method, url: `/api/${path}`, data, ...json });

		expect(reply).toMatchObject({ status, data: { error: { code } } });
		expect(sandbox.responses).toEqual([]);
	});

	it('refuses requests above the limit of the plan until the hour is over', async () => {
		await start({ forms: [form], plan: 'free' });
		sandbox.window.used = 99;
		sandbox.window.startedAt = Date.now();
		const { status } = await getForms();
		const refused = await getForms();
		sandbox.window.startedAt -= 3_600_000;

		expect([status, refused.status, (await getForms()).status]).toEqual([200, 429, 200]);
		expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
	});

	it('logs requests in order, and callers who leave in the middle of a long answer', async () => {
		await start({ forms: [form] });
		await create({ a: 'b' });
		sandbox.responses.push({ ...sandbox.responses[0]!, answers: { a: 'x'.repeat(20_000_000) } });
		const stream = { responseType: 'stream' } as const;
		const { data, headers } = await site.get('/api/responses?form_id=f1', stream);
		data.once('data', () => data.destroy());
		await until(() => sandbox.log[1]?.callerLeft);

		expect(sandbox.log).toMatchObject([
			{ route: 'POST /responses', formId: 'f1', body: { answers: { a: 'b' } }, status: 201 },
			{ route: 'GET /responses', formId: 'f1', path: '/api/responses?form_id=f1' },
		]);
		expect(sandbox.log[1]).not.toHaveProperty('status');
		expect(sandbox.log[1]!.sentBytes).toBeLessThan(Number(headers['content-length']));
	});
});

describe('a fault', () => {
	beforeEach(async () => await start({ forms: [form] }));

	it.each<[string, Fault, number[]]>([
		['all requests', {}, [500, 500, 500, 500]],
		['those of a route', { route: 'POST /responses' }, [200, 500, 200, 500]],
		['those with a text', { contains: 'Ada' }, [200, 500, 200, 500]],
		['those with a key', { key: 'another' }, [200, 201, 200, 201]],
		['the first', { times: 1 }, [500, 201, 200, 201]],
		['the one after two', { skip: 2, times: 1 }, [200, 201, 500, 201]],
		['a share, the same each time', { probability: 0.5 }, [200, 500, 200, 201]],
	])('strikes %s', async (_, fault, expected) => {
		sandbox.faults.add({ ...fault, status: 500 });
		const statuses = [];
		for (let i = 0; i < 2; i++) {
			statuses.push((await getForms()).status, (await create({ name: 'Ada' })).status);
		}

		expect(statuses).toEqual(expected);
		sandbox.faults.clear();
		expect((await getForms()).status).toBe(200);
	});
});

describe('the pages', () => {
	beforeEach(async () => await start({}));

	it('lead to all forms, with a label for every field', async () => {
		const home = (await site.get<string>('/')).data;
		for (const { slug } of sandbox.forms) {
			expect(home).toContain(`href="/forms/${slug}"`);
			const { data } = await site.get<string>(`/forms/${slug}`);
			for (const [, id] of data.matchAll(/ id="([^"]+)"/g)) expect(data).toContain(`for="${id}"`);
		}
		sandbox.forms.push(form);
		expect((await site.get<string>('/forms/t?embedded=dark')).data).toMatch(
			/<html lang="en" data-scheme="dark">[^]*<h1>&#60;T&#62;<\/h1>/,
		);
		expect((await site.get('/forms/none?embedded')).status).toBe(404);
		expect((await site.get('/embed.js')).headers['content-type']).toContain('javascript');
	});

	it('store what is filled in as the API would, once nothing is missing', async () => {
		const before = sandbox.responses.length;
		const filledIn = new URLSearchParams({ full_name: '"Zoë" ', topics: 'Press', company: '' });
		const { status, data } = await site.post<string>('/forms/contact-us', filledIn);
		expect(status).toBe(422);
		expect(data).toMatch(/Please answer:\s+Email, Message\s/);
		expect(data).toContain('value="&#34;Zoë&#34;"');
		expect(data).toMatch(/value="Press"\s+checked/);
		expect(sandbox.responses).toHaveLength(before);

		filledIn.set('email', 'zoe@example.com');
		filledIn.set('message', 'One\r\nTwo');
		expect((await site.post('/forms/contact-us', filledIn)).status).toBe(201);
		expect(sandbox.responses.at(-1)?.answers).toEqual({
			full_name: '"Zoë"',
			email: 'zoe@example.com',
			topics: ['Press'],
			message: 'One\nTwo',
		});
	});

	it('turn each error on, which a caller notices, and off', async () => {
		const click = async (error: string) =>
			await site.post('/errors', new URLSearchParams({ error }));
		const { data: page } = await site.get<string>('/errors');
		const names = [...page.matchAll(/name="error"\s+value="([^"]+)"/g)].map(([, name]) => name!);
		const works = async () => {
			const formId = sandbox.forms[0]!.id;
			const read = site.get(`/api/responses?form_id=${formId}`);
			const replies = await Promise.allSettled([read, create(), create(), create()]);
			return replies.every(
				(one) => one.status === 'fulfilled' && (one.value.data.responses ?? one.value.data.success),
			);
		};

		expect(names.length).toBeGreaterThan(10);
		for (const name of names) {
			await click(name);
			expect((await site.get<string>('/errors')).data).toContain(`On: ${name} `);
			expect([name, await works()]).toEqual([name, false]);
			await click('');
			expect(await works()).toBe(true);
		}
	});

	it('choose the plan, use up its limit, and start a new hour', async () => {
		await site.post('/errors', new URLSearchParams({ plan: 'pro' }));
		await site.post('/errors', new URLSearchParams({ used: 'all' }));
		expect([sandbox.settings.plan, (await getForms()).status]).toEqual(['pro', 429]);

		await site.post('/errors', new URLSearchParams({ used: 'none' }));
		expect((await getForms()).status).toBe(200);
	});

	it('know the columns of the example contacts from past responses', () => {
		const { id } = sandbox.forms.find(({ slug }) => slug === 'contact-import')!;
		const { questions } = sampleForms.find(({ slug }) => slug === 'contact-import')!;
		const [header] = readFileSync(`${__dirname}/../../examples/contacts.csv`, 'utf8').split('\n');
		const { answers } = sandbox.responses.find((response) => response.form_id === id)!;

		expect(header!.split(',')).toEqual(questions.map(({ key }) => key));
		expect(Object.keys(answers)).toEqual(header!.split(','));
	});
});
