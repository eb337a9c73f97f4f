import type { IDataObject } from 'n8n-workflow';
import type { Sandbox, SandboxResponse } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool } from '../support/engine';
import {
	abandoned,
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	fromList,
	itemsOf,
	requestsTo,
	responseRecord,
	runOn,
	strangeFields,
} from '../support/formCollection';

let sandbox: Sandbox;

afterEach(async () => await sandbox.stop());

const getResponses = (formId: string, options: IDataObject = {}, limit?: number) =>
	({
		operation: 'getResponses',
		formId: byId(formId),
		returnAll: limit === undefined,
		limit,
		options,
	}) as never;

const idsOf = (items: { json: IDataObject }[]) => items.map(({ json }) => json.id);

describe.each(['plain', 'extended'] as const)('in the %s variant', (variant) => {
	beforeEach(async () => {
		sandbox = await startSandbox({ variant });
	});

	it('returns the responses as the service has them, for the form and limit of each item', async () => {
		const [first, second] = sandbox.forms as unknown as [{ id: string }, { id: string }];
		const ofForm = (id: string) => sandbox.responses.filter(({ form_id }) => form_id === id);
		const parameters = {
			operation: 'getResponses',
			formId: byId('={{ $json.form }}'),
			returnAll: '={{ $json.all }}',
			limit: '={{ $json.limit }}',
		};
		const input = [
			{ form: first.id, all: true },
			{ form: second.id, all: false, limit: 3 },
			{ form: ` ${first.id}\n`, all: false, limit: 1 },
		];

		const { items, status } = await runOn(sandbox, parameters, { input });

		expect(status).toBe('success');
		expect(items).toEqual([
			...itemsOf(ofForm(first.id), 0),
			...itemsOf(ofForm(second.id).slice(0, 3), 1),
			...itemsOf(ofForm(first.id).slice(0, 1), 2),
		]);
		expect(requestsTo(sandbox)).toEqual([
			`GET /responses ${first.id}`,
			`GET /responses ${second.id}`,
		]);
	});
});

describe('the form', () => {
	const odd = 'a/b?c=d&e=f #%41 ü';

	beforeEach(async () => {
		sandbox = await startSandbox({
			forms: [formRecord('f1'), formRecord('f2'), formRecord(odd), formRecord('7')],
			responses: ['f1', 'f2', odd, '7'].flatMap((form) => [
				responseRecord(form, `${form}-1`),
				responseRecord(form, `${form}-2`),
			]),
		});
	});

	it('is the one picked from the list', async () => {
		const { items } = await runOn(sandbox, {
			operation: 'getResponses',
			formId: fromList('f2'),
		});

		expect(idsOf(items)).toEqual(['f2-1', 'f2-2']);
	});

	it('may have an ID with any character', async () => {
		const { items } = await runOn(sandbox, getResponses(odd));

		expect(idsOf(items)).toEqual([`${odd}-1`, `${odd}-2`]);
		expect(requestsTo(sandbox)).toEqual([`GET /responses ${odd}`]);
	});

	it('may have a number as ID', async () => {
		const { items } = await runOn(sandbox, getResponses('={{ 7 }}'));

		expect(idsOf(items)).toEqual(['7-1', '7-2']);
	});

	const noForm = 'No form is chosen: select one in the field Form, or enter its ID there';
	const returns = (what: string) =>
		`Form has an expression that returns ${what}: make it return the ID of one form`;
	it.each([
		['  ', noForm],
		['={{ "" }}', noForm],
		['={{ $json.missing }}', returns('no value')],
		['={{ null }}', returns('no value')],
		['={{ ["f1"] }}', returns('a list')],
		['={{ {"id": "f1"} }}', returns('an object')],
		['={{ true }}', returns('true')],
	])('is asked for before any request when it is %p', async (value, message) => {
		const { error } = await runOn(sandbox, getResponses(value));

		expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('is read once for a hundred items', async () => {
		const input = Array.from({ length: 100 }, () => ({}));
		const { items } = await runOn(sandbox, getResponses('f1'), { input });

		expect(items).toEqual(input.flatMap((_, i) => itemsOf(sandbox.responses.slice(0, 2), i)));
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});

	it('is read once per distinct form', async () => {
		const input = [{ form: 'f1' }, { form: 'f2' }, { form: 'f1' }];
		const { items } = await runOn(sandbox, getResponses('={{ $json.form }}'), { input });

		expect(idsOf(items)).toEqual(['f1-1', 'f1-2', 'f2-1', 'f2-2', 'f1-1', 'f1-2']);
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1', 'GET /responses f2']);
	});

	it('is read again by the next execution', async () => {
		await runOn(sandbox, getResponses('f1'));
		sandbox.responses.length = 1;
		const { items } = await runOn(sandbox, getResponses('f1'));

		expect(idsOf(items)).toEqual(['f1-1']);
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1', 'GET /responses f1']);
	});

	it('gives each input item objects of its own', async () => {
		const body = '{"responses":[{"answers":{"a":["b",{"c":["d"]}]}}]}';
		sandbox.faults.add({ body });
		const { items } = await runOn(sandbox, getResponses('f1'), { input: [{}, {}, {}] });
		const [, second, third] = items.map(({ json }) => json as { answers: { a: unknown[] } });
		(second!.answers.a[1] as { c: string[] }).c.push('changed');
		second!.answers.a.push('changed');
		second!.answers = { a: [] };

		expect(items[0]!.json).toEqual(JSON.parse(body).responses[0]);
		expect(third).toEqual(JSON.parse(body).responses[0]);
	});

	it('has responses with any field, passed through untouched', async () => {
		const body = `{"responses":[{${strangeFields},"answers":{${strangeFields}}},{"answers":null},{}]}`;
		sandbox.faults.add({ body });

		const { items } = await runOn(sandbox, getResponses('f1'), { input: [{}, {}] });

		const { responses } = JSON.parse(body);
		expect(JSON.stringify(items.map(({ json }) => json))).toBe(
			JSON.stringify([...responses, ...responses]),
		);
	});

	it('may have no responses', async () => {
		sandbox.responses.length = 0;
		const { items, status } = await runOn(sandbox, getResponses('f1'));

		expect([status, items]).toEqual(['success', []]);
	});

	it('returns 50 responses unless told otherwise', async () => {
		sandbox.faults.add({
			body: { responses: Array.from({ length: 60 }, (_, i) => responseRecord('f1', `r${i}`)) },
		});
		const { items } = await runOn(sandbox, { operation: 'getResponses', formId: byId('f1') });

		expect(idsOf(items)).toEqual(Array.from({ length: 50 }, (_, i) => `r${i}`));
	});

	it.each([0, -1, 2.5, 'x'])('is not read for the limit %p', async (limit) => {
		const parameters = { operation: 'getResponses', formId: byId('f1'), limit };
		const { error } = await runOn(sandbox, parameters);

		expect(factsOf(error)).toEqual({
			message: `Limit is ${JSON.stringify(limit)}: enter a whole number of at least 1`,
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each([0, -1, 'soon', 3601])('is not read with the timeout %p', async (timeout) => {
		const { error } = await runOn(sandbox, getResponses('f1', { timeout }));

		expect(factsOf(error)).toEqual({
			message: `Timeout is ${JSON.stringify(timeout)}: enter a number of seconds from 1 to 3600`,
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
	});
});

describe('filter, order and limit', () => {
	const at = (id: string, created_at?: unknown) =>
		({ id, form_id: 'f1', answers: {}, created_at }) as SandboxResponse;

	beforeEach(async () => {
		sandbox = await startSandbox({
			forms: [formRecord('f1')],
			responses: [
				at('nine', '2026-01-31T09:00:00.000Z'),
				at('nothing'),
				at('eight', '2026-01-31T08:00:00Z'),
				at('eight without a zone', '2026-01-31T08:00:00'),
				at('malformed', 'yesterday'),
				at('ten with an offset', '2026-01-31T11:00:00+01:00'),
				at('a number', 1769850000000),
				at('nine with a blank', '2026-01-31 09:00:00'),
				at('a millisecond before eight', '2026-01-31T07:59:59.999Z'),
			],
		});
	});

	const eightToNine = ['eight', 'eight without a zone'];
	it.each([
		[
			'in the zone of the workflow, when it names none',
			'2026-01-31T09:00:00',
			'2026-01-31T10:00:00',
		],
		['as n8n stores it', '2026-01-31T09:00:00', '2026-01-31 10:00'],
		['in UTC', '2026-01-31T08:00:00Z', '2026-01-31T09:00:00.000Z'],
		['with an offset', '2026-01-31T03:00:00-05:00', '2026-01-31T14:30:00+05:30'],
		[
			'a moment of an expression',
			'={{ DateTime.fromISO("2026-01-31T08:00:00Z") }}',
			'={{ DateTime.fromISO("2026-01-31T09:00:00Z").setZone("Asia/Tokyo") }}',
		],
		[
			'a JavaScript date',
			'={{ new Date("2026-01-31T08:00:00Z") }}',
			'={{ new Date("2026-01-31T09:00:00Z") }}',
		],
	])(
		'returns what was created at or after one moment and before another: %s',
		async (_, createdAfter, createdBefore) => {
			const { items } = await runOn(sandbox, getResponses('f1', { createdAfter, createdBefore }));

			expect(idsOf(items)).toEqual(eightToNine);
		},
	);

	it('reads bounds, order and limit of each item', async () => {
		const parameters = {
			operation: 'getResponses',
			formId: byId('f1'),
			returnAll: false,
			limit: '={{ $json.limit }}',
			options: { createdAfter: '={{ $json.after }}', sort: '={{ $json.sort }}' },
		};
		const input = [
			{ after: '2026-01-31T08:00:00Z', sort: 'newestFirst', limit: 2 },
			{ after: '2026-01-31T09:00:00Z', sort: 'oldestFirst', limit: 9 },
			{ after: '', sort: 'asReceived', limit: 3 },
		];

		const { items } = await runOn(sandbox, parameters, { input });

		expect(items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual([
			['ten with an offset', { item: 0 }],
			['nine', { item: 0 }],
			['nine', { item: 1 }],
			['nine with a blank', { item: 1 }],
			['ten with an offset', { item: 1 }],
			['nine', { item: 2 }],
			['nothing', { item: 2 }],
			['eight', { item: 2 }],
		]);
	});

	it('takes the present moment', async () => {
		sandbox.responses.push(at('tomorrow', new Date(Date.now() + 86_400_000).toISOString()));
		const { items } = await runOn(sandbox, getResponses('f1', { createdAfter: '={{ $now }}' }));

		expect(idsOf(items)).toEqual(['tomorrow']);
	});

	it('puts the newest first, equal times in the order received, unreadable times last', async () => {
		const { items } = await runOn(sandbox, getResponses('f1', { sort: 'newestFirst' }));

		expect(idsOf(items)).toEqual([
			'ten with an offset',
			'nine',
			'nine with a blank',
			'eight',
			'eight without a zone',
			'a millisecond before eight',
			'nothing',
			'malformed',
			'a number',
		]);
	});

	it('puts the oldest first, equal times in the order received, unreadable times last', async () => {
		const { items } = await runOn(sandbox, getResponses('f1', { sort: 'oldestFirst' }));

		expect(idsOf(items)).toEqual([
			'a millisecond before eight',
			'eight',
			'eight without a zone',
			'nine',
			'nine with a blank',
			'ten with an offset',
			'nothing',
			'malformed',
			'a number',
		]);
	});

	it.each(['$now.diff($now.minus({ days: 1 }))', 'Duration.fromObject({ days: 7 })'])(
		'refuses a duration, which is no moment: %s',
		async (expression) => {
			const options = { createdAfter: `={{ ${expression} }}` };
			const { error } = await runOn(sandbox, getResponses('f1', options));

			expect(factsOf(error).message).toBe(
				'Created After is an object: enter a date and time, e.g. 2026-01-31T09:00:00',
			);
			expect(sandbox.log).toEqual([]);
		},
	);

	it.each([
		['createdAfter', 'Created After', '={{ $json.missing }}'],
		['createdBefore', 'Created Before', '={{ null }}'],
	])('refuses a %s whose expression gives no value', async (option, name, value) => {
		const { error } = await runOn(sandbox, getResponses('f1', { [option]: value }));

		expect(factsOf(error)).toEqual({
			message: `${name} has an expression that returns no value: make it return a date and time, or empty text for no limit`,
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it.each([
		['createdAfter', 'Created After'],
		['createdBefore', 'Created Before'],
	])('refuses a %s that is no date before any request', async (option, name) => {
		const { error } = await runOn(sandbox, getResponses('f1', { [option]: '31st of nowhere' }));

		expect(factsOf(error)).toEqual({
			message: `${name} is "31st of nowhere": enter a date and time, e.g. 2026-01-31T09:00:00`,
			itemIndex: 0,
		});
		expect(requestsTo(sandbox)).toEqual([]);
	});
});

describe('a form with many responses', () => {
	const count = 20_000;
	const time = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();

	beforeEach(async () => {
		sandbox = await startSandbox({
			forms: [formRecord('f1')],
			responses: Array.from({ length: count }, (_, index) =>
				responseRecord('f1', `r${index}`, {
					answers: { text: 'é😀"\\'.repeat(10) },
					// Not in order: 7 and the count have no common divisor.
					created_at: time((index * 7) % count),
				}),
			),
		});
	});

	it('is read only as far as the limit in the order received needs', async () => {
		// In steps, because the network takes some megabytes ahead.
		sandbox.faults.add({ slowBodyMs: 2_000 });
		const { items } = await runOn(sandbox, getResponses('f1', {}, 50));

		expect(items).toEqual(itemsOf(sandbox.responses.slice(0, 50), 0));
		expect((await abandoned(sandbox))?.sentBytes).toBeLessThan(1_000_000);
	});

	it('is read in one pass for items that want different parts of it', async () => {
		const sort = '={{ $json.sort }}';
		const { items } = await runOn(
			sandbox,
			getResponses('f1', { sort, createdBefore: '={{ $json.before }}' }, 3),
			{
				input: [
					{ sort: 'asReceived', before: '' },
					{ sort: 'newestFirst', before: '' },
					{ sort: 'oldestFirst', before: '' },
					{ sort: 'newestFirst', before: time(1_234) },
					{ sort: 'wrong', before: 'never' },
				],
				node: { onError: 'continueRegularOutput' },
			},
		);

		const times = items.map(({ json }) => json.created_at);
		expect(times.slice(0, 3)).toEqual([time(0), time(7), time(14)]);
		expect(times.slice(3, 6)).toEqual([1, 2, 3].map((n) => time(count - n)));
		expect(times.slice(6, 9)).toEqual([0, 1, 2].map(time));
		expect(times.slice(9, 12)).toEqual([1_233, 1_232, 1_231].map(time));
		expect(items[12]?.json.error).toContain('Created Before is "never"');
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});

	it('is read again from its beginning when the reply breaks off', async () => {
		sandbox.faults.add({ times: 1, cut: 'body' });
		const { items } = await runOn(sandbox, getResponses('f1'));

		expect(items.map(({ json }) => json)).toEqual(sandbox.responses);
		expect(requestsTo(sandbox)).toHaveLength(2);
	});

	it('is read only as far as the response with an ID', async () => {
		sandbox.faults.add({ slowBodyMs: 2_000 });
		const options = { responseId: '={{ $json.id }}', sort: 'newestFirst' };
		const { items } = await runOn(sandbox, getResponses('f1', options, 1), {
			input: [{ id: ' r9 ' }, { id: 'r12' }],
		});

		expect(items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual([
			['r9', { item: 0 }],
			['r12', { item: 1 }],
		]);
		expect((await abandoned(sandbox))?.sentBytes).toBeLessThan(1_000_000);
		expect(sandbox.log).toHaveLength(1);
	});

	it('gives nothing for an ID that no response has', async () => {
		const { items, status } = await runOn(sandbox, getResponses('f1', { responseId: 'r' }));

		expect([status, items]).toEqual(['success', []]);
	});

	it.each(['', '={{ $json.missing }}', ' '])('is not read for the ID %j', async (responseId) => {
		const { error } = await runOn(sandbox, getResponses('f1', { responseId }));

		expect(factsOf(error)).toEqual({
			message: 'Response ID is empty: enter one, or remove the option',
			itemIndex: 0,
		});
		expect(sandbox.log).toEqual([]);
	});

	it('is left at once when the execution is stopped', async () => {
		sandbox.faults.add({ slowBodyMs: 60_000 });
		const { status } = await runOn(sandbox, getResponses('f1'), {
			onStart: (stop) => setTimeout(stop, 500),
		});

		expect(status).toBe('canceled');
		expect((await abandoned(sandbox))?.sentBytes).toBeLessThan(1_000_000);
		expect(sandbox.log).toHaveLength(1);
	});
});

describe('answer filters', () => {
	const filters = (...filter: object[]) => ({ answerFilters: { filter } });

	beforeEach(async () => {
		sandbox = await startSandbox({
			forms: [formRecord('f1')],
			responses: [
				responseRecord('f1', 'r1', { answers: { email: 'ada@example.com', topics: ['Sales'] } }),
				responseRecord('f1', 'r2', { answers: { email: 'Grace@example.com' } }),
				responseRecord('f1', 'r3', { answers: { topics: ['Support', 'Sales'], '=odd': 'x' } }),
				responseRecord('f1', 'r4', { answers: { email: 'ADA@example.com', topics: [] } }),
			],
		});
	});

	it('are read for each item, in one request, before order and limit', async () => {
		const question = '={{ $json.q }}';
		const condition = '={{ $json.c }}';
		const value = '={{ $json.v }}';
		const { items } = await runOn(
			sandbox,
			getResponses('f1', { ...filters({ question, condition, value }), sort: 'newestFirst' }, 2),
			{
				input: [
					{ q: 'email', c: 'equals', v: 'ada@example.com' },
					{ q: 'topics', c: ' Contains ', v: 'S' },
					{ q: 'email', c: 'isEmpty' },
					{ q: 'email', c: 'notEquals', v: 'ada@example.com' },
					{ q: 'nobody asked', c: 'isNotEmpty', v: null },
				],
			},
		);

		expect(items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual([
			['r1', { item: 0 }],
			['r4', { item: 0 }],
			['r1', { item: 1 }],
			['r3', { item: 1 }],
			['r3', { item: 2 }],
			['r2', { item: 3 }],
			['r3', { item: 3 }],
		]);
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});

	it('must all hold', async () => {
		const { items } = await runOn(
			sandbox,
			getResponses(
				'f1',
				filters(
					{ question: 'email', condition: 'equals', value: 'ada@example.com' },
					{ question: 'topics', condition: 'isNotEmpty' },
				),
			),
		);

		expect(idsOf(items)).toEqual(['r1']);
	});

	it('know a question that begins like an expression, as the list gives it', async () => {
		const { items } = await runOn(
			sandbox,
			getResponses('f1', filters({ question: ' =odd', condition: 'isNotEmpty' })),
		);

		expect(idsOf(items)).toEqual(['r3']);
	});

	it('are none where no filter was added', async () => {
		const { items } = await runOn(sandbox, getResponses('f1', { answerFilters: {} }));

		expect(items).toHaveLength(4);
	});

	const noQuestion =
		'Question Name or ID of a filter is empty: choose a question, or delete the filter';
	it.each([
		[{ condition: 'equals', value: 'x' }, noQuestion],
		[{ question: '={{ $json.missing }}', value: 'x' }, noQuestion],
		[{ question: '={{ ["a"] }}', value: 'x' }, 'Question Name or ID is ["a"]: enter text'],
		[
			{ question: 'email', value: '={{ $json.missing }}' },
			'Value of the filter for "email" is empty: enter what to compare with, or choose the condition Is Empty',
		],
		[{ question: 'email', value: '={{ {} }}' }, 'Value is an object: enter text'],
		[
			{ question: 'email', condition: '={{ "like" }}', value: 'x' },
			'Condition is "like": choose Contains, Does Not Contain, Does Not Equal, Equals, Is Empty or Is Not Empty',
		],
	])('are refused before any request: %j', async (filter, message) => {
		const { error } = await runOn(sandbox, getResponses('f1', filters(filter)));

		expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('end the download as soon as enough responses match', async () => {
		for (let n = 0; n < 20_000; n++) {
			const answers = { email: n === 10 ? 'last@example.com' : 'x'.repeat(100) };
			sandbox.responses.push(responseRecord('f1', `n${n}`, { answers }));
		}
		sandbox.faults.add({ slowBodyMs: 2_000 });
		const filter = { question: 'email', condition: 'equals', value: 'last@example.com' };
		const { items } = await runOn(sandbox, getResponses('f1', filters(filter), 1));

		expect(idsOf(items)).toEqual(['n10']);
		expect((await abandoned(sandbox))?.sentBytes).toBeLessThan(1_000_000);
	});
});

describe('flattened answers', () => {
	const rest = { form_id: 'f1', created_at: '2026-01-01T00:00:00.000Z' };

	beforeEach(async () => {
		sandbox = await startSandbox({
			forms: [formRecord('f1')],
			responses: [
				responseRecord('f1', 'r1', { answers: { name: 'Ada', topics: ['Sales', 'Support'] } }),
				responseRecord('f1', 'r2', { answers: { id: 'mine', error: 'none', topics: [] } }),
				{ id: 'r3', form_id: 'f1' } as SandboxResponse,
			],
		});
	});

	it('stand beside the other fields, multiple choice joined as each item says', async () => {
		const parameters = {
			...(getResponses('f1', { joinMultipleWith: '={{ $json.join }}' }) as object),
			flattenAnswers: '={{ $json.flat }}',
		};
		const input = [
			{ flat: true, join: '; ' },
			{ flat: true, join: '' },
			{ flat: false, join: ', ' },
		];
		const flat = (topics: [unknown, unknown]) => [
			{ name: 'Ada', answer_id: '', answer_error: '', topics: topics[0], id: 'r1', ...rest },
			{ name: '', answer_id: 'mine', answer_error: 'none', topics: topics[1], id: 'r2', ...rest },
			{ name: '', answer_id: '', answer_error: '', topics: '', id: 'r3', form_id: 'f1' },
		];

		const { items } = await runOn(sandbox, parameters, { input });

		expect(items).toEqual([
			...itemsOf(flat(['Sales; Support', '']), 0),
			...itemsOf(flat([['Sales', 'Support'], []]), 1),
			...itemsOf(sandbox.responses, 2),
		]);
		expect(Object.keys(items[1]!.json)).toEqual(Object.keys(flat(['', ''])[1]!));
	});

	it.each(['={{ $json.missing }}', '={{ null }}'])(
		'are not joined with what %p does not return',
		async (joinMultipleWith) => {
			const parameters = {
				...(getResponses('f1', { joinMultipleWith }) as object),
				flattenAnswers: true,
			};
			const { error } = await runOn(sandbox, parameters);

			expect(factsOf(error)).toEqual({
				message:
					'Join Multiple Choice With has an expression that returns no value: make it return text, or empty text to keep lists',
				itemIndex: 0,
			});
			expect(requestsTo(sandbox)).toEqual([]);
		},
	);

	it('have columns for what was read, in every row', async () => {
		const flat = async (limit: number, options = {}) =>
			await runOn(sandbox, {
				...(getResponses('f1', options, limit) as object),
				flattenAnswers: true,
			});
		const [first, second] = [await flat(1), await flat(1, { responseId: 'r2' })];

		expect(first.items).toEqual(
			itemsOf([{ name: 'Ada', topics: 'Sales, Support', id: 'r1', ...rest }], 0),
		);
		expect(second.items.map(({ json }) => json)).toEqual([
			{ name: '', topics: '', answer_id: 'mine', answer_error: 'none', id: 'r2', ...rest },
		]);
	});

	it('have the same columns for all items of a form, whatever each of them wants', async () => {
		sandbox.responses.splice(1, 0, {
			...responseRecord('f1', 'r0', { answers: { score: '5' } }),
			score: 7,
		} as SandboxResponse);
		const options = { responseId: '={{ $json.id }}' };
		const parameters = {
			...(getResponses('f1', options, '={{ $json.limit }}' as never) as object),
			flattenAnswers: true,
		};
		const { items } = await runOn(sandbox, parameters, {
			input: [
				{ id: 'r1', limit: 1 },
				{ id: 'r0', limit: 5 },
				{ id: 'r2', limit: 1 },
			],
		});
		const columns = ['name', 'answer_id', 'answer_error', 'topics', 'answer_score', 'id'];

		expect(items.map(({ json }) => Object.keys(json))).toEqual([
			[...columns, 'form_id', 'created_at'],
			[...columns, 'form_id', 'created_at', 'score'],
			[...columns, 'form_id', 'created_at'],
		]);
	});

	it('keep n8n from taking a response for a failed item', async () => {
		sandbox.faults.add({ body: '{"responses":[{"answers":{"error":"x","message":"y"}}]}' });

		const { items, failed } = await runOn(
			sandbox,
			{ ...(getResponses('f1') as object), flattenAnswers: true },
			{ node: { onError: 'continueErrorOutput' } },
		);

		expect(failed).toEqual([]);
		expect(items).toEqual(itemsOf([{ answer_error: 'x', answer_message: 'y' }], 0));
	});
});

describe('as an AI tool', () => {
	const tool = { type: 'n8n-nodes-form-collection.formCollectionTool' };
	const raise = 'raise Limit or turn on Return All';

	beforeEach(async () => {
		sandbox = await startSandbox({
			forms: [formRecord('f1'), formRecord('f2')],
			responses: Array.from({ length: 60 }, (_, i) => responseRecord('f1', `r${i}`)),
		});
	});

	const where = (question: string, condition = 'equals', value = 'Name r1') => ({
		answerFilters: { filter: [{ question, condition, value }] },
	});

	/** What the model gets, whichever way n8n runs the tool. */
	const read = async (formId: string, options: IDataObject = {}, limit?: number) => {
		const parameters = getResponses(formId, options, limit);
		const { items, error } = await runOn(sandbox, parameters, { node: tool });
		const call = asTool({ parameters, credentials: credentialsOf(sandbox) });
		const reply = await call({}).then(
			(text) => JSON.parse(String(text)) as IDataObject[],
			({ message }: Error) => message,
		);
		expect(reply).toEqual(error?.message ?? items.map(({ json }) => json));
		return error?.message ?? items.map(({ json }) => json);
	};

	it('does not fail for a filter on such a question where the service has sent only a part', async () => {
		sandbox.faults.add({ body: { responses: [responseRecord('f1', 'r1')], next: 'x' } });
		const replied = await read('f1', where('phone'));

		expect(replied).toEqual([
			{ hint: expect.stringContaining('The service also sent next') as string },
		]);
	});
	const responses = (...ids: string[]) => ids.map((id) => responseRecord('f1', id));

	it('adds nothing where there is nothing to say', async () => {
		expect(await read('f1')).toHaveLength(60);
		expect(await read('f1', where('name'))).toEqual(responses('r1'));
		expect(await read('f1', { responseId: 'r1' })).toEqual(responses('r1'));
	});

	it('says at the end of the output that the limit left something out', async () => {
		expect(await read('f1', { sort: 'newestFirst' }, 2)).toEqual([
			...responses('r0', 'r1'),
			{ hint: `Returned 2 of 60 responses: ${raise}` },
		]);
		expect(await read('f1', {}, 1)).toEqual([
			...responses('r0'),
			{ hint: `There may be more responses than returned: ${raise}` },
		]);
	});

	it('names a question as it is', async () => {
		sandbox.faults.add({ body: { responses: [responseRecord('f1', 'r1')], next: 'x' } });
		const [{ hint }] = (await read('f1', where('Q&A <lab>'))) as [IDataObject];

		expect(hint).toContain('has an answer to "Q&A <lab>"');
	});

	it('says that no response matches', async () => {
		expect(await read('f1', where('name', 'equals', 'nobody'))).toEqual([
			{
				hint: 'None of the responses (60) matches Answer Filters, Created After, or Created Before',
			},
		]);
		expect(await read('f2', where('email'))).toEqual([{ hint: 'The form has no responses yet' }]);
	});

	it('says why there is no response with a Response ID', async () => {
		expect(await read('f1', { responseId: 'gone' })).toEqual([
			{ hint: 'The form has no response with this Response ID' },
		]);
		expect(await read('f1', { responseId: 'r2', ...where('name') })).toEqual([
			{
				hint: 'The response with this Response ID does not match Answer Filters, Created After, or Created Before',
			},
		]);
	});

	it('says that the list may be incomplete', async () => {
		sandbox.faults.add({ body: { responses: responses('r1'), next: 'x' } });

		expect(await read('f1')).toEqual([
			...responses('r1'),
			{ hint: 'The service also sent next: there may be more responses than these' },
		]);
	});

	it.each(['equals', 'notEquals', 'isEmpty'])(
		'fails for a filter on a question that no response answers: %s',
		async (condition) => {
			expect(await read('f1', where('Email', condition))).toBe(
				'None of the responses has an answer to "Email": check the question key in Answer Filters, for example with Get Questions',
			);
		},
	);

	it('says nothing of responses that it does not return, because of such a filter', async () => {
		const parameters = getResponses('f1', { ...where('phone', 'isEmpty'), sort: 'newestFirst' }, 1);
		const node = { ...tool, onError: 'continueRegularOutput' as const };
		const { items } = await runOn(sandbox, parameters, { node });

		expect(items.map(({ json }) => Object.keys(json))).toEqual([['error']]);
	});

	it('neither fails nor doubts the question where the limit ended the download before an answer to it', async () => {
		sandbox.responses.push(responseRecord('f1', 'late', { answers: { phone: '1' } }));

		expect(await read('f1', where('phone', 'isEmpty'), 1)).toEqual([
			...responses('r0'),
			{ hint: `There may be more responses than returned: ${raise}` },
		]);
	});
});

it('waits for a request that items share as long as the longest of their timeouts says', async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [responseRecord('f1', 'r1')],
	});
	sandbox.faults.add({ contains: 'f1', delayMs: 1_500 });
	const parameters = {
		...(getResponses('={{ $json.form }}') as object),
		options: { timeout: '={{ $json.timeout }}' },
	};
	const input = [
		{ form: 'f1', timeout: 1 },
		{ form: 'f2', timeout: 1 },
		{ form: 'f1', timeout: '20' },
	];

	const { items, status } = await runOn(sandbox, parameters as never, { input });

	expect(status).toBe('success');
	expect(items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual([
		['r1', { item: 0 }],
		['r1', { item: 2 }],
	]);
	expect(requestsTo(sandbox)).toEqual(['GET /responses f1', 'GET /responses f2']);
});
