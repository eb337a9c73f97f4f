import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { INodeParameters } from 'n8n-workflow';
import type { RequestListener } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { createGzip } from 'node:zlib';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { TestRun } from '../support/engine';
import { useFastClock } from '../support/fastClock';
import {
	byId,
	formRecord,
	itemsOf,
	outcomeOf,
	responseRecord,
	runOn,
	shownBy,
} from '../support/formCollection';
import { closeServers, listen } from '../support/listen';

/**
 * What is sent, what is between n8n and the service, and what the node makes of odd replies. The fault matrix has what
 * each fault comes to, test/unit what is sent again, and how a failed connection is understood.
 */

const apiKey = 'fc/key+with==signs';
let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		apiKey,
		forms: [formRecord('f1')],
		responses: [responseRecord('f1', 'r1')],
	});
});
beforeEach(() => sandbox.reset());
afterEach(closeServers);
afterAll(async () => await sandbox.stop());

const read = { operation: 'getResponses', formId: byId('f1') };
const create = {
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '{"a":"b"}',
	options: { timeout: 5 },
};

const at = async (baseUrl: string, parameters: INodeParameters, more: Partial<TestRun> = {}) =>
	await runOn({ baseUrl, apiKey } as Sandbox, parameters, more);

const submit = async (baseUrl = sandbox.baseUrl) =>
	await at(baseUrl, create, { node: { onError: 'continueErrorOutput' } });

const urlOf = async (server: Server, scheme = 'http') =>
	`${scheme}://127.0.0.1:${await listen(server)}/api`;

/** Answers in its own way, on a connection of its own for each request. */
const serving = async (answer: RequestListener) =>
	await urlOf(createHttpServer({ keepAlive: false }, answer));

it('sends JSON with the key, and nothing that is not documented', async () => {
	await runOn(sandbox, read);
	await runOn(sandbox, create);

	const common = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
	expect(
		sandbox.log.map(({ method, path, headers, body }) => ({
			method,
			path,
			authorization: headers.authorization,
			accept: headers.accept,
			type: headers['content-type'],
			body,
		})),
	).toEqual([
		{ ...common, method: 'GET', path: '/api/responses?form_id=f1' },
		{
			...common,
			method: 'POST',
			path: '/api/responses',
			type: 'application/json',
			body: { form_id: 'f1', answers: { a: 'b' } },
		},
	]);
});

describe('the description of an error', () => {
	useFastClock();

	const words = 'Name (max. 40) is missing';
	const says = `The service says: ${words}`;

	it.each<[string, string, Fault]>([
		['a text', `${says}.`, { status: 400, body: ` ${words.replace(' is ', ' is\n')}` }],
		['a message', `${says}.`, { status: 422, body: { message: words } }],
		['all texts', `${says}, x.`, { status: 409, body: { n: 7, errors: [words, 'x'] } }],
		[
			'what n8n has a text for',
			`${says}: ECONNREFUSED.`,
			{ body: { success: false, m: `${words}: ECONNREFUSED` } },
		],
		['seven characters of the key', 'The service says: ey+with.', { status: 401, body: 'ey+with' }],
		['no more of them', '', { status: 401, body: 'No key+with' }],
		['nothing long', '', { status: 422, body: 'x'.repeat(301) }],
		['no web page', '', { status: 413, body: '<html>Sorry</html>' }],
	])('has of the words of the service %s', async (_, expected, fault) => {
		sandbox.faults.add(fault);

		expect((await runOn(sandbox, create)).error?.description ?? '').toBe(expected);
	});

	it('has the reason of a failed connection', async () => {
		const { error } = await at('http://127.0.0.1:1/api', { operation: 'getForms' });

		expect(error?.description).toMatch(/^Reason: .*ECONNREFUSED/);
	});
});

describe('an error', () => {
	useFastClock();

	it.each([
		['x'.repeat(40), `Form "${'x'.repeat(40)}" was`],
		['x'.repeat(41), `Form "${'x'.repeat(40)}…" was`],
		['x'.repeat(301), 'The form was'],
	])('has so much of a long title and a long address as leaves room (%#)', async (title, start) => {
		sandbox.faults.add({ status: 404 });
		const formId = { ...byId('f1'), mode: 'list', cachedResultName: title };
		const { error } = await runOn(sandbox, { ...read, formId });
		const other = await at(`http://${title.slice(0, 60)}.test/api`, read);

		expect(error?.message).toContain(start);
		expect(other.error?.message.length).toBeLessThanOrEqual(140);
	});

	it.each<[Fault, unknown]>([
		[{ status: 401 }, { cause: 'credential-invalid' }],
		[{ status: 403 }, { cause: 'configuration-invalid' }],
		[
			{ status: 429, headers: { 'Retry-After': '120' } },
			{ cause: 'rate-limited', retryAfterMs: 120_000 },
		],
		[{ status: 500 }, { cause: 'temporarily-unavailable' }],
	])('tells n8n its cause, if it has one: %j', async (fault, failure) => {
		sandbox.faults.add(fault);
		const { error } = await runOn(sandbox, read);

		expect(error).toMatchObject({ failure, httpCode: String(fault.status) });
	});
});

describe('what is sent again', () => {
	useFastClock();

	it('gets through where the service fails twice, and has nothing of the first tries', async () => {
		sandbox.responses.push(responseRecord('f1', 'r2', { answers: { q: 'x'.repeat(1000) } }));
		sandbox.faults.add({ times: 1, cut: 'body' }, { times: 1, status: 502 });
		for (const operation of ['getResponses', 'getQuestions']) {
			const { items } = await runOn(sandbox, { ...read, operation });

			expect(items).toHaveLength(2);
		}
		expect(sandbox.log).toHaveLength(4);
	});

	it('waits until a date, on the clock of the service', async () => {
		const now = Date.now() - 3_600_000;
		const [date, retryAfter] = [now, now + 1_800_000].map((ms) => new Date(ms).toUTCString());
		sandbox.faults.add({ status: 429, headers: { Date: date!, 'Retry-After': retryAfter! } });
		const atMinute = () => new Date(Date.now() + 1_800_000).toISOString().slice(11, 16);
		const [first, shown, last] = [atMinute(), shownBy(await runOn(sandbox, read)), atMinute()];

		expect(shown).toMatch(
			new RegExp(`\\(429\\): try again in 30 minutes, at (${first}|${last}) UTC`),
		);
		expect(sandbox.log).toHaveLength(1);
	});
});

describe('a service that is slow', () => {
	useFastClock();

	const withTimeout = { ...read, options: { timeout: 1 } };

	it('may send a list in pieces, for longer than Timeout', async () => {
		sandbox.responses.push(...Array.from({ length: 50 }, (_, i) => responseRecord('f1', `s${i}`)));
		sandbox.faults.add({ slowBodyMs: 200 });

		expect((await runOn(sandbox, withTimeout)).items).toHaveLength(50);
		// Nothing is left that waits for what has come.
		expect(jest.getTimerCount()).toBe(0);
	});

	it('is told by its status where it drips a refusal', async () => {
		const baseUrl = await serving((_, reply) => {
			reply.writeHead(401).write('{"error":"');
			const timer = setInterval(() => reply.write('x'), 200);
			reply.on('close', () => clearInterval(timer));
		});

		expect(shownBy(await at(baseUrl, withTimeout))).toContain('(401)');
	});

	it.each([false, true])(
		'is left with the records that are wanted, also if it says nothing more (gzip: %p)',
		async (isZipped) => {
			let left: () => void;
			const isLeft = new Promise<void>((resolve) => (left = resolve));
			const baseUrl = await serving((_, reply) => {
				reply.on('close', () => left());
				reply.writeHead(200, isZipped ? { 'Content-Encoding': 'gzip' } : {});
				const zip = createGzip();
				if (isZipped) zip.pipe(reply);
				(isZipped ? zip : reply).write('{"responses":[{"id":"a"},');
				zip.flush();
			});
			const options = { sort: 'asReceived' };
			const { items } = await at(baseUrl, { ...read, limit: 1, options });
			await isLeft;

			expect(items).toEqual(itemsOf([{ id: 'a' }], 0));
		},
	);
});

const text = JSON.stringify({ responses: [{ id: 'Grüße, €, 📋' }] });
const bytes = Array.from(Buffer.from(text), (byte) => Buffer.of(byte));
it.each<[string, string, Buffer[], boolean]>([
	['UTF-8, wherever it is split', '', bytes, true],
	['UTF-8 with a byte order mark', '', [Buffer.from(`\ufeff${text}`)], true],
	['UTF-8 under another name', 'text/plain; charset=martian', [Buffer.from(text)], true],
	['in another character set', '', [Buffer.from(text, 'latin1')], false],
])('the text of a reply is read, or refused: %s', async (_, type, pieces, isRead) => {
	const baseUrl = await serving(async (__, reply) => {
		reply.setHeader('Content-Type', type);
		for (const piece of pieces) {
			reply.write(piece);
			await new Promise((resolve) => setImmediate(resolve));
		}
		reply.end();
	});
	const { items, error } = await at(baseUrl, read);

	expect(items.map(({ json }) => json)).toEqual(isRead ? JSON.parse(text).responses : []);
	if (!isRead) expect(error?.message).toContain('Base URL');
});

it.each([{ success: 'true' }, { success: 1 }, {}])(
	'a submission is not confirmed by %j',
	async (body) => {
		sandbox.faults.add({ body, stored: true });
		const creating = await submit();

		expect(outcomeOf(creating)).toBe('unknown');
		expect(creating.failed[0]?.json.error).toContain('Then check the Base URL');
	},
);

describe('a proxy', () => {
	useFastClock();
	afterEach(() => void Reflect.deleteProperty(process.env, 'HTTPS_PROXY'));

	it.each<[string, number, string, RegExp]>([
		['wants a password', 407, 'refused', /proxy.*\(407\)/],
		['hangs up', 0, 'not sent', /proxy/],
	])('that %s is named', async (_, status, outcome, named) => {
		const server = createHttpServer().on('connect', (__, socket: Socket) =>
			status === 0 ? socket.destroy() : socket.end(`HTTP/1.1 ${status} No\r\n\r\n`),
		);
		process.env.HTTPS_PROXY = `http://127.0.0.1:${await listen(server)}`;
		const creating = await submit('https://forms.example.com/api');

		expect(creating.failed[0]?.json.error).toMatch(named);
		expect(outcomeOf(creating)).toBe(outcome);
	});
});

it('names n8n’s own rules where they do not allow the address', async () => {
	const settings = Container.get(SsrfProtectionConfig);
	settings.enabled = true;
	const creating = await submit();
	settings.enabled = false;

	expect(outcomeOf(creating)).toBe('not sent');
	expect(creating.failed[0]?.json.error).toContain(
		`do not allow requests to ${sandbox.url}: ask your n8n administrator to allow it`,
	);
	expect(sandbox.log).toEqual([]);
});
