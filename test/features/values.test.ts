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
import { polling } from '../support/engine';
import { runPoll } from '../support/poller';

/*
 * n8n's variables are text, and so is most of what expressions read from spreadsheets and web hooks.
 * Each field is given a text that it must read, and one that it must refuse by its name.
 */

let sandbox: Sandbox;

beforeEach(async () => {
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
afterEach(async () => await sandbox.stop());

const operations = {
	getForms: { operation: 'getForms', limit: 2 },
	getResponses: { operation: 'getResponses', formId: byId('f1'), limit: 2 },
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
	return { ...parameters, [name]: (inner === undefined ? value : { [inner]: value }) as never };
}

async function runWith(operation: OperationName, field: string, value: unknown) {
	const parameters = withField(operations[operation], field, '={{ $json.value }}');
	return await runOn(sandbox, parameters, {
		input: [{ value } as IDataObject],
		credentials: { ...credentialsOf(sandbox), embedUrl: 'https://forms.example.com' },
	});
}

const idsOf = (items: { json: IDataObject }[]) => items.map(({ json }) => json.id);

type Row = [OperationName, string, unknown, unknown[]];

const returnAll = (operation: OperationName, all: string[]): Row[] =>
	[true, 'true', ' TRUE ', 1, '1'].map((value): Row => [operation, 'returnAll', value, all]);
const notAll = (operation: OperationName, some: string[]): Row[] =>
	[false, 'false', 'False\n', 0, '0'].map((value): Row => [operation, 'returnAll', value, some]);

it.each<Row>([
	...returnAll('getForms', ['f1', 'f2', 'f3']),
	...notAll('getForms', ['f1', 'f2']),
	...returnAll('getResponses', ['r1', 'r2', 'r3']),
	...notAll('getResponses', ['r1', 'r2']),
	['getForms', 'limit', '1', ['f1']],
	['getForms', 'limit', ' 3 ', ['f1', 'f2', 'f3']],
	['getResponses', 'limit', '1', ['r1']],
	['getResponses', 'options.sort', 'NEWESTFIRST', ['r3', 'r2']],
	['getResponses', 'options.sort', ' Newest First ', ['r3', 'r2']],
	['getResponses', 'options.timeout', '30', ['r1', 'r2']],
	['getResponses', 'options.createdAfter', '2026-01-02T12:00:00.000+00', ['r2', 'r3']],
	['getResponses', 'options.createdAfter', '1767355200000', ['r2', 'r3']],
	['getResponses', 'options.createdAfter', 1767355200000, ['r2', 'r3']],
	['getResponses', 'options.createdAfter', 'Fri, 02 Jan 2026 12:00:00 GMT', ['r2', 'r3']],
	['getResponses', 'options.createdAfter', '2026-01-02 13:00', ['r2', 'r3']],
	['getResponses', 'options.createdAfter', '', ['r1', 'r2']],
	['getResponses', 'options.createdBefore', '2026-01-02T13:00:00', ['r1']],
	['getResponses', 'options.createdBefore', '', ['r1', 'r2']],
])('%s reads %s from %j', async (operation, field, value, ids) => {
	const { items, error } = await runWith(operation, field, value);

	expect([error, idsOf(items)]).toEqual([undefined, ids]);
});

it.each([
	['={{ "false" }}', ['r1', 'r2']],
	['={{ "true" }}', ['r1', 'r2', 'r3']],
	// As a workflow that somebody wrote by hand may have it.
	['false', ['r1', 'r2']],
	['true', ['r1', 'r2', 'r3']],
])('keeps the limit beside a Return All of %j', async (value, ids) => {
	const { items } = await runOn(sandbox, { ...operations.getResponses, returnAll: value });

	expect(idsOf(items)).toEqual(ids);
});

it.each([
	['={{ "true" }}', ['a + b1', 'a + b2']],
	['true', ['a + b1', 'a + b2']],
	['={{ 1 }}', ['a + b1', 'a + b2']],
	['={{ "FALSE" }}', [undefined, undefined]],
	['false', [undefined, undefined]],
])('flattens answers as %j says', async (flattenAnswers, topics) => {
	const { items } = await runOn(sandbox, {
		...operations.getResponses,
		flattenAnswers,
		options: { joinMultipleWith: ' + ' },
	});

	expect(items.map(({ json }) => json.topics)).toEqual(topics);
});

it.each<INodeParameters>([
	operations.getResponses,
	operations.createResponse,
	{ ...operations.getResponses, options: { answerFilters: [] } },
])(
	'takes empty lists for options that are not set, as PHP writes them (%#)',
	async (parameters) => {
		const { status } = await runOn(sandbox, { options: [], ...parameters });

		expect(status).toBe('success');
		expect(requestsTo(sandbox)).toHaveLength(1);
	},
);

it.each(['true', 'TRUE', 1])('skips what is there already for %j', async (value) => {
	const { items } = await runWith('createResponse', 'options.skipExisting', value);

	expect(items[0]?.json).toEqual({ success: true, response_id: 'r1', skipped: true });
	expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
});

it.each(['false', ' False', 0])('skips nothing for %j', async (value) => {
	const { items } = await runWith('createResponse', 'options.skipExisting', value);

	expect(items[0]?.json).toMatchObject({ success: true });
	expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);
});

it.each<[string, INodeParameters, object]>([
	[
		'a way to enter answers in another case',
		{ answersInput: '={{ " JSON" }}' },
		{ topics: ['a', 'b1'] },
	],
	[
		'a way to enter answers by its name',
		{ answersInput: '={{ "As JSON" }}' },
		{ topics: ['a', 'b1'] },
	],
	[
		'text for numbers',
		{ options: { parallelRequests: '={{ " 5 " }}', timeout: '={{ "2.5" }}' } },
		{ topics: ['a', 'b1'] },
	],
	[
		'the JSON text of a mapping',
		{
			answersInput: 'mapping',
			answersMapping: {
				mappingMode: '={{ "DefineBelow" }}',
				value: '={{ JSON.stringify({ name: "Ada" }) }}',
				schema: [],
			},
		},
		{ name: 'Ada' },
	],
	[
		'automatic mapping by its name',
		{
			answersInput: 'mapping',
			answersMapping: { mappingMode: '={{ "Map Automatically" }}', value: null },
		},
		{ value: 'from the item' },
	],
])('Create Response reads %s', async (_, parameters, answers) => {
	const { error } = await runOn(
		sandbox,
		{ ...operations.createResponse, ...parameters },
		{ input: [{ value: 'from the item' }] },
	);

	expect(error).toBeUndefined();
	expect(sandbox.responses.at(-1)?.answers).toEqual(answers);
});

it.each([
	['POPUP', 'popup'],
	[' Popover ', 'popover'],
	['Inline', 'inline'],
])('Get Embed Code reads the mode %j', async (value, mode) => {
	const { items } = await runWith('getEmbedCode', 'mode', value);

	expect(items[0]?.json).toMatchObject({ mode });
});

const fields: [OperationName, string, string, string, unknown][] = [
	['getForms', 'returnAll', 'Return All', 'enter true or false', 'maybe'],
	['getForms', 'limit', 'Limit', 'enter a whole number of at least 1', '5.5'],
	['getResponses', 'returnAll', 'Return All', 'enter true or false', 'yes'],
	['getResponses', 'limit', 'Limit', 'enter a whole number of at least 1', '0x10'],
	[
		'getResponses',
		'options.sort',
		'Sort',
		'choose As Received, Newest First or Oldest First',
		'newest',
	],
	['getResponses', 'flattenAnswers', 'Flatten Answers', 'enter true or false', 'ja'],
	['getResponses', 'options.timeout', 'Timeout', 'enter a number of seconds from 1 to 3600', '30s'],
	['createResponse', 'options.skipExisting', 'Skip Existing', 'enter true or false', 'on'],
	[
		'createResponse',
		'options.parallelRequests',
		'Parallel Requests',
		'enter a whole number of at least 1',
		'five',
	],
	[
		'createResponse',
		'options.timeout',
		'Timeout',
		'enter a number of seconds from 1 to 3600',
		'0x10',
	],
	[
		'createResponse',
		'answersInput',
		'Enter Answers',
		'choose As JSON, By Question or By Question Key',
		'xml',
	],
	['getEmbedCode', 'mode', 'Mode', 'choose Inline, Popover or Popup', 'sidebar'],
];

it.each(
	fields.flatMap(([operation, field, name, advice, wrong]) =>
		[wrong, undefined, null, '', '  ', { a: 1 }, ['true', '5']].map(
			(value) => [operation, field, value, name, advice] as const,
		),
	),
)('%s refuses %s where it is %j', async (operation, field, value, name, advice) => {
	const { error, items } = await runWith(operation, field, value);

	const isEmpty = value === undefined || value === null || String(value).trim() === '';
	const isObject = typeof value === 'object' && !Array.isArray(value);
	const shown = isEmpty ? 'empty' : isObject ? 'an object' : JSON.stringify(value);
	expect(factsOf(error)).toEqual({ message: `${name} is ${shown}: ${advice}`, itemIndex: 0 });
	expect(items).toEqual([]);
	expect(requestsTo(sandbox)).toEqual([]);
});

const mapping = (answersMapping: unknown) =>
	({ ...operations.createResponse, answersInput: 'mapping', answersMapping }) as INodeParameters;
const rows = (answers: unknown) =>
	({ ...operations.createResponse, answersInput: 'keyValue', answers }) as INodeParameters;
const NO_ANSWERS = 'This item has no answers: enter an answer to at least one question';

it.each<[string, INodeParameters, string]>([
	[
		'a mapping mode that it does not know',
		mapping({ mappingMode: '={{ "x" }}', value: {} }),
		'Mapping Column Mode is "x": choose Map Each Column Manually or Map Automatically',
	],
	[
		'a mapping that is a list',
		mapping({ mappingMode: 'defineBelow', value: '={{ ["a"] }}' }),
		'Answers is ["a"]: enter an object',
	],
	[
		'a mapping that is other text',
		mapping({ mappingMode: 'defineBelow', value: '={{ "name: Ada" }}' }),
		'Answers is "name: Ada": enter an object',
	],
	[
		'a mapping without values yet',
		mapping({ mappingMode: 'defineBelow', value: null, schema: [] }),
		NO_ANSWERS,
	],
	['rows from an expression, which n8n does not keep', rows('={{ [] }}'), NO_ANSWERS],
	[
		'a list of rows from an expression, of which n8n makes empty rows',
		rows({ answer: '={{ [] }}' }),
		'An answer has no question key: enter the key that it belongs to',
	],
	[
		'a question key that is an object',
		rows({ answer: [{ key: '={{ { a: 1 } }}', value: 'b' }] }),
		'A Question Key is an object: enter the key as text',
	],
	[
		'a text to join with that is a list',
		{
			...operations.getResponses,
			flattenAnswers: true,
			options: { joinMultipleWith: '={{ [";"] }}' },
		},
		'Join Multiple Choice With is [";"]: enter text',
	],
])('refuses %s', async (_, parameters, message) => {
	const { error } = await runOn(sandbox, parameters);

	expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
	expect(requestsTo(sandbox)).toEqual([]);
});

it.each(['continueRegularOutput', undefined] as const)(
	'refuses what one item has before its request, and no other item (%s)',
	async (onError) => {
		const parameters = withField(
			operations.createResponse,
			'options.skipExisting',
			'={{ $json.s }}',
		);
		const input = [{ s: 'maybe' }, { s: 'false' }, { s: 'no' }];
		const { items, error } = await runOn(sandbox, parameters, { input, node: { onError } });

		const message = 'Skip Existing is "maybe": enter true or false';
		if (onError === undefined) {
			expect(error?.message).toContain(message);
		} else {
			expect(items.map(({ json }) => json.error)).toEqual([
				message,
				undefined,
				'Skip Existing is "no": enter true or false',
			]);
			expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);
		}
	},
);

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
		[' TRUE', 3],
		['={{ 1 }}', 3],
		['={{ "false" }}', 0],
		['False', 0],
	])('reads Include Existing Responses from %j', async (includeExisting, count) => {
		expect(await poll({ options: { includeExisting } })).toHaveLength(count);
	});

	it('takes an empty list for options that are not set', async () => {
		expect(await poll({ options: [] })).toEqual([]);
	});

	it('reads its other fields from text', async () => {
		const options = {
			includeExisting: true,
			joinMultipleWith: '={{ "+" }}',
			timeout: '={{ "20" }}',
		};
		const items = await poll({
			event: ' New Response ',
			flattenAnswers: '={{ "True" }}',
			options,
		});

		expect(items.map(({ topics }) => topics)).toEqual(['a+b1', 'a+b2', 'a+b3']);
	});

	it.each<[object, string]>([
		[{ event: 'x' }, 'Event is "x": choose New Response'],
		[{ event: null }, 'Event is empty: choose New Response'],
		[
			{ options: { includeExisting: 'maybe' } },
			'Include Existing Responses is "maybe": enter true or false',
		],
		[
			{ options: { includeExisting: '={{ undefined }}' } },
			'Include Existing Responses is empty: enter true or false',
		],
		[{ flattenAnswers: '={{ null }}' }, 'Flatten Answers is empty: enter true or false'],
		[
			{ flattenAnswers: true, options: { joinMultipleWith: '={{ {} }}' } },
			'Join Multiple Choice With is an object: enter text',
		],
		[
			{ options: { timeout: '={{ "soon" }}' } },
			'Timeout is "soon": enter a number of seconds from 1 to 3600',
		],
	])('refuses %j', async (parameters, message) => {
		await expect(poll(parameters)).rejects.toThrow(message);
		expect(requestsTo(sandbox)).toEqual([]);
	});
});
