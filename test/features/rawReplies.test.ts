import type { IDataObject } from 'n8n-workflow';
import type { Server } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import tls from 'node:tls';
import { selfSigned } from '../support/certificate';
import { execute, polling, testCredential } from '../support/engine';
import { byId, factsOf } from '../support/formCollection';
import { closeServers, listen } from '../support/listen';
import { runPoll } from '../support/poller';

/** Replies that no HTTP server sends on purpose. */

afterEach(closeServers);

const urlOf = async (server: Server) => `http://127.0.0.1:${await listen(server)}/api`;

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

const apiKey = 'sk-test-1234567890';
const read = { operation: 'getForms' };
const create = {
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '{"a":"b"}',
};
const run = async (baseUrl: string, parameters: IDataObject) =>
	await execute({
		parameters: parameters as never,
		credentials: { baseUrl, apiKey },
		node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
	});

const checkBaseUrl = 'check the Base URL in the Form Collection API credential';
const orAsk = `${checkBaseUrl}, or ask the administrator of the service`;
const lookFirst = 'check whether the response was stored before you send it again';
const confirmation = { success: true, response_id: 'r1' };
const text = JSON.stringify(confirmation);

describe.each([
	['headers of more than 16 KB', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n${text}`],
	['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
])('a reply that is not HTTP, or that n8n cannot read: %s', (_, reply) => {
	it.each([
		['names the Base URL', read, orAsk, 3],
		['is not sent again', create, `${orAsk}, and ${lookFirst}`, 1],
	])('%s', async (_title, parameters, todo, tries) => {
		const { baseUrl, requests } = await serviceThatSends(reply);
		const { error } = await run(baseUrl, parameters);

		const origin = new URL(baseUrl).origin;
		expect(factsOf(error).message).toBe(
			`The reply from ${origin} could not be read as HTTP: ${todo}`,
		);
		// One request for each try of n8n.
		expect(requests()).toBe(tries);
	});

	it('keeps a trigger from being published', async () => {
		const { baseUrl } = await serviceThatSends(reply);
		const parameters = { formId: byId('f1'), options: {} } as never;
		const { context } = polling({ parameters, credentials: { baseUrl, apiKey } });

		await expect(runPoll(context)).rejects.toThrow('could not be read as HTTP');
	});
});

it('a port that speaks https is named by the credential test', async () => {
	const server = tls.createServer(await selfSigned('127.0.0.1'));
	server.on('tlsClientError', () => undefined);
	const { message } = await testCredential({ baseUrl: await urlOf(server), apiKey });

	expect(message).toMatch(/check whether the Base URL in .* has to begin with https$/);
});

it.each([
	['a Content-Length that is too large', `Content-Length: ${text.length + 2}\r\n\r\n${text}`],
	[
		'a missing last chunk',
		`Transfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n`,
	],
	['an unknown charset', `Content-Type: application/json; charset=binary\r\n\r\n${text}`],
])('a whole confirmation counts, also with %s', async (_, reply) => {
	const { baseUrl, requests } = await serviceThatSends(`HTTP/1.1 201 Created\r\n${reply}`);
	const { items } = await run(baseUrl, create);

	expect(items.map(({ json }) => json)).toEqual([confirmation]);
	expect(requests()).toBe(1);
});

it.each([text.slice(0, -1), '{"success":false}x'])(
	'a confirmation that is not whole does not count: %s',
	async (part) => {
		const reply = `HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n${part}`;
		const { baseUrl, requests } = await serviceThatSends(reply);
		const { error } = await run(baseUrl, create);

		expect(factsOf(error).message).toBe(`The reply of the service was cut short: ${lookFirst}`);
		expect(requests()).toBe(1);
	},
);

it.each([408, 460, 499])(
	'a submission is not sent again after a status that says who gave up waiting: %i',
	async (status) => {
		const { baseUrl, requests } = await serviceThatSends(
			`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`,
		);
		const { error } = await run(baseUrl, create);

		expect(factsOf(error).message).toBe(`The service could not answer (${status}): ${lookFirst}`);
		expect(requests()).toBe(1);
	},
);

it.each([
	[400, ', and the Base URL in the Form Collection API credential'],
	[422, ''],
])(
	'a web page that refuses a submission may be that of something else: %i',
	async (status, elsewhere) => {
		const { baseUrl } = await serviceThatSends(
			`HTTP/1.1 ${status} No\r\n\r\n<html>The plain HTTP request was sent to HTTPS port</html>`,
		);
		const { error } = await run(baseUrl, create);

		expect(factsOf(error).message).toBe(
			`The service did not accept the request (${status}): check the answers against the form${elsewhere}`,
		);
	},
);

it('a proxy whose address cannot be one is named, and nothing counts as sent', async () => {
	process.env.HTTPS_PROXY = 'http://proxy.example.com:99999';
	const { error } = await run('https://forms.example.com/api', create).finally(() =>
		Reflect.deleteProperty(process.env, 'HTTPS_PROXY'),
	);

	expect(factsOf(error).message).toBe(
		'The proxy between n8n and the service cannot be reached: ask your n8n administrator to check the proxy settings',
	);
});
