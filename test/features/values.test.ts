import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { polling } from '../support/engine';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';
import { runPoll } from '../support/poller';

/*
 * n8n's variables are text, and so is most of what expressions read from spreadsheets and web hooks.
 * A field reads such a value, or refuses it by its name; it never takes it for something else.
 */

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2'), formRecord('f3')],
		responses: [1, 2, 3].map((n) =>
			responseRecord('f1', `r${n}`, {
				answers: { topics: ['a', `b${n}`] },
				created_at: `2026-01-0${n}T12:00:00Z`,
			}),
		),
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const operations = {
	getForms: { operation: 'getForms', limit: 2 },
	getResponses: {
		operation: 'getResponses',
		formId: byId('f1'),
		limit: 2,
		options: { sort: 'asReceived' },
	},
	createResponse: {
		operation: 'createResponse',
		formId: byId('f1'),
		answersInput: 'json',
		answersJson: '{ "topics": ["a", "b1"] }',
	},
	getEmbedCode: { operation: 'getEmbedCode', formSlug: byId('f1'), buttonText: 'Open' },
} satisfies Record<string, INodeParameters>;

type OperationName = keyof typeof operations;

/** The parameters with one more: `a.b` is `b` in the collection `a`. */
function withField(parameters: INodeParameters, field: string, value: unknown): INodeParameters {
	const [name = '', inner] = field.split('.');
	const collection = parameters[name] as INodeParameters | undefined;
	const set = inner === undefined ? value : { ...collection, [inner]: value };
	return { ...parameters, [name]: set as INodeParameters };
}

const run = async (parameters: INodeParameters, item: object = {}) =>
	await runOn(sandbox, parameters, {
		input: [item as IDataObject],
		credentials: { ...credentialsOf(sandbox), embedUrl: 'https://forms.example.com' },
	});

const runWith = async (operation: OperationName, field: string, value: unknown) =>
	await run(withField(operations[operation], field, '={{ $json.value }}'), { value });

const idsOf = (items: { json: IDataObject }[]) => items.map(({ json }) => json.id);

/** The message may be shortened to what its description goes on with. */
const said = (error: unknown) => {
	const { message, description } = factsOf(error);
	return `${String(message)}\n${String(description)}`;
};

const forms = ['f1', 'f2', 'f3'];
const all = ['r1', 'r2', 'r3'];
const from = (first: number) => all.slice(first - 1);

describe('an expression', () => {
	it.each<[OperationName, string, unknown, string[]]>([
		...[true, 'true'].flatMap((value): [OperationName, string, unknown, string[]][] => [
			['getForms', 'returnAll', value, forms],
			['getResponses', 'returnAll', value, all],
		]),
		...[false, 'false'].flatMap((value): [OperationName, string, unknown, string[]][] => [
			['getForms', 'returnAll', value, forms.slice(0, 2)],
			['getResponses', 'returnAll', value, all.slice(0, 2)],
		]),
		['getForms', 'limit', 1, ['f1']],
		['getForms', 'limit', '3', forms],
		['getResponses', 'limit', '1', ['r1']],
		['getResponses', 'options.sort', 'newestFirst', ['r3', 'r2']],
		['getResponses', 'options.timeout', '30', ['r1', 'r2']],
		['getResponses', 'options.createdBefore', '', ['r1', 'r2']],
	])('%s reads %s from %j', async (operation, field, value, ids) => {
		const { items, error } = await runWith(operation, field, value);

		expect([error, idsOf(items)]).toEqual([undefined, ids]);
	});

	it.each<[OperationName, string, string, unknown, string[]]>([
		['getForms', 'returnAll', 'Return All', ' TRUE\n', forms],
		['getForms', 'returnAll', 'Return All', 1, forms],
		['getForms', 'returnAll', 'Return All', '1', forms],
		['getForms', 'returnAll', 'Return All', 'FALSE', ['f1', 'f2']],
		['getForms', 'returnAll', 'Return All', 0, ['f1', 'f2']],
		['getForms', 'limit', 'Limit', ' 1 ', ['f1']],
		['getForms', 'limit', 'Limit', '1.0', ['f1']],
		['getResponses', 'options.sort', 'Sort', ' NEWESTFIRST', ['r3', 'r2']],
		['getResponses', 'options.sort', 'Sort', 'Newest First', ['r3', 'r2']],
	])('%s reads or refuses %s (%s) from %j', async (operation, field, name, value, ids) => {
		const { items, error } = await runWith(operation, field, value);

		if (error) expect(said(error)).toContain(name);
		else expect(idsOf(items)).toEqual(ids);
	});

	it.each([
		['"true"', ['a + b1', 'a + b2']],
		['true', ['a + b1', 'a + b2']],
		['"false"', [undefined, undefined]],
		['false', [undefined, undefined]],
	])('flattens answers as %s says', async (value, topics) => {
		const options = { sort: 'asReceived', joinMultipleWith: '={{ " + " }}' };
		const flattenAnswers = `={{ ${value} }}`;
		const { items } = await run({ ...operations.getResponses, flattenAnswers, options });

		expect(items.map(({ json }) => json.topics)).toEqual(topics);
	});

	it.each([
		['true', 'GET'],
		[true, 'GET'],
		['false', 'POST'],
		[false, 'POST'],
	])('skips what is there already as %j says', async (value, method) => {
		const { items } = await runWith('createResponse', 'options.skipExisting', value);

		expect(items).toHaveLength(1);
		expect(requestsTo(sandbox)).toEqual([`${method} /responses f1`]);
	});

	it('gives Create Response its other fields as text', async () => {
		const { error } = await run({
			...operations.createResponse,
			answersInput: '={{ "json" }}',
			options: { parallelRequests: '={{ "5" }}', timeout: '={{ "2.5" }}' },
		});

		expect(error).toBeUndefined();
		expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);
	});

	it('gives Get Embed Code its mode', async () => {
		const { items } = await runWith('getEmbedCode', 'mode', 'popup');

		expect(items[0]?.json).toMatchObject({ mode: 'popup' });
	});
});

it.each([
	['true', all],
	['false', ['r1', 'r2']],
])('reads the text %j in a workflow that was written by hand', async (returnAll, ids) => {
	const { items } = await run({ ...operations.getResponses, returnAll });

	expect(idsOf(items)).toEqual(ids);
});

const fields: [OperationName, string, string, unknown[]][] = [
	['getForms', 'returnAll', 'Return All', ['maybe', 2, -1]],
	['getForms', 'limit', 'Limit', ['five', '5.5', '0x10', '1,000', 0, -1, 0.5, NaN, true]],
	['getResponses', 'returnAll', 'Return All', ['yes']],
	['getResponses', 'limit', 'Limit', ['0']],
	['getResponses', 'options.sort', 'Sort', ['newest', 0]],
	['getResponses', 'flattenAnswers', 'Flatten Answers', ['ja']],
	['getResponses', 'options.timeout', 'Timeout', ['30s', 0, 3601, true]],
	['createResponse', 'options.skipExisting', 'Skip Existing', ['on']],
	['createResponse', 'options.parallelRequests', 'Parallel Requests', ['five', 0, -1, 1.5]],
	['createResponse', 'options.timeout', 'Timeout', ['0x10']],
	['createResponse', 'answersInput', 'Enter Answers', ['xml']],
	['getEmbedCode', 'mode', 'Mode', ['sidebar']],
];

it.each(
	fields.flatMap(([operation, field, name, values]) =>
		[...values, undefined, null, '', { a: 1 }, ['true', '5']].map(
			(value) => [operation, field, value, name] as const,
		),
	),
)('%s refuses %s where it is %j', async (operation, field, value, name) => {
	const { error, items } = await runWith(operation, field, value);

	expect(said(error)).toContain(name);
	expect(factsOf(error).itemIndex).toBe(0);
	expect(items).toEqual([]);
	expect(requestsTo(sandbox)).toEqual([]);
});

const automatic = {
	answersInput: 'mapping',
	answersMapping: { mappingMode: 'autoMapInputData', value: null },
};

it.each<[string, OperationName, INodeParameters]>([
	['Other Fields', 'createResponse', { ...automatic, options: { otherFields: '={{ "drop" }}' } }],
	[
		'Split Multiple',
		'createResponse',
		{ ...automatic, options: { splitMultipleAt: '={{ null }}' } },
	],
	[
		'Split Multiple',
		'createResponse',
		{ ...automatic, options: { splitMultipleAt: '={{ $json.at }}' } },
	],
	[
		'Join Multiple',
		'getResponses',
		{ flattenAnswers: true, options: { joinMultipleWith: '={{ [";"] }}' } },
	],
	[
		'Condition',
		'getResponses',
		{
			options: {
				answerFilters: { filter: [{ question: 'n', condition: '={{ $json.nope }}', value: 'x' }] },
			},
		},
	],
])('refuses %s where an expression gives no such value', async (name, operation, parameters) => {
	const { error, items } = await run({ ...operations[operation], ...parameters }, { topics: 'a' });

	expect(said(error)).toContain(name);
	expect(items).toEqual([]);
	expect(requestsTo(sandbox)).toEqual([]);
});

it('refuses what one item has, and no other item', async () => {
	const parameters = withField(operations.createResponse, 'options.skipExisting', '={{ $json.s }}');
	const { items } = await runOn(sandbox, parameters, {
		input: [{ s: 'maybe' }, { s: 'false' }, { s: 'no' }],
		node: { onError: 'continueRegularOutput' },
	});

	const refused = expect.stringContaining('Skip Existing');
	expect(items.map(({ json }) => json.error)).toEqual([refused, undefined, refused]);
	expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);
});

describe('a date', () => {
	/** The responses of noon on 1, 2 and 3 January; the workflow is in Berlin, one hour ahead of UTC. */
	const readAfter = async (expression: string) =>
		await run({
			...operations.getResponses,
			returnAll: true,
			options: { sort: 'asReceived', createdAfter: `={{ ${expression} }}` },
		});

	it.each([
		['"2026-01-02T12:00:00Z"', from(2)],
		['"2026-01-02T12:00:01Z"', from(3)],
		['"2026-01-02T08:30:00-03:30"', from(2)],
		// Without a zone: that of the workflow
		['"2026-01-02T13:00:00"', from(2)],
		['"2026-01-02T13:00:01"', from(3)],
		['"2026-01-02 13:00"', from(2)],
		['"2026-01-02"', from(2)],
		['new Date("2026-01-02T12:00:00Z")', from(2)],
		['DateTime.fromISO("2026-01-02T13:00:00")', from(2)],
		['""', all],
	])('is read from %s', async (expression, ids) => {
		const { items, error } = await readAfter(expression);

		expect([error, idsOf(items)]).toEqual([undefined, ids]);
	});

	it.each([
		['1767355200000', from(2)],
		['"1767355200000"', from(2)],
		['"Fri, 02 Jan 2026 12:00:00 GMT"', from(2)],
		['"2026-01-02T12:00:00.000+00"', from(2)],
		['"20260102T130000"', from(2)],
		['"01/02/2026"', undefined],
		['"1767355200"', undefined],
		['1767355200', undefined],
		['20260102', undefined],
	])('is read from %s as what it is, or refused', async (expression, ids) => {
		const { items, error } = await readAfter(expression);

		if (error) expect(said(error)).toContain('Created After');
		else expect(idsOf(items)).toEqual(ids);
	});

	it.each([
		'null',
		'$json.missing',
		'"last week 3"',
		'"soon"',
		'"5"',
		'"2026-02-30"',
		'"30 Feb 2026 09:00:00 GMT"',
		'5',
		'NaN',
		'true',
		'({ a: 1 })',
		'["2026-01-02"]',
		'new Date("x")',
		'DateTime.fromISO("x")',
	])('is not read from %s', async (expression) => {
		const { error } = await readAfter(expression);

		expect(said(error)).toContain('Created After');
		expect(requestsTo(sandbox)).toEqual([]);
	});
});

describe('the trigger', () => {
	const poll = async (parameters: object) => {
		const { context } = polling({
			parameters: { formId: byId('f1'), ...parameters } as INodeParameters,
			credentials: credentialsOf(sandbox),
		});
		return await runPoll(context);
	};

	it.each([
		['={{ "true" }}', 3],
		['={{ true }}', 3],
		['={{ "false" }}', 0],
		['={{ false }}', 0],
	])('reads Include Existing Responses from %s', async (includeExisting, count) => {
		expect(await poll({ options: { includeExisting } })).toHaveLength(count);
	});

	it('reads its other fields from text', async () => {
		const items = await poll({
			flattenAnswers: '={{ "true" }}',
			options: { includeExisting: true, joinMultipleWith: '={{ "+" }}', timeout: '={{ "20" }}' },
		});

		expect(items.map(({ topics }) => topics).sort()).toEqual(['a+b1', 'a+b2', 'a+b3']);
	});

	it.each<[string, object]>([
		['Include Existing', { options: { includeExisting: 'maybe' } }],
		['Include Existing', { options: { includeExisting: '={{ undefined }}' } }],
		['Flatten Answers', { flattenAnswers: '={{ null }}' }],
		['Join Multiple', { flattenAnswers: true, options: { joinMultipleWith: '={{ {} }}' } }],
		['Timeout', { options: { timeout: '={{ "soon" }}' } }],
	])('refuses %s in %j', async (name, parameters) => {
		await expect(poll(parameters)).rejects.toThrow(name);
		expect(requestsTo(sandbox)).toEqual([]);
	});
});
