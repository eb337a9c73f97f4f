import type { OutputItem } from '../../playground/executionData';
import type { Execution, SavedCredential, SavedWorkflow } from '../../playground/n8nClient';
import { newUserFolder, packPackage } from '../../playground/packageUnderTest';
import { until } from '../../playground/until';
import { nodeType, runsOn, START, using, webhookWorkflow } from '../../playground/workflows';
import { startSandbox } from '../../sandbox';
import { byId, formRecord } from '../support/formCollection';
import { McpClient, publishMcpServer } from './support/mcp';
import { RestartableBench } from './support/restartableBench';

// What Create Response knows of earlier tries is saved with the execution. These are the cases in which
// n8n 2.41 does not save it or does not hand it on: "sends nothing twice" ends there, unless Skip
// Existing is on.

const NODE = 'Form Collection';

let bench: RestartableBench;
let credential: SavedCredential;

beforeAll(async () => {
	const userFolder = await newUserFolder(await packPackage());
	// Less time to finish than an import takes.
	const env = { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '1' };
	bench = new RestartableBench(await startSandbox({ forms: [] }), userFolder, env);
	await bench.startN8n();
	credential = await bench.credential('Sandbox');
});

afterAll(async () => await bench?.stop());

let nextForm = 0;
let form: string;

/** A form that nobody has answered yet. */
function newForm(): string {
	const id = `form-${(nextForm += 1)}`;
	bench.sandbox.forms.push(formRecord(id));
	return id;
}

beforeEach(() => {
	bench.sandbox.reset();
	form = newForm();
});

const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ row: `row ${i}.` }));

const namesOf = (items: { row: string }[]) => items.map(({ row }) => row).sort();

const posts = (formId = form) =>
	bench.sandbox.log.filter((request) => request.method === 'POST' && request.formId === formId);

const stored = (formId = form) =>
	bench.sandbox.responses.filter((response) => response.form_id === formId);

const storedRows = (formId = form) =>
	stored(formId)
		.map(({ answers }) => String(answers['row']))
		.sort();

/** Each row that is stored, with how often. */
const timesStored = (formId = form) => {
	const times = new Map<string, number>();
	for (const row of storedRows(formId)) times.set(row, (times.get(row) ?? 0) + 1);
	return times;
};

const importInto = (formId: string, options: object = {}) => ({
	parameters: {
		operation: 'createResponse',
		formId: byId(formId),
		answersInput: 'json',
		answersJson: '={{ { row: $json.row } }}',
		options,
	},
	credentials: using(credential),
});

const outputOf = ({ runData }: Execution, node = NODE, branch = 0): OutputItem[] =>
	runData[node]?.at(-1)?.data?.main[branch] ?? [];

/** The rows that the items stand for, by their response IDs. */
const repliedRows = (items: OutputItem[], formId = form) =>
	items
		.map(({ json }) => stored(formId).find(({ id }) => id === json['response_id'])?.answers['row'])
		.sort();

/** The service stores the submission, and its answer is lost on the way. */
const loseTheAnswerTo = (text: string) =>
	bench.sandbox.faults.add({
		route: 'POST /responses',
		contains: text,
		cut: 'connection',
		stored: true,
		times: 1,
	});

const runNow = async ({ id }: SavedWorkflow) => await bench.client.runWorkflow(id, START);

const retry = async (id: string, { id: workflowId }: SavedWorkflow, loadWorkflow = false) =>
	await bench.client.retryExecution(id, { workflowId, loadWorkflow });

const LONG = rows(40);

/** How many rows the service stores before it is interrupted: 20 that it answers, and 10 that it does not. */
const IN_THE_MIDDLE = 30;

/** The import into the form gets no further than 30 rows, the last 10 of which get no answer. */
const hangInTheMiddleOf = (formId: string) =>
	bench.sandbox.faults.add({
		route: 'POST /responses',
		contains: `"${formId}"`,
		skip: 20,
		hang: true,
		stored: true,
	});

/** The requests that get no answer last longer than any test. */
const PATIENT = { timeout: 300 };

const theMiddleOf = async (...formIds: string[]) =>
	void (await until('the middle of the imports', () =>
		formIds.every((formId) => stored(formId).length === IN_THE_MIDDLE),
	));

interface StartedImport {
	formId: string;
	workflow: SavedWorkflow;
	execution: string;
}

/** Brings an import of 40 rows, started by a webhook, to its middle; behind it a node takes over what it puts out. */
async function startImport(
	options: object,
	node: object = {},
	settings: Record<string, unknown> = {},
): Promise<StartedImport> {
	const formId = newForm();
	hangInTheMiddleOf(formId);
	const { parameters } = importInto(formId, { ...PATIENT, ...options });
	const { nodes, connections, name } = webhookWorkflow(formId, parameters, credential);
	Object.assign(nodes.at(-1)!, node);
	const next = { name: 'Next', type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} };
	const workflow = await bench.client.createWorkflow({
		name,
		settings,
		nodes: [...nodes, { ...next, position: [660, 0] }],
		connections: { ...connections, [NODE]: { main: [[{ node: 'Next', type: 'main', index: 0 }]] } },
	});
	await bench.client.activateWorkflow(workflow);
	// Nobody waits for the answer, because n8n may be gone by then.
	bench.client.callWebhook(formId, { items: LONG }).catch(() => undefined);
	await theMiddleOf(formId);
	const [execution] = await bench.client.listExecutions(workflow.id);
	return { formId, workflow, execution: execution!.id };
}

/** Brings an import of 40 rows, started in the editor, to its middle. */
async function startInTheEditor(): Promise<string> {
	hangInTheMiddleOf(form);
	const { id } = await bench.client.createWorkflow(runsOn(LONG, NODE, importInto(form, PATIENT)));
	const execution = await bench.client.startWorkflow(id, START);
	await theMiddleOf(form);
	return execution;
}

describe.each([
	['was killed', async () => await bench.killN8n()],
	['was stopped, as by docker stop, with less time than the import takes', () => bench.stopN8n()],
])('an execution in which n8n %s', (_, end) => {
	test('is "crashed"; retried, it ends complete, with Skip Existing without repeats; one of the editor cannot be retried', async () => {
		const [asItWas, asItIsNow, without] = await Promise.all([
			startImport({ skipExisting: true }),
			startImport({ skipExisting: true }),
			startImport({}),
		]);
		const inTheEditor = await startInTheEditor();

		await end();

		const imports = [asItWas, asItIsNow, without];
		const before = timesStored(without.formId);
		expect(before.size).toBe(IN_THE_MIDDLE);
		bench.sandbox.faults.clear();
		await bench.startN8n();
		for (const { formId, workflow, execution } of imports) {
			const { client } = bench;
			expect(await client.getExecution(execution)).toMatchObject({
				status: 'crashed',
				runData: {},
			});
			const retried = await retry(execution, workflow, formId === asItIsNow.formId);
			expect(retried.status).toBe('success');
			expect(repliedRows(outputOf(retried), formId)).toEqual(namesOf(LONG));
		}
		await expect(
			bench.client.request('POST', `/executions/${inTheEditor}/retry`, { loadWorkflow: false }),
		).rejects.toThrow();
		expect(stored()).toHaveLength(IN_THE_MIDDLE);
		expect(storedRows(asItWas.formId)).toEqual(namesOf(LONG));
		expect(storedRows(asItIsNow.formId)).toEqual(namesOf(LONG));
		expect(timesStored(without.formId)).toEqual(
			new Map(LONG.map(({ row }) => [row, before.has(row) ? 2 : 1])),
		);
	});
});

const FEW = rows(5);

/** Without Skip Existing every row is stored by each of the two tries, else once. */
const expectStored = (skipExisting: boolean) =>
	expect(timesStored()).toEqual(new Map(FEW.map(({ row }) => [row, skipExisting ? 1 : 2])));

describe.each([{ skipExisting: true }, { skipExisting: false }])('with %j', (options) => {
	describe('an import in a sub-workflow', () => {
		/** Calls a workflow that imports what it gets. */
		async function callSubWorkflow(settings: object): Promise<SavedWorkflow> {
			const subWorkflow = await bench.client.createWorkflow({
				name: form,
				nodes: [
					{
						name: 'Start',
						type: 'n8n-nodes-base.executeWorkflowTrigger',
						typeVersion: 1.1,
						position: [0, 0],
						parameters: { inputSource: 'passthrough' },
					},
					{
						name: NODE,
						type: nodeType,
						typeVersion: 1,
						position: [220, 0],
						...importInto(form, options),
					},
				],
				connections: { Start: { main: [[{ node: NODE, type: 'main', index: 0 }]] } },
			});
			await bench.client.activateWorkflow(subWorkflow);
			return await bench.client.createWorkflow(
				runsOn(FEW, 'Call', {
					type: 'n8n-nodes-base.executeWorkflow',
					typeVersion: 1.2,
					parameters: { workflowId: byId(subWorkflow.id), mode: 'once', options: {} },
					...settings,
				}),
			);
		}

		test('whose call has Retry On Fail', async () => {
			const parent = await callSubWorkflow({ retryOnFail: true, maxTries: 2, waitBetweenTries: 1 });
			loseTheAnswerTo('row 3.');

			const execution = await runNow(parent);

			expect(execution.status).toBe('success');
			expect(repliedRows(outputOf(execution, 'Call'))).toEqual(namesOf(FEW));
			expectStored(options.skipExisting);
		});

		test('whose calling execution failed and is retried', async () => {
			const parent = await callSubWorkflow({});
			loseTheAnswerTo('row 3.');
			const failed = await runNow(parent);
			expect(failed.status).toBe('error');

			const execution = await retry(failed.id, parent);

			expect(execution.status).toBe('success');
			expect(repliedRows(outputOf(execution, 'Call'))).toEqual(namesOf(FEW));
			expectStored(options.skipExisting);
		});
	});

	test('"Execute step" again after a failed run', async () => {
		const workflow = await bench.client.createWorkflow(
			runsOn(FEW, NODE, importInto(form, options)),
		);
		loseTheAnswerTo('row 3.');
		const failed = await runNow(workflow);
		expect(failed.status).toBe('error');

		const { executionId } = await bench.client.request<{ executionId: string }>(
			'POST',
			`/workflows/${workflow.id}/run`,
			{
				workflowData: workflow,
				runData: failed.runData,
				destinationNode: { nodeName: NODE, mode: 'inclusive' },
				dirtyNodeNames: [],
			},
		);

		const execution = await bench.client.waitForExecution(executionId);
		expect(execution.status).toBe('success');
		expect(repliedRows(outputOf(execution))).toEqual(namesOf(FEW));
		expectStored(options.skipExisting);
	});

	test('an MCP client that repeats a call whose answer was lost', async () => {
		const { client, sandbox, url } = bench;
		const address = await publishMcpServer(
			{ client, credential, sandbox, n8n: { url } },
			({ parameters }) => {
				if (parameters['operation'] === 'createResponse') parameters['options'] = options;
			},
		);
		const mcp = await McpClient.connect(address);
		loseTheAnswerTo('row 0.');
		const call = { form_id: form, answers: { row: 'row 0.' } };

		const first = await mcp.call('Create_Response', call);
		const second = await mcp.records('Create_Response', call);
		await mcp.close();

		expect(first).toMatchObject({
			isError: true,
			text: expect.stringContaining('stored') as string,
		});
		expect(repliedRows(second.map((json) => ({ json })))).toEqual(['row 0.']);
		expect(storedRows()).toEqual(Array(options.skipExisting ? 1 : 2).fill('row 0.'));
	});
});

describe('an error output that leads back into the same node', () => {
	async function run(options: object = {}): Promise<Execution | undefined> {
		const workflow = runsOn(FEW, NODE, {
			...importInto(form, options),
			onError: 'continueErrorOutput',
		});
		workflow.connections[NODE] = { main: [[], [{ node: NODE, type: 'main', index: 0 }]] };
		const { id } = await bench.client.createWorkflow(workflow);
		const execution = await bench.client.startWorkflow(id, START);
		try {
			return await bench.client.waitForExecution(execution, 60_000);
		} catch {
			// It goes round in a circle.
			await bench.client.stopExecution(execution);
			return undefined;
		}
	}

	test('sends a row that was refused again', async () => {
		bench.sandbox.faults.add({
			route: 'POST /responses',
			contains: 'row 3.',
			status: 422,
			times: 1,
		});

		expect(await run()).toMatchObject({ status: 'success' });

		expect(storedRows()).toEqual(namesOf(FEW));
	});

	test('does not send a row again whose answer was lost, and comes to an end', async () => {
		loseTheAnswerTo('row 3.');

		const execution = await run();

		expect(storedRows()).toEqual(namesOf(FEW));
		expect(posts()).toHaveLength(5);
		expect(execution).toBeDefined();
	});
});

describe('an import that takes longer than the execution may', () => {
	const runIntoTimeout = async (onError: string) => {
		const started = await startImport({}, { onError }, { executionTimeout: 10 });
		const execution = await bench.client.waitForExecution(started.execution);
		expect(execution.status).toBe('canceled');
		expect(stored(started.formId)).toHaveLength(IN_THE_MIDDLE);
		bench.sandbox.faults.clear();
		return { ...started, execution };
	};

	test('has no output; retried, it sends what is missing and nothing twice', async () => {
		const { formId, workflow, execution } = await runIntoTimeout('stopWorkflow');

		expect(outputOf(execution)).toEqual([]);
		const retried = await retry(execution.id, workflow);

		expect(storedRows(formId)).toEqual(namesOf(LONG));
		// The answers to 10 rows never came.
		expect(retried.status).toBe('error');
		expect(outputOf(retried, 'Next')).toEqual([]);
	});
});

describe.each(['stopWorkflow', 'continueErrorOutput'])(
	'an import that is stopped, On Error: %s',
	(onError) => {
		test.each([{ skipExisting: true }, { skipExisting: false }])(
			'has no output; n8n retries it from its start, with %j',
			async (options) => {
				const started = await startImport(options, { onError });
				const { formId, workflow, execution } = started;
				await bench.client.stopExecution(execution);

				const before = timesStored(formId);
				expect(before.size).toBe(IN_THE_MIDDLE);
				const stopped = await bench.client.getExecution(execution);
				expect(stopped.status).toBe('canceled');
				expect(outputOf(stopped)).toEqual([]);
				bench.sandbox.faults.clear();
				const retried = await retry(execution, workflow);
				expect(repliedRows(outputOf(retried, 'Next'), formId)).toEqual(namesOf(LONG));
				expect(timesStored(formId)).toEqual(
					new Map(LONG.map(({ row }) => [row, !options.skipExisting && before.has(row) ? 2 : 1])),
				);
			},
		);
	},
);
