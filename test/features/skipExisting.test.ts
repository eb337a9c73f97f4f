import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { TestResult, TestRun } from '../support/engine';
import { asTool } from '../support/engine';
import {
	byId,
	credentialsOf,
	formRecord,
	outcomeOf,
	requestsTo,
	responseRecord,
	runOn,
	shownBy,
	until,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	const forms = ['f1', 'f2', 'f3', 'f4'].map((id) => formRecord(id));
	sandbox = await startSandbox({ forms, createDelayMs: 2 });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const [GET, POST] = ['GET /responses', 'POST /responses'];

const create = (options: IDataObject = {}) => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ $json }}',
	options: { skipExisting: true, parallelRequests: 1, ...options },
});

const run = async (input: IDataObject[], options: IDataObject = {}, more: Partial<TestRun> = {}) =>
	await runOn(sandbox, more.parameters ?? create(options), { input, ...more });

const existing = (...answers: object[]) =>
	sandbox.responses.push(
		...answers.map((each, i) => responseRecord('f1', `old${i}`, { answers: each as never })),
	);

const stored = () => sandbox.responses.map(({ answers }) => answers);
const ids = () => sandbox.responses.map(({ id }) => id);
const reads = () => sandbox.log.filter(({ route }) => route === GET).length;
const posts = () =>
	sandbox.log
		.filter(({ route }) => route === POST)
		.map(({ body }) => (body as { answers: IDataObject }).answers);

// `toEqual` takes an item that lacks the field for none at the end of a list.
const idsOf = ({ items }: Pick<TestResult, 'items'>) =>
	items.map(({ json }) => json.response_id ?? null);
const skipsOf = ({ items }: Pick<TestResult, 'items'>) =>
	items.map(({ json }) => json.skipped ?? null);
const countSkipped = (results: TestResult[]) => results.flatMap(skipsOf).filter(Boolean).length;

const sorted = (values: unknown[]) => values.map((value) => JSON.stringify(value)).sort();
const retryOnFail = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
const continues = { node: { onError: 'continueRegularOutput' as const } };

describe('an existing response', () => {
	it('stands for one item with the same answers; the form is read once', async () => {
		existing({ n: 'a' }, { n: 'b' }, { n: 'a' });
		const result = await run([{ n: 'a' }, { n: 'a' }, { n: 'a' }, { n: 'c' }]);

		expect(result.items.map(({ json }) => json)).toEqual([
			{ success: true, response_id: 'old0', skipped: true },
			{ success: true, response_id: 'old2', skipped: true },
			{ success: true, response_id: ids()[3], skipped: false },
			{ success: true, response_id: ids()[4], skipped: false },
		]);
		expect(result.runs[0]?.hints).toEqual([expect.stringMatching(/\b2 items\b/)]);
		expect(posts()).toEqual([{ n: 'a' }, { n: 'c' }]);
		expect(reads()).toBe(1);
	});

	it('stands for an item of its own form and account', async () => {
		const other = sandbox.addAccount('other-key', {
			forms: [formRecord('f1')],
			responses: [responseRecord('f1', 'r1', { answers: { n: 'theirs' } })],
		});
		sandbox.responses.push(responseRecord('f1', '1', { answers: { n: 'f1' } }));
		sandbox.responses.push(responseRecord('f2', '2', { answers: { n: 'f2' } }));
		const parameters = {
			...create(),
			formId: byId('={{ $json.form }}'),
			answersJson: '={{ { n: $json.n } }}',
		};
		const input = ['f1', 'f2', 'theirs'].flatMap((n) => [
			{ form: 'f1', n, key: sandbox.apiKey },
			{ form: 'f2', n, key: sandbox.apiKey },
			{ form: 'f1', n, key: 'other-key' },
		]);
		const credentials = { baseUrl: sandbox.baseUrl, apiKey: '={{ $json.key }}' };
		const result = await run(input, {}, { parameters, credentials });

		expect(skipsOf(result)).toEqual([
			...[true, false, false],
			...[false, true, false],
			...[false, false, true],
		]);
		expect([reads(), other.responses.length]).toEqual([3, 3]);
	});
});

describe('an import that is run again', () => {
	const rows = ['0', '1', '2', '3', '0', '1'].map((n) => ({ n: `<${n}>` }));

	it.each([1, 10])(
		'ends complete and without repeats, with %i parallel requests',
		async (parallelRequests) => {
			sandbox.faults.add({ route: POST, contains: '<3>', status: 422, times: 1 });
			expect((await run(rows, { parallelRequests })).status).toBe('error');
			await run(rows, { parallelRequests });
			const result = await run(rows, { parallelRequests });

			expect(sorted(stored())).toEqual(sorted(rows));
			expect(skipsOf(result)).toEqual(rows.map(() => true));
			expect(idsOf(result).sort()).toEqual(ids().sort());
		},
	);

	it('knows what was stored although the answer was lost', async () => {
		sandbox.faults.add({ route: POST, cut: 'connection', stored: true, times: 1 });
		expect((await run(rows)).status).toBe('error');
		await run(rows);

		expect(sorted(stored())).toEqual(sorted(rows));
	});

	it('knows in a further try which responses stand for which items', async () => {
		existing({ n: 'same' });
		sandbox.faults.add({ route: POST, contains: 'bad', status: 422, times: 1 });
		const input = ['same', 'same', 'bad', 'same'].map((n) => ({ n }));
		const result = await run(input, {}, { node: retryOnFail, isSavedBeforeEachRun: true });

		expect(posts()).toEqual([{ n: 'same' }, { n: 'bad' }, { n: 'bad' }, { n: 'same' }]);
		expect(skipsOf(result)).toEqual([true, false, false, false]);
		expect(new Set(idsOf(result)).size).toBe(4);
	});
});

describe('the form', () => {
	it.each<[Partial<TestRun>, number]>([
		[{}, 1],
		// Where n8n saves the execution for a Wait, it is read once more.
		[{ isSavedBeforeEachRun: true }, 3],
	])('is read once for all runs of a loop: %j', async (more, count) => {
		existing({ n: '0' }, { n: '0' }, { n: '1' });
		const { runs } = await run([{ n: '0' }, { n: '1' }], {}, { runs: 3, ...more });

		expect(reads()).toBe(count);
		if (count > 1) return;
		expect(runs.map(({ items = [] }) => skipsOf({ items }))).toEqual([
			[true, true],
			[true, false],
			[false, false],
		]);
	});

	it('is not taken for another one of the loop', async () => {
		sandbox.responses.push(responseRecord('f4', 'old', { answers: { form: 'f4' } }));
		const parameters = { ...create(), formId: byId('={{ $json.form }}') };
		// Its next turn is the second one, as if it followed the first one of the other form.
		await run([{ form: 'f4' }], {}, { parameters });
		// n8n runs the last batch first.
		await run([{ form: 'f4' }, { form: 'f3' }], {}, { parameters, batches: 2 });

		expect(posts()).toEqual([{ form: 'f3' }]);
	});

	it('is read again by a further try if that failed, and by the next execution', async () => {
		sandbox.faults.add({ route: GET, status: 403, times: 1 });
		await run([{ n: '0' }], {}, { node: retryOnFail });
		expect(reads()).toBe(2);
		await run([{ n: '0' }]);

		expect(reads()).toBe(3);
		expect(posts()).toEqual([{ n: '0' }]);
	});

	it('gets nothing if it cannot be read', async () => {
		sandbox.faults.add({ route: GET, status: 403 });
		const { items } = await run([{ n: '0' }, { n: '1' }], {}, continues);

		for (const { json } of items) expect(json.error).toMatch(/\(403\)[^]*\nOutcome: not sent$/);
		expect([items.length, posts().length]).toEqual([2, 0]);
	});
});

it('nothing is sent where the total is above the number of responses', async () => {
	sandbox.faults.add({ route: GET, body: { responses: [], total: 2 } });
	const result = await run([{ n: 'a' }]);

	expect(shownBy(result)).toMatch(/only a part/);
	expect(posts()).toEqual([]);
});

describe('executions at the same time', () => {
	const ada = { email: 'ada@example.com', name: 'Ada' };

	it.each([[{}], [{ matchOn: ['email'] }]])('submit equal items once: %j', async (options) => {
		const results = await Promise.all([1, 2, 3].map(async () => await run([ada], options)));

		expect(stored()).toEqual([ada]);
		expect(results.flatMap(idsOf)).toEqual(Array(3).fill(ids()[0]));
		expect(countSkipped(results)).toBe(2);
	});

	it.each([1, 3])('import each row once, with %i parallel requests', async (parallelRequests) => {
		const rows = Array.from({ length: 30 }, (_, i) => ({ n: `${i % 25}` }));
		const first = run(rows, { parallelRequests });
		await until(() => sandbox.responses.length >= 10);
		const results = await Promise.all([first, run(rows, { parallelRequests })]);

		expect(sorted(stored())).toEqual(sorted(rows));
		expect(countSkipped(results)).toBe(30);
		// Each response stands for one row of each import.
		for (const result of results) expect(new Set(idsOf(result)).size).toBe(30);
		expect(reads()).toBe(2);
	});

	it.each([
		['what the other one has stored without an answer', { cut: 'connection', stored: true }, 1],
		['what the other one could not store', { cut: 'connection' }, 2],
		['what was refused to the other one', { status: 422 }, 2],
	] as const)('are complete, and repeat nothing: %s', async (_, fault, requests) => {
		sandbox.faults.add({ route: POST, times: 1, ...fault });
		const results = await Promise.all([run([ada]), run([ada])]);

		expect(results.map(({ status }) => status)).toEqual(['error', 'success']);
		expect(stored()).toEqual([ada]);
		expect(posts()).toHaveLength(requests);
	});

	it('know in the next run of a loop what the other one has created meanwhile', async () => {
		sandbox.faults.add({ route: POST, held: true, times: 1 });
		// n8n runs the last batch first.
		const loop = run([{ n: '1' }, { n: '2' }], {}, { batches: 2 });
		await until(() => posts().length > 0);
		const other = run([{ n: '1' }]);
		await new Promise((resolve) => setTimeout(resolve, 50));
		sandbox.faults.clear();
		await Promise.all([loop, other]);

		expect(stored()).toEqual([{ n: '2' }, { n: '1' }]);
		expect(skipsOf(await other)).toEqual([false]);
	});

	it('stop waiting for the other one when they are stopped, unlike the next one', async () => {
		sandbox.faults.add({ route: POST, held: true, times: 1 });
		const first = run([ada]);
		await until(() => posts().length > 0);
		const { status } = await run([ada], {}, { onStart: (stop) => setTimeout(stop, 20) });
		const next = run([ada]);
		await new Promise((resolve) => setTimeout(resolve, 50));

		expect(status).toBe('canceled');
		expect(posts()).toHaveLength(1);
		sandbox.faults.clear();
		expect([skipsOf(await first), skipsOf(await next)]).toEqual([[false], [true]]);
	});

	it('wait for no other form, and not without Skip Existing', async () => {
		sandbox.faults.add({ route: POST, held: true, times: 1 });
		const first = run([ada]);
		await until(() => posts().length > 0);
		await run([ada], {}, { parameters: { ...create(), formId: byId('f2') } });
		await run([ada], { skipExisting: false });

		expect(stored()).toEqual([ada, ada]);
		sandbox.faults.clear();
		await first;
	});

	it('do not wait for each other for ever where their items name the same forms in another order', async () => {
		const parameters = { ...create(), formId: byId('={{ $json.form }}') };
		const input = [{ form: 'f1' }, { form: 'f2' }];
		const inputs = [input, input.toReversed()];
		await Promise.all(inputs.map(async (items) => await run(items, {}, { parameters })));

		expect(sorted(stored())).toEqual(sorted(input));
	});

	it('wait for a run that fails before it sends anything', async () => {
		sandbox.faults.add({ route: GET, status: 403, times: 1 });
		await run([ada]);
		const { status } = await run([ada]);

		expect(status).toBe('success');
	});
});

describe('Match On', () => {
	const known = { email: 'ada@example.com', name: 'Ada' };
	const grace = { email: 'grace@example.com', name: 'Grace' };
	const [first, second, third] = ['first', 'second', 'third'].map((name) => ({ ...grace, name }));
	const matchOn = ['email'];

	beforeEach(() => existing(known, { email: 'ada@example.com', name: 'Old' }, { name: 'Nobody' }));

	const added = () => stored().slice(3);
	const outcomesOf = ({ items }: Pick<TestResult, 'items'>) =>
		items.map((item) => outcomeOf({ failed: [item] }) ?? null);

	it('lets one response stand for any number of items with the same answer', async () => {
		const ada = { ...known, name: 'Someone else' };
		const result = await run([ada, ada, grace, ada, first!], { matchOn });

		expect(skipsOf(result)).toEqual([true, true, false, true, true]);
		expect(idsOf(result)).toEqual(['old0', 'old0', ids()[3], 'old0', ids()[3]]);
		expect(added()).toEqual([grace]);
		expect(reads()).toBe(1);
	});

	it('sends one of many equal items that are submitted at the same time', async () => {
		const input = Array.from({ length: 12 }, (_, n) => ({ email: `${n % 3}@x`, name: `${n}` }));
		const result = await run(input, { matchOn, parallelRequests: 10 });

		const emails = added().map(({ email }) => email);
		expect(emails.sort()).toEqual(['0@x', '1@x', '2@x']);
		expect(new Set(idsOf(result)).size).toBe(3);
		expect(countSkipped([result])).toBe(9);
	});

	it('sends the next of equal items where the first was refused', async () => {
		sandbox.faults.add({ contains: 'first', status: 422, delayMs: 20 });
		const options = { matchOn, parallelRequests: 10 };
		const result = await run([first!, second!, third!], options, continues);

		expect(added()).toEqual([second]);
		expect(outcomesOf(result)).toEqual(['refused', null, null]);
		expect(skipsOf(result)).toEqual([null, false, true]);
	});

	it('holds equal items back while one may be stored, and takes it for stored once the form has it', async () => {
		sandbox.faults.add({ contains: 'first', status: 500, stored: true });
		const input = [first!, second!, third!, { email: 'other' }];
		const { runs } = await run(input, { matchOn }, { ...continues, runs: 2 });

		const [before, after] = runs.map(({ items = [] }) => ({ items }));
		expect(outcomesOf(before!)).toEqual(['unknown', 'not sent', 'not sent', null]);
		const [, , , held, other] = ids();
		expect(idsOf(after!)).toEqual([held, held, held, other]);
		expect(posts()).toEqual([first, { email: 'other' }]);
	});

	it('knows in a further try what the try before has created', async () => {
		const bad = { email: 'bad' };
		sandbox.faults.add({ route: POST, contains: 'bad', status: 422, times: 1 });
		const more = { node: retryOnFail, isSavedBeforeEachRun: true };
		const result = await run([first!, bad, second!], { matchOn }, more);

		expect(posts()).toEqual([first, bad, bad]);
		expect(skipsOf(result)).toEqual([false, false, true]);
	});

	it('remembers what it created in a loop, and reads the form once', async () => {
		const { runs } = await run([grace], { matchOn }, { runs: 3 });

		const outputs = runs.map(({ items = [] }) => ({ items }));
		expect(outputs.flatMap(idsOf)).toEqual(Array(3).fill(ids()[3]));
		expect(outputs.flatMap(skipsOf)).toEqual([false, true, true]);
		expect(reads()).toBe(1);
	});

	it.each(['={{ ["name", "email"] }}', '={{ "email, name" }}', '={{ "name, email".split(",") }}'])(
		'takes the questions from an expression: %s',
		async (questions) => {
			const someoneElse = { ...known, name: 'Someone else' };
			const result = await run([{ ...known, age: 36 }, someoneElse], { matchOn: questions });

			expect(skipsOf(result)).toEqual([true, false]);
		},
	);

	it.each([[[]], ['={{ [] }}'], ['']])('without questions compares all: %j', async (none) => {
		const ada = { ...known, name: 'Someone else' };
		const result = await run([ada, known, known], { matchOn: none });

		expect(skipsOf(result)).toEqual([false, true, false]);
	});

	it('matters only beside Skip Existing', async () => {
		await run([known], { matchOn, skipExisting: false });

		expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);
	});

	it.each([
		'={{ $json.matchFields }}',
		'={{ [null] }}',
		'={{ { a: 1 } }}',
		'={{ [{ a: 1 }] }}',
		'={{ [" "] }}',
	])('refuses an expression that gives no question: %j', async (questions) => {
		expect(shownBy(await run([known], { matchOn: questions }))).toContain('Match On');
		expect(sandbox.log).toEqual([]);
	});

	it.each([[undefined], [''], [' ']])(
		'refuses an item without an answer to any of the questions: %j',
		async (email) => {
			const result = await run([known, { email, name: 'New' }, grace], { matchOn });

			expect(result.error?.context).toMatchObject({ itemIndex: 1 });
			expect(shownBy(result)).toContain('email');
			expect(sandbox.log).toEqual([]);
		},
	);

	it('submits nothing more for an AI agent where the outcome of the first call is unknown', async () => {
		sandbox.faults.add({ contains: 'grace', status: 500, stored: true, times: 1 });
		const answersJson = "={{ $fromAI('answers', '', 'json') }}";
		const parameters = { ...create({ matchOn }), answersJson };
		const call = asTool({ parameters, credentials: credentialsOf(sandbox) });
		const calls = [grace, second!, grace].map(async (answers) => await call({ answers }));
		await Promise.allSettled(calls);

		expect(added()).toEqual([grace]);
	});
});
