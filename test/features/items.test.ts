import { setTimeout as sleep } from 'node:timers/promises';
import type { INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';
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

const onError = (value: INode['onError']) => ({ node: { onError: value } });

const failure = (item: number, error: RegExp) => ({
	json: { error: expect.stringMatching(error) as string },
	pairedItem: { item },
});

/** Without the error objects that n8n keeps beside the items */
const visible = (items: INodeExecutionData[]) =>
	items.map(({ json, pairedItem }) => ({ json, pairedItem }));

const sentNumbers = () =>
	sandbox.log.map(({ body }) => (body as { answers: { n: string } }).answers.n);

const created = () =>
	sandbox.responses.slice(2).map(({ id }) => ({ success: true, response_id: id }));

describe('reads, the second of three items failing', () => {
	const input = [{ form: 'f1' }, { form: 'nowhere' }, { form: 'f2' }];
	const first = itemsOf([responseRecord('f1', 'r1')], 0);
	const last = itemsOf([responseRecord('f2', 'r2')], 2);
	const notFound = /nowhere.*\(404\)/;

	it('end with its error when the node stops', async () => {
		const { status, items, error } = await runOn(sandbox, getResponses, { input });

		expect([status, items]).toEqual(['error', []]);
		expect(factsOf(error)).toMatchObject({
			message: expect.stringMatching(notFound) as string,
			itemIndex: 1,
		});
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1', 'GET /responses nowhere']);
	});

	it('give its error in its place when the node continues', async () => {
		const more = { input, ...onError('continueRegularOutput') };
		const { status, items } = await runOn(sandbox, getResponses, more);

		expect(status).toBe('success');
		expect(visible(items)).toEqual([...first, failure(1, notFound), ...last]);
	});

	it('give its error, with its fields, to the error output', async () => {
		const more = { input, ...onError('continueErrorOutput') };
		const { items, failed } = await runOn(sandbox, getResponses, more);

		expect(items).toEqual([...first, ...last]);
		expect(failed).toMatchObject([
			{ json: { form: 'nowhere', error: expect.stringMatching(notFound) as string } },
		]);
		expect(failed[0]?.pairedItem).toEqual({ item: 1 });
	});
});

it('gives each item its own error of a read that they share, and repeats only the tries of one', async () => {
	sandbox.faults.add({ status: 503 });
	const { items } = await runOn(sandbox, getResponses, {
		input: Array(3).fill({ form: 'f1' }),
		...onError('continueRegularOutput'),
	});

	expect(visible(items)).toEqual([0, 1, 2].map((item) => failure(item, /\(503\)/)));
	expect(new Set(items.map(({ json }) => json)).size).toBe(3);
	expect(requestsTo(sandbox)).toEqual(Array(3).fill('GET /responses f1'));
});

describe('creations, the second of three items failing', () => {
	const input = numbered(3);

	it('stop there when the node stops, and name the item', async () => {
		sandbox.faults.add(forItem(1, { status: 500 }));
		const { status, error } = await runOn(sandbox, create(1), { input });

		expect(status).toBe('error');
		expect(factsOf(error)).toMatchObject({
			message: expect.stringMatching(/\(500\)/) as string,
			itemIndex: 1,
		});
		expect(sentNumbers()).toEqual(['<0>', '<1>']);
	});

	it('give its error in its place when the node continues', async () => {
		sandbox.faults.add(forItem(1, { status: 500 }));
		const more = { input, ...onError('continueRegularOutput') };
		const { items } = await runOn(sandbox, create(1), more);

		expect(visible(items)).toEqual([
			...itemsOf(created().slice(0, 1), 0),
			failure(1, /\(500\)/),
			...itemsOf(created().slice(1), 2),
		]);
		expect(sentNumbers()).toEqual(['<0>', '<1>', '<2>']);
	});

	it.each<[string, Fault]>([
		['unknown', { status: 500 }],
		['unknown', { cut: 'connection' }],
		['unknown', { status: 200, body: 'no JSON' }],
		['refused', { status: 422, body: { message: 'No n' } }],
		['refused', { status: 200, body: { success: false } }],
		['refused', { status: 401 }],
		['refused', { status: 429 }],
	])('give it to the error output with the outcome "%s": %j', async (outcome, fault) => {
		sandbox.faults.add(forItem(1, { ...fault, times: 1 }));
		const more = { input: input.slice(0, 2), ...onError('continueErrorOutput') };
		const { items, failed } = await runOn(sandbox, create(1), more);

		expect(items).toEqual(itemsOf(created(), 0));
		expect(failed).toMatchObject([{ json: { n: '<1>' }, pairedItem: { item: 1 } }]);
		expect(String(failed[0]?.json.error).split('\n').at(-1)).toBe(`Outcome: ${outcome}`);
	});

	it('send the others when its answers cannot be sent', async () => {
		const more = { input: [{ n: '<0>' }, {}, { n: '<2>' }], ...onError('continueErrorOutput') };
		const { items, failed } = await runOn(sandbox, create(3), more);

		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(visible(failed)).toEqual([failure(1, /\nOutcome: not sent$/)]);
		expect(sentNumbers().sort()).toEqual(['<0>', '<2>']);
	});
});

it('puts out creations in the order of the items, whatever the order of the replies', async () => {
	sandbox.faults.add(forItem(0, { delayMs: 100, stored: true }));
	const { items } = await runOn(sandbox, create(3), { input: numbered(3) });

	const idOf = (n: string) => sandbox.responses.find(({ answers }) => answers.n === n)?.id;
	expect(items).toEqual(
		numbered(3).map(({ n }, item) => ({
			json: { success: true, response_id: idOf(n) },
			pairedItem: { item },
		})),
	);
});

describe('items in flight when one fails', () => {
	it('are finished, but no more is started; the error names the item that failed', async () => {
		sandbox.faults.add(
			forItem(0, { delayMs: 300, stored: true }),
			forItem(2, { status: 422 }),
			forItem(1, { delayMs: 150, status: 500 }),
		);
		const { status, error } = await runOn(sandbox, create(3), { input: numbered(10) });

		expect(status).toBe('error');
		expect(factsOf(error)).toMatchObject({
			message: expect.stringMatching(/\(422\)/) as string,
			itemIndex: 2,
		});
		expect(sentNumbers().sort()).toEqual(['<0>', '<1>', '<2>']);
		expect(created()).toHaveLength(1);
	});
});

it('sends nothing where the first item has an answer that cannot be sent, and names the question', async () => {
	const { error } = await runOn(sandbox, create(1), {
		input: [{ n: { nested: true } }, { n: '<1>' }],
	});

	expect(factsOf(error)).toMatchObject({
		message: expect.stringMatching(/\bn\b/) as string,
		itemIndex: 0,
	});
	expect(requestsTo(sandbox)).toEqual([]);
});

describe('a broken expression costs no request, and n8n explains it', () => {
	it.each<[string, INodeParameters, object]>([
		[
			'in an answer',
			{
				operation: 'createResponse',
				formId: byId('f1'),
				answersInput: 'keyValue',
				answers: { answer: [{ key: 'n', value: "={{ $('Old name').item.json.x }}" }] },
			},
			{ nodeCause: 'Old name' },
		],
		[
			'in a field of a read',
			{
				operation: 'getResponses',
				formId: byId('f1'),
				limit: "={{ $('Old name').first().json.n }}",
			},
			{ parameter: 'limit', nodeCause: 'Old name' },
		],
	])('%s', async (_, parameters, explained) => {
		const { status, error } = await runOn(sandbox, parameters, { input: [{}, {}] });

		expect(status).toBe('error');
		expect(error?.context).toMatchObject({ ...explained, itemIndex: 0 });
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'in each item, with On Error %s',
		async (setting) => {
			const options = { parallelRequests: "={{ $('Old name').first().json.x }}" };
			const { items, failed } = await runOn(
				sandbox,
				{ ...create(1), options },
				{ input: numbered(2), ...onError(setting) },
			);

			const explained = setting === 'continueErrorOutput' ? failed : items;
			expect(explained).toMatchObject([failure(0, /./), failure(1, /./)]);
			expect([...items, ...failed]).toHaveLength(2);
			expect(requestsTo(sandbox)).toEqual([]);
		},
	);
});

describe('what every further request of the account would meet, too', () => {
	it.each([401, 429])('is met once, and the items left are not sent: %i', async (status) => {
		sandbox.faults.add({ skip: 1, status });
		const { items } = await runOn(sandbox, create(1), {
			input: numbered(4),
			...onError('continueRegularOutput'),
		});

		const message = new RegExp(`\\(${status}\\)`);
		expect(visible(items.slice(1))).toEqual([1, 2, 3].map((item) => failure(item, message)));
		expect(sentNumbers()).toEqual(['<0>', '<1>']);
	});

	it('is met once by reads of different forms', async () => {
		sandbox.faults.add({ status: 429, headers: { 'Retry-After': '21' } });
		const { items } = await runOn(sandbox, getResponses, {
			input: [{ form: 'f1' }, { form: 'f2' }],
			...onError('continueRegularOutput'),
		});

		expect(visible(items)).toEqual([0, 1].map((item) => failure(item, /\(429\)/)));
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});

	it('is not a form without access', async () => {
		sandbox.faults.add({ status: 403, times: 1 });
		const { items } = await runOn(sandbox, getResponses, {
			input: [{ form: 'f1' }, { form: 'f2' }],
			...onError('continueRegularOutput'),
		});

		expect(visible(items)).toEqual([
			failure(0, /f1.*\(403\)/),
			...itemsOf([responseRecord('f2', 'r2')], 1),
		]);
	});
});

describe('stopping the execution', () => {
	const arrived = async (count: number) => {
		while (sandbox.log.length < count) await sleep(5);
	};

	it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'ends hanging creations and sends no more, with On Error %s',
		async (setting) => {
			sandbox.faults.add({ hang: true });
			const { status, items } = await runOn(sandbox, create(3), {
				input: numbered(10),
				...onError(setting),
				onStart: (stop) => void arrived(3).then(stop),
			});
			await sleep(100);

			expect(status).toBe('canceled');
			expect(sentNumbers().sort()).toEqual(['<0>', '<1>', '<2>']);
			expect(sandbox.log.every(({ callerLeft }) => callerLeft)).toBe(true);
			const errors = items.map(({ json }) => String(json.error));
			expect(errors).toHaveLength(setting === 'stopWorkflow' ? 0 : 10);
			for (const [item, error] of errors.entries()) {
				if (item < 3) expect(error).toMatch(/stored/);
				else expect(error).not.toMatch(/stored/);
			}
		},
	);

	it('ends the wait before another try', async () => {
		sandbox.faults.add({ status: 429, headers: { 'Retry-After': '20' } });
		const { status } = await runOn(sandbox, getResponses, {
			input: [{ form: 'f1' }, { form: 'f2' }],
			onStart: (stop) =>
				void arrived(1)
					.then(async () => await sleep(50))
					.then(stop),
		});

		expect(status).toBe('canceled');
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});
});

it('sends nothing if one item is bad', async () => {
	const { error } = await runOn(sandbox, create(1), { input: [{ n: '<0>' }, {}, { n: '<2>' }] });

	expect(factsOf(error).itemIndex).toBe(1);
	expect(sandbox.log).toEqual([]);
});
