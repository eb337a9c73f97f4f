import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
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
	strangeFields,
} from '../support/formCollection';

let sandbox: Sandbox;

afterEach(async () => await sandbox.stop());

describe('Get Forms', () => {
	const getForms = { operation: 'getForms', returnAll: true };

	it.each(['plain', 'extended'] as const)(
		'returns the forms as the %s service has them, as many as each item asks for, in one request',
		async (variant) => {
			sandbox = await startSandbox({ variant });
			const parameters = {
				operation: 'getForms',
				returnAll: '={{ $json.all }}',
				limit: '={{ $json.limit }}',
			};
			const input = [{ all: false, limit: 2 }, { all: true }, { all: 'false', limit: '1' }];

			const { items, status } = await runOn(sandbox, parameters, { input });

			expect(status).toBe('success');
			expect(items).toEqual([
				...itemsOf(sandbox.forms.slice(0, 2), 0),
				...itemsOf(sandbox.forms, 1),
				...itemsOf(sandbox.forms.slice(0, 1), 2),
			]);
			expect(requestsTo(sandbox)).toEqual(['GET /forms']);
		},
	);

	describe('with forms of its own', () => {
		beforeEach(async () => {
			const forms = Array.from({ length: 60 }, (_, i) => formRecord(`f${i}`));
			sandbox = await startSandbox({ forms });
		});

		it('returns 50 forms by default', async () => {
			const { items } = await runOn(sandbox, { operation: 'getForms' });

			expect(items).toEqual(itemsOf(sandbox.forms.slice(0, 50), 0));
		});

		it('reads the forms again in the next execution', async () => {
			await runOn(sandbox, getForms);
			sandbox.forms.length = 0;
			const { items, status } = await runOn(sandbox, getForms);

			expect([status, items]).toEqual(['success', []]);
			expect(requestsTo(sandbox)).toEqual(['GET /forms', 'GET /forms']);
		});

		it('passes every field through untouched, known or not', async () => {
			const body = `{"forms":[{${strangeFields},"id":7},{}],"next":null}`;
			sandbox.faults.add({ body });

			const { items } = await runOn(sandbox, getForms);

			expect(JSON.stringify(items.map(({ json }) => json))).toBe(
				JSON.stringify(JSON.parse(body).forms),
			);
		});

		it('gives each input item objects of its own', async () => {
			sandbox.faults.add({ body: '{"forms":[{"nested":{"list":[1]}}]}' });

			const { items } = await runOn(sandbox, getForms, { input: [{}, {}] });
			(items[0]!.json.nested as { list: number[] }).list.push(2);

			expect(items[1]!.json).toEqual({ nested: { list: [1] } });
		});

		it.each([0, 2.5, 'x', ''])('refuses the limit %j before any request', async (limit) => {
			const { error } = await runOn(sandbox, { operation: 'getForms', limit });

			expect(factsOf(error)).toMatchObject({
				message: expect.stringContaining('Limit'),
				itemIndex: 0,
			});
			expect(requestsTo(sandbox)).toEqual([]);
		});
	});
});

describe('Get Questions', () => {
	const getQuestions = { operation: 'getQuestions', formId: byId('={{ $json.form ?? "f3" }}') };

	/** The order of the questions of one form is not promised. */
	const byItemAndKey = (items: INodeExecutionData[]) =>
		[...items].sort(
			(a, b) =>
				(a.pairedItem as { item: number }).item - (b.pairedItem as { item: number }).item ||
				String(a.json.key).localeCompare(String(b.json.key)),
		);

	beforeEach(async () => {
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
				responseRecord('f2', 'z', { answers: { name: 'Grace' } }),
			],
		});
	});

	const text = { multipleChoice: false, options: [] };
	const ofF1 = [
		{ key: 'constructor', answered: 1, ...text, example: 'c' },
		{ key: 'e.mail', answered: 0, ...text, example: '' },
		{ key: 'name', answered: 2, ...text, example: 'Ada' },
		{ key: 'odd', answered: 1, ...text, example: '7' },
		{
			key: 'topics',
			answered: 3,
			multipleChoice: true,
			options: ['Sales', 'Support', 'Other'],
			example: 'Sales, Support',
		},
	];
	const ofF2 = [{ key: 'name', answered: 1, ...text, example: 'Grace' }];

	it('tells what past responses say of each question, in one request for each form', async () => {
		const input = [{ form: 'f1' }, { form: 'f2' }, { form: ' f1' }, { form: 'f3' }];
		const { items } = await runOn(sandbox, getQuestions, { input });

		expect(byItemAndKey(items)).toEqual([
			...itemsOf(ofF1, 0),
			...itemsOf(ofF2, 1),
			...itemsOf(ofF1, 2),
		]);
		expect(requestsTo(sandbox)).toEqual(['f1', 'f2', 'f3'].map((form) => `GET /responses ${form}`));
		const [topics, same] = items.filter(({ json }) => json.key === 'topics');
		(topics!.json.options as string[]).push('changed');
		expect(same?.json.options).not.toContain('changed');
	});

	it('knows the form picked from the list', async () => {
		const { items } = await runOn(sandbox, { ...getQuestions, formId: fromList('f2') });

		expect(items).toEqual(itemsOf(ofF2, 0));
	});

	/** Asks for the questions of a form whose responses answer `q` in this way. */
	const questionAnswered = async (answers: unknown[]) => {
		for (const [n, q] of answers.entries()) {
			sandbox.responses.push(responseRecord('f3', `m${n}`, { answers: { q } as never }));
		}
		return (await runOn(sandbox, getQuestions)).items[0]?.json;
	};

	it.each([
		[['x', 'y'], false],
		[['x', []], false],
		[[['y'], 'x'], true],
		[['x', ['y']], true],
	])('knows by the answers %j whether a question is multiple choice', async (answers, expected) => {
		expect(await questionAnswered(answers)).toMatchObject({ multipleChoice: expected });
	});

	it('lists each option once, also one that came alone, as text', async () => {
		const question = await questionAnswered(['Billing', ['Sales', 'Support'], 'Sales', '', ['7']]);

		expect(question).toMatchObject({ answered: 4, multipleChoice: true });
		expect([...(question?.options as string[])].sort()).toEqual([
			'7',
			'Billing',
			'Sales',
			'Support',
		]);
	});

	it('lists at most 100 options of a question', async () => {
		const question = await questionAnswered(
			Array.from({ length: 150 }, (_, n) => [`a${n}`, `b${n}`]),
		);

		expect(question?.options).toHaveLength(100);
		expect(question?.answered).toBe(150);
	});

	it.each(['continueRegularOutput', undefined] as const)(
		'asks for a form before any request, and goes on with the others only if told to (%s)',
		async (onError) => {
			const input: IDataObject[] = [{ form: '' }, { form: 'f2' }];
			const { items, error } = await runOn(sandbox, getQuestions, { input, node: { onError } });

			if (onError === undefined) {
				expect(factsOf(error)).toMatchObject({
					message: expect.stringContaining('form'),
					itemIndex: 0,
				});
				expect(requestsTo(sandbox)).toEqual([]);
			} else {
				expect(items).toEqual([
					expect.objectContaining({
						json: { error: expect.stringContaining('form') },
						pairedItem: { item: 0 },
					}),
					...itemsOf(ofF2, 1),
				]);
			}
		},
	);
});
