import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { WorkflowSpec } from '../model/n8n';
import { Instance } from '../model/n8n';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	responseRecord,
	runOn,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')], responses: [] });
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

const retryOnFail: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ n: `<${i}>` }));

const forItem = (n: number, fault: Fault): Fault => ({
	route: POST,
	contains: `<${n}>`,
	...fault,
});
const isRefused: Fault = { status: 422, body: 'Not now' };
/** The service stores the response, and its answer is lost. */
const isLost: Fault = { cut: 'connection', stored: true };

const stored = () => sandbox.responses.map(({ answers }) => answers.n);
const posts = () =>
	sandbox.log
		.filter(({ method }) => method === 'POST')
		.map(({ body }) => (body as { answers: { n: string } }).answers.n);
const replies = () => sandbox.responses.map(({ id }) => ({ success: true, response_id: id }));

/** Message and description of what an execution failed with */
const textOf = (error: unknown) => {
	const { message, description } = factsOf(error);
	return `${String(message)}\n${String(description)}`;
};

describe('Retry On Fail', () => {
	it('sends only what was not created, and puts out everything', async () => {
		sandbox.faults.add(forItem(2, { ...isRefused, times: 1 }));
		const { status, items } = await runOn(sandbox, create(), {
			input: numbered(4),
			node: retryOnFail,
		});

		expect(status).toBe('success');
		expect(posts()).toEqual(['<0>', '<1>', '<2>', '<2>', '<3>']);
		expect(items).toEqual(replies().map((json, item) => ({ json, pairedItem: { item } })));
	});

	it('sends the items in flight only once', async () => {
		sandbox.faults.add(forItem(0, { ...isRefused, times: 1 }), forItem(1, { delayMs: 100 }));
		const { status } = await runOn(sandbox, create({ parallelRequests: 3 }), {
			input: numbered(3),
			node: retryOnFail,
		});

		expect(status).toBe('success');
		expect(posts()).toHaveLength(4);
		expect(stored().sort()).toEqual(['<0>', '<1>', '<2>']);
	});

	it('sends nothing twice where On Error is Continue and the first item failed', async () => {
		sandbox.faults.add(forItem(0, { ...isRefused, times: 2 }));
		const { items } = await runOn(sandbox, create(), {
			input: numbered(3),
			node: { ...retryOnFail, onError: 'continueRegularOutput' },
		});

		expect(posts()).toEqual(['<0>', '<1>', '<2>', '<0>', '<0>']);
		expect(items.map(({ json }) => json.success)).toEqual([true, true, true]);
	});

	it.each<[string, Fault]>([
		['the connection breaks', isLost],
		['the service fails', { status: 500, stored: true }],
	])('does not send again what may have been stored, and names it: %s', async (_, fault) => {
		sandbox.faults.add(forItem(1, { ...fault, times: 1 }));
		const { status, error } = await runOn(sandbox, create(), {
			input: numbered(3),
			node: retryOnFail,
		});

		expect(status).toBe('error');
		expect(factsOf(error).itemIndex).toBe(1);
		expect(textOf(error)).toMatch(/stored/);
		expect(posts().filter((n) => n === '<1>')).toHaveLength(1);
		expect(stored().filter((n) => n === '<0>')).toHaveLength(1);
	});

	it('says of an item that may have been stored what it said in the try before', async () => {
		sandbox.faults.add(forItem(0, { ...isLost, times: 1 }));
		const { failed } = await runOn(sandbox, create(), {
			input: numbered(1),
			node: { ...retryOnFail, onError: 'continueErrorOutput' },
		});

		expect(failed[0]?.json.error).toMatch(/\nOutcome: unknown$/);
		expect(posts()).toEqual(['<0>']);
	});

	it.each([
		['$now', '={{ { "n": $json.n, "at": $now.toMillis() } }}'],
		['Math.random()', '={{ { "n": $json.n, "at": Math.random() } }}'],
	])('knows a submission whose answers change with each try: %s', async (_, answersJson) => {
		sandbox.faults.add(forItem(1, { ...isRefused, times: 1 }));
		const { status } = await runOn(sandbox, create({}, { answersJson }), {
			input: numbered(2),
			node: { ...retryOnFail, waitBetweenTries: 10 },
		});

		expect(status).toBe('success');
		expect(stored()).toEqual(['<0>', '<1>']);
	});

	it.each(['sort()', 'reverse()', 'splice(0, 2)'])(
		'knows an item that an expression has changed: %s',
		async (change) => {
			sandbox.faults.add(
				forItem(1, { ...isLost, times: 1 }),
				forItem(2, { ...isRefused, times: 1 }),
			);
			await runOn(
				sandbox,
				create({}, { answersJson: `={{ { "n": $json.n, "tags": $json.tags.${change} } }}` }),
				{
					input: numbered(3).map((item) => ({ ...item, tags: ['c', 'b', 'a'] })),
					node: { ...retryOnFail, maxTries: 2 },
				},
			);

			expect(posts().filter((n) => n !== '<2>')).toEqual(['<0>', '<1>']);
		},
	);

	it('takes equal items for items of their own', async () => {
		sandbox.faults.add({ route: POST, skip: 1, times: 1, ...isRefused });
		const { items } = await runOn(sandbox, create(), {
			input: Array<IDataObject>(3).fill({ n: 'same' }),
			node: retryOnFail,
		});

		expect(stored()).toEqual(['same', 'same', 'same']);
		expect(items.map(({ json }) => json)).toEqual(replies());
	});
});

describe('Retry in the list of executions', () => {
	const spec = (parameters: INodeParameters = create(), more: Partial<WorkflowSpec> = {}) => ({
		parameters,
		credentials: credentialsOf(sandbox),
		node: {},
		batches: 1,
		...more,
	});
	const outputOf = ({ runs }: Awaited<ReturnType<Instance['retry']>>) =>
		runs.flatMap(({ items = [] }) => items.map(({ json }) => json));

	it.each([1, 2])('sends only what was not created, in %i runs of a loop', async (batches) => {
		sandbox.faults.add(forItem(1, { ...isRefused, times: 1 }));
		const n8n = new Instance();
		// The model runs the last batch first.
		const failed = await n8n.run(spec(create(), { batches }), numbered(6));
		expect(failed.status).toBe('error');
		const retried = await n8n.retry(failed);

		expect(retried.status).toBe('success');
		expect(posts().sort()).toEqual(['<0>', '<1>', '<1>', '<2>', '<3>', '<4>', '<5>']);
		expect(outputOf(retried)).toEqual(replies());
	});

	it('sends only what was not created, also with the workflow as it is saved now', async () => {
		sandbox.faults.add(forItem(1, { ...isRefused, times: 1 }));
		const n8n = new Instance();
		const failed = await n8n.run(spec(), numbered(2));
		const answersJson = '={{ { "n": $json.n, "more": "corrected" } }}';
		await n8n.retry(failed, spec(create({}, { answersJson })));

		expect(sandbox.responses.map(({ answers }) => answers)).toEqual([
			{ n: '<0>' },
			{ n: '<1>', more: 'corrected' },
		]);
	});

	it('knows an item that an expression has changed', async () => {
		sandbox.faults.add(forItem(1, { ...isRefused, times: 1 }));
		const answersJson = '={{ { "n": $json.n, "tags": $json.tags.reverse() } }}';
		const n8n = new Instance();
		const input = numbered(2).map((item) => ({ ...item, tags: ['a', 'b'] }));
		await n8n.retry(await n8n.run(spec(create({}, { answersJson })), input));

		expect(stored()).toEqual(['<0>', '<1>']);
	});

	it('does not send again what may have been stored, and names it', async () => {
		sandbox.faults.add(forItem(1, { ...isLost, times: 1 }));
		const n8n = new Instance();
		const { status, error } = await n8n.retry(await n8n.run(spec(), numbered(2)));

		expect(status).toBe('error');
		expect(factsOf(error).itemIndex).toBe(1);
		expect(textOf(error)).toMatch(/stored/);
		expect(posts()).toEqual(['<0>', '<1>']);
	});

	it('sends each item once, also where it is chosen twice at a time with Skip Existing', async () => {
		const rows = numbered(12);
		sandbox.faults.add(forItem(5, { ...isRefused, times: 1 }));
		const n8n = new Instance();
		const failed = await n8n.run(spec(create({ skipExisting: true })), rows);
		sandbox.faults.add({ route: POST, stored: true, delayMs: 5 });
		const retries = await Promise.all([n8n.retry(failed), n8n.retry(failed)]);

		expect(stored().sort()).toEqual(rows.map(({ n }) => n).sort());
		const ids = sandbox.responses.map(({ id }) => id).sort();
		for (const retry of retries) {
			expect(retry.status).toBe('success');
			expect(
				outputOf(retry)
					.map(({ response_id }) => response_id)
					.sort(),
			).toEqual(ids);
		}
	});
});

describe('each of these is new, and sent:', () => {
	it('the items of a new execution', async () => {
		await runOn(sandbox, create(), { input: numbered(2) });
		await runOn(sandbox, create(), { input: numbered(2) });

		expect(stored()).toEqual(['<0>', '<1>', '<0>', '<1>']);
	});

	it.each([false, true])(
		'the items of the next run in a loop, in which n8n saves the execution: %p',
		async (isSavedBeforeEachRun) => {
			const more = { input: numbered(2), runs: 2, isSavedBeforeEachRun };
			const { runs } = await runOn(sandbox, create(), more);

			expect(stored()).toEqual(['<0>', '<1>', '<0>', '<1>']);
			expect(runs.flatMap(([items = []]) => items.map(({ json }) => json))).toEqual(replies());
		},
	);
});

describe('an item that comes back from the error output', () => {
	const wiredBack = {
		isErrorOutputWiredBack: true,
		node: { onError: 'continueErrorOutput' as const },
	};
	const sizes = (runs: unknown[][][]) =>
		runs.map((outputs) => outputs.map((items) => items.length));

	it('is not sent again when it may have been stored; it ends the loop, and a hint counts it', async () => {
		sandbox.faults.add(forItem(1, { ...isLost, times: 1 }));
		const { status, runs, run } = await runOn(sandbox, create(), {
			input: numbered(3),
			...wiredBack,
		});

		expect(status).toBe('success');
		expect(posts()).toEqual(['<0>', '<1>', '<2>']);
		expect(sizes(runs)).toEqual([
			[2, 1],
			[0, 0],
		]);
		expect(runs[0]?.[1]?.[0]?.json.error).toMatch(/\nOutcome: unknown$/);
		const hints = run.data.resultData.runData['Form Collection']?.[1]?.hints;
		expect(hints).toMatchObject([
			{ message: expect.stringMatching(/1 item/) as string, location: 'outputPane' },
		]);
	});

	it.each<[string, (json: IDataObject) => IDataObject]>([
		['adds a field', (json) => ({ ...json, attempt: 1 })],
		['reorders the fields', ({ n, a, error }) => ({ a, n, error }) as IDataObject],
	])('is not sent again, also where a node in between %s', async (_, between) => {
		sandbox.faults.add(forItem(0, { ...isLost, times: 1 }));
		const input = [{ n: '<0>', a: 'x' }];
		await runOn(sandbox, create(), { input, ...wiredBack, between });

		expect(posts()).toEqual(['<0>']);
	});

	it('is sent again when it was refused', async () => {
		sandbox.faults.add(forItem(1, { ...isRefused, times: 2 }));
		const { runs } = await runOn(sandbox, create(), { input: numbered(2), ...wiredBack });

		expect(runs[0]?.[1]?.[0]?.json.error).toMatch(/\nOutcome: refused$/);
		expect(sizes(runs).at(-1)).toEqual([1, 0]);
		expect(sandbox.responses.map(({ answers }) => answers)).toEqual(numbered(2));
	});

	it('is stored once with Skip Existing, whether or not its answer was lost', async () => {
		sandbox.faults.add(forItem(0, { ...isRefused, times: 1 }), forItem(1, { ...isLost, times: 1 }));
		const parameters = create({ skipExisting: true });
		await runOn(sandbox, parameters, { input: numbered(3), ...wiredBack });
		await runOn(sandbox, parameters, { input: numbered(3), ...wiredBack });

		expect(stored().sort()).toEqual(['<0>', '<1>', '<2>']);
	});
});

it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
	'an execution that is stopped while a further try is under way says what may be stored: %s',
	async (onError) => {
		sandbox.faults.add(
			forItem(0, { ...isRefused, times: 1 }),
			forItem(0, { hang: true, stored: true }),
		);
		const arrived = async () => {
			while (posts().length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
		};
		const { error, runs } = await runOn(sandbox, create(), {
			input: numbered(1),
			node: { ...retryOnFail, onError },
			onStart: (stop) => void arrived().then(stop),
		});

		expect(posts()).toEqual(['<0>', '<0>']);
		const said = onError === 'stopWorkflow' ? textOf(error) : runs.at(-1)?.[0]?.[0]?.json.error;
		expect(said).toMatch(/stored/);
	},
);

describe('an unknown outcome with Skip Existing', () => {
	it('is settled by a further try, if the form has the response', async () => {
		sandbox.faults.add(forItem(1, isLost));
		const { status, items } = await runOn(sandbox, create({ skipExisting: true }), {
			input: numbered(3),
			node: retryOnFail,
		});

		expect(status).toBe('success');
		expect(posts()).toEqual(['<0>', '<1>', '<2>']);
		expect(items.map(({ json }) => json.skipped)).toEqual([false, true, false]);
	});

	it('stays unknown if the form does not have it, and the next execution sends it', async () => {
		sandbox.faults.add(forItem(1, { ...isLost, stored: false, times: 1 }));
		const options = create({ skipExisting: true });
		const { status } = await runOn(sandbox, options, { input: numbered(3), node: retryOnFail });

		expect(status).toBe('error');
		expect(stored()).toEqual(['<0>', '<2>']);
		const again = await runOn(sandbox, options, { input: numbered(3) });
		expect(again.items.map(({ json }) => json.skipped)).toEqual([true, false, true]);
	});

	it('is left out where it comes back from the error output', async () => {
		sandbox.faults.add(forItem(1, { ...isLost, times: 1 }));
		const { runs } = await runOn(sandbox, create({ skipExisting: true }), {
			input: numbered(3),
			isErrorOutputWiredBack: true,
			node: { onError: 'continueErrorOutput' },
		});

		expect(runs[1]?.[0]).toEqual([]);
		expect(stored()).toEqual(['<0>', '<1>', '<2>']);
	});
});

describe('an item from an error output', () => {
	it.each<[string, INodeParameters]>([
		['As JSON with the whole item', { answersJson: '={{ $json }}' }],
		['As JSON with the whole item as text', { answersJson: '={{ JSON.stringify($json) }}' }],
		[
			'Map Automatically',
			{
				answersInput: 'mapping',
				answersMapping: { mappingMode: 'autoMapInputData', value: null },
			},
		],
	])(
		'a refused item that comes back is sent without the error message: %s',
		async (_, parameters) => {
			sandbox.faults.add(forItem(1, { ...isRefused, times: 1 }));
			await runOn(sandbox, create({}, parameters), {
				input: numbered(2),
				isErrorOutputWiredBack: true,
				node: { onError: 'continueErrorOutput' },
			});

			expect(sandbox.responses.map(({ answers }) => answers)).toEqual(numbered(2));
		},
	);

	it('an unknown outcome of an earlier execution is sent', async () => {
		sandbox.faults.add({ route: POST, status: 500, times: 1 });
		const { failed } = await runOn(sandbox, create(), {
			input: [{ n: 'a' }],
			node: { onError: 'continueErrorOutput' },
		});
		await runOn(sandbox, create(), { input: failed.map(({ json }) => json) });

		expect(stored()).toEqual(['a']);
	});
});

it('the error says how many responses were created, and how many may have been', async () => {
	sandbox.responses.push(responseRecord('f1', 'r0', { answers: { n: '<0>' } }));
	sandbox.faults.add(forItem(3, isRefused));
	const { error } = await runOn(sandbox, create(), { input: numbered(4), runs: 1 });
	expect(textOf(error)).toMatch(/3 of 4/);
	const skipping = await runOn(sandbox, create({ skipExisting: true }), { input: numbered(4) });

	expect(textOf(skipping.error)).toMatch(/0 of 4/);
});
