import { until } from '../../playground/until';
import {
	expectAllEmittedOnce,
	expectOneRequestPerPoll,
	firstPoll,
	PollPaths,
	workflowOf,
} from './support/pollPaths';

// n8n polls once a minute at most. Each test goes on where the one before it ended, so that many wait
// for one poll.

const polled = ['steady', 'limited', 'down', 'form', 'credential', 'paused', 'existing'];
const paths = new PollPaths();

beforeAll(async () => await paths.start(polled, ['other form']));

afterAll(async () => await paths.stop());

test('a wrong key keeps a workflow from being activated, and n8n shows why', async () => {
	await paths.onEach(async ({ bench }) => {
		const workflow = await bench.create(
			'wrong',
			'other form',
			await bench.credential('Wrong', 'no'),
		);
		await expect(bench.activate(workflow)).rejects.toThrow(/key.*\(401\)/i);
		await bench.deactivate(workflow);
	});
});

test('activation takes one request for each form, and the limit does not stop it', async () => {
	await paths.onEach(async (path) => {
		const { bench } = path;
		bench.sandbox.faults.add({
			contains: 'form_id=limited',
			times: 1,
			status: 429,
			headers: { 'Retry-After': '1800' },
		});
		for (const name of polled) {
			await bench.activate(workflowOf(path, name));
		}
		expect(bench.requestsFor('limited').map(({ status }) => status)).toContain(429);
	});
});

test('what comes after activation is emitted, once, by one request', async () => {
	await paths.onEach(async (path) => {
		const { bench } = path;
		await firstPoll(path, polled);
		bench.sandbox.faults.add({ contains: 'form_id=down', times: 3, status: 503 });
		for (const form of polled) bench.submit(form, `${form} 1`);
		for (const form of polled.filter((name) => name !== 'down')) {
			await until(`${form} 1`, () => bench.idsFrom(form).includes(`${form} 1`));
			expect(bench.requestsFor(form).length).toBeGreaterThan(0);
		}
		expect(bench.idsFrom('steady')).toEqual(['steady 1']);
		expect(bench.idsFrom('existing')).toEqual(['existing old 1', 'existing old 2', 'existing 1']);
	});
});

// These two wait for polls of different forms.
test.concurrent('a change of the form, of the credential or of activity', async () => {
	await paths.onEach(async (path) => {
		const { bench } = path;
		const form = await bench.change(workflowOf(path, 'form'), ({ parameters }) => {
			parameters.formId = { __rl: true, mode: 'id', value: 'other form' };
		});
		await bench.activate(form);
		const other = await bench.credential('Other');
		const credential = await bench.change(workflowOf(path, 'credential'), (trigger) => {
			trigger.credentials = { [other.type]: { id: other.id, name: other.name } };
		});
		await bench.activate(credential);

		const paused = workflowOf(path, 'paused');
		await bench.deactivate(paused);
		bench.submit('paused', 'while inactive');
		await bench.activate(paused);

		await firstPoll(path, ['other form', 'credential']);
		bench.submit('other form', 'new in the other form');
		bench.submit('credential', 'new with the other credential');
		await until('the three', () =>
			['form', 'credential', 'paused'].every((name) => bench.idsFrom(name).length === 2),
		);
		expect(bench.idsFrom('form')).toEqual(['form 1', 'new in the other form']);
		expect(bench.idsFrom('credential')).toEqual(['credential 1', 'new with the other credential']);
		expect(bench.idsFrom('paused')).toEqual(['paused 1', 'while inactive']);
	});
});

test.concurrent('what came while the service was down is emitted when it is back', async () => {
	await paths.onEach(async ({ bench }) => {
		bench.submit('down', 'down 2');
		await until('both', () => bench.idsFrom('down').includes('down 2'));
		expect(bench.idsFrom('down')).toEqual(['down 1', 'down 2']);
		const answers = bench.requestsFor('down').map(({ status }) => status);
		expect(answers.filter((status) => status === 503)).toHaveLength(3);
	});
});

test('in the end all was emitted once, the old ones never', async () => {
	await paths.onEach(async (path) => {
		await expectAllEmittedOnce(path);
		await expectOneRequestPerPoll(path, 'steady');
	});
});
