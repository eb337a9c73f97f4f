import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { startSandbox } from '../../sandbox';
import { findApiKey } from '../../tools/verifyService/apiKey';
import { command } from '../../tools/verifyService/command';
import { markdown, summary } from '../../tools/verifyService/report';
import { type Result, verifyService } from '../../tools/verifyService/verify';
import { type Behaviour, startSecondService } from '../support/secondService';

const named = (results: Result[], wanted: Result['outcome']) =>
	results.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);

const learned = (results: Result[]) =>
	Object.fromEntries(
		results.filter(({ outcome }) => outcome === 'learned').map(({ name, text }) => [name, text]),
	);

let toStop: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const stop of toStop) await stop();
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

describe('a service written from the reference alone', () => {
	it('passes, and shows what the reference leaves open', async () => {
		const { url, baseUrl, apiKey, formId, stored, requests } = await secondService();
		const service = { baseUrl: ` ${baseUrl}/ `, apiKey, embedUrl: url };
		const { holds, results, requests: count } = await verifyService(service, formId);

		expect({ holds, count }).toEqual({ holds: true, count: 9 });
		expect(requests).toHaveLength(10);
		expect(named(results, 'failed')).toEqual([]);
		expect(named(results, 'not checked')).toEqual([]);
		expect(learned(results)).toEqual({
			'Status of success': 'GET /forms 200, GET /responses 200, POST /responses 200',
			'Members beside the list': 'forms: none; responses: none',
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
			Date: 'as on this computer',
			'Limit and Retry-After':
				'not reached, so no Retry-After was seen; headers about a limit: none',
			'Embed script': 'not there: status 403, text/plain',
		});
		expect(stored[0]).toMatchObject({
			form_id: '1001',
			answers: {
				mail: 'verify-service@example.com',
				'How was it?': 'verify:service "Zoë" 日本語',
				topics: ['Food'],
			},
		});
		expect(stored).toHaveLength(3);
	});

	it('is only read unless a form to submit to is named', async () => {
		const { requests, stored, ...service } = await secondService();

		expect((await verifyService(service)).holds).toBe(true);
		expect(requests).toEqual([
			'GET /v2/api/forms',
			'GET /v2/api/forms',
			'GET /v2/api/forms',
			'GET /v2/api/responses?form_id=1002',
			'GET /v2/api/responses?form_id=1000',
			'GET /v2/api/responses?form_id=1002',
			'GET /v2/api/responses?form_id=1001',
		]);
		expect(stored).toHaveLength(2);
	});

	it('gets no submission for a form that it does not list', async () => {
		const { requests, ...service } = await secondService();

		await expect(verifyService(service, '1003')).rejects.toThrow(
			'Nothing was submitted: GET /forms answers 200 and lists no form with the ID 1003',
		);
		expect(requests).toHaveLength(1);
	});
});

type List = Record<'forms' | 'responses', Record<string, unknown>[]>;
const mapped = (
	body: unknown,
	name: keyof List,
	change: (record: Record<string, unknown>, i: number) => object,
) => body && { [name]: (body as List)[name].map(change) };
const responsesWith =
	(change: (record: Record<string, unknown>, i: number) => object) =>
	({ responses }: Behaviour): Partial<Behaviour> => ({
		responses: (formId) => mapped(responses(formId), 'responses', change),
	});
const formsWith =
	(change: (record: Record<string, unknown>, i: number) => object) =>
	({ forms }: Behaviour): Partial<Behaviour> => ({
		forms: () => mapped(forms(), 'forms', change),
	});

describe('a service that is not as the reference states fails by name', () => {
	it.each<[string, string, Parameters<typeof startSecondService>[0]]>([
		['a page in place of JSON', 'List of forms', () => ({ forms: () => '<h1>Forms</h1>' })],
		['a status of failure', 'List of forms', () => ({ status: 500 })],
		[
			'a redirect',
			'List of forms',
			() => ({ status: 302, headers: { Location: '/api' }, forms: () => '' }),
		],
		['a bare list', 'List of responses', () => ({ responses: () => [] })],
		[
			'responses of other forms',
			'Form asked for',
			(_right, stored) => ({ responses: () => ({ responses: stored }) }),
		],
		['a number for a title', 'Text fields', formsWith((form) => ({ ...form, title: 7 }))],
		['the same ID twice', 'Identifiers', responsesWith((record) => ({ ...record, id: '1' }))],
		[
			'records without an ID',
			'Identifiers',
			responsesWith((record) => ({ ...record, id: undefined })),
		],
		[
			'seconds for a timestamp',
			'Timestamps',
			responsesWith((record) => ({ ...record, created_at: 1775124000 })),
		],
		[
			'a timestamp of another zone',
			'Timestamps',
			formsWith((form) => ({ ...form, updated_at: '2026-04-01T10:00:00+02:00' })),
		],
		['a slug with a space', 'Slugs', formsWith((form) => ({ ...form, slug: 'guest book' }))],
		['a number for an answer', 'Answers', responsesWith((r) => ({ ...r, answers: { age: 7 } }))],
		['a list of answers', 'Answers', responsesWith((r) => ({ ...r, answers: [] }))],
		['text for a boolean', 'pixel_fired', responsesWith((r) => ({ ...r, pixel_fired: 'no' }))],
		[
			'forms for everybody',
			'Forms need a key',
			({ isAllowed }) => ({
				isAllowed: (route, key) =>
					isAllowed(route, key) || (route === 'GET /forms' && key === undefined),
			}),
		],
		[
			'forms for any key',
			'Forms need the right key',
			({ isAllowed }) => ({
				isAllowed: (route, key) =>
					isAllowed(route, key) || (route === 'GET /forms' && key !== undefined),
			}),
		],
		[
			'responses for everybody',
			'Responses need a key',
			({ isAllowed }) => ({
				isAllowed: (route, key) => isAllowed(route, key) || route === 'GET /responses',
			}),
		],
		[
			'a submission without its ID',
			'Submit a response',
			() => ({ submit: () => ({ success: true }) }),
		],
		[
			'a submission that is lost',
			'Submitted response',
			() => ({ submit: () => ({ success: true, response_id: '5' }) }),
		],
		[
			'a submission whose answers change',
			'Submitted response',
			({ submit }) => ({ submit: (sent) => submit({ ...sent, answers: { a: 'b' } }) }),
		],
		[
			'submissions by everybody',
			'Submitting needs a key',
			({ isAllowed }) => ({
				isAllowed: (route, key) => isAllowed(route, key) || route === 'POST /responses',
			}),
		],
	])('%s: %s', async (_what, check, change) => {
		const service = await secondService(change);
		const lists = ['List of forms', 'List of responses'];
		const submits = /^Submi/.test(check) ? service.formId : undefined;
		const { holds, results } = await verifyService(service, submits);

		expect(holds).toBe(false);
		expect(named(results, 'failed')).toEqual([check]);
		// Without the list there is nothing to look at.
		if (!lists.includes(check) && check !== 'Submit a response') {
			expect(named(results, 'not checked')).toEqual([]);
		}
	});
});

it('an account without responses shows less than the reference states', async () => {
	const service = await secondService(() => ({ responses: () => ({ responses: [] }) }));
	const { holds, results } = await verifyService(service);

	expect(holds).toBe(false);
	expect(named(results, 'failed')).toEqual([]);
	expect(named(results, 'not checked')).toEqual(['Form asked for', 'Answers', 'pixel_fired']);
});

it('stops at the limit, and tells what the service said', async () => {
	const sandbox = await sandboxOf({ plan: 'free', retryAfter: 'seconds' });
	await verifyService(sandbox);
	const before = sandbox.log.length;
	sandbox.window.used = 99;
	const { holds, results } = await verifyService(sandbox);

	expect(holds).toBe(false);
	// Those without a key do not count here.
	expect(sandbox.log.slice(before).map(({ status }) => status)).toEqual([200, 401, 401, 401, 429]);
	expect(learned(results)['Limit and Retry-After']).toMatch(
		/^reached at request 5; Retry-After: 3\d{3}; status 429, application\/json/,
	);
});

it('learns validators, a clock that is ahead, and members beside the list', async () => {
	const sandbox = await sandboxOf({ validator: 'etag', clockOffsetMs: 90_000 });
	const one = learned((await verifyService(sandbox)).results);
	sandbox.settings.validator = 'lastModified';
	const two = learned((await verifyService(sandbox)).results);
	sandbox.faults.add({ route: 'GET /forms', body: { forms: sandbox.forms, next: 2 } });
	const three = learned((await verifyService(sandbox)).results);

	expect(one.Validators).toBe('ETag; asked again with it: 304');
	expect(one.Date).toMatch(/^(89|90) s ahead of this computer$/);
	expect(two.Validators).toBe('Last-Modified; asked again with it: 304');
	expect(three['Members beside the list']).toBe('forms: next; responses: none');
});

it('says that nobody answers', async () => {
	const service = await startSecondService();
	await service.stop();

	await expect(verifyService(service)).rejects.toThrow('no reply: ECONNREFUSED');
});

it('does without fields of which nothing says that they are always there', async () => {
	const service = await secondService((right) => ({
		...formsWith(({ id }) => ({ id, title: 'A' }))(right),
		...responsesWith(({ id }) => ({ id }))(right),
	}));
	const { holds, results } = await verifyService(service);

	expect(holds).toBe(true);
	expect(learned(results)).toMatchObject({
		'Fields of forms': 'id, title',
		'Fields of responses': 'id',
	});
});

it('shows no answers of a form that does not exist', async () => {
	const service = await secondService((_right, stored) => ({
		responses: () => ({ responses: stored }),
	}));
	const { results } = await verifyService(service);

	expect(learned(results)['Form that does not exist']).toBe('status 200, a list of 2');
});

it('follows no redirect with the key', async () => {
	const other = await secondService();
	const service = await secondService(() => ({
		status: 307,
		headers: { Location: `${other.baseUrl}/forms` },
	}));
	const { results } = await verifyService(service);

	expect(results[0]).toMatchObject({
		name: 'List of forms',
		problems: [`Status 307: leads to ${other.baseUrl}/forms`],
	});
	expect(other.requests).toEqual([]);
});

it('shows what differs, and no answers', async () => {
	const service = await secondService(
		responsesWith((record, i) => ({ ...record, id: i, answers: { secret: { of: 'Ada' } } })),
	);
	const verification = await verifyService(service);
	const texts = [summary(verification), markdown('S', '2026-11-22', verification)];

	for (const text of texts) {
		expect(text.replaceAll('\\', '')).toContain('responses[0].answers["secret"] is an object');
		expect(text).not.toContain('Ada');
		expect(text).toContain('7 requests. Not all that the API reference states holds');
	}
	expect(texts[0]).toContain('FAILED       Answers\n');
	expect(texts[1]).toContain('- **Answers** failed: ');
});

it('shows text of a service as text', () => {
	const results: Result[] = [
		{ name: 'Wrong key', outcome: 'learned', text: '\u001b[31m<b>`no`</b>\n# x', problems: [] },
	];
	const verification = { holds: true, requests: 1, results };

	expect(summary(verification)).toContain('learned      Wrong key:  [31m<b>`no`</b> # x\n');
	expect(markdown('S', '2026-11-22', verification)).toContain(
		'- **Wrong key**:  \\[31m\\<b\\>\\`no\\`\\</b\\> \\# x\n',
	);
});

describe('the key', () => {
	const typed = (text: string) => {
		const input = Object.assign(new PassThrough(), { isTTY: true });
		const output = new PassThrough();
		input.write(text);
		return { input, output };
	};

	it('comes from the option, else from the environment', async () => {
		const terminal = typed('');

		expect(await findApiKey(' a ', { FORM_COLLECTION_API_KEY: 'b' }, terminal)).toBe('a');
		expect(await findApiKey(undefined, { FORM_COLLECTION_API_KEY: 'b' }, terminal)).toBe('b');
		expect(terminal.output.read()).toBeNull();
	});

	it('is asked for at a terminal, and not shown', async () => {
		const terminal = typed('top-secret\n');

		expect(await findApiKey(undefined, {}, terminal)).toBe('top-secret');
		expect(String(terminal.output.read())).toBe('API key (not shown): \n');
	});

	it.each([
		[undefined, new PassThrough(), 'No API key: set FORM_COLLECTION_API_KEY, or use --api-key'],
		['ключ', new PassThrough(), 'has characters that no HTTP header can carry'],
		[undefined, typed('\u0003').input, 'No API key was typed'],
	])('%p: says what is wrong', async (option, input, message) => {
		await expect(findApiKey(option, {}, { input, output: new PassThrough() })).rejects.toThrow(
			message,
		);
	});
});

describe('the command', () => {
	const run = async (args: string[], environment = {}) => {
		const printed: string[] = [];
		const terminal = { input: new PassThrough(), output: new PassThrough() };
		const status = await command(args, environment, terminal, (text) => printed.push(text));
		return { status, text: printed.join('\n') };
	};

	it('writes its report without the key, which the service repeats, and ends with 0', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'form-collection-verify-'));
		const report = join(folder, 'report.md');
		try {
			const sandbox = await sandboxOf({ apiKey: 'a-very-secret-key' });
			const headers = { 'X-RateLimit-Key': sandbox.apiKey };
			sandbox.faults.add({ route: 'GET /forms', headers });
			const { status, text } = await run(
				['--base-url', sandbox.baseUrl, '--embed-url', sandbox.url, '--report', report],
				{ FORM_COLLECTION_API_KEY: sandbox.apiKey },
			);
			const written = readFileSync(report, 'utf8');

			expect(status).toBe(0);
			expect(text).toContain('All that the API reference states holds.');
			expect(text).toContain('Embed script: there, ');
			for (const shown of [text, written]) {
				expect(shown).toContain('x-ratelimit-key: …\n');
				expect(shown).not.toContain('secret');
			}
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it('submits where it is told to, and ends with 1 if something does not hold', async () => {
		const { baseUrl, apiKey, formId, stored } = await secondService(
			formsWith((form) => ({ ...form, title: null })),
		);
		const args = ['--base-url', baseUrl, '--api-key', apiKey];
		const { status, text } = await run([...args, '--submit', formId]);

		expect(status).toBe(1);
		expect(text).toContain('- forms[0].title is null, and not a string\n');
		expect(stored).toHaveLength(3);
	});

	it.each([
		[['--base-url', 'forms.example.com'], '--base-url must be an address'],
		[['--base-url', 'https://me:secret@forms.example.com'], '--base-url must be an address'],
		[['secret'], 'These options are not understood: see --help'],
		[['--base-url', 'http://127.0.0.1:9/x', '--api-key', 'secret', '--submit', '-'], 'no reply'],
	])('%j ends with 1 and says why', async (args, message) => {
		const { status, text } = await run(args);

		expect(text).toContain(message);
		expect(text).not.toContain('secret');
		expect(status).toBe(1);
	});
});
