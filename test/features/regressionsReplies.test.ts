import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, createBrotliCompress, createDeflate, createGzip, type Gzip } from 'node:zlib';
import { searchForms } from '../../nodes/FormCollection/methods/forms';
import { execute, loadOptions, polling } from '../support/engine';
import { startFastClock, useFastClock } from '../support/fastClock';
import { byId } from '../support/formCollection';
import { runPoll } from '../support/poller';

const apiKey = 'sk_live_4f9a8b7c6d5e4f3a2b1c';

let server: Server;
let requests = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
beforeEach(async () => {
	requests = 0;
	server = createServer((request, response) => {
		requests++;
		answer(request, response);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
});
afterEach(() => {
	server.close();
	server.closeAllConnections();
});
const credentials = () => ({
	baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
	apiKey,
});

describe('a service that is slow or refuses', () => {
	useFastClock();

	const drip = (status: number, first: string, part: string) => {
		answer = (_, response) => {
			response.writeHead(status, { 'Content-Type': 'application/json' });
			response.write(first);
			const timer = setInterval(() => response.write(part), 200);
			response.on('close', () => clearInterval(timer));
		};
	};

	const withTimeout = { options: { timeout: 1 } };

	it('a list that drips ends by Timeout', async () => {
		drip(200, '{"responses":[', ' ');
		const { error } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1'), ...withTimeout },
			credentials: credentials(),
		});
		expect(error?.message).toContain('did not answer within 1 second');
	}, 15_000);

	it('a refusal (401) whose body drips is told', async () => {
		drip(401, '{"error":"', 'x');
		const { error } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1'), ...withTimeout },
			credentials: credentials(),
		});
		expect(error?.message).toContain('(401)');
	}, 15_000);

	it('a poll whose reply drips ends', async () => {
		drip(200, '{"responses":[', ' ');
		const { context } = polling({
			parameters: { formId: byId('f1'), ...withTimeout },
			credentials: credentials(),
			activation: 'update',
			budgetMs: 2_000,
		});
		await expect(runPoll(context)).rejects.toThrow('did not answer');
	}, 15_000);

	it('Stop ends a list that drips', async () => {
		drip(200, '{"responses":[', ' ');
		const { status } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1'), ...withTimeout },
			credentials: credentials(),
			onStart: (stop) => setTimeout(stop, 500),
		});
		expect(status).toBe('canceled');
	}, 15_000);

	it.each(['soon 5', 'in about 3', 'never 1'])(
		'a Retry-After that cannot be read (%s) is none: one request',
		async (text) => {
			answer = (_, response) => void response.writeHead(429, { 'Retry-After': text }).end();
			const { error } = await execute({
				parameters: { operation: 'getResponses', formId: byId('f1') },
				credentials: credentials(),
			});
			expect(requests).toBe(1);
			expect(error?.message).toContain('wait up to an hour');
		},
	);

	it('a Retry-After of 60 days is told as it is', async () => {
		answer = (_, response) =>
			void response.writeHead(429, { 'Retry-After': String(60 * 86_400) }).end();
		const { error } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1') },
			credentials: credentials(),
		});
		expect(error?.message).toMatch(/\(429\): try again after \d+ \w{3} \d{4}, \d\d:\d\d UTC$/);
	});

	it('a Retry-After date counts on the clock of the service', async () => {
		const now = Date.now() - 3_600_000; // its clock is an hour behind
		answer = (_, response) =>
			void response
				.writeHead(429, {
					Date: new Date(now).toUTCString(),
					'Retry-After': new Date(now + 1_800_000).toUTCString(),
				})
				.end();
		await execute({
			parameters: { operation: 'getResponses', formId: byId('f1') },
			credentials: credentials(),
		});
		expect(requests).toBe(1);
	});

	describe('a proxy', () => {
		let proxy: Server;
		let line = '';
		beforeEach(async () => {
			proxy = createServer();
			proxy.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${line}\r\n\r\n`));
			proxy.listen(0, '127.0.0.1');
			await once(proxy, 'listening');
			process.env.HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
		});
		afterEach(() => {
			delete process.env.HTTPS_PROXY;
			proxy.close();
		});
		it.each(['407 Proxy Authentication Required', '502 Bad Gateway', '403 Forbidden', '503 x'])(
			'refuses CONNECT with %s',
			async (status) => {
				line = status;
				const { error } = await execute({
					parameters: { operation: 'getResponses', formId: byId('f1') },
					credentials: { baseUrl: 'https://forms.example.com/api', apiKey },
				});
				expect(error?.message).toMatch(/proxy/i);
			},
		);
	});
});

describe('a list that is left early', () => {
	const encodings: [string, () => Gzip][] = [
		['gzip', createGzip],
		['deflate', createDeflate as never],
		[
			'br',
			() => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }) as never,
		],
	];

	it.each(encodings)(
		'G1 a limit ends the download of a compressed list early: %s',
		async (encoding, compress) => {
			let isClosed = false;
			let sent = 0;
			let end: () => void;
			const ended = new Promise<void>((resolve) => (end = resolve));
			answer = (_, response) => {
				response.on('close', () => (isClosed = true));
				response.on('close', end);
				response.writeHead(200, {
					'Content-Type': 'application/json',
					'Content-Encoding': encoding,
				});
				const zip = compress();
				zip.pipe(response);
				zip.write('{"responses":[{"id":"a"}');
				const write = () => {
					if (isClosed || sent >= 300) return end();
					sent++;
					zip.write(`,{"id":"${randomBytes(50_000).toString('hex')}"}`, () =>
						setTimeout(write, 10),
					);
				};
				write();
			};
			const { items } = await execute({
				parameters: { operation: 'getResponses', formId: byId('f1'), limit: 1 },
				credentials: credentials(),
			});
			expect(items).toHaveLength(1);
			await ended;
			expect({ isClosed, sent: sent < 100 }).toEqual({ isClosed: true, sent: true });
		},
		20_000,
	);

	it.each([...encodings, ['identity', undefined] as never])(
		'a limit closes the connection of a service that then says nothing more: %s',
		async (encoding, compress?: () => Gzip) => {
			const stopClock = startFastClock();
			let isClosed = false;
			answer = (_, response) => {
				response.on('close', () => (isClosed = true));
				response.writeHead(200, {
					'Content-Type': 'application/json',
					'Content-Encoding': encoding,
				});
				const first = '{"responses":[{"id":"a"},';
				if (compress === undefined) return void response.write(first);
				const zip = compress();
				zip.pipe(response);
				zip.write(first);
				zip.flush();
			};
			const { items } = await execute({
				parameters: {
					operation: 'getResponses',
					formId: byId('f1'),
					limit: 1,
					options: { timeout: 2 },
				},
				credentials: credentials(),
			});
			expect(items).toHaveLength(1);
			await new Promise((resolve) => setTimeout(resolve, 5_000));
			stopClock();
			expect(isClosed).toBe(true);
		},
		20_000,
	);
});

describe('unusual replies', () => {
	const send = (body: string | Buffer, headers = {}, status = 200) => {
		answer = (_, response) => {
			response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
			response.end(body);
		};
	};
	const get = async (parameters = {}, more = {}) =>
		await execute({
			parameters: { operation: 'getResponses', formId: byId('f1'), returnAll: true, ...parameters },
			credentials: credentials(),
			...more,
		});
	const forms = async (search = searchForms, filter?: string) =>
		(await search.call(loadOptions({ parameters: {}, credentials: credentials() }), filter))
			.results;

	it('single quotes around the charset', async () => {
		send('{"responses":[{"id":"a"}]}', { 'Content-Type': "application/json; charset='utf-8'" });
		expect((await get()).items.map(({ json }) => json)).toEqual([{ id: 'a' }]);
	});

	it('the charset utf8mb4 or utf_8', async () => {
		send('{"responses":[{"id":"a"}]}', { 'Content-Type': 'application/json; charset=utf_8' });
		expect((await get()).items.map(({ json }) => json)).toEqual([{ id: 'a' }]);
	});

	it('a limit reached exactly says nothing wrong', async () => {
		send('{"total":3,"responses":[{"id":"a"},{"id":"b"},{"id":"c"}]}');
		const { run } = await get({ returnAll: false, limit: 2 });
		expect(JSON.stringify(run)).not.toContain('The service also sent total');
	});

	it('the form list tells that there may be more forms', async () => {
		send('{"forms":[{"id":"a","title":"A"}],"next_cursor":"x"}');
		const context = loadOptions({ parameters: {}, credentials: credentials() });
		const lines: string[] = [];
		Object.defineProperty(context, 'logger', {
			value: { warn: (line: string) => lines.push(line) },
		});
		const { results } = await searchForms.call(context);
		expect(JSON.stringify(results) + lines.join()).toMatch(/more forms/);
	});

	it('forms with long number ids keep them', async () => {
		send('{"forms":[{"id":12345678901234567891,"title":"A"}]}');
		expect(await forms()).toEqual([{ name: 'A', value: '12345678901234567891' }]);
	});

	it.each([
		['next_offset', '{"responses":[{"id":"a"},{"id":"b"}],"next_offset":2}'],
		['limit', '{"limit":2,"responses":[{"id":"a"},{"id":"b"}]}'],
		['total_pages', '{"total_pages":2,"responses":[{"id":"a"},{"id":"b"}]}'],
	])(
		'a number beside the list that is the number of records by its nature: %s',
		async (name, body) => {
			send(body);
			expect(JSON.stringify((await get()).run)).toContain(`The service also sent ${name}`);
		},
	);

	it('names of members are no HTML (n8n shows hints as HTML)', async () => {
		send('{"responses":[],"<a href=https://evil.example>Sign in again</a>":1}');
		expect(JSON.stringify((await get()).run)).not.toContain('<a href');
	});

	it('the reply to a submission is not kept without bound', async () => {
		let sent = 0;
		answer = (request, response) => {
			request.resume();
			response.writeHead(201, { 'Content-Type': 'application/json' });
			const part = Buffer.alloc(1_000_000, ' ');
			const write = () => {
				if (sent >= 600 || response.destroyed) return void response.end('{"success":true}');
				sent++;
				response.write(part, write);
			};
			write();
		};
		const { error, items } = await execute({
			parameters: {
				operation: 'createResponse',
				formId: byId('f1'),
				answersInput: 'json',
				answersJson: '{"a":"b"}',
			},
			credentials: credentials(),
		});
		expect(error?.message).not.toBe('Invalid string length');
		expect(items).toEqual([]);
		expect(sent).toBeLessThan(100);
	}, 60_000);

	it('a submission whose reply is longer than a text can be has an unknown outcome', async () => {
		let sent = 0;
		answer = (request, response) => {
			request.resume();
			sent = 0;
			response.writeHead(201, { 'Content-Type': 'application/json' });
			const part = Buffer.alloc(1_000_000, ' ');
			const write = () => {
				if (sent >= 600 || response.destroyed) return void response.end('{"success":true}');
				sent++;
				response.write(part, write);
			};
			write();
		};
		const { failed } = await execute({
			parameters: {
				operation: 'createResponse',
				formId: byId('f1'),
				answersInput: 'json',
				answersJson: '{"a":"b"}',
			},
			credentials: credentials(),
			node: { onError: 'continueErrorOutput' },
		});
		expect(failed[0]?.json.error).toContain('Outcome: unknown');
	}, 60_000);

	it('a redirect that adds a slash: the Base URL is right already', async () => {
		answer = (request, response) => {
			const [path, query] = (request.url ?? '').split('?');
			response.writeHead(301, { Location: `${path}/?${query}` }).end();
		};
		expect((await get()).error?.message).not.toContain('set the Base URL to it');
	});

	it('a redirect to no web address', async () => {
		send('', { Location: 'mailto:help@example.com' }, 302);
		expect((await get()).error?.message).not.toContain('redirects to null');
	});
});

describe('an API key in a reply', () => {
	const json =
		(body: unknown, headers = {}) =>
		(_: IncomingMessage, response: ServerResponse) => {
			response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
			response.end(typeof body === 'string' ? body : JSON.stringify(body));
		};

	it('shows no key in a hint beside the output (a member that is named by the key)', async () => {
		answer = json({ responses: [], quota: 3, [apiKey]: { used: 1 } });
		const { run } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1') },
			credentials: credentials(),
		});
		expect(JSON.stringify(run)).toContain('The service also sent');
		expect(JSON.stringify(run.data.resultData)).not.toContain(apiKey);
	});

	it('writes no key to the log of n8n (trigger)', async () => {
		answer = json({ responses: [], [apiKey]: { used: 1 } });
		const { context } = polling({ parameters: { formId: byId('f1') }, credentials: credentials() });
		const lines: string[] = [];
		Object.defineProperty(context, 'logger', {
			value: { warn: (line: string) => lines.push(line) },
		});
		await runPoll(context);
		expect(lines).toHaveLength(1);
		expect(lines.join()).not.toContain(apiKey);
	});

	it('saves no key in static data (ETag)', async () => {
		answer = json({ responses: [] }, { ETag: `"${apiKey}-17"` });
		const { context, workflow } = polling({
			parameters: { formId: byId('f1') },
			credentials: credentials(),
		});
		await runPoll(context);
		expect(JSON.stringify(workflow.staticData)).not.toContain(apiKey);
	});

	const base64 = (text: string, encoding?: BufferEncoding) =>
		Buffer.from(text, encoding).toString('base64');

	it.each([
		['base64 of base64', base64(base64(`Bearer ${apiKey}`))],
		['hexadecimal of base64', Buffer.from(base64(apiKey)).toString('hex')],
		['UTF-16 in base64', base64(apiKey, 'utf16le')],
		['UTF-16 without a charset', Buffer.from(apiKey, 'utf16le')],
	])('shows no key that an error body repeats in %s', async (_, repeated) => {
		answer = (_request, response) => {
			response.writeHead(400).end(repeated);
		};
		const { error } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1') },
			credentials: credentials(),
		});
		expect(error?.message).toMatch(
			/^The service did not accept the request \(400\) and says "[^ ]{0,16}…[^ ]{0,8}": /,
		);
	});

	it.each(['sk-responses-7f3a9b', 'credential-77aa', 'connection_1', 'administrator', 'e'])(
		'a key that is in our own words (%s) leaves the sentence as it is',
		async (key) => {
			answer = (_, response) => {
				response.writeHead(401).end('{}');
			};
			const { error } = await execute({
				parameters: { operation: 'getResponses', formId: byId('f1') },
				credentials: { ...credentials(), apiKey: key },
			});
			expect(error?.message).toBe(
				'The service refused the API key (401): copy the key from your account settings into the Form Collection API credential',
			);
		},
	);
});

describe('the trigger', () => {
	let body = '';
	const serve = (headers = {}) => {
		answer = (_, response) => {
			response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
			response.end(body);
		};
	};
	const list = (...records: string[]) => `{"responses":[${records.join()}]}`;
	let triggers = 0;
	const trigger = (options = {}) =>
		polling({
			parameters: { formId: byId('f1'), options },
			credentials: credentials(),
			node: { id: `trigger ${++triggers}` },
		});

	it('knows a response by its long number id when another field changes', async () => {
		serve();
		const record = (fired: boolean) =>
			`{"id":12345678901234567890,"form_id":"f1","answers":{"a":"b"},"created_at":"2026-01-01T00:00:00Z","pixel_fired":${fired}}`;
		body = list(record(false));
		const { context } = trigger();
		expect(await runPoll(context)).toEqual([]);
		body = list(record(true));
		expect(await runPoll(context)).toEqual([]);
	});

	it('tells two responses with long number ids apart', async () => {
		serve();
		const record = (id: string) =>
			`{"id":${id},"form_id":"f1","answers":{"rating":"5"},"created_at":"2026-01-01T00:00:00Z"}`;
		body = list(record('1234567890123456780'));
		const { context } = trigger();
		expect(await runPoll(context)).toEqual([]);
		body = list(record('1234567890123456780'), record('1234567890123456781'));
		expect(await runPoll(context)).toHaveLength(1);
	});

	it('Get Responses passes numbers as the service sends them', async () => {
		serve();
		body = list('{"id":12345678901234567890,"a":1e400,"b":0.1234567890123456789}');
		const { items } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1') },
			credentials: credentials(),
		});
		const saved = JSON.stringify(items[0]?.json);
		expect(saved).toContain('12345678901234567890');
		expect(saved).not.toContain('null');
	});

	it('warns once in the log, whatever the value of the other members', async () => {
		serve();
		const { context } = trigger();
		const lines: string[] = [];
		Object.defineProperty(context, 'logger', {
			value: { warn: (line: string) => lines.push(line) },
		});
		for (let i = 0; i < 3; i++) {
			body = `{"responses":[],"request_${Math.random()}":true}`;
			await runPoll(context);
		}
		expect(lines).toHaveLength(1);
	});

	it('a log line is one line', async () => {
		serve();
		const { context } = trigger();
		const lines: string[] = [];
		Object.defineProperty(context, 'logger', {
			value: { warn: (line: string) => lines.push(line) },
		});
		body = '{"responses":[],"a\\n2026-11-21 error: n8n stopped":true}';
		await runPoll(context);
		expect(lines).toHaveLength(1);
		expect(lines.join()).not.toContain('\n');
	});

	it('numbers as ids: an empty id is none', async () => {
		serve();
		const record = (n: number) => `{"id":"","n":${n},"created_at":"2026-01-0${n}T00:00:00Z"}`;
		body = list(record(1));
		const { context } = trigger();
		expect(await runPoll(context)).toEqual([]);
		body = list(record(1), record(2));
		expect(await runPoll(context)).toHaveLength(1);
	});

	it('says that X-Total-Count is more than the list', async () => {
		serve({ 'X-Total-Count': '1240' });
		body = list('{"id":"1"}');
		const { run } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1'), returnAll: true },
			credentials: credentials(),
		});
		expect(JSON.stringify(run)).toContain('there may be more responses');
	});

	it('a reply 206 is a part', async () => {
		answer = (_, response) => {
			response.writeHead(206, { 'Content-Type': 'application/json' });
			response.end(list('{"id":"1"}'));
		};
		const { run } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1'), returnAll: true },
			credentials: credentials(),
		});
		expect(JSON.stringify(run)).toMatch(/there may be more responses|"status":"error"/);
	});

	it('success: true beside the list is no sign of more', async () => {
		serve();
		body = '{"success":true,"status":"ok","responses":[{"id":"1"}]}';
		const { run } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1'), returnAll: true },
			credentials: credentials(),
		});
		expect(JSON.stringify(run)).not.toContain('there may be more responses');
	});

	it('a first poll behind a cache: Age counts', async () => {
		// Published at T; activation failed; the first good reply comes from a cache that is 10 minutes old
		let down = true;
		answer = (_, response) => {
			if (down) return void response.writeHead(503).end();
			response.writeHead(200, {
				'Content-Type': 'application/json',
				Date: new Date(Date.now() - 600_000).toUTCString(),
				Age: '600',
			});
			response.end(body);
		};
		const { context } = trigger();
		await runPoll(context);
		down = false;
		body = list(
			`{"id":"before","created_at":"${new Date(Date.now() - 300_000).toISOString()}"}`,
			`{"id":"after","created_at":"${new Date(Date.now() + 10).toISOString()}"}`,
		);
		expect((await runPoll(context)).map(({ id }) => id)).toEqual(['after']);
	});

	it('a Date header that names no zone', async () => {
		let down = true;
		answer = (_, response) => {
			if (down) return void response.writeHead(503).end();
			response.sendDate = false;
			response.writeHead(200, {
				'Content-Type': 'application/json',
				Date: new Date().toUTCString().replace(' GMT', ''),
			});
			response.end(body);
		};
		const { context } = trigger();
		await runPoll(context);
		down = false;
		body = list(`{"id":"new","created_at":"${new Date(Date.now() + 1000).toISOString()}"}`);
		expect((await runPoll(context)).map(({ id }) => id)).toEqual(['new']);
	});

	it('a service that tells whole seconds: created right after a publishing that got no answer', async () => {
		let down = true;
		answer = (_, response) => {
			if (down) return void response.writeHead(503).end();
			response.writeHead(200, { 'Content-Type': 'application/json' });
			response.end(body);
		};
		// Not at the beginning of a second.
		while (Date.now() % 1000 < 300 || Date.now() % 1000 > 600)
			await new Promise((r) => setTimeout(r, 20));
		const { context } = trigger();
		await runPoll(context);
		down = false;
		const created = new Date().toISOString().replace(/\.\d+/, '');
		body = list(`{"id":"new","created_at":"${created}"}`);
		expect((await runPoll(context)).map(({ id }) => id)).toEqual(['new']);
	});
});
