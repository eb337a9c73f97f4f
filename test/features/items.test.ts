import { setTimeout as sleep } from 'node:timers/promises';
import type { INode, INodeParameters } from 'n8n-workflow';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import {
	byId,
	factsOf,
	formRecord,
	itemsOf,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [responseRecord('f1', 'r1'), responseRecord('f2', 'r2')],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const getResponses = { operation: 'getResponses', formId: byId('={{ $json.form }}') };

const create = (parallelRequests: number) => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ { "n": $json.n } }}',
	options: { parallelRequests },
});

const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ n: `<${i}>` }));

/** A fault of the item with this number. */
const forItem = (n: number, fault: Fault): Fault => ({ contains: `<${n}>`, ...fault });

const failedItem = (message: string, item: number) => ({
	json: { error: message },
	error: expect.objectContaining({
		name: 'NodeApiError',
		message,
		context: expect.objectContaining({ itemIndex: item }),
	}),
	pairedItem: { item },
});

const onError = (value: INode['onError']) => ({ node: { onError: value } });

const sentNumbers = () =>
	sandbox.log.map(({ body }) => (body as { answers: { n: string } }).answers.n);

const notFound = (form: string) =>
	`Form "${form}" was not found (404): select a form from the list, or enter its ID, not its slug`;
const couldNotAnswer =
	'The service could not answer (500): check whether the response was stored before you send it again';
const refused =
	'The service did not accept the request (422) and says "No n": check the answers against the form';
const wrongKey =
	'The service refused the API key (401): copy the key from your account settings into the Form Collection API credential';
const limited =
	'The request limit of your plan is reached (429): it counts per hour, so wait up to an hour before you try again';

describe('reads, the second of three items failing', () => {
	const input = [{ form: 'f1' }, { form: 'nowhere' }, { form: 'f2' }];
	const [first, last] = [
		itemsOf([responseRecord('f1', 'r1')], 0),
		itemsOf([responseRecord('f2', 'r2')], 2),
	];

	it('end with its error when the node stops', async () => {
		const { status, items, error } = await runOn(sandbox, getResponses, { input });

		expect([status, items]).toEqual(['error', []]);
		expect(factsOf(error)).toMatchObject({ message: notFound('nowhere'), itemIndex: 1 });
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1', 'GET /responses nowhere']);
	});

	it('give its error in its place when the node continues', async () => {
		const { status, items } = await runOn(sandbox, getResponses, {
			input,
			...onError('continueRegularOutput'),
		});

		expect(status).toBe('success');
		expect(items).toEqual([...first, failedItem(notFound('nowhere'), 1), ...last]);
	});

	it('give its error to the error output', async () => {
		const { status, items, failed } = await runOn(sandbox, getResponses, {
			input,
			...onError('continueErrorOutput'),
		});

		expect(status).toBe('success');
		expect(items).toEqual([...first, ...last]);
		expect(failed).toEqual([
			{
				json: {
					...input[1],
					error: [
						notFound('nowhere'),
						'The service says: "There is no form with this id."',
						'If this happens with every form, check the Base URL in the Form Collection API credential',
					].join('\n'),
				},
				pairedItem: { item: 1 },
			},
		]);
	});
});

it('gives each item its own error of a read that they share, and repeats only the tries of one', async () => {
	sandbox.faults.add({ status: 503 });
	const input = [{ form: 'f1' }, { form: 'f1' }, { form: 'f1' }];

	const { items } = await runOn(sandbox, getResponses, {
		input,
		...onError('continueRegularOutput'),
	});

	const message =
		'The service, or a proxy on the way to it, could not answer (503): try again in a few minutes';
	expect(items).toEqual([0, 1, 2].map((item) => failedItem(message, item)));
	expect(new Set(items.map(({ error }) => error)).size).toBe(3);
	expect(requestsTo(sandbox)).toEqual(Array(3).fill('GET /responses f1'));
});

describe('creations, the second of three items failing', () => {
	const input = numbered(3);
	const replies = () =>
		sandbox.responses.slice(2).map(({ id }) => ({ success: true, response_id: id }));

	beforeEach(() => sandbox.faults.add(forItem(1, { status: 500, stored: false })));

	it('tell no number where there is one item', async () => {
		sandbox.faults.add({ status: 500 });
		const { error } = await runOn(sandbox, create(1), { input: numbered(1) });

		expect(factsOf(error).message).toBe(couldNotAnswer);
	});

	it('tell how many were created when the node stops', async () => {
		const { status, error } = await runOn(sandbox, create(1), { input });

		expect(status).toBe('error');
		expect(factsOf(error)).toEqual({
			message: `${couldNotAnswer}. 1 of 3 responses were created, and 1 may have been${again}`,
			httpCode: '500',
			failure: { cause: 'temporarily-unavailable' },
			itemIndex: 1,
		});
		expect(sentNumbers()).toEqual(['<0>', '<1>']);
	});

	it('give its error in its place when the node continues', async () => {
		const { items } = await runOn(sandbox, create(1), {
			input,
			...onError('continueRegularOutput'),
		});

		expect(items).toEqual([
			...itemsOf(replies().slice(0, 1), 0),
			failedItem(couldNotAnswer, 1),
			...itemsOf(replies().slice(1), 2),
		]);
		expect(sentNumbers()).toEqual(['<0>', '<1>', '<2>']);
	});

	it('give its error to the error output', async () => {
		const { items, failed } = await runOn(sandbox, create(1), {
			input,
			...onError('continueErrorOutput'),
		});

		expect(items).toEqual([
			...itemsOf(replies().slice(0, 1), 0),
			...itemsOf(replies().slice(1), 2),
		]);
		expect(failed).toEqual([
			{
				json: {
					...input[1],
					error: expect.stringMatching(
						/500\): check whether .*\nReference: 0:1:[\w:-]+\nOutcome: unknown$/,
					),
				},
				pairedItem: { item: 1 },
			},
		]);
	});
});

it('takes an item that was refused before any request like any failed item', async () => {
	const message = 'This item has no answers: enter an answer to at least one question';
	const { items, failed } = await runOn(sandbox, create(3), {
		input: [{ n: '<0>' }, {}, { n: '<2>' }],
		...onError('continueErrorOutput'),
	});

	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
	expect(failed).toEqual([
		{
			json: { error: `${message}\nOutcome: not sent` },
			pairedItem: { item: 1 },
		},
	]);
	expect(sentNumbers().sort()).toEqual(['<0>', '<2>']);
});

it('tells of each failed item once', async () => {
	sandbox.faults.add({ route: 'POST /responses', status: 500 });
	const { error } = await runOn(sandbox, create(3), { input: [{ n: '<0>' }, {}, { n: '<2>' }] });

	expect(error?.description).toBe(
		'Items 0, 2: The service could not answer (500): check whether the response was stored before you send it again',
	);
});

describe('a broken expression', () => {
	const noWayBack = "={{ $('Form Collection').item.json.x }}";
	const answer = (value: string) => ({
		operation: 'createResponse',
		formId: byId('f1'),
		answersInput: 'keyValue',
		answers: { answer: [{ key: 'n', value }] },
	});

	it.each<[string, INodeParameters, object]>([
		[
			'of a node that does not exist',
			answer("={{ $('Old name').item.json.x }}"),
			{ parameter: 'answers.answer', nodeCause: 'Old name', descriptionKey: 'nodeNotFound' },
		],
		[
			'of a node without a way here',
			answer(noWayBack),
			{
				parameter: 'answers.answer',
				nodeCause: 'Form Collection',
				messageTemplate: 'No path back to referenced node. 0 of 2 responses were created',
				descriptionKey: 'pairedItemNoConnection',
				type: 'paired_item_no_connection',
			},
		],
		[
			'of a cell that is no date',
			answer('={{ $json.d.toDateTime() }}'),
			{ parameter: 'answers.answer' },
		],
		[
			'in a field of a read',
			{
				operation: 'getResponses',
				formId: byId('f1'),
				limit: "={{ $('Old name').first().json.n }}",
			},
			{ parameter: 'limit', nodeCause: 'Old name', descriptionKey: 'nodeNotFound' },
		],
	])('keeps what the editor explains it with: %s', async (_, parameters, kept) => {
		const input = [{ d: 'foo' }, { d: 'foo' }];
		const { error } = await runOn(
			sandbox,
			{ ...parameters, options: { parallelRequests: 1 } },
			{ input },
		);

		expect(error).toMatchObject({ name: 'NodeOperationError', context: { ...kept, itemIndex: 0 } });
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('is explained in the item, too', async () => {
		const { failed } = await runOn(sandbox, answer(noWayBack), onError('continueErrorOutput'));

		expect(failed.map(({ json }) => json.error)).toEqual([
			[
				'Invalid expression',
				'No path back to referenced node',
				'Field: Answers > Answer',
				'Node: Form Collection',
				'Outcome: not sent',
			].join('\n'),
		]);
	});
});

const again = ': turn on Skip Existing before you run the workflow again';

describe('a failing item while others are in flight', () => {
	it('lists all of the others that fail', async () => {
		for (const n of [0, 1, 2]) sandbox.faults.add(forItem(n, { status: 500, delayMs: 200 * n }));

		const { error } = await runOn(sandbox, create(3), { input: numbered(3) });

		expect(factsOf(error)).toMatchObject({
			message: `${couldNotAnswer}. 0 of 3 responses were created, and 3 may have been${again}. All 3 items failed for this reason`,
			itemIndex: 0,
		});
	});

	it('names every item, since each of them may be stored', async () => {
		sandbox.faults.add(
			forItem(0, { status: 500, delayMs: 200 }),
			forItem(1, { status: 422, body: { message: 'No n' } }),
			forItem(3, { status: 500, delayMs: 100 }),
			forItem(4, { status: 500, delayMs: 100 }),
			forItem(5, { status: 500, delayMs: 100 }),
		);
		const { error } = await runOn(sandbox, create(6), { input: numbered(6) });
		expect(factsOf(error)).toMatchObject({
			message: `${refused}. 1 of 6 responses were created, and 4 may have been${again}`,
			description: `Items 0, 3 to 5: ${couldNotAnswer}`,
		});

		sandbox.reset();
		sandbox.faults.add(forItem(0, { status: 500 }), forItem(2, { status: 500 }));
		const other = await runOn(sandbox, create(3), { input: numbered(3) });
		expect(factsOf(other.error).message).toBe(
			`${couldNotAnswer}. 1 of 3 responses were created, and 2 may have been${again}. Items 0, 2 failed for this reason`,
		);
	});

	it('names too many for a sentence in the description', async () => {
		const failing = Array.from({ length: 60 }, (_, n) => 2 * n);
		for (const n of failing) sandbox.faults.add(forItem(n, { status: 500 }));

		const { error } = await runOn(sandbox, create(120), { input: numbered(120) });

		expect(factsOf(error)).toMatchObject({
			message: `${couldNotAnswer}. 60 of 120 responses were created, and 60 may have been${again}. 60 items failed for this reason`,
			description: `Items ${failing.join(', ')}: ${couldNotAnswer}`,
		});
	});

	it('lets them finish, starts no more, and lists the others that fail', async () => {
		sandbox.faults.add(
			forItem(0, { delayMs: 400 }),
			forItem(2, { status: 422, body: { message: 'No n' } }),
			forItem(1, { delayMs: 200, status: 500, body: 'Out of order' }),
		);

		const { status, error } = await runOn(sandbox, create(3), { input: numbered(10) });

		expect(status).toBe('error');
		expect(factsOf(error)).toEqual({
			message: `${refused}. 1 of 10 responses were created, and 1 may have been${again}`,
			description: `Item 1: ${couldNotAnswer}`,
			httpCode: '422',
			failure: { cause: 'configuration-invalid' },
			itemIndex: 2,
		});
		expect(sentNumbers().sort()).toEqual(['<0>', '<1>', '<2>']);
		expect(sandbox.responses.slice(2).map(({ answers }) => answers)).toEqual([{ n: '<0>' }]);
	});
});

describe('what every further request would meet, too', () => {
	it.each([
		['a refused key', wrongKey, { status: 401 }],
		['a limit that says nothing', limited, { status: 429 }],
	])('is met once, the items left are not sent: %s', async (_, message, fault) => {
		sandbox.faults.add({ skip: 1, ...fault });

		const { items } = await runOn(sandbox, create(1), {
			input: numbered(4),
			...onError('continueRegularOutput'),
		});

		expect(items.slice(1)).toEqual([1, 2, 3].map((item) => failedItem(message, item)));
		expect(sentNumbers()).toEqual(['<0>', '<1>']);
	});

	it('is met once by reads of different forms', async () => {
		sandbox.faults.add({ status: 429, headers: { 'Retry-After': '21' } });

		const { items } = await runOn(sandbox, getResponses, {
			input: [{ form: 'f1' }, { form: 'f2' }],
			...onError('continueRegularOutput'),
		});

		const message = 'The request limit of your plan is reached (429): try again in 21 seconds';
		expect(items).toEqual([0, 1].map((item) => failedItem(message, item)));
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});

	it('is not what a form without access is', async () => {
		sandbox.faults.add({ status: 403, times: 1 });

		const { items } = await runOn(sandbox, getResponses, {
			input: [{ form: 'f1' }, { form: 'f2' }],
			...onError('continueRegularOutput'),
		});

		expect(items).toEqual([
			failedItem(
				'The API key has no access to form "f1" (403): copy the key of an account with access into the Form Collection API credential',
				0,
			),
			...itemsOf([responseRecord('f2', 'r2')], 1),
		]);
	});
});

describe('stopping the execution', () => {
	const inFlight =
		'The execution was stopped before the service answered: check whether the response was stored before you send it again';
	const notStarted = 'The execution was stopped before the request was sent: run it again';
	const canceled = `The execution was canceled before all items were done${again}. 0 of 10 responses were created, and 3 may have been`;

	async function arrived(count: number) {
		while (sandbox.log.length < count) await sleep(5);
	}

	it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'ends hanging creations and sends no more, with On Error %s',
		async (setting) => {
			sandbox.faults.add({ hang: true });
			const { status, items, error } = await runOn(sandbox, create(3), {
				input: numbered(10),
				...onError(setting),
				onStart: (stop) => void arrived(3).then(stop),
			});
			await sleep(100);

			expect(status).toBe('canceled');
			const isContinued = setting === 'continueRegularOutput';
			expect(items.map(({ json, pairedItem }) => ({ ...json, ...(pairedItem as object) }))).toEqual(
				isContinued
					? Array.from({ length: 10 }, (_, item) => ({
							item,
							error: item < 3 ? inFlight : notStarted,
						}))
					: [],
			);
			expect(error?.message).toBe(isContinued ? 'The execution was cancelled manually' : canceled);
			expect(sentNumbers().sort()).toEqual(['<0>', '<1>', '<2>']);
			expect(sandbox.log.every(({ callerLeft }) => callerLeft)).toBe(true);
		},
	);

	it('ends the wait before another try', async () => {
		sandbox.faults.add({ status: 429, headers: { 'Retry-After': '20' } });
		const { status } = await runOn(sandbox, getResponses, {
			input: [{ form: 'f1' }, { form: 'f2' }],
			onStart: (stop) =>
				void arrived(1)
					.then(async () => await sleep(100))
					.then(stop),
		});

		expect(status).toBe('canceled');
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});
});

it('names an operation that it does not have', async () => {
	const { error } = await runOn(sandbox, { operation: 'deleteForm' });

	expect(factsOf(error)).toEqual({
		message: 'There is no operation "deleteForm": select one from the Operation list',
	});
});
