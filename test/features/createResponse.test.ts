import type { IDataObject } from 'n8n-workflow';
import type { LoggedRequest, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import {
	byId,
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
		responses: [responseRecord('f2', 'old')],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const oneByOne = { parallelRequests: 1 };

const create = (answers: object, formId = 'f1') =>
	({
		operation: 'createResponse',
		formId: byId(formId),
		options: oneByOne,
		...answers,
	}) as never;

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

const isOpen = ({ status }: LoggedRequest) => status === undefined;

/** What the service stored, without what it held before. */
const stored = () =>
	sandbox.responses
		.filter(({ id }) => id !== 'old')
		.map(({ form_id, answers }) => ({ form_id, answers }));

/** The answers of the only request, as the JSON text of it had them. */
const sentAnswers = () => {
	expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);
	return JSON.stringify((sandbox.log[0]!.body as { answers: unknown }).answers);
};

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
	await runOn(sandbox, { ...(create(json({ a: 'b' })) as object), formId: fromList('f2') });

	expect(stored()).toEqual([{ form_id: 'f2', answers: { a: 'b' } }]);
});

it('passes the reply of the service through untouched', async () => {
	const body =
		'{"success":true,"response_id":7,"quota":{"left":[99,null]},"__proto__":{"a":1},"error":"","é":"\\u2028"}';
	sandbox.faults.add({ body });

	const { items } = await runOn(sandbox, create(json({ a: 'b' })));

	expect(items.map((item) => JSON.stringify(item.json))).toEqual([
		JSON.stringify(JSON.parse(body)),
	]);
});

describe('a mapping', () => {
	it('leaves out empty cells, and makes text of numbers and true or false', async () => {
		const value = {
			text: ' as it is ',
			count: '={{ 0.1 + 0.2 }}',
			zero: 0,
			yes: '={{ true }}',
			no: false,
			list: '={{ ["a", 2, false, ""] }}',
			none: '={{ [] }}',
			empty: '',
			unset: null,
			missing: '={{ $json.missing }}',
		};
		await runOn(sandbox, create(mapped(value)));

		expect(stored()).toEqual([
			{
				form_id: 'f1',
				answers: {
					text: ' as it is ',
					count: '0.30000000000000004',
					zero: '0',
					yes: 'true',
					no: 'false',
					list: ['a', '2', 'false', ''],
					none: [],
				},
			},
		]);
	});

	it('leaves out the list that an expression makes of an empty cell', async () => {
		const value = { name: '={{ $json.name }}', topics: '={{ $json.topics.split(",") }}' };
		const input = [
			{ name: 'Ada', topics: '' },
			{ name: 'Grace', topics: 'Sales,Support' },
		];
		await runOn(sandbox, create(mapped(value)), { input });

		expect(stored().map(({ answers }) => answers)).toEqual([
			{ name: 'Ada' },
			{ name: 'Grace', topics: ['Sales', 'Support'] },
		]);
	});

	it('may send the fields of each item under their own names', async () => {
		const input = [
			{ name: 'Ada', age: 36, 'dotted.key[0]': 'x', nothing: null, empty: '' },
			{ name: 'Grace', topics: ['Sales', 1] },
		];
		await runOn(sandbox, create(autoMapped), { input });

		expect(stored()).toEqual([
			{ form_id: 'f1', answers: { name: 'Ada', age: '36', 'dotted.key[0]': 'x' } },
			{ form_id: 'f1', answers: { name: 'Grace', topics: ['Sales', '1'] } },
		]);
	});

	it('has any question key', async () => {
		const input = [JSON.parse('{"a.b":"1","error":"2","id":"3","constructor":"4","toString":"5"}')];
		await runOn(sandbox, create(mapped({ 'a.b': '={{ $json["a.b"] }}', error: '2', id: '3' })), {
			input,
		});
		expect(sentAnswers()).toBe('{"a.b":"1","error":"2","id":"3"}');
	});
});

describe('rows of question key and answer', () => {
	it('keep empty text, and make one list of a repeated key', async () => {
		const answers = rows(
			{ key: 'name', value: '={{ $json.name }}' },
			{ key: 'topics', value: 'Sales' },
			{ key: 'empty', value: '' },
			{ key: '={{ "to" + "pics" }}', value: '={{ ["Support", "Research"] }}' },
			{ key: 'topics', value: '={{ $json.missing }}' },
			{ key: 'list', value: '={{ ["only"] }}' },
			{ key: 'unanswered', value: '={{ null }}' },
			{ key: 'topics', value: 4 },
		);
		const input = [{ name: 'Ada' }, { name: 'Grace' }];

		await runOn(sandbox, create(answers), { input });

		expect(stored()).toEqual(
			['Ada', 'Grace'].map((name) => ({
				form_id: 'f1',
				answers: {
					name,
					topics: ['Sales', 'Support', 'Research', '4'],
					empty: '',
					list: ['only'],
				},
			})),
		);
	});

	it('are refused before any request if they are all empty', async () => {
		const answers = rows(
			{ key: 'name', value: '={{ $json.name }}' },
			{ key: 'email', value: '={{ $json.email }}' },
		);
		const { error } = await runOn(sandbox, create(answers), { input: [{ name: '', email: '' }] });

		expect(error?.message).toMatch(/^This item has no answers/);
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each(['', '  ', '={{ $json.missing }}', '={{ null }}'])(
		'are refused before any request with the key %p',
		async (key) => {
			const { error } = await runOn(sandbox, create(rows({ key, value: 'x' })));

			expect(factsOf(error)).toEqual({
				message: 'An answer has no question key: enter the key that it belongs to',
				itemIndex: 0,
			});
			expect(requestsTo(sandbox)).toEqual([]);
		},
	);
});

describe('JSON', () => {
	it('is a text or an object of an expression', async () => {
		const input = [{ answers: '{"a": "text", "n": 1, "l": ["x", true]}' }, { answers: { a: '' } }];
		await runOn(sandbox, create(json('={{ $json.answers }}')), { input });

		expect(stored()).toEqual([
			{ form_id: 'f1', answers: { a: 'text', n: '1', l: ['x', 'true'] } },
			{ form_id: 'f1', answers: { a: '' } },
		]);
	});

	it('arrives exactly, whatever its keys and characters', async () => {
		const answers =
			'{"error":"e","id":"i","constructor":"c","__proto__":"p","toString":["t"],"form_id":"f",' +
			'"Größe 📏":"\\u2028\\u0000 \\" \\\\ </script> 日本語","lone":"\\ud800"," spaced ":"\\n"}';
		await runOn(sandbox, create(json(answers)));

		expect(sentAnswers()).toBe(JSON.stringify(JSON.parse(answers)));
		expect(JSON.stringify(stored())).toBe(
			JSON.stringify([{ form_id: 'f1', answers: JSON.parse(answers) }]),
		);
	});

	it('may hold a megabyte of text', async () => {
		const text = 'ü'.repeat(500_000);
		await runOn(sandbox, create(json('={{ { "text": $json.text } }}')), { input: [{ text }] });

		expect(stored()).toEqual([{ form_id: 'f1', answers: { text } }]);
	});

	it.each([
		['[1, 2]', 'a list'],
		['12', 'a number'],
		['null', 'empty'],
		['"a"', 'text'],
		['true', 'true'],
		['={{ [] }}', 'a list'],
	])('is refused before any request when it is %s', async (text, found) => {
		const { error } = await runOn(sandbox, create(json(text)));

		expect(factsOf(error)).toEqual({
			message: `Answers (JSON) is ${found}: enter an object of question keys and answers, e.g. { "email": "ada@example.com" }`,
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('may begin with a byte order mark', async () => {
		const { error } = await runOn(sandbox, create(json('\ufeff{"a": "b"}')));

		expect(error).toBeUndefined();
		expect(sandbox.responses.at(-1)?.answers).toEqual({ a: 'b' });
	});

	it.each(['{"a": }', '{a: 1}', 'name: Ada', '{"a": "b"'])(
		'is refused before any request when it is not valid: %s',
		async (text) => {
			const { error } = await runOn(sandbox, create(json(text)));

			expect(factsOf(error)).toEqual({
				message:
					'Answers (JSON) is not valid JSON: check quotes, commas and brackets. For a value of the item, write {{ JSON.stringify(… ?? null) }} without quotes around it',
				description: expect.stringContaining('JSON'),
				itemIndex: 0,
			});
			expect(requestsTo(sandbox)).toEqual([]);
		},
	);
});

describe('JSON with texts of the item in it', () => {
	const typed = (message: string) => ({ input: [{ email: 'ada@example.com', message }] });

	it('is refused if a text brings a question key that is there already', async () => {
		const template = '={ "email": "{{ $json.email }}", "message": "{{ $json.message }}" }';
		const run = typed('x", "\\u0065mail": "eve@example.com');
		const { error } = await runOn(sandbox, create(json(template)), run);

		expect(factsOf(error)).toEqual({
			message:
				'Answers (JSON) has the question key "email" twice: enter it once, with a list for several options. For a value of the item, write {{ JSON.stringify(… ?? null) }} without quotes around it',
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('is sent whatever the text, in the way that the error message names', async () => {
		const template =
			'={ "email": {{ JSON.stringify($json.email ?? null) }}, "message": {{ JSON.stringify($json.message ?? null) }}, "phone": {{ JSON.stringify($json.phone ?? null) }} }';
		const message = 'x", "email": "eve@example.com\nand {"a": 1, "a": 2}';
		await runOn(sandbox, create(json(template)), typed(message));

		expect(JSON.parse(sentAnswers())).toEqual({ email: 'ada@example.com', message });
	});
});

describe('an answer that cannot be sent', () => {
	const refused = (found: string) =>
		`The answer to "q" is ${found}: map text, a number, true or false, or a list of these`;

	it.each([
		['an object', '={{ { "a": 1 } }}', 'an object'],
		['an object in a list', '={{ ["a", {}] }}', 'an object'],
		['NaN', '={{ NaN }}', 'not a number that can be sent (NaN)'],
		['Infinity', '={{ 1 / 0 }}', 'not a number that can be sent (Infinity)'],
	])('is refused before any request: %s', async (_, q, found) => {
		const results = [
			await runOn(sandbox, create(mapped({ fine: 'x', q }))),
			await runOn(sandbox, create(rows({ key: 'fine', value: 'x' }, { key: 'q', value: q }))),
		];

		for (const { error } of results) {
			expect(factsOf(error)).toEqual({ message: refused(found), itemIndex: 0 });
		}
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('is refused before any request: a list of lists', async () => {
		const { error } = await runOn(sandbox, create(mapped({ q: '={{ ["a", ["b"]] }}' })));

		expect(factsOf(error)).toEqual({
			message:
				'The answer to "q" is a list of lists: make it one list, e.g. with flat(), in the expression or before this node',
			itemIndex: 0,
		});
		await runOn(sandbox, create(mapped({ q: '={{ ["a", ["b"]].flat() }}' })));
		expect(stored()).toEqual([{ form_id: 'f1', answers: { q: ['a', 'b'] } }]);
	});

	const emptyEntry =
		'The answer to "q" is a list with an empty entry: remove the entry, e.g. with compact(), in the expression or before this node';

	it.each(['["a", null]', '[, "a"]'])(
		'is refused before any request: a list with an empty entry, %s',
		async (list) => {
			const q = `={{ ${list} }}`;
			const input = [{ list: ['a', null] }];
			const results = [
				await runOn(sandbox, create(mapped({ q }))),
				await runOn(sandbox, create(rows({ key: 'q', value: q }))),
				await runOn(sandbox, create(rows({ key: 'q', value: 'b' }, { key: 'q', value: q }))),
				await runOn(sandbox, create(json(`={{ { "q": ${list} } }}`))),
				await runOn(sandbox, create(mapped({ q: '={{ $json.list }}' })), { input }),
			];

			for (const { error } of results) {
				expect(factsOf(error)).toEqual({ message: emptyEntry, itemIndex: 0 });
			}
			expect(requestsTo(sandbox)).toEqual([]);
			await runOn(sandbox, create(mapped({ q: `={{ ${list}.compact() }}` })));
			expect(stored()).toEqual([{ form_id: 'f1', answers: { q: ['a'] } }]);
		},
	);

	it('is refused in the fields of an item, too', async () => {
		const { error } = await runOn(sandbox, create(autoMapped), { input: [{ q: { a: 1 } }] });

		expect(factsOf(error)).toEqual({ message: refused('an object'), itemIndex: 0 });
		expect(requestsTo(sandbox)).toEqual([]);
	});
});

describe('a date', () => {
	const iso = '2026-01-31T09:00:00.000Z';
	const moment = `DateTime.fromISO("${iso}", { zone: "utc" })`;

	it.each([
		['a mapping', mapped({ when: `={{ ${moment} }}` })],
		['a row', rows({ key: 'when', value: `={{ ${moment} }}` })],
		['JSON', json(`={{ { "when": ${moment} } }}`)],
	])('of n8n is sent as ISO text in %s', async (_, answers) => {
		await runOn(sandbox, create(answers));

		expect(stored()).toEqual([{ form_id: 'f1', answers: { when: iso } }]);
	});

	it.each([
		['toISO', autoMapped, { toISO: '' }],
		['toISOString', autoMapped, new Date(iso)],
		['toISOString', mapped({ when: '={{ new Date(0) }}' }), undefined],
	])(
		'is refused before any request where n8n makes no text of it: %s()',
		async (method, answers, when) => {
			const { error } = await runOn(sandbox, create(answers), { input: [{ when } as never] });

			expect(factsOf(error)).toEqual({
				message: `The answer to "when" is a date: convert it to text with ${method}(), in the expression or before this node`,
				itemIndex: 0,
			});
			expect(requestsTo(sandbox)).toEqual([]);
		},
	);

	const unread = (key: string) =>
		`The answer to "${key}" is a date that could not be read: check the value and its format, in the expression or before this node, and return null where there is no date`;

	it.each([
		'DateTime.fromFormat("1/31/90", "dd.MM.yyyy")',
		'DateTime.fromISO("").toFormat("dd.MM.yyyy")',
		'new Date("x")',
		'["a", DateTime.fromISO("x")]',
	])('is refused before any request where it could not be read: %s', async (date) => {
		const when = `={{ ${date} }}`;
		const results = [
			await runOn(sandbox, create(mapped({ name: 'Ada', when }))),
			await runOn(sandbox, create(rows({ key: 'when', value: when }))),
			await runOn(sandbox, create(json(`={{ { "when": ${date} } }}`))),
			await runOn(sandbox, create(autoMapped), { input: [{ when: 'Invalid DateTime' }] }),
		];

		for (const { error } of results) {
			expect(factsOf(error)).toEqual({ message: unread('when'), itemIndex: 0 });
		}
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each([
		[
			'duration',
			'DateTime.fromISO("2020-01-31").diff(DateTime.fromISO("2020-01-01"), "days")',
			"to text with toHuman(), or to a number with as('days')",
			{ toHuman: '30 days', "as('days')": '30' },
		],
		[
			'interval',
			'Interval.fromDateTimes(DateTime.fromISO("2020-01-01"), DateTime.fromISO("2020-01-31"))',
			"to a number with length('days')",
			{ "length('days')": '30' },
		],
	])('is no %s, which is told how to convert', async (kind, value, how, conversions) => {
		const results = [
			await runOn(sandbox, create(mapped({ age: `={{ ${value} }}` }))),
			await runOn(sandbox, create(rows({ key: 'age', value: `={{ ${value} }}` }))),
			await runOn(sandbox, create(json(`={{ { "age": ${value} } }}`))),
		];

		const a = kind === 'interval' ? 'an' : 'a';
		for (const { error } of results) {
			expect(factsOf(error)).toEqual({
				message: `The answer to "age" is ${a} ${kind}: convert it ${how}, in the expression or before this node`,
				itemIndex: 0,
			});
		}
		for (const [method, age] of Object.entries(conversions)) {
			sandbox.reset();
			const call = method.endsWith(')') ? method : `${method}()`;
			await runOn(sandbox, create(mapped({ age: `={{ ${value}.${call} }}` })));
			expect(stored()).toEqual([{ form_id: 'f1', answers: { age } }]);
		}
	});
});

describe('the API key of the credential', () => {
	const leaveOut = 'leave the field out, e.g. with Edit Fields before this node';
	const apiKey = 'key-of-8';
	const run = async (answers: object, text: string | string[], key = apiKey) =>
		await runOn(sandbox, create(answers), {
			credentials: { baseUrl: sandbox.baseUrl, apiKey: key },
			input: [{ secret: text, email: 'n@x' }],
		});

	it.each<[string, object]>([
		['a mapping', mapped({ secret: '={{ $json.secret }}' })],
		['the fields of an item', autoMapped],
		['a row', rows({ key: 'secret', value: '={{ $json.secret }}' })],
		['JSON', json('={{ $json }}')],
	])('is never part of an answer: %s', async (_, answers) => {
		const message = `The answer to "secret" contains the API key of the credential: ${leaveOut}`;
		for (const text of [apiKey, `Bearer ${apiKey}\n`, ['a', `${apiKey},`]]) {
			const { error } = await run(answers, text);
			expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
		}
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('is no part of a question key either', async () => {
		const { error } = await run(json('={{ { [$json.secret]: "x" } }}'), apiKey);

		const message = `A question key contains the API key of the credential: ${leaveOut}`;
		expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each([
		'{{ $json.secret }}',
		'{ "secret": {{ $json.secret }} }',
		'{ "secret": {{ $json.secret }}, "name": "Ada", "email": "ada@example.com" }',
		'{ "name": "Ada", "email": "ada@example.com", "secret": {{ $json.secret }}, "city": "London" }',
		'{ "name": "Ada", "email": "ada@example.com", "secret": {{ $json.secret }} }',
	])('shows no part of itself where the JSON is not valid: %s', async (text) => {
		const { error } = await run(json(`=${text}`), 'secret-key', 'secret-key');

		expect(factsOf(error).message).toMatch(/^Answers \(JSON\) is not valid JSON: /);
		expect(factsOf(error).description).toBe("Unexpected token 's' in JSON");
	});

	it('is not shown where it is all of the JSON', async () => {
		const { error } = await run(json('="{{ $json.secret }}"'), 'secret-key', 'secret-key');

		expect(factsOf(error).message).toMatch(/^Answers \(JSON\) is text: enter an object /);
	});

	it('is refused before the form is read', async () => {
		const answers = { ...autoMapped, options: { skipExisting: true } };
		const { error } = await run(answers, apiKey);

		expect(error?.message).toContain('contains the API key');
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each([
		['text that is not the key', 'key-of-', apiKey],
		['a key that is too short to tell', 'a test', 'test'],
	])('does not keep %s from being sent', async (_, text, key) => {
		await run(autoMapped, text, key);

		expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);
	});
});

it.each([
	['a mapping of empty cells', mapped({ a: '', b: null })],
	['a mapping without rows', mapped(null)],
	['an item without fields', autoMapped],
	['no rows', { answersInput: 'keyValue', answers: {} }],
	['rows without answers', rows({ key: 'a', value: '={{ null }}' })],
	['an empty object', json('{}')],
])('refuses an item without answers before any request: %s', async (_, answers) => {
	const { error } = await runOn(sandbox, create(answers));

	expect(factsOf(error)).toEqual({
		message: 'This item has no answers: enter an answer to at least one question',
		itemIndex: 0,
	});
	expect(requestsTo(sandbox)).toEqual([]);
});

const returns = (what: string) =>
	`Form has an expression that returns ${what}: make it return the ID of one form`;
it.each([
	['  ', 'No form is chosen: select one in the field Form, or enter its ID there'],
	['={{ $json.missing }}', returns('no value')],
	['={{ $json }}', returns('an object')],
])('asks for a form before any request when it is %p', async (formId, message) => {
	const { error } = await runOn(sandbox, create(json({ a: 'b' }), formId));

	expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
	expect(requestsTo(sandbox)).toEqual([]);
});

it.each(['={{ "telepathy" }}', 'telepathy'])(
	'refuses %p as a way to enter answers',
	async (way) => {
		const { error } = await runOn(sandbox, create({ answersInput: way }));

		expect(factsOf(error)).toEqual({
			message: 'Enter Answers is "telepathy": choose As JSON, By Question or By Question Key',
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
	},
);

describe('parallel requests', () => {
	const input = Array.from({ length: 12 }, (_, i) => ({ n: String(i) }));
	const answers = json('={{ { "n": $json.n } }}');

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

		const { items } = await runOn(sandbox, create({ ...answers, options }), { input });
		push.mockRestore();

		expect(most).toBe(expected);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(input.map((_, item) => ({ item })));
	});

	it('keep each reply with its item', async () => {
		sandbox.faults.add({ contains: '"n":"0"', delayMs: 300 });
		const { items } = await runOn(sandbox, create({ ...answers, options: {} }), { input });

		const answered = items.map(({ json: { response_id } }) =>
			sandbox.responses.find(({ id }) => id === response_id),
		);
		expect(answered.map((response) => response?.answers)).toEqual(input);
	});

	it('create in the order of the items, one at a time', async () => {
		sandbox.faults.add({ contains: '"n":"0"', delayMs: 50 });
		await runOn(sandbox, create({ ...answers, options: oneByOne }), { input });

		expect(stored().map(({ answers: { n } }) => n)).toEqual(input.map(({ n }) => n));
	});

	it.each([0, -1, 1.5, 'many'])(
		'may not be %p, in any item and before any request',
		async (parallelRequests) => {
			const parameters = create({ ...answers, options: { parallelRequests } });
			const { items } = await runOn(sandbox, parameters, {
				input: input.slice(0, 2),
				node: { onError: 'continueRegularOutput' },
			});

			const message = `Parallel Requests is ${JSON.stringify(parallelRequests)}: enter a whole number of at least 1`;
			expect(items).toEqual(
				[0, 1].map((item) => ({
					json: { error: message },
					error: expect.objectContaining({ message }),
					pairedItem: { item },
				})),
			);
			expect(requestsTo(sandbox)).toEqual([]);
		},
	);
});

describe('the error message', () => {
	const advice = 'turn on Skip Existing before you run the workflow again';
	const answers = json('={{ { "n": $json.n, "run": String($runIndex) } }}');
	const lost = { status: 500, stored: true, times: 1 };

	it('counts what this run and earlier ones have created, and what may have been', async () => {
		sandbox.faults.add({ contains: '"n":"b","run":"1"', ...lost });
		const input = [{ n: 'a' }, { n: 'b' }];
		const { error } = await runOn(sandbox, create(answers), { input, runs: 2 });

		expect(error?.message).toMatch(
			new RegExp(
				`\\. 1 of 2 responses were created, and 1 may have been\\. Earlier runs of this node created 2: ${advice}$`,
			),
		);
	});

	it('counts only what was sent, and gives no advice that is followed already', async () => {
		sandbox.faults.add({ contains: '"n":"a"', status: 500 });
		const options = { ...oneByOne, skipExisting: true, matchOn: ['n'] };
		const { error } = await runOn(sandbox, create({ ...answers, options }), {
			input: [{ n: 'a' }, { n: 'a' }, { n: 'b' }],
			node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});

		expect(error?.message).toMatch(/\. 1 of 3 responses were created, and 1 may have been$/);
	});

	it('says nothing of the only item', async () => {
		sandbox.faults.add({ contains: '"n":"a"', status: 422 });
		const { error } = await runOn(sandbox, create(answers), { input: [{ n: 'a' }] });

		expect(error?.message).toMatch(/check the answers against the form$/);
	});
});

describe('an item whose form cannot be read any more', () => {
	const fromItem = {
		...(create(json('={{ { "n": $json.n } }}')) as object),
		formId: byId('={{ $json.forms.shift() }}'),
	};
	const retryOnFail = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const onError = 'continueErrorOutput' as const;

	it('is known if an earlier try has sent it', async () => {
		const input = ['f1', 'f1', 'f1', undefined].map((form, n) => ({
			n: `<${n}>`,
			forms: n === 0 ? [form, form] : [form],
		})) as IDataObject[];
		sandbox.faults.add({ contains: '<0>', status: 422, times: 1 });
		sandbox.faults.add({ contains: '<2>', status: 500 });
		const node = { ...retryOnFail, onError };
		const { items, failed } = await runOn(sandbox, fromItem, { input, node });

		expect(requestsTo(sandbox)).toHaveLength(4);
		expect(items.map(({ json: { success }, pairedItem }) => [success, pairedItem])).toEqual([
			[true, { item: 0 }],
			[true, { item: 1 }],
		]);
		expect(failed.map(({ json: { n, error } }) => [n, String(error).split('\n').at(-1)])).toEqual([
			['<2>', 'Outcome: unknown'],
			['<3>', 'Outcome: not sent'],
		]);
	});

	it('ends the loop if it has come back from the error output and may be stored', async () => {
		sandbox.faults.add({ contains: '<0>', cut: 'connection', stored: true, times: 1 });
		const input = [{ n: '<0>', forms: ['f1', null, 'f1'] }] as unknown as IDataObject[];
		const { runs } = await runOn(sandbox, fromItem, {
			input,
			isErrorOutputWiredBack: true,
			node: { onError },
		});

		expect(stored()).toHaveLength(1);
		expect(runs.map((outputs) => outputs.map((items) => items.length))).toEqual([
			[0, 1],
			[0, 0],
		]);
	});
});

describe('a further try', () => {
	const further = async (formId: string, answersJson: string) => {
		const parameters = { ...(create(json(answersJson)) as object), formId: byId(formId) };
		await runOn(sandbox, parameters, {
			input: [{ n: 'a' }, { n: 'b' }, { n: 'c' }],
			node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});
		return stored().map(({ answers }) => answers.n);
	};
	const answers = '={{ { "n": $json.n } }}';

	it('goes on after an item that has no answers', async () => {
		expect(await further('f1', '={{ $json.n === "b" ? {} : { "n": $json.n } }}')).toEqual([
			'a',
			'c',
		]);
	});

	it.each([
		[19, 21],
		[20, 20],
	])(
		'with %i more items that the service refuses submits the items up to %i',
		async (more, last) => {
			const input = Array.from({ length: 22 }, (_, n) => ({
				n: `${n === 0 || n > more ? 'good' : 'bad'} ${n}`,
			}));
			sandbox.faults.add({ route: 'POST /responses', contains: 'bad', status: 422 });
			const { error } = await runOn(sandbox, create(json('={{ { "n": $json.n } }}')), {
				input,
				node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
			});

			expect(error?.message).toContain('(422)');
			const sent = ['good 0', ...(last > 20 ? ['good 20', 'good 21'] : [])];
			expect(stored().map(({ answers }) => answers.n)).toEqual(sent);
		},
	);

	it('ends where the form of all items does not exist, but not where each has its own', async () => {
		sandbox.faults.add({ contains: '"b"', status: 404 });
		expect(await further('f1', answers)).toEqual(['a']);

		sandbox.reset();
		sandbox.faults.add({ contains: '"b"', status: 404 });
		expect(await further('={{ "f1" }}', answers)).toEqual(['a', 'c']);
	});
});
