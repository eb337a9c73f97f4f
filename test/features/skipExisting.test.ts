import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool, type TestRun } from '../support/engine';
import {
	byId,
	credentialsOf,
	factsOf,
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

const [GET, POST] = ['GET /responses', 'POST /responses'];

const create = (options: IDataObject = {}) => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ $json }}',
	options: { skipExisting: true, parallelRequests: 1, ...options },
});

const existing = (...answers: object[]) =>
	sandbox.responses.push(
		...answers.map((each, i) => responseRecord('f1', `old${i}`, { answers: each as never })),
	);

const stored = () => sandbox.responses.map(({ answers }) => answers);
const ids = () => sandbox.responses.map(({ id }) => id);
const requests = (route: string) => sandbox.log.filter((request) => request.route === route);
const posts = () => requests(POST).map(({ body }) => (body as { answers: IDataObject }).answers);

/** Fails as the execution does. */
async function outputOf(
	input: IDataObject[],
	options: IDataObject = {},
	more: Partial<TestRun> = {},
) {
	const { items, error } = await runOn(sandbox, create(options), { input, ...more });
	if (error) throw new Error(error.message);
	return items.map(({ json }) => json);
}

const idsOf = (output: IDataObject[]) => output.map(({ response_id }) => response_id);

const isSkipped = ({ skipped }: IDataObject) => skipped === true;

async function until(isTrue: () => boolean): Promise<void> {
	while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe('an existing response', () => {
	it('stands for one item with the same answers; the form is read once', async () => {
		existing({ n: 'a' }, { n: 'b' }, { n: 'a' });
		const output = await outputOf([{ n: 'a' }, { n: 'a' }, { n: 'a' }, { n: 'c' }]);

		expect(posts()).toEqual([{ n: 'a' }, { n: 'c' }]);
		expect(output).toMatchObject([
			{ success: true, response_id: 'old0', skipped: true },
			{ success: true, response_id: 'old2', skipped: true },
			{ success: true, response_id: ids()[3] },
			{ success: true, response_id: ids()[4] },
		]);
		expect(output.filter(isSkipped)).toHaveLength(2);
		expect(requestsTo(sandbox)).toEqual([
			'GET /responses f1',
			'POST /responses f1',
			'POST /responses f1',
		]);
	});

	it('has the same answers in another order, and for a number its text', async () => {
		existing({ a: '1', b: ['x', 'y'] });

		expect(idsOf(await outputOf([{ b: ['x', 'y'], a: 1 }]))).toEqual(['old0']);
		expect(posts()).toEqual([]);
	});

	it.each<[object, object]>([
		[{ a: '1' }, { a: '2' }],
		[{ a: '1' }, { a: '1', b: '2' }],
		[{ a: '1', b: '2' }, { a: '1' }],
		[{ a: ['x'] }, { a: ['x', 'y'] }],
		[{ a: 'x,y' }, { a: ['x', 'y'] }],
	])('with the answers %j has others than %j', async (answers, item) => {
		existing(answers);
		await outputOf([item as IDataObject]);

		expect(posts()).toEqual([item]);
	});

	it.each([null, undefined, 'n', ['n'], { n: 1 }, { n: null }])(
		'with the answers %j, which the API does not know, harms nothing',
		async (answers) => {
			existing({ n: 'x' }, { n: 'a' });
			Object.assign(sandbox.responses[0] as object, { answers });
			await outputOf([{ n: 'a' }, { n: 'b' }]);

			expect(posts()).toEqual([{ n: 'b' }]);
		},
	);

	it('stands for an item of its own form', async () => {
		for (const form of ['f1', 'f2']) {
			sandbox.responses.push(responseRecord(form, '1', { answers: { form } }));
		}
		const formId = byId('={{ $json.id }}');
		const parameters = {
			...create(),
			formId,
			answersJson: '={{ { form: $json.form, new: $json.new } }}',
		};
		await runOn(sandbox, parameters, {
			input: [
				{ id: 'f1', form: 'f1' },
				{ id: 'f2', form: 'f2' },
				{ id: 'f2', form: 'f1' },
			],
		});

		expect(posts()).toEqual([{ form: 'f1' }]);
		expect(requests(GET)).toHaveLength(2);
	});
});

describe('an import that is run again', () => {
	const rows = ['0', '1', '2', '3', '0', '1'].map((n) => ({ n: `<${n}>` }));

	it.each([1, 10])(
		'ends complete and without repeats, with %i parallel requests',
		async (parallelRequests) => {
			sandbox.faults.add({ route: POST, contains: '<3>', status: 422, times: 1 });
			await expect(outputOf(rows, { parallelRequests })).rejects.toThrow('(422)');
			await outputOf(rows, { parallelRequests });
			const output = await outputOf(rows, { parallelRequests });

			expect(
				stored()
					.map(({ n }) => n)
					.sort(),
			).toEqual(['<0>', '<0>', '<1>', '<1>', '<2>', '<3>']);
			expect(output.every(isSkipped)).toBe(true);
			expect(idsOf(output).sort()).toEqual(ids().sort());
		},
	);

	it('knows what was stored although the answer was lost', async () => {
		sandbox.faults.add({ route: POST, cut: 'connection', stored: true, times: 1 });
		await expect(outputOf(rows)).rejects.toThrow();
		await outputOf(rows);

		expect(stored()).toHaveLength(rows.length);
	});

	it('knows in a further try which responses stand for which items', async () => {
		existing({ n: 'same' });
		sandbox.faults.add({ route: POST, contains: 'bad', status: 422, times: 1 });
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const input = ['same', 'same', 'bad', 'same'].map((n) => ({ n }));
		const output = await outputOf(input, {}, { node });

		expect(posts()).toEqual([{ n: 'same' }, { n: 'bad' }, { n: 'bad' }, { n: 'same' }]);
		expect(output.map(({ skipped }) => skipped === true)).toEqual([true, false, false, false]);
		expect(new Set(idsOf(output)).size).toBe(4);
	});
});

describe('the form', () => {
	it('is read once in an execution, however often a loop runs the node', async () => {
		existing({ n: '0' }, { n: '0' }, { n: '1' });
		const input = [{ n: '0' }, { n: '1' }];
		const { runs } = await runOn(sandbox, create(), { input, runs: 3 });

		expect(requests(GET)).toHaveLength(1);
		expect(runs.map(([items]) => items?.map(({ json }) => isSkipped(json)))).toEqual([
			[true, true],
			[true, false],
			[false, false],
		]);
	});

	it('is read once more after a Wait for which n8n has saved the execution', async () => {
		const more = { input: [{ n: '0' }], runs: 2, isSavedBeforeEachRun: true };
		const { status } = await runOn(sandbox, create(), more);

		expect(status).toBe('success');
		expect(requests(GET)).toHaveLength(2);
	});

	it('is read again by a further try if that failed, and by the next execution', async () => {
		sandbox.faults.add({ route: GET, status: 403, times: 1 });
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		await outputOf([{ n: '0' }], {}, { node });
		expect(requests(GET)).toHaveLength(2);
		await outputOf([{ n: '0' }]);

		expect(requests(GET)).toHaveLength(3);
		expect(posts()).toHaveLength(1);
	});

	it('gets nothing if it cannot be read', async () => {
		sandbox.faults.add({ route: GET, status: 403 });
		const { error } = await runOn(sandbox, create(), { input: [{ n: '0' }, { n: '1' }] });

		expect(factsOf(error).message).toMatch(/f1.*\(403\)/);
		expect(posts()).toEqual([]);
	});

	it.each<[string, object]>([
		['Link', { headers: { Link: '<?page=2>; rel="next"' } }],
		['has_more', { body: { responses: [], has_more: true } }],
		['next', { body: { responses: [], next: '/responses?page=2' } }],
	])('gets nothing if the list says that it is only a part: %s', async (_, fault) => {
		sandbox.faults.add({ route: GET, status: 200, body: { responses: [] }, ...fault });
		await runOn(sandbox, create(), { input: [{ n: 'a' }] });

		expect(posts()).toEqual([]);
	});
});

describe('executions at the same time', () => {
	const ada = { email: 'ada@example.com', name: 'Ada' };

	it.each([[{}], [{ matchOn: ['email'] }]])('submit equal items once: %j', async (options) => {
		const outputs = await Promise.all([1, 2, 3].map(async () => await outputOf([ada], options)));

		const [response_id] = ids();
		expect(stored()).toEqual([ada]);
		expect(outputs.flat().filter((item) => !isSkipped(item))).toEqual([
			{ success: true, response_id, skipped: false },
		]);
		expect(outputs.flat().filter(isSkipped)).toEqual(
			Array(2).fill({ success: true, response_id, skipped: true }),
		);
	});

	it('make five responses of five addresses, where there are twenty of them with Match On', async () => {
		const emails = Array.from({ length: 5 }, (_, i) => `${i}@example.com`);
		const outputs = await Promise.all(
			Array.from(
				{ length: 20 },
				async (_, i) =>
					await outputOf([{ email: emails[i % 5] as string, visit: `${i}` }], {
						matchOn: ['email'],
					}),
			),
		);

		expect(
			stored()
				.map(({ email }) => email)
				.sort(),
		).toEqual(emails);
		expect(outputs.flat().filter(isSkipped)).toHaveLength(15);
		for (const [i, output] of outputs.entries()) {
			const { id } = sandbox.responses.find(({ answers }) => answers.email === emails[i % 5])!;
			expect(idsOf(output)).toEqual([id]);
		}
	});

	it.each([1, 3])('import each row once, with %i parallel requests', async (parallelRequests) => {
		const rows = Array.from({ length: 30 }, (_, i) => ({ n: `${i % 25}` }));
		const first = outputOf(rows, { parallelRequests });
		await until(() => sandbox.responses.length >= 10);
		const outputs = await Promise.all([first, outputOf(rows, { parallelRequests })]);

		const sorted = (items: object[]) => items.map((item) => JSON.stringify(item)).sort();
		expect(sorted(stored())).toEqual(sorted(rows));
		expect(outputs.flat().filter(isSkipped)).toHaveLength(30);
		// Each response stands for one row of each import.
		for (const output of outputs) expect(new Set(idsOf(output)).size).toBe(30);
		expect(requests(GET)).toHaveLength(2);
	});

	it('do not submit again what the other one has stored without an answer', async () => {
		sandbox.faults.add({ route: POST, cut: 'connection', stored: true, times: 1 });
		const results = await Promise.allSettled([outputOf([ada]), outputOf([ada])]);

		expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
		expect(results).toContainEqual({
			status: 'fulfilled',
			value: [{ success: true, response_id: ids()[0], skipped: true }],
		});
		expect(stored()).toEqual([ada]);
	});

	it('go on where the other one has failed', async () => {
		sandbox.faults.add({ route: POST, status: 422, times: 1 });
		const results = await Promise.allSettled([outputOf([ada]), outputOf([ada])]);

		expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
		expect(stored()).toEqual([ada]);
	});

	it('stop waiting for the other one when they are stopped', async () => {
		sandbox.faults.add({ route: POST, held: true, times: 1 });
		const first = outputOf([ada]);
		await until(() => requests(POST).length > 0);
		const onStart = (stop: () => void) => setTimeout(stop, 50);
		const { status } = await runOn(sandbox, create(), { input: [ada], onStart });

		expect(status).toBe('canceled');
		expect(posts()).toHaveLength(1);
		sandbox.faults.clear();
		await first;
	});

	it('leave other forms alone', async () => {
		await Promise.all([
			outputOf([ada]),
			outputOf([ada], {}, { parameters: { ...create(), formId: byId('f2') } }),
		]);

		expect(stored()).toEqual([ada, ada]);
	});

	it('are calls of a tool, too', async () => {
		const call = async () => {
			const parameters = { ...create(), answersJson: "={{ $fromAI('answers', '', 'json') }}" };
			const tool = asTool({ parameters, credentials: credentialsOf(sandbox) });
			return await tool({ answers: ada });
		};
		await Promise.all([call(), call()]);

		expect(stored()).toEqual([ada]);
	});
});

describe('answers are the same', () => {
	it.each<[object, object]>([
		[
			{ a: '1', b: 'x' },
			{ a: '1', b: ['x'] },
		],
		[
			{ a: '1', b: ['x'] },
			{ a: '1', b: 'x' },
		],
		[{ a: '1', b: '' }, { a: '1' }],
		[{ a: '1' }, { a: '1', b: '' }],
		[
			{ a: '1', b: [] },
			{ a: '1', b: null },
		],
		[
			{ a: '1', b: null },
			{ a: '1', b: [] },
		],
	])('an existing response with %j has the same answers as %j', async (answers, item) => {
		existing(answers);
		await outputOf([item as IDataObject]);

		expect(posts()).toEqual([]);
	});
});

it('an execution sends what another one at the same time could not store', async () => {
	sandbox.faults.add({ route: POST, cut: 'connection', stored: false, times: 1 });
	const results = await Promise.allSettled([outputOf([{ n: 'a' }]), outputOf([{ n: 'a' }])]);

	expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
	expect(stored()).toEqual([{ n: 'a' }]);
});

it('nothing is sent where the total is above the number of responses', async () => {
	sandbox.faults.add({ route: GET, body: { responses: [], total: 2 } });
	await runOn(sandbox, create(), { input: [{ n: 'a' }] });

	expect(posts()).toEqual([]);
});
