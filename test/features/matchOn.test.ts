import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool } from '../support/engine';
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
	sandbox = await startSandbox({
		forms: [formRecord('f1')],
		responses: [
			responseRecord('f1', 'r1', { answers: { email: 'ada@example.com', name: 'Ada' } }),
			responseRecord('f1', 'r2', { answers: { email: 'ada@example.com', name: 'Old' } }),
			responseRecord('f1', 'r3', { answers: { name: 'Nobody' } }),
			responseRecord('f1', 'r4', { answers: null as never }),
		],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = (options: IDataObject = {}) => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ $json }}',
	options: { skipExisting: true, matchOn: ['email'], ...options },
});

const stored = () => sandbox.responses.slice(4).map(({ answers }) => answers);
const gets = () => requestsTo(sandbox).filter((request) => request.startsWith('GET')).length;
const idOf = (index: number) => sandbox.responses[4 + index]?.id;
const skipped = (response_id: unknown) => ({ success: true, response_id, skipped: true });
const going = { onError: 'continueRegularOutput' as const };

const ada = { email: 'ada@example.com', name: 'Someone else' };
const grace = { email: 'grace@example.com', name: 'Grace' };

it('lets one response stand for any number of items with the same answer', async () => {
	const { items } = await runOn(sandbox, create(), { input: [ada, ada, grace, ada] });

	expect(items.map(({ json }) => json)).toEqual([
		skipped('r1'),
		skipped('r1'),
		{ success: true, response_id: idOf(0) },
		skipped('r1'),
	]);
	expect(stored()).toEqual([grace]);
	expect(gets()).toBe(1);
});

it('sends one of many equal items that are submitted at the same time', async () => {
	sandbox.settings.createDelayMs = 50;
	const input = Array.from({ length: 12 }, (_, n) => ({ email: `${n % 3}@x`, name: `${n}` }));
	const { items } = await runOn(sandbox, create({ parallelRequests: 10 }), { input });

	expect(
		stored()
			.map(({ email }) => email)
			.sort(),
	).toEqual(['0@x', '1@x', '2@x']);
	expect(new Set(items.map(({ json }) => json.response_id)).size).toBe(3);
	expect(items.filter(({ json }) => json.skipped)).toHaveLength(9);
	expect(gets()).toBe(1);
});

it('sends the next of equal items where the first was refused', async () => {
	sandbox.faults.add({ contains: 'first', status: 422, delayMs: 50 });
	const input = [
		{ ...grace, name: 'first' },
		{ ...grace, name: 'second' },
		{ ...grace, name: 'third' },
	];
	const { items } = await runOn(sandbox, create(), { input, node: going });

	expect(stored()).toEqual([{ ...grace, name: 'second' }]);
	expect(items[0]?.json.error).toContain('did not accept the request (422)');
	expect(items.slice(1).map(({ json }) => json)).toEqual([
		{ success: true, response_id: idOf(0) },
		skipped(idOf(0)),
	]);
});

describe('where the outcome of the first of two equal items is unknown', () => {
	const input = [
		{ ...grace, name: 'first' },
		{ ...grace, name: 'second' },
	];
	const submit = async (stored: boolean) => {
		sandbox.faults.add({ contains: 'first', status: 500, stored });
		const parameters = create({ parallelRequests: 1 });
		const { runs } = await runOn(sandbox, parameters, { input, node: going, runs: 2 });
		return runs.map(([items]) => items?.map(({ json }) => json));
	};
	const firstLines = (outputs?: IDataObject[]) =>
		outputs?.map(({ error }) => String(error).split('\n')[0]);
	const lost =
		'The service could not answer (500): check whether the response was stored before you send it again';

	const other =
		'Another item with the same email may be stored already: check the form before you send this one';

	it('the response that the form has stands for both in a later run', async () => {
		const [first, second] = await submit(true);

		expect(stored()).toEqual([{ ...grace, name: 'first' }]);
		expect(firstLines(first)).toEqual([lost, other]);
		expect(second).toEqual([skipped(idOf(0)), skipped(idOf(0))]);
		expect(gets()).toBe(2);
	});

	it('the second is not sent as long as the form has no response', async () => {
		const [first, second] = await submit(false);

		expect(stored()).toEqual([]);
		expect(firstLines(first)).toEqual([lost, other]);
		expect(firstLines(second)).toEqual([other, other]);
	});
});

it('remembers what it created in a loop, and reads the form once', async () => {
	const { runs } = await runOn(sandbox, create(), { input: [grace], runs: 3 });

	expect(stored()).toEqual([grace]);
	expect(runs.map(([items]) => items?.[0]?.json)).toEqual([
		{ success: true, response_id: idOf(0) },
		skipped(idOf(0)),
		skipped(idOf(0)),
	]);
	expect(gets()).toBe(1);
});

describe('an AI agent that calls the tool several times at once', () => {
	const tool = (matchOn: string[]) =>
		asTool({
			parameters: { ...create({ matchOn }), answersJson: "={{ $fromAI('answers', '', 'json') }}" },
			credentials: credentialsOf(sandbox),
		});
	const settle = async (call: ReturnType<typeof tool>, rows: object[]) =>
		await Promise.allSettled(
			rows.map(async (answers) => await call({ answers } as unknown as IDataObject)),
		);

	it.each([{ matchOn: ['email'] }, { matchOn: [] }])('submits once: %j', async ({ matchOn }) => {
		sandbox.settings.createDelayMs = 50;
		await settle(tool(matchOn), [grace, grace, { ...grace }, ada]);

		expect(stored()).toHaveLength(matchOn.length > 0 ? 1 : 2);
		expect(stored()).toContainEqual(grace);
		expect(gets()).toBe(1);
	});

	it('submits nothing more where the outcome of the first is unknown', async () => {
		sandbox.faults.add({ contains: 'grace', status: 500, stored: true, times: 1 });
		const calls = await settle(tool(['email']), [grace, { ...grace, name: 'second' }]);

		expect(stored()).toEqual([grace]);
		expect(calls.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
	});
});

it('takes a cell that only looks empty for none', async () => {
	const input = [
		{ email: ' ', name: 'Grace' },
		{ email: ' ', name: 'Hedy' },
	];
	await runOn(sandbox, create({ parallelRequests: 1 }), { input });

	expect(stored()).toEqual(input);
});

it('compares the answers to all questions, unanswered ones included', async () => {
	const input = [
		{ email: 'ada@example.com', name: 'Ada' },
		{ email: 'ada@example.com' },
		{ email: 'ada@example.com', name: '' },
		{ email: 'ADA@example.com', name: 'Ada' },
		{ email: ['ada@example.com', 'a@example.com'], name: 'Ada' },
		{ email: ['ada@example.com'], name: 'Ada' },
	];
	const { items } = await runOn(
		sandbox,
		create({ matchOn: '={{ ["email", "name", ""] }}', parallelRequests: 1 }),
		{ input },
	);

	expect(items.map(({ json }) => json.response_id)).toEqual([
		'r1',
		idOf(0),
		idOf(0),
		idOf(1),
		idOf(2),
		'r1',
	]);
});

it.each([[''], [' ']])('takes a list of an empty text for none: %j', async (only) => {
	const input = ['Grace', 'Hedy'].map((name) => ({ email: [only], name }));
	await runOn(sandbox, create({ parallelRequests: 1 }), { input });

	expect(stored()).toEqual(input);
});

it('takes what this node has created while the form was read', async () => {
	sandbox.faults.add({ route: 'GET /responses', stored: true, delayMs: 500 });
	const parameters = create({ skipExisting: '={{ $json.skip }}', parallelRequests: 2 });
	const input = [false, true].map((skip) => ({ email: 'same', skip }));
	await runOn(sandbox, { ...parameters, answersJson: '={{ { email: $json.email } }}' }, { input });

	expect(stored()).toEqual([{ email: 'same' }]);
});

it('knows in a further try the questions of items that were submitted', async () => {
	sandbox.faults.add({ contains: '<1>', status: 422, times: 1 });
	const answersJson = '={{ $json.more ? { name: $json.n, phone: null } : { name: $json.n } }}';
	const { status } = await runOn(
		sandbox,
		{ ...create({ matchOn: ['phone'], parallelRequests: 1 }), answersJson },
		{
			input: [{ n: '<0>', more: true }, { n: '<1>' }],
			node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		},
	);
	expect(status).toBe('success');
	expect(stored().map(({ name }) => name)).toEqual(['<0>', '<1>']);
});

it('does not evaluate again what an earlier try has submitted', async () => {
	sandbox.faults.add({ contains: '<1>', status: 422, times: 2 });
	const answersJson =
		'={{ $json.tags ? { name: $json.tags.shift() } : $json.more ? { name: $json.n, phone: null } : { name: $json.n } }}';
	await runOn(
		sandbox,
		{ ...create({ matchOn: ['phone'], parallelRequests: 1 }), answersJson },
		{
			input: [{ tags: ['one', 'two', 'three'] }, { n: '<1>', more: true }, { n: '<2>' }],
			node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		},
	);

	expect(stored().map(({ name }) => name)).toEqual(['one', '<2>', '<1>']);
});

it('evaluates the form of each item once', async () => {
	const formId = { __rl: true, mode: 'id', value: '={{ $json.forms.shift() }}' };
	const answersJson = '={{ { n: $json.n, ...($json.phone && { phone: $json.phone }) } }}';
	const input = [{ n: '0' }, { n: '1', phone: '1' }].map((each) => ({
		...each,
		forms: ['f1', 'nope'],
	}));
	await runOn(
		sandbox,
		{ ...create({ matchOn: ['phone'], parallelRequests: 1 }), formId, answersJson },
		{ input },
	);

	expect(stored()).toHaveLength(2);
});

it('evaluates the answers of each item once', async () => {
	const answersJson =
		'={{ $json.first ? { name: $json.first } : { phone: "1", topic: $json.tags.shift() } }}';
	for (const onError of ['stopWorkflow', 'continueRegularOutput'] as const) {
		sandbox.reset();
		await runOn(
			sandbox,
			{ ...create({ matchOn: ['phone'], parallelRequests: 1 }), answersJson },
			{ input: [{ first: 'F' }, { tags: ['one', 'two'] }, { tags: {} }], node: { onError } },
		);

		expect(stored()).toEqual([{ name: 'F' }, { phone: '1', topic: 'one' }]);
	}
});

it('compares all answers of an item that answers none of the questions', async () => {
	const input = [{ name: 'Nobody' }, { name: 'Nobody' }, { name: 'New' }, { name: 'New' }];
	const { items } = await runOn(sandbox, create({ parallelRequests: 1 }), { input });

	expect(items.map(({ json }) => json.skipped ?? false)).toEqual([true, false, false, false]);
	expect(stored()).toEqual(input.slice(1));
});

it.each(['={{ [] }}', '', '={{ "[]" }}'])(
	'compares all answers without questions to match on: %j',
	async (matchOn) => {
		const { items } = await runOn(sandbox, create({ matchOn }), { input: [ada] });

		expect(items[0]?.json.skipped).toBeUndefined();
		expect(stored()).toEqual([ada]);
	},
);

it.each(['={{ $json.matchFields }}', '={{ null }}', '={{ [null] }}', '={{ " , " }}'])(
	'refuses an expression that gives no question: %j',
	async (matchOn) => {
		const { error } = await runOn(sandbox, create({ matchOn }), { input: [ada] });

		expect(error?.message).toBe(
			'Match On Names or IDs has an expression that returns no question: make it return a question key, or remove the option to compare all answers',
		);
		expect(stored()).toEqual([]);
	},
);

it('takes a text for one question, and refuses what is none', async () => {
	const { items } = await runOn(sandbox, create({ matchOn: '={{ "email" }}' }), { input: [ada] });
	expect(items[0]?.json).toEqual(skipped('r1'));

	const { error } = await runOn(sandbox, create({ matchOn: '={{ [{ a: 1 }] }}' }), {
		input: [ada],
	});
	expect(error?.message).toBe('Match On Names or IDs is an object: enter text');
});

it('matters only beside Skip Existing', async () => {
	await runOn(sandbox, create({ skipExisting: false }), { input: [ada] });

	expect(stored()).toEqual([ada]);
	expect(gets()).toBe(0);
});

describe('the questions to match on', () => {
	it.each([
		'={{ ["name", "email"] }}',
		'={{ "email, name" }}',
		'={{ "name,email" }}',
		'={{ "email,name,email" }}',
		'={{ "name, email".split(",") }}',
	])('mean the same in any order, as one text too: %s', async (matchOn) => {
		const { items, runs } = await runOn(
			sandbox,
			create({ matchOn: `={{ $runIndex === 0 ? ["email", "name"] : ${matchOn.slice(3, -2)} }}` }),
			{ input: [{ email: 'ada@example.com', name: 'Ada', age: 36 }, grace], runs: 2 },
		);

		expect(runs[0]?.[0]?.map(({ json }) => json.skipped ?? false)).toEqual([true, false]);
		expect(items.map(({ json }) => json)).toEqual([skipped('r1'), skipped(idOf(0))]);
		expect(gets()).toBe(1);
	});

	it('may have a comma in their key', async () => {
		const row = { 'Name, first': 'Ada', age: '1' };
		const older = { ...row, age: '2' };
		await runOn(sandbox, create({ matchOn: '={{ "Name, first" }}' }), { input: [row, older] });
		await runOn(sandbox, create({ matchOn: ['Name, first'] }), { input: [older] });

		expect(stored()).toEqual([row]);
	});

	it('may have the name that the mapping shows', async () => {
		const schema = [{ id: 'email', displayName: 'email (multiple choice)', multipleChoice: true }];
		const { items } = await runOn(
			sandbox,
			{
				...create({ matchOn: '={{ "email (multiple choice)" }}' }),
				answersInput: 'mapping',
				answersMapping: {
					mappingMode: 'defineBelow',
					value: { email: '={{ $json.email }}' },
					schema,
				},
			} as never,
			{ input: [ada] },
		);

		expect(items[0]?.json).toEqual(skipped('r1'));
	});

	const refusal = (key: string) =>
		`Match On Names or IDs has "${key}", but neither the form nor an item has an answer to it: check the spelling, or choose the question from the list`;

	it.each([
		['={{ ["emial"] }}', 'emial'],
		['={{ "email, Name" }}', 'Name'],
	])('are refused if neither an item nor the form knows them: %s', async (matchOn, key) => {
		const { error } = await runOn(sandbox, create({ matchOn }), { input: [grace] });

		expect(error?.message).toBe(refusal(key));
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});

	it('may be newer than the questions that the node has loaded', async () => {
		const schema = [{ id: 'email' }];
		const { items, failed } = await runOn(
			sandbox,
			{
				...create({ matchOn: '={{ [$json.on] }}' }),
				answersInput: 'mapping',
				answersMapping: { mappingMode: 'autoMapInputData', value: null, schema },
			} as never,
			{
				input: [
					{ ...ada, on: 'name' },
					{ ...grace, on: 'emial' },
				],
				node: { onError: 'continueErrorOutput' },
			},
		);

		expect(failed.map(({ json }) => json.error)).toEqual([
			`${refusal('emial')}\nOutcome: not sent`,
		]);
		expect(items).toHaveLength(1);
		expect(stored()).toEqual([{ email: ada.email }]);
	});

	it('may be answered by the form only, by another item only, or by no answer at all', async () => {
		const input = [
			{ age: '1' },
			{ age: '1' },
			{ phone: '2', email: null },
			{ phone: '', age: '3' },
		];
		const byForm = await runOn(sandbox, create(), { input: [{ age: '1' }] });
		const byItem = await runOn(sandbox, create({ matchOn: ['phone'], parallelRequests: 1 }), {
			input,
		});
		const byNone = await runOn(sandbox, create({ matchOn: ['fax'] }), {
			input: [{ fax: '', age: '4' }],
		});

		expect([byForm, byItem, byNone].map(({ status }) => status)).toEqual(Array(3).fill('success'));
		expect(stored()).toEqual([
			{ age: '1' },
			{ age: '1' },
			{ phone: '2' },
			{ phone: '', age: '3' },
			{ fax: '', age: '4' },
		]);
	});
});

it('settles an unknown outcome by one request in a loop, however often its value comes', async () => {
	sandbox.faults.add({ contains: 'first', cut: 'connection', times: 1 });
	const { runs } = await runOn(sandbox, create({ parallelRequests: 1 }), {
		input: [{ ...grace, name: 'first' }],
		node: going,
		runs: 6,
	});

	expect(runs.map(([items]) => typeof items?.[0]?.json.error)).toEqual(Array(6).fill('string'));
	expect(stored()).toEqual([]);
	expect(gets()).toBe(2);
});

it('reads the form again for each outcome that has become unknown since', async () => {
	const lost = { route: 'POST /responses', cut: 'connection', stored: true } as const;
	sandbox.faults.add({ contains: 'first', ...lost, times: 1 });
	sandbox.faults.add({ contains: '={}', ...lost, times: 1 });
	const { runs } = await runOn(sandbox, create({ parallelRequests: 1 }), {
		input: [
			{ ...grace, name: 'first' },
			{ email: '={}', name: 'x' },
		],
		node: going,
		runs: 3,
	});

	expect(runs[2]?.[0]?.map(({ json }) => json)).toEqual([skipped(idOf(0)), skipped(idOf(1))]);
	expect(gets()).toBe(2);
});

it('knows what was created without an ID, and what was there already, in each try', async () => {
	sandbox.faults.add({ route: 'POST /responses', times: 1, stored: true, body: { success: true } });
	sandbox.faults.add({ contains: 'Lin', status: 422, times: 1 });
	const input = [grace, { email: 'lin@x', name: 'Lin' }, ada, grace];
	const { items, status } = await runOn(sandbox, create({ parallelRequests: 1 }), {
		input,
		node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		isSavedBeforeEachRun: true,
	});

	expect(status).toBe('success');
	expect(items.map(({ json }) => json)).toEqual([
		{ success: true },
		{ success: true, response_id: idOf(1) },
		skipped('r1'),
		skipped(idOf(0)),
	]);
	expect(stored()).toEqual(input.slice(0, 2));
});
