import { setTimeout as sleep } from 'node:timers/promises';

import type { SavedWorkflow } from '../../playground/n8nClient';
import { until } from '../../playground/run';
import { START } from '../../playground/workflows';
import type { Fault } from '../../sandbox';
import { byId, formRecord } from '../support/formCollection';
import { Bench, importInto, namesOf, outputOf, rows } from './support/bench';

const FORM = 'import';

const items = rows(300);
const names = namesOf(items).sort();

/** Ways to fail that say for certain that nothing was stored. */
const refusals: Fault[] = [
	{ status: 429, headers: { 'Retry-After': '1' } },
	{ status: 429, body: 'Slow down' },
	{ status: 422, body: 'Not now' },
];

/** Ways to fail after which nobody but the service knows; most strike before or after it stores. */
const doubts: Fault[] = [
	...[true, false].flatMap((stored): Fault[] => [
		{ cut: 'connection', stored },
		{ hang: true, stored },
		{ status: 500, body: 'Oops', stored },
		{ status: 503, headers: { 'Retry-After': '1' }, stored },
		{ status: 307, redirectTo: 'http://127.0.0.1:9/api/responses', stored },
	]),
	{ cut: 'body' },
	{ status: 200, body: '{"success":true,"respon', stored: true },
];

/** Each way to fail strikes once. */
const oneInTen = [...refusals, ...doubts].map((fault, i) => ({
	...fault,
	route: 'POST /responses',
	skip: 5 + 10 * i,
	times: 1,
}));

const bench = new Bench({ forms: [formRecord(FORM)] });

beforeAll(async () => await bench.start());

afterAll(async () => await bench.stop());

beforeEach(() => bench.sandbox.reset());

const store = () => bench.storedRows(FORM);

const posts = () => bench.sandbox.log.filter(({ method }) => method === 'POST');

const createImport = async (options: object, settings: object = {}) =>
	await bench.createRun(items, importInto(FORM, { timeout: 5, ...options }), settings);

const start = async ({ id }: SavedWorkflow) => await bench.client.startWorkflow(id, START);

/** Runs the import with Skip Existing once more; it must end complete. */
async function settle(): Promise<void> {
	const { id } = await createImport({ skipExisting: true });
	const execution = await bench.client.runWorkflow(id, START);
	expect(execution).toMatchObject({ status: 'success', error: undefined });
	expect(store()).toEqual(names);
	expect(bench.repliedRows(FORM, outputOf(execution)).sort()).toEqual(names);
}

const retryOnFail = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };

test('Retry On Fail and Retry in the list of executions send no row twice and forget none', async () => {
	const workflow = await createImport({}, retryOnFail);
	bench.sandbox.faults.add(...oneInTen);

	let execution = await bench.client.runWorkflow(workflow.id, START);
	for (let sent = -1; execution.status === 'error' && posts().length > sent; ) {
		sent = posts().length;
		execution = await bench.client.retryExecution(execution.id, workflow.id);
	}

	expect(bench.sandbox.faults.list()).toEqual([]);
	expect(execution.status).toBe('error');
	const refused = new Set(refusals.map(({ status }) => status));
	const sent = posts()
		.filter(({ status }) => !refused.has(status))
		.map(({ body }) => (body as { answers: { row: string } }).answers.row);
	expect(sent.sort()).toEqual(names);

	await settle();
});

describe('an execution that is stopped', () => {
	/** Stops it as soon as something has happened, and waits longer than anything would wait for. */
	async function stopWhen(what: string, happened: () => boolean, execution: string): Promise<void> {
		await until(what, happened);
		await bench.client.stopExecution(execution);
		expect(await bench.client.waitForExecution(execution)).toMatchObject({ status: 'canceled' });
		const sent = bench.sandbox.log.length;
		await sleep(4_000);
		expect(bench.sandbox.log).toHaveLength(sent);
	}

	test('closes a read that hangs, and does not read again', async () => {
		const { faults, log } = bench.sandbox;
		faults.add({ hang: true });
		const read = { operation: 'getResponses', formId: byId(FORM) };
		const execution = await start(await bench.createRun(items, read, retryOnFail));

		await stopWhen('a read', () => log.length > 0, execution);

		expect(log).toMatchObject([{ callerLeft: true }]);
	});

	test('sends no more rows of an import', async () => {
		bench.sandbox.settings.createDelayMs = 1_000;
		const execution = await start(await createImport({ timeout: 30 }, retryOnFail));

		await stopWhen('a few rows', () => store().length >= 30, execution);

		expect(store().length).toBeLessThan(60);
	});

	test('sends no row again in the pause after a 429', async () => {
		bench.sandbox.faults.add({ status: 429, headers: { 'Retry-After': '3' } });
		const execution = await start(await createImport({}, retryOnFail));

		const refused = () => posts().filter(({ status }) => status === 429);
		await stopWhen('ten answers', () => refused().length === 10, execution);
	});
});

test('an import in which n8n was killed ends complete when it is run again with Skip Existing', async () => {
	const { settings } = bench.sandbox;
	settings.createDelayMs = 200;
	const execution = await start(await createImport({ skipExisting: true, timeout: 30 }));
	await until('the middle of the import', () => store().length >= 100);

	await bench.killN8n();
	settings.createDelayMs = 0;
	await bench.startN8n();

	const before = store().length;
	expect(before).toBeLessThan(items.length);
	expect(await bench.client.getExecution(execution)).toMatchObject({ status: 'crashed' });
	const sent = posts().length;
	await settle();
	expect(posts()).toHaveLength(sent + items.length - before);
});
