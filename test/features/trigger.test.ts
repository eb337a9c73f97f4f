import fc from 'fast-check';
import { PollContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import type { Fault, Sandbox, SandboxResponse } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { PollTest } from '../support/engine';
import { polling } from '../support/engine';
import { useFastClock } from '../support/fastClock';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	fromList,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';
import type { PollPath } from '../support/poller';
import { Poller, pollPaths, runPoll } from '../support/poller';

const apiKey = 'fc/key+with==signs';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startSandbox({
		apiKey,
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [
			responseRecord('f1', 'b', { created_at: '2026-01-02T00:00:00.000Z' }),
			responseRecord('f1', 'a', { created_at: '2026-01-01T00:00:00.000Z' }),
			responseRecord('f2', 'z'),
			responseRecord('f1', 'c', { created_at: '2026-01-03T00:00:00.000Z' }),
		],
	});
});

afterEach(async () => await sandbox.stop());

const settings = (formId: string, options: IDataObject = {}) =>
	({ formId: byId(formId), options }) as INodeParameters;

const test = (options: IDataObject = {}, more: Partial<PollTest> = {}): PollTest => ({
	parameters: settings('f1', options),
	credentials: credentialsOf(sandbox),
	// Each test has a workflow of its own.
	workflowId: expect.getState().currentTestName,
	...more,
});

const nameContains = (value: string) => ({
	answerFilters: { filter: [{ question: 'name', condition: 'contains', value }] },
});

let minute = 0;

/** Someone fills in a form, later than everything before. */
function submitTo(formId: string, id: string, since = Date.UTC(2026, 1, 1)) {
	const created_at = new Date(since + 60_000 * ++minute).toISOString();
	sandbox.responses.push(responseRecord(formId, id, { created_at }));
}

function submit(...ids: string[]) {
	for (const id of ids) submitTo('f1', id);
}

/** After the publishing of the test, by its time. */
const submitNow = (id: string) => submitTo('f1', id, Date.now());

const withoutTime = (id: string) =>
	responseRecord('f1', id, { created_at: undefined as unknown as string });

const idsOf = (items: IDataObject[]) => items.map(({ id }) => id);

const tick = async (trigger: Poller) => idsOf(await trigger.tick());

/** n8n ends and starts again; its scheduler polls only at the next minute. */
const restart = async (trigger: Poller) =>
	idsOf([...(await trigger.restart()), ...(await trigger.tick())]);

async function publish(trigger: Poller, changed: PollTest) {
	trigger.test = changed;
	return idsOf([...(await trigger.activate('update')), ...(await trigger.tick())]);
}

/** A trigger that n8n has activated and polled once: with durable cursors, it saves nothing before. */
async function started(path: PollPath, options?: IDataObject, more?: Partial<PollTest>) {
	const trigger = new Poller(path, test(options, more));
	expect(await trigger.activate()).toEqual([]);
	expect(await tick(trigger)).toEqual([]);
	return trigger;
}

async function emitsOnce(trigger: Poller, ...ids: string[]) {
	expect(await tick(trigger)).toEqual(ids);
	expect(await tick(trigger)).toEqual([]);
	expect(await restart(trigger)).toEqual([]);
}

/** Message and description of the error that a poll ends with. */
async function failureOf(polled: Promise<unknown>) {
	const error: unknown = await polled.then(
		() => Promise.reject(new Error('It got through')),
		(reason) => reason,
	);
	const { message, description } = factsOf(error);
	return `${message}\n${description}`;
}

describe.each(pollPaths)('polled by n8n on the path: %s', (path) => {
	it('emits what is new once, oldest first, in one request per poll', async () => {
		const trigger = await started(path);
		submit('d', 'e');
		sandbox.responses.reverse();
		expect(await tick(trigger)).toEqual(['d', 'e']);
		expect(await tick(trigger)).toEqual([]);
		submit('f');
		expect(await tick(trigger)).toEqual(['f']);
		expect(await tick(trigger)).toEqual([]);

		expect(requestsTo(sandbox)).toEqual(Array(6).fill('GET /responses f1'));
	});

	it('emits all that is there at first if existing ones are included', async () => {
		const trigger = new Poller(path, test({ includeExisting: '={{ "true" }}' }));
		expect(idsOf(await trigger.activate())).toEqual(['a', 'b', 'c']);
		expect(await tick(trigger)).toEqual([]);
		submit('d');
		await emitsOnce(trigger, 'd');
	});

	it('emits the first response of an empty form', async () => {
		sandbox.responses.length = 0;
		const trigger = await started(path);
		submit('first');
		await emitsOnce(trigger, 'first');
	});

	it('emits only what matches the answer filters, and the rest counts as seen', async () => {
		const trigger = await started(path, nameContains('vip'));
		submit('d');
		expect(await tick(trigger)).toEqual([]);
		submit('a vip', 'e');
		expect(await tick(trigger)).toEqual(['a vip']);
		expect(await publish(trigger, test())).toEqual([]);
		submit('f');
		await emitsOnce(trigger, 'f');
	});

	it('emits of the existing ones only what matches the answer filters', async () => {
		const options = { ...nameContains('NAME B'), includeExisting: true };
		const trigger = new Poller(path, test(options));
		expect(idsOf(await trigger.activate())).toEqual(['b']);
		expect(await restart(trigger)).toEqual([]);
	});

	it('emits what came since, and matches, when it is published with other answer filters', async () => {
		const trigger = await started(path, nameContains('vip'));
		submit('a vip');
		expect(await tick(trigger)).toEqual(['a vip']);
		submit('gold vip', 'silver vip');
		expect(await publish(trigger, test(nameContains('gold')))).toEqual(['gold vip']);
		submit('gold again');
		await emitsOnce(trigger, 'gold again');
	});

	it('emits what came while n8n was down', async () => {
		const trigger = await started(path);
		submit('d');
		expect(await restart(trigger)).toEqual(['d']);
		submit('e');
		expect(await tick(trigger)).toEqual(['e']);
		submit('f', 'g');
		expect(await restart(trigger)).toEqual(['f', 'g']);
		await emitsOnce(trigger);
	});

	it('emits what came while the workflow was inactive', async () => {
		const trigger = await started(path);
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		submit('e');
		expect(idsOf([...(await trigger.activate()), ...(await trigger.tick())])).toEqual(['e']);
		await emitsOnce(trigger);
	});

	it.each<[string, Fault]>([
		['refuses the API key', { status: 401 }],
		['does not know the form', { status: 404 }],
		['shows a web page', { status: 200, body: '<!doctype html><p>Back soon' }],
		['is down', { cut: 'connection' }],
		['has reached the limit', { status: 429 }],
	])('emits what came while the service %s, also when n8n restarts then', async (_, fault) => {
		const trigger = await started(path);
		sandbox.faults.add(fault);
		for (const id of ['d', 'e']) {
			submit(id);
			await trigger.tick().catch(() => []);
		}
		await trigger.restart().catch(() => []);
		submit('f');
		await trigger.tick().catch(() => []);
		sandbox.faults.clear();
		await emitsOnce(trigger, 'd', 'e', 'f');
	});

	it.each<[string, (list: SandboxResponse[]) => SandboxResponse[]]>([
		['is empty', () => []],
		['lacks the older half', (list) => list.slice(list.length / 2)],
		['lacks the newer half', (list) => list.slice(0, list.length / 2)],
	])('repeats nothing after a list that %s for a while', async (_, partOf) => {
		const trigger = await started(path);
		submit('d', 'e');
		expect(await tick(trigger)).toEqual(['d', 'e']);
		const all = [...sandbox.responses];
		sandbox.responses.splice(0, Infinity, ...partOf(all));
		expect(await tick(trigger)).toEqual([]);
		submit('f');
		expect(await tick(trigger)).toEqual(['f']);
		expect(await restart(trigger)).toEqual([]);
		sandbox.responses.push(...all.filter((each) => !sandbox.responses.includes(each)));
		submit('g');
		await emitsOnce(trigger, 'g');
	});

	it('does not emit a response again that changes later', async () => {
		const trigger = await started(path);
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		for (const response of sandbox.responses) {
			Object.assign(response, { answers: { name: 'Changed' }, pixel_fired: true });
		}
		await emitsOnce(trigger);
	});

	it('emits a response without a time of creation once', async () => {
		sandbox.responses.push(withoutTime('old'));
		const trigger = await started(path);
		sandbox.responses.push(withoutTime('d'));
		expect(await tick(trigger)).toEqual(['d']);
		submit('e');
		await emitsOnce(trigger, 'e');
	});

	it.each([false, true])(
		'starts over with each change of the form; existing ones included: %j',
		async (includeExisting) => {
			const trigger = new Poller(path, test({ includeExisting }));
			await trigger.activate();
			await trigger.tick();
			submit('d');
			expect(await tick(trigger)).toEqual(['d']);
			const toForm = async (formId: string) => {
				const parameters = { ...settings('', { includeExisting }), formId: fromList(formId) };
				return await publish(trigger, test({}, { parameters }));
			};

			submitTo('f2', 'y');
			expect(await toForm('f2')).toEqual(includeExisting ? ['z', 'y'] : []);
			submit('e');
			submitTo('f2', 'x');
			expect(await tick(trigger)).toEqual(['x']);
			const ofFirst = ['a', 'b', 'c', 'd', 'e'];
			expect(await toForm('f1')).toEqual(includeExisting ? ofFirst : []);
			submit('f');
			await emitsOnce(trigger, 'f');
		},
	);

	it('starts over with another credential', async () => {
		const trigger = await started(path);
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		const seed = { forms: [formRecord('f1')], responses: [responseRecord('f1', 'theirs')] };
		const { responses } = sandbox.addAccount('their-key', seed);
		const changed = test(
			{},
			{
				credentials: { baseUrl: sandbox.baseUrl, apiKey: 'their-key' },
				node: { credentials: { formCollectionApi: { id: '2', name: 'Theirs' } } },
			},
		);
		expect(await publish(trigger, changed)).toEqual([]);
		// Old by its time, and new here
		responses.push(responseRecord('f1', 'd'));
		await emitsOnce(trigger, 'd');
	});

	it('starts over with another Base URL in the credential', async () => {
		const responses = [responseRecord('f1', 'theirs')];
		const other = await startSandbox({ apiKey, forms: [formRecord('f1')], responses });
		try {
			const trigger = await started(path);
			submit('d');
			expect(await tick(trigger)).toEqual(['d']);
			expect(await publish(trigger, test({}, { credentials: credentialsOf(other) }))).toEqual([]);
			other.responses.push(responseRecord('f1', 'd'));
			await emitsOnce(trigger, 'd');
		} finally {
			await other.stop();
		}
	});

	it('continues with another API key, or the same Base URL written differently', async () => {
		const trigger = await started(path);
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		submit('e');
		sandbox.addKey('the-next-key');
		trigger.test.credentials.apiKey = 'the-next-key';
		expect(await tick(trigger)).toEqual(['e']);
		submit('f');
		const credentials = { baseUrl: ` ${sandbox.baseUrl}/ `, apiKey: 'the-next-key' };
		expect(await publish(trigger, test({}, { credentials }))).toEqual(['f']);
		await emitsOnce(trigger);
	});

	it('goes on with new responses under another name', async () => {
		const trigger = await started(path);
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		expect(await publish(trigger, test({}, { node: { name: 'Contact form' } }))).toEqual([]);
		submit('e');
		await emitsOnce(trigger, 'e');
	});

	it('saves the API key nowhere', async () => {
		const trigger = new Poller(path, test());
		sandbox.faults.add({ status: 429, times: 1 });
		await trigger.activate();
		submit('d');
		await trigger.tick();
		submit('e');
		await trigger.tick();
		expect(trigger.state.length).toBeGreaterThan(10);
		expect(trigger.state).not.toContain(apiKey);
	});
});

const withoutCursors = ['classic', 'scheduler'] as const;

describe.each<[string, Fault]>([
	['has reached its limit', { status: 429, headers: { 'Retry-After': '1800' } }],
	['has reached its limit, and does not say for how long', { status: 429 }],
	['is down', { status: 503 }],
	['cuts connections', { cut: 'connection' }],
	['cuts replies short', { cut: 'body' }],
])('a service that %s when the workflow is published', (_, fault) => {
	it.each(withoutCursors)('does not keep it from emitting what comes then: %s', async (path) => {
		const trigger = new Poller(path, test());
		sandbox.faults.add({ ...fault, times: 1 });
		expect(await trigger.activate()).toEqual([]);
		submitNow('d');
		expect(await tick(trigger)).toEqual(['d']);
		submit('e');
		await emitsOnce(trigger, 'e');
		expect(requestsTo(sandbox).length).toBeLessThanOrEqual(6);
	});

	it.each(withoutCursors)('does not make new what was there before: %s', async (path) => {
		const trigger = new Poller(path, test());
		sandbox.faults.add({ ...fault, times: 1 });
		await trigger.activate();
		expect(await tick(trigger)).toEqual([]);
		expect(await restart(trigger)).toEqual([]);
		submitNow('d');
		await emitsOnce(trigger, 'd');
	});

	it.each(withoutCursors)('emits existing ones later if they are included: %s', async (path) => {
		const trigger = new Poller(path, test({ includeExisting: true }));
		sandbox.faults.add({ ...fault, times: 1 });
		expect(await trigger.activate()).toEqual([]);
		await emitsOnce(trigger, 'a', 'b', 'c');
	});

	it.each(withoutCursors)('loses nothing when it is published again: %s', async (path) => {
		const trigger = await started(path);
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		const created_at = new Date(Date.now() - 1_000).toISOString();
		sandbox.responses.push(responseRecord('f1', 'before', { created_at }));
		sandbox.faults.add({ ...fault, times: 1 });
		expect(await publish(trigger, test(nameContains('before')))).toEqual(['before']);
		await emitsOnce(trigger);
	});
});

describe('what was created since a first poll that got no answer', () => {
	async function firstAnswerAfterOutage(offsetMs = 0, format = (iso: string) => iso) {
		const trigger = new Poller('classic', test());
		sandbox.faults.add({ status: 503, times: 1 });
		await trigger.activate();
		for (const [id, age] of [
			['before', 10_000],
			['after', -10_000],
		] as const) {
			const created_at = new Date(Date.now() + offsetMs - age).toISOString();
			sandbox.responses.push(responseRecord('f1', id, { created_at }));
		}
		for (const each of sandbox.responses) each.created_at = format(each.created_at);
		return trigger;
	}

	it.each<[string, (iso: string) => string]>([
		['2026-01-31 09:00:00.000+00', (iso) => iso.replace('T', ' ').replace('Z', '+00')],
		['2026-01-31T09:00:00.000+00', (iso) => iso.replace('Z', '+00')],
		['2026-01-31T09:00:00.000+00:00', (iso) => iso.replace('Z', '+00:00')],
		['2026-01-31T09:00:00.000', (iso) => iso.replace('Z', '')],
		['2026-01-31T09:00:00Z', (iso) => iso.replace(/\.\d+/, '')],
	])('is emitted where the service writes times as %s', async (_, format) => {
		const trigger = await firstAnswerAfterOutage(0, format);
		await emitsOnce(trigger, 'after');
		const { context } = polling(test({}, { mode: 'manual' }));
		expect(idsOf(await runPoll(context))).toEqual(['after']);
	});

	it('leaves later ones to their ids: listed late, or without a time', async () => {
		const trigger = await firstAnswerAfterOutage();
		expect(await tick(trigger)).toEqual(['after']);
		const created_at = new Date(Date.now() - 60_000).toISOString();
		sandbox.responses.push(responseRecord('f1', 'late', { created_at }));
		expect(await tick(trigger)).toEqual(['late']);
		sandbox.responses.push(withoutTime('undated'));
		await emitsOnce(trigger, 'undated');
	});

	it('is told in the log of n8n why it got none', async () => {
		sandbox.faults.add({ status: 503, times: 1 });
		const { context } = polling(test());
		const warn = jest.spyOn(context.logger, 'warn').mockReturnValue();
		await runPoll(context);
		const lines = warn.mock.calls.map(([line]) => String(line));
		warn.mockRestore();
		expect(lines).toEqual([expect.stringMatching(/Form Collection Trigger.*\(503\)/)]);
	});
});

describe('a form of many responses', () => {
	const first = Date.UTC(2026, 0, 5);
	const add = (count: number, timeOf: (index: number) => number) => {
		for (let index = 0; index < count; index++) {
			const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
			const created_at = new Date(timeOf(index)).toISOString();
			sandbox.responses.push(responseRecord('f1', id, { created_at }));
		}
	};

	it.each([
		['one a minute', (index: number) => first + index * 60_000],
		['an import of one moment', () => first],
	])('is emitted as a whole, once: %s', async (_, timeOf) => {
		sandbox.responses.length = 0;
		add(6_000, timeOf);
		const trigger = new Poller('classic', test({ includeExisting: true }));
		expect(new Set(idsOf(await trigger.activate())).size).toBe(6_000);
		expect(await tick(trigger)).toEqual([]);
		expect(await restart(trigger)).toEqual([]);
		sandbox.responses.reverse();
		submit('new');
		await emitsOnce(trigger, 'new');
	});

	it('is known by its newest 5,000 ids; what is older than these counts as seen', async () => {
		add(12_000, (index) => first + index * 60_000);
		const trigger = await started('classic');
		for (const id of ['d', 'e']) {
			submit(id);
			await emitsOnce(trigger, id);
		}
		const lateAt = (index: number) => ({
			created_at: new Date(first + index * 60_000 + 1).toISOString(),
		});
		sandbox.responses.push(
			responseRecord('f1', 'late', lateAt(7_100)),
			responseRecord('f1', 'too late', lateAt(6_900)),
		);
		await emitsOnce(trigger, 'late');

		const all = sandbox.responses.splice(100, Infinity);
		expect(await tick(trigger)).toEqual([]);
		sandbox.responses.push(...all);
		submit('f');
		await emitsOnce(trigger, 'f');
		// n8n writes all of it to its database each time.
		expect(trigger.state.length).toBeLessThan(400_000);
	}, 30_000);
});

it('emits each response exactly once, whatever the order, the times and what is missing for a while', async () => {
	const response = fc.record({
		id: fc.oneof(fc.uuid(), fc.stringMatching(/^[\w -]{1,8}$/), fc.nat({ max: 99 }).map(String)),
		created_at: fc.oneof(
			fc.integer({ min: 0, max: 5 }).map((ms) => new Date(Date.UTC(2026, 5, 1) + ms).toISOString()),
			fc.date({ min: new Date('2020-01-01'), max: new Date('2026-01-01'), noInvalidDate: true }),
			fc.constantFrom(undefined, null, '', 'yesterday'),
		),
	});
	const step = fc.record({
		arriving: fc.nat({ max: 10 }),
		isPartial: fc.boolean(),
		isListedTwice: fc.boolean(),
		isRestart: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.uniqueArray(response, { selector: ({ id }) => id, maxLength: 40 }),
			fc.array(step, { maxLength: 8 }),
			async (waiting, steps) => {
				sandbox.responses.length = 0;
				const trigger = new Poller('classic', test({}, { workflowId: undefined }));
				await trigger.activate();
				const emitted: unknown[] = [];
				const form: SandboxResponse[] = [];
				const listed = new Set<string>();
				for (const { arriving, isPartial, isListedTwice, isRestart } of steps) {
					const arrived = waiting.splice(0, arriving) as unknown as SandboxResponse[];
					form.unshift(...arrived.map((each) => ({ ...responseRecord('f1', each.id), ...each })));
					const list = isPartial ? form.filter((_, index) => index % 2 === 0) : form;
					for (const { id } of list) listed.add(id);
					sandbox.responses.splice(0, Infinity, ...list, ...(isListedTwice ? list : []));
					emitted.push(...(isRestart ? await restart(trigger) : await tick(trigger)));
				}
				expect(emitted.map(String).sort()).toEqual([...listed].sort());
			},
		),
		{ numRuns: 60 },
	);
}, 60_000);

describe('polls that overlap', () => {
	/** The service has got this many requests. */
	const arrived = async (count: number) => {
		while (sandbox.log.length < count) await new Promise((resolve) => setImmediate(resolve));
	};

	it.each<[string, Fault | undefined]>([
		['at the same time', undefined],
		['and the first one ends last', { delayMs: 200, stored: true, times: 1 }],
		['and the first one reads a later list', { delayMs: 200, times: 1 }],
	])('emit once: %s', async (_, fault) => {
		const trigger = await started('classic');
		for (const id of ['d', 'e']) {
			submit(id);
			if (fault) sandbox.faults.add(fault);
			const emitted = await Promise.all([trigger.tick(), trigger.tick()]);
			expect(idsOf(emitted.flat())).toEqual([id]);
			await emitsOnce(trigger);
		}
	});

	it('lose nothing when the older list comes last', async () => {
		const trigger = await started('classic');
		sandbox.faults.add({ slowBodyMs: 200, times: 1 });
		const slow = trigger.tick();
		await arrived(3);
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		expect(await slow).toEqual([]);
		await emitsOnce(trigger);
	});

	it('lose nothing when they are the first two', async () => {
		const { context } = polling(test());
		// The list of the first poll is made after the second one.
		sandbox.faults.add({ delayMs: 200, times: 1 });
		const slow = runPoll(context);
		await arrived(1);
		expect(await runPoll(context)).toEqual([]);
		submit('d');
		const emitted = [...(await slow), ...(await runPoll(context)), ...(await runPoll(context))];
		expect(idsOf(emitted)).toEqual(['d']);
	});

	it('need no expression once the request is under way', async () => {
		// The end of one poll makes n8n 2.41 release what evaluates the expressions of the other one.
		const { context, workflow } = polling({
			parameters: settings('={{ "f1" }}', { includeExisting: '={{ true }}' }),
			credentials: credentialsOf(sandbox),
		});
		const output = new FormCollectionTrigger().poll.call(context);
		const released = () => {
			throw new Error('No bridge acquired for this context');
		};
		for (const method of [
			'getParameterValue',
			'getSimpleParameterValue',
			'resolveSimpleParameterValue',
		] as const) {
			workflow.expression[method] = released;
		}
		expect((await output)?.[0]).toHaveLength(3);
	});
});

it('two triggers of a workflow that start together each emit their own', async () => {
	let saved = '{}';
	/** n8n gives both one copy of what it has saved. */
	const start = () => {
		const alone = (form: string) =>
			polling({
				...test({}, { parameters: settings(form), node: { id: form, name: `Trigger ${form}` } }),
				staticData: JSON.parse(saved) as IDataObject,
			});
		const { workflow } = alone('f1');
		const contexts = ['f1', 'f2'].map((form) => {
			const { context } = alone(form);
			const { additionalData } = context as unknown as { additionalData: never };
			return new PollContext(workflow, context.getNode(), additionalData, 'trigger', 'init');
		});
		return async () => {
			const emitted = [];
			for (const context of contexts) emitted.push(idsOf(await runPoll(context)));
			saved = JSON.stringify(workflow.staticData);
			return emitted;
		};
	};
	const pollBoth = start();
	expect(await pollBoth()).toEqual([[], []]);
	submitTo('f2', 'y');
	expect(await pollBoth()).toEqual([[], ['y']]);
	submit('d');
	expect(await pollBoth()).toEqual([['d'], []]);
	submitTo('f2', 'x');
	const pollBothLater = start();
	expect(await pollBothLater()).toEqual([[], ['x']]);
	expect(await pollBothLater()).toEqual([[], []]);
});

describe('the items', () => {
	it.each(['plain', 'extended'] as const)(
		'are those of Get Responses in the %s variant',
		async (variant) => {
			await sandbox.stop();
			sandbox = await startSandbox({ variant });
			const formId = byId(sandbox.forms.find(({ slug }) => slug === 'contact-us')?.id ?? '');
			for (const { flattenAnswers, ...options } of [
				{ flattenAnswers: false },
				{ flattenAnswers: '={{ "true" }}' },
				{ flattenAnswers: true, joinMultipleWith: '; ' },
				{ flattenAnswers: true, joinMultipleWith: '' },
			]) {
				const expected = await runOn(sandbox, {
					operation: 'getResponses',
					formId,
					returnAll: true,
					flattenAnswers,
					options: { ...options, sort: 'oldestFirst' },
				});
				const trigger = new Poller('classic', {
					parameters: { formId, flattenAnswers, options: { ...options, includeExisting: true } },
					credentials: credentialsOf(sandbox),
				});
				const emitted = await trigger.activate();
				expect(emitted).toEqual(expected.items.map(({ json }) => json));
				expect(emitted.length).toBeGreaterThan(10);
			}
		},
	);

	it.each(['trigger', 'manual'] as const)(
		'have a column for each question in the list if they are flattened: %s',
		async (mode) => {
			sandbox.responses.push(responseRecord('f2', 'y', { answers: { mail: 'y@example.com' } }));
			const parameters = { ...settings('f2'), flattenAnswers: true };
			const { context } = polling(test({}, { parameters, mode }));
			await runPoll(context);
			submitTo('f2', 'new');
			expect(await runPoll(context)).toEqual([
				{ name: 'Name new', mail: '', id: 'new', form_id: 'f2', created_at: expect.any(String) },
			]);
		},
	);
});

describe('Fetch Test Event', () => {
	useFastClock();

	const fetch = async (options?: IDataObject, staticData: IDataObject = {}) => {
		const before = JSON.stringify(staticData);
		const { context, workflow } = polling(test(options, { mode: 'manual', staticData }));
		const items = await runPoll(context);
		expect(JSON.stringify(workflow.staticData)).toBe(before);
		return idsOf(items);
	};

	it('shows the newest response, wherever it is listed', async () => {
		sandbox.responses.unshift(responseRecord('f1', 'undated', { created_at: '' }));
		submit('newest');
		sandbox.responses.unshift(...sandbox.responses.splice(-1));
		expect(await fetch()).toEqual(['newest']);
		expect(await fetch({ includeExisting: true })).toEqual(['newest']);
		expect(requestsTo(sandbox)).toHaveLength(2);
	});

	it('shows the newest response that matches the answer filters', async () => {
		expect(await fetch(nameContains('name b'))).toEqual(['b']);
	});

	it('changes nothing for an active trigger', async () => {
		const trigger = await started('classic');
		submit('d');
		expect(await fetch({}, JSON.parse(trigger.saved) as IDataObject)).toEqual(['d']);
		await emitsOnce(trigger, 'd');
	});

	it('says what keeps it from showing one', async () => {
		expect(await failureOf(fetch(nameContains('nobody')))).toMatch(/Answer Filters/);
		const filter = [{ question: 'emial', condition: 'isNotEmpty' }];
		expect(await failureOf(fetch({ answerFilters: { filter } }))).toMatch(/"emial"/);
		sandbox.responses.length = 0;
		expect(await failureOf(fetch())).toMatch(/no responses/i);
		sandbox.faults.add({ status: 429, headers: { 'Retry-After': '1800' }, times: 1 });
		expect(await failureOf(fetch())).toMatch(/\(429\)/);
		sandbox.faults.add({ hang: true, times: 1 });
		expect(await failureOf(fetch({ timeout: 1 }))).toMatch(/1 second.*Timeout/s);
	});
});

describe('a poll that fails', () => {
	useFastClock();

	it.each<[string, Fault, RegExp]>([
		['when the limit is reached', { status: 429, headers: { 'Retry-After': '90' } }, /\(429\)/],
		['when the API key is refused', { status: 401 }, /API key.*\(401\)/],
		['when the form is gone', { status: 404, body: '' }, /"f1".*\(404\)/],
		['when the service is down', { status: 503 }, /\(503\)/],
		['when the service does not answer in time', { hang: true }, /5 seconds.*Timeout/s],
	])('tells n8n why, after one request, %s', async (_, fault, expected) => {
		const trigger = await started('classic', { timeout: 5 });
		sandbox.log.length = 0;
		submit('d');
		sandbox.faults.add({ ...fault, times: 1 });
		expect(await failureOf(trigger.tick())).toMatch(expected);
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
		await emitsOnce(trigger, 'd');
	});

	it('tells n8n why, if it is the second one without an answer', async () => {
		const trigger = new Poller('classic', test());
		sandbox.faults.add({ status: 503, times: 2 });
		await trigger.activate();
		expect(await failureOf(trigger.tick())).toMatch(/\(503\)/);
	});

	it.each(pollPaths)('activates where nothing answers: %s', async (path) => {
		const credentials = { baseUrl: 'http://127.0.0.1:1/api', apiKey };
		expect(await new Poller(path, test({}, { credentials })).activate()).toEqual([]);
	});
});

describe.each(pollPaths)('n8n refuses to activate a workflow on the path %s', (path) => {
	it.each<[string, Partial<PollTest>, RegExp, number?]>([
		['with a wrong API key', { credentials: { apiKey: 'wrong' } }, /API key.*\(401\)/, 1],
		['with a form that is not there', { parameters: settings('gone') }, /"gone".*\(404\)/, 1],
		['without a form', { parameters: settings('') }, /Form/],
		['without a Base URL', { credentials: { baseUrl: '' } }, /Base URL/],
		['without a credential', { node: { credentials: undefined } }, /credential/],
		[
			'with another value of Include Existing Responses than true or false',
			{ parameters: settings('f1', { includeExisting: 'sometimes' }) },
			/Include Existing Responses.*"sometimes"/,
		],
		[
			'with another value of Flatten Answers than true or false',
			{ parameters: { ...settings('f1'), flattenAnswers: '={{ "maybe" }}' } },
			/Flatten Answers.*"maybe"/,
		],
	])('%s', async (_, { credentials, ...wrong }, expected, requests = 0) => {
		const trigger = new Poller(path, test({}, wrong));
		trigger.test.credentials = { ...credentialsOf(sandbox), ...credentials };
		expect(await failureOf(trigger.activate())).toMatch(expected);
		expect(sandbox.log).toHaveLength(requests);

		expect(await publish(trigger, test())).toEqual([]);
		submit('d');
		await emitsOnce(trigger, 'd');
	});

	it('without showing the API key, where it was entered in another field', async () => {
		const parameters = settings(`https://forms.example.com/${apiKey}`);
		const failure = await failureOf(new Poller(path, test({}, { parameters })).activate());
		expect(failure).toMatch(/Form/);
		expect(failure).not.toContain(apiKey);
	});
});

it('polls where n8n gives no time limit, as n8n 1.123 and 2.0', async () => {
	const { context } = polling(test());
	Object.assign(context, { getPollBudgetMs: undefined });
	expect(await runPoll(context)).toEqual([]);
	submit('d');
	expect(idsOf(await runPoll(context))).toEqual(['d']);
});

describe('starting over', () => {
	it.each(withoutCursors)('looks again at what other filters have left out: %s', async (path) => {
		const trigger = await started(path, nameContains('vip'));
		submit('d');
		expect(await tick(trigger)).toEqual([]);
		expect(await publish(trigger, test())).toEqual(['d']);
	});

	it.each(withoutCursors)('emits all again under another name: %s', async (path) => {
		const options = { includeExisting: true };
		const trigger = new Poller(path, test(options));
		const before = await trigger.activate();
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		const renamed = test(options, { node: { name: 'Contact form' } });
		expect(await publish(trigger, renamed)).toHaveLength(before.length + 1);
	});

	it.each(withoutCursors)('counts what is there as seen at another address: %s', async (path) => {
		const trigger = await started(path);
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		submit('e');
		const { forms, responses } = sandbox;
		const moved = await startSandbox({ apiKey, forms, responses });
		try {
			const credentials = credentialsOf(moved);
			expect(await publish(trigger, test({}, { credentials }))).toEqual([]);
		} finally {
			await moved.stop();
		}
	});
});

it('has the columns of the list that was read', async () => {
	sandbox.responses.push(responseRecord('f1', 'd', { answers: { mail: 'd@example.com' } }));
	const parameters = { ...settings('f1'), flattenAnswers: true };
	const trigger = await started('classic', {}, { parameters });
	submit('e');
	expect(await trigger.tick()).toMatchObject([{ name: 'Name e', mail: '' }]);
	sandbox.responses.splice(
		sandbox.responses.findIndex(({ id }) => id === 'd'),
		1,
	);
	submit('f');
	const [row] = await trigger.tick();
	expect(row).not.toHaveProperty('mail');
});
