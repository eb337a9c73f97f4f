import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen';

/** What the reference describes, one function for each of its parts. */
interface Behaviour {
	isAllowed(route: string, authorization: string | undefined): boolean;
	/** Bodies of the replies; undefined for what is not there */
	forms(): unknown;
	responses(formId: string): unknown;
	submit(sent: Submission): unknown;
}

interface Submission {
	form_id: string;
	answers: Record<string, string | string[]>;
}

const API_KEY = 'fk_7Yc2_second';

const form = (id: string, title: string, slug: string, status: string, day: number) => ({
	...{ id, title, slug, status },
	created_at: `2026-03-0${day}T08:00:00Z`,
});

const forms = [
	form('1002', 'Réservation', 'reservation', 'draft', 2),
	form('1001', 'Guest book', 'guest_book.2026', 'published', 1),
];

const response = (id: string, answers: Submission['answers'], day: number) => ({
	...{ id, form_id: '1001', answers },
	created_at: `2026-04-0${day}T10:00:00Z`,
});

/** Newest first */
const responses = () => [
	response('78', { mail: 'ada@example.com', 'How was it?': 'Good', topics: ['Food', 'Music'] }, 2),
	response('77', { 'How was it?': 'Great', topics: [] }, 1),
];

/**
 * A service written from its API reference alone, with nothing of the sandbox: where the reference leaves
 * something open, it chooses otherwise.
 *
 * @param change what it does otherwise than the reference states
 */
export async function startSecondService(
	change: (
		right: Behaviour,
		stored: ReturnType<typeof responses>,
	) => Partial<Behaviour> = () => ({}),
) {
	const stored = responses();
	const right: Behaviour = {
		isAllowed: (_route, authorization) => authorization === `Bearer ${API_KEY}`,
		forms: () => ({ forms }),
		responses: (formId) =>
			forms.some(({ id }) => id === formId)
				? { responses: stored.filter((each) => each.form_id === formId) }
				: undefined,
		submit(sent) {
			const id = String(100 + stored.length);
			stored.unshift({ id, ...sent, created_at: new Date().toISOString() });
			return { success: true, response_id: id };
		},
	};
	const behaviour = { ...right, ...change(right, stored) };
	const requests: string[] = [];
	const server = createServer((request, reply) => {
		requests.push(`${request.method} ${request.url}`);
		void answer(behaviour, request, reply);
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return {
		url,
		baseUrl: `${url}/v2/api`,
		apiKey: API_KEY,
		formId: '1001',
		stored,
		requests,
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

async function answer(behaviour: Behaviour, request: IncomingMessage, reply: ServerResponse) {
	let text = '';
	for await (const piece of request.setEncoding('utf8')) text += piece;
	const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
	const route = `${request.method} ${pathname.replace('/v2/api', '')}`;
	if (!behaviour.isAllowed(route, request.headers.authorization)) {
		reply.writeHead(403, { 'Content-Type': 'text/plain' }).end('Who are you?');
		return;
	}
	const bodies: Record<string, () => unknown> = {
		'GET /forms': () => behaviour.forms(),
		'GET /responses': () => behaviour.responses(searchParams.get('form_id') ?? ''),
		'POST /responses': () => behaviour.submit(JSON.parse(text) as Submission),
	};
	const body = bodies[route]?.();
	if (body === undefined) {
		reply.writeHead(410).end();
		return;
	}
	reply.writeHead(200, { 'Content-Type': 'application/vnd.forms+json' });
	reply.end(typeof body === 'string' ? body : JSON.stringify(body));
}
