import type { INodeParameters } from 'n8n-workflow';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { byId, formRecord, responseRecord, runOn } from '../support/formCollection';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1')],
		responses: [responseRecord('f1', 'x1', { answers: { n: 'old' } })],
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
const stored = () => sandbox.responses.map(({ answers }) => answers.n).slice(1);
const lost: Fault = { route: 'POST /responses', cut: 'connection' };
const retry = { retryOnFail: true, maxTries: 4, waitBetweenTries: 1 };

test('an item that is held back by Match On does not keep the others from their turn', async () => {
	sandbox.faults.add(forItem(0, { ...lost, times: 1 }));
	await runOn(sandbox, create({ skipExisting: true, matchOn: ['email'] }), {
		input: [
			{ n: '<0>', email: 'a' },
			{ n: '<1>', email: 'a' },
			{ n: '<2>', email: 'b' },
			{ n: '<3>', email: 'c' },
		],
		node: retry,
	});
	expect(stored()).toEqual(['<2>', '<3>']);
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
			answerFilters: { filter: [{ question: 'n', condition: '={{ $json.nope }}', value: 'old' }] },
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
	expect(sandbox.responses.slice(1).map(({ answers }) => answers)).toEqual([
		{ n: '<0>' },
		{ n: '<1>' },
	]);
});
