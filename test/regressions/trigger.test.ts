import type { AddressInfo } from 'node:net';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { execute, polling } from '../support/engine';
import { byId } from '../support/formCollection';
import { runPoll } from '../support/poller';

const apiKey = 'sk_live_4f9a8b7c6d5e4f3a2b1c';

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
beforeEach(async () => {
	server = createServer((request, response) => answer(request, response));
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
let body = '';
const serve = (headers = {}) => {
	answer = (_, response) => {
		response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
		response.end(body);
	};
};
const list = (...records: string[]) => `{"responses":[${records.join()}]}`;
const trigger = (options = {}) =>
	polling({ parameters: { formId: byId('f1'), options }, credentials: credentials() });

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
	Object.defineProperty(context, 'logger', { value: { warn: (line: string) => lines.push(line) } });
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
	Object.defineProperty(context, 'logger', { value: { warn: (line: string) => lines.push(line) } });
	body = '{"responses":[],"a\\n2026-11-21 error: n8n stopped":true}';
	await runPoll(context);
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
