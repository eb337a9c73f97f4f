import axios, { type AxiosInstance } from 'axios';

import { type Sandbox, startSandbox } from '../../sandbox';
import { errorsToTry } from '../../sandbox/errorsToTry';

let sandbox: Sandbox;
let site: AxiosInstance;

beforeAll(async () => {
	sandbox = await startSandbox({ plan: 'free', n8nUrl: 'http://127.0.0.1:5678' });
	site = axios.create({ baseURL: sandbox.url, validateStatus: () => true, timeout: 500 });
	site.defaults.headers.common.Authorization = `Bearer ${sandbox.apiKey}`;
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

/** @returns the page that the browser shows after a click on this button */
const click = async (name: string, value: string) =>
	(await site.post<string>('/errors', new URLSearchParams({ [name]: value }))).data;

const asText = (html: string) =>
	html
		.replace(/<[^>]+>/g, ' ')
		.replace(/\s+/g, ' ')
		.trim();

const pressedIn = (html: string) =>
	[...html.matchAll(/value="([^"]*)"\s+aria-pressed="true"/g)].map(([, value]) => value);

it('sets the plan', async () => {
	expect(pressedIn((await site.get<string>('/errors')).data)).toEqual(['free']);

	expect(pressedIn(await click('plan', 'pro'))).toEqual(['pro']);
	expect(sandbox.settings.plan).toBe('pro');

	await click('plan', 'gold');
	expect(sandbox.settings.plan).toBe('pro');
});

it('uses up the limit, and starts a new hour', async () => {
	await site.get('/api/forms');
	expect(asText((await site.get<string>('/errors')).data)).toMatch(
		/1 of 100 requests are used this hour, which ends at \d\d:\d\d UTC\./,
	);

	const usedUp = asText(await click('used', 'all'));
	expect(usedUp).toContain('The service refuses requests until the next hour.');
	expect(usedUp).toContain('100 of 100 requests');
	const refused = await site.get('/api/forms');
	expect([refused.status, refused.headers['retry-after']]).toEqual([429, '3600']);

	const fresh = asText(await click('used', 'none'));
	expect(fresh).toContain('The service works as it should.');
	expect(fresh).toContain('0 of 100 requests are used this hour.');
	expect((await site.get('/api/forms')).status).toBe(200);
});

it('has no limit to use up on the plan without one', async () => {
	const unlimited = await click('plan', 'enterprise');

	expect(asText(unlimited)).toContain(
		'The Enterprise plan has no limit: select Free or Pro to use one up.',
	);
	expect(unlimited).not.toContain('name="used"');
});

const errors = Object.values(errorsToTry).flat();

/** What a caller gets of these two requests: the status and whether it is the documented reply. */
async function replies() {
	const formId = sandbox.forms[0]!.id;
	const results = [
		await site.get(`/api/responses?form_id=${formId}`, { maxRedirects: 0 }).catch(() => undefined),
		await site.post('/api/responses', { form_id: formId, answers: {} }).catch(() => undefined),
	];
	return results.map(
		(reply) => reply?.data.responses !== undefined || reply?.data.success === true,
	);
}

it.each(errors.map(({ name, faults }) => ({ name, faults })))(
	'turns on "$name", which a caller notices, and off',
	async ({ name, faults }) => {
		await click('error', errors[0]!.name);
		const on = await click('error', name);

		expect(asText(on)).toContain(`On: ${name} Turn off`);
		expect(pressedIn(on)).toEqual(['free', name]);
		expect(sandbox.faults.list()).toEqual(faults);
		for (let passing = faults[0]!.skip ?? 0; passing > 0; passing--) {
			expect(await replies()).toEqual([true, true]);
		}
		expect(await replies()).toContain(false);

		expect(asText(await click('error', ''))).toContain('The service works as it should.');
		expect(await replies()).toEqual([true, true]);
	},
);

it('names the faults that a script has set', async () => {
	sandbox.faults.add({ status: 500 });

	const { data } = await site.get<string>('/errors');
	expect(asText(data)).toContain('On: Faults set by a script Turn off');
});

it('leads to n8n and to addresses that are wrong', async () => {
	const { data } = await site.get<string>('/errors');

	expect(data).toContain('href="http://127.0.0.1:5678"');
	expect(asText(data)).toContain(
		`${sandbox.baseUrl} to: http://127.0.0.1:1/api, where no service is running ${sandbox.baseUrl.replace('http', 'https')}`,
	);
});

it('is for callers on this computer only', async () => {
	const headers = { Host: 'forms.example.com' };
	const change = await site.post('/errors', new URLSearchParams({ plan: 'pro' }), { headers });

	expect([change.status, sandbox.settings.plan]).toEqual([403, 'free']);
});
