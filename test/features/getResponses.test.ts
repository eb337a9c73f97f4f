import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Sandbox, SandboxResponse } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import {
	abandoned,
	byId,
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

/** In the order received, unless an option says otherwise; every response, unless there is a limit. */
const getResponses = (
	formId: string,
	options: IDataObject = {},
	limit?: number | string,
): INodeParameters =>
	({
		operation: 'getResponses',
		formId: byId(formId),
		returnAll: limit === undefined,
		limit,
		options: { sort: 'asReceived', ...options },
	}) as INodeParameters;

const filters = (...filter: IDataObject[]) => ({ answerFilters: { filter } });

const idsOf = (items: { json: IDataObject }[]) => items.map(({ json }) => json.id);

/** The ID of each response, and the item it belongs to */
const pairsOf = (items: { json: IDataObject; pairedItem?: unknown }[]) =>
	items.map(({ json, pairedItem }) => [json.id, (pairedItem as { item: number }).item]);

async function expectRefused(parameters: INodeParameters, naming: string | RegExp) {
	const { error } = await runOn(sandbox, parameters);

	expect(factsOf(error)).toMatchObject({
		message: expect.stringMatching(naming),
		itemIndex: 0,
	});
	expect(requestsTo(sandbox)).toEqual([]);
}

it.each(['plain', 'extended'] as const)(
	'returns the responses as the %s service has them, for the form and limit of each item',
	async (variant) => {
		sandbox = await startSandbox({ variant });
		const [first, second] = sandbox.forms as unknown as [{ id: string }, { id: string }];
		const ofForm = (id: string) => sandbox.responses.filter(({ form_id }) => form_id === id);
		const parameters = {
			...getResponses('={{ $json.form }}'),
			returnAll: '={{ $json.all }}',
			limit: '={{ $json.limit }}',
		};
		const input = [
			{ form: first.id, all: true },
			{ form: second.id, all: 'false', limit: '3' },
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
	},
);

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

	it.each<[string, INodeParameters['formId'], string]>([
		['is picked from the list', fromList('f2'), 'f2'],
		['may have an ID with any character', byId(odd), odd],
		['may have a number as ID', byId('={{ 7 }}'), '7'],
		['may have been pasted with spaces around its ID', byId(' f1\n'), 'f1'],
	])('%s', async (_, formId, id) => {
		const { items } = await runOn(sandbox, { ...getResponses(''), formId });

		expect(idsOf(items)).toEqual([`${id}-1`, `${id}-2`]);
		expect(requestsTo(sandbox)).toEqual([`GET /responses ${id}`]);
	});

	it.each([
		...['  ', '={{ $json.missing }}', '={{ null }}', '={{ ["f1"] }}', '={{ {"id": "f1"} }}'],
		...['={{ true }}', 'https://forms.example.com/f1'],
	])('is asked for before any request where it is %p', async (value) => {
		await expectRefused(getResponses(value), /\bform\b/i);
	});

	it('is read once, however many items ask for it, and again in the next execution', async () => {
		const input = Array.from({ length: 100 }, (_, i) => ({ form: `f${(i % 2) + 1}` }));
		const { items } = await runOn(sandbox, getResponses('={{ $json.form }}'), { input });

		expect(pairsOf(items)).toEqual(
			input.flatMap(({ form }, i) => [
				[`${form}-1`, i],
				[`${form}-2`, i],
			]),
		);
		const once = ['GET /responses f1', 'GET /responses f2'];
		expect(requestsTo(sandbox)).toEqual(once);
		sandbox.responses.length = 1;
		expect(idsOf((await runOn(sandbox, getResponses('f1'))).items)).toEqual(['f1-1']);
		expect(requestsTo(sandbox)).toEqual([...once, 'GET /responses f1']);
	});

	it('gives each input item objects of its own', async () => {
		const body = '{"responses":[{"answers":{"a":["b",{"c":["d"]}]}}]}';
		sandbox.faults.add({ body });
		const { items } = await runOn(sandbox, getResponses('f1'), { input: [{}, {}, {}] });
		const [, second, third] = items.map(({ json }) => json as { answers: { a: unknown[] } });
		(second!.answers.a[1] as { c: string[] }).c.push('changed');
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

	it('has 50 responses returned by default', async () => {
		const many = Array.from({ length: 60 }, (_, i) => responseRecord('f1', `r${i}`));
		sandbox.faults.add({ body: { responses: many } });
		const { items } = await runOn(sandbox, { operation: 'getResponses', formId: byId('f1') });

		expect(items).toHaveLength(50);
	});

	it.each<[string, IDataObject, unknown[]]>([
		['Return All', {}, ['={{ "maybe" }}', '={{ 2 }}', '={{ [true] }}', '={{ $json.missing }}']],
		['Limit', { returnAll: false }, [0, -1, 2.5, 'x', '', '={{ "1,000" }}', '={{ true }}']],
		['Flatten', {}, ['={{ "maybe" }}', '={{ {} }}']],
		['Timeout', {}, [0, -1, 'soon', '={{ $json.missing }}', '={{ true }}']],
		['Sort', {}, ['={{ "newest" }}', '={{ 0 }}', '={{ ["newestFirst"] }}']],
		['Join', { flattenAnswers: true }, ['={{ $json.missing }}', '={{ null }}', '={{ {} }}']],
		['Response ID', {}, ['', ' ', '={{ $json.missing }}', '={{ ["r1"] }}']],
	])('is not read for a value that %s cannot have', async (field, more, values) => {
		const names: Record<string, string> = {
			'Return All': 'returnAll',
			Limit: 'limit',
			Flatten: 'flattenAnswers',
			Timeout: 'timeout',
			Sort: 'sort',
			Join: 'joinMultipleWith',
			'Response ID': 'responseId',
		};
		const name = names[field]!;
		const isOption = !['returnAll', 'limit', 'flattenAnswers'].includes(name);
		for (const value of values) {
			const given = { [name]: value } as IDataObject;
			const base = getResponses('f1', isOption ? given : {});
			await expectRefused({ ...base, ...more, ...(!isOption && given) } as never, field);
		}
	});

	it.each<[string, unknown, unknown]>([
		['returnAll', '={{ "TRUE" }}', 2],
		['returnAll', '={{ "false" }}', 1],
		['limit', '={{ "2" }}', 2],
		['limit', ' 1 ', 1],
		['sort', '={{ "oldestFirst" }}', 1],
		['timeout', '={{ "30" }}', 1],
		['timeout', 2.5, 1],
	])('is read with the %s %j', async (name, value, count) => {
		const isOption = ['sort', 'timeout'].includes(name);
		const base = getResponses('f1', isOption ? { [name]: value as string } : {}, 1);
		const given = isOption ? base : { ...base, returnAll: false, [name]: value };
		const { items, status } = await runOn(sandbox, given as never);

		expect([status, items.length]).toEqual(['success', count]);
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
				at('malformed', 'yesterday'),
				at('ten with an offset', '2026-01-31T11:00:00+01:00'),
				at('a millisecond before eight', '2026-01-31T07:59:59.999Z'),
				at('summer', '2026-06-30T22:00:00Z'),
			],
		});
	});

	// The zone of the workflow is Europe/Berlin.
	it.each<[string, string, string, string[]]>([
		['without a zone', '2026-01-31T09:00:00', '2026-01-31T10:00:00', ['eight']],
		['as n8n stores it', '2026-01-31T09:00:00', '2026-01-31 10:00', ['eight']],
		['without a zone, in summer', '2026-07-01T00:00:00', '2026-07-01T00:00:01', ['summer']],
		['of a day, in summer', '2026-07-01', '2026-07-02', ['summer']],
		['in UTC', '2026-01-31T08:00:00Z', '2026-01-31T09:00:00.000Z', ['eight']],
		['with an offset', '2026-01-31T03:00:00-05:00', '2026-01-31T14:30:00+05:30', ['eight']],
		[
			'of an expression',
			'={{ DateTime.fromISO("2026-01-31T08:00:00Z") }}',
			'={{ DateTime.fromISO("2026-01-31T09:00:00Z").setZone("Asia/Tokyo") }}',
			['eight'],
		],
		[
			'in JavaScript',
			'={{ new Date("2026-01-31T08:00:00Z") }}',
			'={{ new Date("2026-01-31T09:00:00Z") }}',
			['eight'],
		],
		['relative to now', '={{ $now.minus({ years: 50 }) }}', '={{ $now.minus({ years: 49 }) }}', []],
		['left empty', '', '2026-01-31T08:00:00Z', ['a millisecond before eight']],
	])(
		'returns what was created at or after one date and before another: %s',
		async (_, createdAfter, createdBefore, expected) => {
			const { items } = await runOn(sandbox, getResponses('f1', { createdAfter, createdBefore }));

			expect(idsOf(items)).toEqual(expected);
		},
	);

	it.each([
		...['31st of nowhere', '2026-02-30', '01/02/2026', 'last week 3', '={{ "5" }}'],
		...['={{ 1769850000 }}', '={{ 20260131 }}', '={{ true }}', '={{ ["2026-01-31"] }}'],
		...['={{ $json.missing }}', '={{ null }}', '={{ new Date("x") }}'],
		...['={{ $now.diff($now.minus({ days: 1 })) }}', '={{ Duration.fromObject({ days: 7 }) }}'],
	])('refuses the date %j before any request, and names the field', async (value) => {
		for (const [option, name] of [
			['createdAfter', 'Created After'],
			['createdBefore', 'Created Before'],
		] as const) {
			await expectRefused(getResponses('f1', { [option]: value }), name);
		}
	});

	it.each(['={{ 1769846400000 }}', '={{ "1769846400000" }}', 'Sat, 31 Jan 2026 08:00:00 GMT'])(
		'reads the date %j, or refuses it, and never takes it for another',
		async (createdAfter) => {
			const { items, error } = await runOn(sandbox, getResponses('f1', { createdAfter }));

			if (error) expect(error.message).toContain('Created After');
			else expect(idsOf(items)).toEqual(['nine', 'eight', 'ten with an offset', 'summer']);
		},
	);

	it('reads bounds, order and limit of each item', async () => {
		const options = { createdAfter: '={{ $json.after }}', sort: '={{ $json.sort }}' };
		const input = [
			{ after: '2026-01-31T08:00:00Z', sort: 'newestFirst', limit: 2 },
			{ after: '2026-01-31T09:00:00Z', sort: 'oldestFirst', limit: 9 },
			{ after: '', sort: 'asReceived', limit: 3 },
		];
		const { items } = await runOn(sandbox, getResponses('f1', options, '={{ $json.limit }}'), {
			input,
		});

		expect(pairsOf(items)).toEqual([
			['summer', 0],
			['ten with an offset', 0],
			['nine', 1],
			['ten with an offset', 1],
			['summer', 1],
			['nine', 2],
			['nothing', 2],
			['eight', 2],
		]);
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});

	it.each([
		[
			'newestFirst',
			['summer', 'ten with an offset', 'nine', 'eight', 'a millisecond before eight'],
		],
		[
			'oldestFirst',
			['a millisecond before eight', 'eight', 'nine', 'ten with an offset', 'summer'],
		],
	])('sorts by time, what has no time last: %s', async (sort, dated) => {
		const { items } = await runOn(sandbox, getResponses('f1', { sort }));

		expect(idsOf(items)).toEqual([...dated, 'nothing', 'malformed']);
	});

	it('filters, then sorts, then limits, whatever the items of one request ask for', async () => {
		const day = (n: number) => `2026-03-${String(n + 1).padStart(2, '0')}T00:00:00Z`;
		const days = 20;
		const response = fc.record({ day: fc.nat({ max: days }), q: fc.constantFrom('x', 'Xy', 'z') });
		const query = fc.record({
			after: fc.nat({ max: days }),
			before: fc.nat({ max: days }),
			condition: fc.constantFrom('equals', 'notEquals', 'contains', 'notContains'),
			value: fc.constantFrom('x', 'Y', 'z'),
			sort: fc.constantFrom('newestFirst', 'oldestFirst', 'asReceived'),
			limit: fc.integer({ min: 1, max: 10 }),
		});
		const holds = (q: string, { condition, value }: { condition: string; value: string }) => {
			const [text, wanted] = [q.toLowerCase(), value.toLowerCase()];
			const found = /equals$/i.test(condition) ? text === wanted : text.includes(wanted);
			return found !== condition.startsWith('not');
		};
		const parameters = getResponses(
			'f1',
			{
				sort: '={{ $json.sort }}',
				createdAfter: '={{ $json.afterDate }}',
				createdBefore: '={{ $json.beforeDate }}',
				...filters({
					question: 'q',
					condition: '={{ $json.condition }}',
					value: '={{ $json.value }}',
				}),
			},
			'={{ $json.limit }}',
		);
		const records = fc.array(response, { maxLength: 40 });
		const queries = fc.array(query, { minLength: 1, maxLength: 12 });
		await fc.assert(
			fc.asyncProperty(records, queries, async (all, asked) => {
				const numbered = all.map((each, n) => ({ ...each, id: `r${n}` }));
				sandbox.responses.splice(
					0,
					Infinity,
					...numbered.map(({ id, q, day: n }) =>
						responseRecord('f1', id, { answers: { q }, created_at: day(n) }),
					),
				);
				const { items } = await runOn(sandbox, parameters, {
					input: asked.map((each) => ({
						...each,
						afterDate: day(each.after),
						beforeDate: day(each.before),
					})),
				});
				const expected = asked.flatMap((each, item) => {
					const direction = { newestFirst: -1, oldestFirst: 1, asReceived: 0 }[each.sort];
					return numbered
						.filter(({ day: n, q }) => n >= each.after && n < each.before && holds(q, each))
						.sort((a, b) => direction * (a.day - b.day))
						.slice(0, each.limit)
						.map(({ id }) => [id, item]);
				});
				expect(pairsOf(items)).toEqual(expected);
			}),
			{ numRuns: 40 },
		);
	});
});

describe('answer filters', () => {
	beforeEach(async () => {
		sandbox = await startSandbox({ forms: [formRecord('f1')], responses: [] });
	});

	it.each<[unknown, string, string, boolean]>([
		['Ada@Example.com', 'equals', 'ada@example.COM', true],
		['ada@example.com', 'equals', 'ada', false],
		[7, 'equals', '7', true],
		['x', 'notEquals', 'X', false],
		['x', 'notEquals', 'y', true],
		['Große Straße 7', 'contains', 'GROßE', true],
		['Sales', 'notContains', 'AL', false],
		['Sales', 'notContains', 'support', true],
		[['Sales', 'Support'], 'equals', 'support', true],
		[['Sales', 'Support'], 'equals', 'Sales, Support', false],
		[['Sales', 'Support'], 'notEquals', 'support', false],
		[['Sales', 'Support'], 'contains', 'upp', true],
		[['Sales', 'Support'], 'notContains', 'upp', false],
		['', 'isEmpty', '', true],
		[' \n', 'isEmpty', '', true],
		[[], 'isEmpty', '', true],
		[['', 'x'], 'isEmpty', '', false],
		['x', 'isNotEmpty', '', true],
		[null, 'isNotEmpty', '', false],
		[undefined, 'equals', 'undefined', false],
		[undefined, 'contains', 'e', false],
		[undefined, 'notEquals', 'x', true],
		[undefined, 'notContains', 'x', true],
		[undefined, 'isEmpty', '', true],
	])('of the answer %j: %s %j is %s', async (q, condition, value, expected) => {
		sandbox.responses.push(responseRecord('f1', 'r1', { answers: { q, other: 'e' } as never }));
		const options = filters({ question: 'q', condition, value });
		const { items, status } = await runOn(sandbox, getResponses('f1', options));

		expect([status, items.length]).toEqual(['success', expected ? 1 : 0]);
	});

	it('take a question that has the name of something in JavaScript for any other', async () => {
		sandbox.responses.push(responseRecord('f1', 'r1'));
		const options = filters({ question: 'constructor', condition: 'isEmpty' });

		expect((await runOn(sandbox, getResponses('f1', options))).items).toHaveLength(1);
	});

	it('must all hold, and are none where no filter was added', async () => {
		for (const [id, answers] of [
			['r1', { a: 'x', b: 'y' }],
			['r2', { a: 'x' }],
			['r3', { b: 'y' }],
		] as const) {
			sandbox.responses.push(responseRecord('f1', id, { answers }));
		}
		const both = filters(
			{ question: 'a', condition: 'equals', value: 'x' },
			{ question: 'b', condition: 'isNotEmpty' },
		);

		expect(idsOf((await runOn(sandbox, getResponses('f1', both))).items)).toEqual(['r1']);
		const { items } = await runOn(sandbox, getResponses('f1', { answerFilters: {} }));
		expect(items).toHaveLength(3);
	});

	it.each<[IDataObject, string]>([
		[{ condition: 'equals', value: 'x' }, 'Question'],
		[{ question: '={{ $json.missing }}', value: 'x' }, 'Question'],
		[{ question: '={{ ["a"] }}', value: 'x' }, 'Question'],
		[{ question: 'email', value: '={{ $json.missing }}' }, 'Value'],
		[{ question: 'email', value: '={{ {} }}' }, 'Value'],
		[{ question: 'email', condition: '={{ "like" }}', value: 'x' }, 'Condition'],
	])('are refused before any request: %j', async (filter, field) => {
		await expectRefused(getResponses('f1', filters(filter)), field);
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
					answers: { text: 'é😀"\\'.repeat(10), number: `n${index}` },
					// Not in order: 7 and the count have no common divisor.
					created_at: time((index * 7) % count),
				}),
			),
		});
	});

	const theTenth = filters({ question: 'number', condition: 'equals', value: 'N9' });
	it.each<[string, IDataObject, number, string[]]>([
		['the limit is reached', {}, 3, ['r0', 'r1', 'r2']],
		['the limit of matching responses is reached', theTenth, 1, ['r9']],
		['the response with the ID has come', { responseId: ' r9 ', sort: 'newestFirst' }, 1, ['r9']],
	])('is read only until %s', async (_, options, limit, expected) => {
		// In steps, because the network takes some megabytes ahead.
		sandbox.faults.add({ slowBodyMs: 2_000 });
		const { items } = await runOn(sandbox, getResponses('f1', options, limit));

		expect(idsOf(items)).toEqual(expected);
		expect((await abandoned(sandbox))?.sentBytes).toBeLessThan(1_000_000);
		expect(sandbox.log).toHaveLength(1);
	});

	it('is read in one request for items that want different parts of it', async () => {
		const { items } = await runOn(
			sandbox,
			getResponses('f1', { sort: '={{ $json.sort }}', createdBefore: '={{ $json.before }}' }, 3),
			{
				input: [
					{ sort: 'asReceived', before: '' },
					{ sort: 'newestFirst', before: time(1_234) },
					{ sort: 'oldestFirst', before: '' },
					{ sort: 'newestFirst', before: 'never' },
				],
				node: { onError: 'continueRegularOutput' },
			},
		);

		expect(items.slice(0, 9).map(({ json }) => json.created_at)).toEqual([
			...[time(0), time(7), time(14)],
			...[time(1_233), time(1_232), time(1_231)],
			...[time(0), time(1), time(2)],
		]);
		expect(items[9]).toMatchObject({
			json: { error: expect.stringContaining('Created Before') },
			pairedItem: { item: 3 },
		});
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});

	it('is returned once where the reply broke off and was read again', async () => {
		sandbox.faults.add({ times: 1, cut: 'body' });
		const { items } = await runOn(sandbox, getResponses('f1'));

		expect(items.map(({ json }) => json)).toEqual(sandbox.responses);
		expect(requestsTo(sandbox)).toHaveLength(2);
	});

	it('has the responses with the IDs that the items ask for, and none for another ID', async () => {
		const input = [{ id: 'r12' }, { id: 'r' }, { id: 'r9' }];
		const { items, status } = await runOn(
			sandbox,
			getResponses('f1', { responseId: '={{ $json.id }}' }),
			{ input },
		);

		expect(status).toBe('success');
		expect(pairsOf(items)).toEqual([
			['r12', 0],
			['r9', 2],
		]);
		expect(sandbox.log).toHaveLength(1);
	});

	it('is left at once when the execution is stopped', async () => {
		sandbox.faults.add({ slowBodyMs: 60_000 });
		const { status } = await runOn(sandbox, getResponses('f1'), {
			onStart: (stop) => setTimeout(stop, 500),
		});

		expect(status).toBe('canceled');
		await abandoned(sandbox);
		expect(sandbox.log).toHaveLength(1);
	});
});

describe('flattened answers', () => {
	const created_at = '2026-01-01T00:00:00.000Z';
	const rest = { form_id: 'f1', created_at };

	const flattened = (options: IDataObject = {}, limit?: number): INodeParameters => ({
		...getResponses('f1', options, limit),
		flattenAnswers: true,
	});

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

	it('stand before the other fields, multiple choice joined as each item says', async () => {
		const parameters = {
			...flattened({ joinMultipleWith: '={{ $json.join }}' }),
			flattenAnswers: '={{ $json.flat }}',
		};
		const input = [
			{ flat: true, join: '; ' },
			{ flat: 'true', join: '' },
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
		expect(Object.keys(items[1]!.json).slice(-3)).toEqual(['id', 'form_id', 'created_at']);
	});

	it('have a column for each question of what was read, in every row', async () => {
		const [first, second] = [
			await runOn(sandbox, flattened({}, 1)),
			await runOn(sandbox, flattened({ responseId: 'r2' }, 1)),
		];

		expect(first.items).toEqual(
			itemsOf([{ name: 'Ada', topics: 'Sales, Support', id: 'r1', ...rest }], 0),
		);
		expect(second.items.map(({ json }) => json)).toEqual([
			{ name: '', topics: '', answer_id: 'mine', answer_error: 'none', id: 'r2', ...rest },
		]);
	});

	it('have one name in all rows, also where only one record has a field of that name', async () => {
		const body = {
			responses: [
				{ id: 'r1', score: 1, answers: { score: 'a' } },
				{ id: 'r2', answers: { score: 'b' } },
			],
		};
		sandbox.faults.add({ body });
		const { items } = await runOn(sandbox, flattened(), { input: [{}, {}] });

		const rows = [
			{ answer_score: 'a', id: 'r1', score: 1 },
			{ answer_score: 'b', id: 'r2' },
		];
		expect(items).toEqual([...itemsOf(rows, 0), ...itemsOf(rows, 1)]);
	});

	it.each(['id', 'form_id', 'answers', 'created_at', 'pixel_fired', 'error'])(
		'have the same name for the question %s, whether or not the records have such a field',
		async (key) => {
			sandbox.faults.add({ body: { responses: [{ answers: { [key]: 'a' } }] } });
			const { items } = await runOn(sandbox, flattened());

			expect(items[0]?.json).toEqual({ [`answer_${key}`]: 'a' });
		},
	);

	it('lose no answer and no field where names collide', async () => {
		const answers = { id: 'a', created_at: 'b', score: 'c', answer_score: 'd', answers: 'e' };
		const record = { id: 'r1', created_at, score: 7, answer_id: 'of the record' };
		sandbox.faults.add({ body: { responses: [{ ...record, answers }] } });
		const { items } = await runOn(sandbox, flattened());

		expect(items[0]?.json).toMatchObject(record);
		expect(Object.values(items[0]!.json)).toEqual(
			expect.arrayContaining([...Object.values(answers), ...Object.values(record)]),
		);
	});

	it.each([
		[{ answers: { none: null, number: 7, yes: true } }, { none: null, number: 7, yes: true }],
		[{ answers: { mixed: ['x', { y: 1 }] } }, { mixed: ['x', { y: 1 }] }],
		[{ answers: null }, { answers: null }],
		[{ answers: 'text' }, { answers: 'text' }],
	])('leave what is no text and no list of texts as it is: %j', async (record, expected) => {
		sandbox.faults.add({ body: { responses: [{ id: 'r1', ...record }] } });
		const { items } = await runOn(sandbox, flattened());

		expect(items[0]?.json).toEqual({ id: 'r1', ...expected });
	});

	it('are not taken for a failed item by n8n', async () => {
		sandbox.faults.add({ body: '{"responses":[{"answers":{"error":"x"}}]}' });
		const node = { onError: 'continueErrorOutput' as const };
		const { items, failed } = await runOn(sandbox, flattened(), { node });

		expect(failed).toEqual([]);
		expect(items).toEqual(itemsOf([{ answer_error: 'x' }], 0));
	});
});

describe('by default', () => {
	beforeEach(async () => {
		sandbox = await startSandbox({
			forms: [formRecord('f1')],
			responses: [
				responseRecord('f1', 'old', { created_at: '2026-01-01T00:00:00.000Z' }),
				responseRecord('f1', 'new', { created_at: '2026-01-02T00:00:00.000Z' }),
			],
		});
	});

	it('the newest responses come first', async () => {
		const { items } = await runOn(sandbox, { operation: 'getResponses', formId: byId('f1') });

		expect(idsOf(items)).toEqual(['new', 'old']);
	});

	it('a filter ignores case and surrounding spaces', async () => {
		const options = filters({ question: 'name', condition: 'equals', value: ' NAME old ' });
		const { items } = await runOn(sandbox, getResponses('f1', options));

		expect(idsOf(items)).toEqual(['old']);
	});

	it('no form is read if one item is bad', async () => {
		const input = [{ form: 'f1' }, { form: '' }];
		const { error } = await runOn(sandbox, getResponses('={{ $json.form }}'), { input });

		expect(factsOf(error).itemIndex).toBe(1);
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('a question named message keeps its name in a table', async () => {
		sandbox.faults.add({ body: '{"responses":[{"id":"r1","answers":{"message":"Hello"}}]}' });
		const { items } = await runOn(sandbox, { ...getResponses('f1'), flattenAnswers: true });

		expect(items[0]?.json).toEqual({ message: 'Hello', id: 'r1' });
	});
});
