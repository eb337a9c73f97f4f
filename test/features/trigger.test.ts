import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import type { Fault, Sandbox, SandboxResponse } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { TestResult, TestRun } from '../support/engine';
import { polling } from '../support/engine';
import {
	byId,
	credentialsOf,
	formRecord,
	requestsTo,
	responseRecord,
	runOn,
	shownBy,
	until,
} from '../support/formCollection';
import type { PollPath } from '../support/poller';
import { Poller, pollPaths, runPoll } from '../support/poller';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [
			responseRecord('f1', 'b', { created_at: '2026-01-02T00:00:00.000Z' }),
			responseRecord('f1', 'a', { created_at: '2026-01-01T00:00:00.000Z' }),
			responseRecord('f2', 'z'),
			responseRecord('f1', 'c', { created_at: '2026-01-03T00:00:00.000Z' }),
		],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const settings = (formId: string, options: IDataObject = {}) =>
	({ formId: byId(formId), options }) as INodeParameters;

const test = (options: IDataObject = {}, more: Partial<TestRun> = {}): TestRun => ({
	parameters: settings('f1', options),
	credentials: credentialsOf(sandbox),
	...more,
});

const nameContains = (value: string) => ({
	answerFilters: { filter: [{ question: 'name', condition: 'contains', value }] },
});

let minute = 0;

/** Someone fills in a form, later than everything before. */
function submit(id: string, formId = 'f1') {
	const created_at = new Date(Date.UTC(2026, 1, 1) + 60_000 * ++minute).toISOString();
	sandbox.responses.push(responseRecord(formId, id, { created_at }));
}

/** By the clock of the test, as seen from now */
function submitAt(id: string, offsetMs: number, format = (iso: string) => iso) {
	const created_at = format(new Date(Date.now() + offsetMs).toISOString());
	sandbox.responses.push(responseRecord('f1', id, { created_at }));
}

const idsOf = (items: IDataObject[]) => items.map(({ id }) => id);

const tick = async (trigger: Poller) => idsOf(await trigger.tick());

/** n8n ends and starts again; its scheduler polls only at the next minute. */
const restart = async (trigger: Poller) =>
	idsOf([...(await trigger.restart()), ...(await trigger.tick())]);

async function publish(trigger: Poller, changed: TestRun = trigger.test) {
	trigger.test = changed;
	return idsOf([...(await trigger.activate()), ...(await trigger.tick())]);
}

/** A trigger that n8n has activated and polled once */
async function started(path: PollPath, options?: IDataObject, more?: Partial<TestRun>) {
	const trigger = new Poller(path, test(options, more));
	expect(await publish(trigger)).toEqual([]);
	return trigger;
}

/** The next poll emits these, and no other does. */
async function emitsOnce(trigger: Poller, ...ids: string[]) {
	expect(await tick(trigger)).toEqual(ids);
	expect(await tick(trigger)).toEqual([]);
	expect(await restart(trigger)).toEqual([]);
}

/** Message and description of the error that a poll ends with */
const failureOf = async (polled: Promise<unknown>) =>
	await polled.then(
		() => 'It got through',
		(error: TestResult['error']) => shownBy({ error }),
	);

describe.each(pollPaths)('polled by n8n on the path: %s', (path) => {
	it('emits what is new once, oldest first, in one request per poll', async () => {
		const trigger = await started(path);
		submit('d');
		submit('e');
		sandbox.responses.reverse();
		expect(await tick(trigger)).toEqual(['d', 'e']);
		for (const response of sandbox.responses) response.answers = { name: 'Changed' };
		expect(await tick(trigger)).toEqual([]);
		submit('f');
		await emitsOnce(trigger, 'f');

		const polls = path === 'classic' ? 8 : 7;
		expect(requestsTo(sandbox)).toEqual(Array(polls).fill('GET /responses f1'));
	});

	it('emits all that is there at first if existing ones are included', async () => {
		const trigger = new Poller(path, test({ includeExisting: true }));
		expect(idsOf(await trigger.activate())).toEqual(['a', 'b', 'c']);
		submit('d');
		await emitsOnce(trigger, 'd');
	});

	it('emits only what matches the answer filters; the rest counts as seen', async () => {
		const options = { ...nameContains('VIP'), includeExisting: true };
		const trigger = new Poller(path, test(options));
		submit('vip before');
		expect(await publish(trigger)).toEqual(['vip before']);
		submit('d');
		submit('vip');
		expect(await tick(trigger)).toEqual(['vip']);
		expect(await publish(trigger, test({ includeExisting: true }))).toEqual([]);
		submit('e');
		await emitsOnce(trigger, 'e');
	});

	it('looks again at what came since it last emitted, when its filters change', async () => {
		const trigger = await started(path, nameContains('vip'));
		submit('d');
		expect(await tick(trigger)).toEqual([]);
		expect(await publish(trigger, test())).toEqual(['d']);
		await emitsOnce(trigger);
	});

	it('emits what came while n8n was down, or the workflow inactive', async () => {
		const trigger = await started(path);
		submit('d');
		expect(await restart(trigger)).toEqual(['d']);
		submit('e');
		submit('f');
		expect(await restart(trigger)).toEqual(['e', 'f']);
		submit('g');
		expect(await publish(trigger)).toEqual(['g']);
		await emitsOnce(trigger);
	});

	it.each<[string, Fault]>([
		['refuses the API key', { status: 401 }],
		['shows a web page', { status: 200, body: '<!doctype html><p>Back soon' }],
		['is down', { cut: 'connection' }],
	])('emits what came while the service %s, also when n8n restarts then', async (_, fault) => {
		const trigger = await started(path);
		sandbox.faults.add(fault);
		submit('d');
		await trigger.tick().catch(() => []);
		await trigger.restart().catch(() => []);
		submit('e');
		await trigger.tick().catch(() => []);
		sandbox.faults.clear();
		await emitsOnce(trigger, 'd', 'e');
	});

	it.each<[string, () => Partial<TestRun>]>([
		['form', () => ({ parameters: settings('f2') })],
		[
			'credential',
			() => ({ node: { credentials: { formCollectionApi: { id: '2', name: 'x' } } } }),
		],
		// The router of the sandbox takes it for the same.
		[
			'Base URL',
			() => ({
				credentials: {
					...credentialsOf(sandbox),
					baseUrl: sandbox.baseUrl.replace('/api', '/API'),
				},
			}),
		],
		['name', () => ({ node: { name: 'Contact form' } })],
	])('starts over with another %s', async (what, change) => {
		const trigger = await started(path);
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		submit('e');
		expect(await publish(trigger, test({}, change()))).toEqual([]);
		submit('f', what === 'form' ? 'f2' : 'f1');
		await emitsOnce(trigger, 'f');
	});

	it('goes on with another API key, or the same Base URL written differently', async () => {
		const trigger = await started(path);
		submit('d');
		sandbox.addKey('the-next-key');
		const credentials = { baseUrl: ` ${sandbox.baseUrl}/ `, apiKey: 'the-next-key' };
		expect(await publish(trigger, test({}, { credentials }))).toEqual(['d']);
		await emitsOnce(trigger);
	});
});

it('knows the newest of very many that it has found', async () => {
	const time = (second: number) => new Date(Date.UTC(2025, 0, 1, 0, 0, second)).toISOString();
	const old = Array.from({ length: 20_000 }, (_, n) => ({ id: `${n}`, created_at: time(n) }));
	sandbox.responses.push(...old.map(({ id, ...more }) => responseRecord('f1', id, more)));
	const trigger = await started(pollPaths[0]!);
	submit('d');
	await emitsOnce(trigger, 'd');
});

it('does not emit what its filters left out, also if it matches later', async () => {
	const trigger = await started('classic', nameContains('vip'));
	submit('d');
	expect(await tick(trigger)).toEqual([]);
	for (const response of sandbox.responses) response.answers = { name: 'vip' };
	expect(await tick(trigger)).toEqual([]);
});

describe.each<[string, Fault]>([
	['has reached its limit', { status: 429 }],
	['is down', { status: 503 }],
	['cuts replies short', { cut: 'body' }],
])('a service that %s when the workflow is published', (_, fault) => {
	beforeEach(() => sandbox.faults.add({ ...fault, times: 1 }));

	it.each(pollPaths)('does not keep it from emitting what comes then: %s', async (path) => {
		const trigger = new Poller(path, test());
		expect(await trigger.activate()).toEqual([]);
		submitAt('d', 0);
		expect(await tick(trigger)).toEqual(['d']);
		submit('e');
		await emitsOnce(trigger, 'e');
	});

	it.each(pollPaths)('emits existing ones later if they are included: %s', async (path) => {
		const trigger = new Poller(path, test({ includeExisting: true }));
		expect(await trigger.activate()).toEqual([]);
		await emitsOnce(trigger, 'a', 'b', 'c');
	});

	it.each(pollPaths)('loses nothing when it is published again: %s', async (path) => {
		sandbox.faults.clear();
		const trigger = await started(path);
		submit('d');
		expect(await tick(trigger)).toEqual(['d']);
		submit('e');
		sandbox.faults.add({ ...fault, times: 1 });
		expect(await publish(trigger)).toEqual(['e']);
		await emitsOnce(trigger);
	});
});

describe('the first answer after a first poll without one', () => {
	it.each<[string, (iso: string) => string]>([
		['2026-01-31 09:00:00.000+00', (iso) => iso.replace('T', ' ').replace('Z', '+00')],
		['2026-01-31T09:00:00', (iso) => iso.replace(/\..*/, '')],
	])('emits what was created since, where times are written as %s', async (_, format) => {
		const trigger = new Poller('classic', test());
		sandbox.faults.add({ status: 503, times: 1 });
		await trigger.activate();
		submitAt('before', -10_000, format);
		submitAt('since', 0, format);
		expect(await tick(trigger)).toEqual(['since']);
		// Later ones are known by their ids.
		submitAt('listed late', -60_000);
		await emitsOnce(trigger, 'listed late');
	});

	it.each(pollPaths)('emits what was created while the first poll waited: %s', async (path) => {
		const trigger = new Poller(path, test());
		sandbox.faults.add({ held: true, status: 503, times: 1 });
		const publishing = trigger.activate();
		await until(() => sandbox.log.length > 0);
		submitAt('during', 0);
		// It fails a minute later.
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
		sandbox.faults.clear();
		expect(await publishing.finally(() => clock.mockRestore())).toEqual([]);
		await emitsOnce(trigger, 'during');
	});

	it('fails the poll, if it is the second one without an answer', async () => {
		const trigger = new Poller('classic', test());
		sandbox.faults.add({ status: 503, times: 2 });
		await trigger.activate();
		expect(await failureOf(trigger.tick())).toMatch(/\(503\)/);
		await emitsOnce(trigger);
	});

	it('says in the log of n8n why there was none', async () => {
		const { context } = polling(
			test({}, { credentials: { baseUrl: 'http://127.0.0.1:1', apiKey: 'x' } }),
		);
		const warn = jest.spyOn(context.logger, 'warn').mockReturnValue();
		expect(await runPoll(context)).toEqual([]);
		const lines = warn.mock.calls.map(([line]) => String(line));
		warn.mockRestore();
		expect(lines).toEqual([expect.stringMatching(/Form Collection Trigger.*cannot be reached/)]);
	});
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
		/** Of so many parts of the list, the first is there. */
		parts: fc.constantFrom(1, 1, 2, Infinity),
		isListedTwice: fc.boolean(),
		isRestart: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.uniqueArray(response, { selector: ({ id }) => id, maxLength: 40 }),
			fc.array(step, { maxLength: 8 }),
			async (waiting, steps) => {
				sandbox.responses.length = 0;
				const trigger = new Poller('classic', test());
				await trigger.activate();
				const emitted: unknown[] = [];
				const form: SandboxResponse[] = [];
				const listed = new Set<string>();
				for (const { arriving, parts, isListedTwice, isRestart } of steps) {
					const arrived = waiting.splice(0, arriving) as unknown as SandboxResponse[];
					form.unshift(...arrived.map((each) => ({ ...responseRecord('f1', each.id), ...each })));
					const list = form.slice(0, form.length / parts);
					for (const { id } of list) listed.add(id);
					sandbox.responses.splice(0, Infinity, ...list, ...(isListedTwice ? list : []));
					emitted.push(...(isRestart ? await restart(trigger) : await tick(trigger)));
				}
				expect(emitted.map(String).sort()).toEqual([...listed].sort());
			},
		),
		{ seed: 1, numRuns: 40 },
	);
}, 60_000);

describe('polls that overlap', () => {
	it.each<[string, Fault[]]>([
		[
			'and read at the same time',
			[
				{ slowBodyMs: 200, times: 1 },
				{ slowBodyMs: 100, times: 1 },
			],
		],
		['and the first one ends last', [{ held: true, stored: true, times: 1 }]],
		['and the first one reads a later list', [{ held: true, times: 1 }]],
	])('emit once: %s', async (_, faults) => {
		const trigger = await started('classic');
		submit('d');
		sandbox.faults.add(...faults);
		const slow = trigger.tick();
		const emitted = await trigger.tick();
		submit('e');
		sandbox.faults.clear();
		emitted.push(...(await slow), ...(await trigger.tick()));
		expect(idsOf(emitted).sort()).toEqual(['d', 'e']);
		await emitsOnce(trigger);
	});

	it('lose nothing when they are the first two', async () => {
		const { context } = polling(test());
		// The second one is in the middle of a later list when the first one ends.
		const slow = { slowBodyMs: 400, times: 1 };
		sandbox.faults.add({ held: true, stored: true, times: 1 }, slow);
		const first = runPoll(context);
		await until(() => sandbox.log[0]?.fault !== undefined);
		submit('d');
		sandbox.responses.unshift(...sandbox.responses.splice(-1));
		const second = runPoll(context);
		await until(() => sandbox.log[1]?.fault !== undefined);
		await new Promise((resolve) => setTimeout(resolve, 250));
		sandbox.faults.clear();
		const emitted = [...(await first), ...(await second), ...(await runPoll(context))];
		expect(idsOf(emitted)).toEqual(['d']);
	});

	it('leave alone what is seen at the Base URL that the credential has got meanwhile', async () => {
		const responses = [responseRecord('f1', 'x'), responseRecord('f1', 'y')];
		const other = await startSandbox({ forms: [formRecord('f1')], responses });
		const credentials = credentialsOf(sandbox);
		const { context } = polling(test({}, { credentials }));
		await runPoll(context);
		submit('d');
		for (const { faults } of [sandbox, other]) faults.add({ held: true, times: 1 });
		const before = runPoll(context);
		await until(() => sandbox.log[1]?.fault !== undefined);
		Object.assign(credentials, credentialsOf(other));
		const after = runPoll(context);
		await until(() => other.log[0]?.fault !== undefined);
		sandbox.faults.clear();
		await before;
		other.faults.clear();
		await after;
		const emitted = await runPoll(context);
		await other.stop();
		expect(emitted).toEqual([]);
	});

	it('need no expression once the request is under way', async () => {
		// The end of one poll makes n8n 2.41 release what evaluates the expressions of the other one.
		const parameters = settings('={{ "f1" }}', { includeExisting: '={{ true }}' });
		const { context, workflow } = polling(test({}, { parameters }));
		const output = new FormCollectionTrigger().poll.call(context);
		const released = () => {
			throw new Error('No bridge acquired for this context');
		};
		Object.assign(workflow.expression, {
			getParameterValue: released,
			getSimpleParameterValue: released,
			resolveSimpleParameterValue: released,
		});
		expect((await output)?.[0]).toHaveLength(3);
	});
});

describe('the items', () => {
	it.each<[boolean, IDataObject]>([
		[false, {}],
		[true, {}],
		[true, { joinMultipleWith: '; ' }],
		[true, { joinMultipleWith: '' }],
	])('are those of Get Responses: Flatten Answers %j, %j', async (flattenAnswers, options) => {
		const answers = { topics: ['a', 'b'], id: 'x' };
		sandbox.responses.push(responseRecord('f2', 'y', { answers: answers as never }));
		const parameters = { formId: byId('f2'), flattenAnswers } as INodeParameters;
		const expected = await runOn(sandbox, {
			...parameters,
			operation: 'getResponses',
			returnAll: true,
			options: { ...options, sort: 'oldestFirst' } as INodeParameters,
		});
		const all = {
			...parameters,
			options: { ...options, includeExisting: true } as INodeParameters,
		};
		const emitted = await new Poller('classic', test({}, { parameters: all })).activate();

		expect(emitted).toEqual(expected.items.map(({ json }) => json));
		expect(emitted).toHaveLength(2);
	});

	it.each(['trigger', 'manual'] as const)(
		'have a column for each question of the list that was read: %s',
		async (mode) => {
			sandbox.responses.push(responseRecord('f2', 'y', { answers: { mail: 'y@example.com' } }));
			const parameters = { ...settings('f2'), flattenAnswers: true };
			const { context } = polling({ ...test({}, { parameters }), mode });
			await runPoll(context);
			submit('new', 'f2');
			expect(await runPoll(context)).toMatchObject([{ name: 'Name new', mail: '', id: 'new' }]);
			sandbox.responses.splice(-2, 1);
			submit('newer', 'f2');
			expect((await runPoll(context))[0]).not.toHaveProperty('mail');
		},
	);
});

describe('Fetch Test Event', () => {
	const fetch = async (options?: IDataObject, staticData: IDataObject = {}) => {
		const before = JSON.stringify(staticData);
		const { context, workflow } = polling({ ...test(options, { staticData }), mode: 'manual' });
		const items = await runPoll(context);
		expect(JSON.stringify(workflow.staticData)).toBe(before);
		return idsOf(items);
	};

	it('shows the newest response that matches, wherever it is listed', async () => {
		submit('newest');
		sandbox.responses.unshift(...sandbox.responses.splice(-1));
		sandbox.responses.unshift(responseRecord('f1', 'undated', { created_at: '' }));
		expect(await fetch({ includeExisting: true })).toEqual(['newest']);
		expect(await fetch(nameContains('name b'))).toEqual(['b']);
		expect(requestsTo(sandbox)).toHaveLength(2);
	});

	it('changes nothing for an active trigger', async () => {
		const trigger = await started('classic');
		submit('d');
		expect(await fetch({}, JSON.parse(trigger.saved) as IDataObject)).toEqual(['d']);
		await emitsOnce(trigger, 'd');
	});

	it('says what keeps it from showing one, after one request', async () => {
		expect(await failureOf(fetch(nameContains('nobody')))).toMatch(/Answer Filters[^"]*$/);
		const filter = ['emial', 'nmae'].map((question) => ({ question, condition: 'isNotEmpty' }));
		expect(await failureOf(fetch({ answerFilters: { filter } }))).toMatch(/"emial", "nmae"/);
		sandbox.responses.length = 0;
		expect(await failureOf(fetch())).toMatch(/no responses/i);
		sandbox.faults.add({ status: 503 });
		expect(await failureOf(fetch())).toMatch(/\(503\)/);
		expect(requestsTo(sandbox)).toHaveLength(4);
	});
});

describe.each(pollPaths)('n8n refuses to activate a workflow on the path %s', (path) => {
	it.each<[string, Partial<TestRun>, RegExp, number?]>([
		['with a wrong API key', { credentials: { apiKey: 'wrong' } }, /API key.*\(401\)/, 1],
		['with a form that is not there', { parameters: settings('gone') }, /"gone".*\(404\)/, 1],
		['without a form', { parameters: settings('') }, /Form/],
		['without a Base URL', { credentials: { baseUrl: '' } }, /Base URL/],
		['without a credential', { node: { credentials: undefined } }, /credential/],
	])('%s', async (_, { credentials, ...wrong }, expected, requests = 0) => {
		const trigger = new Poller(path, test({}, wrong));
		trigger.test.credentials = { ...credentialsOf(sandbox), ...credentials };
		expect(await failureOf(trigger.activate())).toMatch(expected);
		expect(sandbox.log).toHaveLength(requests);

		expect(await publish(trigger, test())).toEqual([]);
		submit('d');
		await emitsOnce(trigger, 'd');
	});
});
