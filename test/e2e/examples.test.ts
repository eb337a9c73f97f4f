import type { Workflow } from '../../playground/n8nClient';
import { readExamples, START } from '../../playground/workflows';
import { Bench, outputOf } from './support/bench';

const bench = new Bench();

beforeAll(async () => await bench.start());

afterAll(async () => await bench.stop());

beforeEach(() => bench.sandbox.reset());

/** Creates the example workflow and returns its ID. */
async function create(
	name: string,
	change: (example: Workflow) => void = () => undefined,
): Promise<string> {
	const examples = await readExamples(bench.credential, bench.sandbox.url);
	const example = examples.find((workflow) => workflow.name === `Form Collection: ${name}`)!;
	change(example);
	return (await bench.client.createWorkflow(example)).id;
}

async function run(id: string, trigger = START) {
	const execution = await bench.client.runWorkflow(id, trigger);
	expect(execution).toMatchObject({ status: 'success', error: undefined });
	return execution;
}

const posts = () => bench.routes().filter((route) => route === 'POST /responses');

test('list forms: one item per form', async () => {
	const execution = await run(await create('list forms'));

	expect(outputOf(execution, 'Get Forms')).toEqual(bench.sandbox.forms);
});

test('responses to a table: one file', async () => {
	const execution = await run(await create('responses to a table'));

	expect(outputOf(execution, 'To CSV file')).toHaveLength(1);
});

test('new response to message: a test event becomes a message to whom it is for', async () => {
	const workflow = await create('new response to message');
	const submit = (topics: string[], created_at: string) =>
		bench.sandbox.responses.push({
			id: topics.join(),
			form_id: '8899d818-977d-46aa-8246-692996dcc594',
			answers: { full_name: 'Ada', email: 'ada@example.com', topics, message: 'Hello' },
			created_at,
		});
	const messagesOf = async (node: string) => {
		const items = outputOf(await run(workflow, 'New response'), node);
		return items.map(({ message }) => message);
	};

	submit(['Press', 'Sales'], '2026-11-21T09:00:00Z');
	expect(await messagesOf('Message to Sales')).toEqual([
		'New sales question from Ada (ada@example.com): Hello',
	]);

	submit(['Press'], '2026-11-21T10:00:00Z');
	expect(await messagesOf('Message to everyone')).toEqual([
		'New contact from Ada (ada@example.com): Hello',
	]);
});

test('import a CSV file: each row is sent once, also when the import is run again', async () => {
	const { responses } = bench.sandbox;
	const before = responses.length;
	const workflow = await create('import a CSV file');

	const execution = await run(workflow);

	const created = responses.slice(before);
	expect([created.length, posts().length]).toEqual([200, 200]);
	const rows = outputOf(execution, 'One item per row');
	const emails = (records: { email?: unknown }[]) => records.map(({ email }) => email).sort();
	expect(emails(created.map(({ answers }) => answers))).toEqual(emails(rows));
	const { email, interests } = rows.find((row) => String(row['interests']).includes(';'))!;
	const answers = created.find((response) => response.answers['email'] === email)?.answers;
	expect(answers?.['interests']).toEqual(String(interests).split(';'));
	const readBack = outputOf(execution, 'Read them back').map(({ id }) => id);
	expect(readBack.sort()).toEqual(created.map(({ id }) => id).sort());

	await run(workflow);

	expect([responses.length - before, posts().length]).toEqual([200, 200]);
});

test('paced import: all rows, 80 at a time, with a wait between', async () => {
	const workflow = await create('paced import', ({ nodes }) => {
		const wait = nodes.find(({ name }) => name === 'Wait an hour')!;
		wait.parameters = { amount: 1, unit: 'seconds' };
	});

	const execution = await run(workflow);

	const { runData } = execution;
	const sizes = runData['Create Response']?.map(({ data }) => data?.main[0]?.length);
	expect(sizes).toEqual([80, 80, 40]);
	expect(runData['Wait an hour']).toHaveLength(2);
	expect(outputOf(execution, 'All sent')).toHaveLength(200);
	expect(posts()).toHaveLength(200);
});
