import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../../../sandbox';
import { startSandbox } from '../../../../sandbox';
import type { Execution } from '../../../model/n8n';
import { Instance } from '../../../model/n8n';
import { byId, credentialsOf, formRecord } from '../../../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const POST = 'POST /responses';

/** An execution in which nothing was sent */
async function failedWith(rows: string[], options: IDataObject = {}): Promise<Execution> {
	sandbox.faults.add({ route: POST, status: 422 });
	const spec = {
		parameters: {
			operation: 'createResponse',
			formId: byId('f1'),
			answersInput: 'json',
			answersJson: '={{ { "row": $json.row } }}',
			options: { parallelRequests: 1, ...options },
		},
		credentials: credentialsOf(sandbox),
		node: {},
		batches: 1,
	};
	const input = rows.map((row) => ({ row }));
	const failed = await new Instance().run(spec, input);
	expect(failed.status).toBe('error');
	sandbox.faults.clear();
	return failed;
}

const stored = () => sandbox.responses.map(({ answers }) => String(answers.row)).sort();

const rows = Array.from({ length: 20 }, (_, row) => `<${row}>`).sort();

describe.each([1, 10])(
	'two retries of an execution at a time, %i parallel requests',
	(parallelRequests) => {
		it.each([{}, { skipExisting: true }])('send each item once, with %j', async (options) => {
			const failed = await failedWith(rows, { parallelRequests, ...options });
			sandbox.faults.add({ route: POST, stored: true, delayMs: 5 });
			const n8n = new Instance();
			const retries = await Promise.all([n8n.retry(failed), n8n.retry(failed)]);

			expect(stored()).toEqual(rows);
			const ids = sandbox.responses.map(({ id }) => id).sort();
			for (const { status, runs } of retries) {
				const outputs = runs.flatMap(({ items = [] }) => items.map(({ json }) => json.response_id));
				expect({ status, ids: outputs.sort() }).toEqual({ status: 'success', ids });
			}
		});
	},
);

it.each([401, 422, 429])(
	'a retry sends what another one had under way as it began, and was refused (%i)',
	async (status) => {
		const failed = await failedWith(['a', 'b']);
		sandbox.faults.add({ route: POST, status, delayMs: 200, times: 1 });
		const n8n = new Instance();
		const before = sandbox.log.length;
		const first = n8n.retry(failed);
		while (sandbox.log.length === before) await new Promise((resolve) => setImmediate(resolve));
		const second = await n8n.retry(failed);

		expect((await first).status).toBe('error');
		expect(second.status).toBe('success');
		expect(stored()).toEqual(['a', 'b']);
	},
);

it('a retry does not take for another item what an earlier one had under way as it read the form', async () => {
	const failed = await failedWith(['same', 'bad', 'same'], {
		parallelRequests: 2,
		skipExisting: true,
	});
	sandbox.faults.add(
		{ route: POST, contains: 'bad', status: 422, times: 1 },
		{ route: POST, contains: 'same', stored: true, delayMs: 300, times: 1 },
	);
	const n8n = new Instance();
	const first = n8n.retry(failed);
	while (sandbox.responses.length === 0) await new Promise((resolve) => setImmediate(resolve));
	await Promise.all([first, n8n.retry(failed)]);

	expect(stored()).toEqual(['bad', 'same', 'same']);
});

it('a retry knows what an earlier one has sent, however many others there were in between', async () => {
	const others = [];
	for (let n = 0; n < 60; n++) others.push(await failedWith([`other ${n}`]));
	const failed = await failedWith(['a', 'b']);
	const n8n = new Instance();
	sandbox.faults.add({ route: POST, status: 429, skip: 1 });
	await n8n.retry(failed);
	expect(stored()).toEqual(['a']);
	for (const other of others) await n8n.retry(other);
	sandbox.faults.clear();
	await n8n.retry(failed);

	expect(stored()).toEqual(['a', 'b']);
});
