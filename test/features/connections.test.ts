import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import dns from 'node:dns';
import { createServer as createHttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { connect as connectTo, createServer as createTcpServer, isIP } from 'node:net';
import tls from 'node:tls';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { Certificate } from '../support/certificate';
import { selfSigned } from '../support/certificate';
import { testCredential } from '../support/engine';
import { useFastClock } from '../support/fastClock';
import { byId, factsOf, formRecord, runOn } from '../support/formCollection';
import { closeServers, listen } from '../support/listen';

/** What is between n8n and the service: proxies, TLS, n8n's own rules, and the credential. */

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
const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const lookFirst = 'check whether the response was stored before you send it again';

async function runThrough(variable: string, proxy: Server, baseUrl: string, parameters = read) {
	process.env[variable] = `http://127.0.0.1:${await listen(proxy)}`;
	try {
		return await runOn({ ...sandbox, baseUrl }, parameters, { node: retryOnFail });
	} finally {
		Reflect.deleteProperty(process.env, variable);
	}
}

describe('a proxy', () => {
	useFastClock();

	let asked = 0;
	beforeEach(() => (asked = 0));

	const refusing = (status: number) => {
		const server = createHttpServer((_, reply) => {
			asked++;
			reply.writeHead(status, { 'Proxy-Authenticate': 'Basic' }).end('Proxy says no');
		});
		server.on('connect', (_, socket: Socket) => {
			asked++;
			socket.end(`HTTP/1.1 ${status} No\r\nProxy-Authenticate: Basic\r\n\r\n`);
		});
		return server;
	};
	const https = 'https://forms.example.com/api';

	it.each([
		['a plain connection', 'HTTP_PROXY', 'http://forms.example.com/api'],
		['a tunnel', 'HTTPS_PROXY', https],
	])('that wants a password is named: %s', async (_, variable, baseUrl) => {
		for (const parameters of [read, create]) {
			const { error } = await runThrough(variable, refusing(407), baseUrl, parameters as never);

			expect(factsOf(error).message).toBe(
				'A proxy between n8n and the service requires a user name and password (407): ask your n8n administrator to check the proxy settings',
			);
		}
	});

	it.each([
		['a plain connection', 'HTTP_PROXY', 'http://forms.example.com/api'],
		['a tunnel', 'HTTPS_PROXY', https],
	])('that denies the address is named beside the key: %s', async (_, variable, baseUrl) => {
		for (const parameters of [read, create]) {
			const { error } = await runThrough(variable, refusing(403), baseUrl, parameters as never);

			expect(factsOf(error).message).toBe(
				'The service, or a proxy on the way to it, denied access (403): copy the key of an account with access into the Form Collection API credential, or ask your n8n administrator about the proxy',
			);
		}
	});

	it('that cannot go on may be what did not answer, and a submission may have been stored', async () => {
		const reading = await runThrough('HTTPS_PROXY', refusing(502), https);
		const readingAsked = asked;
		const creating = await runThrough('HTTPS_PROXY', refusing(502), https, create as never);

		const what = 'The service, or a proxy on the way to it, could not answer (502)';
		expect(factsOf(reading.error).message).toBe(`${what}: try again in a few minutes`);
		expect(factsOf(creating.error).message).toBe(`${what}: ${lookFirst}`);
		expect(asked - readingAsked).toBe(1);
	}, 20_000);

	it('that hangs up or is not there is named', async () => {
		const hangingUp = createHttpServer();
		hangingUp.on('connect', (_, socket: Socket) => socket.destroy());
		const hungUp = await runThrough('HTTPS_PROXY', hangingUp, https, create as never);
		process.env.HTTPS_PROXY = 'http://127.0.0.1:1';
		const absent = await runOn({ ...sandbox, baseUrl: https }, create);
		Reflect.deleteProperty(process.env, 'HTTPS_PROXY');

		const message =
			'The proxy between n8n and the service cannot be reached: ask your n8n administrator to check the proxy settings';
		expect([hungUp, absent].map(({ error }) => factsOf(error).message)).toEqual([message, message]);
	}, 20_000);
});

describe('a lookup of the host that fails', () => {
	useFastClock();

	const { lookup } = dns;
	let lookups = 0;
	/** As Node.js ends one, e.g. with EAI_FAIL where the DNS server refuses, and EMFILE without free files. */
	const failWith = (code: string) => {
		lookups = 0;
		dns.lookup = ((hostname: string, ...rest: unknown[]) => {
			lookups++;
			const message = `getaddrinfo ${code} ${hostname}`;
			const facts = { code, hostname, errno: -3004, syscall: 'getaddrinfo' };
			const done = rest.at(-1) as (error: Error) => void;
			process.nextTick(() => done(Object.assign(new Error(message), facts)));
		}) as typeof dns.lookup;
	};
	afterEach(() => void (dns.lookup = lookup));

	const baseUrl = 'http://forms.example.com/api';
	const check = (where: string) =>
		`The service at http://forms.example.com cannot be reached: check the Base URL${where} and that the service is running`;

	it.each(['ENOTFOUND', 'EAI_FAIL', 'EMFILE'])(
		'proves that nothing was sent, so a submission is sent again: %s',
		async (code) => {
			failWith(code);
			const { error } = await runOn({ ...sandbox, baseUrl }, create);

			expect(factsOf(error)).toMatchObject({
				message: check(' in the Form Collection API credential'),
				description: `Reason: ${code}`,
			});
			expect(lookups).toBe(3);
		},
	);

	it('is named by the credential test', async () => {
		failWith('EAI_FAIL');

		expect((await testCredential({ baseUrl, apiKey: 'key' })).message).toBe(check(''));
	});
});

describe('a host with several addresses', () => {
	useFastClock();

	const { lookup } = dns;
	let lookups = 0;
	const resolveTo = (...addresses: string[]) => {
		lookups = 0;
		dns.lookup = ((
			_hostname: string,
			{ all }: { all?: boolean },
			done: (...found: unknown[]) => void,
		) => {
			lookups++;
			const found = addresses.map((address) => ({ address, family: isIP(address) }));
			process.nextTick(() =>
				all ? done(null, found) : done(null, found[0]?.address, found[0]?.family),
			);
		}) as typeof dns.lookup;
	};
	afterEach(() => void (dns.lookup = lookup));

	// Without IPv6 (ENETUNREACH), with a firewall that drops it (ETIMEDOUT), and with no address that can be (EINVAL).
	it.each([[['ff02::1', '127.0.0.1']], [['2001:db8::1', '127.0.0.1']], [['fe80::1']]])(
		'proves that nothing was sent where none can be reached, so a submission is sent again: %j',
		async (addresses) => {
			resolveTo(...addresses);
			const baseUrl = 'http://forms.example.com:1/api';
			const { error } = await runOn({ ...sandbox, baseUrl }, create);

			expect(factsOf(error).message).toContain(
				'The service at http://forms.example.com:1 cannot be reached: check the Base URL',
			);
			expect(lookups).toBe(3);
		},
	);

	it('may be that of a proxy', async () => {
		resolveTo('::1', '127.0.0.1');
		process.env.HTTPS_PROXY = 'http://proxy.example.com:1';
		const baseUrl = 'https://forms.example.com/api';
		const { error } = await runOn({ ...sandbox, baseUrl }, read).finally(() =>
			Reflect.deleteProperty(process.env, 'HTTPS_PROXY'),
		);

		expect(factsOf(error).message).toContain(
			'The proxy between n8n and the service cannot be reached',
		);
	});
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
			const baseUrl = `https://127.0.0.1:${await listen(between)}/api`;

			const { error } = await runOn({ ...sandbox, baseUrl }, create, { node: retryOnFail });

			expect(received).toBe(1);
			expect(factsOf(error).message).toContain(lookFirst);
		},
	);

	it.each(['end', 'resetAndDestroy'] as const)(
		'that is not there yet when the connection ends, by %s',
		async (end) => {
			let connections = 0;
			const server = createTcpServer((socket) => {
				connections++;
				socket.on('error', () => undefined);
				socket.once('data', () => socket[end]());
			});
			const baseUrl = `https://127.0.0.1:${await listen(server)}/api`;

			const { error } = await runOn({ ...sandbox, baseUrl }, create);

			// Of a reset nobody can tell whether it came before the request was sent.
			const [times, message] = end === 'end' ? [3, 'cannot be reached'] : [1, lookFirst];
			expect(connections).toBe(times);
			expect(factsOf(error).message).toContain(message);
		},
	);

	it('that speaks plain HTTP never got the request, which a retry sends again', async () => {
		const baseUrl = sandbox.baseUrl.replace('http:', 'https:');
		const { error } = await runOn({ ...sandbox, baseUrl }, create, { node: retryOnFail });

		expect(factsOf(error).message).toMatch(/^No secure connection to https:/);
		expect(factsOf(error).message).not.toContain(lookFirst);
	});
});

describe('the submission log and Retry On Fail', () => {
	const outcomes = async (fault: IDataObject) => {
		sandbox.faults.add({ ...fault, times: 1 });
		const { status, error } = await runOn(sandbox, create, { node: retryOnFail });
		return { status, requests: sandbox.log.length, message: error && factsOf(error).message };
	};

	it.each([300, 301, 302, 303, 304, 307, 308])('send nothing again after a %i', async (status) => {
		for (const redirectTo of [undefined, '/api/v2/responses']) {
			sandbox.reset();
			expect(await outcomes({ status, redirectTo })).toMatchObject({
				status: 'error',
				requests: 1,
				message: expect.stringContaining(lookFirst),
			});
		}
	});

	it('send again what the service refused with `success: false`', async () => {
		expect(await outcomes({ body: { success: false, message: 'Later' } })).toEqual({
			status: 'success',
			requests: 2,
			message: undefined,
		});
		expect(sandbox.responses).toHaveLength(1);
	});

	it.each([{ body: {} }, { body: { success: 'true' } }, { body: { success: 1 } }])(
		'send nothing again after a reply that does not say whether it is stored: %j',
		async (fault) => {
			expect(await outcomes(fault)).toMatchObject({
				status: 'error',
				requests: 1,
				message: expect.stringContaining(lookFirst),
			});
		},
	);

	it('keep a key of 4,000 characters out of the message, and the outcome', async () => {
		const apiKey = Array.from({ length: 4_000 }, (_, i) => 'abc+/=XYZ789'[(i * 7) % 12]).join('');
		const service = await startSandbox({ apiKey, forms: [formRecord('f1')] });
		service.faults.add({ status: 500, stored: true, body: { message: `Key ${apiKey}` } });

		const { error, run } = await runOn(service, create, { node: retryOnFail });
		await service.stop();

		expect(service.log).toHaveLength(1);
		expect(factsOf(error)).toMatchObject({
			message: `The service could not answer (500): ${lookFirst}`,
			description: 'The service says: "Key …"',
		});
		expect(JSON.stringify(run)).not.toContain(apiKey.slice(0, 20));
	});
});

describe('the security settings of n8n', () => {
	const settings = Container.get(SsrfProtectionConfig);
	beforeAll(() => void (settings.enabled = true));
	afterAll(() => void (settings.enabled = false));

	it('are named where they do not allow the address', async () => {
		for (const parameters of [read, create]) {
			const { error } = await runOn(sandbox, parameters, { node: retryOnFail });

			expect(factsOf(error)).toMatchObject({
				message: `The security settings of n8n do not allow requests to ${sandbox.url}: check the Base URL in the Form Collection API credential, or ask your n8n administrator to allow this address`,
				description: expect.stringContaining('127.0.0.1'),
			});
		}
		expect(sandbox.log).toEqual([]);
	});
});

describe('a credential that n8n cannot give', () => {
	const choose = 'select or create one under Credential';

	it.each([
		[
			'Credential with ID "7" does not exist for type "formCollectionApi".',
			{ message: `The credential of this node no longer exists: ${choose}` },
		],
		[
			'Found credential with no ID.',
			{ message: `The credential of this node no longer exists: ${choose}` },
		],
		[
			'Credentials could not be decrypted.',
			{
				message:
					'n8n could not read the Form Collection API credential: open it and check its fields',
				description: 'Reason: Credentials could not be decrypted',
			},
		],
	])('is named: %s', async (words, facts) => {
		const getDecrypted = async () => await Promise.reject(new Error(words));
		const { error } = await runOn(sandbox, create, { getDecrypted });

		expect(factsOf(error)).toMatchObject(facts);
	});
});

describe('a body in another character set', () => {
	const latin1 = (contentType: string) =>
		createHttpServer((_, reply) => {
			const form = { ...formRecord('f1'), title: 'Grüße' };
			reply.setHeader('Content-Type', contentType);
			reply.end(Buffer.from(JSON.stringify({ forms: [form] }), 'latin1'));
		});

	it('is read by the name of the set, or refused', async () => {
		const ask = async (contentType: string) => {
			const port = await listen(latin1(contentType));
			return await runOn({ ...sandbox, baseUrl: `http://127.0.0.1:${port}/api` }, read);
		};
		const [named, unnamed] = [
			await ask('application/json; charset=ISO-8859-1'),
			await ask('application/json'),
		];

		expect(named.items.map(({ json }) => json.title)).toEqual(['Grüße']);
		expect(unnamed.error?.message).toMatch(
			/^There is text in a character set that cannot be read where the forms should be/,
		);
	});
});
