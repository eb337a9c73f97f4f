import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { TestResult, TestRun } from '../support/engine';
import { askAgent, asTool, asToolOfAgents, loadOptions } from '../support/engine';
import {
	byId,
	credentialsOf,
	formRecord,
	fromList,
	itemsOf,
	requestsTo,
	responseRecord,
	runOn,
	shownBy,
	until,
} from '../support/formCollection';

let sandbox: Sandbox;

/** The questions of f1, as the editor saves what the node gives it. */
let schema: unknown;

beforeAll(async () => {
	const answers = { name: 'Ada', id: '7', topics: ['Sales', 'Support'] };
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [responseRecord('f1', 'old', { answers })],
	});
	const context = loadOptions({
		parameters: { formId: byId('f1') },
		credentials: credentialsOf(sandbox),
	});
	const { fields } = await new FormCollection().methods.resourceMapping.getQuestions.call(context);
	schema = JSON.parse(JSON.stringify(fields));
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = (answers: object, options: IDataObject = {}) =>
	({
		operation: 'createResponse',
		formId: byId('f1'),
		options: { parallelRequests: 1, ...options },
		...answers,
	}) as INodeParameters;

const mapping = (answersMapping: object) => ({ answersInput: 'mapping', answersMapping });
const manual = (value: unknown) => mapping({ mappingMode: 'defineBelow', value, schema });
const automatic = (saved: unknown = schema) =>
	mapping({
		mappingMode: 'autoMapInputData',
		// What was mapped by hand before n8n keeps, and it may be out of date.
		value: { name: "={{ $('Nowhere').first().json.x }}" },
		schema: saved,
	});
const rows = (...answer: { key: unknown; value: unknown }[]) => ({
	answersInput: 'keyValue',
	answers: { answer },
});
const json = (answersJson: unknown) => ({ answersInput: 'json', answersJson });

const stored = () => sandbox.responses.slice(1).map(({ answers }) => answers);
const errorsOf = ({ items }: TestResult) => items.map((item) => String(item.json.error));

it('creates one response per item, in the form of the item', async () => {
	const parameters = {
		...create(manual({ name: '={{ $json.name }}', topics: '={{ $json.topics }}' })),
		formId: byId('={{ $json.form }}'),
	};
	const input = [
		{ form: 'f1', name: 'Ada', topics: ['Sales', 'Support'] },
		{ form: ' f2 ', name: 'Grace', topics: 'Sales' },
	];
	const { items } = await runOn(sandbox, parameters, { input });

	expect(sandbox.responses.slice(1)).toMatchObject([
		{ form_id: 'f1', answers: { name: 'Ada', topics: ['Sales', 'Support'] } },
		{ form_id: 'f2', answers: { name: 'Grace', topics: 'Sales' } },
	]);
	const replies = sandbox.responses.slice(1).map(({ id }) => ({ success: true, response_id: id }));
	expect(items).toEqual(replies.flatMap((reply, item) => itemsOf([reply], item)));
	expect(requestsTo(sandbox)).toEqual(['POST /responses f1', 'POST /responses f2']);
});

it('passes the reply of the service through untouched', async () => {
	const body =
		'{"success":true,"response_id":7,"quota":{"left":[99,null]},"error":"","é":"\\u2028"}';
	sandbox.faults.add({ body });
	const parameters = { ...create(json({ a: 'b' })), formId: fromList('f2') };
	const { items } = await runOn(sandbox, parameters);

	expect(JSON.stringify(items[0]?.json)).toBe(JSON.stringify(JSON.parse(body)));
	expect(requestsTo(sandbox)).toEqual(['POST /responses f2']);
});

const ada = { key: 'name', value: 'Ada' };

/** The ways to enter the result of an expression as the answer to `q` */
const waysToEnter: [string, (expression: string) => object][] = [
	['by question', (expression) => manual({ name: 'Ada', q: `={{ ${expression} }}` })],
	['by question key', (expression) => rows(ada, { key: 'q', value: `={{ ${expression} }}` })],
	['as JSON', (expression) => json(`={{ { "name": "Ada", "q": ${expression} } }}`)],
];

describe.each(waysToEnter)('an answer that is entered %s', (_, enter) => {
	const enterEach = async (expressions: string[]) =>
		await runOn(sandbox, create(enter(`[${expressions.join()}][$json.n]`)), {
			input: expressions.map((__, n) => ({ n })),
			node: { onError: 'continueRegularOutput' },
		});

	it('is sent as text, or as a list of texts, or is none', async () => {
		const cases: [string, unknown][] = [
			['" as it is\\n"', ' as it is\n'],
			['"007"', '007'],
			['0', '0'],
			['0.1 + 0.2', '0.30000000000000004'],
			['false', 'false'],
			['["a", 2, true]', ['a', '2', 'true']],
			['["only"]', ['only']],
			['DateTime.fromMillis(0, { zone: "utc" })', '1970-01-01T00:00:00.000Z'],
			['new Date(0)', '1970-01-01T00:00:00.000Z'],
			['null', undefined],
			['$json.missing', undefined],
		];
		await enterEach(cases.map(([expression]) => expression));

		expect(stored()).toEqual(
			cases.map(([, q]) => (q === undefined ? { name: 'Ada' } : { name: 'Ada', q })),
		);
	});

	it('is refused by its question if it is anything else', async () => {
		const cases = [
			...['{ a: 1 }', '["a", {}]', '["a", ["b"]]', '["a", null]', 'NaN', '1 / 0', 'new Date("x")'],
			'DateTime.fromMillis(5).diff(DateTime.fromMillis(0), "days")',
			'Interval.after(DateTime.fromMillis(0), 5)',
		];
		const errors = errorsOf(await enterEach(cases));

		expect(errors).toEqual(cases.map(() => expect.stringContaining('"q"')));
		expect(requestsTo(sandbox)).toEqual([]);
	});
});

it.each([
	['a mapping of empty cells', manual({ a: '', b: null, c: [] })],
	['a mapping that n8n 2.0 sends before it is filled in', manual(null)],
	['an item without fields', automatic([])],
	['no rows', { answersInput: 'keyValue', answers: {} }],
	['rows without answers', rows({ key: 'a', value: '={{ null }}' }, { key: 'b', value: '' })],
	['a repeated key without answers', rows({ key: 'a', value: '' }, { key: 'a', value: '' })],
	['an empty object', json('{}')],
])('refuses an item without answers before any request: %s', async (_, answers) => {
	const result = await runOn(sandbox, create(answers));

	expect(result.error?.context).toMatchObject({ itemIndex: 0 });
	expect(shownBy(result)).toContain('no answers');
	expect(requestsTo(sandbox)).toEqual([]);
});

it('nothing is sent if one item is bad', async () => {
	const answers = json('={{ { "n": $json.n === "bad" ? {} : $json.n } }}');
	const input = ['a', 'bad', 'c', 'bad'].map((n) => ({ n }));
	const result = await runOn(sandbox, create(answers), { input });

	expect(shownBy(result)).toMatch(/"n"[^]*Nothing was sent\.\n1 more item failed\.$/);
	expect(result.error?.context).toMatchObject({ itemIndex: 1 });
	expect(requestsTo(sandbox)).toEqual([]);
});

describe('by question key', () => {
	it('a repeated key makes one list', async () => {
		const answers = rows(
			{ key: 'name', value: '={{ $json.name }}' },
			{ key: 'topics', value: 'Sales' },
			{ key: '={{ "to" + "pics " }}', value: '={{ ["Support", "Research"] }}' },
			{ key: 'topics', value: '={{ $json.missing }}' },
			{ key: 'topics', value: 4 },
			{ key: 'other', value: 'one' },
			{ key: 'other', value: '={{ null }}' },
		);
		await runOn(sandbox, create(answers), { input: [{ name: 'Ada' }] });

		expect(stored()).toEqual([
			{ name: 'Ada', topics: ['Sales', 'Support', 'Research', '4'], other: ['one'] },
		]);
	});

	it.each([
		...['  ', '={{ $json.missing }}', '={{ { a: 1 } }}'].map((key) => rows({ key, value: 'x' })),
		json('{ " ": "x" }'),
	])('is refused before any request if it is no text, or empty: %j', async (answers) => {
		const result = await runOn(sandbox, create(answers));

		expect(shownBy(result)).toMatch(/question key/i);
		expect(requestsTo(sandbox)).toEqual([]);
	});
});

describe('as JSON', () => {
	it('a text or an object arrives exactly, empty texts and lists included', async () => {
		const text =
			'{"error":"e","id":"i","__proto__":"p","constructor":"c","toString":["t"],"form_id":"f","empty":"",' +
			'"Größe 📏":"\\u2028\\u0000 \\" \\\\ </script> 日本語"," spaced ":"\\n"}';
		const input = [{ answers: text }, { answers: { a: '', l: [], gone: null } }];
		await runOn(sandbox, create(json('={{ $json.answers }}')), { input });

		expect(JSON.stringify(stored())).toBe(JSON.stringify([JSON.parse(text), { a: '', l: [] }]));
	});

	it('shows no API key when it is refused', async () => {
		const result = await runOn(sandbox, create(json('={ "a": {{ $json.secret }} }')), {
			credentials: { baseUrl: sandbox.baseUrl, apiKey: 'secret-key' },
			input: [{ secret: 'secret-key' }],
		});

		expect(result.error?.message).toContain('JSON');
		const { runData, error } = result.run.data.resultData;
		const shown = JSON.stringify([runData['Form Collection'], error, shownBy(result)]);
		expect(shown).not.toContain('secret-key');
	});
});

describe('by question', () => {
	it('an empty cell is no answer, nor is the list that an expression makes of it', async () => {
		const value = {
			name: '={{ $json.name }}',
			topics: '={{ $json.topics.split(",") }}',
			unset: null,
			empty: '',
		};
		const input = [
			{ name: 'Ada', topics: '' },
			{ name: 'Grace', topics: 'Sales,Support' },
		];
		await runOn(sandbox, create(manual(value)), { input });

		expect(stored()).toEqual([{ name: 'Ada' }, { name: 'Grace', topics: ['Sales', 'Support'] }]);
	});

	it('questions that were loaded for another form are refused', async () => {
		const parameters = { ...create(manual({ name: 'Ada' })), formId: byId('f2') };

		expect(shownBy(await runOn(sandbox, parameters))).toMatch(/another form/);
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('a form from an expression has the questions that were loaded for it', async () => {
		const input = [
			{ form: 'f2', phone: '5', topics: 'a, b' },
			{ form: ' f1 ', name: 'Lin', company: 'x', topics: 'a, b' },
		];
		const leaving = create(automatic(), { otherFields: 'leaveOut' });
		const parameters = { ...leaving, formId: byId('={{ $json.form }}') };
		const { runs } = await runOn(sandbox, parameters, { input });

		expect(stored()).toEqual([input[0], { name: 'Lin', topics: ['a', 'b'] }]);
		expect(runs[0]?.hints).toEqual([
			expect.stringMatching(/company/),
			expect.stringMatching(/form, phone, topics/),
		]);
	});

	it.each(['manual', 'automatic'])('text for multiple choice is split: %s', async (mode) => {
		const cases: [at: string, topics: unknown, sent: unknown][] = [
			[',', 'Sales, Support,,', ['Sales', 'Support']],
			[';', 'Sales, Support', ['Sales, Support']],
			['', 'Sales;Support', 'Sales;Support'],
			[',', 2, ['2']],
			[',', true, ['true']],
			[', ', ['a, b'], ['a, b']],
			[';', ' ; ', undefined],
		];
		const value = { name: '={{ $json.name }}', topics: '={{ $json.topics }}' };
		const answers = mode === 'manual' ? manual(value) : automatic();
		const options = { splitMultipleAt: '={{ $json.row_number }}', otherFields: 'leaveOut' };
		const input = cases.map(([row_number, topics]) => ({ row_number, name: 'a, b; c', topics }));
		await runOn(sandbox, create(answers, options), { input: input as IDataObject[] });

		expect(stored()).toEqual(cases.map(([, , topics]) => ({ name: 'a, b; c', topics })));
		sandbox.reset();
		await runOn(sandbox, create(answers), { input: [{ topics: 'Sales, Support' }] });
		expect(stored()).toEqual([{ topics: ['Sales', 'Support'] }]);
	});
});

describe('Map Automatically', () => {
	const input = [
		{ name: 'Ada', empty: '', nothing: null, none: [], row_number: 2, created_at: 't' },
		{ name: 'Grace', company: 'Navy', notes: ['x'] },
	];
	const known = [{ name: 'Ada' }, { name: 'Grace' }];

	it('fields that are no question stop the node before anything is sent', async () => {
		const result = await runOn(sandbox, create(automatic()), { input });

		expect(shownBy(result)).toMatch(/company, notes[^]*name, id, topics/);
		expect(result.error?.context).toMatchObject({ itemIndex: 1 });
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each<[string, object[], unknown[]]>([
		['leaveOut', known, [expect.stringMatching(/: company, notes$/)]],
		['send', [known[0]!, input[1]!], []],
	])('what happens to them instead: %s', async (otherFields, sent, hints) => {
		const { runs } = await runOn(sandbox, create(automatic(), { otherFields }), { input });

		expect(stored()).toEqual(sent);
		expect(runs[0]?.hints).toEqual(hints);
	});

	it.each([
		['nothing was loaded', []],
		['the mapping is that of a client of the API of n8n', null],
	])('sends all fields, with a hint, where %s', async (_, saved) => {
		const { runs } = await runOn(sandbox, create(automatic(saved)), { input });

		expect(stored()).toEqual([known[0], input[1]]);
		expect(runs[0]?.hints).toEqual([expect.stringMatching(/name, company, notes/)]);
	});
});

describe('parallel requests', () => {
	const input = Array.from({ length: 12 }, (_, i) => ({ n: String(i) }));

	it.each([
		[1, { parallelRequests: 1 }],
		[3, { parallelRequests: 3 }],
		[10, { parallelRequests: undefined }],
	])('are %i at a time, and only one at a time keeps the order', async (most, options) => {
		sandbox.faults.add({ held: true, times: most });
		const running = runOn(sandbox, create(json('={{ $json }}'), options), { input });
		await until(() => sandbox.log.length >= most);
		await new Promise((resolve) => setTimeout(resolve, 30));

		expect(sandbox.log).toHaveLength(most);
		sandbox.faults.clear();
		expect((await running).items).toHaveLength(12);
		if (most === 1) expect(stored()).toEqual(input);
	});
});

describe('as a tool', () => {
	const test = (more: object = {}, node: TestRun['node'] = {}): TestRun => ({
		parameters: { ...create(json("={{ { n: $fromAI('n') } }}")), ...more },
		credentials: credentialsOf(sandbox),
		input: [{ chatInput: 'Please register Ada' }],
		node,
	});

	/** One call after the other; an error in place of a reply */
	const inTurn = async (calls: IDataObject[], call: (input: IDataObject) => Promise<unknown>) => {
		const replies = [];
		for (const input of calls) {
			replies.push(await call(input).catch(({ message: error }: Error) => [{ error }]));
		}
		return replies.map((reply): unknown => (typeof reply === 'string' ? JSON.parse(reply) : reply));
	};

	/** The ways in which n8n calls a tool */
	const callers: [string, (run: TestRun, calls: IDataObject[]) => Promise<unknown[]>][] = [
		['AI Agent 3', askAgent],
		['an older AI Agent', async (run, calls) => await inTurn(calls, asTool(run))],
		[
			"n8n's Agents",
			async (run, calls) => await inTurn(calls, async (call) => await asToolOfAgents(run, call)),
		],
	];

	describe.each(callers)('of %s', (_, ask) => {
		it('submits at each call of the model, and gives it the reply', async () => {
			const replies = await ask(test(), [{ n: '1' }, { n: '1' }, { n: '2' }]);

			expect(stored()).toEqual([{ n: '1' }, { n: '1' }, { n: '2' }]);
			expect(replies).toEqual(
				sandbox.responses.slice(1).map(({ id }) => [{ success: true, response_id: id }]),
			);
		});

		it('tells the model what went wrong', async () => {
			sandbox.faults.add({ status: 422, body: { message: 'n is no number' } });
			const replies = [
				...(await ask(test(), [{ n: 'x' }])),
				...(await ask(test({ operation: 'getForms' }), [{ n: 'x' }])),
				...(await ask(test({ formId: byId('') }), [{ n: 'x' }])),
			];

			expect(replies).toEqual(
				[/\(422\)/, /\(422\)/, /form/i].map((error) => [{ error: expect.stringMatching(error) }]),
			);
		});

		it('creates one response for calls with the same answers, with Skip Existing and Match On', async () => {
			const run = test({ options: { skipExisting: true, matchOn: ['n'] } });
			const call = { n: '1' };
			const replies = [...(await ask(run, [call, call])), ...(await ask(run, [call]))];

			expect(stored()).toEqual([call]);
			const reply = { success: true, response_id: sandbox.responses[1]?.id };
			expect(replies).toEqual([false, true, true].map((skipped) => [{ ...reply, skipped }]));
		});
	});

	// n8n's Agents run a tool without a workflow, and so without its settings.
	it.each(callers.slice(0, 2))(
		'of %s does not send again with Retry On Fail what may have been stored',
		async (_, ask) => {
			sandbox.faults.add({ status: 500, stored: true, times: 1 });
			const run = test({}, { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 });
			// The model repeats the call, and the agent gives it another id.
			const calls = [{ n: '1', toolCallId: 'a' }, { n: '1', toolCallId: 'b' }, { n: '2' }];
			const replies = await ask(run, calls);

			expect(stored()).toEqual([{ n: '1' }, { n: '2' }]);
			expect(sandbox.log).toHaveLength(2);
			expect(replies[1]).toEqual(replies[0]);
			expect(replies[0]).toEqual([{ error: expect.stringMatching(/stored/) }]);
		},
	);
});
