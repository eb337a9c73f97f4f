import type { AddressInfo } from 'node:net';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { execute, loadOptions } from '../support/engine';
import { byId } from '../support/formCollection';
import { searchForms } from '../../nodes/FormCollection/methods/forms';

const apiKey = 'sk_live_4f9a8b7c6d5e4f3a2b1c';

let server: Server;
let requests: string[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
beforeEach(async () => {
	requests = [];
	server = createServer((request, response) => {
		requests.push(request.url ?? '');
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
	(await search.call(loadOptions({ parameters: {}, credentials: credentials() }), filter)).results;

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
	Object.defineProperty(context, 'logger', { value: { warn: (line: string) => lines.push(line) } });
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
