import { setTimeout as sleep } from 'node:timers/promises';
import type { INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { polling } from '../support/engine';
import {
	byId,
	credentialsOf,
	formRecord,
	fromList,
	itemsOf,
	outcomeOf,
	requestsTo,
	responseRecord,
	runOn,
	shownBy,
} from '../support/formCollection';
import { runPoll } from '../support/poller';

/** What all operations do with their items and fields. */

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [
			responseRecord('f1', 'r1', { answers: { topics: ['a', 'b'] } }),
			responseRecord('f2', 'r2'),
		],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const read = { operation: 'getResponses', formId: byId('={{ $json.form }}') };
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
const settings = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

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

describe('the second of three items failing', () => {
	it.each(settings)('a submission is followed by what On Error says: %s', async (setting) => {
		sandbox.faults.add(forItem(1, { status: 422 }));
		const more = { input: numbered(3), ...onError(setting) };
		const { items, failed, error } = await runOn(sandbox, create(1), more);

		const stops = setting === 'stopWorkflow';
		expect(sentNumbers()).toEqual(stops ? ['<0>', '<1>'] : ['<0>', '<1>', '<2>']);
		const [first, last] = created();
		const good = [...itemsOf([first!], 0), ...itemsOf(last ? [last] : [], 2)];
		const bad = failure(1, /\(422\)[^]*\nOutcome: refused$/);
		if (stops) {
			expect(error).toMatchObject({ httpCode: '422', context: { itemIndex: 1 } });
		} else if (setting === 'continueRegularOutput') {
			expect(visible(items)).toEqual([good[0], bad, good[1]]);
		} else {
			expect(items).toEqual(good);
			expect(visible(failed)).toEqual([{ ...bad, json: { n: '<1>', ...bad.json } }]);
		}
	});

	it.each(settings.slice(1))('one that cannot be sent costs no request: %s', async (setting) => {
		const more = { input: [{ n: '<0>' }, {}, { n: '<2>' }, {}], ...onError(setting) };
		const { items, failed } = await runOn(sandbox, create(3), more);

		const bad = [...items, ...failed].filter(({ json }) => json.error);
		expect(visible(bad)).toEqual([1, 3].map((item) => failure(item, /\nOutcome: not sent$/)));
		expect(sentNumbers().sort()).toEqual(['<0>', '<2>']);
	});
});

it('puts out creations in the order of the items, whatever the order of the replies', async () => {
	sandbox.faults.add(forItem(0, { delayMs: 100, stored: true }));
	const { items } = await runOn(sandbox, create(3), { input: numbered(3) });

	const idOf = (n: string) => sandbox.responses.find(({ answers }) => answers.n === n)?.id;
	expect(items).toEqual(
		numbered(3).flatMap(({ n }, item) => itemsOf([{ success: true, response_id: idOf(n) }], item)),
	);
});

it('finishes the items in flight when one fails, starts no more, and names the one that failed first', async () => {
	sandbox.faults.add(
		forItem(0, { delayMs: 200, stored: true }),
		forItem(2, { status: 422 }),
		forItem(1, { delayMs: 100, status: 500 }),
	);
	const { error } = await runOn(sandbox, create(3), { input: numbered(10) });

	expect(error).toMatchObject({ httpCode: '422', context: { itemIndex: 2 } });
	expect(error?.description).toContain('1 more item failed.');
	expect(sentNumbers().sort()).toEqual(['<0>', '<1>', '<2>']);
	expect(created()).toHaveLength(1);
});

describe('what every further request of the account would meet, too', () => {
	it.each([401, 429])('is met once, and the items left are not sent: %i', async (status) => {
		sandbox.faults.add({ skip: 1, status });
		const more = { input: numbered(4), ...onError('continueErrorOutput') };
		const { failed } = await runOn(sandbox, create(1), more);

		expect(failed).toMatchObject(
			['refused', 'not sent', 'not sent'].map((outcome, i) =>
				failure(i + 1, new RegExp(`\\(${status}\\)[^]*Outcome: ${outcome}$`)),
			),
		);
		expect(sentNumbers()).toEqual(['<0>', '<1>']);
	});

	it.each<[string, Fault, string[], number]>([
		['a long wait once', { status: 429, headers: { 'Retry-After': '21' } }, ['f1', 'f2'], 1],
		['a short wait each', { status: 429, headers: { 'Retry-After': '0' } }, ['f1', 'f2'], 6],
		['a form without access each', { status: 403 }, ['f1', 'f2'], 2],
		['what is wrong with a form that they share once', { status: 422 }, ['f1', 'f1', 'f1'], 1],
	])('reads meet %s, and each item has its own error', async (_, fault, forms, requests) => {
		sandbox.faults.add(fault);
		const more = { input: forms.map((form) => ({ form })), ...onError('continueRegularOutput') };
		const { items } = await runOn(sandbox, read, more);

		const message = new RegExp(`\\(${fault.status}\\)(?![^]*Outcome)`);
		expect(visible(items)).toEqual(forms.map((__, item) => failure(item, message)));
		expect(new Set(items.map(({ json }) => json)).size).toBe(forms.length);
		expect(sandbox.log).toHaveLength(requests);
	});
});

it('an operation that is not there is named, and costs no request', async () => {
	const { error } = await runOn(sandbox, { operation: 'deleteForm' });

	expect(error?.message).toContain('"deleteForm"');
	expect(requestsTo(sandbox)).toEqual([]);
});

it('a broken expression costs no request, and n8n explains it', async () => {
	const limit = "={{ $('Old name').first().json.n }}";
	const { error } = await runOn(sandbox, { ...read, formId: byId('f1'), limit });

	const explained = { parameter: 'limit', nodeCause: 'Old name', itemIndex: 0 };
	expect(error?.context).toMatchObject(explained);
	expect(requestsTo(sandbox)).toEqual([]);
});

describe('stopping the execution', () => {
	const arrived = async (count: number) => {
		while (sandbox.log.length < count) await sleep(5);
	};

	it.each(settings.slice(0, 2))(
		'ends hanging submissions and sends no more: %s',
		async (setting) => {
			sandbox.faults.add({ hang: true });
			const { status, items } = await runOn(sandbox, create(3), {
				input: numbered(5),
				...onError(setting),
				onStart: (stop) => void arrived(3).then(stop),
			});
			while (sandbox.log.some(({ callerLeft }) => !callerLeft)) await sleep(5);

			expect(status).toBe('canceled');
			expect(sentNumbers().sort()).toEqual(['<0>', '<1>', '<2>']);
			const outcomes = items.map((item) => outcomeOf({ failed: [item] }));
			const expected = ['unknown', 'unknown', 'unknown', 'not sent', 'not sent'];
			expect(outcomes).toEqual(setting === 'stopWorkflow' ? [] : expected);
		},
	);

	it('ends the wait before another try', async () => {
		sandbox.faults.add({ status: 429, headers: { 'Retry-After': '20' } });
		const { status } = await runOn(sandbox, read, {
			input: [{ form: 'f1' }, { form: 'f2' }],
			onStart: (stop) => void arrived(1).then(() => setTimeout(stop, 50)),
		});

		expect(status).toBe('canceled');
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});
});

/** What each value comes to is in test/unit. */
describe('a field', () => {
	const operations = {
		getQuestions: {},
		getResponses: { formId: byId('f1'), returnAll: false, flattenAnswers: true },
		createResponse: {
			formId: byId('f1'),
			answersInput: 'mapping',
			answersMapping: { mappingMode: 'autoMapInputData', value: null },
		},
		getEmbedCode: { formSlug: fromList('f1') },
	} as unknown as Record<string, INodeParameters>;

	const run = async (operation: string, fields: object) =>
		await runOn(
			sandbox,
			{ operation, ...operations[operation], ...fields },
			{
				input: [{ topics: 'a' }],
				credentials: { ...credentialsOf(sandbox), embedUrl: 'https://forms.example.com' },
			},
		);

	/** `a.b` is `b` in the collection `a`. */
	const field = (path: string, value: string): object => {
		const [outer = '', inner] = path.split('.');
		if (inner === undefined) return { [path]: /form/.test(path) ? byId(value) : value };
		if (outer === 'options') return { options: { [inner]: value } };
		const filter = { question: 'q', condition: 'equals', value: 'x', [inner]: value };
		return { options: { answerFilters: { filter: [filter] } } };
	};

	const nothing = ['={{ $json.nothing }}', '={{ null }}', '={{ {} }}'];
	const empty = ['={{ "" }}', ' '];
	const wrong = ['={{ "maybe" }}', ...empty];
	it.each<[string, string, string, string[]]>([
		['getQuestions', 'ID', 'formId', empty],
		['getResponses', 'ID', 'formId', [...empty, '={{ true }}', 'http://a.example/f1']],
		['getResponses', 'Return All', 'returnAll', wrong],
		['getResponses', 'Limit', 'limit', wrong],
		['getResponses', 'Flatten Answers', 'flattenAnswers', wrong],
		['getResponses', 'Sort', 'options.sort', wrong],
		['getResponses', 'Timeout', 'options.timeout', wrong],
		['getResponses', 'Response ID', 'options.responseId', empty],
		['getResponses', 'Join Multiple', 'options.joinMultipleWith', []],
		['getResponses', 'Created After', 'options.createdAfter', ['2026-02-30']],
		['getResponses', 'Created Before', 'options.createdBefore', ['={{ 5 }}']],
		['getResponses', 'Question Name', 'filter.question', empty],
		['getResponses', 'Condition', 'filter.condition', wrong],
		['getResponses', 'Value', 'filter.value', empty],
		['createResponse', 'Enter Answers', 'answersInput', wrong],
		['createResponse', 'Skip Existing', 'options.skipExisting', wrong],
		['createResponse', 'Other Fields', 'options.otherFields', wrong],
		['createResponse', 'Split Multiple', 'options.splitMultipleAt', []],
		['createResponse', 'Parallel Requests', 'options.parallelRequests', wrong],
		['getEmbedCode', 'slug', 'formSlug', empty],
		['getEmbedCode', 'Mode', 'mode', wrong],
		['getEmbedCode', 'Height', 'height', wrong],
	])('of %s refuses by its name what it cannot have: %s', async (operation, name, path, more) => {
		for (const value of [...nothing, ...more]) {
			const { error, items } = await run(operation, field(path, value));

			expect([value, shownBy({ error })]).toEqual([value, expect.stringContaining(name)]);
			expect([error?.context.itemIndex, items]).toEqual([0, []]);
		}
		expect(requestsTo(sandbox)).toEqual([]);
	});

	const text = (value: unknown) => `={{ "${value}" }}`;
	const creating = { skipExisting: text(false), otherFields: text('send') };
	it.each<[string, object, object]>([
		[
			'getResponses',
			{
				...{ returnAll: text(false), limit: text(1), flattenAnswers: text(true) },
				options: { sort: text('Oldest First'), timeout: text(2.5), joinMultipleWith: '={{ 0 }}' },
			},
			{ id: 'r1', topics: 'a0b' },
		],
		['createResponse', { answersInput: text('mapping'), options: creating }, { success: true }],
		['getEmbedCode', { mode: text('Popup'), buttonText: '={{ 7 }}' }, { mode: 'popup' }],
	])('of %s is read from text: %j', async (operation, fields, expected) => {
		const { items } = await run(operation, fields);

		expect(items[0]?.json).toMatchObject(expected);
	});

	describe('of the trigger', () => {
		const poll = async (flattenAnswers: string, options: object) => {
			const parameters = { formId: byId('f1'), flattenAnswers, options } as INodeParameters;
			const { context } = polling({ parameters, credentials: credentialsOf(sandbox) });
			return await runPoll(context);
		};

		it('is read from text', async () => {
			const options = { includeExisting: '={{ "true" }}', joinMultipleWith: '={{ "+" }}' };

			expect(await poll('={{ "true" }}', options)).toMatchObject([{ topics: 'a+b' }]);
			expect(await poll('={{ "false" }}', options)).toEqual([sandbox.responses[0]]);
			expect(await poll('={{ "false" }}', { includeExisting: '={{ "false" }}' })).toEqual([]);
		});

		it.each([
			['Include Existing', { includeExisting: 'maybe' }],
			['Timeout', { timeout: '={{ "soon" }}' }],
		])('is refused by its name: %s', async (name, options) => {
			await expect(poll('true', options)).rejects.toThrow(name);
			expect(requestsTo(sandbox)).toEqual([]);
		});
	});
});
