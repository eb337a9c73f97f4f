import axios, { type AxiosInstance } from 'axios';
import { readFileSync } from 'node:fs';
import { type Sandbox, startSandbox } from '../../sandbox';
import { sampleForms } from '../../sandbox/sampleForms';
import { verifyService } from '../../tools/verifyService/verify';

const form = { id: 'f1', title: '<T>', slug: 't', status: 'published', created_at: '' };
let sandbox: Sandbox;
let site: AxiosInstance;

async function start(options: Parameters<typeof startSandbox>[0]) {
	sandbox = await startSandbox(options);
	const headers = { Authorization: `Bearer ${sandbox.apiKey}` };
	const always = { validateStatus: () => true, maxRedirects: 0, timeout: 1_000 };
	site = axios.create({ baseURL: sandbox.url, headers, ...always });
}

const create = async (answers: object = {}) =>
	await site.post('/api/responses', { form_id: sandbox.forms[0]!.id, answers });

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

	it.each([
		['GET', 'responses?form_id=f2', '', 404, 'form_not_found'],
		['POST', 'responses', '{"form_id":"f1","answers":', 400, 'invalid_json'],
		['POST', 'responses', '{"form_id":"f1","answers":{"a":5}}', 422, 'invalid_response'],
		['POST', 'responses', '{"form_id":"f1","answers":{"a":["b",1]}}', 422, 'invalid_response'],
		['POST', 'responses', '{"form_id":"f2","answers":{}}', 404, 'form_not_found'],
	])('%s %s %s: %i %s', async (method, path, data, status, code) => {
		await start({ forms: [form] });
		const headers = { 'Content-Type': 'application/json' };
		const reply = await site.request({ method, url: `/api/${path}`, data, headers });

		expect(reply).toMatchObject({ status, data: { error: { code } } });
		expect(sandbox.responses).toEqual([]);
	});

	it('keeps a fault to the requests with its key', async () => {
		await start({ forms: [form] });
		sandbox.faults.add({ key: 'another', status: 500 });
		const headers = { Authorization: 'Bearer another' };

		expect((await site.get('/api/forms')).status).toBe(200);
		expect((await site.get('/api/forms', { headers })).status).toBe(500);
	});

	it('logs requests in order, and callers who leave in the middle of a long answer', async () => {
		await start({ forms: [form] });
		await create({ a: 'b' });
		sandbox.responses.push({ ...sandbox.responses[0]!, answers: { a: 'x'.repeat(20_000_000) } });
		const stream = { responseType: 'stream' } as const;
		const { data, headers } = await site.get('/api/responses?form_id=f1', stream);
		data.once('data', () => data.destroy());
		while (!sandbox.log[1]?.callerLeft) await new Promise(setImmediate);

		expect(sandbox.log).toMatchObject([
			{ route: 'POST /responses', formId: 'f1', body: { answers: { a: 'b' } }, status: 201 },
			{ route: 'GET /responses', formId: 'f1', path: '/api/responses?form_id=f1' },
		]);
		expect(sandbox.log[1]).not.toHaveProperty('status');
		expect(sandbox.log[1]!.sentBytes).toBeLessThan(Number(headers['content-length']));
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

	it('choose the plan, use up its limit, and start a new hour, as its end does', async () => {
		const statusAfter = async (choice: Record<string, string>) => {
			await site.post('/errors', new URLSearchParams(choice));
			return (await site.get('/api/forms')).status;
		};

		expect([await statusAfter({ plan: 'pro' }), sandbox.settings.plan]).toEqual([200, 'pro']);
		expect(await statusAfter({ used: 'all' })).toBe(429);
		expect(await statusAfter({ used: 'none' })).toBe(200);
		expect(await statusAfter({ used: 'all' })).toBe(429);
		sandbox.window.startedAt -= 3_600_000;
		expect(await statusAfter({})).toBe(200);
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
