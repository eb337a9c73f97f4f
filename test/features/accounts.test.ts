import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { accountAt } from '../../nodes/FormCollection/transport/accounts';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { execute } from '../support/engine';
import { formRecord, requestsTo, responseRecord } from '../support/formCollection';

/** Two accounts of two services whose forms have the same ID. */
let ada: Sandbox;
let bob: Sandbox;

beforeAll(async () => {
	const start = async (name: string) =>
		await startSandbox({
			apiKey: `key-of-${name}`,
			forms: [formRecord('f1', { title: `Form of ${name}` })],
			responses: [responseRecord('f1', `r-${name}`, { answers: { email: name } })],
		});
	[ada, bob] = [await start('ada'), await start('bob')];
});
beforeEach(() => [ada, bob].forEach((service) => service.reset()));
afterAll(async () => void (await Promise.all([ada.stop(), bob.stop()])));

/** As HTTP Request does, n8n evaluates the expressions of the credential for each item. */
const run = async (
	parameters: INodeParameters,
	owners: Sandbox[],
	more: IDataObject[] = [],
	node: Partial<INode> = { onError: 'continueRegularOutput' },
) =>
	await execute({
		parameters: { formId: { __rl: true, mode: 'id', value: 'f1' }, ...parameters },
		credentials: {
			baseUrl: '={{ $json.account.base }}',
			apiKey: '={{ $json.account.key }}',
			embedUrl: '={{ $json.account.base }}',
		},
		input: owners.map(({ baseUrl, apiKey }, item) => ({
			...more[item],
			account: { base: baseUrl, key: apiKey },
		})),
		node,
	});

const byItem = (items: { json: IDataObject; pairedItem?: unknown }[], field: string) =>
	items.map(({ json, pairedItem }) => [(pairedItem as { item: number }).item, json[field]]);

const keysOf = ({ log }: Sandbox) => [...new Set(log.map(({ headers }) => headers.authorization))];

it('reads the forms of each account once', async () => {
	const { items } = await run({ operation: 'getForms' }, [ada, bob, ada]);

	expect(byItem(items, 'title')).toEqual([
		[0, 'Form of ada'],
		[1, 'Form of bob'],
		[2, 'Form of ada'],
	]);
	expect([requestsTo(ada), requestsTo(bob)]).toEqual([['GET /forms'], ['GET /forms']]);
	expect([keysOf(ada), keysOf(bob)]).toEqual([['Bearer key-of-ada'], ['Bearer key-of-bob']]);
});

it('reads the responses of each account once', async () => {
	const { items } = await run({ operation: 'getResponses' }, [ada, bob, bob, ada]);

	expect(byItem(items, 'id')).toEqual([
		[0, 'r-ada'],
		[1, 'r-bob'],
		[2, 'r-bob'],
		[3, 'r-ada'],
	]);
	expect([requestsTo(ada), requestsTo(bob)]).toEqual([
		['GET /responses f1'],
		['GET /responses f1'],
	]);
	expect([keysOf(ada), keysOf(bob)]).toEqual([['Bearer key-of-ada'], ['Bearer key-of-bob']]);
});

const create = (options: IDataObject = {}): INodeParameters => ({
	operation: 'createResponse',
	answersInput: 'json',
	answersJson: '={{ { email: $json.email } }}',
	options: options as INodeParameters,
});

it('submits to the account of each item', async () => {
	await run(create(), [ada, bob, ada], [{ email: 'a' }, { email: 'b' }, { email: 'c' }]);

	const submitted = ({ responses }: Sandbox) =>
		responses.slice(1).map(({ answers }) => answers.email);
	expect([submitted(ada).sort(), submitted(bob)]).toEqual([['a', 'c'], ['b']]);
	expect([keysOf(ada), keysOf(bob)]).toEqual([['Bearer key-of-ada'], ['Bearer key-of-bob']]);
});

it('skips what exists in the account of the item, not in another', async () => {
	const { items } = await run(
		create({ skipExisting: true }),
		[ada, bob],
		[{ email: 'bob' }, { email: 'bob' }],
	);

	expect(byItem(items, 'skipped')).toEqual([
		[0, undefined],
		[1, true],
	]);
	expect(ada.responses).toHaveLength(2);
	expect(bob.responses).toHaveLength(1);
});

it('goes on with the other account where one has a key that is refused', async () => {
	ada.faults.add({ status: 401 });
	const { items } = await run(
		create({ parallelRequests: 1 }),
		[ada, bob, ada, bob],
		['a', 'b', 'c', 'd'].map((email) => ({ email })),
	);

	expect(byItem(items, 'success')).toEqual([
		[0, undefined],
		[1, true],
		[2, undefined],
		[3, true],
	]);
	expect(ada.log).toHaveLength(1);
});

it.each([
	...[400, 401, 402, 403, 404, 405, 429].map((status) => ({ status })),
	{ status: 429, headers: { 'Retry-After': '0' } },
])(
	'a further try gets past the items of an account that is refused with %j',
	async ({ status, ...more }) => {
		ada.faults.add({ status, ...more });
		const { error } = await run(
			create({ parallelRequests: 1 }),
			[bob, ada, bob, ada, bob],
			['a', 'b', 'c', 'd', 'e'].map((email) => ({ email })),
			{ retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
		);

		expect(error?.message).toContain(`(${status})`);
		expect(bob.responses.slice(1).map(({ answers }) => answers.email)).toEqual(['a', 'c', 'e']);
	},
);

it('a further try gets past the items of an account whose service is down', async () => {
	const down = { ...ada, baseUrl: 'http://127.0.0.1:1/api' };
	const { error } = await run(
		create({ parallelRequests: 1 }),
		[bob, down, bob],
		['a', 'b', 'c'].map((email) => ({ email })),
		{ retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
	);

	expect(error?.message).toContain('cannot be reached');
	expect(bob.responses.slice(1).map(({ answers }) => answers.email)).toEqual(['a', 'c']);
}, 30_000);

it('makes embed codes with the address of the account of the item', async () => {
	const formSlug = { __rl: true as const, mode: 'slug', value: 'contact' };
	const { items } = await run({ operation: 'getEmbedCode', formSlug, mode: 'popover' }, [ada, bob]);

	expect(items.map(({ json }) => /src="(.*)\/embed\.js"/.exec(String(json.html))?.[1])).toEqual([
		ada.baseUrl,
		bob.baseUrl,
	]);
});

it.each(['getForms', 'getResponses', 'createResponse'])(
	'tells of an item whose credential is of no use, and goes on with the others: %s',
	async (operation) => {
		const nobody = { ...ada, apiKey: '' };
		const parameters = operation === 'createResponse' ? create() : { operation };
		const { items } = await run(parameters, [nobody, ada], [{ email: 'a' }, { email: 'b' }]);

		expect(items.map(({ json }) => json.error)).toEqual([
			'The API Key is empty: copy it from your account settings into the Form Collection API credential',
			undefined,
		]);
		expect(ada.log).toHaveLength(1);
	},
);

it('throws what is wrong with the account of an item', () => {
	const error = new Error('No key');

	expect(() => accountAt([error], 0)).toThrow(error);
});
