import axios, { type AxiosInstance } from 'axios';

import { type Sandbox, startSandbox } from '../../sandbox';

let sandbox: Sandbox;
let site: AxiosInstance;

beforeAll(async () => {
	sandbox = await startSandbox();
	site = axios.create({ baseURL: sandbox.url, validateStatus: () => true });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const addForm = (title: string, slug: string) => {
	sandbox.forms.push({ id: slug, title, slug, status: 'published', created_at: '' });
};

it('says what it is, and where n8n finds it', async () => {
	const told = async () =>
		(await site.get<string>('/')).data.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

	expect(await told()).toContain(
		`Form Collection sandbox A practice service on this computer, with made-up people and answers. It forgets what you send when it stops. Base URL ${sandbox.baseUrl} API Key sandbox-key Embed URL ${sandbox.url} Enter these values`,
	);
	expect(await told()).not.toContain('Open n8n');

	const n8nUrl = 'http://127.0.0.1:5678';
	const beside = await startSandbox({ n8nUrl });
	const { data } = await axios.get<string>(beside.url);
	await beside.stop();
	expect(data).toContain(`<a href="${n8nUrl}">Open n8n</a>`);
});

it('lists the forms with their counts of responses', async () => {
	const { data, headers } = await site.get('/');

	expect(headers['content-type']).toContain('text/html');
	for (const { slug } of sandbox.forms) expect(data).toContain(`href="/forms/${slug}"`);
	expect(data).toContain('42 responses');
	expect(data).toContain('0 responses');
});

it('has a page for every form, with a label for every field', async () => {
	for (const { slug } of sandbox.forms) {
		const { status, data } = await site.get<string>(`/forms/${slug}`);

		expect(status).toBe(200);
		expect(data).toContain('<form method="post">');
		for (const [, id] of data.matchAll(/ id="([^"]+)"\s+name=/g)) {
			expect(data).toContain(`<label for="${id}">`);
		}
	}
});

it('stores what a person fills in, as the API would, and says thanks', async () => {
	const filledIn = new URLSearchParams([
		['full_name', ' Zoë <b> '],
		['email', 'zoe@example.com'],
		['company', ''],
		['topics', 'Sales'],
		['topics', 'Press'],
		['message', 'One\r\nTwo'],
		['unasked', 'x'],
	]);
	const { status, data } = await site.post('/forms/contact-us', filledIn);

	expect(status).toBe(201);
	expect(data).toContain('Thank you, Zoë &#60;b&#62;!');
	expect(sandbox.responses.at(-1)).toEqual({
		id: expect.any(String),
		form_id: sandbox.forms.find(({ slug }) => slug === 'contact-us')!.id,
		answers: {
			full_name: 'Zoë <b>',
			email: 'zoe@example.com',
			topics: ['Sales', 'Press'],
			message: 'One\nTwo',
		},
		created_at: expect.any(String),
		pixel_fired: false,
	});
});

it('stores one ticked box as an array too', async () => {
	const filledIn = new URLSearchParams({ rating: '5', liked: 'Fast' });
	await site.post('/forms/satisfaction-survey', filledIn);

	expect(sandbox.responses.at(-1)!.answers).toEqual({ rating: '5', liked: ['Fast'] });
});

it('asks again for what is missing, and keeps the rest', async () => {
	const before = sandbox.responses.length;
	const filledIn = new URLSearchParams({ full_name: '"Zoë"', topics: 'Press' });
	const { status, data } = await site.post('/forms/contact-us', filledIn);

	expect(status).toBe(422);
	expect(data).toMatch(/Please answer: Email, Message\s/);
	expect(data).toContain('value="&#34;Zoë&#34;"');
	expect(data).toMatch(/value="Press"\s+checked/);
	expect(sandbox.responses).toHaveLength(before);
});

it('asks the questions seen in responses if the form is no sample', async () => {
	addForm('<script>alert(1)</script>', 'mine');
	sandbox.responses.push({
		id: 'r',
		form_id: 'mine',
		answers: JSON.parse('{"__proto__":"a","<i>":["x","y"]}'),
		created_at: '',
	});
	const { data } = await site.get<string>('/forms/mine');

	expect(data).not.toContain('<script');
	expect(data).toContain('&#60;script&#62;');
	expect(data).toContain('name="__proto__"');
	expect(data).toContain('name="&#60;i&#62;"');

	await site.post('/forms/mine', new URLSearchParams({ '<i>': 'y', ['__proto__']: 'b' }));
	expect(JSON.stringify(sandbox.responses.at(-1)!.answers)).toBe('{"__proto__":"b","<i>":["y"]}');
});

it('serves the embed script, and pages that fit into its frames', async () => {
	const script = await site.get<string>('/embed.js');
	expect(script.headers['content-type']).toContain('javascript');

	const { data } = await site.get<string>('/forms/contact-us?embedded');
	expect(data).toContain('Contact us');
	expect(data).not.toContain('Home of this sandbox');
	expect(data).toMatch(/<html lang="en"\s*>/);
	expect((await site.get<string>('/forms/contact-us?embedded=dark')).data).toContain(
		'<html lang="en" data-scheme="dark">',
	);
	expect(await site.get('/forms/none?embedded')).toMatchObject({
		status: 404,
		data: expect.stringContaining('No form has the slug in the embed code of this page.'),
	});
});

it('keeps away from the log and the API', async () => {
	await site.get('/forms/contact-us');

	expect(sandbox.log).toEqual([]);
	expect(await site.get('/forms/none')).toMatchObject({ status: 404 });
	expect(await site.get('/api/forms')).toMatchObject({ status: 401 });
});
