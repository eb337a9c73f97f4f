import type { Sandbox } from '../../../../sandbox';
import { startSandbox } from '../../../../sandbox';
import { Instance } from '../../../model/n8n';
import { byId, credentialsOf, formRecord } from '../../../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const rows = Array.from({ length: 20 }, (_, row) => `<${row}>`);

describe.each([1, 10])(
	'two retries of an execution at a time, %i parallel requests',
	(parallelRequests) => {
		const spec = (options: object = {}) => ({
			parameters: {
				operation: 'createResponse',
				formId: byId('f1'),
				answersInput: 'json',
				answersJson: '={{ { "row": $json.row } }}',
				options: { parallelRequests, ...options },
			},
			credentials: credentialsOf(sandbox),
			node: {},
			batches: 1,
		});

		it.each([{}, { skipExisting: true }])('send each item once, with %j', async (options) => {
			sandbox.faults.add({ route: 'POST /responses', status: 422, times: parallelRequests });
			const input = rows.map((row) => ({ row }));
			const failed = await new Instance().run(spec(options), input);
			expect(failed.status).toBe('error');
			expect(sandbox.responses).toEqual([]);

			sandbox.faults.add({ route: 'POST /responses', stored: true, delayMs: 5 });
			const n8n = new Instance();
			const retries = await Promise.all([n8n.retry(failed), n8n.retry(failed)]);

			expect(sandbox.responses.map(({ answers }) => answers.row).sort()).toEqual([...rows].sort());
			const ids = sandbox.responses.map(({ id }) => id).sort();
			for (const { status, runs } of retries) {
				const outputs = runs.flatMap(({ items = [] }) => items.map(({ json }) => json.response_id));
				expect({ status, ids: outputs.sort() }).toEqual({ status: 'success', ids });
			}
		});
	},
);
