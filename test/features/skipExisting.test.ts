import type { IDataObject } from 'n8n-workflow';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool, type TestRun } from '../support/engine';
import {
	byId,
	credentialsOf,
	formRecord,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1'), formRecord('f2')], createDelayMs: 5 });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = (options: IDataObject = {}) => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ $json }}',
	options: { skipExisting: true, ...options },
});

const POST = 'POST /responses';
const stored = () => sandbox.responses.map(({ answers }) => answers);
const ids = () => sandbox.responses.map(({ id }) => id);

async function outputOf(
	input: IDataObject[],
	options: IDataObject = {},
	more: Partial<TestRun> = {},
) {
	const { items, error } = await runOn(sandbox, create(options), { input, ...more });
	if (error) throw error;
	return items.map(({ json }) => json);
}

const isSkipped = ({ skipped }: IDataObject) => skipped === true;

async function untilStored(count: number): Promise<void> {
	while (sandbox.responses.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe('executions at the same time', () => {
	const ada = { email: 'ada@example.com', name: 'Ada' };

	it.each([[{}], [{ matchOn: ['email'] }]])('submit equal items once: %j', async (options) => {
		const outputs = await Promise.all([1, 2, 3].map(async () => await outputOf([ada], options)));

		const [response_id] = ids();
		expect(stored()).toEqual([ada]);
		expect(outputs.flat().filter((item) => !isSkipped(item))).toEqual([
			{ success: true, response_id },
		]);
		expect(outputs.flat().filter(isSkipped)).toEqual(
			Array(2).fill({ success: true, response_id, skipped: true }),
		);
	});

	it.each([1, 3])('import each row once, with %d parallel requests', async (parallelRequests) => {
		const rows = Array.from({ length: 30 }, (_, i) => ({ n: `${i % 25}` }));
		const first = outputOf(rows, { parallelRequests });
		await untilStored(10);
		const second = await outputOf(rows, { parallelRequests });

		const all = [...(await first), ...second];
		expect(
			stored()
				.map(({ n }) => Number(n))
				.sort((a, b) => a - b),
		).toEqual(rows.map(({ n }) => Number(n)).sort((a, b) => a - b));
		expect(all.filter(isSkipped)).toHaveLength(30);
		// Each response stands for one row of each import.
		for (const output of [await first, second]) {
			expect(new Set(output.map(({ response_id }) => response_id)).size).toBe(30);
		}
		expect(requestsTo(sandbox).filter((request) => request.startsWith('GET'))).toHaveLength(2);
	});

	const settled = async () => {
		const results = await Promise.allSettled([outputOf([ada]), outputOf([ada])]);
		return {
			outputs: results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])),
			messages: results
				.flatMap((result) =>
					result.status === 'rejected' ? [(result.reason as Error).message] : [],
				)
				.sort(),
		};
	};
	const lost = /check whether the response was stored/;

	it('look again where the outcome of the other one is unknown', async () => {
		sandbox.faults.add({ route: POST, cut: 'connection', stored: true, times: 1 });
		const { outputs, messages } = await settled();

		expect(messages).toEqual([expect.stringMatching(lost)]);
		expect(outputs).toEqual([{ success: true, response_id: ids()[0], skipped: true }]);
		expect(stored()).toEqual([ada]);
	});

	it('send nothing that the other one may have stored', async () => {
		sandbox.faults.add({ route: POST, cut: 'connection', times: 1 });
		const { messages } = await settled();

		expect(messages).toEqual([
			expect.stringContaining(
				'Another item with the same answers may be stored already: check the form before you send this one',
			),
			expect.stringMatching(lost),
		]);
		expect(stored()).toEqual([]);
	});

	it('send the items after one that the other one may have stored', async () => {
		const [bob, carol] = [{ name: 'Bob' }, { name: 'Carol' }];
		sandbox.faults.add({ route: POST, cut: 'connection', held: true, times: 1 });
		const first = outputOf([ada]);
		while (!requestsTo(sandbox).some((request) => request.startsWith('POST'))) {
			await new Promise((resolve) => setTimeout(resolve, 1));
		}
		const second = outputOf([carol, ada, bob], { parallelRequests: 1 });
		await untilStored(1);
		// The connection is cut only now.
		sandbox.faults.clear();
		const results = await Promise.allSettled([first, second]);

		expect(results).toMatchObject([
			{ reason: { message: expect.stringMatching(lost) as string } },
			{
				reason: {
					message:
						'Another item with the same answers may be stored already: check the form before you send this one. 2 of 3 responses were created',
				},
			},
		]);
		expect(stored()).toEqual([carol, bob]);
	});

	it('ask the form once more in a further try', async () => {
		sandbox.faults.add({ route: POST, cut: 'connection', times: 1 });
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1_000 };
		const second = async () => {
			const running = outputOf([ada], {}, { node });
			while (requestsTo(sandbox).filter((request) => request.startsWith('GET')).length < 2) {
				await new Promise((resolve) => setTimeout(resolve, 1));
			}
			await new Promise((resolve) => setTimeout(resolve, 100));
			sandbox.responses.push(responseRecord('f1', 'late', { answers: ada }));
			return await running;
		};
		const [first, output] = await Promise.allSettled([outputOf([ada]), second()]);

		expect([first.status, output]).toEqual([
			'rejected',
			{ status: 'fulfilled', value: [{ success: true, response_id: 'late', skipped: true }] },
		]);
	});

	it.each([
		[[], ['email']],
		[['email'], ['email', 'name']],
	])('submit the same item once, whatever they match on: %j and %j', async (one, other) => {
		const matchOn = [one, other];
		await Promise.all(matchOn.map(async (each) => await outputOf([ada], { matchOn: each })));

		expect(stored()).toEqual([ada]);
	});

	it('let each response stand for one item, also where its confirmation comes late', async () => {
		const [yes, slow] = [{ vote: 'Yes' }, { vote: 'slow' }];
		sandbox.faults.add({ route: POST, contains: 'Yes', stored: true, delayMs: 150, times: 1 });
		sandbox.faults.add({ route: POST, contains: 'slow', stored: true, delayMs: 300, times: 1 });
		const first = outputOf([yes], { skipExisting: false });
		await untilStored(1);
		const second = await outputOf([yes, slow, yes], { parallelRequests: 1 });
		await first;

		expect(stored()).toEqual([yes, slow, yes]);
		expect(second.map(isSkipped)).toEqual([true, false, false]);
	});

	it('read the form twice at the most while the service fails', async () => {
		sandbox.faults.add({ route: POST, status: 502 });
		const rows = Array.from({ length: 10 }, (_, i) => ({ n: `${i}` }));
		const going = { onError: 'continueRegularOutput' as const };
		const run = async () => await outputOf(rows, { parallelRequests: 1 }, { node: going });
		await Promise.all([run(), run()]);

		expect(requestsTo(sandbox).filter((request) => request.startsWith('GET')).length).toBeLessThan(
			5,
		);
	});

	it('stop waiting for the other one when they are stopped', async () => {
		sandbox.faults.add({ route: POST, hang: true, times: 1 });
		const first = outputOf([ada], { timeout: 3 });
		while (!requestsTo(sandbox).some((request) => request.startsWith('POST'))) {
			await new Promise((resolve) => setTimeout(resolve, 1));
		}
		const onStart = (cancel: () => void) => setTimeout(cancel, 50);
		await runOn(sandbox, create(), { input: [ada], onStart });
		const isFirstDone = await Promise.race([
			first.then(
				() => true,
				() => true,
			),
			Promise.resolve(false),
		]);

		expect(isFirstDone).toBe(false);
		await first.catch(() => undefined);
	});

	it('submit equal items once where the service names no response', async () => {
		sandbox.faults.add({ route: POST, status: 200, body: { success: true }, stored: true });
		await Promise.all([outputOf([ada]), outputOf([ada])]);

		expect(stored()).toEqual([ada]);
	});

	it('leave other forms and other accounts alone', async () => {
		sandbox.addKey('another-key');
		const { baseUrl } = sandbox;
		await Promise.all([
			outputOf([ada]),
			outputOf([ada], {}, { parameters: { ...create(), formId: byId('f2') } }),
			outputOf([ada], {}, { credentials: { baseUrl, apiKey: 'another-key' } }),
		]);

		expect(stored()).toEqual([ada, ada, ada]);
	});

	it('are calls of a tool, too', async () => {
		const call = async () => {
			const parameters = { ...create(), answersJson: "={{ $fromAI('answers', '', 'json') }}" };
			const tool = asTool({ parameters, credentials: credentialsOf(sandbox) });
			return await tool({ answers: ada } as unknown as IDataObject);
		};
		await Promise.all([call(), call()]);

		expect(stored()).toEqual([ada]);
	});
});

it('what an execution has read of a large form is gone from memory with it', async () => {
	for (let n = 0; n < 5_000; n++) {
		sandbox.responses.push(
			responseRecord('f1', `r${n}`, { answers: { text: `${n} `.repeat(500) } }),
		);
	}
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	const usedMegabytes = async () => {
		await new Promise((resolve) => setImmediate(resolve));
		collectGarbage();
		return process.memoryUsage().heapUsed / 1e6;
	};
	await outputOf([{ text: 'first' }]);
	const before = await usedMegabytes();
	for (const text of ['second', 'third', 'fourth', 'fifth']) await outputOf([{ text }]);

	// The texts of the form take 12 MB.
	expect((await usedMegabytes()) - before).toBeLessThan(10);
});

describe('an execution that is slow, while others submit the same and minutes pass', () => {
	const late = ['x0', 'x1', 'x2', 'x3'].map((email) => ({ email }));
	const GET = 'GET /responses';
	let minutes = 0;

	beforeEach(() => {
		const now = performance.now.bind(performance);
		jest.spyOn(performance, 'now').mockImplementation(() => now() + minutes * 60_000);
	});
	afterEach(() => {
		jest.restoreAllMocks();
	});

	/** Ends with more than the process remembers, and then what is held goes on. */
	const submitMeanwhile = async () => {
		await outputOf(late);
		minutes += 3;
		await outputOf([{ email: 'y' }]);
		sandbox.faults.clear();
	};

	const requests = (route: string) => sandbox.log.filter((request) => request.route === route);

	const untilRequested = async (route: string, times: number) => {
		while (requests(route).length < times) await new Promise((resolve) => setTimeout(resolve, 1));
	};

	const emailsOfLate = () =>
		stored()
			.map(({ email }) => String(email))
			.filter((email) => email.startsWith('x'));

	/** Four items that take long, and then the same as the others submit */
	const run = async (options: IDataObject, more: Partial<TestRun> = {}) => {
		const { parallelRequests = 4 } = options;
		const slow = late.slice(0, Number(parallelRequests)).map((_, i) => ({ email: `slow${i}` }));
		sandbox.faults.add({ route: POST, contains: 'slow', held: true });
		const running = runOn(sandbox, create({ parallelRequests, ...options }), {
			input: [...slow, ...late],
			...more,
		});
		await untilRequested(POST, slow.length);
		await submitMeanwhile();
		return { running, slow };
	};

	it.each([[{}], [{ matchOn: ['email'] }], [{ parallelRequests: 1 }]])(
		'reads the form again, for all items: %j',
		async (options) => {
			const { running, slow } = await run(options);
			const { items } = await running;

			expect(items.slice(slow.length).every(({ json }) => isSkipped(json))).toBe(true);
			expect(emailsOfLate()).toEqual(['x0', 'x1', 'x2', 'x3']);
			expect(requests(GET)).toHaveLength(4);
		},
	);
	it.each([1, 4])(
		'sends none of them if the form cannot be read again, with %d parallel requests',
		async (parallelRequests) => {
			const { running } = await run(
				{ parallelRequests },
				{ node: { onError: 'continueRegularOutput' } },
			);
			sandbox.faults.add({ route: GET, status: 400, times: 1 });
			await running;

			expect(emailsOfLate()).toEqual(['x0', 'x1', 'x2', 'x3']);
		},
	);

	it('reads it in a further try, then', async () => {
		const { running } = await run(
			{ parallelRequests: 1 },
			{ node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } },
		);
		sandbox.faults.add({ route: GET, status: 400, times: 1 });
		const { items } = await running;

		expect(items.slice(1).every(({ json }) => isSkipped(json))).toBe(true);
		expect(emailsOfLate()).toEqual(['x0', 'x1', 'x2', 'x3']);
	});

	it('knows what came while it read the form, however long that took', async () => {
		sandbox.faults.add({ route: GET, held: true, stored: true, times: 1 });
		const others = ['a', 'b', 'c', 'd'].map((email) => ({ email }));
		const running = outputOf([...others, ...late], { parallelRequests: 4 });
		await untilRequested(GET, 1);
		await submitMeanwhile();

		expect((await running).slice(4).every(isSkipped)).toBe(true);
		expect(emailsOfLate()).toEqual(['x0', 'x1', 'x2', 'x3']);
		expect(requests(GET)).toHaveLength(3);
	});
});
