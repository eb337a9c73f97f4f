import { createServer } from 'node:net';
import { inspect } from 'node:util';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { useFastClock } from '../support/fastClock';
import {
	byId,
	factsOf,
	formRecord,
	outcomeOf,
	requestsTo,
	runOn,
	shownBy,
} from '../support/formCollection';
import { listen } from '../support/listen';

/** What errors name. Which request meets which message is in the snapshot of the fault matrix. */

const apiKey = 'fc/key+with==signs';
let sandbox: Sandbox;
let elsewhere: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ apiKey, forms: [formRecord('f1')] });
	elsewhere = await startSandbox({ apiKey, forms: [formRecord('f2')] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => {
	await sandbox.stop();
	await elsewhere.stop();
});

const forms = { operation: 'getForms' };
const read = { operation: 'getResponses', formId: byId('f1') };
const create = {
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '{"a":"b"}',
};

/** Message and description of what an operation fails with. */
const told = async (parameters: typeof forms, more: Parameters<typeof runOn>[2] = {}) =>
	shownBy(await runOn(sandbox, parameters, more));

const submit = async (more: Parameters<typeof runOn>[2] = {}) =>
	await runOn(sandbox, create, {
		...more,
		node: { onError: 'continueErrorOutput', ...more.node },
	});

describe('the words of the service', () => {
	it.each<[string, Fault]>([
		['a text', { status: 400, body: 'Name is missing' }],
		['a message', { status: 422, body: { message: 'Name is missing.' } }],
		[
			'an error with a code',
			{ status: 409, body: { error: { code: 7, message: 'Name is missing' } } },
		],
		['a list of errors', { status: 422, body: { errors: [{ message: 'Name is missing' }] } }],
		[
			'a word for which n8n has a text of its own',
			{ status: 400, body: 'Name is missing: ECONNREFUSED' },
		],
		['a success that is none', { body: { success: false, message: 'Name is missing' } }],
		['a refused key', { status: 401, body: { error: 'Name is missing' } }],
		['a service in trouble', { status: 500, body: { error: 'Name is missing' } }],
	])('are shown where they are short: %s', async (_, fault) => {
		sandbox.faults.add(fault);

		expect(await told(create)).toContain('Name is missing');
		if (fault.status !== 500) expect(await told(read)).toContain('Name is missing');
	});

	it.each([400, 404, 413])('are not the source of a web page: %i', async (status) => {
		sandbox.faults.add({ status, body: '<html><h1>Sorry</h1></html>' });

		for (const operation of [read, create]) {
			expect(await told(operation)).toContain(`(${status})`);
			expect(await told(operation)).not.toMatch(/<|Sorry/);
		}
	});

	it('fill no screen', async () => {
		sandbox.faults.add({ status: 422, body: 'long '.repeat(2_000) });

		expect(await told(create)).toContain('(422)');
		expect((await told(create)).length).toBeLessThan(1_000);
	});
});

describe('what is wrong is named:', () => {
	it.each<[number, Fault, string]>([
		[401, {}, 'API key'],
		[403, {}, '"f1"'],
		[404, {}, '"f1"'],
		[404, { body: '<html>Not found</html>' }, '"f1"'],
		[405, { body: '<html>Not allowed</html>' }, 'Base URL'],
	])('%i %j', async (status, more, names) => {
		sandbox.faults.add({ status, ...more });

		for (const operation of [read, create]) {
			expect(await told(operation)).toContain(`(${status})`);
			expect(await told(operation)).toContain(names);
		}
	});

	it.each<[string, Fault]>([
		['a web page', { body: '<html>' }],
		['text', { body: 'ok' }],
		['an empty reply', { status: 204 }],
		['not modified, which nobody asked for', { status: 304 }],
		['JSON without a list', { body: { data: [] } }],
		['a bare list', { body: [{}] }],
		['null', { body: 'null' }],
		['a list of other things', { body: { forms: [1], responses: [{ id: 'r1' }, 'r2'] } }],
	])('the Base URL, by %s in place of a list', async (_, fault) => {
		sandbox.faults.add(fault);

		for (const operation of [forms, read]) expect(await told(operation)).toContain('Base URL');
		expect(sandbox.log).toHaveLength(2);
	});

	it('a Base URL without /api', async () => {
		const { error } = await runOn({ ...sandbox, baseUrl: sandbox.url }, forms);

		expect(shownBy({ error })).toMatch(/\(404\)[^]*\/api/);
		expect(shownBy({ error })).toContain(`${sandbox.url}/forms`);
	});

	it('the item, with the HTTP status', async () => {
		sandbox.faults.add({ status: 422, contains: 'bad' });
		const { error } = await runOn(
			sandbox,
			{ ...create, answersJson: '={{ $json }}' },
			{ input: [{ a: 'good' }, { a: 'bad' }] },
		);

		expect(factsOf(error)).toMatchObject({ httpCode: '422', itemIndex: 1 });
	});
});

describe('a reply to a submission that does not say whether it was stored', () => {
	it.each<Fault>([
		{ status: 204 },
		{ status: 304 },
		{ body: {} },
		{ body: { success: 'true' } },
		{ body: { success: 1 } },
		{ body: 'ok' },
		{ body: '{"success":true,"response_id":' },
		{ status: 303, redirectTo: '/thanks' },
		{ status: 408 },
		{ status: 501 },
	])('is not sent again, also by Retry On Fail: %j', async (fault) => {
		sandbox.faults.add({ ...fault, stored: true, times: 1 });
		const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { status, error } = await runOn(sandbox, create, { node: retryOnFail });

		expect(status).toBe('error');
		expect(shownBy({ error })).toMatch(/stored/);
		expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);

		sandbox.reset();
		sandbox.faults.add({ ...fault, times: 1 });
		expect(outcomeOf(await submit())).toBe('unknown');
	});

	it('is sent again by Retry On Fail where it says that it was not', async () => {
		sandbox.faults.add({ body: { success: false, message: 'Later' }, times: 1 });
		const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { status } = await runOn(sandbox, create, { node: retryOnFail });

		expect(status).toBe('success');
		expect(sandbox.responses).toHaveLength(1);
		expect(sandbox.log).toHaveLength(2);
	});
});

describe('a redirect', () => {
	it.each([
		[
			'to the same path elsewhere, which becomes the Base URL',
			308,
			'https://new.example/v2/api/forms',
			'https://new.example/v2/api',
		],
		['to another path', 301, '/login?next=1', '/login'],
		['without an address', 302, undefined, 'Base URL'],
		['to no web address', 302, 'mailto:help@example.com', 'Base URL'],
		['to half an address', 307, 'http://', 'Base URL'],
	])('%s', async (_, status, redirectTo, names) => {
		sandbox.faults.add({ status, redirectTo });
		const shown = await told(forms);

		expect(shown).toContain(`(${status})`);
		expect(shown).toContain(names);
		expect(shown).not.toMatch(/null|undefined/);
		expect(sandbox.log).toHaveLength(1);
	});

	it.each([301, 302, 303, 307, 308])('is not followed: %i', async (status) => {
		sandbox.faults.add({ status, redirectTo: `${elsewhere.baseUrl}/responses?form_id=f1` });

		expect(await told(read)).toContain(`(${status})`);
		expect(outcomeOf(await submit())).toBe('unknown');
		expect(elsewhere.log).toEqual([]);
		expect(sandbox.log).toHaveLength(2);
	});
});

describe('the key', () => {
	const percent = encodeURIComponent(apiKey);
	const html = apiKey.replace('/', '&#x2F;').replaceAll('=', '&#61;');
	const leaks = (thing: unknown) =>
		[inspect(thing, { depth: Infinity, showHidden: true }), JSON.stringify(thing)]
			.join()
			.match(/with(==|%3D%3D|&#61;&#61;)signs/i)?.[0];

	it.each<[string, Fault]>([
		...[apiKey, percent, html].flatMap((key): [string, Fault][] => [
			[`a refusal, ${key}`, { status: 400, body: { message: `Bad key ${key}!` } }],
			[`a text, ${key}`, { status: 401, body: `Bad key ${key}!` }],
			[`a web page, ${key}`, { status: 404, body: `<html>${key}</html>` }],
			[`an error, ${key}`, { status: 500, times: 1, body: { error: { message: key } } }],
			[`success: false, ${key}`, { body: { success: false, message: key } }],
		]),
		[
			'words that are longer than what is shown',
			{ status: 400, body: `${'x'.repeat(290)}${apiKey}` },
		],
		['a redirect', { status: 302, redirectTo: `https://elsewhere.example/${apiKey}/` }],
		['a redirect, encoded', { status: 302, redirectTo: `https://elsewhere.example/${percent}/` }],
		['a host', { status: 308, redirectTo: `https://${apiKey.split('+')[1]}.example/forms` }],
		['the name of a member', { body: { forms: [], responses: [], [`next ${apiKey}`]: 'b' } }],
	])('is shown nowhere, whatever the service repeats it in: %s', async (_, fault) => {
		for (const operation of [forms, read, create]) {
			sandbox.reset();
			sandbox.faults.add(fault);
			const onError = 'continueErrorOutput';
			const runs = [
				await runOn(sandbox, operation),
				await runOn(sandbox, operation, { node: { onError } }),
			];

			expect(runs.map(({ run }) => leaks(run))).toEqual([undefined, undefined]);
		}
		expect(leaks({ message: [`Bad ${apiKey}`] })).toBe('with==signs');
	});

	it.each(['credential', 'Limit', '2026-01-31T09:00:00-0123456789abcdefghijkl'])(
		'takes no word out of the messages of the node itself: %s',
		async (key) => {
			sandbox.faults.add({ status: 401 });
			const { error } = await runOn({ ...sandbox, apiKey: key }, read);
			const limit = await runOn({ ...sandbox, apiKey: key }, { ...read, limit: 0 } as typeof read);

			expect(error?.message).toMatch(/credential/);
			expect(error?.message).not.toContain('…');
			expect(limit.error?.message).toMatch(/^Limit.*0/);
		},
	);

	it('keeps no submission out of the log, however long it is', async () => {
		const long = Array.from({ length: 4_000 }, (_, i) => 'abc+/=XYZ789'[(i * 7) % 12]).join('');
		const service = await startSandbox({ apiKey: long, forms: [formRecord('f1')] });
		service.faults.add({ status: 500, stored: true, body: { message: `Key ${long}` } });
		const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { error, run } = await runOn(service, create, { node: retryOnFail });
		await service.stop();

		expect(service.log).toHaveLength(1);
		expect(shownBy({ error })).toContain('(500)');
		expect(JSON.stringify(run)).not.toContain(long.slice(0, 20));
	});
});

describe('no connection', () => {
	useFastClock();

	it.each([
		['to a port that refuses it', 'http://127.0.0.1:1', 'ECONNREFUSED'],
		['to a host that is unknown', 'http://nohost.invalid', /ENOTFOUND|EAI_AGAIN/],
		['that is secure', () => sandbox.url.replace('http:', 'https:'), /EPROTO|ERR_SSL/],
	])('%s: names the address and the Base URL, and nothing was sent', async (_, at, reason) => {
		const origin = typeof at === 'string' ? at : at();
		const service = { ...sandbox, baseUrl: `${origin}/api` };
		const reading = await runOn(service, read);
		const creating = await runOn(service, create, { node: { onError: 'continueErrorOutput' } });

		for (const shown of [shownBy(reading), String(creating.failed[0]?.json.error)]) {
			expect(shown).toContain(origin);
			expect(shown).toContain('Base URL');
			expect(shown).toMatch(reason);
		}
		expect(outcomeOf(creating)).toBe('not sent');
		expect(sandbox.log).toEqual([]);
	});
});

it('no connection is tried again by a submission, since nothing was sent, and then creates once', async () => {
	const closed = createServer();
	const port = await listen(closed);
	await new Promise((resolve) => closed.close(resolve));

	const running = runOn({ ...sandbox, baseUrl: `http://127.0.0.1:${port}/api` }, create);
	const late = await new Promise<Sandbox>((resolve) => {
		setTimeout(
			() => void startSandbox({ port, apiKey, forms: [formRecord('f1')] }).then(resolve),
			150,
		);
	});
	const { status } = await running;
	await late.stop();

	expect(status).toBe('success');
	expect(late.responses.map(({ answers }) => answers)).toEqual([{ a: 'b' }]);
	expect(late.log).toHaveLength(1);
});
