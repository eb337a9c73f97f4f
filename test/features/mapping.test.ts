import { DateTime } from 'luxon';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';
import { asTool, loadOptions } from '../support/engine';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';

let sandbox: Sandbox;

/** As the editor saves what the node gives it. */
let schema: unknown;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [
			responseRecord('f1', 'old', {
				answers: { name: 'Ada', id: '7', message: 'Hi', topics: ['Sales', 'Support'] },
			}),
		],
	});
	const context = loadOptions({
		parameters: { formId: byId('f1') } as never,
		credentials: credentialsOf(sandbox),
	});
	const { fields } = await new FormCollection().methods.resourceMapping.getQuestions.call(context);
	schema = JSON.parse(JSON.stringify(fields));
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const automatic = (options: IDataObject = {}, saved: unknown = schema) =>
	({
		operation: 'createResponse',
		formId: byId('f1'),
		answersInput: 'mapping',
		answersMapping: { mappingMode: 'autoMapInputData', value: null, schema: saved },
		options: { parallelRequests: 1, ...options },
	}) as INodeParameters;

const stored = () => sandbox.responses.slice(1).map(({ answers }) => answers);

const hintsOf = ({ run }: Awaited<ReturnType<typeof runOn>>) =>
	run.data.resultData.runData['Form Collection']?.at(-1)?.hints?.map(({ message }) => message);

const refresh = 'If the form has them, open this node and select Refresh below Mapping Column Mode';

describe('questions that were loaded for another form', () => {
	const input = [{ name: 'Ada', row_number: 1 }];
	const another = byId('f2');

	it.each([
		[
			'defineBelow',
			'open this node and select Refresh Question List in the menu (⋮) of Answers, and check what is mapped to each question',
		],
		[
			'autoMapInputData',
			'open this node, choose Map Each Column Manually, select Refresh Question List in the menu (⋮) of Answers, and choose Map Automatically again',
		],
	])('are refused before any request: %s', async (mappingMode, advice) => {
		for (const otherFields of ['leaveOut', 'send', 'stop']) {
			const answersMapping = { mappingMode, value: { name: '={{ $json.name }}' }, schema };
			const mapped = { ...automatic({ otherFields }), formId: another, answersMapping };
			const { error } = await runOn(sandbox, mapped as never, { input });

			expect(factsOf(error)).toEqual({
				message: `The questions under Answers are those of another form: ${advice}`,
				itemIndex: 0,
			});
		}
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each<[string, object]>([
		['the form comes from an expression', { formId: byId('={{ "f2" }}') }],
		['they are not used', { formId: another, answersInput: 'json', answersJson: '={{ $json }}' }],
		[
			'nobody knows for which form',
			{
				formId: another,
				answersMapping: { mappingMode: 'autoMapInputData', value: null, schema: [{ id: 'name' }] },
			},
		],
	])('are no reason to fail where %s', async (_, parameters) => {
		const { error } = await runOn(sandbox, { ...automatic(), ...parameters } as never, { input });

		expect(error).toBeUndefined();
		expect(stored()).toHaveLength(1);
	});
});

it('maps automatically whatever was mapped by hand before', async () => {
	const value = { name: "={{ $('Nowhere').first().json.x }}" };
	const answersMapping = { mappingMode: 'autoMapInputData', value, schema };
	const parameters = { ...automatic(), answersMapping } as INodeParameters;
	const { status } = await runOn(sandbox, parameters, { input: [{ name: 'Lin' }] });

	expect(status).toBe('success');
	expect(stored()).toEqual([{ name: 'Lin' }]);
});

describe('fields that are no question', () => {
	const input = [
		{ row_number: 2, name: 'Ada', empty: '', nothing: null, gone: undefined },
		{ name: 'Grace', error: 'failed before', created_at: 't' },
		{ name: 'Lin' },
	];

	it('are left out, and named beside the output', async () => {
		const result = await runOn(sandbox, automatic(), { input });

		expect(stored()).toEqual([{ name: 'Ada' }, { name: 'Grace' }, { name: 'Lin' }]);
		expect(hintsOf(result)).toEqual([
			`Left out, because they are not among the questions that this node has loaded: row_number, error, created_at. To submit a field, give it the name of its question (name, id, message, topics). ${refresh}. To send all fields, set Other Fields under Options to Send`,
		]);
		expect(requestsTo(sandbox)).toEqual(Array(3).fill('POST /responses f1'));
	});

	it('are not those that a question is named like', async () => {
		const row = { id: 'r1', answer_id: '8', name: 'Ada', answer_name: 'Grace' };
		const hint =
			'Left out, because the answers to these questions are in fields whose names begin with "answer_": id, name';
		for (const otherFields of ['leaveOut', 'stop', 'send']) {
			const result = await runOn(sandbox, automatic({ otherFields }), { input: [row] });
			expect(hintsOf(result)).toEqual([hint]);
		}

		expect(stored()).toEqual(Array(3).fill({ id: '8', name: 'Grace' }));
	});

	it('are named up to a number', async () => {
		const others = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`f${n}`, 'x']));
		const result = await runOn(sandbox, automatic(), { input: [{ name: 'Ada', ...others }] });

		expect(hintsOf(result)?.[0]).toContain('f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 2 more.');
	});

	it('are sent where that is chosen', async () => {
		const result = await runOn(sandbox, automatic({ otherFields: 'send' }), { input });

		expect(stored()).toEqual([
			{ row_number: '2', name: 'Ada' },
			{ name: 'Grace', error: 'failed before', created_at: 't' },
			{ name: 'Lin' },
		]);
		expect(hintsOf(result)).toEqual([]);
	});

	const message = `These fields are not among the questions that this node has loaded: error, created_at. ${refresh}. If not, remove the fields before this node, or set Other Fields under Options to Leave Out`;

	it('stop everything before anything is sent where that is chosen', async () => {
		const { error } = await runOn(sandbox, automatic({ otherFields: 'stop' }), {
			input: [{ name: 'Lin' }, ...input.slice(1)],
		});

		expect(factsOf(error)).toEqual({ message, itemIndex: 1 });
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('stop only their own item where the others are to go on', async () => {
		const { items } = await runOn(sandbox, automatic({ otherFields: '={{ "stop" }}' }), {
			input: input.slice(1),
			node: { onError: 'continueRegularOutput' },
		});

		expect(items.map(({ json }) => json.error)).toEqual([message, undefined]);
		expect(stored()).toEqual([{ name: 'Lin' }]);
	});

	it('are all sent where no question is known', async () => {
		for (const saved of [[], null, 'odd', [{ displayName: 'name' }, 7]]) {
			sandbox.reset();
			const result = await runOn(sandbox, automatic({}, saved), {
				input: [{ row_number: 2, name: 'Ada' }],
			});

			expect([result.error?.message, stored()]).toEqual([
				undefined,
				[{ row_number: '2', name: 'Ada' }],
			]);
			expect(hintsOf(result)).toEqual([
				'All fields were sent, because the questions of the form are not known: row_number, name. If the form has responses, open this node to load its questions. If not, remove fields that are no answers before this node',
			]);
		}
	});

	it('are not said to be sent where the form has them already', async () => {
		const twice = automatic({ skipExisting: true }, []);
		await runOn(sandbox, twice, { input: [{ name: 'Ada', row: 1 }] });
		const result = await runOn(sandbox, twice, { input: [{ name: 'Ada', row: 1 }] });

		expect(hintsOf(result)).toEqual(['Skipped 1 item: already in the form']);
	});

	it('are all sent without a hint where that is chosen and no question is known', async () => {
		const result = await runOn(sandbox, automatic({ otherFields: 'send' }, []), { input });

		expect(stored()).toHaveLength(3);
		expect(hintsOf(result)).toEqual([]);
	});

	it('are named without empty ones, and without HTML, where no question is known', async () => {
		const result = await runOn(sandbox, automatic({ otherFields: 'leaveOut' }, []), {
			input: [{ '<b>': 'x', empty: '', none: [] }, { name: 'Ada' }],
		});

		expect(hintsOf(result)?.[0]).toContain('are not known: &lt;b&gt;, name.');
	});

	it.each([
		['nothing was loaded', () => automatic({ otherFields: 'stop' }, [])],
		[
			'the form comes from an expression',
			() => ({ ...automatic({ otherFields: 'stop' }), formId: byId('={{ "f2" }}') }),
		],
	])('stop everything where no question is known, because %s', async (_, mapped) => {
		const parameters = mapped();
		const input = [{ name: 'Lin' }, { name: 'Ada' }];
		const stopped = await runOn(sandbox, parameters, { input });
		const { failed } = await runOn(sandbox, parameters, {
			input,
			node: { onError: 'continueErrorOutput' },
		});

		const unknown =
			'Other Fields is Stop, but the questions of the form are not known: open this node to load them, or set Other Fields under Options to Send. They can only be loaded if the form has responses and, if it comes from an expression, for the form of the first item';
		expect(factsOf(stopped.error)).toEqual({ message: unknown, itemIndex: 0 });
		expect(failed.map(({ json }) => json.error)).toEqual(
			Array(2).fill(`${unknown}\nOutcome: not sent`),
		);
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('are refused where an item has no others', async () => {
		const { error } = await runOn(sandbox, automatic(), { input: [{ Name: 'Ada', mail: 'x' }] });

		expect(factsOf(error)).toEqual({
			message: `No field of this item is among the questions that this node has loaded: rename the fields (Name, mail) to match the questions (name, id, message, topics), or choose Map Each Column Manually. ${refresh}`,
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
	});

	const flatten = '; or turn on Flatten Answers where you read the responses';
	it.each<[string, IDataObject, string]>([
		['{{ $json.body }}', { headers: { host: 'x' }, body: { name: 'Ada' } }, ''],
		['{{ $json.body }}', { headers: { name: 'x' }, body: { name: 'Ada' } }, ''],
		['{{ $json.body }}', { query: { id: '1' }, body: { id: '1', name: 'Ada' }, at: {} }, ''],
		['{{ $json["form data"] }}', { 'form data': { name: 'Ada', mail: 'x' } }, ''],
		['{{ $json.answers }}', { form_id: 'f1', answers: { name: 'Ada' } }, flatten],
	])('are entered by %s where they are all in there', async (expression, item, more) => {
		const { error } = await runOn(sandbox, automatic(), { input: [item] });

		const [field] = /\w+(?: data)?(?=\W+$)/.exec(expression) ?? [];
		expect(factsOf(error)).toEqual({
			message: `The answers seem to be inside the field "${field}" of this item: choose As JSON under Enter Answers, and enter ${expression} there${more}`,
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('are not looked for among what n8n adds to a date', async () => {
		const date = { birthday: DateTime.fromISO('1815-12-10') } as unknown as IDataObject;
		const parameters = automatic(
			{},
			['day', 'month'].map((id) => ({ id, displayName: id, display: true, formId: 'f1' })),
		);
		const { error } = await runOn(sandbox, parameters, { input: [date] });

		expect(factsOf(error).message).toContain('No field of this item is among the questions');
	});

	it('are not treated in a way that there is not', async () => {
		const { error } = await runOn(sandbox, automatic({ otherFields: '={{ "drop" }}' }), { input });

		expect(factsOf(error)).toEqual({
			message:
				'Other Fields is "drop": choose Leave Out, Send or Stop. 0 of 3 responses were created',
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('are not looked for in other ways to enter answers', async () => {
		const parameters = automatic({ otherFields: 'stop' });
		const manual = {
			...parameters,
			answersMapping: { mappingMode: 'defineBelow', value: { name: 'Ada', other: 'x' }, schema },
		} as INodeParameters;
		const json = { ...parameters, answersInput: 'json', answersJson: '{"other":"x"}' };
		await runOn(sandbox, manual, { input });
		await runOn(sandbox, json, { input: [{ other: 'x' }] });

		expect(stored()).toEqual([...Array(3).fill({ name: 'Ada', other: 'x' }), { other: 'x' }]);
	});
});

it.each([
	['known', automatic],
	['not known', (options?: IDataObject) => automatic(options, [])],
])('leaves out empty cells, also empty lists, where the questions are %s', async (_, mapped) => {
	const input = [
		{ name: 'Ada', topics: [] },
		{ name: '', id: null, topics: [], other: [] },
	];
	const { items } = await runOn(sandbox, mapped(), {
		input,
		node: { onError: 'continueRegularOutput' },
	});

	expect(items.map(({ json }) => json.error)).toEqual([
		undefined,
		'This item has no answers: enter an answer to at least one question',
	]);
	expect(stored()).toEqual([{ name: 'Ada' }]);
});

it.each(['leaveOut', 'send', 'stop'])(
	'takes an empty list for no other field: %s',
	async (otherFields) => {
		const input = [{ name: 'Ada', other: [] }];
		const result = await runOn(sandbox, automatic({ otherFields }), { input });

		expect(stored()).toEqual([{ name: 'Ada' }]);
		expect(hintsOf(result)).toEqual([]);
	},
);

it('finds an answer under the name that Flatten Answers gives it', async () => {
	const input = [{ id: 'of the record', answer_id: '8', name: 'Ada', answer_message: 'Ho' }];
	await runOn(sandbox, automatic(), { input });
	await runOn(sandbox, automatic({ otherFields: 'send' }), { input });

	expect(stored()).toEqual(Array(2).fill({ id: '8', name: 'Ada', message: 'Ho' }));
});

it.each<[string, string[], IDataObject, object]>([
	['one question', ['status'], { status: 'r', answer_status: 'a' }, { status: 'a' }],
	['a removed field of the record', ['status'], { answer_status: 'a' }, { status: 'a' }],
	[
		'a field of the record that looks flattened',
		['status'],
		{ answer_status: 'r', answer_answer_status: 'a' },
		{ status: 'a' },
	],
	[
		'two questions',
		['status', 'answer_status'],
		{ answer_status: 'a', answer_answer_status: 'b', status: 'r' },
		{ status: 'a', answer_status: 'b' },
	],
	[
		'two questions, one of them removed',
		['status', 'answer_status'],
		{ status: 'r', answer_answer_status: 'b' },
		{ answer_status: 'b' },
	],
	[
		'a question that only looks flattened',
		['answer_status'],
		{ status: 'r', answer_status: 'b' },
		{ answer_status: 'b' },
	],
	[
		'an unanswered question',
		['status', 'name'],
		{ status: 'r', answer_status: '', name: 'Ada' },
		{ name: 'Ada' },
	],
])(
	'takes no field of the record for an answer that is flattened: %s',
	async (_, keys, row, answers) => {
		const saved = keys.map((id) => ({ id }));
		await runOn(sandbox, automatic({}, saved), { input: [row] });

		expect(stored()).toEqual([answers]);
	},
);

it('knows questions whose names look like flattened ones, or like those of every object', async () => {
	const saved = ['id', 'answer_id', 'constructor', '__proto__'].map((id) => ({ id }));
	const input = JSON.parse(
		'[{"id":"1","answer_answer_id":"2","answer_id":"3","constructor":"4","__proto__":"5","toString":"6"}]',
	) as IDataObject[];
	await runOn(sandbox, automatic({}, saved), { input });

	const [answers] = stored();
	expect(JSON.parse(JSON.stringify(answers))).toEqual(
		expect.objectContaining({ constructor: '4' }),
	);
	expect(Object.keys(answers!)).not.toContain('toString');
});

it('sends each field to the question of exactly its name, where no flattened name says otherwise', async () => {
	const saved = ['message', 'answer_message', 'answer_answer_message'].map((id) => ({ id }));
	const all = { message: 'm', answer_message: 'a', answer_answer_message: 'aa' };
	await runOn(sandbox, automatic({}, saved.slice(0, 2)), {
		input: [
			{ message: 'm', answer_message: 'a' },
			{ answer_message: 'a' },
			{ answer_message: 'm', answer_answer_message: 'a' },
		],
	});
	await runOn(sandbox, automatic({}, saved), { input: [all] });

	expect(stored()).toEqual([
		{ message: 'm', answer_message: 'a' },
		{ answer_message: 'a' },
		{ message: 'm', answer_message: 'a' },
		all,
	]);
});

describe('names that differ only in what nobody sees', () => {
	const saved = ['email', 'prénom', 'message', ' city'].map((id) => ({ id }));

	it('are those of the questions', async () => {
		const result = await runOn(sandbox, automatic({}, saved), {
			input: [
				{ '\uFEFFemail': 'a', ['prénom'.normalize('NFD')]: 'b', 'city ': 'c' },
				{ '\uFEFFanswer_message': 'd', ' email ': 'e' },
				{ '\uFEFFemail': 'other', email: 'exact', 'email ': 'other' },
			],
		});

		expect(stored()).toEqual([
			{ email: 'a', prénom: 'b', ' city': 'c' },
			{ message: 'd', email: 'e' },
			{ email: 'exact' },
		]);
		expect(hintsOf(result)?.[0]).toContain('this node has loaded: \uFEFFemail, email .');
	});

	it('match an existing response', async () => {
		const options = { skipExisting: true, matchOn: ['name'] };
		const input = [{ '\uFEFFname': 'Ada' }, { '\uFEFFname': 'Lin' }];
		const { items } = await runOn(sandbox, automatic(options), { input });
		await runOn(sandbox, automatic(options, []), { input: [{ '\uFEFFname': 'Ada' }] });

		expect(items.map(({ json }) => json.skipped)).toEqual([true, undefined]);
		expect(stored()).toEqual([{ name: 'Lin' }]);
	});

	it('lose the byte order mark where they are those of no known question', async () => {
		const input = [{ '\uFEFFphone': '1', 'fax ': '2', name: 'Ada' }];
		await runOn(sandbox, automatic({}, []), { input });
		await runOn(sandbox, automatic({ otherFields: 'send' }), { input });

		expect(stored()).toEqual(Array(2).fill({ phone: '1', 'fax ': '2', name: 'Ada' }));
	});
});

describe('a form that comes from an expression', () => {
	const form = '={{ $json.form }}';
	const allSent =
		'All fields were sent where the questions of the form are not known: form, phone. Open this node to load those of the form of the first item, and for other forms remove fields that are no answers before this node';
	const leftOut = `Left out, because they are not among the questions that this node has loaded: form, row. To submit a field, give it the name of its question (name, id, message, topics). ${refresh}. To send all fields, set Other Fields under Options to Send`;

	it.each([form, byId(form)])(
		'gets all fields, unless its questions were loaded: %j',
		async (formId) => {
			const input = [
				{ form: 'f2', phone: '5', error: 'failed before\nOutcome: not sent' },
				{ form: ' f1 ', name: 'Lin', row: 3, answer_message: 'Hi' },
			];
			const result = await runOn(sandbox, { ...automatic(), formId }, { input });
			const asked = await runOn(
				sandbox,
				{ ...automatic({ otherFields: 'send' }), formId },
				{ input: [{ form: 'f2', phone: '6' }] },
			);

			expect(stored()).toEqual([
				{ form: 'f2', phone: '5' },
				{ name: 'Lin', message: 'Hi' },
				{ form: 'f2', phone: '6' },
			]);
			expect([hintsOf(result), hintsOf(asked)]).toEqual([[leftOut, allSent], []]);
		},
	);

	it('gets all fields where the rows do not tell their form', async () => {
		const rows = (schema as IDataObject[]).map((row) => ({ ...row, formId: undefined }));
		const parameters = { ...automatic({}, rows), formId: byId(form) };
		await runOn(sandbox, parameters, { input: [{ form: 'f1', name: 'Lin' }] });

		expect(stored()).toEqual([{ form: 'f1', name: 'Lin' }]);
	});

	it('stops only at items whose questions are not known, or that have other fields', async () => {
		const parameters = { ...automatic({ otherFields: 'stop' }), formId: byId(form) };
		const mixed = { ...parameters, formId: byId('={{ $itemIndex === 1 ? "f2" : "f1" }}') };
		const input = [{ name: 'Lin' }, { name: 'Ada' }];
		const stopped = await runOn(sandbox, mixed, { input });
		expect([factsOf(stopped.error).itemIndex, requestsTo(sandbox)]).toEqual([1, []]);

		const { items } = await runOn(sandbox, mixed, {
			input,
			node: { onError: 'continueRegularOutput' },
		});
		const { error } = await runOn(sandbox, parameters, { input: [{ form: '', name: 'Lin' }] });

		expect(items.map(({ json }) => json.error)).toEqual([
			undefined,
			expect.stringContaining('Other Fields is Stop, but the questions of the form are not known'),
		]);
		expect(factsOf(error).message).toContain('No form is chosen');
		expect(stored()).toEqual([{ name: 'Lin' }]);
	});

	it.each(['defineBelow', 'autoMapInputData'])(
		'is split by its own questions, whatever those of the first item are: %s',
		async (mode) => {
			const options = { splitMultipleAt: ';' };
			const value = { topics: '={{ $json.topics }}' };
			const mapped = mode === 'defineBelow' ? manual(value, options) : automatic(options);
			const input = ['f1', 'f2'].map((id) => ({ form: id, topics: 'a; b' }));
			const result = await runOn(sandbox, { ...mapped, formId: byId(form) }, { input });

			expect(stored().map(({ topics }) => topics)).toEqual([['a', 'b'], 'a; b']);
			expect(hintsOf(result)).toContain(unsplit('topics', mode));
		},
	);

	it('may have the question to match on, whatever was loaded', async () => {
		const options = { skipExisting: true, matchOn: ['phone'] };
		const parameters = { ...manual({ name: '={{ $json.name }}' }, options), formId: byId(form) };
		sandbox.responses.push(responseRecord('f2', 'other', { answers: { phone: '5' } }));
		const { status } = await runOn(sandbox, parameters, { input: [{ form: 'f2', name: 'Lin' }] });

		expect([status, stored().slice(1)]).toEqual(['success', [{ name: 'Lin' }]]);
	});
});

it.each(['constructor', 'prototype', '__proto__'])(
	'refuses the question %s, mapped by hand, as long as it is on screen: n8n drops it',
	async (key) => {
		const value = JSON.parse(`{"name":"Max","${key}":"Red Bull"}`) as object;
		const mapped = (row: object) => ({
			...automatic(),
			answersMapping: { mappingMode: 'defineBelow', value, schema: [{ id: 'name' }, row] },
		});
		const { error } = await runOn(sandbox, mapped({ id: key }) as never);
		await runOn(sandbox, mapped({ id: key, removed: true }) as never);

		expect(factsOf(error)).toEqual({
			message: `n8n loses an answer that is mapped to "${key}" by hand: remove this question from Answers, or choose As JSON or By Question Key under Enter Answers`,
			itemIndex: 0,
		});
		expect(stored()).toEqual([{ name: 'Max' }]);
	},
);

const asText =
	'The answers to these multiple-choice questions were sent as one text: topics. To choose several options, set Split Multiple Choice At under Options, or make the answer a list before this node';

const unsplit = (names: string, mode?: string) =>
	`Split Multiple Choice At did not split the text of questions that are not known to be multiple choice: ${names}. If the form has responses, open this node${mode === 'autoMapInputData' ? ', choose Map Each Column Manually, select Refresh Question List in the menu (⋮) of Answers, and choose Map Automatically again' : ' and select Refresh Question List in the menu (⋮) of Answers'}. If that does not help, make the answer a list before this node, or choose As JSON under Enter Answers`;

const loaded = (id: string) => ({ id, formId: 'f1', multipleChoice: id === 'topics' });
const unseen = (id: string) => ({ id, formId: 'f1', isUnseen: true });

const manual = (value: object, options: IDataObject) =>
	({
		...automatic(options),
		answersMapping: { mappingMode: 'defineBelow', value, schema },
	}) as INodeParameters;

describe('text for multiple choice', () => {
	it.each(['autoMapInputData', 'defineBelow'])(
		'is split where that is asked for: %s',
		async (mode) => {
			const options = { splitMultipleAt: '={{ $json.at }}', otherFields: 'leaveOut' };
			const value = { name: '={{ $json.name }}', topics: '={{ $json.topics }}' };
			const parameters = mode === 'defineBelow' ? manual(value, options) : automatic(options);
			const input = [
				{ at: ',', name: 'Ada, Countess', topics: 'Sales, Support,,' },
				{ at: ';', name: 'Grace', topics: 'Sales, Support' },
				{ at: '', name: 'Lin', topics: 'Sales;Support' },
				{ at: ',', name: 'Max', topics: 2 },
				{ at: ',', name: 'Bob', topics: true },
				{ at: '', name: 'Zoe', topics: 2 },
				{ at: ',', name: 'Ida, 2', topics: '2' },
				{ at: ', ', name: 'Eva', topics: ['a, b'] },
				{ at: ', ', name: 'Tom', topics: '' },
				{ at: ',', name: 7, topics: 'Sales' },
			];
			const { error } = await runOn(sandbox, parameters, { input });

			expect(error).toBeUndefined();
			expect(stored()).toEqual([
				{ name: 'Ada, Countess', topics: ['Sales', 'Support'] },
				{ name: 'Grace', topics: ['Sales, Support'] },
				{ name: 'Lin', topics: 'Sales;Support' },
				{ name: 'Max', topics: ['2'] },
				{ name: 'Bob', topics: ['true'] },
				{ name: 'Zoe', topics: '2' },
				{ name: 'Ida, 2', topics: ['2'] },
				{ name: 'Eva', topics: ['a, b'] },
				{ name: 'Tom' },
				{ name: '7', topics: ['Sales'] },
			]);
		},
	);

	const texts = { topics: 'a;b', name: 'c;d', city: 'e;f', list: '={{ ["g;h"] }}', one: 'i' };

	it.each<[string, unknown, string | undefined]>([
		['rows that this node has loaded', ['topics', 'name', 'one'].map(loaded), 'city'],
		[
			'rows of which the responses leave it open',
			[loaded('topics'), { ...loaded('name'), isUnsure: true }, loaded('city')],
			'name',
		],
		[
			'rows of text only',
			['topics', 'name'].map((id) => ({ id, formId: 'f1' })),
			'topics, name, city',
		],
		['rows without a form', [{ id: 'topics', multipleChoice: true }, { id: 'name' }], 'name, city'],
		[
			'rows that were made of what is mapped',
			[unseen('topics'), unseen('name')],
			'topics, name, city',
		],
		['no rows', undefined, 'topics, name, city'],
	])('is named if it was not split, and may have to be: %s', async (_, saved, names) => {
		const mapped = {
			...automatic({ splitMultipleAt: ';' }),
			answersMapping: { mappingMode: 'defineBelow', value: texts, schema: saved },
		} as INodeParameters;
		const result = await runOn(sandbox, mapped);
		const whole = await runOn(sandbox, { ...mapped, options: {} });

		expect(hintsOf(result)).toEqual([unsplit(String(names))]);
		const isMultiple = JSON.stringify(saved ?? []).includes('"multipleChoice":true');
		expect(hintsOf(whole)).toEqual(isMultiple ? [asText] : []);
		expect(stored()[0]).toMatchObject({ name: 'c;d', city: 'e;f', list: ['g;h'], one: 'i' });
	});

	it('is no text where it is empty or a list', async () => {
		const input = [
			{ name: 'Ada', topics: '' },
			{ name: 'Lin', topics: ['Sales'] },
		];

		expect(hintsOf(await runOn(sandbox, automatic(), { input }))).toEqual([]);
	});

	it.each(['={{ $json.at }}', '={{ null }}'])(
		'is not sent whole where the expression for the split is wrong: %s',
		async (splitMultipleAt) => {
			const input = [{ name: 'Ada', topics: 'Sales,Support' }];
			const { error } = await runOn(sandbox, automatic({ splitMultipleAt }), { input });

			expect(factsOf(error)).toEqual({
				message:
					'Split Multiple Choice At has an expression that returns no value: make it return text, or empty text to split nothing',
				itemIndex: 0,
			});
			expect(requestsTo(sandbox)).toEqual([]);
		},
	);
});

describe('what an AI Agent adds to the call of a tool', () => {
	const type = 'n8n-nodes-form-collection.formCollectionTool';
	const args = { sessionId: 's', chatInput: 'private', name: 'Ada', toolCallId: 'call_1' };

	const call = async (parameters: INodeParameters) =>
		await asTool({ parameters, credentials: credentialsOf(sandbox), node: { type } })(args).catch(
			(error: unknown) => error,
		);

	it.each([
		['the questions are not known', () => automatic({}, [])],
		['all fields are to be sent', () => automatic({ otherFields: 'send' })],
		['it may have the name of a question', () => automatic()],
		['other fields are to stop it', () => automatic({ otherFields: 'stop' })],
	])('is not submitted where %s', async (_, mapped) => {
		expect(factsOf(await call(mapped()))).toMatchObject({
			message:
				'Map Automatically would also submit the input of the AI Agent itself: choose Map Each Column Manually under Mapping Column Mode, or As JSON or By Question Key under Enter Answers',
		});
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('is submitted to a question of that name, or by another node than a tool', async () => {
		await call(automatic({}, [{ id: 'toolCallId' }]));
		await call(automatic({ otherFields: 'send' }, [{ id: 'toolCallId' }]));
		await runOn(sandbox, automatic({ otherFields: 'send' }), { input: [args] });

		expect(stored()).toEqual([{ toolCallId: 'call_1' }, args, args]);
	});
});
