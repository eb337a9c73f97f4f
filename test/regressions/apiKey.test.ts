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
