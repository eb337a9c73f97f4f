import { connect } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import type { Fault, Sandbox } from '../../../sandbox';
import { selfSigned } from '../certificate';
import { listen } from '../listen';

export interface FaultCase {
	name: string;
	faults?: Fault[];
	/** Where the credential points to, if not to the API root of the service */
	address?(service: Sandbox): string | Promise<string>;
	/** The fault proves that the service took nothing, so that a submission may be sent again */
	notTaken?: boolean;
	/** No answer: the Timeout is set to 10 seconds where there is one */
	isSilent?: boolean;
}

/** Services repeat in their errors what they got; HTML pages too. */
export const apiKey = 'fc/key+with==signs';
const words = { message: `Not with the key ${apiKey}` };
const page = `<html><h1>Sorry</h1>${apiKey}</html>`;
const url = `Not at /forms?key=${encodeURIComponent(apiKey)}`;
const inHtml = apiKey.replace('/', '&#x2F;').replace('+', '&#43;').replaceAll('=', '&#61;');
const html = `Not with the key ${inHtml}`;

export async function faultCases(elsewhere: Sandbox): Promise<FaultCase[]> {
	const certificate = await selfSigned('127.0.0.1');
	const refusals = (...statuses: number[]): FaultCase[] =>
		statuses.map((status) => ({ name: String(status), faults: [{ status, body: words }] }));
	const limit = (name: string, retryAfter?: () => string): FaultCase => ({
		name: `429 ${name}`,
		// When it strikes, because a date may be over soon.
		get faults() {
			const headers = retryAfter && {
				'Retry-After': retryAfter(),
				// In each answer anew; that of Node.js would stay on the real clock.
				get Date() {
					return new Date().toUTCString();
				},
			};
			return [{ status: 429, body: words, headers }];
		},
		notTaken: true,
	});
	const trouble = (status: number, fault: Fault = {}): FaultCase => ({
		name: fault.body === page ? `${status} with a web page` : String(status),
		faults: [{ status, body: words, stored: true, ...fault }],
	});
	const wrongAnswer = (name: string, fault: Fault): FaultCase => ({
		name,
		faults: [{ stored: true, ...fault }],
	});
	const redirect = (status: number): FaultCase => ({
		name: `${status} to another server`,
		faults: [
			{ route: 'GET /forms', status, redirectTo: `${elsewhere.baseUrl}/forms` },
			{ status, redirectTo: `${elsewhere.baseUrl}/responses?key=${encodeURIComponent(apiKey)}` },
		],
	});

	return [
		{ name: 'Connection refused', address: () => 'http://127.0.0.1:1/api', notTaken: true },
		{ name: 'Unknown host', address: () => 'http://nohost.invalid/api', notTaken: true },
		{
			name: 'A certificate that n8n does not trust',
			address: async (service) => await behindTls(service, certificate),
		},
		{
			name: 'https where the service speaks http',
			address: ({ baseUrl }) => baseUrl.replace('http:', 'https:'),
		},
		{ name: 'Reset before the answer', faults: [{ cut: 'connection' }] },
		{
			name: 'Reset before the answer, but after the response was stored',
			faults: [{ cut: 'connection', stored: true }],
		},
		{ name: 'Cut off in the middle of the answer', faults: [{ cut: 'body' }] },
		{ name: 'No answer', faults: [{ hang: true, stored: true }], isSilent: true },
		{ name: 'Half an answer, then silence', faults: [{ hang: 'body' }], isSilent: true },
		{ name: 'A slow answer that arrives in time', faults: [{ slowBodyMs: 600 }] },
		...refusals(400, 401, 403, 404, 405, 407, 422),
		{ name: '404 with a web page', faults: [{ status: 404, body: page }] },
		{ name: '400 with an address that has the key', faults: [{ status: 400, body: url }] },
		{ name: '400 with the key in HTML', faults: [{ status: 400, body: html }] },
		limit('with a short wait, in seconds', () => '1'),
		limit('with a short wait, as a date', () => new Date(Date.now() + 10_000).toUTCString()),
		limit('with a wait that is too long', () => '60'),
		limit('without a wait'),
		...[408, 460, 499, 501].map((status) => trouble(status)),
		trouble(500),
		trouble(502, { body: page }),
		trouble(503),
		trouble(504),
		wrongAnswer('A web page', { body: page }),
		wrongAnswer('JSON that ends too early', { body: `{"success":true,"forms":[{"id":"${apiKey}` }),
		wrongAnswer('JSON with other content', { body: { data: [apiKey] } }),
		wrongAnswer('`success: false`', { stored: false, body: { success: false, ...words } }),
		wrongAnswer('204, which has no content', { status: 204 }),
		redirect(302),
		redirect(308),
		{ name: 'A compressed answer', faults: [{ gzip: true }] },
	];
}

/** The same service, reached through TLS: whoever trusts the certificate gets through to it. */
async function behindTls(service: Sandbox, certificate: TlsOptions): Promise<string> {
	const server = createServer(certificate, (socket) => {
		const through = connect(Number(new URL(service.url).port), '127.0.0.1');
		socket.on('error', () => through.destroy());
		through.on('error', () => socket.destroy());
		socket.pipe(through).pipe(socket);
	});
	server.on('tlsClientError', () => undefined);
	server.unref();
	return `https://127.0.0.1:${await listen(server)}/api`;
}
