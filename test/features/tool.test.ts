import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isTool, refuseErrorOutput } from '../../nodes/FormCollection/tool';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { askAgent, asTool, asToolOfAgents, type TestRun } from '../support/engine';
import { byId, credentialsOf, formRecord, runOn } from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')], responses: [] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = {
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: "={{ { n: $fromAI('n') } }}",
};

const ask = async (calls: IDataObject[], parameters: object = {}, more: Partial<TestRun> = {}) =>
	await askAgent(
		{
			parameters: { ...create, ...parameters } as TestRun['parameters'],
			credentials: credentialsOf(sandbox),
			input: [{ chatInput: 'Please register Ada' }],
			...more,
		},
		calls,
	);

const stored = () => sandbox.responses.map(({ answers }) => answers);

describe('a tool of AI Agent 3', () => {
	it('submits at each call of the model', async () => {
		const replies = await ask([{ n: '1' }, { n: '1' }, { n: '2' }]);

		expect(stored()).toEqual([{ n: '1' }, { n: '1' }, { n: '2' }]);
		expect(replies).toEqual(
			sandbox.responses.map(({ id }) => [{ success: true, response_id: id }]),
		);
	});

	it.each([{}, { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 }])(
		'does not send again what may have been stored, with %j',
		async (node) => {
			sandbox.faults.add({ route: 'POST /responses', status: 500, stored: true, times: 1 });

			const replies = await ask([{ n: '1' }, { n: '2' }, { n: '1' }], {}, { node });

			expect(stored()).toEqual([{ n: '1' }, { n: '2' }]);
			const unknown =
				/^The service could not answer \(500\): check whether the response was stored/;
			expect(replies[0]).toEqual([{ error: expect.stringMatching(unknown) as string }]);
			expect(replies[2]).toEqual(replies[0]);
		},
	);

	it('does not send again what may have been stored, however the model writes the call', async () => {
		sandbox.faults.add({ route: 'POST /responses', status: 500, stored: true, times: 1 });
		const answersJson = "={{ $fromAI('answers', '', 'json') }}";
		const answers = { n: '1', m: ['2'] };
		const calls = [
			{ answers },
			{ answers, id: 'call_1' },
			{ answers: JSON.stringify({ m: '2', n: '1' }) },
			{ answers: { n: '1' } },
		];

		const replies = await ask(calls as IDataObject[], { answersJson });

		expect(stored()).toEqual([answers, { n: '1' }]);
		expect(replies.slice(1, 3)).toEqual([replies[0], replies[0]]);
		expect(replies[3]).toMatchObject([{ success: true }]);
	});

	it.each([undefined, 'continueRegularOutput'] as const)(
		'tells the model what went wrong, with On Error %s',
		async (onError) => {
			sandbox.faults.add({ status: 422, body: { message: 'n is no number' } });

			const failed = /^The service did not accept the request \(422\) and says "n is no number"/;
			for (const operation of ['createResponse', 'getResponses', 'getForms']) {
				const [reply] = await ask([{ n: 'x' }], { operation }, { node: { onError } });
				expect(reply).toEqual([{ error: expect.stringMatching(failed) as string }]);
			}
			const [reply] = await ask([{ n: 'x' }], { formId: byId('') }, { node: { onError } });
			expect(reply).toEqual([{ error: expect.stringMatching(/^No form is chosen: /) as string }]);
		},
	);

	it('sends nothing where n8n would give the model no result', async () => {
		const node = { onError: 'continueErrorOutput' } as const;
		for (const operation of ['createResponse', 'getResponses', 'getForms']) {
			expect(await ask([{ n: 'x' }], { operation }, { node })).toEqual([
				[
					{
						error:
							'On Error of this tool is Continue (using error output), with which n8n gives the AI Agent no result: choose Continue under Settings, or delete the tool and add it again',
					},
				],
			]);
		}
		expect(sandbox.log).toEqual([]);
	});
});

describe("a tool of one of n8n's Agents", () => {
	const call = async (parameters: object = {}, node: TestRun['node'] = {}) =>
		await asToolOfAgents(
			{
				parameters: { ...create, ...parameters } as TestRun['parameters'],
				credentials: credentialsOf(sandbox),
				node,
			},
			{ n: '1' },
		);

	it('submits at each call of the model, and with Skip Existing once', async () => {
		const created = () => ({ success: true, response_id: sandbox.responses.at(-1)?.id });

		expect(await call()).toEqual([created()]);
		expect(await call()).toEqual([created()]);
		const skipped = await call({ options: { skipExisting: true } });

		expect(skipped).toMatchObject([{ skipped: true }]);
		expect(stored()).toEqual([{ n: '1' }, { n: '1' }]);
	});

	it('submits with an error output, too: the model gets its result', async () => {
		await expect(call({}, { onError: 'continueErrorOutput' })).resolves.toMatchObject([
			{ success: true },
		]);
		expect(stored()).toEqual([{ n: '1' }]);
	});

	it.each(['getForms', 'getResponses', 'getQuestions'])('reads: %s', async (operation) => {
		await call();

		expect(await call({ operation })).toHaveLength(1);
	});

	it('says what went wrong', async () => {
		sandbox.faults.add({ status: 422, body: { message: 'n is no number' } });

		await expect(call()).rejects.toThrow('(422) and says "n is no number"');
	});
});

it('a tool of an older AI Agent submits with an error output, too', async () => {
	const call = asTool({
		parameters: create,
		credentials: credentialsOf(sandbox),
		node: {
			type: 'n8n-nodes-form-collection.formCollectionTool',
			onError: 'continueErrorOutput',
		},
	});

	expect(String(await call({ n: '1' }))).toContain('"success":true');
	expect(stored()).toEqual([{ n: '1' }]);
});

it.each([
	['an item with the ID of a tool call', { toolCallId: 'call_1' }],
	['an item without fields', undefined],
])('a node that is no tool submits with an error output: %s', async (_, json) => {
	const { items } = await runOn(
		sandbox,
		{ ...create, answersJson: '{ "n": "1" }' },
		{ input: [json as unknown as IDataObject], node: { onError: 'continueErrorOutput' } },
	);

	expect(items).toMatchObject([{ json: { success: true } }]);
	expect(stored()).toEqual([{ n: '1' }]);
});

it.each([
	[true, 'formCollection', true],
	[false, 'formCollectionTool', true],
	[false, 'formCollection', false],
	// Before n8n 2.41
	[undefined, 'formCollectionTool', true],
	[undefined, 'formCollection', false],
])('is a tool where n8n says so or the node type: %p, %s', (says, type, expected) => {
	const node = { type: `n8n-nodes-form-collection.${type}` };
	const context = {
		getNode: () => node,
		...(says !== undefined && { isToolExecution: () => says }),
	};

	expect(isTool(context as unknown as IExecuteFunctions)).toBe(expected);
});

it('a tool with an error output that gets no item is not called by an agent', () => {
	const context = {
		getInputData: () => [],
		getNode: () => ({ type: 'formCollectionTool', onError: 'continueErrorOutput' }),
	};

	expect(() => refuseErrorOutput(context as unknown as IExecuteFunctions)).not.toThrow();
});
