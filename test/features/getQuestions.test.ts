import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
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
	const answers: unknown[] = [
		{ name: 'Ada', topics: ['Sales', 'Support'], 'e.mail': '' },
		{ name: '', topics: [], constructor: 'c' },
		{ name: 'x'.repeat(300), topics: ['Support', '', 'Other'] },
		null,
		{ odd: 7, topics: 'Sales' },
	];
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2'), formRecord('f3')],
		responses: [
			...answers.map((each, n) => responseRecord('f1', `r${n}`, { answers: each as never })),
			responseRecord('f2', 'z', { answers: { name: 'y'.repeat(300) } }),
		],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const text = { multipleChoice: false, options: [] };
const ofF1 = [
	{ key: 'name', answered: 2, ...text, example: 'Ada' },
	{ key: 'odd', answered: 1, ...text, example: '7' },
	{
		key: 'topics',
		answered: 3,
		multipleChoice: true,
		options: ['Sales', 'Support', 'Other'],
		example: 'Sales, Support',
	},
	{ key: 'constructor', answered: 1, ...text, example: 'c' },
	{ key: 'e.mail', answered: 0, ...text, example: '' },
];
const ofF2 = [{ key: 'name', answered: 1, ...text, example: `${'y'.repeat(200)}…` }];

const parameters = { operation: 'getQuestions', formId: byId('={{ $json.form }}') };

it('tells what past responses say of each question, in one request for each form', async () => {
	const input = [{ form: 'f1' }, { form: 'f2' }, { form: ' f1' }, { form: 'f3' }];
	const { items } = await runOn(sandbox, parameters, { input });

	expect(items).toEqual([...itemsOf(ofF1, 0), ...itemsOf(ofF2, 1), ...itemsOf(ofF1, 2)]);
	expect(requestsTo(sandbox)).toEqual(['f1', 'f2', 'f3'].map((form) => `GET /responses ${form}`));
	// The columns of a table: the last may be out of sight.
	expect(Object.keys(items[0]!.json).join()).toBe('key,answered,multipleChoice,example,options');
	(items[1]!.json.options as string[]).push('changed');
	expect(items[7]?.json).toEqual(ofF1[1]);
});

it.each([
	[[[], 'x', []], false],
	[['x', []], false],
	[[[], ''], true],
	[[[], []], true],
	[[[], 'x', ['y']], true],
	[[['y'], 'x'], true],
])(
	'knows by the answers %j whether a question is multiple choice',
	async (answers, multipleChoice) => {
		for (const [n, q] of answers.entries()) {
			sandbox.responses.push(responseRecord('f3', `m${n}`, { answers: { q } as never }));
		}
		const { items } = await runOn(sandbox, { ...parameters, formId: byId('f3') });

		expect(items[0]?.json).toMatchObject({ multipleChoice });
	},
);

it('knows the form picked from the list', async () => {
	const { items } = await runOn(sandbox, { ...parameters, formId: fromList('f2') });

	expect(items).toEqual(itemsOf(ofF2, 0));
});

it('lists the questions in the order of the form, also where no response answers them all', async () => {
	for (const keys of ['bd', 'ab', 'bcd', 'de', 'z', 'dy']) {
		const answers = Object.fromEntries([...keys].map((key) => [key, 'x']));
		sandbox.responses.push(responseRecord('f3', `o${keys}`, { answers }));
	}
	const { items } = await runOn(sandbox, { ...parameters, formId: byId('f3') });

	expect(items.map(({ json }) => json.key)).toEqual(['a', 'b', 'c', 'd', 'y', 'e', 'z']);
});

it('lists the options that came alone as text, after those in lists, each once', async () => {
	const long = 'x'.repeat(300);
	const answers = ['Billing', ['Sales', 'Support'], 'Sales', '', long, 'Billing', 7, ['Other']];
	for (const [n, topics] of answers.entries()) {
		const both = { topics, comment: `Comment ${n}` } as never;
		sandbox.responses.push(responseRecord('f3', `s${n}`, { answers: both }));
	}
	const { items } = await runOn(sandbox, { ...parameters, formId: byId('f3') });

	expect(items.map(({ json }) => [json.key, json.multipleChoice, json.options])).toEqual([
		['topics', true, ['Sales', 'Support', 'Other', 'Billing', '7']],
		['comment', false, []],
	]);
});

it('keeps at most 100 options of a question, those in lists first', async () => {
	for (let n = 0; n < 150; n++) {
		const answers = { n: n < 90 ? `text ${n}` : [`list ${n}`] } as never;
		sandbox.responses.push(responseRecord('f3', `p${n}`, { answers }));
	}
	const { items } = await runOn(sandbox, { ...parameters, formId: byId('f3') });

	const options = items[0]?.json.options as string[];
	expect(options).toHaveLength(100);
	expect(options.slice(59, 61)).toEqual(['list 149', 'text 0']);
});

it('keeps at most 100 options of a question', async () => {
	for (let n = 0; n < 150; n++) {
		const answers = { n: [`a${n}`, `b${n}`] } as IDataObject as never;
		sandbox.responses.push(responseRecord('f3', `o${n}`, { answers }));
	}
	const { items } = await runOn(sandbox, { ...parameters, formId: byId('f3') });

	expect(items[0]?.json.options).toHaveLength(100);
	expect(items[0]?.json.answered).toBe(150);
});

it.each(['continueRegularOutput', undefined] as const)(
	'asks for a form before any request, and goes on with the others (%s)',
	async (onError) => {
		const input = [{ form: '' }, { form: 'f2' }];
		const { items, error } = await runOn(sandbox, parameters, { input, node: { onError } });

		const message = 'No form is chosen: select one in the field Form, or enter its ID there';
		if (onError === undefined) {
			expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
			expect(requestsTo(sandbox)).toEqual([]);
		} else {
			expect(items).toEqual([
				expect.objectContaining({ json: { error: message }, pairedItem: { item: 0 } }),
				...itemsOf(ofF2, 1),
			]);
		}
	},
);
