import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '../../sandbox';
import { type Result, verifyService } from '../../tools/verifyService/verify';
import { startSecondService } from '../support/secondService';

let toStop: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const stop of toStop.splice(0)) await stop();
	toStop = [];
});

async function secondService(change?: Parameters<typeof startSecondService>[0]) {
	const service = await startSecondService(change);
	toStop.push(service.stop);
	return service;
}

async function sandboxOf(options: Parameters<typeof startSandbox>[0]) {
	const sandbox = await startSandbox(options);
	toStop.push(sandbox.stop);
	return sandbox;
}

const textsOf = (results: Result[], wanted: Result['outcome']) =>
	Object.fromEntries(
		results.filter(({ outcome }) => outcome === wanted).map(({ name, text }) => [name, text]),
	);

it('a service written from the reference alone passes, and shows what that leaves open', async () => {
	const { url, baseUrl, apiKey, formId, stored } = await secondService();
	const service = { baseUrl: ` ${baseUrl}/ `, apiKey, embedUrl: url };
	const { holds, results, requests } = await verifyService(service, formId);

	expect({ holds, requests }).toEqual({ holds: true, requests: 9 });
	expect(textsOf(results, 'learned')).toEqual({
		'Status of GET /forms, GET /responses, POST /responses': '200, 200, 200',
		'Fields of forms': 'id, title, slug, status, created_at',
		'Fields of responses': 'id, form_id, answers, created_at',
		IDs: '4 characters (2), 2 characters (2)',
		'Status of forms': 'draft (1), published (1)',
		'Order of forms': 'newest first',
		'Order of responses': 'newest first',
		'No key': 'status 403, text/plain: Who are you?',
		'Wrong key': 'status 403, text/plain: Who are you?',
		'Form that does not exist': 'status 410, no content type: no body',
		Validators: 'none',
		Clock: 'as on this computer',
		'Headers about a limit': 'none',
		'Embed script': 'status 403, text/plain',
	});
	expect(stored[0]).toMatchObject({
		form_id: '1001',
		answers: { mail: 'verify-service@example.com', topics: ['Food'] },
	});
});

it('changes nothing unless a form is named, and submits to no form that is not listed', async () => {
	const { requests, stored, ...service } = await secondService();

	expect((await verifyService(service)).holds).toBe(true);
	expect(requests.every((request) => request.startsWith('GET '))).toBe(true);
	await expect(verifyService(service, '1003')).rejects.toThrow('Nothing was submitted');
	expect(stored).toHaveLength(2);
});

type Change = Parameters<typeof startSecondService>[0];
type Rec = Record<string, unknown>;

const changed =
	(route: 'forms' | 'responses', change: (record: Rec) => Rec): Change =>
	(right) => ({
		[route]: (formId: string) => {
			const body = right[route](formId) as Record<string, Rec[]> | undefined;
			return body && { [route]: body[route]!.map(change) };
		},
	});
const openTo =
	(wanted: string): Change =>
	({ isAllowed }) => ({
		isAllowed: (route, key) => isAllowed(route, key) || (route === wanted && key === undefined),
	});

it.each<[string, Change]>([
	['GET /forms answers an object with a list "forms"', () => ({ forms: () => '<h1>Forms</h1>' })],
	['GET /responses answers an object with a list "responses"', () => ({ responses: () => [] })],
	[
		'The list holds the responses of the form asked for',
		(_right, stored) => ({ responses: () => ({ responses: stored }) }),
	],
	[
		'id, title, slug and status of forms are strings',
		changed('forms', (form) => ({ ...form, title: 7 })),
	],
	['No id is missing or there twice', changed('responses', (record) => ({ ...record, id: '1' }))],
	[
		'Times of forms are ISO 8601 in UTC',
		changed('forms', (form) => ({ ...form, updated_at: '2026-04-01T10:00:00+02:00' })),
	],
	[
		'Times of responses are ISO 8601 in UTC',
		changed('responses', (record) => ({ ...record, created_at: 1775124000 })),
	],
	['Slugs are safe in a URL', changed('forms', (form) => ({ ...form, slug: 'guest book' }))],
	[
		'Answers are texts or lists of texts by question',
		changed('responses', (record) => ({ ...record, answers: { age: 7 } })),
	],
	[
		'pixel_fired is a boolean',
		changed('responses', (record) => ({ ...record, pixel_fired: 'no' })),
	],
	['GET /forms lists nothing without a key', openTo('GET /forms')],
	['GET /responses lists nothing without a key', openTo('GET /responses')],
	[
		'POST /responses answers success and response_id',
		() => ({ submit: () => ({ success: true }) }),
	],
	[
		'GET /responses then lists the answers that were sent',
		() => ({ submit: () => ({ success: true, response_id: '5' }) }),
	],
	['POST /responses confirms nothing without a key', openTo('POST /responses')],
])('notices that this does not hold: %s', async (statement, change) => {
	const service = await secondService(change);
	const { holds, results } = await verifyService(
		service,
		/POST|then/.test(statement) ? service.formId : undefined,
	);

	expect(holds).toBe(false);
	expect(Object.keys(textsOf(results, 'failed'))).toEqual([statement]);
});

it('stops at the limit, and tells what the service said', async () => {
	const sandbox = await sandboxOf({ plan: 'free', retryAfter: 'seconds' });
	await verifyService(sandbox);
	sandbox.window.used = 99;
	const { holds, results } = await verifyService(sandbox);

	expect(holds).toBe(false);
	expect(textsOf(results, 'learned').Limit).toMatch(
		/^at request 5, Retry-After: 3\d{3}; status 429/,
	);
});

it('learns validators, a clock that is ahead, and members beside the list', async () => {
	const sandbox = await sandboxOf({ validator: 'etag', clockOffsetMs: 90_000 });
	sandbox.faults.add({ route: 'GET /forms', body: { forms: sandbox.forms, next: 2 } });

	expect(textsOf((await verifyService(sandbox)).results, 'learned')).toMatchObject({
		Validators: 'ETag',
		'Asked again with the validator': 'status 304',
		Clock: expect.stringMatching(/^(89|90) s ahead of this computer$/),
		'Members beside the forms': 'next',
	});
});

it('prints no key and no answers', async () => {
	const sandbox = await sandboxOf({ apiKey: 'a-very-secret-key' });
	sandbox.faults.add({ route: 'GET /forms', headers: { 'X-RateLimit-Key': sandbox.apiKey } });
	const root = join(__dirname, '../..');
	const args = ['--import', 'tsx', 'tools/verifyService/main.ts', '--base-url', sandbox.baseUrl];
	const env = { ...process.env, FORM_COLLECTION_API_KEY: sandbox.apiKey };
	const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });

	expect(stdout).toContain('Headers about a limit: x-ratelimit-key: …');
	expect(stdout).not.toMatch(/secret|@example\.com/);
});
