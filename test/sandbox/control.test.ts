import axios, { type AxiosInstance } from 'axios';

import { type Sandbox, startSandbox } from '../../sandbox';

let sandbox: Sandbox;
let control: AxiosInstance;

beforeAll(async () => {
	sandbox = await startSandbox({ plan: 'free' });
	control = axios.create({ baseURL: `${sandbox.url}/sandbox`, validateStatus: () => true });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const getForms = async () =>
	await axios.get(`${sandbox.baseUrl}/forms`, {
		headers: { Authorization: `Bearer ${sandbox.apiKey}` },
		validateStatus: () => true,
	});

it('adds, shows and clears faults', async () => {
	const faults = [{ route: 'GET /forms', status: 500 }, { cut: 'body' }];
	expect(await control.post('/faults', faults)).toMatchObject({ status: 201, data: faults });
	expect((await getForms()).status).toBe(500);
	expect((await control.get('/faults')).data).toEqual(faults);

	await control.delete('/faults');
	expect((await control.get('/faults')).data).toEqual([]);
	expect((await getForms()).status).toBe(200);
});

it.each([[{ staus: 500 }], [undefined], [[1]]])('refuses %j as a fault', async (body) => {
	expect((await control.post('/faults', body)).status).toBe(400);
	expect(sandbox.faults.list()).toEqual([]);
});

it('shows and clears the log, in which it does not appear itself', async () => {
	await getForms();
	expect((await control.get('/log')).data).toMatchObject([{ route: 'GET /forms', status: 200 }]);

	await control.delete('/log');
	expect((await control.get('/log')).data).toEqual([]);
});

it('changes the settings, and goes back on reset', async () => {
	const wish = {
		variant: 'plain',
		plan: 'pro',
		createDelayMs: 5,
		retryAfter: 'none',
		validator: 'etag',
	};
	expect((await control.put('/settings', wish)).data).toEqual({ ...wish, clockOffsetMs: 0 });
	expect((await getForms()).data.forms[0]).not.toHaveProperty('updated_at');

	expect((await control.post('/reset')).status).toBe(204);
	expect((await control.get('/settings')).data).toEqual({
		variant: 'extended',
		plan: 'free',
		createDelayMs: 0,
		retryAfter: 'seconds',
		validator: 'none',
		clockOffsetMs: 0,
	});
	expect((await getForms()).data.forms[0]).toHaveProperty('updated_at');
});

it.each<object>([{ plan: 'gold' }, { createDelayMs: '5' }, { createDelayMs: -1 }, { colour: 'x' }])(
	'refuses the settings %j',
	async (wish) => {
		const before = { ...sandbox.settings };
		expect((await control.put('/settings', wish)).status).toBe(400);
		expect(sandbox.settings).toEqual(before);
	},
);

it('shows the stored responses, of all forms or of one', async () => {
	const formId = sandbox.forms[0]!.id;

	expect((await control.get('/responses')).data).toEqual(sandbox.responses);
	expect((await control.get(`/responses?form_id=${formId}`)).data).toEqual(
		sandbox.responses.filter((response) => response.form_id === formId),
	);
});

it.each([
	['localhost:4000', 200],
	['[::1]:4000', 200],
	['forms.example.com', 403],
	['127.0.0.1.example.com', 403],
])('called as %s it answers %i', async (host, expected) => {
	expect((await control.get('/log', { headers: { Host: host } })).status).toBe(expected);
});
