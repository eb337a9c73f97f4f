import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool } from '../support/engine';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1')],
		responses: [
			responseRecord('f1', 'r1', { answers: { email: 'ada@example.com', name: 'Ada' } }),
			responseRecord('f1', 'r2', { answers: { email: 'ada@example.com', name: 'Old' } }),
			responseRecord('f1', 'r3', { answers: { name: 'Nobody' } }),
			responseRecord('f1', 'r4', { answers: null as never }),
		],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = (options: IDataObject = {}) => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ $json }}',
	options: { skipExisting: true, matchOn: ['email'], parallelRequests: 1, ...options },
});

const stored = () => sandbox.responses.slice(4).map(({ answers }) => answers);
const gets = () => requestsTo(sandbox).filter((request) => request.startsWith('GET')).length;
const posts = () => requestsTo(sandbox).length - gets();
const idOf = (index: number) => sandbox.responses[4 + index]?.id;
const idsOf = (items: { json: IDataObject }[]) => items.map(({ json }) => json.response_id);
const skipsOf = (items: { json: IDataObject }[]) => items.map(({ json }) => json.skipped === true);

/** The message may be shortened to what its description goes on with. */
const said = (error: unknown) => {
	const { message, description } = factsOf(error);
	return `${String(message)}\n${String(description)}`;
};

const ada = { email: 'ada@example.com', name: 'Someone else' };
const grace = { email: 'grace@example.com', name: 'Grace' };
const first = { ...grace, name: 'first' };
const second = { ...grace, name: 'second' };
const third = { ...grace, name: 'third' };

it('lets one response stand for any number of items with the same answer', async () => {
	const { items } = await runOn(sandbox, create(), { input: [ada, ada, grace, ada, first] });

	expect(skipsOf(items)).toEqual([true, true, false, true, true]);
	expect(idsOf(items)).toEqual(['r1', 'r1', idOf(0), 'r1', idOf(0)]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 1, 2, 3, 4].map((item) => ({ item })),
	);
	expect(stored()).toEqual([grace]);
	expect(gets()).toBe(1);
});

it('sends one of many equal items that are submitted at the same time', async () => {
	sandbox.settings.createDelayMs = 50;
	const input = Array.from({ length: 12 }, (_, n) => ({ email: `${n % 3}@x`, name: `${n}` }));
	const { items } = await runOn(sandbox, create({ parallelRequests: 10 }), { input });

	const emails = stored().map(({ email }) => email);
	expect(emails.sort()).toEqual(['0@x', '1@x', '2@x']);
	expect(new Set(idsOf(items)).size).toBe(3);
	expect(skipsOf(items).filter(Boolean)).toHaveLength(9);
	expect(gets()).toBe(1);
});

it('sends the next of equal items where the first was refused', async () => {
	sandbox.faults.add({ contains: 'first', status: 422, delayMs: 50 });
	const { items } = await runOn(sandbox, create({ parallelRequests: 10 }), {
		input: [first, second, third],
		node: { onError: 'continueRegularOutput' },
	});

	expect(stored()).toEqual([second]);
	expect(items[0]?.json.error).toMatch(/\(422\)/);
	expect(idsOf(items)).toEqual([undefined, idOf(0), idOf(0)]);
	expect(skipsOf(items)).toEqual([false, false, true]);
});

it('takes what may have been stored for stored, as soon as the form has it', async () => {
	sandbox.faults.add({ contains: 'first', status: 500, stored: true });
	const { runs } = await runOn(sandbox, create(), {
		input: [first, second],
		node: { onError: 'continueRegularOutput' },
		runs: 2,
	});

	expect(stored()).toEqual([first]);
	expect(idsOf(runs[1]?.[0] ?? [])).toEqual([idOf(0), idOf(0)]);
	expect(skipsOf(runs[1]?.[0] ?? [])).toEqual([true, true]);
});

it('ends the loop of an error output that is wired back where nobody knows what was stored', async () => {
	sandbox.faults.add({ contains: 'first', cut: 'connection', times: 1 });
	const { status, runs } = await runOn(sandbox, create(), {
		input: [first, second],
		node: { onError: 'continueErrorOutput' },
		isErrorOutputWiredBack: true,
	});

	expect([status, runs.length]).toEqual(['success', 2]);
	expect(requestsTo(sandbox).length).toBeLessThanOrEqual(4);
	expect(stored()).not.toContainEqual(first);
});

it('remembers what it created in a loop, and reads the form once', async () => {
	const { runs } = await runOn(sandbox, create(), { input: [grace], runs: 3 });

	expect(stored()).toEqual([grace]);
	const outputs = runs.map(([items]) => items ?? []);
	expect(outputs.map(idsOf)).toEqual(Array(3).fill([idOf(0)]));
	expect(outputs.map(skipsOf)).toEqual([[false], [true], [true]]);
	expect(gets()).toBe(1);
});

it('ends complete in a further try, without repeats', async () => {
	sandbox.faults.add({ contains: 'Lin', status: 422, times: 1 });
	const lin = { email: 'lin@x', name: 'Lin' };
	const { items, status } = await runOn(sandbox, create(), {
		input: [grace, lin, ada, first],
		node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		isSavedBeforeEachRun: true,
	});

	expect(status).toBe('success');
	expect(idsOf(items)).toEqual([idOf(0), idOf(1), 'r1', idOf(0)]);
	expect(stored()).toEqual([grace, lin]);
});

describe('an AI agent that calls the tool several times at once', () => {
	const callAll = async (matchOn: string[], rows: object[]) => {
		const call = asTool({
			parameters: { ...create({ matchOn }), answersJson: "={{ $fromAI('answers', '', 'json') }}" },
			credentials: credentialsOf(sandbox),
		});
		return await Promise.allSettled(
			rows.map(async (answers) => await call({ answers } as unknown as IDataObject)),
		);
	};

	it.each([[['email'], [grace]]])('submits once: %j', async (matchOn, answers) => {
		sandbox.settings.createDelayMs = 50;
		await callAll(matchOn, [grace, grace, { ...grace }, ada]);

		expect(stored()).toHaveLength(answers.length);
		expect(stored()).toEqual(expect.arrayContaining(answers));
	});

	it('submits nothing more where the outcome of the first is unknown', async () => {
		sandbox.faults.add({ contains: 'grace', status: 500, stored: true, times: 1 });
		await callAll(['email'], [grace, second]);

		expect(stored()).toEqual([grace]);
	});
});

it('compares the answers to all of the questions', async () => {
	const parameters = create({ matchOn: ['email', 'name'] });
	const input = [
		{ email: 'ada@example.com', name: 'Ada', age: '36' },
		{ email: 'ada@example.com' },
		{ email: ['ada@example.com', 'a@example.com'], name: 'Ada' },
		{ email: 'ada@example.com' },
	];
	const { items } = await runOn(sandbox, parameters, { input });

	expect(idsOf(items)).toEqual(['r1', idOf(0), idOf(1), idOf(0)]);
});

it.each([
	'={{ ["name", "email"] }}',
	'={{ "email, name" }}',
	'={{ "name,email" }}',
	'={{ "name, email".split(",") }}',
])('takes the questions from an expression in any order, as one text too: %s', async (matchOn) => {
	const { items } = await runOn(sandbox, create({ matchOn }), {
		input: [{ email: 'ada@example.com', name: 'Ada', age: 36 }, ada],
	});

	expect(skipsOf(items)).toEqual([true, false]);
	expect(gets()).toBe(1);
});

it.each([[[]], ['={{ [] }}'], ['']])(
	'compares all answers without questions to match on: %j',
	async (matchOn) => {
		const known = { email: 'ada@example.com', name: 'Ada' };
		const { items } = await runOn(sandbox, create({ matchOn }), { input: [ada, known, known] });

		expect(skipsOf(items)).toEqual([false, true, false]);
		expect(stored()).toEqual([ada, known]);
	},
);

it('matters only beside Skip Existing', async () => {
	await runOn(sandbox, create({ skipExisting: false }), { input: [ada] });

	expect(stored()).toEqual([ada]);
	expect(gets()).toBe(0);
});

it('refuses a question that nobody has answered, before anything is sent', async () => {
	const { error } = await runOn(sandbox, create({ matchOn: ['emial'] }), { input: [grace] });

	expect(said(error)).toContain('emial');
	expect(posts()).toBe(0);
});

it.each(['={{ $json.matchFields }}', '={{ [null] }}', '={{ [{ a: 1 }] }}'])(
	'refuses an expression that gives no question: %j',
	async (matchOn) => {
		const { error } = await runOn(sandbox, create({ matchOn }), { input: [ada] });

		expect(said(error)).toContain('Match On');
		expect(posts()).toBe(0);
	},
);

it('compares each item with the responses of its own account', async () => {
	const other = sandbox.addAccount('other-key', {
		forms: [formRecord('f1')],
		responses: [responseRecord('f1', 'r1', { answers: grace })],
	});
	const input = [ada, grace].flatMap(({ email }) =>
		[sandbox.apiKey, 'other-key'].map((key) => ({ email, key })),
	);
	const parameters = { ...create(), answersJson: '={{ { email: $json.email } }}' };
	const { items } = await runOn(sandbox, parameters, {
		credentials: { baseUrl: sandbox.baseUrl, apiKey: '={{ $json.key }}' },
		input,
	});

	expect(skipsOf(items)).toEqual([true, false, false, true]);
	expect(stored()).toEqual([{ email: grace.email }]);
	expect(other.responses.slice(1).map(({ answers }) => answers)).toEqual([{ email: ada.email }]);
});

it('ignores case and surrounding spaces', async () => {
	const input = ['ADA@example.com', ' ada@example.com '].map((email) => ({ email }));
	const { items } = await runOn(sandbox, create(), { input });

	expect(stored()).toEqual([]);
	expect(skipsOf(items)).toEqual([true, true]);
});

it.each([[undefined], [''], [' ']])(
	'an item without an answer to the questions is refused before anything is sent: %j',
	async (email) => {
		const input = [ada, { email, name: 'New' }, grace];
		const { error } = await runOn(sandbox, create(), { input });

		expect(factsOf(error).itemIndex).toBe(1);
		expect(said(error)).toContain('email');
		expect(sandbox.log).toEqual([]);
	},
);

it('needs an answer to one of the questions only', async () => {
	await runOn(sandbox, create({ matchOn: ['email', 'Name'] }), {
		input: [{ email: grace.email }],
	});

	expect(stored()).toEqual([{ email: grace.email }]);
});

it('holds an item back while another with the same answer may be stored', async () => {
	sandbox.faults.add({ contains: 'first', cut: 'connection', times: 1 });
	const { failed } = await runOn(sandbox, create(), {
		input: [first, second],
		node: { onError: 'continueErrorOutput' },
	});

	expect(failed.map(({ json }) => String(json.error).split('\n').at(-1))).toEqual([
		'Outcome: unknown',
		'Outcome: not sent',
	]);
	expect([stored(), posts()]).toEqual([[], 1]);
});

it('holds every further item back while one with the same answer may be stored', async () => {
	sandbox.faults.add({ contains: 'first', status: 500, times: 1 });
	const { items } = await runOn(sandbox, create(), {
		input: [first, second, { ...second, name: 'third' }],
		node: { onError: 'continueRegularOutput' },
	});

	expect(items.map(({ json }) => String(json.error).split('\n').at(-1))).toEqual([
		'Outcome: unknown',
		'Outcome: not sent',
		'Outcome: not sent',
	]);
	expect(posts()).toBe(1);
});

it('says of each item that it was not sent where the form cannot be read', async () => {
	sandbox.faults.add({ route: 'GET /responses', status: 500 });
	const { items } = await runOn(sandbox, create(), {
		input: [first, grace],
		node: { onError: 'continueRegularOutput' },
	});

	for (const { json } of items) expect(json.error).toMatch(/\(500\)[^]*\nOutcome: not sent$/);
	expect(posts()).toBe(0);
});
