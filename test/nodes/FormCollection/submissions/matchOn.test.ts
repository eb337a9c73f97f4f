import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../../../sandbox';
import { startSandbox } from '../../../../sandbox';
import {
	byId,
	formRecord,
	requestsTo,
	responseRecord,
	runOn,
} from '../../../support/formCollection';

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
	options: { skipExisting: true, matchOn: ['email'], ...options },
});

const stored = () => sandbox.responses.slice(4).map(({ answers }) => answers);
const gets = () => requestsTo(sandbox).filter((request) => request.startsWith('GET')).length;
const idOf = (index: number) => sandbox.responses[4 + index]?.id;
const skipped = (response_id: unknown) => ({ success: true, response_id, skipped: true });
const going = { onError: 'continueRegularOutput' as const };

const ada = { email: 'ada@example.com', name: 'Someone else' };
const grace = { email: 'grace@example.com', name: 'Grace' };

it('lets one response stand for any number of items with the same answer', async () => {
	const { items } = await runOn(sandbox, create(), { input: [ada, ada, grace, ada] });

	expect(items.map(({ json }) => json)).toEqual([
		skipped('r1'),
		skipped('r1'),
		{ success: true, response_id: idOf(0) },
		skipped('r1'),
	]);
	expect(stored()).toEqual([grace]);
	expect(gets()).toBe(1);
});

it('sends one of many equal items that are submitted at the same time', async () => {
	sandbox.settings.createDelayMs = 50;
	const input = Array.from({ length: 12 }, (_, n) => ({ email: `${n % 3}@x`, name: `${n}` }));
	const { items } = await runOn(sandbox, create({ parallelRequests: 10 }), { input });

	expect(
		stored()
			.map(({ email }) => email)
			.sort(),
	).toEqual(['0@x', '1@x', '2@x']);
	expect(new Set(items.map(({ json }) => json.response_id)).size).toBe(3);
	expect(items.filter(({ json }) => json.skipped)).toHaveLength(9);
	expect(gets()).toBe(1);
});

it('sends the next of equal items where the first was refused', async () => {
	sandbox.faults.add({ contains: 'first', status: 422, delayMs: 50 });
	const input = [
		{ ...grace, name: 'first' },
		{ ...grace, name: 'second' },
		{ ...grace, name: 'third' },
	];
	const { items } = await runOn(sandbox, create(), { input, node: going });

	expect(stored()).toEqual([{ ...grace, name: 'second' }]);
	expect(items[0]?.json.error).toContain('did not accept the request (422)');
	expect(items.slice(1).map(({ json }) => json)).toEqual([
		{ success: true, response_id: idOf(0) },
		skipped(idOf(0)),
	]);
});

it('sends no equal item where the outcome of the first is unknown, until the form has it', async () => {
	sandbox.faults.add({ contains: 'first', status: 500, stored: true });
	const input = [
		{ ...grace, name: 'first' },
		{ ...grace, name: 'second' },
	];
	const { items, runs } = await runOn(sandbox, create({ parallelRequests: 1 }), {
		input,
		node: going,
		runs: 2,
	});

	expect(stored()).toEqual([{ ...grace, name: 'first' }]);
	expect(runs[0]?.[0]?.map(({ json }) => json.error)).toEqual([
		'The service could not answer (500): check whether the response was stored before you send it again',
		'Another item with the same email may be stored already: check the form before you send this one',
	]);
	expect(items.map(({ json }) => json)).toEqual([skipped(idOf(0)), skipped(idOf(0))]);
});

it('remembers what it created in a loop, and reads the form once', async () => {
	const { runs } = await runOn(sandbox, create(), { input: [grace], runs: 3 });

	expect(stored()).toEqual([grace]);
	expect(runs.map(([items]) => items?.[0]?.json)).toEqual([
		{ success: true, response_id: idOf(0) },
		skipped(idOf(0)),
		skipped(idOf(0)),
	]);
	expect(gets()).toBe(1);
});

it('compares the answers to all questions, unanswered ones included', async () => {
	const input = [
		{ email: 'ada@example.com', name: 'Ada' },
		{ email: 'ada@example.com' },
		{ email: 'ada@example.com', name: '' },
		{ email: 'ADA@example.com', name: 'Ada' },
		{ email: ['ada@example.com'], name: 'Ada' },
	];
	const { items } = await runOn(
		sandbox,
		create({ matchOn: '={{ ["email", "name", ""] }}', parallelRequests: 1 }),
		{ input },
	);

	expect(items.map(({ json }) => json.response_id)).toEqual([
		'r1',
		idOf(0),
		idOf(0),
		idOf(1),
		idOf(2),
	]);
});

it('compares all answers of an item that answers none of the questions', async () => {
	const input = [{ name: 'Nobody' }, { name: 'Nobody' }, { name: 'New' }, { name: 'New' }];
	const { items } = await runOn(sandbox, create({ parallelRequests: 1 }), { input });

	expect(items.map(({ json }) => json.skipped ?? false)).toEqual([true, false, false, false]);
	expect(stored()).toEqual(input.slice(1));
});

it.each(['={{ [] }}', '', '={{ "[]" }}', '={{ null }}'])(
	'compares all answers without questions to match on: %j',
	async (matchOn) => {
		const { items } = await runOn(sandbox, create({ matchOn }), { input: [ada] });

		expect(items[0]?.json.skipped).toBeUndefined();
		expect(stored()).toEqual([ada]);
	},
);

it('takes a text for one question, and refuses what is none', async () => {
	const { items } = await runOn(sandbox, create({ matchOn: '={{ "email" }}' }), { input: [ada] });
	expect(items[0]?.json).toEqual(skipped('r1'));

	const { error } = await runOn(sandbox, create({ matchOn: '={{ [{ a: 1 }] }}' }), {
		input: [ada],
	});
	expect(error?.message).toBe('Match On Names or IDs is an object: enter a text');
});

it('matters only beside Skip Existing', async () => {
	await runOn(sandbox, create({ skipExisting: false }), { input: [ada] });

	expect(stored()).toEqual([ada]);
	expect(gets()).toBe(0);
});
