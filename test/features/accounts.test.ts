import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { execute } from '../support/engine';
import { byId, formRecord, requestsTo, responseRecord } from '../support/formCollection';

/** Two accounts of two services whose forms and responses have the same IDs. */
let ada: Sandbox;
let bob: Sandbox;

beforeAll(async () => {
	const start = async (name: string) =>
		await startSandbox({
			apiKey: `key-of-${name}`,
			forms: [formRecord('f1', { title: name })],
			responses: [responseRecord('f1', 'r1', { answers: { email: name } })],
		});
	[ada, bob] = [await start('ada'), await start('bob')];
});
beforeEach(() => [ada, bob].forEach((service) => service.reset()));
afterAll(async () => void (await Promise.all([ada.stop(), bob.stop()])));

/** As HTTP Request does, n8n evaluates the expressions of the credential for each item. */
const run = async (
	parameters: INodeParameters,
	owners: Pick<Sandbox, 'baseUrl' | 'apiKey'>[],
	emails: string[] = [],
) =>
	await execute({
		parameters: { formId: byId('f1'), ...parameters },
		credentials: {
			baseUrl: '={{ $json.account.base }}',
			apiKey: '={{ $json.account.key }}',
			embedUrl: '={{ $json.account.base }}',
		},
		input: owners.map(({ baseUrl, apiKey }, item) => ({
			email: emails[item],
			account: { base: baseUrl, key: apiKey },
		})),
		node: { onError: 'continueRegularOutput' },
	});

const create = (options: IDataObject = {}): INodeParameters => ({
	operation: 'createResponse',
	answersInput: 'json',
	answersJson: '={{ { email: $json.email } }}',
	options: { parallelRequests: 1, ...options } as INodeParameters,
});

const stored = ({ responses }: Sandbox) => responses.map(({ answers }) => answers.email);
const keysOf = ({ log }: Sandbox) => [...new Set(log.map(({ headers }) => headers.authorization))];

/** Each account got its own key, and no other. */
afterEach(() => {
	for (const [service, name] of [[ada, 'ada'] as const, [bob, 'bob'] as const]) {
		for (const key of keysOf(service)) expect(key).toBe(`Bearer key-of-${name}`);
	}
});

it.each([
	['getForms', 'title', 'GET /forms'],
	['getResponses', 'answers', 'GET /responses f1'],
	['getQuestions', 'example', 'GET /responses f1'],
])('reads each account once: %s', async (operation, field, request) => {
	const { items } = await run({ operation }, [ada, bob, bob, ada]);

	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3].map((item) => ({ item })));
	const names = items.map(({ json }) => /ada|bob/.exec(JSON.stringify(json[field]))?.[0]);
	expect(names).toEqual(['ada', 'bob', 'bob', 'ada']);
	expect([requestsTo(ada), requestsTo(bob)]).toEqual([[request], [request]]);
});

it('submits to the account of each item', async () => {
	await run(create(), [ada, bob, ada], ['1', '2', '3']);

	expect([stored(ada), stored(bob)]).toEqual([
		['ada', '1', '3'],
		['bob', '2'],
	]);
});

it('skips what exists in the account of the item, not in another', async () => {
	const { items } = await run(
		create({ skipExisting: true }),
		[ada, bob, ada],
		['bob', 'bob', 'ada'],
	);

	expect(items.map(({ json }) => json.skipped === true)).toEqual([false, true, true]);
	expect([stored(ada), stored(bob)]).toEqual([['ada', 'bob'], ['bob']]);
});

it('goes on with the other account where one has a key that is refused', async () => {
	ada.faults.add({ status: 401 });
	const { items } = await run(create(), [ada, bob, ada, bob], ['1', '2', '3', '4']);

	expect(items.map(({ json }) => json.success === true)).toEqual([false, true, false, true]);
	expect(ada.log).toHaveLength(1);
	expect(stored(bob)).toEqual(['bob', '2', '4']);
});

it('makes embed codes with the address of the account of the item', async () => {
	const formSlug = { __rl: true as const, mode: 'slug', value: 'contact' };
	const { items } = await run({ operation: 'getEmbedCode', formSlug, mode: 'popover' }, [ada, bob]);

	for (const [item, { baseUrl }] of [ada, bob].entries()) {
		expect(items[item]?.json.html).toContain(`src="${baseUrl}/embed.js"`);
	}
});

it.each<INodeParameters>([{ operation: 'getForms' }, { operation: 'getResponses' }, create()])(
	'tells of an item whose credential is of no use, and goes on with the others: $operation',
	async (parameters) => {
		const { items } = await run(parameters, [{ ...ada, apiKey: '' }, ada], ['1', '2']);

		expect(items.map(({ json }) => json.error)).toEqual([
			expect.stringMatching(/API Key/),
			undefined,
		]);
		expect(ada.log).toHaveLength(1);
	},
);
