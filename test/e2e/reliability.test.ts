import { setTimeout as sleep } from 'node:timers/promises';

import type { OutputItem } from '../../playground/executionData';
import type { Execution, SavedCredential, SavedWorkflow } from '../../playground/n8nClient';
import { newUserFolder, packPackage } from '../../playground/packageUnderTest';
import { until } from '../../playground/until';
import { runsOn, START, using } from '../../playground/workflows';
import { type Fault, type LoggedRequest, startSandbox } from '../../sandbox';
import { byId, formRecord } from '../support/formCollection';
import { RestartableBench } from './support/restartableBench';

const FORM = 'import';
const NODE = 'Form Collection';
const MINUTES = 60_000;

const rows = Array.from({ length: 500 }, (_, i) => ({ email: `row-${i}@example.com` }));
const emails = rows.map(({ email }) => email).sort();

const json = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });
const page = '<html><body>Bad gateway</body></html>';

/** Ways to fail that say for certain that nothing was stored. */
const refusals: Fault[] = [
	{ status: 429, headers: { 'Retry-After': '1' } },
	{ status: 429, headers: { 'Retry-After': '1800' } },
	{ status: 429, body: 'Slow down' },
	// A status that no other reply has, so that the log of the service tells it apart.
	{ ...json({ success: false, message: 'Not now' }), status: 202 },
];

/** Ways to fail after which nobody but the service knows; most strike before or after it stores. */
const doubts: Fault[] = [
	...[true, false].flatMap((stored): Fault[] => [
		{ cut: 'connection', stored },
		{ hang: true, stored },
		{ status: 408, stored },
		{ status: 500, body: 'Oops', stored },
		{ status: 502, body: page, stored },
		{ status: 503, headers: { 'Retry-After': '1' }, stored },
		{ status: 504, stored },
		{ status: 200, body: page, stored },
		{ status: 307, redirectTo: 'http://127.0.0.1:9/api/responses', stored },
		{ status: 308, redirectTo: 'http://127.0.0.1:9/login', stored },
		{ redirectTo: 'http://127.0.0.1:9/maintenance', stored },
		{ status: 204, stored },
	]),
	{ cut: 'body' },
	{ delayMs: 7_500, stored: true },
	{ status: 200, body: '{"success":true,"respon', stored: true },
	{ status: 303, redirectTo: 'http://127.0.0.1:9/thanks', stored: true },
];

/** No failures: they only take their time. */
const delays: Fault[] = [{ slowBodyMs: 400 }, { delayMs: 300 }];

const waysToFail = [...refusals, ...doubts, ...delays].map((fault) => ({
	...fault,
	route: 'POST /responses',
}));

/** One submission in ten goes wrong: each way once for certain, and as often again by chance. */
const oneInTen: Fault[] = [
	...waysToFail.map((fault, i) => ({ ...fault, skip: 5 + 14 * i, times: 1 })),
	...waysToFail.map((fault) => ({ ...fault, probability: 0.05 / waysToFail.length })),
];

const notSeenYet = () => bench.sandbox.faults.list().filter(({ times }) => times !== undefined);

let bench: RestartableBench;
let credential: SavedCredential;

beforeAll(async () => {
	// First what can fail: a sandbox that nobody stops would keep the tests from ending.
	const userFolder = await newUserFolder(await packPackage());
	bench = new RestartableBench(await startSandbox({ forms: [formRecord(FORM)] }), userFolder);
	await bench.startN8n();
	credential = await bench.credential('Sandbox');
});

afterAll(async () => await bench?.stop());

beforeEach(() => bench.sandbox.reset());

const store = () => bench.sandbox.responses.map(({ answers }) => String(answers['email']));

const posts = () => bench.sandbox.log.filter(({ method }) => method === 'POST');

const emailOf = ({ body }: LoggedRequest) => (body as { answers: { email: string } }).answers.email;

const sureRefusals = new Set(refusals.map(({ status }) => status));

/** How often each row was sent, apart from requests that were surely refused. */
function sendingsOf(): Map<string, number> {
	const counts = new Map<string, number>();
	for (const request of posts()) {
		if (request.status !== undefined && sureRefusals.has(request.status)) continue;
		counts.set(emailOf(request), (counts.get(emailOf(request)) ?? 0) + 1);
	}
	return counts;
}

function expectNoneTwice(): void {
	expect(store().filter((email, i, all) => all.indexOf(email) !== i)).toEqual([]);
	expect([...sendingsOf()].filter(([, times]) => times > 1)).toEqual([]);
}

async function create(parameters: object, settings: object = {}): Promise<SavedWorkflow> {
	return await bench.client.createWorkflow(
		runsOn(rows, NODE, {
			parameters: { formId: byId(FORM), ...parameters },
			credentials: using(credential),
			...settings,
		}),
	);
}

const createImport = async (options: object, settings: object = {}) =>
	await create(
		{
			operation: 'createResponse',
			answersInput: 'json',
			answersJson: '={{ { email: $json.email } }}',
			options: { timeout: 5, ...options },
		},
		settings,
	);

const run = async ({ id }: SavedWorkflow) => await bench.client.runWorkflow(id, START, 5 * MINUTES);

const start = async ({ id }: SavedWorkflow) => await bench.client.startWorkflow(id, START);

const outputOf = ({ runData }: Execution, branch = 0): OutputItem[] =>
	runData[NODE]?.at(-1)?.data?.main[branch] ?? [];

const isUncertain = (error: unknown) => /Outcome: unknown$/.test(String(error));

/** Runs the import with Skip Existing once more; it must end complete. */
async function settle(): Promise<void> {
	const execution = await run(await createImport({ skipExisting: true }));
	expect(execution).toMatchObject({ status: 'success', error: undefined });
	expect(store().sort()).toEqual(emails);
	const replies = outputOf(execution).map(({ json }) => json['response_id']);
	expect(replies.sort()).toEqual(bench.sandbox.responses.map(({ id }) => id).sort());
}

const retryOnFail = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };

test(
	'an import through a service that fails one time in ten sends no row twice and forgets none',
	async () => {
		const workflow = await createImport({}, retryOnFail);
		const { faults } = bench.sandbox;
		faults.add(...oneInTen);

		let execution = await run(workflow);
		for (let sent = -1; execution.status === 'error' && posts().length > sent; ) {
			sent = posts().length;
			execution = await bench.client.retryExecution(
				execution.id,
				{ workflowId: workflow.id },
				5 * MINUTES,
			);
		}

		expect(notSeenYet()).toEqual([]);
		expectNoneTwice();
		expect(`${execution.error?.message} ${execution.error?.description}`).toMatch(/stored/);
		const sendings = sendingsOf();
		expect(emails.filter((email) => sendings.get(email) !== 1)).toEqual([]);
		expect(store().length).toBeLessThan(rows.length);

		faults.clear();
		await settle();
	},
	15 * MINUTES,
);

test(
	'with On Error = Continue each item that failed carries its error, and again and again ends complete',
	async () => {
		const settings = { ...retryOnFail, onError: 'continueErrorOutput' };
		const workflow = await createImport({}, settings);
		const { faults } = bench.sandbox;
		// n8n runs the node again if the first item has an error.
		faults.add({ contains: rows[0]?.email, cut: 'connection', stored: true, times: 1 });
		// In each of the five tries.
		faults.add({ contains: rows[7]?.email, ...refusals.at(-1), times: 5 });
		faults.add(...oneInTen);

		const first = await run(workflow);

		expect(first.status).toBe('success');
		expectNoneTwice();
		const replies = outputOf(first);
		const failed = outputOf(first, 1);
		expect(replies.length + failed.length).toBe(rows.length);
		const stored = new Set(store());
		const emailsOf = (items: OutputItem[]) => items.map(({ json }) => String(json['email']));
		const doubtful = failed.filter(({ json }) => isUncertain(json['error']));
		const refused = failed.filter((item) => !doubtful.includes(item));
		const ids = new Map(bench.sandbox.responses.map(({ id, answers }) => [id, answers['email']]));
		const created = replies.map(({ json }) => String(ids.get(String(json['response_id']))));
		expect([...emailsOf(failed), ...created].sort()).toEqual(emails);
		expect(emailsOf(doubtful)).toContain(rows[0]?.email);
		expect(emailsOf(refused).filter((email) => stored.has(email))).toEqual([]);
		expect(refused.length).toBeGreaterThan(0);

		const again = await createImport({ skipExisting: true }, settings);
		for (let runs = 1, missing = failed.length; missing > 0 && runs < 20; runs++) {
			const execution = await run(again);
			missing = outputOf(execution, 1).length;
			expect(outputOf(execution).length + missing).toBe(rows.length);
		}
		expect(store().sort()).toEqual(emails);
		expect(notSeenYet()).toEqual([]);
		faults.clear();
		await settle();
	},
	15 * MINUTES,
);

describe('an execution that is stopped', () => {
	/** Stops it as soon as something has happened, and waits longer than anything would wait for. */
	async function stopWhen(
		what: string,
		happened: () => boolean,
		execution: string,
		waitMs: number,
	): Promise<void> {
		await until(what, happened);
		await bench.client.stopExecution(execution);
		expect(await bench.client.waitForExecution(execution)).toMatchObject({ status: 'canceled' });
		const sent = bench.sandbox.log.length;
		await sleep(waitMs);
		expect(bench.sandbox.log).toHaveLength(sent);
		expect(await bench.client.getExecution(execution)).toMatchObject({ status: 'canceled' });
	}

	test('closes a read that hangs, and does not read again', async () => {
		const { faults, log } = bench.sandbox;
		faults.add({ hang: true });
		const execution = await start(await create({ operation: 'getResponses' }, retryOnFail));

		await stopWhen('a read', () => log.length > 0, execution, 3_000);

		expect(log).toMatchObject([{ callerLeft: true }]);
	});

	test('does not read again in the pause after a failed read', async () => {
		const { faults, log } = bench.sandbox;
		faults.add({ status: 503, headers: { 'Retry-After': '3' } });
		const execution = await start(await create({ operation: 'getResponses' }, retryOnFail));

		await stopWhen('an answer', () => log[0]?.status === 503, execution, 4_000);
	});

	test('sends no more rows of an import', async () => {
		const { settings } = bench.sandbox;
		settings.createDelayMs = 1_000;
		const execution = await start(await createImport({ timeout: 30 }, retryOnFail));

		await stopWhen('a few rows', () => store().length >= 30, execution, 3_000);

		expect(store().length).toBeLessThan(60);
		settings.createDelayMs = 0;
		await settle();
	});

	test('sends no row again in the pause after a 429', async () => {
		bench.sandbox.faults.add({ status: 429, headers: { 'Retry-After': '3' } });
		const execution = await start(await createImport({}, retryOnFail));

		const refused = () => posts().filter(({ status }) => status === 429);
		await stopWhen('ten answers', () => refused().length === 10, execution, 4_000);
	});

	test('sends nothing when n8n had a further try planned', async () => {
		bench.sandbox.faults.add({ status: 422 });
		const settings = { ...retryOnFail, waitBetweenTries: 4_000 };
		const execution = await start(await createImport({ parallelRequests: 1 }, settings));

		await stopWhen('an answer', () => posts()[0]?.status === 422, execution, 5_000);
	});
});

test(
	'an import that n8n was killed in ends complete when it is run again with Skip Existing',
	async () => {
		const { sandbox } = bench;
		sandbox.settings.createDelayMs = 200;
		const workflow = await createImport({ skipExisting: true, timeout: 30 });
		const execution = await start(workflow);
		await until('the middle of the import', () => store().length >= 150);

		await bench.killN8n();
		sandbox.settings.createDelayMs = 0;
		await bench.startN8n();

		const before = store().length;
		expect(before).toBeLessThan(rows.length);
		expect(await bench.client.getExecution(execution)).toMatchObject({ status: 'crashed' });
		const sent = posts().length;
		await settle();
		expect(posts()).toHaveLength(sent + rows.length - before);
	},
	5 * MINUTES,
);
