import type { IDataObject, INode } from 'n8n-workflow';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool, execute } from '../support/engine';
import { byId, credentialsOf, formRecord, responseRecord, runOn } from '../support/formCollection';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1'), formRecord('f2')], responses: [] });
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
const posts = () => sandbox.log.filter(({ method }) => method === 'POST');
const isRefused = { status: 422, body: 'Not now' };

describe('an expression that changes the input item', () => {
	it.each([
		['sort()', '={{ { "n": $json.n, "tags": $json.tags.sort() } }}'],
		['reverse()', '={{ { "n": $json.n, "tags": $json.tags.reverse() } }}'],
		['splice()', '={{ { "n": $json.n, "tags": $json.tags.splice(0, 2) } }}'],
	])('%s: Retry On Fail sends nothing twice', async (_, answersJson) => {
		sandbox.faults.add(forItem(2, { ...isRefused, times: 1 }));
		await runOn(
			sandbox,
			{ ...create(), answersJson },
			{ input: numbered(3).map((item) => ({ ...item, tags: ['c', 'b', 'a'] })), node: retryOnFail },
		);
		expect(stored()).toEqual(['<0>', '<1>', '<2>']);
	});

	it('an unknown outcome is not sent again', async () => {
		sandbox.faults.add(forItem(0, { cut: 'connection', stored: true, times: 1 }));
		await runOn(
			sandbox,
			{ ...create(), answersJson: '={{ { "n": $json.n, "tags": $json.tags.sort() } }}' },
			{ input: [{ n: '<0>', tags: ['b', 'a'] }], node: retryOnFail },
		);
		expect(stored()).toEqual(['<0>']);
	});
});

describe('the failed read of Skip Existing after an unknown outcome', () => {
	it('the error output still says that the outcome is unknown', async () => {
		sandbox.faults.add(forItem(0, { route: 'POST /responses', cut: 'connection', stored: true }));
		sandbox.faults.add({ route: 'GET /responses', skip: 1, status: 403 });
		const { failed, items } = await runOn(sandbox, create({ skipExisting: true }), {
			input: numbered(1),
			node: { ...retryOnFail, maxTries: 2, onError: 'continueErrorOutput' },
		});
		const error = String([...items, ...failed][0]?.json.error);
		expect(stored()).toEqual(['<0>']);
		expect(error.split('\n').at(-1)).toBe('Outcome: unknown');
	});

	it('the error message names what may have been stored', async () => {
		sandbox.faults.add(forItem(0, { route: 'POST /responses', cut: 'connection', stored: true }));
		sandbox.faults.add({ route: 'GET /responses', skip: 1, status: 403 });
		const { error } = await runOn(sandbox, create({ skipExisting: true }), {
			input: numbered(2),
			node: { ...retryOnFail, maxTries: 2 },
		});
		expect(`${error?.message}\n${error?.description}`).toMatch(
			/check whether the response was stored/,
		);
	});

	it('with the error output wired back, the item is not sent again', async () => {
		sandbox.faults.add(
			forItem(0, { route: 'POST /responses', cut: 'connection', stored: true, times: 1 }),
		);
		sandbox.faults.add({ route: 'GET /responses', skip: 1, times: 1, status: 403 });
		await runOn(sandbox, create({ skipExisting: true }), {
			input: numbered(1),
			node: { onError: 'continueErrorOutput' },
			isErrorOutputWiredBack: true,
		});
		expect(stored()).toEqual(['<0>']);
	});
});

describe('the error output wired back', () => {
	const wired = { isErrorOutputWiredBack: true, node: { onError: 'continueErrorOutput' as const } };
	const automatically = (options: object = {}) => ({
		...create(options),
		answersInput: 'mapping',
		answersMapping: { mappingMode: 'autoMapInputData', value: null },
	});

	it('Map Automatically: a refused item is sent again as it was, without the error message', async () => {
		sandbox.faults.add(forItem(0, { ...isRefused, times: 1 }));
		await runOn(sandbox, automatically(), { input: numbered(1), ...wired });
		expect(sandbox.responses.map(({ answers }) => answers)).toEqual([{ n: '<0>' }]);
	});

	it.each([
		'={{ $json }}',
		'={{ JSON.stringify($json) }}',
		'={{ $json.toJsonString() }}',
		'={{ JSON.stringify($json ?? null) }}',
	])(
		'As JSON: a refused item is sent again as it was, without the error message: %s',
		async (answersJson) => {
			sandbox.faults.add(forItem(0, { ...isRefused, times: 1 }));
			await runOn(sandbox, { ...create(), answersJson }, { input: numbered(1), ...wired });
			expect(sandbox.responses.map(({ answers }) => answers)).toEqual([{ n: '<0>' }]);
		},
	);

	it('As JSON: an error message that is entered by its name is an answer', async () => {
		const error = 'Not accepted\nOutcome: refused';
		const answersJson =
			'={ "n": {{ JSON.stringify($json.n) }}, "error": {{ JSON.stringify($json.error) }} }';
		await runOn(sandbox, { ...create(), answersJson }, { input: [{ n: '1', error }] });
		expect(sandbox.responses.map(({ answers }) => answers)).toEqual([{ n: '1', error }]);
	});

	it('Map Automatically: Skip Existing settles an unknown outcome', async () => {
		sandbox.faults.add(
			forItem(0, { route: 'POST /responses', cut: 'connection', stored: true, times: 1 }),
		);
		const { items } = await runOn(sandbox, automatically({ skipExisting: true }), {
			input: numbered(1),
			...wired,
		});
		expect(items.map(({ json }) => json)).toEqual([
			{ success: true, response_id: sandbox.responses[0]?.id, skipped: true },
		]);
	});

	it('with a node in between that counts the attempts, what may be stored is not sent again', async () => {
		sandbox.faults.add(forItem(0, { cut: 'connection', stored: true, times: 1 }));
		await runOn(sandbox, create(), {
			input: numbered(1),
			...wired,
			between: (json) => ({ ...json, attempt: Number(json.attempt ?? 0) + 1 }),
		});
		expect(stored()).toEqual(['<0>']);
	});

	it('with a node in between that removes the error, what may be stored is sent again', async () => {
		sandbox.faults.add(forItem(0, { cut: 'connection', stored: true, times: 1 }));
		await runOn(sandbox, create(), {
			input: numbered(1),
			...wired,
			between: ({ n }) => ({ n }) as IDataObject,
		});
		expect(stored()).toEqual(['<0>', '<0>']);
	});

	it('with a node in between that reorders the fields, what may be stored is not sent again', async () => {
		sandbox.faults.add(forItem(0, { cut: 'connection', stored: true, times: 1 }));
		await runOn(sandbox, create(), {
			input: [{ n: '<0>', a: 'x' }],
			...wired,
			between: ({ n, a, error }) => ({ a, n, error }) as IDataObject,
		});
		expect(stored()).toEqual(['<0>']);
	});
});

describe('Skip Existing', () => {
	it('a response that another item has under way stands for that item only', async () => {
		const same = { n: '<0>' };
		// Try 1: one of the two equal rows is lost before the service stores it, the other is refused.
		sandbox.faults.add({ route: 'POST /responses', times: 1, status: 500 });
		sandbox.faults.add({ route: 'POST /responses', times: 1, status: 422 });
		// Try 2: stored at once, answered late; the list is read meanwhile.
		sandbox.faults.add({ route: 'POST /responses', times: 1, stored: true, delayMs: 600 });
		sandbox.faults.add({ route: 'GET /responses', skip: 1, times: 1, delayMs: 200 });
		const { items, error, status } = await runOn(
			sandbox,
			create({ skipExisting: true, parallelRequests: 2 }),
			{ input: [same, same], node: { ...retryOnFail, maxTries: 2 } },
		);
		// Either both rows are stored, or the output does not say that they are.
		const ids = items.map(({ json }) => json.response_id);
		expect({ status, ids, message: error?.message }).not.toMatchObject({ status: 'success' });
		expect(new Set(ids).size).toBe(ids.length);
	});

	it.each([
		['is a number in the list and a text in the reply', 7, { response_id: '7' }],
		['is missing in the reply', 'r7', {}],
	])('equal rows are both stored if the id %s', async (_, id, reply) => {
		const same = { n: '<0>' };
		sandbox.faults.add({
			route: 'POST /responses',
			times: 1,
			body: { success: true, ...reply },
		});
		sandbox.faults.add({ route: 'POST /responses', times: 1, status: 500 });
		const stop = setInterval(() => {
			if (posts().length === 1 && sandbox.responses.length === 0) {
				sandbox.responses.push(
					responseRecord('f1', id as string, { answers: { n: '<0>' } }) as never,
				);
			}
		}, 1);
		const { status, items } = await runOn(sandbox, create({ skipExisting: true }), {
			input: [same, same],
			node: { ...retryOnFail, maxTries: 2 },
		});
		clearInterval(stop);
		expect(sandbox.responses).toHaveLength(1);
		// One response is stored: the second row must not count as done.
		expect({ status, items: items.length }).toEqual({ status: 'error', items: 0 });
	});

	it('finds a response without an id', async () => {
		const record = responseRecord('f1', 'r1', { answers: { n: '<0>' } });
		delete (record as Partial<typeof record>).id;
		sandbox.responses.push(record);
		await runOn(sandbox, create({ skipExisting: true }), { input: numbered(1) });
		expect(posts()).toHaveLength(0);
	});

	it('two accounts whose responses have the same ids', async () => {
		const start = async (name: string) =>
			await startSandbox({
				apiKey: `key-of-${name}`,
				forms: [formRecord('f1')],
				responses: [responseRecord('f1', '1', { answers: { n: '<0>' } })],
			});
		const [ada, bob] = [await start('ada'), await start('bob')];
		try {
			const { items } = await execute({
				parameters: create({ skipExisting: true }),
				credentials: { baseUrl: '={{ $json.base }}', apiKey: '={{ $json.key }}' },
				input: [ada, bob].map(({ baseUrl, apiKey }) => ({ n: '<0>', base: baseUrl, key: apiKey })),
			});
			expect(items.map(({ json }) => json.skipped)).toEqual([true, true]);
			expect([ada.responses.length, bob.responses.length]).toEqual([1, 1]);
		} finally {
			await ada.stop();
			await bob.stop();
		}
	});

	it('two forms whose responses have the same ids', async () => {
		for (const form of ['f1', 'f2']) {
			sandbox.responses.push(responseRecord(form, '1', { answers: { n: '<0>' } }));
		}
		await runOn(
			sandbox,
			{ ...create({ skipExisting: true }), formId: byId('={{ $json.form }}') },
			{ input: ['f1', 'f2'].map((form) => ({ n: '<0>', form })) },
		);
		expect(posts()).toHaveLength(0);
	});

	it('the error message does not count what was there already as created', async () => {
		sandbox.responses.push(responseRecord('f1', 'r0', { answers: { n: '<0>' } }));
		sandbox.responses.push(responseRecord('f1', 'r1', { answers: { n: '<1>' } }));
		sandbox.faults.add(forItem(2, isRefused));
		const { error } = await runOn(sandbox, create({ skipExisting: true }), { input: numbered(3) });
		expect(error?.message).not.toMatch(/2 of 3 responses were created/);
	});
});

describe('messages', () => {
	it('never count more created responses than items', async () => {
		const moment = Date.now() + 1500;
		sandbox.faults.add(forItem(2, isRefused));
		const { error } = await runOn(
			sandbox,
			{ ...create(), formId: byId(`={{ $now.toMillis() < ${moment} ? 'f1' : 'f2' }}`) },
			{ input: numbered(3), node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 2000 } },
		);
		expect(error?.message).not.toMatch(/4 of 3 responses/);
	});

	it('a member named like the key is not shown in a hint', async () => {
		sandbox.faults.add({ route: 'GET /responses', body: { responses: [], [sandbox.apiKey]: 1 } });
		const { run } = await runOn(sandbox, create({ skipExisting: true }), { input: numbered(1) });
		expect(
			JSON.stringify(run.data.resultData.runData['Form Collection']?.[0]?.hints),
		).not.toContain(sandbox.apiKey);
	});

	it('our own words are not masked because a key of the account has them', async () => {
		const other = await startSandbox({ apiKey: 'response-service-1f', forms: [formRecord('f1')] });
		try {
			other.faults.add({ status: 500 });
			const { error } = await runOn(other, create(), { input: numbered(1) });
			expect(error?.message).toBe(
				'The service could not answer (500): check whether the response was stored before you send it again',
			);
		} finally {
			await other.stop();
		}
	});
});

describe('as a tool', () => {
	it('the same call twice at the same time is sent twice, or is told what is true', async () => {
		const call = asTool({
			parameters: { ...create(), answersJson: "={{ { n: $fromAI('n') } }}" },
			credentials: credentialsOf(sandbox),
		});
		sandbox.faults.add({ route: 'POST /responses', times: 1, stored: true, delayMs: 200 });
		const results = await Promise.allSettled([call({ n: '<1>' }), call({ n: '<1>' })]);
		expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
	});
});

it('as a tool, two calls that differ only in an argument "error" are two submissions', async () => {
	const call = asTool({
		parameters: { ...create(), answersJson: "={{ { error: $fromAI('error') } }}" },
		credentials: credentialsOf(sandbox),
	});
	sandbox.faults.add({ route: 'POST /responses', times: 1, status: 500 });
	await call({ error: 'It does not start' }).catch(() => undefined);
	await call({ error: 'It does not stop' }).catch(() => undefined);
	expect(posts()).toHaveLength(2);
});

it('an unknown outcome stays unknown if the parameters of a later try cannot be read', async () => {
	const moment = Date.now() + 1000;
	sandbox.faults.add(forItem(0, { cut: 'connection', stored: true, times: 1 }));
	const { items, failed } = await runOn(
		sandbox,
		{
			...create(),
			answersJson: `={{ $now.toMillis() < ${moment} ? { "n": $json.n } : 'no JSON' }}`,
		},
		{
			input: numbered(1),
			node: {
				retryOnFail: true,
				maxTries: 2,
				waitBetweenTries: 1500,
				onError: 'continueErrorOutput',
			},
		},
	);
	expect(String([...items, ...failed][0]?.json.error)).toMatch(/\nOutcome: unknown$/);
});

it.each([false, true])(
	'a stopped execution tells that an outcome is unknown, skipExisting %s',
	async (skipExisting) => {
		sandbox.faults.add(
			forItem(0, { route: 'POST /responses', cut: 'connection', stored: true }),
			{ route: 'GET /responses', skip: 1, hang: true },
			forItem(1, { route: 'POST /responses', hang: true }),
		);
		const arrived = async () => {
			const there = () => (skipExisting ? sandbox.log.length >= 3 : posts().length >= 2);
			while (!there()) await new Promise((resolve) => setTimeout(resolve, 5));
		};
		const { runs } = await runOn(sandbox, create({ skipExisting }), {
			input: numbered(skipExisting ? 1 : 2),
			node: { ...retryOnFail, onError: 'continueRegularOutput' },
			onStart: (stop) => void arrived().then(stop),
		});
		expect(String(runs.at(-1)?.[0]?.[0]?.json.error)).toMatch(
			/check whether the response was stored/,
		);
	},
);

describe.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'On Error %s',
	(onError) => {
		it.each([
			['the operation is not known', { operation: 'deleteResponse' }],
			[
				'Parallel Requests cannot be evaluated',
				{ options: { parallelRequests: "={{ $('Nowhere').first().json.x }}" } },
			],
		])('each item carries its error if %s', async (_, parameters) => {
			const { items, failed, status } = await runOn(
				sandbox,
				{ ...create(), ...parameters },
				{ input: numbered(2), node: { onError } },
			);
			const isErrorOutput = onError === 'continueErrorOutput';
			const errors = (isErrorOutput ? failed : items).map(({ json }) => String(json.error));
			const ends = isErrorOutput ? /.\nOutcome: not sent$/ : /./;
			expect({ status, errors }).toEqual({
				status: 'success',
				errors: Array(2).fill(expect.stringMatching(ends)),
			});
			if (isErrorOutput) expect(items).toEqual([]);
		});
	},
);

it('Map Automatically: the error message of an item that comes back is no answer', async () => {
	const { failed } = await runOn(
		sandbox,
		{ ...create(), operation: 'deleteResponse' },
		{ input: numbered(2), node: { onError: 'continueErrorOutput' } },
	);
	const automatic = { mappingMode: 'autoMapInputData', value: null };
	await runOn(
		sandbox,
		{ ...create(), answersInput: 'mapping', answersMapping: automatic },
		{ input: failed.map(({ json }) => json) },
	);
	expect(sandbox.responses.map(({ answers }) => answers)).toEqual(numbered(2));
});

it('the advice for a date of JavaScript can be followed', async () => {
	const { error } = await runOn(sandbox, {
		...create(),
		answersJson: '={{ { "n": new Date(0) } }}',
	});
	expect(error?.message).toMatch(/The answer to "n" is a date/);
	expect(error?.message).not.toMatch(/toISO\(\)/);
});

it('a field "skipped" of the service does not count as existing', async () => {
	sandbox.faults.add({
		route: 'POST /responses',
		times: 1,
		body: { success: true, response_id: 'r1', skipped: true },
	});
	sandbox.faults.add({ route: 'POST /responses', times: 1, status: 422 });
	const { run } = await runOn(sandbox, create(), {
		input: [{ n: 'a' }, { n: 'b' }],
		node: retryOnFail,
	});
	const hints = run.data.resultData.runData['Form Collection']?.at(-1)?.hints ?? [];
	expect(hints.map(({ message }) => message)).toEqual([
		'1 of 2 items was submitted by an earlier try and was not sent again',
	]);
});

it('a reply with an error beside its success leaves by the first output, once', async () => {
	sandbox.faults.add({
		route: 'POST /responses',
		body: { success: true, response_id: 'r1', error: 'Nearly full' },
	});
	const { items, failed, status } = await runOn(sandbox, create(), {
		input: [{ n: 'a' }],
		node: { ...retryOnFail, onError: 'continueErrorOutput' },
	});
	expect(posts()).toHaveLength(1);
	expect({ status, items: items.length, failed: failed.length }).toEqual({
		status: 'success',
		items: 1,
		failed: 0,
	});
});

it('the reply of the service does not bring the key into the output', async () => {
	sandbox.faults.add({
		route: 'POST /responses',
		body: { success: true, response_id: 'r1', token: sandbox.apiKey },
	});
	const { items } = await runOn(sandbox, create(), { input: [{ n: 'a' }] });
	expect(JSON.stringify(items)).not.toContain(sandbox.apiKey);
});

it('Skip Existing chosen for some items only: a response under way stands for its own item', async () => {
	sandbox.faults.add({ route: 'POST /responses', times: 1, stored: true, delayMs: 400 });
	sandbox.faults.add({ route: 'GET /responses', times: 1, delayMs: 150 });
	await runOn(sandbox, create({ skipExisting: '={{ $json.check }}', parallelRequests: 2 }), {
		input: [
			{ n: 'a', check: false },
			{ n: 'a', check: true },
		],
	});
	expect(sandbox.responses).toHaveLength(2);
});
