import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { execute, polling } from '../support/engine';
import { useFastClock } from '../support/fastClock';
import {
	byId,
	formRecord,
	itemsOf,
	outcomeOf,
	requestsTo,
	responseRecord,
	runOn,
	shownBy,
} from '../support/formCollection';
import { closeServers, listen } from '../support/listen';
import { runPoll } from '../support/poller';

/** How requests are sent: what with, how often, and how long the node waits for the reply. */

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1')],
		responses: [responseRecord('f1', 'r1')],
	});
});
beforeEach(() => sandbox.reset());
afterEach(closeServers);
afterAll(async () => await sandbox.stop());

const read = { operation: 'getResponses', formId: byId('f1') };
const create = {
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ { n: $json.n ?? "1" } }}',
	options: { parallelRequests: 1 },
};
const toErrorOutput = { onError: 'continueErrorOutput' } as const;

/** Answers in its own way, on a connection of its own for each request. */
const credentialsFor = async (answer: RequestListener) => ({
	baseUrl: `http://127.0.0.1:${await listen(createServer({ keepAlive: false }, answer))}/api`,
	apiKey: 'sk_live_4f9a8b7c6d5e4f3a2b1c',
});

const answerWith = (body: () => string, headers = {}) =>
	((_, reply) => {
		reply.writeHead(200, { 'Content-Type': 'application/json', ...headers });
		reply.end(body());
	}) satisfies RequestListener;

it('sends JSON with the key, and nothing that is not documented', async () => {
	await runOn(sandbox, read);
	await runOn(sandbox, create);

	const documented = ({ method, path, headers, body }: Sandbox['log'][number]) => ({
		method,
		path,
		authorization: headers.authorization,
		accept: headers.accept,
		type: headers['content-type']?.split(';')[0],
		body,
	});
	const common = { authorization: 'Bearer sandbox-key', accept: 'application/json' };
	expect(sandbox.log.map(documented)).toEqual([
		{ ...common, method: 'GET', path: '/api/responses?form_id=f1' },
		{
			...common,
			method: 'POST',
			path: '/api/responses',
			type: 'application/json',
			body: { form_id: 'f1', answers: { n: '1' } },
		},
	]);
});

describe('the credential', () => {
	const getForms = async (credentials: { baseUrl?: unknown; apiKey?: unknown }) =>
		await execute({
			parameters: { operation: 'getForms' },
			credentials: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, ...credentials } as never,
			input: [{}, {}],
		});

	it.each([
		(url: string) => `${url}/`,
		(url: string) => `  ${url}///\n`,
		(url: string) => url.replace('http', 'HTTP'),
	])('takes a Base URL, and a key, as people paste them (%#)', async (paste) => {
		const apiKey = `\t${sandbox.apiKey}\n`;
		const { items } = await getForms({ baseUrl: paste(sandbox.baseUrl), apiKey });

		expect(items).toEqual([...itemsOf([formRecord('f1')], 0), ...itemsOf([formRecord('f1')], 1)]);
		expect(sandbox.log.map(({ path }) => path)).toEqual(['/api/forms']);
	});

	it.each<[string, unknown]>([
		...['', '  ', undefined, 'not a url', 'forms.example.com/api', 'localhost:3000/api'].map(
			(baseUrl): [string, unknown] => ['baseUrl', baseUrl],
		),
		...['ftp://user:secret@example.com', 'http://', 'https://user:secret@example.com'].map(
			(baseUrl): [string, unknown] => ['baseUrl', baseUrl],
		),
		['baseUrl', 'https://example.com/api?key=secret'],
		...['', ' ', undefined, 'two\nlines', 'two words', 'ключ', 'Bearer abc-123'].map(
			(apiKey): [string, unknown] => ['apiKey', apiKey],
		),
	])('is refused before any request, without its secrets: %s %j', async (field, value) => {
		const { error } = await getForms({ [field]: value });

		expect(error?.message).toMatch(field === 'baseUrl' ? /Base URL/ : /API Key/);
		expect(shownBy({ error })).not.toMatch(/secret|abc-123/);
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each<[string, (account: Sandbox) => ICredentialDataDecryptedObject, number]>([
		['without expressions once for all items', ({ baseUrl, apiKey }) => ({ baseUrl, apiKey }), 1],
		[
			'with an expression once for each item',
			({ baseUrl, apiKey }) => ({ baseUrl, apiKey: `={{ '${apiKey}' }}` }),
			3,
		],
	])('is read %s, and not again for a request', async (_, credentialsOf, reads) => {
		const { credentialReads, items } = await runOn(sandbox, create, {
			input: [{ n: '1' }, { n: '2' }, { n: '3' }],
			credentials: credentialsOf(sandbox),
		});

		expect(items).toHaveLength(3);
		expect(credentialReads).toBe(reads);
	});
});

describe('what every further request would meet', () => {
	const input = [{ n: '1' }, { n: '2' }, { n: '3' }];

	it.each([
		['a refused key', { status: 401, body: 'No such key' }],
		['the hourly limit', { status: 429 }],
	])('is met once, and told for each item: %s', async (_, fault) => {
		sandbox.faults.add(fault);
		const { failed } = await runOn(sandbox, create, { input, node: toErrorOutput });

		expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);
		expect(failed).toHaveLength(3);
		for (const { json } of failed) expect(json.error).toContain(`(${fault.status})`);
		expect(outcomeOf({ failed })).toBe('refused');
		for (const { json } of failed.slice(1)) expect(json.error).toMatch(/Outcome: not sent$/);
	});

	it('is met once by lists, too', async () => {
		sandbox.faults.add({ status: 401 });
		const parameters = { ...read, formId: byId('={{ $json.n }}') };
		const { failed } = await runOn(sandbox, parameters, { input, node: toErrorOutput });

		expect(failed).toHaveLength(3);
		expect(requestsTo(sandbox)).toEqual(['GET /responses 1']);
	});

	it('is not what one of them meets', async () => {
		sandbox.faults.add({ status: 422, times: 1 });
		const { items, failed } = await runOn(sandbox, create, { input, node: toErrorOutput });

		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 2 }]);
		expect(failed).toHaveLength(1);
	});
});

describe('what is sent again', () => {
	useFastClock();
	// Two waits of 20 s take 4 s of the fast clock, and longer on a busy machine.
	jest.setTimeout(30_000);

	const submit = async () => await runOn(sandbox, create, { node: toErrorOutput });
	const statuses = () => sandbox.log.map(({ status }) => status);

	it.each<[Fault, number, number]>([
		[{ status: 408 }, 3, 1],
		[{ status: 429, headers: { 'Retry-After': '1' } }, 3, 3],
		[{ status: 429, headers: { 'Retry-After': '20' } }, 3, 3],
		[{ status: 429, headers: { 'Retry-After': '21' } }, 1, 1],
		[{ status: 429, headers: { 'Retry-After': 'soon 5' } }, 1, 1],
		[{ status: 429 }, 1, 1],
		[{ status: 500 }, 3, 1],
		[{ status: 501 }, 1, 1],
		[{ status: 502 }, 3, 1],
		[{ status: 503 }, 3, 1],
		[{ status: 503, headers: { 'Retry-After': '45' } }, 1, 1],
		[{ status: 504 }, 3, 1],
		[{ status: 400 }, 1, 1],
		[{ cut: 'connection' }, 3, 1],
		[{ cut: 'body' }, 3, 1],
	])('%j: a list is asked for %i times, a submission sent %i times', async (fault, gets, posts) => {
		sandbox.faults.add(fault);
		const [reading] = await Promise.all([runOn(sandbox, read), submit()]);

		const sent = (verb: string) => sandbox.log.filter(({ method }) => method === verb).length;
		expect({ gets: sent('GET'), posts: sent('POST') }).toEqual({ gets, posts });
		expect(reading.status).toBe('error');
	});

	it('gets through where the service fails twice', async () => {
		sandbox.faults.add({ times: 1, cut: 'body' }, { times: 1, status: 502 });
		const { items } = await runOn(sandbox, read);

		expect(items).toEqual(itemsOf([responseRecord('f1', 'r1')], 0));
		expect(sandbox.log).toHaveLength(3);
	});

	it('creates once where the limit has passed at the second try', async () => {
		sandbox.faults.add({ times: 1, status: 429, headers: { 'Retry-After': '0' } });

		expect((await submit()).items).toHaveLength(1);
		expect(statuses()).toEqual([429, 201]);
		expect(sandbox.responses).toHaveLength(2);
	});

	it('waits until a date, on the clock of the service', async () => {
		const anHourAgo = Date.now() - 3_600_000;
		const until = async (date: number) => {
			sandbox.reset();
			sandbox.faults.add({
				status: 429,
				headers: {
					Date: new Date(anHourAgo).toUTCString(),
					'Retry-After': new Date(date).toUTCString(),
				},
			});
			await runOn(sandbox, read);
			return sandbox.log.length;
		};

		expect(await until(anHourAgo + 1_000)).toBe(3);
		expect(await until(anHourAgo + 1_800_000)).toBe(1);
	});
});

it.each([
	['in seconds', () => '2400'],
	['as a date', () => new Date(Date.now() + 2_400_000).toUTCString()],
])('says when to come back after a long wait: %s', async (_, retryAfter) => {
	sandbox.faults.add({ status: 429, headers: { 'Retry-After': retryAfter() } });

	expect(shownBy(await runOn(sandbox, read))).toMatch(/\b(39|40) minutes/);
	expect(sandbox.log).toHaveLength(1);
});

describe('a service that is slow', () => {
	useFastClock();

	const withTimeout = { ...read, options: { timeout: 1 } };
	const drip = (status: number, first: string, part: string) =>
		((_, reply) => {
			reply.writeHead(status, { 'Content-Type': 'application/json' });
			reply.write(first);
			const timer = setInterval(() => reply.write(part), 200);
			reply.on('close', () => clearInterval(timer));
		}) satisfies RequestListener;
	const list = drip(200, '{"responses":[', ' ');

	it.each<[string, Fault]>([
		['does not answer', { hang: true }],
		['stops in the middle', { hang: 'body' }],
	])('ends a request by Timeout, which is not sent again: %s', async (_, fault) => {
		sandbox.faults.add(fault);
		const reading = await runOn(sandbox, { ...read, options: { timeout: 2 } });
		const creating = await runOn(
			sandbox,
			{ ...create, options: { timeout: 2 } },
			{ node: toErrorOutput },
		);

		expect(shownBy(reading)).toMatch(/2 seconds/);
		expect(outcomeOf(creating)).toBe('unknown');
		expect(sandbox.log).toHaveLength(2);
	});

	it('may send a list in pieces, for longer than Timeout', async () => {
		sandbox.faults.add({ slowBodyMs: 200 });
		const { items } = await runOn(sandbox, withTimeout);

		expect(items).toEqual(itemsOf([responseRecord('f1', 'r1')], 0));
	});

	it('is told by its status where it drips a refusal', async () => {
		const credentials = await credentialsFor(drip(401, '{"error":"', 'x'));

		expect(shownBy(await execute({ parameters: withTimeout, credentials }))).toContain('(401)');
	}, 15_000);

	it('is left when the execution is stopped', async () => {
		const { status } = await execute({
			parameters: withTimeout,
			credentials: await credentialsFor(list),
			onStart: (stop) => setTimeout(stop, 500),
		});

		expect(status).toBe('canceled');
	}, 15_000);
});

it('Stop ends the wait before another try', async () => {
	sandbox.faults.add({ status: 429, headers: { 'Retry-After': '20' } });
	const arrival = async () => {
		while (sandbox.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
	};
	const { status } = await runOn(sandbox, read, {
		onStart: (stop) => void arrival().then(() => setTimeout(stop, 100)),
	});

	expect(status).toBe('canceled');
	expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
});

describe('a limit, as received,', () => {
	const compressions = {
		identity: undefined,
		gzip: createGzip,
		deflate: createDeflate,
		br: createBrotliCompress,
	};
	const parameters = { ...read, limit: 1, options: { sort: 'asReceived', timeout: 2 } };

	/** Sends the beginning of a list, then what `next` gives, until the connection is closed. */
	const leftEarly = async (encoding: keyof typeof compressions, next: () => string | undefined) => {
		let sent = 0;
		let left: () => void;
		const isLeft = new Promise<void>((resolve) => (left = resolve));
		const credentials = await credentialsFor((_: IncomingMessage, reply: ServerResponse) => {
			reply.on('close', () => left());
			reply.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': encoding });
			const zip = compressions[encoding]?.();
			zip?.pipe(reply);
			const write = (text: string) => {
				(zip ?? reply).write(text);
				zip?.flush();
			};
			write('{"responses":[{"id":"a"},');
			const timer = setInterval(() => {
				const text = next();
				if (text === undefined) return;
				sent++;
				write(text);
			}, 10);
			reply.on('close', () => clearInterval(timer));
		});
		const { items } = await execute({ parameters, credentials });
		await isLeft;
		return { items: items.map(({ json }) => json), sent };
	};
	const record = () => `{"id":"${randomBytes(50_000).toString('hex')}"},`;

	it.each(['identity', 'gzip', 'deflate', 'br'] as const)(
		'ends the download of a large list: %s',
		async (encoding) => {
			const { items, sent } = await leftEarly(encoding, record);

			expect(items).toEqual([{ id: 'a' }]);
			expect(sent).toBeLessThan(300);
		},
		20_000,
	);

	it.each(['identity', 'gzip'] as const)(
		'closes the connection of a service that then says nothing more: %s',
		async (encoding) => {
			expect((await leftEarly(encoding, () => undefined)).items).toEqual([{ id: 'a' }]);
		},
		20_000,
	);
});

it('does not keep the reply to a submission without bound, whose outcome is unknown then', async () => {
	let sent = 0;
	const credentials = await credentialsFor((request, reply) => {
		request.resume();
		reply.writeHead(201, { 'Content-Type': 'application/json' });
		const part = Buffer.alloc(1_000_000, ' ');
		const write = () => {
			if (sent >= 600 || reply.destroyed) return void reply.end('{"success":true}');
			sent++;
			reply.write(part, write);
		};
		write();
	});
	const creating = await execute({ parameters: create, credentials, node: toErrorOutput });

	expect(outcomeOf(creating)).toBe('unknown');
	expect(sent).toBeLessThan(100);
}, 60_000);

it('passes the reply to a submission on as it came', async () => {
	const body = { success: true, response_id: 'r1', more: [{ message: 'Thank you' }, 'key', null] };
	sandbox.faults.add({ status: 200, body });

	expect((await runOn(sandbox, create)).items).toEqual(itemsOf([body], 0));
});

it('a trigger whose service tells whole seconds misses nothing that was created right after publishing', async () => {
	let answer: RequestListener = (_, reply) => void reply.writeHead(503).end();
	const { context } = polling({
		parameters: { formId: byId('f1'), options: {} },
		credentials: await credentialsFor((request, reply) => void answer(request, reply)),
	});
	// Not at the beginning of a second.
	while (Date.now() % 1000 < 300 || Date.now() % 1000 > 600) {
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	await runPoll(context);
	const created = new Date().toISOString().replace(/\.\d+/, '');
	answer = answerWith(() => `{"responses":[{"id":"new","created_at":"${created}"}]}`);

	expect((await runPoll(context)).map(({ id }) => id)).toEqual(['new']);
});

describe('what a list says beside its records', () => {
	const hints = async (body: string) =>
		JSON.stringify(
			(
				await execute({
					parameters: { ...read, returnAll: true },
					credentials: await credentialsFor(answerWith(() => body)),
				})
			).run.data.resultData.runData['Form Collection']?.[0]?.hints ?? [],
		);

	it('is shown without HTML, in which n8n shows hints', async () => {
		expect(await hints('{"responses":[],"<a href=https://evil.example>next</a>":1}')).not.toContain(
			'<a href',
		);
	});
});
