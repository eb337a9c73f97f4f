import type { AddressInfo } from 'node:net';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { execute, polling } from '../support/engine';
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
		expect(error?.message).toContain('within the hour');
	},
);

it('a Retry-After of 60 days is told as it is', async () => {
	answer = (_, response) =>
		void response.writeHead(429, { 'Retry-After': String(60 * 86_400) }).end();
	const { error } = await execute({
		parameters: { operation: 'getResponses', formId: byId('f1') },
		credentials: credentials(),
	});
	expect(error?.message).toContain('86400 minutes');
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
