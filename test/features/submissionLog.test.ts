import { parse } from 'flatted';
import type { IDataObject, INode, INodeParameters, IRunExecutionData } from 'n8n-workflow';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { TestResult, TestRun } from '../support/engine';
import { retry } from '../support/engine';
import { byId, formRecord, outcomeOf, runOn, shownBy, until } from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1'), formRecord('f2')], responses: [] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const POST = 'POST /responses';

const create = (options: object = {}, more: INodeParameters = {}) => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ { "n": $json.n } }}',
	options: { parallelRequests: 1, ...options },
	...more,
});

const run = async (input: IDataObject[], more: Partial<TestRun> = {}) =>
	await runOn(sandbox, more.parameters ?? create(), { input, ...more });

const retryOnFail: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const toErrorOutput: Partial<INode> = { onError: 'continueErrorOutput' };

const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ n: `<${i}>` }));

const strike = (n: number, fault: Fault, times = 1) =>
	sandbox.faults.add({ route: POST, contains: `<${n}>`, times, ...fault });
const isRefused: Fault = { status: 422, body: 'Not now' };
/** The service stores the response, and its answer is lost. */
const isLost: Fault = { cut: 'connection', stored: true };

const stored = () => sandbox.responses.map(({ answers }) => answers.n);
const posts = () =>
	sandbox.log
		.filter(({ method }) => method === 'POST')
		.map(({ body }) => (body as { answers: { n: string } }).answers.n);
const replies = () => sandbox.responses.map(({ id }) => ({ success: true, response_id: id }));
const outputOf = ({ runs }: TestResult) =>
	runs.flatMap(({ items = [] }) => items.map(({ json }) => json));

it('a submission is noted in what n8n saves before its request is sent', async () => {
	sandbox.faults.add({ held: true });
	let save = () => '';
	const running = run(numbered(2), { onStart: (_, saveNow) => (save = saveNow) });
	await until(() => posts().length > 0);
	const { executionData } = parse(save()) as IRunExecutionData;
	sandbox.faults.clear();
	await running;

	const { submissions } = executionData?.contextData['node:Form Collection'] as IDataObject;
	const notes = Object.values(submissions as IDataObject);
	expect(notes).toMatchObject([{ formId: 'f1', unknown: {} }]);
});

describe('Retry On Fail', () => {
	it('sends only what was not created, and puts out everything', async () => {
		strike(2, isRefused);
		const { status, items, runs } = await run(numbered(4), { node: retryOnFail });

		expect(status).toBe('success');
		expect(posts()).toEqual(['<0>', '<1>', '<2>', '<2>', '<3>']);
		expect(items).toEqual(replies().map((json, item) => ({ json, pairedItem: { item } })));
		expect(runs[0]?.hints).toEqual([expect.stringMatching(/^2 items/)]);
	});

	it('sends the items in flight only once', async () => {
		strike(0, isRefused);
		strike(1, { delayMs: 100 });
		const parameters = create({ parallelRequests: 3 });
		const { status } = await run(numbered(3), { parameters, node: retryOnFail });

		expect(status).toBe('success');
		expect(posts()).toHaveLength(4);
		expect(stored().sort()).toEqual(['<0>', '<1>', '<2>']);
	});

	it('sends nothing twice where On Error is Continue and the first item failed', async () => {
		strike(0, isRefused, 2);
		const node: Partial<INode> = { ...retryOnFail, onError: 'continueRegularOutput' };
		const { items } = await run(numbered(3), { node });

		expect(posts()).toEqual(['<0>', '<1>', '<2>', '<0>', '<0>']);
		expect(items.map(({ json }) => json.success)).toEqual([true, true, true]);
	});

	it.each<[string, Fault]>([
		['the connection breaks', isLost],
		['the service fails', { status: 500, stored: true }],
	])('does not send again what may have been stored, and names it: %s', async (_, fault) => {
		strike(1, fault);
		const result = await run(numbered(3), { node: retryOnFail });

		expect(result.error?.context).toMatchObject({ itemIndex: 1 });
		expect(shownBy(result)).toMatch(/stored[^]*A retry does not send it again/);
		expect(posts()).toEqual(['<0>', '<1>', '<2>']);
	});

	it('goes on with the other items, and names what failed now before what failed then', async () => {
		strike(0, isLost);
		strike(1, isRefused, 2);
		const result = await run(numbered(2), { node: retryOnFail });

		expect(result.error?.context).toMatchObject({ itemIndex: 1 });
		expect(shownBy(result)).toMatch(/\(422\)[^]*1 more item failed/);
		expect(posts()).toEqual(['<0>', '<1>', '<1>']);
	});

	it('says of an item that may have been stored what it said in the try before', async () => {
		strike(0, isLost);
		const result = await run(numbered(1), { node: { ...retryOnFail, ...toErrorOutput } });

		expect(outcomeOf(result)).toBe('unknown');
		expect(posts()).toEqual(['<0>']);
	});

	it.each([
		'{ "n": $json.n, "at": Math.random() }',
		'{ "n": $json.n, "tags": $json.tags.reverse() }',
		'{ "n": $json.n, "tags": $json.tags.splice(0, 1) }',
	])('knows an item again whose expression gives or leaves something else: %s', async (answers) => {
		strike(1, isLost);
		strike(2, isRefused, 2);
		const input = numbered(3).map((item) => ({ ...item, tags: ['d', 'c', 'b', 'a'] }));
		const parameters = create({}, { answersJson: `={{ ${answers} }}` });
		await run(input, { parameters, node: retryOnFail });

		expect(posts()).toEqual(['<0>', '<1>', '<2>', '<2>']);
	});

	it('takes equal items for items of their own', async () => {
		sandbox.faults.add({ route: POST, skip: 1, times: 1, ...isRefused });
		const { items } = await run(Array(3).fill({ n: 'same' }), { node: retryOnFail });

		expect(stored()).toEqual(['same', 'same', 'same']);
		expect(items.map(({ json }) => json)).toEqual(replies());
	});
});

describe('Retry in the list of executions', () => {
	it.each([1, 2])('sends only what was not created, in %i runs of a loop', async (batches) => {
		strike(1, isRefused);
		// n8n runs the last batch first.
		const failed = await run(numbered(6), { batches });
		expect(failed.status).toBe('error');
		const retried = await retry(failed);

		expect(retried.status).toBe('success');
		expect(posts().sort()).toEqual(['<0>', '<1>', '<1>', '<2>', '<3>', '<4>', '<5>']);
		expect(outputOf(retried)).toEqual(replies());
	});

	it('sends only what was not created, also with the workflow as it is saved now', async () => {
		strike(1, isRefused);
		const failed = await run(numbered(2));
		const answersJson = '={{ { "n": $json.n, "more": "corrected" } }}';
		await retry(failed, { parameters: create({}, { answersJson }) });

		expect(sandbox.responses.map(({ answers }) => answers)).toEqual([
			{ n: '<0>' },
			{ n: '<1>', more: 'corrected' },
		]);
	});

	it.each<[string, Partial<TestRun>]>([
		['form', { parameters: create({}, { formId: byId('f2') }) }],
		['credential', { node: { credentials: { formCollectionApi: { id: '2', name: 'New' } } } }],
	])('sends everything to another %s', async (_, change) => {
		strike(1, isRefused);
		await retry(await run(numbered(2)), change);

		expect(posts()).toEqual(['<0>', '<1>', '<0>', '<1>']);
	});

	it('does not send again what may have been stored, and names it', async () => {
		strike(1, isLost);
		const result = await retry(await run(numbered(2)));

		expect(result.error?.context).toMatchObject({ itemIndex: 1 });
		expect(shownBy(result)).toMatch(/stored/);
		expect(posts()).toEqual(['<0>', '<1>']);
	});

	it('sends each item once, also where it is chosen twice at a time with Skip Existing', async () => {
		strike(5, isRefused);
		const failed = await run(numbered(12), { parameters: create({ skipExisting: true }) });
		const retries = await Promise.all([retry(failed), retry(failed)]);

		expect(stored().sort()).toEqual(
			numbered(12)
				.map(({ n }) => n)
				.sort(),
		);
		const ids = sandbox.responses.map(({ id }) => id).sort();
		for (const retried of retries) {
			expect(
				outputOf(retried)
					.map(({ response_id }) => response_id)
					.sort(),
			).toEqual(ids);
		}
	});
});

it.each<[string, Partial<TestRun>]>([
	['a loop', { runs: 2 }],
	[
		'a loop after a Wait for which n8n has saved the execution',
		{ runs: 2, isSavedBeforeEachRun: true },
	],
])('the items of the next run of %s are new, and those of the next execution', async (_, more) => {
	const { runs } = await run(numbered(2), more);
	await run(numbered(2));

	expect(stored()).toEqual(['<0>', '<1>', '<0>', '<1>', '<0>', '<1>']);
	expect(runs.flatMap(({ items = [] }) => items.map(({ json }) => json))).toEqual(
		replies().slice(0, 4),
	);
});

describe('an item that comes back from the error output', () => {
	const loop = { wiredBack: {}, node: toErrorOutput };

	it.each<[string, Partial<TestRun>]>([
		['as it was', {}],
		[
			'with another field, in another order',
			{ wiredBack: { change: ({ n, error }) => ({ a: 1, error, n }) as IDataObject } },
		],
		['with Skip Existing', { parameters: create({ skipExisting: true }) }],
	])('is left out when it may have been stored, and a hint counts it: %s', async (_, more) => {
		strike(1, isLost);
		strike(2, isLost);
		const { status, runs } = await run(numbered(3), { ...loop, ...more });

		expect(status).toBe('success');
		expect(posts()).toEqual(['<0>', '<1>', '<2>']);
		expect(runs.map(({ items, failed }) => [items?.length, failed.length])).toEqual([
			[1, 2],
			[0, 0],
		]);
		expect(runs[1]?.hints).toEqual([expect.stringMatching(/\b2 items\b/)]);
	});

	it.each<[string, INodeParameters]>([
		['the whole item as JSON', { answersJson: '={{ $json }}' }],
		['the whole item as text', { answersJson: '={{ JSON.stringify($json) }}' }],
		[
			'Map Automatically',
			{ answersInput: 'mapping', answersMapping: { mappingMode: 'autoMapInputData', value: null } },
		],
	])('is sent again when it was refused, without the error message: %s', async (_, parameters) => {
		strike(1, isRefused, 2);
		const { runs } = await run(numbered(2), { ...loop, parameters: create({}, parameters) });

		expect(outcomeOf({ failed: runs[0]!.failed })).toBe('refused');
		expect(runs.at(-1)?.items).toHaveLength(1);
		expect(sandbox.responses.map(({ answers }) => answers)).toEqual(numbered(2));
	});

	it('is sent when it comes from an earlier execution, or from another node', async () => {
		strike(0, { status: 500 });
		strike(1, { status: 500 });
		const { failed } = await run(numbered(1), { node: toErrorOutput });
		const items = failed.map(({ json }) => json);
		await run([{ n: '<1>' }, ...items], { node: toErrorOutput });

		expect(stored()).toEqual(['<0>']);
	});

	it('is sent when it comes from an earlier execution, also where an item has failed the same way in this one', async () => {
		strike(0, { status: 500 });
		strike(1, { status: 500, stored: true });
		const { failed } = await run(numbered(1), { node: toErrorOutput });
		const items = failed.map(({ json }) => json);
		// n8n runs the last batch first.
		await run([...items, { n: '<1>' }], { node: toErrorOutput, batches: 2 });

		expect(stored()).toEqual(['<1>', '<0>']);
	});
});

it('an execution that is stopped while a further try is under way says what may be stored', async () => {
	strike(0, isRefused);
	strike(0, { hang: true, stored: true });
	const result = await run(numbered(1), {
		node: retryOnFail,
		onStart: (stop) => void until(() => posts().length > 1).then(stop),
	});

	expect(shownBy(result)).toMatch(/stored/);
	expect(posts()).toEqual(['<0>', '<0>']);
	// n8n takes an error with the word "canceled" for a canceled execution.
	expect((await retry(result)).status).toBe('error');
});

describe('an unknown outcome with Skip Existing', () => {
	const parameters = create({ skipExisting: true });

	it('is settled by a further try, if the form has the response', async () => {
		strike(1, isLost);
		const { status, items } = await run(numbered(3), { parameters, node: retryOnFail });

		expect(status).toBe('success');
		expect(posts()).toEqual(['<0>', '<1>', '<2>']);
		expect(items.map(({ json }) => json.skipped ?? null)).toEqual([false, true, false]);
	});

	it('stays unknown if the form does not have it, and the next execution sends it', async () => {
		strike(1, { ...isLost, stored: false });
		const { status } = await run(numbered(3), { parameters, node: retryOnFail });

		expect(status).toBe('error');
		expect(posts()).toEqual(['<0>', '<1>', '<2>']);
		const again = await run(numbered(3), { parameters });
		expect(again.items.map(({ json }) => json.skipped ?? null)).toEqual([true, false, true]);
	});
});

it('the error says how many responses were created, and how to go on without repeats', async () => {
	const linesOf = ({ error }: TestResult) => error?.description?.split('\n').slice(1);
	const like = (...lines: RegExp[]) => lines.map((line) => expect.stringMatching(line) as string);
	strike(3, isRefused, 5);
	const all = like(/^3 of 4 responses /, /^Turn on Skip Existing/);
	expect(linesOf(await run(numbered(4)))).toEqual(all);
	sandbox.responses.splice(0);
	expect(linesOf(await run(numbered(4), { node: retryOnFail }))).toEqual(all);
	sandbox.responses.splice(1);
	const parameters = create({ skipExisting: true });
	const [last] = numbered(4).slice(-1);
	expect(linesOf(await run(numbered(4), { parameters }))).toEqual(
		like(/^2 of 4 responses /, /^Skipped 1 item\.$/),
	);
	strike(3, isRefused, 2);
	expect(linesOf(await run([last!, { n: 'next' }]))).toEqual(like(/^0 of 2 responses /));
	expect(linesOf(await run([last!]))).toEqual([]);
});
