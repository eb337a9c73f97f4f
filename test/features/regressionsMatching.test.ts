import type { INodeParameters } from 'n8n-workflow';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { byId, formRecord, responseRecord, runOn } from '../support/formCollection';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [responseRecord('f2', 'r1', { answers: { name: 'Ada', phone: '' } })],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = (options: object = {}, more: object = {}) => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ { "n": $json.n, "email": $json.email } }}',
	options: { parallelRequests: 1, ...options } as INodeParameters,
	...more,
});
const forItem = (n: number, fault: Fault): Fault => ({ contains: `<${n}>`, ...fault });
const stored = () =>
	sandbox.responses.filter((r) => r.form_id === 'f1').map(({ answers }) => answers.n);
const gets = () => sandbox.log.filter(({ method }) => method === 'GET').length;
const posts = () => sandbox.log.filter(({ method }) => method === 'POST').length;
const lost: Fault = { route: 'POST /responses', cut: 'connection' };
const onError = { onError: 'continueErrorOutput' as const };

test('Match On, wired back: the loop ends', async () => {
	sandbox.faults.add(forItem(0, { ...lost, times: 1 }));
	let stop: (() => void) | undefined;
	const timer = setTimeout(() => stop?.(), 4000);
	const result = await runOn(sandbox, create({ skipExisting: true, matchOn: ['email'] }), {
		input: [
			{ n: '<0>', email: 'a' },
			{ n: '<1>', email: 'a' },
		],
		node: onError,
		isErrorOutputWiredBack: true,
		onStart: (s) => (stop = s),
	});
	clearTimeout(timer);
	expect({ status: result.status, runs: result.runs.length, gets: gets(), posts: posts() }).toEqual(
		{
			status: 'success',
			runs: 2,
			gets: 2,
			posts: 1,
		},
	);
});

test('a settled unknown outcome costs no request per run of the loop', async () => {
	sandbox.faults.add(forItem(0, { ...lost, stored: true, times: 1 }));
	await runOn(sandbox, create({ skipExisting: true, matchOn: ['email'] }), {
		input: [{ n: '<0>', email: 'a' }],
		node: onError,
		runs: 8,
	});
	expect(stored()).toEqual(['<0>']);
	expect(gets()).toBeLessThanOrEqual(2);
});

test('an expression of item 0 that fails stops no other item, and says the outcome', async () => {
	const { failed } = await runOn(
		sandbox,
		create({ timeout: '={{ $json.bad ? $("Nope").item.json.x : 5 }}' }),
		{ input: [{ n: '<0>', bad: true }, { n: '<1>' }], node: onError },
	);
	expect(String(failed[0]?.json.error).split('\n').at(-1)).toBe('Outcome: not sent');
	expect(stored()).toEqual(['<1>']);
});

test('the same where item 1 fails', async () => {
	await runOn(sandbox, create({ timeout: '={{ $json.bad ? $("Nope").item.json.x : 5 }}' }), {
		input: [{ n: '<1>' }, { n: '<0>', bad: true }],
		node: onError,
	});
	expect(stored()).toEqual(['<1>']);
});

test.each([
	['timeout', '={{ $json.t.splice(0, 1)[0] || 30 }}'],
	['splitMultipleAt', '={{ String($json.t.shift()) }}'],
	['skipExisting', '={{ $json.t.pop() === 0 }}'],
])(
	'an option that changes the item (%s): Retry On Fail sends nothing twice',
	async (name, value) => {
		sandbox.faults.add(forItem(2, { status: 422, body: 'x', times: 1 }));
		const keyValue = {
			answersInput: 'mapping',
			answersMapping: { mappingMode: 'defineBelow', value: { n: '={{ $json.n }}' }, schema: [] },
		};
		await runOn(sandbox, create({ [name]: value }, keyValue), {
			input: [0, 1, 2].map((n) => ({ n: `<${n}>`, t: [1, 2, 3, 4, 5, 6, 7, 8, 9] })),
			node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		});
		expect(stored()).toEqual(['<0>', '<1>', '<2>']);
	},
);

test('an execution that is retried: other items with a value of an unknown outcome are not sent', async () => {
	sandbox.faults.add(forItem(0, { ...lost, times: 1 }));
	await runOn(sandbox, create({ skipExisting: true, matchOn: ['email'] }), {
		input: [
			{ n: '<0>', email: 'a' },
			{ n: '<1>', email: 'a' },
		],
		node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		isSavedBeforeEachRun: true,
	});
	expect({ stored: stored(), posts: posts() }).toEqual({ stored: [], posts: 1 });
});

describe('beside a response that is there already', () => {
	beforeEach(() => {
		sandbox.responses.push(responseRecord('f1', 'x1', { answers: { n: 'old' } }));
	});

	test('an item that is held back by Match On does not keep the others from their turn', async () => {
		sandbox.faults.add(forItem(0, { ...lost, times: 1 }));
		await runOn(sandbox, create({ skipExisting: true, matchOn: ['email'] }), {
			input: [
				{ n: '<0>', email: 'a' },
				{ n: '<1>', email: 'a' },
				{ n: '<2>', email: 'b' },
				{ n: '<3>', email: 'c' },
			],
			node: { retryOnFail: true, maxTries: 4, waitBetweenTries: 1 },
		});
		expect(stored().slice(1)).toEqual(['<2>', '<3>']);
	});

	test('two accounts whose forms and responses have the same ids', async () => {
		const other = sandbox.addAccount('other-key', {
			forms: [formRecord('f1')],
			responses: [responseRecord('f1', 'x1', { answers: { n: 'other' } })],
		} as never);
		await runOn(sandbox, create({ skipExisting: true }), {
			credentials: { baseUrl: sandbox.baseUrl, apiKey: '={{ $json.key }}' },
			input: [
				{ n: 'old', key: sandbox.apiKey },
				{ n: 'other', key: 'other-key' },
			],
		});
		expect(other.responses.map(({ answers }) => answers)).toEqual([{ n: 'other' }]);
	});

	test('a Condition without a value is refused, not taken for Equals', async () => {
		const { items, error } = await runOn(sandbox, {
			operation: 'getResponses',
			formId: byId('f1'),
			options: {
				answerFilters: {
					filter: [{ question: 'n', condition: '={{ $json.nope }}', value: 'old' }],
				},
			},
		});
		expect([items.length, error?.message]).toEqual([
			0,
			expect.stringContaining('Condition is empty'),
		]);
	});

	test('Split Multiple Choice At: a cell without an option is left out', async () => {
		await runOn(
			sandbox,
			create(
				{ splitMultipleAt: ';' },
				{
					answersInput: 'mapping',
					answersMapping: {
						mappingMode: 'autoMapInputData',
						value: null,
						schema: [
							{ id: 'n', displayName: 'n' },
							{ id: 'topics', displayName: 'topics', multipleChoice: true },
						],
					},
				},
			),
			{
				input: [
					{ n: '<0>', topics: ' ' },
					{ n: '<1>', topics: ';' },
				],
			},
		);
		expect(sandbox.responses.slice(2).map(({ answers }) => answers)).toEqual([
			{ n: '<0>' },
			{ n: '<1>' },
		]);
	});
});
