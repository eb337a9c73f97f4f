import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '../../sandbox';
import { unlistedChanges } from '../../tools/releases/releases';
import { type Result, verifyService } from '../../tools/verifyService/verify';
import first from '../releases/0.1.0/interface.json';
import { startSecondService } from '../support/secondService';

const PATH = 'nodes.formCollection.operations.getResponses.parameters';

type Interface = Parameters<typeof unlistedChanges>[1];
const before = first as unknown as Interface;
const released = [{ version: '0.1.0', description: before }];

/** @returns the first release with another value at this path; undefined takes away what is there */
function withChange(path: string, value: unknown): Interface {
	const description = structuredClone(before);
	const names = path.match(/[^.]+(\.sort)?/g)!;
	const last = names.pop()!;
	const parent = names.reduce<Record<string, unknown>>(
		(inner, name) => inner[name] as Record<string, unknown>,
		description,
	);
	if (value === undefined) delete parent[last];
	else parent[last] = value;
	return description;
}

const field = (required: boolean) => ({ type: 'string', default: '', required });

describe('the comparison with the last release', () => {
	it.each<[string, unknown]>([
		['nodes.formCollection.operations.getNothing', { parameters: {}, output: {} }],
		[`${PATH}.more`, field(false)],
		[`${PATH}.options.sort.choices.byAnswer`, true],
		['nodes.formCollection.operations.getResponses.output.more', 'string'],
		['credentials.formCollectionApi.region', field(false)],
	])('lets an addition pass: %s', (path, value) => {
		expect(unlistedChanges(released, withChange(path, value), '')).toEqual([]);
	});

	it.each<[string, string, unknown]>([
		['nodes.formCollectionTrigger', 'is gone', undefined],
		[`${PATH}.options.sort.choices.asReceived`, 'is gone', undefined],
		[`${PATH}.limit.default`, 'was 50 and is 100', 100],
		['nodes.formCollection.outputs', 'was ["main"] and is []', []],
		[`${PATH}.more`, 'is new and required', field(true)],
		['credentials.formCollectionApi.region', 'is new and required', field(true)],
	])('finds a breaking change that the CHANGELOG does not list: %s %s', (path, what, value) => {
		const now = withChange(path, value);
		const listed = `## [Unreleased]\n\n### Breaking\n\n- \`${path}\`: the reason\n`;
		const later = [...released, { version: '0.2.0', description: now }];
		const found = [expect.stringContaining(`Since 0.1.0, ${path} ${what}: undo this`)];

		expect(unlistedChanges(released, now, '')).toEqual(found);
		expect(unlistedChanges(released, now, listed)).toEqual([]);
		expect(unlistedChanges(released, now, listed.replace('the reason', ''))).toEqual(found);
		expect(unlistedChanges(released, now, listed.replace('Breaking', 'Changed'))).toEqual(found);
		expect(unlistedChanges(later, now, listed)).toEqual(found);
	});
});

describe('the verification of a service', () => {
	const toStop: (() => Promise<void>)[] = [];
	afterEach(async () => {
		for (const stop of toStop.splice(0)) await stop();
	});

	async function secondService(change?: Change) {
		const service = await startSecondService(change);
		toStop.push(service.stop);
		return service;
	}

	const textsOf = (results: Result[], wanted: Result['outcome']) =>
		Object.fromEntries(
			results.filter(({ outcome }) => outcome === wanted).map(({ name, text }) => [name, text]),
		);

	it('passes one that is written from the reference alone, and shows what that leaves open', async () => {
		const { url, baseUrl, apiKey, formId, stored } = await secondService();
		const service = { baseUrl: ` ${baseUrl}/ `, apiKey, embedUrl: url };
		const { holds, results, requests } = await verifyService(service, formId);

		expect({ holds, requests }).toEqual({ holds: true, requests: 9 });
		expect(textsOf(results, 'learned')).toEqual({
			'Status of GET /forms, GET /responses, POST /responses': '200, 200, 200',
			'Members of the replies': 'forms, responses',
			'Fields of forms': 'id, title, slug, status, created_at',
			'Fields of responses': 'id, form_id, answers, created_at',
			IDs: '4 characters (2), 2 characters (2)',
			'Status of forms': 'draft (1), published (1)',
			'Order of forms': 'newest first',
			'Order of responses': 'newest first',
			'No key': 'status 403, text/plain: Who are you?',
			'Wrong key': 'status 403, text/plain: Who are you?',
			'Form that does not exist': 'status 410, no content type: no body',
			'Headers about a limit': 'none',
			'Embed script': 'status 403, text/plain',
		});
		expect(stored[0]?.answers).toMatchObject({
			mail: 'verify-service@example.com',
			topics: ['Food'],
		});
	});

	it('changes nothing unless a form is named that is listed', async () => {
		const { requests, stored, ...service } = await secondService();

		expect((await verifyService(service)).holds).toBe(true);
		expect(requests.every((request) => request.startsWith('GET '))).toBe(true);
		await expect(verifyService(service, '1003')).rejects.toThrow('Nothing was submitted');
		expect(stored).toHaveLength(2);
	});

	type Change = Parameters<typeof startSecondService>[0];

	const changed =
		(route: 'forms' | 'responses', fields: object): Change =>
		(right) => ({
			[route]: (formId: string) => {
				const body = right[route](formId) as Record<string, object[]> | undefined;
				return body && { [route]: body[route]!.map((record) => ({ ...record, ...fields })) };
			},
		});
	const openTo =
		(wanted: string): Change =>
		({ isAllowed }) => ({
			isAllowed: (route, key) => isAllowed(route, key) || (route === wanted && key === undefined),
		});

	it.each<[string, Change]>([
		['GET /forms answers an object with a list "forms"', () => ({ forms: () => '<h1>Hi</h1>' })],
		['GET /responses answers an object with a list "responses"', () => ({ responses: () => [] })],
		[
			'The list holds the responses of the form asked for',
			(_right, stored) => ({ responses: () => ({ responses: stored }) }),
		],
		['id, title, slug and status of forms are strings', changed('forms', { title: 7 })],
		['No id is missing or there twice', changed('responses', { id: '1' })],
		['Times of forms are ISO 8601 in UTC', changed('forms', { updated_at: '2026-04-01T10:00+02' })],
		['Times of responses are ISO 8601 in UTC', changed('responses', { created_at: 1775124000 })],
		['Slugs are safe in a URL', changed('forms', { slug: 'guest book' })],
		[
			'Answers are texts or lists of texts by question',
			changed('responses', { answers: { age: 7 } }),
		],
		['pixel_fired is a boolean', changed('responses', { pixel_fired: 'no' })],
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
		const submitTo = /POST|then/.test(statement) ? service.formId : undefined;
		const { holds, results } = await verifyService(service, submitTo);

		expect(holds).toBe(false);
		expect(Object.keys(textsOf(results, 'failed'))).toEqual([statement]);
	});

	it('stops at the limit, and prints what it learned, but no key and no answers', async () => {
		const sandbox = await startSandbox({ plan: 'free', apiKey: 'a-very-secret-key' });
		toStop.push(sandbox.stop);
		sandbox.faults.add({ route: 'GET /forms', headers: { 'X-RateLimit-Key': sandbox.apiKey } });
		Object.assign(sandbox.window, { used: 98, startedAt: Date.now() });
		const root = join(__dirname, '../..');
		const args = ['--import', 'tsx', 'tools/verifyService/main.ts', '--base-url', sandbox.baseUrl];
		const env = { ...process.env, FORM_COLLECTION_API_KEY: sandbox.apiKey };
		const failed = promisify(execFile)(process.execPath, args, { cwd: root, env });

		const { stdout } = await failed.catch((error: { stdout: string }) => error);
		expect(stdout).toContain('Headers about a limit: x-ratelimit-key: …');
		expect(stdout).toMatch(/Limit: at request 6, Retry-After: \d{4}; status 429/);
		expect(stdout).toContain('requests: not all that the reference states was seen and holds');
		expect(stdout).not.toMatch(/secret|@example\.com/);
	});
});
