import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { INodeParameters } from 'n8n-workflow';
import dns from 'node:dns';
import type { RequestListener } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { connect as connectTo, createServer as createTcpServer, isIP } from 'node:net';
import tls from 'node:tls';
import { createGzip } from 'node:zlib';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { Certificate } from '../support/certificate';
import { selfSigned } from '../support/certificate';
import type { TestRun } from '../support/engine';
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

/**
 * What is sent, what is between n8n and the service, and what the node makes of odd replies. The fault matrix has what
 * each fault comes to, test/unit what is sent again.
 */

const apiKey = 'fc/key+with==signs';
let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		apiKey,
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
	answersJson: '{"a":"b"}',
	options: { timeout: 5 },
};

const at = async (baseUrl: string, parameters: INodeParameters, more: Partial<TestRun> = {}) =>
	await runOn({ baseUrl, apiKey } as Sandbox, parameters, more);

const submit = async (baseUrl = sandbox.baseUrl) =>
	await at(baseUrl, create, { node: { onError: 'continueErrorOutput' } });

const urlOf = async (server: Server, scheme = 'http') =>
	`${scheme}://127.0.0.1:${await listen(server)}/api`;

/** Answers in its own way, on a connection of its own for each request. */
const serving = async (answer: RequestListener) =>
	await urlOf(createHttpServer({ keepAlive: false }, answer));

it('sends JSON with the key, and nothing that is not documented', async () => {
	await runOn(sandbox, read);
	await runOn(sandbox, create);

	const common = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
	expect(
		sandbox.log.map(({ method, path, headers, body }) => ({
			method,
			path,
			authorization: headers.authorization,
			accept: headers.accept,
			type: headers['content-type'],
			body,
		})),
	).toEqual([
		{ ...common, method: 'GET', path: '/api/responses?form_id=f1' },
		{
			...common,
			method: 'POST',
			path: '/api/responses',
			type: 'application/json',
			body: { form_id: 'f1', answers: { a: 'b' } },
		},
	]);
});

describe('the description of an error', () => {
	useFastClock();

	const says = 'The service says: Name is missing';

	it.each<[string, string, Fault]>([
		['a text', says, { status: 400, body: ' Name is\nmissing' }],
		['a message', says, { status: 422, body: { message: 'Name is missing' } }],
		[
			'all texts',
			`${says}, x`,
			{ status: 409, body: { code: 7, errors: ['Name is missing', 'x'] } },
		],
		[
			'what n8n has a text for',
			`${says}: ECONNREFUSED`,
			{ body: { success: false, m: 'Name is missing: ECONNREFUSED' } },
		],
		[
			'seven characters of the key',
			'The service says: No ey+with',
			{ status: 401, body: 'No ey+with' },
		],
		['no more of them', '', { status: 401, body: 'No key+with' }],
		['nothing long', '', { status: 422, body: 'x'.repeat(301) }],
		['no web page', '', { status: 413, body: '<html>Sorry</html>' }],
	])('has of the words of the service %s', async (_, expected, fault) => {
		sandbox.faults.add(fault);

		expect((await runOn(sandbox, create)).error?.description ?? '').toBe(expected);
	});

	it('has the reason of a failed connection', async () => {
		const { error } = await at('http://127.0.0.1:1/api', { operation: 'getForms' });

		expect(error?.description).toMatch(/^Reason: .*ECONNREFUSED/);
	});
});

describe('what is sent again', () => {
	useFastClock();

	it('gets through where the service fails twice, and has nothing of the first tries', async () => {
		sandbox.responses.push(responseRecord('f1', 'r2', { answers: { q: 'x'.repeat(1000) } }));
		sandbox.faults.add({ times: 1, cut: 'body' }, { times: 1, status: 502 });
		for (const operation of ['getResponses', 'getQuestions']) {
			const { items } = await runOn(sandbox, { ...read, operation });

			expect(items).toHaveLength(2);
		}
		expect(sandbox.log).toHaveLength(4);
	});

	it('is created once where the limit has passed at the second try', async () => {
		sandbox.faults.add({ times: 1, status: 429, headers: { 'Retry-After': '0' } });

		expect((await submit()).items).toHaveLength(1);
		expect(sandbox.log.map(({ status }) => status)).toEqual([429, 201]);
		expect(sandbox.responses).toHaveLength(2);
	});

	it('waits until a date, on the clock of the service', async () => {
		const anHourAgo = Date.now() - 3_600_000;
		const until = async (waitMs: number) => {
			sandbox.reset();
			const [Date_, retryAfter] = [0, waitMs].map((ms) => new Date(anHourAgo + ms).toUTCString());
			sandbox.faults.add({
				status: 429,
				times: 1,
				headers: { Date: Date_!, 'Retry-After': retryAfter! },
			});
			return shownBy(await runOn(sandbox, read));
		};

		expect(await until(0)).not.toContain('429');
		expect(await until(1_800_000)).toMatch(/\(429\): try again in 30 minutes, at 20.* UTC/);
		expect(sandbox.log).toHaveLength(1);
	});
});

it('a response is created once where nothing listened at the first try', async () => {
	const closed = createTcpServer();
	const port = await listen(closed);
	await new Promise((resolve) => closed.close(resolve));
	const running = at(`http://127.0.0.1:${port}/api`, create);
	await new Promise((resolve) => setTimeout(resolve, 100));
	const late = await startSandbox({ port, apiKey, forms: [formRecord('f1')] });
	const { items } = await running;
	await late.stop();

	expect(items).toHaveLength(1);
	expect(late.log).toHaveLength(1);
});

describe('a service that is slow', () => {
	useFastClock();

	const withTimeout = { ...read, options: { timeout: 1 } };

	it('may send a list in pieces, for longer than Timeout', async () => {
		sandbox.responses.push(...Array.from({ length: 50 }, (_, i) => responseRecord('f1', `s${i}`)));
		sandbox.faults.add({ slowBodyMs: 200 });

		expect((await runOn(sandbox, withTimeout)).items).toHaveLength(50);
	});

	it('is told by its status where it drips a refusal', async () => {
		const baseUrl = await serving((_, reply) => {
			reply.writeHead(401).write('{"error":"');
			const timer = setInterval(() => reply.write('x'), 200);
			reply.on('close', () => clearInterval(timer));
		});

		expect(shownBy(await at(baseUrl, withTimeout))).toContain('(401)');
	});

	it.each([false, true])(
		'is left with the records that are wanted, also if it says nothing more (gzip: %p)',
		async (isZipped) => {
			let left: () => void;
			const isLeft = new Promise<void>((resolve) => (left = resolve));
			const baseUrl = await serving((_, reply) => {
				reply.on('close', () => left());
				reply.writeHead(200, isZipped ? { 'Content-Encoding': 'gzip' } : {});
				const zip = createGzip();
				if (isZipped) zip.pipe(reply);
				(isZipped ? zip : reply).write('{"responses":[{"id":"a"},');
				zip.flush();
			});
			const options = { sort: 'asReceived' };
			const { items } = await at(baseUrl, { ...read, limit: 1, options });
			await isLeft;

			expect(items).toEqual(itemsOf([{ id: 'a' }], 0));
		},
	);
});

const text = JSON.stringify({ responses: [{ id: 'Grüße, €, 📋' }] });
it.each<[string, string, Buffer[], boolean]>([
	[
		'UTF-8, wherever it is split',
		'',
		Array.from(Buffer.from(text), (byte) => Buffer.of(byte)),
		true,
	],
	['UTF-8 with a byte order mark', '', [Buffer.from(`\ufeff${text}`)], true],
	['UTF-8 under another name', 'text/plain; charset=martian', [Buffer.from(text)], true],
	['in another character set', '', [Buffer.from(text, 'latin1')], false],
])('the text of a reply is read, or refused: %s', async (_, type, pieces, isRead) => {
	const baseUrl = await serving(async (__, reply) => {
		reply.setHeader('Content-Type', type);
		for (const piece of pieces) {
			reply.write(piece);
			await new Promise((resolve) => setImmediate(resolve));
		}
		reply.end();
	});
	const { items, error } = await at(baseUrl, read);

	expect(items.map(({ json }) => json)).toEqual(isRead ? JSON.parse(text).responses : []);
	if (!isRead) expect(error?.message).toContain('Base URL');
});

it.each([{ success: 'true' }, { success: 1 }, {}])(
	'a submission is not confirmed by %j',
	async (body) => {
		sandbox.faults.add({ body, stored: true });

		expect(outcomeOf(await submit())).toBe('unknown');
	},
);

it.each([
	['headers of 20 KB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n{"success":true}`],
	['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
])('a submission whose reply is %s is not sent again, and names the Base URL', async (_, reply) => {
	let requests = 0;
	const server = createTcpServer((socket) => {
		socket.on('error', () => undefined);
		socket.on('data', (data) => {
			if (!data.toString().endsWith('}')) return;
			requests++;
			socket.end(reply);
		});
	});
	const creating = await submit(await urlOf(server));

	expect(requests).toBe(1);
	expect(creating.failed[0]?.json.error).toMatch(/Base URL/);
	expect(outcomeOf(creating)).toBe('unknown');
});

describe('TLS', () => {
	const { createSecureContext } = tls;
	let certificate: Certificate;

	// As NODE_EXTRA_CA_CERTS does, which Node.js reads only when it starts.
	beforeAll(async () => {
		certificate = await selfSigned('127.0.0.1');
		tls.createSecureContext = (options) => {
			const context = createSecureContext(options);
			(context.context as { addCACert(cert: string): void }).addCACert(certificate.cert);
			return context;
		};
	});
	afterAll(() => void (tls.createSecureContext = createSecureContext));

	it.each<[string, tls.SecureVersion, 'break' | 'end' | 'resetAndDestroy', string?]>([
		['breaks after the request may have delivered it', 'TLSv1.2', 'break', 'unknown'],
		['breaks after the request may have delivered it', 'TLSv1.3', 'break', 'unknown'],
		['is reset before the handshake may have, too', 'TLSv1.3', 'resetAndDestroy', 'unknown'],
		['ends before the handshake has not: it is sent again', 'TLSv1.3', 'end'],
	])('that %s (%s)', async (_, version, event, outcome = 'created') => {
		const outer: Socket[] = [];
		const versions = { minVersion: version, maxVersion: version };
		const service = tls.createServer({ ...certificate, ...versions }, (socket) => {
			socket.on('error', () => undefined);
			socket.on('data', (data) => {
				if (!data.toString().endsWith('}')) return;
				const reply = 'HTTP/1.1 201 Created\r\nContent-Length: 16\r\n\r\n{"success":true}';
				// From outside of TLS, it is no record of TLS.
				(event === 'break' ? outer[0]! : socket).write(reply);
			});
		});
		const port = await listen(service);
		const between = createTcpServer((socket) => {
			socket.on('error', () => undefined);
			outer.push(socket);
			const isFirst = outer.length === 1;
			if (isFirst && event !== 'break') return void socket.once('data', () => socket[event]());
			const inner = connectTo(port, '127.0.0.1').on('error', () => undefined);
			socket.pipe(inner).pipe(socket);
		});

		expect(outcomeOf(await submit(await urlOf(between, 'https'))) ?? 'created').toBe(outcome);
		expect(outer).toHaveLength(event === 'end' ? 2 : 1);
	});
});

describe('a proxy', () => {
	useFastClock();

	const https = 'https://forms.example.com/api';
	const variables = ['HTTP_PROXY', 'HTTPS_PROXY'];
	afterEach(() => variables.forEach((name) => Reflect.deleteProperty(process.env, name)));

	it.each<[string, string, number | 'hangs up' | 'is absent', string, RegExp]>([
		['wants a password', https, 407, 'refused', /proxy.*\(407\)/],
		['hangs up', https, 'hangs up', 'not sent', /proxy/],
		['is not there', https, 'is absent', 'not sent', /proxy/],
		['cannot go on', https, 502, 'unknown', /\(502\)/],
	])('that %s is named: %s, %s', async (_, baseUrl, status, outcome, named) => {
		const server = createHttpServer((__, reply) => void reply.writeHead(Number(status)).end('No'));
		server.on('connect', (__, socket: Socket) =>
			typeof status === 'string' ? socket.destroy() : socket.end(`HTTP/1.1 ${status} No\r\n\r\n`),
		);
		const port = status === 'is absent' ? 1 : await listen(server);
		for (const name of variables) process.env[name] = `http://127.0.0.1:${port}`;
		const creating = await submit(baseUrl);

		expect(creating.failed[0]?.json.error).toMatch(named);
		expect(outcomeOf(creating)).toBe(outcome);
	});
});

describe('a host', () => {
	useFastClock();

	const { lookup } = dns;
	afterEach(() => void (dns.lookup = lookup));

	// Without IPv6 (ENETUNREACH), with a firewall that drops it (ETIMEDOUT), and with no address that can be (EINVAL).
	it.each<[string, string[]]>([
		['EAI_FAIL', []],
		['', ['2001:db8::1', '127.0.0.1']],
		['', ['fe80::1']],
	])('that cannot be reached got nothing, and is tried again: %s %j', async (code, addresses) => {
		let lookups = 0;
		// As Node.js ends a lookup, e.g. with EAI_FAIL where the DNS server refuses.
		dns.lookup = ((_host: string, ...rest: [{ all?: boolean }, (...found: unknown[]) => void]) => {
			lookups++;
			const done = rest.at(-1) as (...found: unknown[]) => void;
			const message = `getaddrinfo ${code} forms.example.com`;
			const error = Object.assign(new Error(message), { code, syscall: 'getaddrinfo' });
			const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }));
			process.nextTick(() => {
				if (first === undefined) done(error);
				else if (rest[0].all) done(null, [first, ...others]);
				else done(null, first.address, first.family);
			});
		}) as typeof dns.lookup;
		const creating = await submit('http://forms.example.com:1/api');

		expect(creating.failed[0]?.json.error).toMatch(/^http:\/\/forms\.example\.com.*Base URL/);
		expect(outcomeOf(creating)).toBe('not sent');
		expect(lookups).toBe(3);
	});
});

it('names n8n’s own rules where they do not allow the address, and asks once', async () => {
	const settings = Container.get(SsrfProtectionConfig);
	settings.enabled = true;
	const input = [{}, {}];
	const node = { onError: 'continueErrorOutput' as const };
	const { failed } = await runOn(sandbox, create, { input, node });
	settings.enabled = false;

	expect(failed.map(({ json }) => json.error)).toEqual(
		Array(2).fill(expect.stringMatching(`security settings .* ${sandbox.url}:[^]*not sent$`)),
	);
	expect(sandbox.log).toEqual([]);
});
