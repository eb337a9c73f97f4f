import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the reference describes, one function for each of its parts. */
export interface Behaviour {
	isAllowed(route: string, authorization: string | undefined): boolean;
	/** Bodies of the replies; undefined for what is not there */
	forms(): unknown;
	responses(formId: string): unknown;
	submit(sent: Submission): unknown;
	headers: Record<string, string>;
	status: number;
}

interface Submission {
	form_id: string;
	answers: Record<string, string | string[]>;
}

export interface SecondService {
	url: string;
	baseUrl: string;
	apiKey: string;
	formId: string;
	stored: Stored[];
	requests: string[];
	stop(): Promise<void>;
}

interface Stored extends Submission {
	id: string;
	created_at: string;
}

const API_KEY = 'fk_7Yc2_second';

const forms = [
	{
		id: '1002',
		title: 'Réservation',
		slug: 'reservation',
		status: 'draft',
		created_at: '2026-03-02T08:00:00Z',
	},
	{
		id: '1001',
		title: 'Guest book',
		slug: 'guest_book.2026',
		status: 'published',
		created_at: '2026-03-01T08:00:00Z',
	},
];

/** Newest first */
const responses = (): Stored[] => [
	{
		id: '78',
		form_id: '1001',
		answers: { mail: 'ada@example.com', 'How was it?': 'Good', topics: ['Food', 'Music'] },
		created_at: '2026-04-02T10:00:00Z',
	},
	{
		id: '77',
		form_id: '1001',
		answers: { 'How was it?': 'Great', topics: [] },
		created_at: '2026-04-01T10:00:00Z',
	},
];

/**
 * A service written from its API reference alone, with nothing of the sandbox: where the reference leaves
 * something open, it chooses otherwise.
 *
 * @param change what it does otherwise than the reference states
 */
export async function startSecondService(
	change: (right: Behaviour, stored: Stored[]) => Partial<Behaviour> = () => ({}),
): Promise<SecondService> {
	const stored = responses();
	const right: Behaviour = {
		isAllowed: (_route, authorization) => authorization === `Bearer ${API_KEY}`,
		forms: () => ({ forms }),
		responses: (formId) =>
			forms.some(({ id }) => id === formId)
				? { responses: stored.filter((response) => response.form_id === formId) }
				: undefined,
		submit(sent) {
			const id = String(100 + stored.length);
			stored.unshift({ id, ...sent, created_at: new Date().toISOString() });
			return { success: true, response_id: id };
		},
		headers: { 'Content-Type': 'application/vnd.forms+json' },
		status: 200,
	};
	const behaviour = { ...right, ...change(right, stored) };
	const requests: string[] = [];
	const server = createServer((request, response) => {
		requests.push(`${request.method} ${request.url}`);
		void answer(behaviour, request, response);
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
		baseUrl: `${url}/v2/api`,
		apiKey: API_KEY,
		formId: '1001',
		stored,
		requests,
		async stop() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

async function answer(
	behaviour: Behaviour,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	let text = '';
	for await (const piece of request.setEncoding('utf8')) text += piece;
	const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
	const route = `${request.method} ${pathname.replace('/v2/api', '')}`;
	if (!behaviour.isAllowed(route, request.headers.authorization)) {
		response.writeHead(403, { 'Content-Type': 'text/plain' }).end('Who are you?');
		return;
	}
	const body = bodyOf(behaviour, route, searchParams.get('form_id') ?? '', text);
	if (body === undefined) {
		response.writeHead(410).end();
		return;
	}
	response.writeHead(behaviour.status, behaviour.headers);
	response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function bodyOf(behaviour: Behaviour, route: string, formId: string, text: string): unknown {
	switch (route) {
		case 'GET /forms':
			return behaviour.forms();
		case 'GET /responses':
			return behaviour.responses(formId);
		case 'POST /responses':
			return behaviour.submit(JSON.parse(text) as Submission);
		default:
			return undefined;
	}
}
