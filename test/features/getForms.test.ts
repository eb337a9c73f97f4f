import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool } from '../support/engine';
import {
	credentialsOf,
	factsOf,
	formRecord,
	itemsOf,
	requestsTo,
	runOn,
	strangeFields,
} from '../support/formCollection';

const getForms = { operation: 'getForms', returnAll: true };
let sandbox: Sandbox;

afterEach(async () => await sandbox.stop());

describe.each(['plain', 'extended'] as const)('in the %s variant', (variant) => {
	beforeEach(async () => {
		sandbox = await startSandbox({ variant });
	});

	it('returns the forms as the service has them, as many as each item asks for', async () => {
		const parameters = {
			operation: 'getForms',
			returnAll: '={{ $json.all }}',
			limit: '={{ $json.limit }}',
		};
		const input = [{ all: false, limit: 2 }, { all: true }, { all: false, limit: '1' }];

		const { items, status } = await runOn(sandbox, parameters, { input });

		expect(status).toBe('success');
		expect(items).toEqual([
			...itemsOf(sandbox.forms.slice(0, 2), 0),
			...itemsOf(sandbox.forms, 1),
			...itemsOf(sandbox.forms.slice(0, 1), 2),
		]);
	});
});

describe('with forms of its own', () => {
	beforeEach(async () => {
		const forms = Array.from({ length: 60 }, (_, i) => formRecord(`f${i}`));
		sandbox = await startSandbox({ forms });
	});

	it('returns 50 forms unless told otherwise', async () => {
		const { items } = await runOn(sandbox, { operation: 'getForms' });

		expect(items).toEqual(itemsOf(sandbox.forms.slice(0, 50), 0));
	});

	it('tells an AI tool that the limit left out forms', async () => {
		const call = asTool({
			parameters: { operation: 'getForms' },
			credentials: credentialsOf(sandbox),
		});
		const reply = JSON.parse(String(await call({}))) as unknown[];

		expect(reply).toEqual([
			...sandbox.forms.slice(0, 50),
			{ hint: 'Returned 50 of 60 forms: raise Limit or turn on Return All' },
		]);
	});

	it('says that there are none', async () => {
		sandbox.forms.length = 0;
		const hint = 'The account of the API key has no forms yet';
		const { items, run } = await runOn(sandbox, getForms, { input: [{}, {}] });
		const call = asTool({ parameters: getForms, credentials: credentialsOf(sandbox) });

		expect(items).toEqual([]);
		expect(run.data.resultData.runData['Form Collection']?.[0]?.hints).toMatchObject([
			{ message: hint },
		]);
		expect(JSON.parse(String(await call({})))).toEqual([{ hint }]);
	});

	it('sends one request for five items', async () => {
		const { items } = await runOn(sandbox, getForms, { input: [{}, {}, {}, {}, {}] });

		expect(items).toHaveLength(300);
		expect(requestsTo(sandbox)).toEqual(['GET /forms']);
	});

	it('shares nothing between executions', async () => {
		await runOn(sandbox, getForms);
		sandbox.forms.length = 1;
		const { items } = await runOn(sandbox, getForms);

		expect(items).toEqual(itemsOf(sandbox.forms, 0));
		expect(requestsTo(sandbox)).toEqual(['GET /forms', 'GET /forms']);
	});

	it('has no output for an account without forms', async () => {
		sandbox.forms.length = 0;
		const { items, status } = await runOn(sandbox, getForms);

		expect([status, items]).toEqual(['success', []]);
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

	it.each([
		[0, 'Limit is 0: enter a whole number of at least 1'],
		[-1, 'Limit is -1: enter a whole number of at least 1'],
		[2.5, 'Limit is 2.5: enter a whole number of at least 1'],
		['x', 'Limit is "x": enter a whole number of at least 1'],
		['', 'Limit is empty: enter a whole number of at least 1'],
	])('refuses the limit %p before any request', async (limit, message) => {
		const { error } = await runOn(sandbox, { operation: 'getForms', limit });

		expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
		expect(requestsTo(sandbox)).toEqual([]);
	});
});
