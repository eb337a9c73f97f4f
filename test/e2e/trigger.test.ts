import type { SavedCredential, SavedWorkflow } from '../../playground/n8nClient';
import { until } from '../../playground/until';
import { readyPackage, SETUP_TIMEOUT } from './support/bench';
import { TriggerBench } from './support/triggerBench';

// n8n polls once a minute at most. Each test goes on where the one before it ended, and the two ways
// in which n8n polls are tested side by side, so that many wait for one poll.

const paths = {
	classic: {},
	'durable cursors': {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	},
};

interface Path {
	name: string;
	bench: TriggerBench;
	credential: SavedCredential;
	workflows: Record<string, SavedWorkflow>;
}

const running: Path[] = [];

const onBothPaths = async (check: (path: Path) => Promise<void>) =>
	await Promise.all(
		running.map(async (path) => {
			try {
				await check(path);
			} catch (error) {
				throw new Error(`On the path ${path.name}: ${(error as Error).message}`, { cause: error });
			}
		}),
	).then(() => undefined);

const polled = ['steady', 'limited', 'down', 'form', 'credential', 'paused', 'existing', 'full'];

beforeAll(async () => {
	const tarball = await readyPackage();
	for (const [name, env] of Object.entries(paths)) {
		const bench = await TriggerBench.start(tarball, env, [...polled, 'other form']);
		const credential = await bench.credential('Sandbox');
		const workflows: Path['workflows'] = {};
		for (const form of polled) {
			const options = form === 'existing' ? { includeExisting: true } : {};
			workflows[form] = await bench.create(form, form, credential, options);
		}
		running.push({ name, bench, credential, workflows });
	}
}, SETUP_TIMEOUT);

afterAll(async () => await Promise.all(running.map(async ({ bench }) => await bench.stop())));

const workflowOf = ({ workflows }: Path, name: string) => workflows[name] as SavedWorkflow;

test('a wrong key keeps a workflow from being activated, and n8n shows our sentence', async () => {
	await onBothPaths(async ({ bench }) => {
		const workflow = await bench.create(
			'wrong',
			'other form',
			await bench.credential('Wrong', 'no'),
		);
		const { status, triggers } = await bench.activate(workflow);
		expect(status).toBe('failed');
		expect(triggers[0]?.errorMessage).toContain(
			'The service refused the API key (401): copy the key from your account settings into the Form Collection API credential',
		);
		await bench.deactivate(workflow);
	});
});

test('activation takes one request for each form, and the limit does not stop it', async () => {
	await onBothPaths(async (path) => {
		const { bench } = path;
		bench.sandbox.faults.add({
			contains: 'form_id=limited',
			times: 1,
			status: 429,
			headers: { 'Retry-After': '1800' },
		});
		for (const name of polled) {
			expect(await bench.activate(workflowOf(path, name))).toMatchObject({ status: 'published' });
		}
		expect(bench.requestsFor('limited').map(({ status }) => status)).toContain(429);
	});
});

test('what comes between activation and the first poll is emitted, once, by one request', async () => {
	await onBothPaths(async ({ bench }) => {
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

test('a restart of n8n loses and repeats nothing', async () => {
	await onBothPaths(async ({ bench }) => {
		bench.submit('steady', 'before the restart');
		await bench.stopN8n();
		bench.submit('steady', 'during the restart');
		await bench.startN8n();
		await until('both', () => bench.idsFrom('steady').includes('during the restart'));
		expect(bench.idsFrom('steady')).toEqual([
			'steady 1',
			'before the restart',
			'during the restart',
		]);
	});
});

test('n8n killed right after a poll that emitted loses and repeats nothing', async () => {
	await onBothPaths(async ({ bench }) => {
		const emitted = bench.nextEmitted();
		bench.submit('steady', 'before the kill');
		expect(await emitted).toEqual({ workflow: 'steady', id: 'before the kill' });
		await bench.killN8n();
		bench.submit('steady', 'after the kill');
		await bench.startN8n();
		await until('after the kill', () => bench.idsFrom('steady').includes('after the kill'));
		expect(bench.idsFrom('steady').slice(3)).toEqual(['before the kill', 'after the kill']);
	});
});

test('a change of the form, of the credential or of activity', async () => {
	await onBothPaths(async (path) => {
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

		bench.submit('other form', 'new in the other form');
		bench.submit('credential', 'new with the other credential');
		await until('the three', () =>
			['form', 'credential', 'paused'].every((name) => bench.idsFrom(name).length === 2),
		);
		expect(bench.idsFrom('form')).toEqual(['form 1', 'new in the other form']);
		expect(bench.idsFrom('credential')).toEqual(['credential 1', 'new with the other credential']);
		expect(bench.idsFrom('paused')).toEqual(['paused 1', 'while inactive']);
	});
}, 300_000);

test('what came while the service was down is emitted when it is back', async () => {
	await onBothPaths(async ({ bench }) => {
		bench.submit('down', 'down 2');
		await until('both', () => bench.idsFrom('down').includes('down 2'));
		expect(bench.idsFrom('down')).toEqual(['down 1', 'down 2']);
		const answers = bench.requestsFor('down').map(({ status }) => status);
		expect(answers.filter((status) => status === 503)).toHaveLength(3);
	});
}, 600_000);

// As a full disk does, and at a moment that no kill would hit.
const refuse = (what: string) =>
	`CREATE TRIGGER full BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'full'); END`;
const allow = 'DROP TRIGGER full';

test('what n8n has emitted but could not note is repeated after a restart', async () => {
	await onBothPaths(async ({ name, bench }) => {
		await bench.sql(
			refuse(
				name === 'classic'
					? 'UPDATE OF staticData ON workflow_entity'
					: 'UPDATE OF cursor ON poller_state',
			),
		);
		bench.submit('full', 'not noted');
		if (name === 'classic') {
			await until('it', () => bench.idsFrom('full').includes('not noted'));
			await bench.killN8n();
			await bench.sql(allow);
			await bench.startN8n();
			await until('the repeat', () => bench.idsFrom('full').length === 3);
		} else {
			const before = bench.requestsFor('full').length;
			await until('a poll', () => bench.requestsFor('full').length > before + 1);
			expect(bench.idsFrom('full')).toEqual(['full 1']);
			await bench.sql(allow);
			await until('it', () => bench.idsFrom('full').includes('not noted'));
		}
	});
}, 400_000);

test('what n8n has noted but could not start is missed, without durable cursors', async () => {
	await onBothPaths(async ({ bench }) => {
		await bench.sql(refuse('INSERT ON execution_entity'));
		bench.submit('full', 'not started');
		const before = bench.requestsFor('full').length;
		await until('a poll', () => bench.requestsFor('full').length > before + 1);
		expect(bench.idsFrom('full')).not.toContain('not started');
		await bench.sql(allow);
	});
}, 300_000);

test('in the end all else was emitted once, the old ones never', async () => {
	await onBothPaths(async (path) => {
		const { name, bench } = path;
		const before = bench.sandbox.log.length;
		await until('a poll of each form', () => {
			const asked = new Set(bench.sandbox.log.slice(before).map(({ formId }) => formId));
			return asked.size === polled.length;
		});
		// The last of these polls may still be at work.
		await until('what it emits', () => name === 'classic' || bench.idsFrom('full').length === 3);
		const ids = bench.emitted.map(({ id }) => id);
		const news = bench.sandbox.responses
			.map(({ id }) => id)
			.filter((id) => !id.includes('old') || id.startsWith('existing'));
		const repeated = name === 'classic' ? ['not noted'] : [];
		const missed = name === 'classic' ? ['not started'] : [];
		expect([...ids, ...missed].sort()).toEqual([...news, ...repeated].sort());
		expect(await bench.pollsOf(workflowOf(path, 'steady'))).toBe(
			bench.requestsFor('steady').length,
		);
	});
}, 300_000);
