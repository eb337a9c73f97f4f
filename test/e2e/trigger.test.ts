import type { SavedWorkflow } from '../../playground/n8nClient';
import { until } from '../../playground/run';
import { using } from '../../playground/workflows';
import { byId } from '../support/formCollection';
import { Bench, polledForms } from './support/bench';

// n8n polls once a minute at most, and puts polls off for minutes after one that failed. Each test goes on where the one
// before it ended, so that many wait for one poll.
jest.setTimeout(600_000);

const polled = ['steady', 'limited', 'down', 'form', 'credential', 'paused', 'existing'];

const bench = new Bench(polledForms([...polled, 'other form']));
const workflows: Record<string, SavedWorkflow> = {};
const workflow = (name: string) => workflows[name]!;

beforeAll(async () => {
	await bench.start();
	for (const form of polled) {
		const options = { includeExisting: form === 'existing' };
		workflows[form] = await bench.createTrigger(form, form, { options });
	}
});

afterAll(async () => await bench.stop());

test('a wrong key keeps a workflow from being activated, and n8n shows why', async () => {
	const credential = await bench.createCredential('Wrong', 'no');
	const wrong = await bench.createTrigger('wrong', 'other form', { credential });

	await expect(bench.activate(wrong)).rejects.toThrow(/key.*\(401\)/i);

	await bench.deactivate(wrong);
});

test('a limit of requests does not keep a workflow from being activated', async () => {
	const headers = { 'Retry-After': '1800' };
	bench.sandbox.faults.add({ contains: 'form_id=limited', times: 1, status: 429, headers });

	for (const form of polled) await bench.activate(workflow(form));

	expect(bench.requestsFor('limited')).toMatchObject([{ status: 429 }]);
});

test('what comes after activation starts the workflow once, and what was there only with Include Existing', async () => {
	const emitting = polled.filter((form) => form !== 'down');
	bench.sandbox.faults.add({ contains: 'form_id=down', times: 3, status: 503 });
	for (const form of polled) bench.submit(form, `${form} 1`);

	for (const form of emitting) await bench.started(form, `${form} 1`);

	expect(bench.idsFrom('steady')).toEqual(['steady 1']);
	expect(bench.idsFrom('existing')).toEqual(['existing old 1', 'existing old 2', 'existing 1']);
});

test('another form or credential starts over, and a pause does not', async () => {
	await bench.activate(
		await bench.change(workflow('form'), ({ parameters }) => {
			parameters['formId'] = byId('other form');
		}),
	);
	const other = await bench.createCredential('Other');
	await bench.activate(
		await bench.change(workflow('credential'), (trigger) => {
			trigger.credentials = using(other);
		}),
	);
	await bench.deactivate(workflow('paused'));
	bench.submit('paused', 'in the pause');
	await bench.activate(workflow('paused'));
	bench.submit('other form', 'in the other form');
	bench.submit('credential', 'with the other credential');

	await bench.started('form', 'in the other form');
	await bench.started('credential', 'with the other credential');
	await bench.started('paused', 'in the pause');

	expect(bench.idsFrom('form')).toEqual(['form 1', 'in the other form']);
	expect(bench.idsFrom('credential')).toEqual(['credential 1', 'with the other credential']);
	expect(bench.idsFrom('paused')).toEqual(['paused 1', 'in the pause']);
});

test('n8n killed right after a poll that started a workflow loses and repeats nothing', async () => {
	bench.submit('steady', 'before the kill');
	await bench.started('steady', 'before the kill');

	await bench.killN8n();
	bench.submit('steady', 'while n8n is down');
	const before = bench.sandbox.log.length;
	await bench.startN8n();

	await bench.started('steady', 'while n8n is down');
	await bench.started('down', 'down 1');
	const forms = [...polled.filter((name) => name !== 'form'), 'other form'];
	const isPolled = (form: string) =>
		bench.sandbox.log.slice(before).some(({ formId, status }) => formId === form && status === 200);
	await until('a poll of each form', () => forms.every(isPolled));
	expect(bench.idsFrom('steady')).toEqual(['steady 1', 'before the kill', 'while n8n is down']);
	const started = polled.flatMap(bench.idsFrom).filter((id) => !id.startsWith('existing old'));
	const submitted = bench.sandbox.responses
		.filter(({ id, form_id }) => forms.concat('form').includes(form_id) && !id.includes('old'))
		.map(({ id }) => id);
	expect(started.sort()).toEqual(submitted.sort());
});
