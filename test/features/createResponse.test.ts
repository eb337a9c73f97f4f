import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { LoggedRequest, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool } from '../support/engine';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	fromList,
	itemsOf,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [responseRecord('f2', 'old', { answers: { n: 'taken' } })],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = (answers: object, formId = 'f1') =>
	({
		operation: 'createResponse',
		formId: byId(formId),
		options: { parallelRequests: 1 },
		...answers,
	}) as INodeParameters;

const mapped = (value: unknown) => ({
	answersInput: 'mapping',
	answersMapping: { mappingMode: 'defineBelow', value },
});
const autoMapped = { answersInput: 'mapping', answersMapping: { mappingMode: 'autoMapInputData' } };
const rows = (...answer: { key: unknown; value: unknown }[]) => ({
	answersInput: 'keyValue',
	answers: { answer },
});
const json = (answersJson: unknown) => ({ answersInput: 'json', answersJson });

/** The three ways to enter the result of an expression as the answer to `q` */
const waysToEnter = (expression: string): [string, object][] => [
	['by question', mapped({ name: 'Ada', q: `={{ ${expression} }}` })],
	[
		'by question key',
		rows({ key: 'name', value: 'Ada' }, { key: 'q', value: `={{ ${expression} }}` }),
	],
	['as JSON', json(`={{ { "name": "Ada", "q": ${expression} } }}`)],
];

/** What the service stored, without what it held before. */
const stored = () =>
	sandbox.responses
		.filter(({ id }) => id !== 'old')
		.map(({ form_id, answers }) => ({ form_id, answers }));
const storedAnswers = () => stored().map(({ answers }) => answers);

/** The message may be shortened to what its description goes on with. */
const said = (error: unknown) => {
	const { message, description } = factsOf(error);
	return `${String(message)}\n${String(description)}`;
};
const outcomeOf = (error: unknown) => String(error).split('\n').at(-1);

describe.each(['plain', 'extended'] as const)('in the %s variant', (variant) => {
	beforeEach(() => sandbox.setVariant(variant));

	it('creates one response per item, each in the form of the item', async () => {
		const parameters = create(
			mapped({ name: '={{ $json.name }}', topics: '={{ $json.topics }}' }),
			'={{ $json.form }}',
		);
		const input = [
			{ form: 'f1', name: 'Ada', topics: ['Sales', 'Support'] },
			{ form: ' f2 ', name: 'Grace', topics: 'Sales' },
		];

		const { items, status } = await runOn(sandbox, parameters, { input });

		expect(status).toBe('success');
		expect(stored()).toEqual([
			{ form_id: 'f1', answers: { name: 'Ada', topics: ['Sales', 'Support'] } },
			{ form_id: 'f2', answers: { name: 'Grace', topics: 'Sales' } },
		]);
		expect(items).toEqual(
			sandbox.responses
				.slice(1)
				.flatMap(({ id }, item) => itemsOf([{ success: true, response_id: id }], item)),
		);
		expect(requestsTo(sandbox)).toEqual(['POST /responses f1', 'POST /responses f2']);
	});
});

it('creates a response in the form picked from the list', async () => {
	await runOn(sandbox, { ...create(json({ a: 'b' })), formId: fromList('f2') });

	expect(stored()).toEqual([{ form_id: 'f2', answers: { a: 'b' } }]);
});

it('passes the reply of the service through untouched', async () => {
	const body =
		'{"success":true,"response_id":7,"quota":{"left":[99,null]},"error":"","é":"\\u2028"}';
	sandbox.faults.add({ body });

	const { items } = await runOn(sandbox, create(json({ a: 'b' })));

	expect(items.map((item) => JSON.stringify(item.json))).toEqual([
		JSON.stringify(JSON.parse(body)),
	]);
});

describe('an answer', () => {
	const iso = '2026-01-31T09:00:00.000Z';

	it.each<[string, unknown]>([
		['" as it is\\n"', ' as it is\n'],
		['"007"', '007'],
		['0', '0'],
		['0.1 + 0.2', '0.30000000000000004'],
		['true', 'true'],
		['false', 'false'],
		['["a", 2, false]', ['a', '2', 'false']],
		['["only"]', ['only']],
		[`DateTime.fromISO("${iso}", { zone: "utc" })`, iso],
	])('%s is sent as %j, however it is entered', async (expression, sent) => {
		for (const [way, answers] of waysToEnter(expression)) {
			sandbox.reset();
			await runOn(sandbox, create(answers));
			expect([way, storedAnswers()]).toEqual([way, [{ name: 'Ada', q: sent }]]);
		}
	});

	it.each(['null', '$json.missing'])('%s is none, however it is entered', async (expression) => {
		for (const [way, answers] of waysToEnter(expression)) {
			sandbox.reset();
			await runOn(sandbox, create(answers));
			expect([way, storedAnswers()]).toEqual([way, [{ name: 'Ada' }]]);
		}
	});

	it.each([
		'{ a: 1 }',
		'["a", {}]',
		'["a", ["b"]]',
		'["a", null]',
		'NaN',
		'1 / 0',
		'new Date("x")',
		'DateTime.fromISO("2020-01-31").diff(DateTime.fromISO("2020-01-01"), "days")',
		'Interval.fromDateTimes(DateTime.fromISO("2020-01-01"), DateTime.fromISO("2020-01-31"))',
	])('%s is refused by its question before any request', async (expression) => {
		for (const [way, answers] of waysToEnter(expression)) {
			const { error } = await runOn(sandbox, create(answers));
			expect([way, said(error)]).toEqual([way, expect.stringContaining('"q"')]);
			expect(factsOf(error).itemIndex).toBe(0);
		}
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('that cannot be sent is refused in the fields of an item, too', async () => {
		const { error } = await runOn(sandbox, create(autoMapped), { input: [{ q: { a: 1 } }] });

		expect(said(error)).toContain('"q"');
		expect(requestsTo(sandbox)).toEqual([]);
	});
});

it.each([
	['a mapping of empty cells', mapped({ a: '', b: null })],
	['a mapping without rows', mapped(null)],
	['an item without fields', autoMapped],
	['no rows', { answersInput: 'keyValue', answers: {} }],
	['rows without answers', rows({ key: 'a', value: '={{ null }}' }, { key: 'b', value: '' })],
	['an empty object', json('{}')],
])('refuses an item without answers before any request: %s', async (_, answers) => {
	const { error } = await runOn(sandbox, create(answers));

	expect(factsOf(error)).toMatchObject({
		message: expect.stringContaining('no answers'),
		itemIndex: 0,
	});
	expect(requestsTo(sandbox)).toEqual([]);
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
		await runOn(sandbox, create(mapped(value)), { input });

		expect(storedAnswers()).toEqual([
			{ name: 'Ada' },
			{ name: 'Grace', topics: ['Sales', 'Support'] },
		]);
	});

	it('the fields of each item may be sent under their own names', async () => {
		const input = [
			{ name: 'Ada', age: 36, 'dotted.key[0]': 'x', nothing: null, empty: '' },
			{ name: 'Grace', topics: ['Sales', 1] },
		];
		await runOn(sandbox, create(autoMapped), { input });

		expect(storedAnswers()).toEqual([
			{ name: 'Ada', age: '36', 'dotted.key[0]': 'x' },
			{ name: 'Grace', topics: ['Sales', '1'] },
		]);
	});

	it('a question may have any key', async () => {
		const value = { 'a.b': '={{ $json["a.b"] }}', error: '2', id: '3', 'Größe 📏': '4' };
		await runOn(sandbox, create(mapped(value)), { input: [{ 'a.b': '1' }] });

		expect(storedAnswers()).toEqual([{ ...value, 'a.b': '1' }]);
	});
});

describe('by question key', () => {
	it('a repeated key makes one list', async () => {
		const answers = rows(
			{ key: 'name', value: '={{ $json.name }}' },
			{ key: 'topics', value: 'Sales' },
			{ key: '={{ "to" + "pics" }}', value: '={{ ["Support", "Research"] }}' },
			{ key: 'topics', value: '={{ $json.missing }}' },
			{ key: 'topics', value: 4 },
			{ key: 'other', value: 'one' },
			{ key: 'other', value: '={{ null }}' },
		);
		await runOn(sandbox, create(answers), { input: [{ name: 'Ada' }, { name: 'Grace' }] });

		expect(storedAnswers()).toEqual(
			['Ada', 'Grace'].map((name) => ({
				name,
				topics: ['Sales', 'Support', 'Research', '4'],
				other: ['one'],
			})),
		);
	});

	it.each(['', '  ', '={{ $json.missing }}', '={{ { a: 1 } }}'])(
		'is refused before any request with the key %p',
		async (key) => {
			const { error } = await runOn(sandbox, create(rows({ key, value: 'x' })));

			expect(said(error)).toMatch(/question key/i);
			expect(factsOf(error).itemIndex).toBe(0);
			expect(requestsTo(sandbox)).toEqual([]);
		},
	);
});

describe('as JSON', () => {
	it('may be a text, or an object of an expression; empty texts and lists pass', async () => {
		const input = [
			{ answers: '{"a": "text", "n": 1, "l": ["x", true]}' },
			{ answers: { a: '', l: [], gone: null } },
		];
		await runOn(sandbox, create(json('={{ $json.answers }}')), { input });

		expect(storedAnswers()).toEqual([
			{ a: 'text', n: '1', l: ['x', 'true'] },
			{ a: '', l: [] },
		]);
	});

	it('arrives exactly, whatever its keys and characters', async () => {
		const answers =
			'{"error":"e","id":"i","constructor":"c","toString":["t"],"form_id":"f",' +
			'"Größe 📏":"\\u2028\\u0000 \\" \\\\ </script> 日本語"," spaced ":"\\n"}';
		await runOn(sandbox, create(json(answers)));

		expect(JSON.stringify(storedAnswers())).toBe(`[${JSON.stringify(JSON.parse(answers))}]`);
	});

	it('may have values of the item in it, whatever these are', async () => {
		const template =
			'={ "email": {{ JSON.stringify($json.email ?? null) }}, "phone": {{ JSON.stringify($json.phone ?? null) }} }';
		const email = 'x", "email": "eve@example.com\nand {"a": 1}';
		await runOn(sandbox, create(json(template)), { input: [{ email }] });

		expect(storedAnswers()).toEqual([{ email }]);
	});

	it.each([
		'[1, 2]',
		'12',
		'null',
		'"a"',
		'true',
		'={{ [] }}',
		'{"a": }',
		'name: Ada',
		'{"a": "b"',
		'={ "a": "{{ $json.quoted }}" }',
	])('is refused before any request when it is %s', async (text) => {
		const { error } = await runOn(sandbox, create(json(text)), { input: [{ quoted: 'a "b"' }] });

		expect(said(error)).toContain('JSON');
		expect(factsOf(error).itemIndex).toBe(0);
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each(['{{ $json.secret }}', '"{{ $json.secret }}"', '{ "a": {{ $json.secret }}, "b": "c" }'])(
		'shows no API key when it is refused: %s',
		async (text) => {
			const { error, run } = await runOn(sandbox, create(json(`=${text}`)), {
				credentials: { baseUrl: sandbox.baseUrl, apiKey: 'secret-key' },
				input: [{ secret: 'secret-key' }],
			});

			expect(error?.message).toContain('JSON');
			const { runData, error: saved } = run.data.resultData;
			expect(JSON.stringify([runData['Form Collection'], saved, said(error)])).not.toContain(
				'secret-key',
			);
		},
	);
});

describe('one bad item', () => {
	const bad = json('={{ $json.n === "bad" ? { "n": {} } : { "n": $json.n } }}');
	const input = [{ n: 'a' }, { n: 'bad' }, { n: 'c' }];

	it('stops the node, which names the item and the question, and sends no later item', async () => {
		const { status, error } = await runOn(sandbox, create(bad), { input });

		expect(status).toBe('error');
		expect([said(error), factsOf(error).itemIndex]).toEqual([expect.stringContaining('"n"'), 1]);
		expect(storedAnswers()).not.toContainEqual({ n: 'c' });
	});

	it('first stops the node before anything is sent', async () => {
		await runOn(sandbox, create(bad), { input: [{ n: 'bad' }, { n: 'b' }] });

		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each([
		['an answer that cannot be sent', bad, {}],
		[
			'an option that is wrong',
			json('={{ { "n": $json.n } }}'),
			'={{ $json.n === "bad" ? "x" : 5 }}',
		],
		[
			'an expression that fails',
			json('={{ { "n": $json.n } }}'),
			'={{ $json.n === "bad" ? $("Nope").item.json.x : 5 }}',
		],
	])('fails alone where the others are to go on: %s', async (_, answers, timeout) => {
		const options = { parallelRequests: 1, ...(typeof timeout === 'string' && { timeout }) };
		for (const order of [input, [...input].reverse(), [input[1]!, input[0]!]]) {
			sandbox.reset();
			const { items, failed } = await runOn(sandbox, create({ ...answers, options }), {
				input: order,
				node: { onError: 'continueErrorOutput' },
			});

			const good = order.filter(({ n }) => n !== 'bad');
			expect(storedAnswers()).toEqual(good);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
				good.map((each) => ({ item: order.indexOf(each) })),
			);
			expect(failed.map(({ json: { error } }) => outcomeOf(error))).toEqual(['Outcome: not sent']);
			expect(failed[0]?.pairedItem).toEqual({ item: order.indexOf(input[1]!) });
		}
	});
});

describe('parallel requests', () => {
	const input = Array.from({ length: 12 }, (_, i) => ({ n: String(i) }));
	const answers = json('={{ { "n": $json.n } }}');
	const isOpen = ({ status }: LoggedRequest) => status === undefined;

	it.each([
		[1, 10, { parallelRequests: 1 }],
		[3, 200, { parallelRequests: 3 }],
		[10, 300, {}],
	])('are %i at a time', async (expected, createDelayMs, options) => {
		sandbox.settings.createDelayMs = createDelayMs;
		let most = 0;
		const push = jest.spyOn(sandbox.log, 'push').mockImplementation((entry) => {
			sandbox.log[sandbox.log.length] = entry;
			most = Math.max(most, sandbox.log.filter(isOpen).length);
			return sandbox.log.length;
		});

		await runOn(sandbox, create({ ...answers, options }), { input });
		push.mockRestore();

		expect(most).toBe(expected);
	});

	it('keep each reply with its item', async () => {
		sandbox.faults.add({ contains: '"n":"0"', delayMs: 100 });
		const { items } = await runOn(sandbox, create({ ...answers, options: {} }), { input });

		const answered = items.map(({ json: { response_id } }) =>
			sandbox.responses.find(({ id }) => id === response_id),
		);
		expect(answered.map((response) => response?.answers)).toEqual(input);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(input.map((_, item) => ({ item })));
	});

	it('create in the order of the items, one at a time', async () => {
		sandbox.faults.add({ contains: '"n":"0"', delayMs: 50 });
		await runOn(sandbox, create(answers), { input });

		expect(storedAnswers()).toEqual(input);
	});
});

describe('hints', () => {
	const answers = (options: IDataObject = {}) =>
		create(
			{ ...json('={{ { "n": $json.n } }}'), options: { parallelRequests: 1, ...options } },
			'f2',
		);

	const hintsAfter = async (options: IDataObject, input: IDataObject[], node?: Partial<INode>) => {
		const { run, status } = await runOn(sandbox, answers(options), { input, node });
		expect(status).toBe('success');
		return run.data.resultData.runData['Form Collection']?.at(-1)?.hints?.map((it) => it.message);
	};

	it('are none where there is nothing to say', async () => {
		expect(await hintsAfter({}, [{ n: 'a' }, { n: 'b' }])).toEqual([]);
	});

	it('say how many items were skipped, and how many an earlier try has submitted', async () => {
		const input = [{ n: 'new' }, { n: 'newer' }, { n: 'taken' }, { n: 'other' }];
		expect(await hintsAfter({ skipExisting: true }, input)).toEqual([
			expect.stringMatching(/\b1 item\b/),
		]);

		sandbox.reset();
		sandbox.faults.add({ contains: 'other', status: 422, times: 1 });
		const retried = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		expect(await hintsAfter({}, input, retried)).toEqual([expect.stringMatching(/\b3\b.*items/)]);
	});

	it('say how many items came back from the error output and may be stored', async () => {
		sandbox.faults.add({ contains: 'lost', cut: 'connection', stored: true });
		const { run } = await runOn(sandbox, answers(), {
			input: [{ n: 'lost 1' }, { n: 'lost 2' }, { n: 'new' }],
			isErrorOutputWiredBack: true,
			node: { onError: 'continueErrorOutput' },
		});

		const hints = run.data.resultData.runData['Form Collection']?.[1]?.hints;
		expect(hints?.map(({ message }) => message)).toEqual([expect.stringMatching(/\b2 items\b/)]);
		expect(storedAnswers().map(({ n }) => n)).toEqual(['lost 1', 'lost 2', 'new']);
	});
});

it('an empty list by question, and an empty text by question key, are no answers', async () => {
	await runOn(sandbox, create(mapped({ name: 'Ada', none: '={{ [] }}' })));
	await runOn(sandbox, create(rows({ key: 'name', value: 'Ada' }, { key: 'none', value: '' })));

	expect(storedAnswers()).toEqual([{ name: 'Ada' }, { name: 'Ada' }]);
});

it('a date of JavaScript becomes text of ISO 8601', async () => {
	const when = new Date(0);
	await runOn(sandbox, create(autoMapped), { input: [{ when } as unknown as IDataObject] });
	await runOn(sandbox, create(mapped({ when: '={{ new Date(0) }}' })));
	await runOn(sandbox, create(json('={{ { "when": new Date(0) } }}')));

	expect(storedAnswers()).toEqual(Array(3).fill({ when: '1970-01-01T00:00:00.000Z' }));
});

it('nothing is sent if one item is bad', async () => {
	const answersOfItem = json('={{ $json.n === "bad" ? { "n": {} } : { "n": $json.n } }}');
	await runOn(sandbox, create(answersOfItem), { input: [{ n: 'a' }, { n: 'bad' }, { n: 'c' }] });

	expect(requestsTo(sandbox)).toEqual([]);
});

it('hints are no part of the reply to an AI tool', async () => {
	const parameters = create({ ...json('{ "n": "taken" }'), options: { skipExisting: true } }, 'f2');
	const call = asTool({ parameters, credentials: credentialsOf(sandbox) });

	expect(JSON.parse(String(await call({})))).toEqual([
		{ success: true, response_id: 'old', skipped: true },
	]);
});

it('with Skip Existing, each item says whether it was skipped', async () => {
	const parameters = create(
		{ ...json('={{ { "n": $json.n } }}'), options: { skipExisting: true, parallelRequests: 1 } },
		'f2',
	);
	const { items } = await runOn(sandbox, parameters, { input: [{ n: 'taken' }, { n: 'new' }] });

	expect(items.map(({ json: { skipped } }) => skipped)).toEqual([true, false]);
});
