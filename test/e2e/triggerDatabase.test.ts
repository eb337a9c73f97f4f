import { until } from '../../playground/until';
import { expectAllEmittedOnce, PollPaths, startPolling } from './support/pollPaths';

const paths = new PollPaths();

beforeAll(async () => {
	await paths.start(['full', 'existing']);
	await paths.onEach(startPolling);
});

afterAll(async () => await paths.stop());

// As a full disk does, and at a moment that no kill would hit.
const refuse = (what: string) =>
	`CREATE TRIGGER full BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'full'); END`;
const allow = 'DROP TRIGGER full';

test('what n8n has emitted but could not note is repeated after a restart', async () => {
	await paths.onEach(async ({ name, bench }) => {
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
});

test('what n8n has noted but could not start is missed, without durable cursors', async () => {
	await paths.onEach(async ({ bench }) => {
		await bench.sql(refuse('INSERT ON execution_entity'));
		bench.submit('full', 'not started');
		const before = bench.requestsFor('full').length;
		await until('a poll', () => bench.requestsFor('full').length > before + 1);
		expect(bench.idsFrom('full')).not.toContain('not started');
		await bench.sql(allow);
	});
});

test('in the end all else was emitted once, the old ones never', async () => {
	await paths.onEach(async (path) => {
		const deviations = { repeated: ['not noted'], missed: ['not started'] };
		await expectAllEmittedOnce(path, path.name === 'classic' ? deviations : {});
	});
});
