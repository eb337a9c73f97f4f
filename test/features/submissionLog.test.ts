import fc from 'fast-check';
import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';
import type { Account } from '../../nodes/FormCollection/transport/account';
import { ServiceError } from '../../nodes/FormCollection/transport/errors';
import { SubmissionLog } from '../../nodes/FormCollection/submissions/submissionLog';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool } from '../support/engine';
import {
	byId,
	factsOf,
	credentialsOf,
	formRecord,
	responseRecord,
	runOn,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')], responses: [] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = (options: object = {}) => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ { "n": $json.n } }}',
	options: { parallelRequests: 1, ...options },
});

const retryOnFail: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ n: `<${i}>` }));

const forItem = (n: number, fault: Fault): Fault => ({ contains: `<${n}>`, ...fault });

const stored = () => sandbox.responses.map(({ answers }) => answers.n);

const posts = () =>
	sandbox.log
		.filter(({ method }) => method === 'POST')
		.map(({ body }) => (body as { answers: { n: string } }).answers.n);

const reads = () => sandbox.log.filter(({ method }) => method === 'GET').length;

const unknownOutcome =
	'The service could not answer (500): check whether the response was stored before you send it again';

const isRefused = { status: 422, body: 'Not now' };

describe('a submission', () => {
	const json = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });

	const account: Account = {
		baseUrl: 'https://forms.example.com/api',
		apiKey: 'key',
		credential: { id: '', name: '', type: 'formCollectionApi', data: {} },
	};

	const logOf = (
		saved: object,
		items: unknown[],
		credentialId = '1',
		mode = 'trigger',
		$runIndex = 0,
	) =>
		// All that the log uses of n8n.
		new SubmissionLog({
			getContext: () => saved,
			getMode: () => mode,
			getWorkflowDataProxy: () => ({ $runIndex }),
			getInputData: () => items.map((item) => ({ json: item })),
			getNode: () => ({
				type: 'formCollection',
				credentials: { formCollectionApi: { id: credentialId } },
			}),
		} as unknown as IExecuteFunctions);

	it('is known by credential, form, item index and input item, as n8n saves them', () => {
		fc.assert(
			fc.property(json, json, (item, other) => {
				const saved = {};
				logOf(saved, [item, item])
					.entryOf(0, 'f1')
					.created({ success: true }, { account, answers: {} });
				const restored = JSON.parse(JSON.stringify(saved)) as object;
				const again = (input: unknown, itemIndex = 0, formId = 'f1', credentialId = '1') =>
					logOf(restored, [input, input], credentialId).entryOf(itemIndex, formId).previous()
						?.response;

				expect(again(JSON.parse(JSON.stringify(item)))).toEqual({ success: true });
				expect(again(item, 1)).toBeUndefined();
				expect(again(item, 0, 'f2')).toBeUndefined();
				expect(again(item, 0, 'f1', '2')).toBeUndefined();
				const textOf = (input: object) => JSON.stringify({ ...input, error: undefined });
				fc.pre(textOf(item) !== textOf(other));
				expect(again(other)).toBeUndefined();
			}),
		);
	});

	const fixed = { ...account.credential, data: { sameForAllItems: true } };

	it.each([
		['with one account, also with another key', fixed, ['r1']],
		['with expressions, by account', account.credential, []],
	])('uses a response for the items of its credential, %s', (_, credential, ids) => {
		const saved = {};
		const created = { success: true, response_id: 'r1' };
		const old = { ...account, credential };
		logOf(saved, [{}]).entryOf(0, 'f1').created(created, { account: old, answers: {} });
		const used = (credentialId: string, apiKey = 'another key', formId = 'f1') => {
			const log = logOf(saved, [{}], credentialId);
			return [...log.usedResponses({ ...old, apiKey }, formId).ids];
		};

		expect(used('1', old.apiKey)).toEqual(['r1']);
		expect(used('1')).toEqual(ids);
		expect(used('1', old.apiKey, 'f2')).toEqual([]);
		expect(used('2', old.apiKey)).toEqual([]);
	});

	it('by another retry of the execution is known in a run that begins after it with the same item', async () => {
		const failed = JSON.stringify({ submitted: {}, log: 'retried' });
		const retryOf = (run: number, item: object, saved = JSON.parse(failed) as object) =>
			logOf(saved, [item], '1', 'retry', run);
		const used = (log: SubmissionLog) => [...log.usedResponses(account, 'f1').ids];
		const submitted = async (run: number, item: object, id: string) => {
			const log = retryOf(run, item);
			const { release } = await log.begin();
			log.entryOf(0, 'f1').created({ success: true, response_id: id }, { account, answers: {} });
			release();
		};
		await submitted(0, { row: 'a' }, 'r1');
		await submitted(1, { row: 'b' }, 'r2');
		await submitted(2, { row: 'c' }, 'r3');

		const saved = JSON.parse(failed) as object;
		const begun = async (run: number, item: object) => {
			const log = retryOf(run, item, saved);
			const { release, taken } = await log.begin();
			release();
			const entry = log.ofItem(0);
			expect(log.hasAny()).toBe(entry !== undefined);
			expect(log.entryOf(0, 'f1').previous()).toBe(entry);
			return { log, taken: taken.length, id: entry?.response?.response_id };
		};
		const same = await begun(0, { row: 'a' });
		expect(same).toMatchObject({ taken: 1, id: 'r1' });
		expect(same.log.summary()).toEqual({ created: 1, createdByOthers: 0, failed: [] });
		expect(used(same.log)).toEqual(['r1']);
		// It has taken over this before.
		expect(await begun(0, { row: 'a' })).toMatchObject({ taken: 0, id: 'r1' });

		const other = await begun(1, { row: 'x' });
		expect(other).toMatchObject({ taken: 0, id: undefined });
		expect(other.log.summary()).toEqual({ created: 0, createdByOthers: 1, failed: [] });

		// Skip Existing lets what the other retry has created for the next item stand for this one.
		other.log
			.entryOf(0, 'f1')
			.created({ success: true, response_id: 'r3' }, { account, answers: {} }, true);
		expect(await begun(2, { row: 'c' })).toMatchObject({ taken: 0, id: undefined });
		expect(await begun(3, { row: 'd' })).toMatchObject({ taken: 0, id: undefined });
		expect(used(other.log)).toEqual(['r1', 'r3']);
	});

	it('by another retry, with an unknown outcome, makes no response stand for it', async () => {
		const failed = JSON.stringify({ submitted: {}, log: 'unknown' });
		const retry = () => logOf(JSON.parse(failed) as object, [{}, {}], '1', 'retry');
		const [first, second] = [retry(), retry()];
		(await first.begin()).release();
		first.entryOf(0, 'f1').begin();

		(await second.begin()).release();
		expect(second.entryOf(0, 'f1').unknownOutcome()).toBeInstanceOf(ServiceError);
	});

	it.each([
		['the same account', { ...account, apiKey: 'another key', credential: fixed }, 0],
		['another account', { ...account, apiKey: 'another key' }, 1],
	])(
		'by another retry is taken over unless its response stands for another item in %s',
		async (_, other, length) => {
			const failed = JSON.stringify({ submitted: {}, log: `in ${length}` });
			const response = { success: true, response_id: 'r1' };
			const { credential } = other;
			const first = logOf(JSON.parse(failed) as object, [{}], '1', 'retry', 1);
			(await first.begin()).release();
			first
				.entryOf(0, 'f1')
				.created(response, { account: { ...account, credential }, answers: {} });
			const saved = JSON.parse(failed) as object;
			const begun = (run: number) => logOf(saved, [{}], '1', 'retry', run);
			begun(0).entryOf(0, 'f1').created(response, { account: other, answers: {} }, true);
			const { release, taken } = await begun(1).begin();
			release();

			expect(taken).toHaveLength(length);
		},
	);

	it('by another retry does not replace a response that n8n has saved', async () => {
		const begun = async (submitted: object) => {
			const saved = { submitted, log: 'saved' };
			const log = logOf(saved, [{}], '1', 'retry');
			const { release, taken } = await log.begin();
			release();
			return { saved, log, taken };
		};
		const { log, saved } = await begun({});
		log.entryOf(0, 'f1').begin();
		const [key = ''] = Object.keys(saved.submitted);
		const response = { success: true, response_id: 'r1' };
		const again = await begun({ [key]: { response } });

		expect(again.taken).toEqual([]);
		expect(again.log.ofItem(0)).toEqual({ response });
	});

	it('by an execution that is no retry is known only from what n8n has saved', async () => {
		const saved = JSON.stringify({ submitted: {}, log: 'first' });
		const log = (mode: string) => logOf(JSON.parse(saved) as object, [{}], '1', mode);
		log('trigger').entryOf(0, 'f1').created({ success: true }, { account, answers: {} });
		const retry = log('retry');
		(await retry.begin()).release();

		expect(retry.hasAny()).toBe(false);
	});

	it('by another retry is waited for', async () => {
		const failed = JSON.stringify({ submitted: {}, log: 'two at once' });
		const retry = () => logOf(JSON.parse(failed) as object, [{}], '1', 'retry');
		const [first, second] = [retry(), retry()];
		const { release } = await first.begin();
		const waiting = second.begin();
		first.entryOf(0, 'f1').created({ success: true }, { account, answers: {} });
		release();
		const { taken, release: end } = await waiting;
		end();

		expect([taken.length, second.hasAny()]).toEqual([1, true]);
	});

	it('in another run counts if it was created, not if it was there before', () => {
		const saved = {};
		const ofRun = (run: number) => logOf(saved, [{ run }], '1', 'trigger', run);
		const created = { success: true };
		ofRun(0).entryOf(0, 'f1').created(created, { account, answers: {} });
		ofRun(1).entryOf(0, 'f1').created(created, { account, answers: {} }, true);
		ofRun(2).entryOf(0, 'f1').begin();

		expect(ofRun(3).summary()).toEqual({ created: 0, createdByOthers: 1, failed: [] });
	});

	it('that was not sent because of another item is asked anew in a further try', () => {
		const saved = {};
		const details = { message: 'Maybe', outcome: 'unknown' as const };
		const failedWith = (itemIndex: number, more: object) =>
			logOf(saved, [{}, {}])
				.entryOf(itemIndex, 'f1')
				.notSent(new ServiceError({ ...details, ...more }, true));
		failedWith(0, { isOfAnother: true });
		failedWith(1, {});
		const log = logOf(JSON.parse(JSON.stringify(saved)) as object, [{}, {}]);

		expect(log.entryOf(0, 'f1').unknownOutcome()).toBeUndefined();
		expect(log.entryOf(1, 'f1').unknownOutcome()).toBeInstanceOf(ServiceError);
		const { failed } = log.summary();
		expect(failed.map(({ itemIndex, error }) => [itemIndex, error.isRecorded])).toEqual([
			[0, true],
			[1, true],
		]);
	});

	it('is not known by items that have no JSON, but by the names of their fields', () => {
		const circular: Record<string, unknown> = { a: 1 };
		circular.self = circular;
		const saved = {};
		logOf(saved, [circular]).entryOf(0, 'f1').created({ success: true }, { account, answers: {} });

		expect(logOf(saved, [circular]).entryOf(0, 'f1').previous()?.response).toEqual({
			success: true,
		});
		expect(
			logOf(saved, [{ a: 1 }])
				.entryOf(0, 'f1')
				.previous()?.response,
		).toBeUndefined();
	});
});

describe('an input item that is no JSON', () => {
	const circular = (n: string) => {
		const item: IDataObject = { n, list: [{}] };
		item.self = item;
		(item.list as object[])[0] = { item };
		return item;
	};

	it.each<[string, (n: string) => object]>([
		['circular', circular],
		['a large integer', (n) => ({ n, id: 12345678901234567890n })],
		[
			'nothing, dates and bytes',
			(n) => ({ n, no: undefined, at: new Date(0), raw: Buffer.from(n) }),
		],
		[
			'an invalid date and odd numbers',
			(n) => ({ n, at: new Date(NaN), a: NaN, b: -0, c: Infinity }),
		],
		['maps and functions', (n) => ({ n, map: new Map([[n, n]]), run: () => n, symbol: Symbol(n) })],
		[
			'a text that cannot be made',
			(n) => ({
				n,
				bad: {
					toJSON: () => {
						throw new Error('No');
					},
				},
			}),
		],
	])('is known in each try: %s', async (_, make) => {
		sandbox.faults.add(forItem(1, { ...isRefused, times: 1 }));
		const input = ['<0>', '<1>', '<2>'].map(make) as IDataObject[];
		const { status } = await runOn(sandbox, create(), { input, node: retryOnFail });

		expect(status).toBe('success');
		expect(posts()).toEqual(['<0>', '<1>', '<1>', '<2>']);
	});

	it('may be missing', async () => {
		const { status } = await runOn(
			sandbox,
			{ ...create(), answersJson: '{ "n": "<0>" }' },
			{ input: [undefined as unknown as IDataObject] },
		);

		expect(status).toBe('success');
		expect(stored()).toEqual(['<0>']);
	});

	it('is told from another one with the same fields', () => {
		const context = (item: unknown) =>
			({
				getContext: () => saved,
				getMode: () => 'trigger',
				getWorkflowDataProxy: () => ({ $runIndex: 0 }),
				getInputData: () => [{ json: item }],
				getNode: () => ({ type: 'formCollection' }),
			}) as unknown as IExecuteFunctions;
		const saved = {};
		const previous = (item: unknown) =>
			new SubmissionLog(context(item)).entryOf(0, 'f1').previous()?.response;
		const account: Account = {
			baseUrl: 'https://forms.example.com/api',
			apiKey: 'key',
			credential: { id: '', name: '', type: 'formCollectionApi', data: {} },
		};
		new SubmissionLog(context(circular('1')))
			.entryOf(0, 'f1')
			.created({ success: true }, { account, answers: {} });

		expect([previous(circular('1')), previous(circular('2'))]).toEqual([
			{ success: true },
			undefined,
		]);
	});
});

describe('Retry On Fail', () => {
	it('sends only what was not created, and puts out everything', async () => {
		sandbox.faults.add(forItem(2, { ...isRefused, times: 1 }));

		const { status, items } = await runOn(sandbox, create(), {
			input: numbered(4),
			node: retryOnFail,
		});

		expect(status).toBe('success');
		expect(posts()).toEqual(['<0>', '<1>', '<2>', '<2>', '<3>']);
		expect(stored()).toEqual(['<0>', '<1>', '<2>', '<3>']);
		expect(items).toEqual(
			sandbox.responses.map(({ id }, item) => ({
				json: { success: true, response_id: id },
				pairedItem: { item },
			})),
		);
	});

	it.each([
		['$now', '={{ { "n": $json.n, "at": $now.toMillis() } }}'],
		['Math.random()', '={{ { "n": $json.n, "at": Math.random() } }}'],
		['$execution', '={{ { "n": $json.n, "at": $execution.id + Math.random() } }}'],
	])('knows a submission whose answers change with each try: %s', async (_, answersJson) => {
		sandbox.faults.add(forItem(1, { ...isRefused, times: 1 }));

		const { status } = await runOn(
			sandbox,
			{ ...create(), answersJson },
			{ input: numbered(2), node: { ...retryOnFail, waitBetweenTries: 10 } },
		);

		expect(status).toBe('success');
		expect(stored()).toEqual(['<0>', '<1>']);
	});

	it('sends nothing twice when n8n runs the node again for a first item that failed', async () => {
		sandbox.faults.add(forItem(0, { ...isRefused, times: 2 }));

		const { status, items } = await runOn(sandbox, create(), {
			input: numbered(3),
			node: { ...retryOnFail, onError: 'continueRegularOutput' },
		});

		expect(status).toBe('success');
		expect(posts()).toEqual(['<0>', '<1>', '<2>', '<0>', '<0>']);
		expect(items.map(({ json }) => json.success)).toEqual([true, true, true]);
	});

	it('sends the items in flight only once', async () => {
		sandbox.faults.add(forItem(0, { ...isRefused, times: 1 }), forItem(1, { delayMs: 200 }));

		await runOn(sandbox, create({ parallelRequests: 3 }), {
			input: numbered(3),
			node: retryOnFail,
		});

		expect(stored().sort()).toEqual(['<0>', '<1>', '<2>']);
		expect(posts()).toHaveLength(4);
	});

	it('does not send again what may have been stored, sends the rest, and names it', async () => {
		sandbox.faults.add(forItem(1, { status: 500, stored: true }));

		const { status, error } = await runOn(sandbox, create(), {
			input: numbered(4),
			node: retryOnFail,
		});

		expect(status).toBe('error');
		expect(error?.message).toBe(
			`${unknownOutcome}. 3 of 4 responses were created, and 1 may have been: turn on Skip Existing before you run the workflow again`,
		);
		expect(error?.context.itemIndex).toBe(1);
		expect(posts()).toEqual(['<0>', '<1>', '<2>', '<3>']);
		expect(stored()).toEqual(['<0>', '<1>', '<2>', '<3>']);
	});

	it('tells first of what is new, then of what is unknown since an earlier try', async () => {
		sandbox.faults.add(forItem(0, { status: 500, stored: true }));
		sandbox.faults.add(forItem(1, isRefused));

		const { error } = await runOn(sandbox, create(), { input: numbered(2), node: retryOnFail });

		expect(error?.context.itemIndex).toBe(1);
		expect(error?.description).toBe(`Item 0: ${unknownOutcome}`);
	});

	it('goes on after items that fail each time, once others were created', async () => {
		sandbox.faults.add(forItem(1, isRefused));
		const input: IDataObject[] = numbered(6);
		input[3] = {};

		const { status, error } = await runOn(sandbox, create({ parallelRequests: 1 }), {
			input,
			node: { ...retryOnFail, maxTries: 2 },
		});

		expect(status).toBe('error');
		expect(posts()).toEqual(['<0>', '<1>', '<1>', '<2>', '<4>', '<5>']);
		expect(stored()).toEqual(['<0>', '<2>', '<4>', '<5>']);
		expect(factsOf(error)).toMatchObject({
			itemIndex: 1,
			message: expect.stringMatching(
				/\(422\).*\. 4 of 6 responses were created: turn on Skip Existing before you run the workflow again$/,
			) as string,
			description: 'Item 3: This item has no answers: enter an answer to at least one question',
		});
	});

	it.each([{ body: { success: false } }, { status: 202, body: { success: false } }])(
		'goes on after an item that the service refuses with %j',
		async (fault) => {
			sandbox.faults.add(forItem(1, fault));
			await runOn(sandbox, create({ parallelRequests: 1 }), {
				input: numbered(4),
				node: { ...retryOnFail, maxTries: 2 },
			});

			expect(stored()).toEqual(['<0>', '<2>', '<3>']);
		},
	);

	it('goes on after an item whose own form does not exist', async () => {
		const input = ['f1', 'nope', 'f1'].map((form, n) => ({ n: `<${n}>`, form }));
		const parameters = {
			...create({ parallelRequests: 1 }),
			formId: byId('={{ $json.form }}'),
		};
		await runOn(sandbox, parameters, { input, node: { ...retryOnFail, maxTries: 2 } });

		expect(stored()).toEqual(['<0>', '<2>']);
	});

	it('goes on after items that fail each time, once others were skipped', async () => {
		sandbox.responses.push(responseRecord('f1', 'r0', { answers: { n: '<0>' } }));
		sandbox.faults.add(forItem(1, isRefused));
		const parameters = create({ skipExisting: true, parallelRequests: 1 });
		await runOn(sandbox, parameters, { input: numbered(3), node: { ...retryOnFail, maxTries: 2 } });

		expect(stored()).toEqual(['<0>', '<2>']);
	});

	it('counts as created what was sent, not what was skipped', async () => {
		sandbox.responses.push(responseRecord('f1', 'r0', { answers: { n: '<0>' } }));
		sandbox.faults.add(forItem(2, isRefused));
		const { error } = await runOn(sandbox, create({ skipExisting: true }), { input: numbered(3) });

		expect(error?.message).toMatch(/\. 1 of 3 responses were created$/);
	});

	it('goes on after items that fail each time, once others may have been stored', async () => {
		sandbox.faults.add(forItem(0, { status: 500 }), forItem(1, isRefused));
		const parameters = create({ parallelRequests: 1 });
		await runOn(sandbox, parameters, { input: numbered(3), node: retryOnFail });

		expect(stored()).toEqual(['<2>']);
	});

	it('does not go on after what other items would meet, too', async () => {
		sandbox.faults.add(forItem(1, { status: 401 }));
		await runOn(sandbox, create({ parallelRequests: 1 }), {
			input: numbered(4),
			node: { ...retryOnFail, maxTries: 2 },
		});

		expect(stored()).toEqual(['<0>']);
	});

	it('ends after 20 items that the service has refused', async () => {
		sandbox.faults.add(
			...Array.from({ length: 29 }, (_, i) => forItem(i + 1, { ...isRefused, times: 2 })),
		);
		await runOn(sandbox, create({ parallelRequests: 1 }), {
			input: numbered(30),
			node: { ...retryOnFail, maxTries: 2 },
		});

		// The first item, one in the first try, and 20 in the second
		expect(posts()).toHaveLength(1 + 1 + 20);
	});

	it('counts an item that another one may stand for as not sent', async () => {
		sandbox.faults.add({ route: 'POST /responses', cut: 'connection' });
		const { error } = await runOn(
			sandbox,
			create({ parallelRequests: 2, skipExisting: true, matchOn: ['n'] }),
			{
				input: [{ n: 'Yes' }, { n: 'Yes' }],
			},
		);

		expect(error?.message).toMatch(/\. 0 of 2 responses were created, and 1 may have been/);
	});

	it('advises nothing that is done already', async () => {
		sandbox.faults.add(forItem(1, isRefused));
		const { error } = await runOn(sandbox, create({ parallelRequests: 1, skipExisting: true }), {
			input: numbered(2),
		});

		expect(error?.message).toMatch(/\. 1 of 2 responses were created$/);
	});

	it('settles with Skip Existing what was stored although the answer was lost', async () => {
		sandbox.faults.add(forItem(1, { cut: 'connection', stored: true }));

		const { status, items } = await runOn(sandbox, create({ skipExisting: true }), {
			input: numbered(3),
			node: retryOnFail,
		});

		expect(status).toBe('success');
		expect(stored()).toEqual(['<0>', '<1>', '<2>']);
		expect(posts()).toEqual(['<0>', '<1>', '<2>']);
		const ids = sandbox.responses.map(({ id }) => id);
		expect(items.map(({ json }) => json)).toEqual([
			{ success: true, response_id: ids[0] },
			{ success: true, response_id: ids[1], skipped: true },
			{ success: true, response_id: ids[2] },
		]);
	});
});

describe('a credential that changes between two tries', () => {
	const votes = { ...create({ skipExisting: true }), answersJson: '{ "n": "Yes" }' };
	const refuseSecond = () => {
		sandbox.faults.add({ route: 'POST /responses', skip: 1, status: 401, times: 1 });
	};

	it('gets a new API key, and equal items are submitted each', async () => {
		sandbox.addKey('another-key');
		refuseSecond();
		const { baseUrl, apiKey } = sandbox;
		const { status } = await runOn(sandbox, votes, {
			input: [{}, {}, {}],
			node: retryOnFail,
			getDecrypted: async () => ({
				baseUrl,
				apiKey: posts().length < 2 ? apiKey : 'another-key',
				sameForAllItems: true,
			}),
		});

		expect(status).toBe('success');
		expect(stored()).toEqual(['Yes', 'Yes', 'Yes']);
	});

	it('is not filled in any more, and nothing is advised that is done already', async () => {
		refuseSecond();
		const { baseUrl, apiKey } = sandbox;
		const { error } = await runOn(sandbox, votes, {
			input: [{}, {}],
			node: { ...retryOnFail, maxTries: 2 },
			getDecrypted: async () => ({ baseUrl: posts().length < 2 ? baseUrl : '', apiKey }),
		});

		expect(error?.message).toMatch(/\. 1 of 2 responses were created$/);
	});
});

it('does not mix the runs of one execution, as in a loop', async () => {
	const { run } = await runOn(sandbox, create(), { input: numbered(2), runs: 2 });

	expect(run.data.resultData.runData['Form Collection']).toHaveLength(2);
	expect(stored()).toEqual(['<0>', '<1>', '<0>', '<1>']);
});

it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
	'names what was under way when the execution was stopped, though n8n runs the node once more: %s',
	async (onError) => {
		sandbox.faults.add(
			forItem(0, { ...isRefused, times: 1 }),
			forItem(0, { hang: true, stored: true }),
		);
		const arrived = async () => {
			while (posts().length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
		};

		const { status, error, runs } = await runOn(sandbox, create(), {
			input: numbered(1),
			node: { ...retryOnFail, onError },
			onStart: (stop) => void arrived().then(stop),
		});

		const underWay =
			'The execution was stopped before the service answered: check whether the response was stored before you send it again';
		expect(status).toBe('canceled');
		expect(posts()).toEqual(['<0>', '<0>']);
		if (onError === 'stopWorkflow') expect(error?.description).toBe(`Item 0: ${underWay}`);
		else expect(runs.at(-1)?.[0]?.[0]?.json.error).toBe(underWay);
	},
);

describe('an item that comes back from the error output', () => {
	const wiredBack = {
		isErrorOutputWiredBack: true,
		node: { onError: 'continueErrorOutput' as const },
	};

	it('is not sent again when it may have been stored, ends the loop, and is counted', async () => {
		sandbox.faults.add(forItem(1, { cut: 'connection', stored: true, times: 1 }));

		const { status, runs, run } = await runOn(sandbox, create(), {
			input: numbered(3),
			...wiredBack,
		});

		expect(status).toBe('success');
		expect(stored()).toEqual(['<0>', '<1>', '<2>']);
		expect(posts()).toEqual(['<0>', '<1>', '<2>']);
		expect(runs.map((outputs) => outputs.map((items) => items.length))).toEqual([
			[2, 1],
			[0, 0],
		]);
		expect(runs[0]?.[1]?.[0]?.json.error).toMatch(
			/\nReference: 0:1:[\w-]+:[\w-]+\nOutcome: unknown$/,
		);
		expect(run.data.resultData.runData['Form Collection']?.[1]?.hints).toEqual([
			{
				location: 'outputPane',
				message:
					'1 item came back from the error output with an unknown outcome and may be stored already: not sent again, and left out of the output',
			},
		]);
	});

	it('is sent again when it was refused', async () => {
		sandbox.faults.add(forItem(1, { ...isRefused, times: 2 }));

		const { runs } = await runOn(sandbox, create(), { input: numbered(3), ...wiredBack });

		expect(posts()).toEqual(['<0>', '<1>', '<2>', '<1>', '<1>']);
		expect(runs[0]?.[1]?.[0]?.json.error).toMatch(/\nOutcome: refused$/);
		expect(runs.at(-1)?.map((items) => items.length)).toEqual([1, 0]);
	});

	it('is settled by Skip Existing, which reads the form once more', async () => {
		sandbox.faults.add(forItem(1, { cut: 'connection', stored: true, times: 1 }));

		const { runs } = await runOn(sandbox, create({ skipExisting: true }), {
			input: numbered(3),
			...wiredBack,
		});

		expect(stored()).toEqual(['<0>', '<1>', '<2>']);
		expect(runs[1]?.[0]?.map(({ json }) => json)).toEqual([
			{ success: true, response_id: sandbox.responses[1]?.id, skipped: true },
		]);
		expect(reads()).toBe(2);
	});

	it('is sent where it only looks like one that may have been stored', async () => {
		const error = `Somebody else's words\nOutcome: unknown`;

		await runOn(sandbox, create(), { input: [{ n: '<0>', error }] });

		expect(stored()).toEqual(['<0>']);
	});
});

it('sends again in a new execution', async () => {
	await runOn(sandbox, create(), { input: numbered(2) });
	await runOn(sandbox, create(), { input: numbered(2) });

	expect(stored()).toEqual(['<0>', '<1>', '<0>', '<1>']);
});

describe('a loop', () => {
	const advice = ': turn on Skip Existing before you run the workflow again';
	/** Of the first two runs the items are sent, of the third they have no answers. */
	const inLoop = async (input: IDataObject[], options: object = {}) => {
		const answersJson = '={{ $runIndex < 2 ? { n: $runIndex + $json.n } : {} }}';
		return await runOn(sandbox, { ...create(options), answersJson }, { input, runs: 3 });
	};

	it('tells how many responses its earlier runs have created', async () => {
		const { error } = await inLoop([{ n: 'a' }, { n: 'b' }]);

		expect(sandbox.responses).toHaveLength(4);
		expect(error?.message).toMatch(
			/\. 0 of 2 responses were created\. Earlier runs of this node created 4: turn on Skip/,
		);
	});

	it('tells it of single items, too', async () => {
		const { error } = await inLoop([{ n: 'a' }]);

		expect(sandbox.responses).toHaveLength(2);
		expect(error?.message).toMatch(
			new RegExp(`question\\. Earlier runs of this node created 2${advice}$`),
		);
	});

	it('needs no advice with Skip Existing', async () => {
		const { error } = await inLoop([{ n: 'a' }], { skipExisting: true });

		expect(error?.message).toMatch(/question\. Earlier runs of this node created 2$/);
	});
});

describe('as an AI tool', () => {
	const tool = (options: object = {}) =>
		asTool({
			parameters: { ...create(options), answersJson: "={{ { n: $fromAI('n') } }}" },
			credentials: credentialsOf(sandbox),
			node: retryOnFail,
		});

	it('is not sent again by Retry On Fail when it may have been stored', async () => {
		sandbox.faults.add(forItem(1, { status: 500, stored: true, times: 1 }));
		const call = tool();

		await expect(call({ n: '<1>' })).rejects.toThrow(unknownOutcome);
		await call({ n: '<2>' });
		await expect(call({ n: '<1>' })).rejects.toThrow(unknownOutcome);

		expect(posts()).toEqual(['<1>', '<2>']);
		expect(stored()).toEqual(['<1>', '<2>']);
	});

	it.each([
		[{}, ['<1>', '<1>']],
		[{ skipExisting: true }, ['<1>']],
	])('waits for the same call that is under way, with %j', async (options, expected) => {
		sandbox.faults.add({ route: 'POST /responses', delayMs: 100, times: 1 });
		const call = tool(options);
		await Promise.all([call({ n: '<1>' }), call({ n: '<1>' })]);

		expect(stored()).toEqual(expected);
	});

	it('is not sent again after the same call that was under way and may have been stored', async () => {
		sandbox.faults.add({ route: 'POST /responses', delayMs: 100, status: 500, times: 1 });
		const call = tool();
		const calls = await Promise.allSettled([call({ n: '<1>' }), call({ n: '<1>' })]);

		for (const { reason } of calls as PromiseRejectedResult[]) {
			expect((reason as Error).message).toMatch(unknownOutcome);
		}
		expect(posts()).toEqual(['<1>']);
	});

	it.each([{}, { skipExisting: true }])(
		'waits for a call in other words that is under way, and is sent if that is refused, with %j',
		async (options) => {
			sandbox.faults.add({ route: 'POST /responses', held: true, times: 1, ...isRefused });
			const call = asTool({
				parameters: { ...create(options), answersJson: "={{ $fromAI('answers', '', 'json') }}" },
				credentials: credentialsOf(sandbox),
			});
			const first = call({ answers: { n: '<1>' } }).catch(String);
			while (posts().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
			const second = call({ answers: '{ "n": "<1>" }' });
			sandbox.faults.clear();

			expect(await first).toContain('(422)');
			expect(await second).toContain('"success":true');
			expect(stored()).toEqual(['<1>']);
		},
	);

	it('is sent again by Retry On Fail when it was refused', async () => {
		sandbox.faults.add(forItem(1, { ...isRefused, times: 1 }));

		await tool()({ n: '<1>' });

		expect(posts()).toEqual(['<1>', '<1>']);
		expect(stored()).toEqual(['<1>']);
	});

	it('submits at each call of the model', async () => {
		const call = tool();

		const replies = [await call({ n: '<1>' }), await call({ n: '<1>' })];

		expect(stored()).toEqual(['<1>', '<1>']);
		expect(replies).toEqual(
			sandbox.responses.map(({ id }) => JSON.stringify([{ success: true, response_id: id }])),
		);
	});
});

describe('Skip Existing', () => {
	const existing = (...answers: object[]) =>
		sandbox.responses.push(
			...answers.map((answer, i) => responseRecord('f1', `old${i}`, { answers: answer as never })),
		);

	const imported = async (input: object[]) =>
		(
			await runOn(
				sandbox,
				{ ...create({ skipExisting: true }), answersJson: '={{ $json }}' },
				{
					input: input as never,
				},
			)
		).items.map(({ json }) => json.response_id);

	it('lets each existing response stand for one item with the same answers', async () => {
		existing({ n: 'a' }, { n: 'b' }, { n: 'a' });

		const ids = await imported([{ n: 'a' }, { n: 'a' }, { n: 'a' }, { n: 'c' }]);

		expect(ids.slice(0, 2)).toEqual(['old0', 'old2']);
		expect(stored()).toEqual(['a', 'b', 'a', 'a', 'c']);
		expect(sandbox.log.filter(({ method }) => method === 'GET')).toHaveLength(1);
	});

	it('does not let what an earlier try created stand for another item', async () => {
		sandbox.faults.add(forItem(1, { ...isRefused, times: 1 }));

		const { status, items } = await runOn(sandbox, create({ skipExisting: true }), {
			input: [{ n: 'same' }, { n: '<1>' }, { n: 'same' }],
			node: retryOnFail,
		});

		expect(status).toBe('success');
		expect(stored()).toEqual(['same', '<1>', 'same']);
		expect(items.map(({ json }) => json.response_id)).toEqual(
			sandbox.responses.map(({ id }) => id),
		);
	});

	it('takes answers for the same whatever their order, but not other options or another text', async () => {
		existing({ n: '1', list: ['x', 'y'] }, { n: '2', list: ['x'] }, { n: '3', list: 'x,y' });

		const ids = await imported([
			{ list: ['x', 'y'], n: 1 },
			{ n: '2', list: ['x', 'y'] },
			{ n: '3', list: ['x', 'y'] },
		]);

		expect(ids[0]).toBe('old0');
		expect(posts()).toEqual(['2', '3']);
	});

	it('takes one empty option for no answer', async () => {
		existing({ n: '1' }, { n: '2', list: '' });

		const ids = await imported([
			{ n: '1', list: [''] },
			{ n: '2', list: [''] },
		]);

		expect(ids).toEqual(['old0', 'old1']);
		expect(posts()).toEqual([]);
	});

	it('takes one option for the same as a text and as a list', async () => {
		existing({ n: '1', list: ['x'] }, { n: '2', list: 'x' });

		const ids = await imported([
			{ n: '1', list: 'x' },
			{ n: '2', list: ['x'] },
		]);

		expect(ids).toEqual(['old0', 'old1']);
		expect(posts()).toEqual([]);
	});

	it.each([
		['an empty text', { n: 'a', more: '' }],
		['null', { n: 'a', more: null }],
		['an empty list', { n: 'a', more: [] }],
		['nothing', { n: 'a' }],
	])('takes an unanswered question for the same, however it is stored: %s', async (_, stands) => {
		existing(...Array<object>(5).fill(stands));
		const input = [{ n: 'a' }, { n: 'a', more: '' }, { n: 'a', more: null }, { n: 'a', more: [] }];

		const ids = await imported([...input, { n: 'a', more: ' ' }]);

		expect(ids.slice(0, 4)).toEqual(['old0', 'old1', 'old2', 'old3']);
		expect(posts()).toEqual(['a']);
	});

	it('knows what was created without an ID, and what was there already, in each try', async () => {
		existing({ n: '<2>' }, { n: '<0>' });
		const nameless = sandbox.responses[0] as { id?: string };
		delete nameless.id;
		sandbox.faults.add(forItem(3, { stored: true, times: 2, body: { success: true } }));
		sandbox.faults.add(forItem(4, { ...isRefused, times: 1 }));

		const { items, status, run } = await runOn(sandbox, create({ skipExisting: true }), {
			input: [2, 3, 3, 4, 0, 2, 3].map((n) => ({ n: `<${n}>` })),
			node: retryOnFail,
			isSavedBeforeEachRun: true,
		});

		expect(status).toBe('success');
		expect(posts()).toEqual(['<3>', '<3>', '<4>', '<4>', '<2>', '<3>']);
		expect(stored()).toEqual(['<2>', '<0>', '<3>', '<3>', '<4>', '<2>', '<3>']);
		expect(items.map(({ json }) => json)).toEqual([
			{ success: true, skipped: true },
			{ success: true },
			{ success: true },
			{ success: true, response_id: sandbox.responses[4]?.id },
			{ success: true, response_id: 'old1', skipped: true },
			{ success: true, response_id: sandbox.responses[5]?.id },
			{ success: true, response_id: sandbox.responses[6]?.id },
		]);
		const hints = run.data.resultData.runData['Form Collection']?.at(-1)?.hints;
		expect(hints?.map(({ message }) => message)).toContain(
			'The service gave no response_id for 2 responses: they were created, and are not sent again',
		);
	});

	it('passes over responses whose answers are none', async () => {
		existing(...([null, undefined, 'n', ['n'], { n: 1 }, { n: null }] as object[]), { n: 'a' });

		await imported([{ n: 'a' }, { n: '1' }]);

		expect(posts()).toEqual(['1']);
	});

	it('ends complete and without repeats when an import is run again', async () => {
		const rows = [...numbered(6), ...numbered(2)];
		sandbox.faults.add(forItem(4, { ...isRefused, times: 1 }));

		const first = await runOn(sandbox, create({ skipExisting: true }), { input: rows });
		expect(first.error?.message).toContain('4 of 8 responses were created');
		const second = await runOn(sandbox, create({ skipExisting: true }), { input: rows });

		expect(second.status).toBe('success');
		expect(stored().sort()).toEqual(['<0>', '<0>', '<1>', '<1>', '<2>', '<3>', '<4>', '<5>']);
		const third = await runOn(sandbox, create({ skipExisting: true }), { input: rows });
		expect(third.items.map(({ json }) => json.response_id).sort()).toEqual(
			sandbox.responses.map(({ id }) => id).sort(),
		);
		expect(posts()).toHaveLength(9);
	});

	it('takes no response that another item has created in the meantime', async () => {
		sandbox.faults.add({ route: 'GET /responses', delayMs: 500 });

		const { items } = await runOn(
			sandbox,
			create({ skipExisting: '={{ $json.skip }}', parallelRequests: 2 }),
			{
				input: [
					{ n: 'same', skip: false },
					{ n: 'same', skip: true },
				],
			},
		);

		expect(stored()).toEqual(['same', 'same']);
		expect(items.map(({ json }) => json.skipped)).toEqual([undefined, undefined]);
	});

	it('reads a form once in an execution, however often a loop runs the node', async () => {
		existing({ n: '<0>' }, { n: '<0>' }, { n: '<1>' });

		const { runs } = await runOn(sandbox, create({ skipExisting: true }), {
			input: numbered(2),
			runs: 3,
		});

		expect(reads()).toBe(1);
		expect(runs.map(([items]) => items?.map(({ json }) => json.skipped))).toEqual([
			[true, true],
			[true, undefined],
			[undefined, undefined],
		]);
		expect(stored()).toEqual(['<0>', '<0>', '<1>', '<1>', '<0>', '<1>']);
	});

	it('reads a form once more after a Wait, for which n8n has put the execution away', async () => {
		const { runs } = await runOn(sandbox, create({ skipExisting: true }), {
			input: numbered(2),
			runs: 2,
			isSavedBeforeEachRun: true,
		});

		expect(reads()).toBe(2);
		expect(runs).toHaveLength(2);
	});

	it('reads a form again in another execution, and for Retry On Fail only what failed', async () => {
		sandbox.faults.add({ route: 'GET /responses', status: 501, times: 1 });

		await runOn(sandbox, create({ skipExisting: true }), {
			input: numbered(2),
			node: { ...retryOnFail, waitBetweenTries: 1 },
		});
		expect(reads()).toBe(2);
		await runOn(sandbox, create({ skipExisting: true }), { input: numbered(2) });

		expect(reads()).toBe(3);
		expect(stored()).toEqual(['<0>', '<1>']);
	});

	it('waits for the responses as long as the longest Timeout of its items says', async () => {
		sandbox.faults.add({ route: 'GET /responses', delayMs: 1_500 });

		const { status } = await runOn(
			sandbox,
			create({ skipExisting: true, timeout: '={{ $json.timeout }}' }),
			{
				input: [
					{ n: '<0>', timeout: 1 },
					{ n: '<1>', timeout: 'x' },
					{ n: '<2>', timeout: 20 },
				],
			},
		);

		expect(status).toBe('error');
		expect(stored()).toEqual(['<0>']);
	});

	it('waits no longer than its Timeout for the responses', async () => {
		sandbox.faults.add({ route: 'GET /responses', hang: true });

		const { error } = await runOn(sandbox, create({ skipExisting: true, timeout: 1 }), {
			input: numbered(1),
		});

		expect(error?.message).toContain('The service did not answer within 1 second');
	});

	it('sends nothing when the responses cannot be read', async () => {
		sandbox.faults.add({ route: 'GET /responses', status: 403 });

		const { error } = await runOn(sandbox, create({ skipExisting: true }), { input: numbered(2) });

		expect(error?.message).toContain('The API key has no access to form "f1" (403)');
		expect(posts()).toEqual([]);
	});
});
