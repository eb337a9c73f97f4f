import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { constants, createBrotliCompress, createDeflate, createGzip, type Gzip } from 'node:zlib';
import { execute } from '../support/engine';
import { startFastClock } from '../support/fastClock';
import { byId } from '../support/formCollection';

let server: Server;
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
	server = createServer((_, response) => answer(response));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
});
afterEach(() => {
	server.close();
	server.closeAllConnections();
});

const encodings: [string, () => Gzip][] = [
	['gzip', createGzip],
	['deflate', createDeflate as never],
	['br', () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }) as never],
];

it.each(encodings)(
	'G1 a limit ends the download of a compressed list early: %s',
	async (encoding, compress) => {
		let isClosed = false;
		let sent = 0;
		let end: () => void;
		const ended = new Promise<void>((resolve) => (end = resolve));
		answer = (response) => {
			response.on('close', () => (isClosed = true));
			response.on('close', end);
			response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': encoding });
			const zip = compress();
			zip.pipe(response);
			zip.write('{"responses":[{"id":"a"}');
			const write = () => {
				if (isClosed || sent >= 300) return end();
				sent++;
				zip.write(`,{"id":"${randomBytes(50_000).toString('hex')}"}`, () => setTimeout(write, 10));
			};
			write();
		};
		const { items } = await execute({
			parameters: { operation: 'getResponses', formId: byId('f1'), limit: 1 },
			credentials: {
				baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
				apiKey: 'key',
			},
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
		answer = (response) => {
			response.on('close', () => (isClosed = true));
			response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': encoding });
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
			credentials: {
				baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
				apiKey: 'key',
			},
		});
		expect(items).toHaveLength(1);
		await new Promise((resolve) => setTimeout(resolve, 5_000));
		stopClock();
		expect(isClosed).toBe(true);
	},
	20_000,
);
