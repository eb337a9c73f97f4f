import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox';
import { responseRecord } from '../support/formCollection';
import { cases, retry, saveExecution, type SavedExecution } from './executions';
import { firstResponses, startService } from './service';
import { type SavedTrigger, saveTriggers, startAgain } from './trigger';
import type { SavedWorkflow } from './workflow';
import { complaintsAbout, resultOf } from './workflow';

const TODAY = 'today';

const versions = readdirSync(__dirname, { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name);

/** What is frozen of a version; undefined if nothing is */
function frozen<T>(version: string, name: string): T | undefined {
	const file = join(__dirname, version, `${name}.json`);
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}

const idsOf = (records: unknown[]) => records.map((record) => (record as { id: string }).id);

let service: Sandbox | undefined;

afterEach(async () => {
	await service?.stop();
	service = undefined;
});

const executions = versions.flatMap((version) =>
	Object.entries(frozen<Record<string, SavedExecution>>(version, 'executions') ?? {}).map(
		([name, execution]) => [version, name, async () => execution] as const,
	),
);

it.each([
	...executions,
	...Object.keys(cases).map(
		(name) => [TODAY, name, async () => await saveExecution(name)] as const,
	),
])(
	'an execution saved by version %s sends only what is missing when it is retried: %s',
	async (_, name, load) => {
		const execution = await load();
		service = await startService(execution.responses);
		const { status, runs } = await retry(execution);

		const rows = service.responses.map(({ answers }) => String(answers.row)).sort();
		expect(rows).toEqual(execution.input.map(({ row }) => String(row)).sort());
		expect(status).toBe(name === 'unknown outcome' ? 'error' : 'success');
		if (status === 'error') return;
		const output = runs.flatMap(({ items = [] }) => items.map(({ json }) => json.response_id));
		expect(output.sort()).toEqual(idsOf(service.responses).sort());
	},
);

it.each([TODAY, ...versions])(
	'a trigger saved by version %s passes on what is new, once',
	async (version) => {
		const firstService = await startService(firstResponses);
		const triggers =
			version === TODAY
				? await saveTriggers(firstService)
				: frozen<Record<string, SavedTrigger>>(version, 'triggers');
		await firstService.stop();

		for (const [name, trigger] of Object.entries(triggers ?? {})) {
			const whileDown = responseRecord('f1', 'new', { created_at: '2099-01-01T00:00:00Z' });
			service = await startService([...trigger.responses, whileDown]);
			const poller = startAgain(trigger);
			const polls = [await poller.restart(), await poller.tick()];
			await service.stop();

			expect({ [name]: polls.map(idsOf) }).toEqual({ [name]: [['new'], []] });
		}
	},
);

describe.each(versions)('a node of a workflow saved by version %s does what it did', (version) => {
	const { nodes, input, results } = frozen<SavedWorkflow>(version, 'workflow') as SavedWorkflow;

	it.each(nodes.map((node) => [node.name, node] as const))('%s', async (name, node) => {
		service = await startService(firstResponses);

		expect(complaintsAbout(node)).toEqual({ dropped: [], issues: null, unknown: [] });
		expect(await resultOf(node, input, service)).toEqual(results[name]);
	});
});
