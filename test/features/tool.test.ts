import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { askAgent, asTool, asToolOfAgents, type TestRun } from '../support/engine';
import { byId, credentialsOf, formRecord } from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')], responses: [] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const POST = 'POST /responses';

const test = (parameters: object = {}, node: TestRun['node'] = {}): TestRun => ({
	parameters: {
		operation: 'createResponse',
		formId: byId('f1'),
		answersInput: 'json',
		answersJson: "={{ { n: $fromAI('n') } }}",
		...parameters,
	} as TestRun['parameters'],
	credentials: credentialsOf(sandbox),
	input: [{ chatInput: 'Please register Ada' }],
	node,
});

const stored = () => sandbox.responses.map(({ answers }) => answers.n);
const posts = () => sandbox.log.filter(({ route }) => route === POST);

/** The ways in which n8n calls a tool; each gives the replies to all calls, or the error instead. */
const callers: [string, (run: TestRun, calls: IDataObject[]) => Promise<unknown[]>][] = [
	['a tool of AI Agent 3', askAgent],
	[
		'a tool of an older AI Agent',
		async (run, calls) => {
			const call = asTool(run);
			const replies = [];
			for (const input of calls) {
				const reply = call(input).then((text) => JSON.parse(String(text)) as unknown);
				replies.push(await reply.catch(({ message: error }: Error) => [{ error }]));
			}
			return replies;
		},
	],
	[
		"a tool of one of n8n's Agents",
		async (run, calls) => {
			const replies = [];
			for (const input of calls) {
				const reply = asToolOfAgents(run, input);
				replies.push(await reply.catch(({ message: error }: Error) => [{ error }]));
			}
			return replies;
		},
	],
];

describe.each(callers)('%s', (name, ask) => {
	it('submits at each call of the model, and gives it the reply', async () => {
		const replies = await ask(test(), [{ n: '1' }, { n: '1' }, { n: '2' }]);

		expect(stored()).toEqual(['1', '1', '2']);
		expect(replies).toEqual(
			sandbox.responses.map(({ id }) => [{ success: true, response_id: id }]),
		);
	});

	it.each(['getForms', 'getResponses', 'getQuestions'])('reads: %s', async (operation) => {
		await ask(test(), [{ n: '1' }]);

		expect(await ask(test({ operation }), [{}])).toEqual([[expect.any(Object)]]);
	});

	it('tells the model what went wrong', async () => {
		sandbox.faults.add({ status: 422, body: { message: 'n is no number' } });
		for (const operation of ['createResponse', 'getResponses', 'getForms']) {
			const [reply] = await ask(test({ operation }), [{ n: 'x' }]);
			expect(reply).toEqual([{ error: expect.stringMatching(/\(422\)/) as string }]);
		}
		const [reply] = await ask(test({ formId: byId('') }), [{ n: 'x' }]);
		expect(reply).toEqual([{ error: expect.stringMatching(/form/i) as string }]);
	});

	it.each([[{ matchOn: ['n'] }], [{}]])(
		'creates one response for calls with the same answers in several executions, with Skip Existing and %j',
		async (options) => {
			const run = test({ options: { skipExisting: true, ...options } });
			const replies = [await ask(run, [{ n: '1' }]), await ask(run, [{ n: '1' }])];

			expect(stored()).toEqual(['1']);
			expect(replies.flat()).toMatchObject([[{ success: true }], [{ skipped: true }]]);
		},
	);

	it('creates one response for calls of one execution with the same answers to match on', async () => {
		const options = { skipExisting: true, matchOn: ['n'] };
		await ask(test({ options }), [{ n: '1' }, { n: '1' }]);

		expect(stored()).toEqual(['1']);
	});

	// n8n's Agents run a tool without a workflow, and so without its settings.
	if (name === "a tool of one of n8n's Agents") return;

	const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

	it('does not send again with Retry On Fail what may have been stored', async () => {
		sandbox.faults.add({ route: POST, status: 500, stored: true, times: 1 });
		const replies = await ask(test({}, node), [{ n: '1' }, { n: '2' }]);

		expect(posts()).toHaveLength(2);
		expect(stored()).toEqual(['1', '2']);
		expect(replies[0]).toEqual([{ error: expect.stringMatching(/stored/) as string }]);
	});
});

it('a tool of an older AI Agent sends again with Retry On Fail what was refused', async () => {
	sandbox.faults.add({ route: POST, status: 422, times: 1 });
	const call = asTool(test({}, { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }));
	await call({ n: '1' });

	expect(posts()).toHaveLength(2);
	expect(stored()).toEqual(['1']);
});

it.each([
	['an older AI Agent', async (run: TestRun) => await asTool(run)({ n: '1' })],
	["one of n8n's Agents", async (run: TestRun) => await asToolOfAgents(run, { n: '1' })],
])('a tool of %s submits with an error output, too', async (_, ask) => {
	const type = 'n8n-nodes-form-collection.formCollectionTool';
	await ask(test({}, { type, onError: 'continueErrorOutput' }));

	expect(stored()).toEqual(['1']);
});
