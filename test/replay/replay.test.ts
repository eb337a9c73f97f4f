import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox';
import { responseRecord } from '../support/formCollection';
import type { SavedExecution } from './executions';
import { retry } from './executions';
import { firstResponses, startService } from './service';
import type { SavedTrigger } from './trigger';
import { startAgain } from './trigger';
import type { SavedWorkflow } from './workflow';
import { complaintsAbout, resultOf } from './workflow';

const versions = readdirSync(__dirname, { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name);

function saved<T>(version: string, name: string): T {
	return JSON.parse(readFileSync(join(__dirname, version, `${name}.json`), 'utf8')) as T;
}

const idsOf = (records: unknown[]) => records.map((record) => (record as { id: string }).id);

let service: Sandbox;

afterEach(async () => await service.stop());

describe.each(versions)('today’s code goes on from what n8n has saved of version %s', (version) => {
	const { nodes, input, results } = saved<SavedWorkflow>(version, 'workflow');
	const executions = saved<Record<string, SavedExecution>>(version, 'executions');
	const triggers = saved<Record<string, SavedTrigger>>(version, 'triggers');

	it.each(nodes.map((node) => [node.name, node] as const))(
		'a node does what it did: %s',
		async (name, node) => {
			service = await startService(firstResponses);

			expect(complaintsAbout(node)).toEqual({ dropped: [], issues: null, unknown: [] });
			expect(await resultOf(node, input, service)).toEqual(results[name]);
		},
	);

	it.each(Object.entries(executions))(
		'a retried execution sends only what is missing: %s',
		async (name, execution) => {
			service = await startService(execution.responses);
			const { status, error, runs } = await retry(execution);

			const rows = service.responses.map(({ answers }) => String(answers.row)).sort();
			expect(rows).toEqual(execution.input.map(({ row }) => String(row)).sort());
			if (name === 'unknown outcome') {
				expect(error?.message).toContain('check whether the response was stored');
				return;
			}
			expect(status).toBe('success');
			const output = runs.flatMap(({ items = [] }) => items.map(({ json }) => json.response_id));
			expect(output.sort()).toEqual(idsOf(service.responses).sort());
		},
	);

	it.each(Object.entries(triggers))(
		'a trigger passes on what is new, once: %s',
		async (_, trigger) => {
			const whileDown = responseRecord('f1', 'new', { created_at: '2099-01-01T00:00:00Z' });
			service = await startService([...trigger.responses, whileDown]);
			const poller = startAgain(trigger);
			const first = await poller.restart();
			const second = await poller.tick();

			expect([first, second].map(idsOf)).toEqual([['new'], []]);
		},
	);

	it.each(Object.entries(triggers))(
		'a trigger that is renamed passes on nothing again: %s',
		async (_, trigger) => {
			service = await startService(trigger.responses);
			const poller = startAgain(trigger);
			poller.test.node = { name: 'Renamed' };
			const first = await poller.activate('update');
			const second = await poller.tick();

			expect([first, second].map(idsOf)).toEqual([[], []]);
		},
	);
});
