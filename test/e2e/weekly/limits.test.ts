import type { SavedWorkflow } from '../../../playground/n8nClient';
import { until } from '../../../playground/run';
import { node, nodeType, rowOf, runsOn, START, using } from '../../../playground/workflows';
import { byId, formRecord } from '../../support/formCollection';
import { McpClient, mcpExample } from '../support/ai';
import { Bench, importInto, namesOf, NODE, outputOf, rows } from '../support/bench';

// What Create Response knows of earlier tries is saved with the execution. These are cases in which n8n 2.41 does not
// save it or does not hand it on, so that a response is stored twice, unless Skip Existing is on.

const bench = new Bench({ forms: [] });

beforeAll(async () => await bench.start());

afterAll(async () => await bench.stop());

let nextForm = 0;
let form: string;

beforeEach(() => {
	bench.sandbox.reset();
	// A form that nobody has answered yet.
	form = `form-${(nextForm += 1)}`;
	bench.sandbox.forms.push(formRecord(form));
});

/** The service stores the submission, and its answer is lost on the way. */
const loseTheAnswerTo = (text: string) =>
	bench.sandbox.faults.add({
		route: 'POST /responses',
		contains: text,
		cut: 'connection',
		stored: true,
		times: 1,
	});

const retry = async (id: string, { id: workflowId }: SavedWorkflow) =>
	await bench.client.retryExecution(id, workflowId);

const run = async ({ id }: SavedWorkflow) => await bench.client.runWorkflow(id, START);

describe.each([{ skipExisting: true }, { skipExisting: false }])('with %j', (options) => {
	/** Each row is stored, and without Skip Existing these are stored twice. */
	const expectStored = (items: { row: string }[], twice: string[]) => {
		const repeated = options.skipExisting ? [] : twice;
		expect(bench.storedRows(form)).toEqual([...namesOf(items), ...repeated].sort());
	};

	test('an import in which n8n was killed, retried', async () => {
		const items = rows(40);
		// The requests that get no answer last longer than the test.
		const parameters = importInto(form, { ...options, timeout: 300 });
		bench.sandbox.faults.add({ route: 'POST /responses', skip: 20, hang: true, stored: true });
		const workflow = await bench.publishWebhook(form, parameters);
		// Nobody waits for the answer, because n8n is gone by then.
		bench.client.callWebhook(form, { items }).catch(() => undefined);
		await until('the middle of the import', () => bench.storedRows(form).length === 30);
		const [execution] = await bench.client.listExecutions(workflow.id);
		const before = bench.storedRows(form);

		await bench.killN8n();
		bench.sandbox.faults.clear();
		await bench.startN8n();

		const crashed = await bench.client.getExecution(execution!.id);
		expect(crashed).toMatchObject({ status: 'crashed', runData: {} });
		const retried = await retry(execution!.id, workflow);
		expect(retried.status).toBe('success');
		expect(bench.repliedRows(form, outputOf(retried))).toEqual(namesOf(items));
		expectStored(items, before);
	});

	test('an import that failed, retried twice', async () => {
		const items = rows(5);
		const refusal = { route: 'POST /responses', contains: 'row 3.', status: 422, times: 1 };
		bench.sandbox.faults.add(refusal);
		const workflow = await bench.createRun(items, importInto(form, options));
		const failed = await run(workflow);
		expect(failed.status).toBe('error');

		const first = await retry(failed.id, workflow);
		expect(first.status).toBe('success');
		await bench.client.request('POST', `/executions/${failed.id}/retry`, { loadWorkflow: false });

		expectStored(items, ['row 3.']);
	});

	test('an import in a sub-workflow, when the execution that calls it is retried', async () => {
		const items = rows(5);
		const parameters = { inputSource: 'passthrough' };
		const subWorkflow = await bench.publish(
			rowOf(form, [
				node('Start', 'executeWorkflowTrigger', 1.1, { parameters }),
				node(NODE, nodeType, 1, {
					parameters: importInto(form, options),
					credentials: using(bench.credential),
				}),
			]),
		);
		const caller = await bench.client.createWorkflow(
			runsOn(items, 'Call', {
				type: 'n8n-nodes-base.executeWorkflow',
				typeVersion: 1.2,
				parameters: { workflowId: byId(subWorkflow.id), mode: 'once', options: {} },
			}),
		);
		loseTheAnswerTo('row 3.');
		const failed = await run(caller);
		expect(failed.status).toBe('error');

		const retried = await retry(failed.id, caller);

		expect(retried.status).toBe('success');
		expect(bench.repliedRows(form, outputOf(retried, 'Call'))).toEqual(namesOf(items));
		expectStored(items, namesOf(items));
	});

	test('a call of an MCP client that repeats it because the answer was lost', async () => {
		const server = await mcpExample(bench, ({ parameters }) => {
			if (parameters['operation'] === 'createResponse') parameters['options'] = options;
		});
		const mcp = await McpClient.connect(bench, server);
		loseTheAnswerTo('row 0.');
		const call = { name: 'Create_Response', input: { form_id: form, answers: { row: 'row 0.' } } };

		expect(await mcp.call(call)).toEqual([{ error: expect.anything() as unknown }]);
		const replies = await mcp.call(call);
		await mcp.close();

		expect(bench.repliedRows(form, replies)).toEqual(['row 0.']);
		expectStored(rows(1), ['row 0.']);
	});
});
