import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import dns from 'node:dns';
import { createServer as createHttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { connect as connectTo, createServer as createTcpServer, isIP } from 'node:net';
import tls from 'node:tls';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { Certificate } from '../support/certificate';
import { selfSigned } from '../support/certificate';
import { loadOptions, testCredential } from '../support/engine';
import { useFastClock } from '../support/fastClock';
import {
	byId,
	credentialsOf,
	formRecord,
	outcomeOf,
	requestsTo,
	responseRecord,
	runOn,
	shownBy,
} from '../support/formCollection';
import { closeServers, listen } from '../support/listen';

/** What is between n8n and the service, and replies that no server sends on purpose. */

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')] });
});
beforeEach(() => sandbox.reset());
afterEach(closeServers);
afterAll(async () => await sandbox.stop());

const read = { operation: 'getForms' };
const create = {
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '{"a":"b"}',
	options: { timeout: 5 },
};
const https = 'https://forms.example.com/api';

const run = async (baseUrl: string, parameters: INodeParameters) =>
	await runOn({ ...sandbox, baseUrl }, parameters);

/** With n8n's Retry On Fail, which sends again what may be sent again. */
const retry = async (baseUrl: string, parameters: INodeParameters) =>
	await runOn({ ...sandbox, baseUrl }, parameters, {
		node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
	});

const submit = async (baseUrl: string) =>
	await runOn({ ...sandbox, baseUrl }, create, { node: { onError: 'continueErrorOutput' } });

const urlOf = async (server: Server, scheme = 'http') =>
	`${scheme}://127.0.0.1:${await listen(server)}/api`;

describe('a proxy', () => {
	useFastClock();

	const variables = ['HTTP_PROXY', 'HTTPS_PROXY'];
	afterEach(() => variables.forEach((name) => Reflect.deleteProperty(process.env, name)));

	/** Answers each request, or request for a tunnel, with this status; without one it hangs up. */
	const useProxy = async (status?: number) => {
		const server = createHttpServer((_, reply) => void reply.writeHead(status ?? 500).end('No'));
		server.on('connect', (_, socket: Socket) =>
			status === undefined ? socket.destroy() : socket.end(`HTTP/1.1 ${status} No\r\n\r\n`),
		);
		const port = await listen(server);
		for (const name of variables) process.env[name] = `http://127.0.0.1:${port}`;
	};

	it.each([
		[407, 'http://forms.example.com/api'],
		[407, https],
	])('that answers %i is named: %s', async (status, baseUrl) => {
		await useProxy(status);

		for (const parameters of [read, create]) {
			const shown = shownBy(await run(baseUrl, parameters));

			expect(shown).toMatch(/proxy/i);
			expect(shown).toContain(`(${status})`);
		}
	});

	it('that hangs up, or is not there, is named, and nothing was sent', async () => {
		await useProxy();
		const hungUp = [await run(https, read), await submit(https)] as const;
		process.env.HTTPS_PROXY = 'http://127.0.0.1:1';
		const absent = [await run(https, read), await submit(https)] as const;

		for (const [reading, creating] of [hungUp, absent]) {
			expect(shownBy(reading)).toMatch(/proxy/i);
			expect(creating.failed[0]?.json.error).toMatch(/proxy/i);
			expect(outcomeOf(creating)).toBe('not sent');
		}
	});

	it('that cannot go on may have passed on a submission', async () => {
		await useProxy(502);

		expect(outcomeOf(await submit(https))).toBe('unknown');
	});
});

describe('a host', () => {
	useFastClock();

	const { lookup } = dns;
	let lookups = 0;
	afterEach(() => void (dns.lookup = lookup));

	const replaceLookup = (answer: (all: boolean, done: (...found: unknown[]) => void) => void) => {
		lookups = 0;
		dns.lookup = ((_host: string, ...rest: [{ all?: boolean }, () => void]) => {
			lookups++;
			const [{ all }] = rest;
			process.nextTick(() => answer(all === true, rest.at(-1) as never));
		}) as typeof dns.lookup;
	};
	/** As Node.js ends a lookup, e.g. with EAI_FAIL where the DNS server refuses. */
	const failWith = (code: string) =>
		replaceLookup((_all, done) => {
			const message = `getaddrinfo ${code} forms.example.com`;
			done(Object.assign(new Error(message), { code, syscall: 'getaddrinfo' }));
		});
	const resolveTo = (...addresses: string[]) =>
		replaceLookup((all, done) => {
			const found = addresses.map((address) => ({ address, family: isIP(address) }));
			if (all) done(null, found);
			else done(null, found[0]?.address, found[0]?.family);
		});

	it.each(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EMFILE'])(
		'that is not found got nothing, so a submission is tried again: %s',
		async (code) => {
			failWith(code);
			const creating = await submit('http://forms.example.com/api');

			expect(creating.failed[0]?.json.error).toMatch(/http:\/\/forms\.example\.com .*Base URL/);
			expect(outcomeOf(creating)).toBe('not sent');
			expect(lookups).toBe(3);
		},
	);

	it('that is not found is named by the credential test', async () => {
		failWith('EAI_FAIL');
		const { message } = await testCredential({
			baseUrl: 'http://forms.example.com/api',
			apiKey: 'key',
		});

		expect(message).toMatch(/http:\/\/forms\.example\.com .*Base URL/);
	});

	// Without IPv6 (ENETUNREACH), with a firewall that drops it (ETIMEDOUT), and with no address that can be (EINVAL).
	it.each([[['ff02::1', '127.0.0.1']], [['2001:db8::1', '127.0.0.1']], [['fe80::1']]])(
		'got nothing where none of its addresses can be reached: %j',
		async (addresses) => {
			resolveTo(...addresses);

			expect(outcomeOf(await submit('http://forms.example.com:1/api'))).toBe('not sent');
			expect(lookups).toBe(3);
		},
	);
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

	it.each(['TLSv1.2', 'TLSv1.3'] as const)(
		'that breaks after the request leaves open whether the response was stored: %s',
		async (version) => {
			let received = 0;
			const versions = { minVersion: version, maxVersion: version };
			const behind = tls.createServer({ ...certificate, ...versions }, (socket) => {
				socket.on('error', () => undefined);
				socket.on('data', (data) => {
					if (!data.toString().endsWith('}')) return;
					received++;
					broken.forEach((breakOff) => breakOff());
				});
			});
			const broken = new Set<() => void>();
			const behindPort = await listen(behind);
			// Passes all on, and then sends what is no record of TLS.
			const between = createTcpServer((socket) => {
				const through = connectTo(behindPort, '127.0.0.1');
				for (const each of [socket, through]) each.on('error', () => undefined);
				socket.pipe(through).pipe(socket);
				broken.add(() => void socket.write('HTTP/1.1 201 Created\r\n\r\n'));
			});

			const { status } = await retry(await urlOf(between, 'https'), create);

			expect(status).toBe('error');
			expect(received).toBe(1);
		},
	);

	/** Ends the first connection as soon as it begins to speak; the others get through to the service. */
	const endingFirst = (end: 'end' | 'resetAndDestroy') => {
		let isFirst = true;
		const service = tls.createServer(certificate, (socket) => {
			const through = connectTo(Number(new URL(sandbox.url).port), '127.0.0.1');
			for (const each of [socket, through]) each.on('error', () => undefined);
			socket.pipe(through).pipe(socket);
		});
		return createTcpServer((socket) => {
			socket.on('error', () => undefined);
			if (!isFirst) return void service.emit('connection', socket);
			isFirst = false;
			socket.once('data', () => socket[end]());
		});
	};

	it('that ends before the handshake never got the submission, which is sent again', async () => {
		const { items } = await submit(await urlOf(endingFirst('end'), 'https'));

		expect(items).toHaveLength(1);
		expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);
	});

	it('that is reset may have got the submission, which is not sent again', async () => {
		const creating = await submit(await urlOf(endingFirst('resetAndDestroy'), 'https'));

		expect(outcomeOf(creating)).toBe('unknown');
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('that the service does not speak is named', async () => {
		const creating = await submit(sandbox.baseUrl.replace('http:', 'https:'));

		expect(creating.failed[0]?.json.error).toMatch(/https:.*Base URL/);
		expect(outcomeOf(creating)).toBe('not sent');
	});
});

describe('n8n', () => {
	const settings = Container.get(SsrfProtectionConfig);
	afterEach(() => void (settings.enabled = false));

	it('may not allow the address', async () => {
		settings.enabled = true;

		for (const parameters of [read, create]) {
			const shown = shownBy(await retry(sandbox.baseUrl, parameters));
			expect(shown).toContain('security settings');
			expect(shown).toContain(sandbox.url);
		}
		expect(sandbox.log).toEqual([]);
	});

	it.each([
		'Credential with ID "7" does not exist for type "formCollectionApi".',
		'Credentials could not be decrypted.',
	])('may not give the credential: %s', async (words) => {
		const getDecrypted = async () => await Promise.reject(new Error(words));
		const { error } = await runOn(sandbox, create, { getDecrypted });

		expect(shownBy({ error })).toMatch(/credential/);
		expect(sandbox.log).toEqual([]);
	});
});

/** Sends this as soon as it has a whole request, and ends the connection. */
async function serviceThatSends(reply: string) {
	let requests = 0;
	const server = createTcpServer((socket) => {
		let text = '';
		socket.on('error', () => undefined);
		socket.on('data', (data) => {
			text += data.toString('latin1');
			const [head = '', body] = text.split('\r\n\r\n');
			const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
			if (body === undefined || body.length < length) return;
			text = '';
			requests++;
			socket.end(reply);
		});
	});
	return { baseUrl: await urlOf(server), requests: () => requests };
}

const confirmation = { success: true, response_id: 'r1' };
const text = JSON.stringify(confirmation);

describe.each([
	['headers of more than 16 KB', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n${text}`],
	['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
])('a reply that is not HTTP, or that n8n cannot read: %s', (_, reply) => {
	it('names the Base URL, and its submission is not sent again', async () => {
		const { baseUrl, requests } = await serviceThatSends(reply);
		const creating = await retry(baseUrl, create);

		expect(requests()).toBe(1);
		expect(shownBy(creating)).toContain(new URL(baseUrl).origin);
		expect(shownBy(creating)).toContain('Base URL');
		expect(shownBy(await run(baseUrl, read))).toContain('Base URL');
		expect(outcomeOf(await submit(baseUrl))).toBe('unknown');
	});
});

describe('a confirmation', () => {
	it.each([
		['an unknown charset', `Content-Type: application/json; charset=binary\r\n\r\n${text}`],
	])('that is whole counts, also with %s', async (_, reply) => {
		const { baseUrl, requests } = await serviceThatSends(`HTTP/1.1 201 Created\r\n${reply}`);
		const { items } = await retry(baseUrl, create);

		expect(items.map(({ json }) => json)).toEqual([confirmation]);
		expect(requests()).toBe(1);
	});

	it.each([text.slice(0, -1), '{"success":false}x'])(
		'that is not whole counts not: %s',
		async (part) => {
			const reply = `HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n${part}`;
			const { baseUrl, requests } = await serviceThatSends(reply);

			expect((await retry(baseUrl, create)).status).toBe('error');
			expect(requests()).toBe(1);
			expect(outcomeOf(await submit(baseUrl))).toBe('unknown');
		},
	);
});

describe('the text of a reply', () => {
	const title = 'Grüße, €, 📋';
	const ask = async (contentType: string, pieces: Buffer[]) => {
		const server = createHttpServer(async (_, reply) => {
			reply.setHeader('Content-Type', contentType);
			for (const piece of pieces) {
				reply.write(piece);
				await new Promise((resolve) => setTimeout(resolve, 1));
			}
			reply.end();
		});
		return await run(await urlOf(server), read);
	};
	const body = (shown = title) => JSON.stringify({ forms: [formRecord('f1', { title: shown })] });
	const titles = ({ items }: Awaited<ReturnType<typeof ask>>) =>
		items.map(({ json }) => json.title);

	it('is whole wherever it is split', async () => {
		const bytes = Array.from(Buffer.from(body()), (byte) => Buffer.from([byte]));

		expect(titles(await ask('application/json', bytes))).toEqual([title]);
	});

	it.each(['', 'application/json; charset=utf8', 'text/plain; charset=martian'])(
		'is UTF-8, with or without a byte order mark: "%s"',
		async (contentType) => {
			expect(titles(await ask(contentType, [Buffer.from(body())]))).toEqual([title]);
			expect(titles(await ask(contentType, [Buffer.from(`\ufeff${body()}`)]))).toEqual([title]);
		},
	);

	it('is refused in another character set', async () => {
		const latin1 = [Buffer.from(body('Grüße'), 'latin1')];

		expect((await ask('application/json', latin1)).error?.message).toContain('Base URL');
	});
});

describe('a list that breaks off in the middle is read again from its beginning', () => {
	const numbers = Array.from({ length: 40 }, (_, i) => i);
	let service: Sandbox;

	beforeAll(async () => {
		service = await startSandbox({
			forms: numbers.map((i) => formRecord(`f${i}`, { title: `Form ${i}` })),
			responses: numbers.map((i) =>
				responseRecord('f1', `r${i}`, { answers: { [`q${i}`]: 'a', email: `${i}@example.com` } }),
			),
		});
	});
	beforeEach(() => service.reset());
	afterAll(async () => await service.stop());

	const operation =
		(name: string, more: IDataObject = {}) =>
		async () => {
			const parameters = { operation: name, formId: byId('f1'), returnAll: true, ...more };
			const input = numbers.slice(-2).map((i) => ({ email: `${i + 1}@example.com` }));
			const { items, status } = await runOn(service, parameters, { input });
			return { output: items.map(({ json }) => json), status };
		};
	const { listSearch, loadOptions: choices, resourceMapping } = new FormCollection().methods;
	const editor = () =>
		loadOptions({
			parameters: { operation: 'createResponse', formId: byId('f1') },
			credentials: credentialsOf(service),
		});

	it.each<[string, () => Promise<unknown>]>([
		['Get Forms', operation('getForms')],
		['Get Forms with a limit', operation('getForms', { returnAll: false, limit: 30 })],
		['Get Responses', operation('getResponses')],
		['Get Responses as a table', operation('getResponses', { flattenAnswers: true })],
		['Get Questions', operation('getQuestions')],
		['the list of forms', async () => await listSearch.searchForms.call(editor())],
		['the list of questions', async () => await choices.getQuestionKeys.call(editor())],
		['the mapping', async () => await resourceMapping.getQuestions.call(editor())],
	])('%s', async (_, list) => {
		const whole = await list();
		const requests = requestsTo(service).length;
		service.reset();
		service.faults.add({ times: 1, cut: 'body' });

		expect(await list()).toEqual(whole);
		expect(requestsTo(service)).toHaveLength(requests + 1);
	});

	it('Create Response with Skip Existing', async () => {
		service.faults.add({ times: 1, cut: 'body' });
		const { output, status } = await operation('createResponse', {
			answersInput: 'json',
			answersJson: '={{ $json }}',
			options: { skipExisting: true, matchOn: ['email'] },
		})();

		expect(status).toBe('success');
		expect(output).toHaveLength(2);
		expect(service.log.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST']);
	});
});
