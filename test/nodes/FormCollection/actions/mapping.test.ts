import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../../../sandbox';
import { startSandbox } from '../../../../sandbox';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	requestsTo,
	responseRecord,
	runOn,
} from '../../../support/formCollection';
import { loadOptions } from '../../../support/engine';
import { FormCollection } from '../../../../nodes/FormCollection/FormCollection.node';

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

describe('fields that are no question', () => {
	const input = [
		{ row_number: 2, name: 'Ada', empty: '', nothing: null },
		{ name: 'Grace', error: 'failed before', created_at: 't' },
		{ name: 'Lin' },
	];

	it('are left out, and named beside the output', async () => {
		const result = await runOn(sandbox, automatic(), { input });

		expect(stored()).toEqual([{ name: 'Ada' }, { name: 'Grace' }, { name: 'Lin' }]);
		expect(hintsOf(result)).toEqual([
			'Left out, because the form has no such questions: row_number, error, created_at. To send them as well, set Other Fields under Options to Send',
		]);
		expect(requestsTo(sandbox)).toEqual(Array(3).fill('POST /responses f1'));
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

	const message =
		'The form has no such questions: error, created_at. Remove these fields before this node, or set Other Fields under Options to Leave Out';

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
			const result = await runOn(sandbox, automatic({ otherFields: 'stop' }, saved), {
				input: [{ row_number: 2, name: 'Ada' }],
			});

			expect([result.error?.message, stored()]).toEqual([
				undefined,
				[{ row_number: '2', name: 'Ada' }],
			]);
			expect(hintsOf(result)).toEqual([]);
		}
	});

	it('are refused where an item has no others', async () => {
		const { error } = await runOn(sandbox, automatic(), { input: [{ Name: 'Ada', mail: 'x' }] });

		expect(factsOf(error)).toEqual({
			message:
				'No field of this item has the name of a question: rename the fields (Name, mail) to match the questions (name, id, message, topics), or choose Map Each Column Manually',
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
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

it('finds an answer under the name that Flatten Answers gives it', async () => {
	const input = [{ id: 'of the record', answer_id: '8', name: 'Ada', answer_message: 'Ho' }];
	await runOn(sandbox, automatic(), { input });
	await runOn(sandbox, automatic({ otherFields: 'send' }), { input });

	expect(stored()).toEqual(Array(2).fill({ id: '8', name: 'Ada', message: 'Ho' }));
});

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

describe('text for multiple choice', () => {
	const manual = (value: object, options: IDataObject) =>
		({
			...automatic(options),
			answersMapping: { mappingMode: 'defineBelow', value, schema },
		}) as INodeParameters;

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
				{ at: null, name: 'Max', topics: ['a, b'] },
				{ at: ', ', name: 'Eva', topics: ['a, b'] },
				{ at: ', ', name: 'Tom', topics: '' },
			];
			const { error } = await runOn(sandbox, parameters, { input });

			expect(error).toBeUndefined();
			expect(stored()).toEqual([
				{ name: 'Ada, Countess', topics: ['Sales', 'Support'] },
				{ name: 'Grace', topics: ['Sales, Support'] },
				{ name: 'Lin', topics: 'Sales;Support' },
				{ name: 'Max', topics: ['a, b'] },
				{ name: 'Eva', topics: ['a, b'] },
				{ name: 'Tom' },
			]);
		},
	);
});
