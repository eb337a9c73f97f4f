import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { Execution, WorkflowSpec } from '../model/n8n';
import { Instance } from '../model/n8n';
import {
	byId,
	credentialsOf,
	formRecord,
	requestsTo,
	responseRecord,
} from '../support/formCollection';

jest.setTimeout(30_000);

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1'), formRecord('f2')] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const POST = 'POST /responses';

const parametersWith = (options: IDataObject) =>
	({
		operation: 'createResponse',
		formId: byId('f1'),
		answersInput: 'json',
		answersJson: '={{ { "row": $json.row } }}',
		options,
	}) as INodeParameters;

/**
 * An execution that has failed
 *
 * @param refused what is in the rows that were refused; by default in all, so that nothing was sent
 */
async function failedWith(
	rows: string[],
	options: IDataObject = {},
	refused = '',
): Promise<Execution> {
	sandbox.faults.add({ route: POST, contains: refused, status: 422 });
	const spec = {
		parameters: parametersWith({ parallelRequests: 1, ...options }),
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

function newKey(): string {
	sandbox.addKey('another_key_12345');
	return 'another_key_12345';
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

describe('an execution that is retried twice, with a loop', () => {
	let lookups = 0;
	const spec = (options: INodeParameters, lookup = (item: IDataObject): IDataObject => item) => ({
		parameters: {
			operation: 'createResponse',
			formId: { __rl: true, mode: 'id', value: '={{ $json.form }}' },
			answersInput: 'json',
			answersJson: '={{ { "row": $json.row } }}',
			options,
		},
		credentials: credentialsOf(sandbox),
		node: {},
		batches: 1,
		lookup,
	});
	const another = (item: IDataObject): IDataObject => ({ ...item, lookup: ++lookups });
	const input = ['a', 'b', 'c', 'd', 'e'].map((row) => ({ row, form: 'f1' }));

	/** The execution fails with b, and its first retry with e. */
	async function retriedOnce(n8n: Instance, workflow: WorkflowSpec): Promise<Execution> {
		sandbox.faults.add({ route: POST, contains: '"b"', status: 429 });
		const failed = await n8n.run(workflow, input);
		sandbox.faults.clear();
		sandbox.faults.add({ route: POST, contains: '"e"', status: 429 });
		await n8n.retry(failed);
		sandbox.faults.clear();
		expect(stored()).toEqual(['a', 'b', 'c', 'd']);
		return failed;
	}

	it.each([
		['the same items', { parallelRequests: 1 }, undefined],
		['other items for the same rows, with Skip Existing', { skipExisting: true }, another],
	])('sends each row once where the nodes before give %s', async (_, options, lookup) => {
		const n8n = new Instance();
		const failed = await retriedOnce(n8n, spec(options, lookup));
		const { status, runs } = await n8n.retry(failed);

		expect(stored()).toEqual(['a', 'b', 'c', 'd', 'e']);
		const ids = sandbox.responses.map(({ id }) => id).sort();
		const outputs = runs.flatMap(({ items = [] }) => items.map(({ json }) => json.response_id));
		expect({ status, ids: outputs.sort() }).toEqual({ status: 'success', ids });
	});

	it('reads the form once for all rows of which the nodes before give others', async () => {
		const n8n = new Instance();
		const failed = await retriedOnce(n8n, spec({}, another));
		const before = requestsTo(sandbox).length;
		await n8n.retry(failed, spec({ skipExisting: true }, another));

		expect(requestsTo(sandbox).slice(before)).toEqual(['GET /responses f1', 'POST /responses f1']);
		expect(stored()).toEqual(['a', 'b', 'c', 'd', 'e']);
	});

	it('sends no row twice that the nodes before give in another order', async () => {
		const n8n = new Instance();
		const failed = await retriedOnce(n8n, spec({ skipExisting: true }, another));
		const order: Record<string, string> = { c: 'd', d: 'c', e: 'c' };
		const sorted = (item: IDataObject) =>
			another({ ...item, row: order[String(item.row)] ?? item.row });
		await n8n.retry(failed, spec({ skipExisting: true }, sorted));

		expect(stored()).toEqual(['a', 'b', 'c', 'c', 'd']);
	});

	const failsWith = (row: string) => (item: IDataObject) => {
		if (item.row === row) throw new Error('The lookup failed');
		return item;
	};

	it('sends no row twice that came back from the error output in the first retry', async () => {
		const workflow = (lookup: typeof another): WorkflowSpec => ({
			...spec({ skipExisting: true }, lookup),
			rounds: 5,
			node: { onError: 'continueErrorOutput' },
		});
		const n8n = new Instance();
		const failed = await n8n.run(workflow(failsWith('b')), input);
		sandbox.faults.add({ route: POST, contains: '"b"', status: 429, times: 1 });
		await n8n.retry(failed, workflow(failsWith('c')));
		expect(stored()).toEqual(['a', 'b']);
		await n8n.retry(
			failed,
			workflow((item) => item),
		);

		expect(stored()).toEqual(['a', 'b', 'c', 'd', 'e']);
	});

	it.each([false, true])(
		'lets a response stand for one row, also where another retry had it for a later one (new API key: %p)',
		async (isNewKey) => {
			const node = { onError: 'continueRegularOutput' as const };
			const rows = ['a', 'b', 'same', 'same', 'c'].map((row) => ({ row, form: 'f1' }));
			const n8n = new Instance();
			const failed = await n8n.run({ ...spec({ skipExisting: true }, failsWith('b')), node }, rows);
			sandbox.faults.add({ route: POST, contains: '"same"', status: 429, times: 1 });
			await n8n.retry(failed, { ...spec({ skipExisting: true }, failsWith('c')), node });
			expect(stored()).toEqual(['a', 'b', 'same']);
			const credentials = { ...credentialsOf(sandbox), ...(isNewKey && { apiKey: newKey() }) };
			await n8n.retry(failed, { ...spec({ skipExisting: true }), node, credentials });

			expect(stored()).toEqual(['a', 'b', 'c', 'same', 'same']);
		},
	);

	it.each([false, true])(
		'lets what it takes over stand for no equal row of the same batch (new API key: %p)',
		async (isNewKey) => {
			// The other item in the second retry makes that read the form before it takes over anything.
			const changed = (fails?: string) => (item: IDataObject) => {
				const found = fails === undefined ? item : failsWith(fails)(item);
				return found.row === 'b' ? { ...found, at: lookups++ } : found;
			};
			const withLookup = (fails?: string) => ({
				...spec({ skipExisting: true, parallelRequests: 1 }, changed(fails)),
				batchSize: 2,
			});
			const rows = ['a0', 'a1', 'b', 'c', 'same', 'same'].map((row) => ({ row, form: 'f1' }));
			const n8n = new Instance();
			const failed = await n8n.run(withLookup('c'), rows);
			sandbox.faults.add({ route: POST, contains: 'same', status: 401, skip: 1, times: 1 });
			await n8n.retry(failed, withLookup());
			expect(stored()).toEqual(['a0', 'a1', 'b', 'c', 'same']);
			const credentials = { ...credentialsOf(sandbox), ...(isNewKey && { apiKey: newKey() }) };
			await n8n.retry(failed, { ...withLookup(), credentials });

			expect(stored()).toEqual(['a0', 'a1', 'b', 'c', 'same', 'same']);
		},
	);

	it('reads the form once for batches of which it takes over some rows', async () => {
		const more = { node: { onError: 'continueRegularOutput' as const }, batchSize: 2 };
		const rows = ['a', 'b', 'bad c', 'd', 'bad e', 'f', 'bad g', 'h', 'i', 'j'];
		const items = rows.map((row) => ({ row, form: 'f1' }));
		const n8n = new Instance();
		const failed = await n8n.run(
			{ ...spec({ skipExisting: true }, failsWith('d')), ...more },
			items,
		);
		sandbox.faults.add({ route: POST, contains: 'bad', status: 422 });
		await n8n.retry(failed, { ...spec({ skipExisting: true }, failsWith('j')), ...more });
		const before = requestsTo(sandbox).length;
		await n8n.retry(failed, { ...spec({ skipExisting: true }), ...more });

		const reads = requestsTo(sandbox)
			.slice(before)
			.filter((request) => request.startsWith('GET'));
		expect(reads).toEqual(['GET /responses f1']);
		expect(stored()).toEqual(['a', 'b', 'd', 'f', 'h', 'i', 'j']);
	});

	it('sends no row twice where two forms give their responses the same ID', async () => {
		const rows = ['a', 'b', 'c', 'd'].map((row) => ({ row, form: row === 'c' ? 'f2' : 'f1' }));
		const n8n = new Instance();
		const failed = await n8n.run(spec({}, failsWith('b')), rows);
		const body = { success: true, response_id: '1' };
		sandbox.faults.add({ route: POST, contains: '"b"', stored: true, body });
		sandbox.faults.add({ route: POST, contains: '"c"', stored: true, body });
		await n8n.retry(failed, spec({}, failsWith('d')));
		await n8n.retry(failed, spec({}));

		expect(stored()).toEqual(['a', 'b', 'c', 'd']);
	});

	it('sends a row that equals another one of its batch, of which other retries had one each', async () => {
		const giving =
			(...given: string[]) =>
			({ n }: IDataObject) => {
				const row = given[Number(n)];
				if (row === undefined) throw new Error('The lookup failed');
				return { row, form: 'f1' };
			};
		const workflow = (...given: string[]) => ({
			...spec({ skipExisting: true, parallelRequests: 1 }, giving(...given)),
			batchSize: 2,
		});
		const n8n = new Instance();
		const failed = await n8n.run(
			workflow('p', 'q'),
			[0, 1, 2, 3, 4].map((n) => ({ n })),
		);
		sandbox.faults.add({ route: POST, contains: 'bad', status: 422 });
		await n8n.retry(failed, workflow('p', 'q', 'x', 'bad'));
		await n8n.retry(failed, workflow('p', 'q', 'y', 'x'));
		await n8n.retry(failed, workflow('p', 'q', 'x', 'x', 'z'));

		expect(stored()).toEqual(['p', 'q', 'x', 'x', 'y', 'z']);
	});

	it('gives no row the response of another one where its form cannot be read', async () => {
		const n8n = new Instance();
		const failed = await retriedOnce(n8n, spec({}));
		const withoutForm = (item: IDataObject) =>
			item.row === 'c' ? { row: 'another', form: '' } : item;
		const { error } = await n8n.retry(failed, spec({}, withoutForm));

		expect(error?.message).toMatch(/^No form is chosen/);
	});
});

describe('two retries of an execution at a time, with Skip Existing', () => {
	it('let each response stand for one row', async () => {
		sandbox.responses.push(responseRecord('f1', 'r1', { answers: { row: 'same' } }));
		const rows = ['done', 'bad', 'slow', 'same', 'limit', 'same'];
		const failed = await failedWith(rows, { skipExisting: true }, 'bad');
		sandbox.faults.add({ route: POST, contains: 'bad', status: 422 });
		sandbox.faults.add({ route: POST, contains: 'slow', stored: true, delayMs: 300, times: 1 });
		sandbox.faults.add({ route: POST, contains: 'limit', status: 429, times: 1 });
		const n8n = new Instance();
		await Promise.all([n8n.retry(failed), n8n.retry(failed)]);

		expect(stored()).toEqual(['done', 'limit', 'same', 'same', 'slow']);
	});

	it.each([true, false])(
		'refuse no row because of an equal one whose outcome is unknown (stored: %p)',
		async (isStored) => {
			const rows = ['done', 'bad', 'slow', 'equal', 'equal'];
			const failed = await failedWith(rows, { skipExisting: true }, 'bad');
			sandbox.faults.add({ route: POST, contains: 'bad', status: 422 });
			sandbox.faults.add({ route: POST, contains: 'slow', stored: true, delayMs: 300, times: 1 });
			const unknown = { contains: 'equal', status: 500, stored: isStored, times: 1 };
			sandbox.faults.add({ route: POST, ...unknown });
			const n8n = new Instance();
			await Promise.all([n8n.retry(failed), n8n.retry(failed)]);
			sandbox.faults.clear();
			await n8n.retry(failed);

			const equal = ['equal', ...(isStored ? ['equal'] : [])];
			expect(stored()).toEqual(['bad', 'done', ...equal, 'slow']);
		},
	);
});

it('two retries at a time know of each other what they submit, as other executions do', async () => {
	/** Each lookup gives the next row of a queue. */
	const giving = (...rows: string[]): WorkflowSpec => ({
		parameters: parametersWith({ skipExisting: true }),
		credentials: credentialsOf(sandbox),
		node: {},
		batches: 1,
		lookup({ row }) {
			const next = row === '0' ? 'first' : rows.shift();
			if (next === undefined) throw new Error('The lookup failed');
			return { row: next };
		},
	});
	const failed = await new Instance().run(
		giving(),
		['0', '1', '2'].map((row) => ({ row })),
	);
	sandbox.faults.add({ route: POST, contains: '"x"', stored: true, delayMs: 300, times: 1 });
	sandbox.faults.add({ route: POST, contains: '"y"', stored: true, delayMs: 100, times: 1 });
	const first = new Instance().retry(failed, giving('x', 'y'));
	while (!stored().includes('x')) await new Promise((resolve) => setImmediate(resolve));
	await Promise.all([first, new Instance().retry(failed, giving('y', 'z'))]);

	expect(stored()).toEqual(['first', 'x', 'y', 'z']);
});

it.each(['1', '2'])(
	'a second retry of a loop with two accounts takes over what the second one has under ID %s, the first one under 1',
	async (id) => {
		const other = await startSandbox({ forms: [formRecord('f1')] });
		const accounts = [sandbox, sandbox, other, other];
		const spec = {
			parameters: parametersWith({ parallelRequests: 1 }),
			credentials: { baseUrl: '={{ $json.url }}', apiKey: '={{ $json.key }}' },
			node: {},
			batches: 1,
			batchSize: 2,
			lookup: ({ n }: IDataObject) => {
				const { baseUrl, apiKey } = accounts[Number(n)]!;
				return { row: ['a', 'b', 'c', 'bad'][Number(n)], url: baseUrl, key: apiKey };
			},
		};
		const created = (response_id: string) => ({
			route: POST,
			stored: true,
			body: { success: true, response_id },
		});
		sandbox.faults.add({ ...created('1'), contains: '"a"' });
		other.faults.add(
			{ route: POST, contains: 'bad', status: 422 },
			{ route: POST, contains: '"c"', status: 422, times: 1 },
			{ ...created(id), contains: '"c"' },
		);
		const n8n = new Instance();
		const failed = await n8n.run(
			spec,
			accounts.map((_, n) => ({ n })),
		);
		await n8n.retry(failed);
		await n8n.retry(failed);
		const rows = other.responses.map(({ answers }) => answers.row);
		await other.stop();

		expect(rows).toEqual(['c']);
	},
);

it.each([1, 2])('each account is looked at alone, in %i runs of a loop', async (batches) => {
	const other = await startSandbox({
		forms: [formRecord('f1')],
		responses: [responseRecord('f1', '1', { answers: { row: 'x' } })],
	});
	sandbox.faults.add({ route: POST, stored: true, body: { success: true, response_id: '1' } });
	const spec = {
		parameters: parametersWith({ skipExisting: true }),
		credentials: { baseUrl: '={{ $json.url }}', apiKey: '={{ $json.key }}' },
		node: {},
		batches,
	};
	const input = [sandbox, other].map(({ baseUrl: url, apiKey: key }) => ({ row: 'x', url, key }));
	const { status } = await new Instance().run(spec, input);
	const count = other.responses.length;
	await other.stop();

	expect({ status, count }).toEqual({ status: 'success', count: 1 });
	expect(stored()).toEqual(['x']);
});
