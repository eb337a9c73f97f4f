import { readdirSync } from 'node:fs';
import type { INodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import { retry } from '../support/engine';
import { responseRecord } from '../support/formCollection';
import { credentials, frozen, poller, resultOf, withService } from './replay';

const versions = readdirSync(__dirname, { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name);

describe.each(versions)('saved by version %s,', (version) => {
	const { workflow, executions, triggers } = frozen(version);

	it.each(workflow.nodes.map((node) => [node.name, node] as const))(
		'a node does what it did: %s',
		async (name, node) => {
			const Node = node.type.endsWith('Trigger') ? FormCollectionTrigger : FormCollection;
			const { description }: INodeType = new Node();
			const { properties } = description;
			// n8n adds these to each polling trigger.
			const parameters = { ...node.parameters };
			delete parameters.pollTimes;
			const args = [true, false, node, description] as const;

			expect(NodeHelpers.getNodeParameters(properties, parameters, ...args)).toMatchObject(
				parameters,
			);
			expect(NodeHelpers.getNodeParametersIssues(properties, node, description)).toBeNull();
			expect(await resultOf(node, workflow.input)).toEqual(workflow.results[name]);
		},
	);

	it.each(Object.entries(executions))(
		'an execution sends only what is missing when it is retried: %s',
		async (name, { test, data, responses: before }) => {
			await withService(before, async ({ responses }) => {
				const save = () => JSON.stringify(data);
				const { status, runs } = await retry({ test: { ...test, credentials }, save });

				const rows = responses.map(({ answers }) => String(answers.row)).sort();
				expect(rows).toEqual(test.input?.map(({ row }) => String(row)).sort());
				expect(status).toBe(name === 'unknown outcome' ? 'error' : 'success');
				if (status === 'error') return;
				const output = runs.flatMap(({ items = [] }) => items.map(({ json }) => json.response_id));
				expect(output.sort()).toEqual(responses.map(({ id }) => id).sort());
			});
		},
	);

	it.each(Object.entries(triggers))(
		'a trigger passes on what is new, once: %s',
		async (_, { staticData, responses }) => {
			const whileDown = responseRecord('f1', 'new', { created_at: '2099-01-01T00:00:00Z' });
			await withService([...responses, whileDown], async () => {
				const again = poller();
				again.saved = JSON.stringify(staticData);

				expect(await again.restart()).toMatchObject([{ id: 'new' }]);
				expect(await again.tick()).toEqual([]);
			});
		},
	);
});
