import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import type { Sandbox, SandboxResponse } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool, loadOptions } from '../support/engine';
import type { TestResult } from '../support/engine';
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

/** The questions of f1, as the editor saves what the node gives it. */
let schema: unknown;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [
			responseRecord('f1', 'old', {
				answers: { name: 'Ada', id: '7', topics: ['Sales', 'Support'] },
			}),
		],
	});
	schema = await loaded();
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

async function loaded() {
	const context = loadOptions({
		parameters: { formId: byId('f1') },
		credentials: credentialsOf(sandbox),
	});
	const { fields } = await new FormCollection().methods.resourceMapping.getQuestions.call(context);
	return JSON.parse(JSON.stringify(fields)) as unknown;
}

/** What the editor saves where the form has these questions instead. */
async function loadedOf(...questions: string[]) {
	const answers = Object.fromEntries(questions.map((key) => [key, 'x']));
	sandbox.responses.splice(0, 1, responseRecord('f1', 'old', { answers }));
	const questionsOfForm = await loaded();
	sandbox.reset();
	return questionsOfForm;
}

const mapping = (answersMapping: object, options: IDataObject): INodeParameters => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'mapping',
	answersMapping: answersMapping as INodeParameters,
	options: { parallelRequests: 1, ...options } as INodeParameters,
});
const automatic = (options: IDataObject = {}, saved: unknown = schema) =>
	mapping(
		{ mappingMode: 'autoMapInputData', value: null, schema: saved },
		{ otherFields: 'leaveOut', ...options },
	);
const manual = (value: object, options: IDataObject = {}) =>
	mapping({ mappingMode: 'defineBelow', value, schema }, options);

const answersOf = ({ answers }: SandboxResponse) => answers;
const stored = () => sandbox.responses.slice(1).map(answersOf);

const hintsOf = ({ run }: TestResult) =>
	run.data.resultData.runData['Form Collection']?.at(-1)?.hints?.map(({ message }) => message);

/** The message may be shortened to what its description goes on with. */
const said = (error: unknown) => {
	const { message, description } = factsOf(error);
	return `${String(message)}\n${String(description)}`;
};

describe('questions that were loaded for another form', () => {
	const input = [{ name: 'Ada' }];
	const formId = byId('f2');

	it.each(['defineBelow', 'autoMapInputData'])(
		'are refused before any request: %s',
		async (mappingMode) => {
			const value = { name: '={{ $json.name }}' };
			const parameters = mapping({ mappingMode, value, schema }, {});
			const { error } = await runOn(sandbox, { ...parameters, formId }, { input });

			expect(said(error)).toMatch(/another form/);
			expect(requestsTo(sandbox)).toEqual([]);
		},
	);

	it('are no reason to fail where the answers are JSON', async () => {
		const parameters = {
			...automatic(),
			formId,
			answersInput: 'json',
			answersJson: '={{ $json }}',
		};
		await runOn(sandbox, parameters, { input });

		expect(stored()).toEqual(input);
	});
});

it('maps automatically whatever was mapped by hand before', async () => {
	const value = { name: "={{ $('Nowhere').first().json.x }}" };
	const parameters = mapping({ mappingMode: 'autoMapInputData', value, schema }, {});
	await runOn(sandbox, parameters, { input: [{ name: 'Lin' }] });

	expect(stored()).toEqual([{ name: 'Lin' }]);
});

describe('fields that are no question', () => {
	const input = [
		{ name: 'Ada', empty: '', nothing: null, none: [], gone: undefined },
		{ name: 'Grace', company: 'Navy', notes: ['x'] },
		{ name: 'Lin' },
	];
	const answers = [{ name: 'Ada' }, { name: 'Grace' }, { name: 'Lin' }];

	it('are left out where that is chosen, and named in a hint', async () => {
		const result = await runOn(sandbox, automatic(), { input });

		expect(stored()).toEqual(answers);
		expect(hintsOf(result)).toEqual([expect.stringMatching(/company, notes/)]);
		expect(hintsOf(result)?.[0]).not.toMatch(/empty|nothing|none|gone/);
		expect(requestsTo(sandbox)).toEqual(Array(3).fill('POST /responses f1'));
	});

	it('are sent where that is chosen', async () => {
		const result = await runOn(sandbox, automatic({ otherFields: 'send' }), { input });

		expect(stored()).toEqual([answers[0], input[1], answers[2]]);
		expect(hintsOf(result)).toEqual([]);
	});

	it('stop everything before anything is sent where that is chosen', async () => {
		const { error } = await runOn(sandbox, automatic({ otherFields: 'stop' }), { input });

		expect(said(error)).toMatch(/company, notes/);
		expect(factsOf(error).itemIndex).toBe(1);
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('stop only their own item where the others are to go on', async () => {
		const { items, failed } = await runOn(sandbox, automatic({ otherFields: 'stop' }), {
			input,
			node: { onError: 'continueErrorOutput' },
		});

		expect(failed.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual([
			[expect.stringMatching(/company, notes[^]*\nOutcome: not sent$/), { item: 1 }],
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(stored()).toEqual([answers[0], answers[2]]);
	});

	it.each([
		['nothing was loaded', [], byId('f1')],
		['the mapping is that of a client of the API of n8n', null, byId('f1')],
		['the form comes from an expression', undefined, byId('={{ "f2" }}')],
	])('are all sent, with a hint that names them, where %s', async (_, saved, formId) => {
		const parameters = { ...automatic({}, saved === undefined ? schema : saved), formId };
		const result = await runOn(sandbox, parameters, { input });

		expect(stored()).toEqual([answers[0], input[1], answers[2]]);
		expect(hintsOf(result)).toEqual([expect.stringMatching(/name, company, notes/)]);
	});

	it.each([
		{ nom: 'Ada', mail: 'x' },
		{ headers: { host: 'x' }, body: { name: 'Ada' } },
		{ form_id: 'f1', answers: { name: 'Ada' } },
	])('are refused before any request where the item has no others: %j', async (item) => {
		const { error } = await runOn(sandbox, automatic(), { input: [item] });

		expect(factsOf(error)).toMatchObject({ itemIndex: 0 });
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('matter only to automatic mapping', async () => {
		const otherFields = 'stop';
		const json = { answersInput: 'json', answersJson: '{"other":"x"}' };
		await runOn(sandbox, manual({ name: 'Ada', other: 'x' }, { otherFields }), {
			input: [{ a: 1 }],
		});
		await runOn(sandbox, { ...automatic({ otherFields }), ...json }, { input: [{ a: 1 }] });

		expect(stored()).toEqual([{ name: 'Ada', other: 'x' }, { other: 'x' }]);
	});
});

it.each([
	['known', () => schema],
	['not known', () => []],
])('leaves out empty cells, also empty lists, where the questions are %s', async (_, saved) => {
	const input = [
		{ name: 'Ada', topics: [] },
		{ name: '', id: null, topics: [], other: [] },
	];
	const { items } = await runOn(sandbox, automatic({}, saved()), {
		input,
		node: { onError: 'continueRegularOutput' },
	});

	expect(items.map(({ json }) => json.error)).toEqual([
		undefined,
		expect.stringContaining('no answers'),
	]);
	expect(stored()).toEqual([{ name: 'Ada' }]);
});

describe('the name of a field', () => {
	it.each<[string, string[], IDataObject, object]>([
		[
			'that Flatten Answers gave it',
			['id', 'name'],
			{ id: 'r1', answer_id: '8', name: 'Ada' },
			{ id: '8', name: 'Ada' },
		],
		[
			'that Flatten Answers gave it, alone',
			['created_at'],
			{ answer_created_at: 'a' },
			{ created_at: 'a' },
		],
		[
			'of a record, beside an unanswered question',
			['id', 'name'],
			{ id: 'r1', answer_id: '', name: 'Ada' },
			{ name: 'Ada' },
		],
		[
			'that is exactly that of a question',
			['note', 'answer_note'],
			{ note: 'n', answer_note: 'a' },
			{ note: 'n', answer_note: 'a' },
		],
		[
			'with spaces around it',
			['email', ' city'],
			{ ' email ': 'e', city: 'c' },
			{ email: 'e', ' city': 'c' },
		],
		['after the byte order mark of a CSV file', ['email'], { '\uFEFFemail': 'e' }, { email: 'e' }],
		[
			'that is exact, before one with spaces',
			['email'],
			{ ' email': 'other', email: 'e' },
			{ email: 'e' },
		],
		[
			'with accents written another way',
			['prénom'],
			{ ['prénom'.normalize('NFD')]: 'p' },
			{ prénom: 'p' },
		],
	])('may be one %s', async (_, questions, item, answers) => {
		const { error } = await runOn(sandbox, automatic({}, await loadedOf(...questions)), {
			input: [item],
		});

		expect([error, stored()]).toEqual([undefined, [answers]]);
	});
});

describe('a form that comes from an expression', () => {
	const formId = byId('={{ $json.form }}');

	it('gets all fields, unless its questions were loaded', async () => {
		const input = [
			{ form: 'f2', phone: '5' },
			{ form: ' f1 ', name: 'Lin', company: 'x' },
		];
		const result = await runOn(sandbox, { ...automatic(), formId }, { input });

		expect(stored()).toEqual([{ form: 'f2', phone: '5' }, { name: 'Lin' }]);
		expect(hintsOf(result)?.join('\n')).toMatch(/company/);
		expect(hintsOf(result)?.join('\n')).toMatch(/phone/);
	});

	it.each([
		['by hand', () => manual({ topics: '={{ $json.topics }}' }, { splitMultipleAt: ';' })],
		['automatically', () => automatic({ splitMultipleAt: ';' })],
	])('has its own multiple choice: mapped %s', async (_, mapped) => {
		const input = ['f1', 'f2'].map((form) => ({ form, topics: 'a; b' }));
		await runOn(sandbox, { ...mapped(), formId }, { input });

		expect(stored().map(({ topics }) => topics)).toEqual([['a', 'b'], 'a; b']);
	});
});

describe('text for multiple choice', () => {
	it.each(['autoMapInputData', 'defineBelow'])(
		'is split where Split Multiple Choice At says: %s',
		async (mode) => {
			const options = { splitMultipleAt: '={{ $json.at }}' };
			const value = { name: '={{ $json.name }}', topics: '={{ $json.topics }}' };
			const rows: [string, IDataObject, object][] = [
				[
					',',
					{ name: 'a, b', topics: 'Sales, Support,,' },
					{ name: 'a, b', topics: ['Sales', 'Support'] },
				],
				[';', { name: 'a', topics: 'Sales, Support' }, { name: 'a', topics: ['Sales, Support'] }],
				['', { name: 'b', topics: 'Sales;Support' }, { name: 'b', topics: 'Sales;Support' }],
				[',', { name: 'c', topics: 'Sales' }, { name: 'c', topics: ['Sales'] }],
				[',', { name: '2', topics: 2 }, { name: '2', topics: ['2'] }],
				[', ', { name: 'd', topics: ['a, b'] }, { name: 'd', topics: ['a, b'] }],
				[',', { name: 'e', topics: '' }, { name: 'e' }],
				[';', { name: 'f', topics: ' ; ' }, { name: 'f' }],
			];
			const parameters = mode === 'defineBelow' ? manual(value, options) : automatic(options);
			const input = rows.map(([at, item]) => ({ ...item, at }));
			const { error } = await runOn(sandbox, parameters, { input });

			expect(error).toBeUndefined();
			expect(stored()).toEqual(rows.map(([, , answers]) => answers));
		},
	);

	it('of questions that are not known to be multiple choice stays as it is', async () => {
		const value = { topics: 'a;b', name: 'c;d', city: 'e;f' };
		await runOn(sandbox, manual(value, { splitMultipleAt: ';' }));

		expect(stored()).toEqual([{ ...value, topics: ['a', 'b'] }]);
	});
});

/** Mapped automatically, as a tool that an AI Agent calls. */
async function callByAgent(options: IDataObject, saved?: unknown) {
	const call = asTool({
		parameters: automatic(options, saved),
		credentials: credentialsOf(sandbox),
		node: { type: 'n8n-nodes-form-collection.formCollectionTool' },
	});
	return await call({ sessionId: 's', chatInput: 'private', name: 'Ada', toolCallId: 'call_1' });
}

it('submits nothing of what an AI Agent adds to the call of a tool', async () => {
	await expect(callByAgent({ otherFields: 'stop' })).rejects.toThrow();
	expect(requestsTo(sandbox)).toEqual([]);
});

describe('by default', () => {
	it('fields that are no question stop the node before anything is sent', async () => {
		const parameters = { ...automatic(), options: {} };
		const { error } = await runOn(sandbox, parameters, { input: [{ name: 'Ada', company: 'x' }] });

		expect(said(error)).toContain('company');
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('text for multiple choice is split', async () => {
		await runOn(sandbox, automatic(), { input: [{ topics: 'Sales, Support' }] });

		expect(stored()).toEqual([{ topics: ['Sales', 'Support'] }]);
	});
});

it.each(['leaveOut', 'stop', 'send'])(
	'the fields of a record and row_number are left out without a word: %s',
	async (otherFields) => {
		const input = [{ row_number: 2, created_at: 't', name: 'Ada' }];
		const result = await runOn(sandbox, automatic({ otherFields }), { input });

		expect([stored(), hintsOf(result)]).toEqual([[{ name: 'Ada' }], []]);
	},
);

it('all fields are sent, with a hint, where no question is known', async () => {
	const result = await runOn(sandbox, automatic({ otherFields: 'stop' }, []), {
		input: [{ name: 'Lin' }],
	});

	expect(stored()).toEqual([{ name: 'Lin' }]);
	expect(hintsOf(result)).toEqual([expect.stringContaining('name')]);
});

it('a field finds its question whatever the case and the separators; an exact name wins', async () => {
	const saved = await loadedOf('full_name', 'e-mail');
	await runOn(sandbox, automatic({ otherFields: 'leaveOut' }, saved), {
		input: [
			{ 'Full Name': 'Ada', Email: 'a@x' },
			{ 'Full-Name': 'other', full_name: 'exact', 'E Mail': 'a@x' },
		],
	});

	expect(stored()).toEqual([
		{ full_name: 'Ada', 'e-mail': 'a@x' },
		{ full_name: 'exact', 'e-mail': 'a@x' },
	]);
});
