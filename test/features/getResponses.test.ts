import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Sandbox, SandboxResponse } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool } from '../support/engine';
import {
	abandoned,
	byId,
	credentialsOf,
	formRecord,
	fromList,
	hintsOf,
	itemsOf,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';

/** What single values, filters, dates and rows of a table come to is in test/unit. */

const odd = 'a/b?c=d&e=f #%41 ü';
let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: ['f1', 'f2', 'f3', '7', odd].map((id) => formRecord(id)),
		responses: [
			responseRecord('f1', 'nine', { created_at: '2026-01-31T09:00:00.000Z' }),
			{ id: 'never', form_id: 'f1', answers: { topics: ['a', 'b'] } } as never,
			responseRecord('f1', 'eight', { created_at: '2026-01-31T08:00:00Z' }),
			responseRecord('f1', 'summer', { created_at: '2026-06-30T22:00:00Z' }),
			...['f2', '7', odd].map((form) => responseRecord(form, `${form}-1`)),
		],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

/** In the order received, unless an option says otherwise; every response, unless there is a limit. */
const read = (formId: string, options: IDataObject = {}, limit?: number | string) =>
	({
		operation: 'getResponses',
		formId: byId(formId),
		returnAll: limit === undefined,
		limit,
		options: { sort: 'asReceived', ...options },
	}) as INodeParameters;

const byForm = (options: IDataObject = {}, limit?: number | string) =>
	read('={{ $json.form ?? "f1" }}', options, limit);

const where = (question: string, condition = 'equals', value = 'Name nine') => ({
	answerFilters: { filter: [{ question, condition, value }] },
});

const idsOf = (items: INodeExecutionData[]) => items.map(({ json }) => json.id);

/** The ID of each response, and the item it belongs to */
const pairsOf = (items: INodeExecutionData[]) =>
	items.map(({ json, pairedItem }) => [json.id, (pairedItem as { item: number }).item]);

it('returns the 50 newest responses by default', async () => {
	const created = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();
	const all = Array.from({ length: 60 }, (_, n) =>
		responseRecord('f2', `${n}`, { created_at: created(n) }),
	);
	sandbox.responses.push(...all);
	const { items } = await runOn(sandbox, { operation: 'getResponses', formId: byId('f2') });

	expect(items).toEqual(itemsOf(all.reverse().slice(0, 50), 0));
});

describe('the form', () => {
	it.each<[string, INodeParameters['formId'], string]>([
		['is picked from the list', fromList('f2'), 'f2'],
		['may have an ID with any character', byId(odd), odd],
		['may have a number as ID', byId('={{ 7 }}'), '7'],
		['may have spaces around its ID', byId(' f2\n'), 'f2'],
	])('%s', async (_, formId, id) => {
		const { items } = await runOn(sandbox, { ...read(''), formId });

		expect(idsOf(items)).toEqual([`${id}-1`]);
		expect(requestsTo(sandbox)).toEqual([`GET /responses ${id}`]);
	});

	it.each([
		['the title that was picked', fromList('gone'), 'Shown on the canvas'],
		['its ID, if it was not picked', { ...fromList('gone'), mode: 'id' }, 'gone'],
		['its ID, also if n8n has a message for this word', byId('ECONNREFUSED'), 'ECONNREFUSED'],
	])('is called in errors by %s', async (_, formId, name) => {
		const { error } = await runOn(sandbox, { ...read(''), formId });

		expect(error?.message).toMatch(`Form "${name}" was not found`);
	});

	it('is read once, however many items ask for it, and again in the next execution', async () => {
		const input = Array.from({ length: 9 }, (_, i) => ({ form: ['f2', '7', 'f3'][i % 3] }));
		const { items } = await runOn(sandbox, byForm(), { input });

		const found = [0, 1, 3, 4, 6, 7].map((item) => [`${input[item]!.form}-1`, item]);
		expect(pairsOf(items)).toEqual(found);
		const once = ['f2', '7', 'f3'].map((form) => `GET /responses ${form}`);
		expect(requestsTo(sandbox)).toEqual(once);
		sandbox.responses.length = 0;
		expect((await runOn(sandbox, read('f2'))).items).toEqual([]);
		expect(requestsTo(sandbox)).toEqual([...once, 'GET /responses f2']);
	});

	it('gives each input item objects of its own', async () => {
		const body = '{"responses":[{"answers":{"a":["b",{"c":["d"]}],"e":null}}]}';
		sandbox.faults.add({ body });
		const { items } = await runOn(sandbox, read('f1'), { input: [{}, {}, {}] });
		const [, second, third] = items.map(({ json }) => json as { answers: { a: unknown[] } });
		(second!.answers.a[1] as { c: string[] }).c.push('changed');
		second!.answers.a.push('changed');

		for (const record of [items[0]!.json, third])
			expect({ responses: [record] }).toEqual(JSON.parse(body));
	});
});

// The zone of the workflow is Europe/Berlin.
it.each([
	['2026-01-31T09:00:00', '2026-01-31 10:00', ['eight']],
	['={{ DateTime.fromISO("2026-05-01") }}', '', ['summer']],
	['', '={{ new Date("2026-01-31T09:00:00Z") }}', ['eight']],
])('returns what was created at %j or later, and before %j', async (after, before, expected) => {
	const options = { createdAfter: after, createdBefore: before };
	const { items } = await runOn(sandbox, read('f1', options));

	expect(idsOf(items)).toEqual(expected);
});

it('filters, then sorts, then limits, whatever the items of one request ask for', async () => {
	const day = (n: number) => new Date(Date.UTC(2026, 2, n)).toISOString();
	const nat = fc.nat({ max: 20 });
	const answer = fc.constantFrom('x', 'y');
	const query = fc.record({
		after: fc.nat({ max: 9 }).map(day),
		before: fc.nat({ max: 20 }).map(day),
		q: answer,
		sort: fc.constantFrom('newestFirst', 'oldestFirst', 'asReceived'),
		limit: fc.integer({ min: 1, max: 3 }),
	});
	const options = {
		sort: '={{ $json.sort }}',
		createdAfter: '={{ $json.after }}',
		createdBefore: '={{ $json.before }}',
		...where('q', 'equals', '={{ $json.q }}'),
	};
	const records = fc.array(fc.record({ at: nat.map(day), q: answer }), {
		minLength: 10,
		maxLength: 40,
	});
	const queries = fc.array(query, { minLength: 1, maxLength: 4 });
	await fc.assert(
		fc.asyncProperty(records, queries, async (all, input) => {
			sandbox.reset();
			const responses = all.map(({ at, q }, i) =>
				responseRecord('f3', `r${i}`, { answers: { q }, created_at: at }),
			);
			sandbox.responses.push(...responses);
			const parameters = read('f3', options, '={{ $json.limit }}');
			const { items } = await runOn(sandbox, parameters, { input });

			const expected = input.flatMap(({ after, before, q, sort, limit }, item) => {
				const direction = { newestFirst: -1, oldestFirst: 1, asReceived: 0 }[sort];
				const found = responses
					.filter(({ created_at: at, answers }) => at >= after && at < before && answers.q === q)
					.sort((a, b) => direction * (Date.parse(a.created_at) - Date.parse(b.created_at)));
				return itemsOf(found.slice(0, limit), item);
			});
			expect(items).toEqual(expected);
			expect(sandbox.log).toHaveLength(1);
		}),
		{ numRuns: 40, seed: 1 },
	);
});

describe('the download', () => {
	beforeEach(() => {
		const text = 'é😀"\\'.repeat(10);
		const many = Array.from({ length: 20_000 }, (_, i) =>
			responseRecord('f3', `r${i}`, { answers: { text, name: `Name r${i}` } }),
		);
		sandbox.responses.push(...(many as SandboxResponse[]));
	});

	it.each<[string, IDataObject, number, string[]]>([
		['the limit is reached', {}, 3, ['r0', 'r1', 'r2']],
		['so many responses match', where('name', 'equals', 'name R9'), 1, ['r9']],
		['the response with the ID has come', { responseId: ' r9 ', sort: 'newestFirst' }, 1, ['r9']],
	])('ends as soon as %s', async (_, options, limit, expected) => {
		// In steps, because the network takes some megabytes ahead.
		sandbox.faults.add({ slowBodyMs: 2_000 });
		const { items } = await runOn(sandbox, read('f3', options, limit));

		expect(idsOf(items)).toEqual(expected);
		expect((await abandoned(sandbox))?.sentBytes).toBeLessThan(1_000_000);
		expect(sandbox.log).toHaveLength(1);
	});

	it('ends when the execution is stopped', async () => {
		sandbox.faults.add({ slowBodyMs: 60_000 });
		const onStart = (stop: () => void) => void setTimeout(stop, 300);
		const { status } = await runOn(sandbox, read('f3'), { onStart });

		expect(status).toBe('canceled');
		await abandoned(sandbox);
		expect(sandbox.log).toHaveLength(1);
	});
});

describe('flattened answers', () => {
	const created_at = '2026-01-31T08:00:00Z';
	const flattened = (options: IDataObject = {}, limit?: number): INodeParameters => ({
		...read('f1', options, limit),
		flattenAnswers: '={{ $json.flat ?? true }}',
	});

	it('stand before the other fields, multiple choice joined as each item says', async () => {
		const input = [{ join: '; ' }, { join: '' }, { flat: false, join: '' }];
		const options = {
			joinMultipleWith: '={{ $json.join }}',
			createdAfter: '',
			responseId: 'never',
		};
		const { items } = await runOn(sandbox, flattened(options), { input });
		const [never] = sandbox.responses.filter(({ id }) => id === 'never');
		const rows = ['a; b', ['a', 'b']].map((topics) => ({
			name: '',
			topics,
			id: 'never',
			form_id: 'f1',
		}));

		expect(items).toEqual([...rows, never].flatMap((row, item) => itemsOf([row!], item)));
		expect(Object.keys(items[0]!.json)).toEqual(['name', 'topics', 'id', 'form_id']);
	});

	it('have a column for each question of what was read', async () => {
		const [first, second] = [
			await runOn(sandbox, flattened({}, 1)),
			await runOn(sandbox, flattened(where('name', 'contains', 'eight'))),
		];

		const nine = { name: 'Name nine', id: 'nine', form_id: 'f1' };
		expect(first.items.map(({ json }) => json)).toEqual([
			{ ...nine, created_at: '2026-01-31T09:00:00.000Z' },
		]);
		expect(second.items.map(({ json }) => json)).toEqual([
			{ name: 'Name eight', topics: '', id: 'eight', form_id: 'f1', created_at },
		]);
	});
});

describe('hints', () => {
	const hintsAfter = async (parameters: INodeParameters, input?: IDataObject[]) => {
		const node = { onError: 'continueRegularOutput' as const };
		return (await hintsOf(sandbox, parameters, { input, node }))?.map(({ message }) => message);
	};
	const like = (patterns: RegExp[]) =>
		patterns.map((pattern) => expect.stringMatching(pattern) as string);

	const two = [{ form: 'f1' }, { form: 'f2' }];
	const limit = '={{ 1 }}';
	const byQuestion = byForm(where('={{ $json.q }}'));
	const asking = (...questions: string[]) => questions.map((q) => ({ q }));
	it.each<[string, INodeParameters, IDataObject[], RegExp[]]>([
		['nothing of all responses', byForm(), [{}], []],
		['nothing of as many as the limit', byForm({ sort: 'newestFirst' }, 4), [{}], []],
		['nothing of what the filters match', byForm(where('name')), [{}], []],
		['nothing of the response with the ID', byForm({ responseId: 'nine' }, 1), [{}], []],
		['nothing of items that share nothing', byForm(), two, []],
		['what the limit left out', byForm({ sort: 'oldestFirst' }, limit), [{}], [/oldest 1 of 4/]],
		['that the limit ended the list', byForm({}, limit), [{}], [/first 1 .*Limit/]],
		['the limit beside an item that failed', byForm({}, 1), [{}, { form: 'x' }], [/Limit/]],
		['that all items shared a request', byForm(), [{}, {}, {}], [/^3 items .*1 request: /]],
		['no advice if they differ', byQuestion, asking('name', 'topics'), [/^2 items .*1 request$/]],
		['that some items did', byForm(), [...two, {}], [/^3 items .*2 requests$/]],
		['what no response answers', byForm(where('emial', 'isEmpty')), [{}], [/"emial"/]],
		['nothing of it without responses', byForm(where('emial')), [{ form: 'f3' }], []],
		[
			'nothing of what another form is asked for',
			byForm(where('={{ $json.q }}')),
			[
				{ form: 'f1', q: 'topics' },
				{ form: 'f2', q: 'name' },
			],
			[],
		],
		['nothing of what was not read', byForm(where('topics', 'isEmpty'), 1), [{}], [/Limit/]],
		[
			'each such question once, and no HTML',
			byQuestion,
			asking('<b>&', 'name', '<b>&', 'toString'),
			[/^4 items/, /"&#60;b&#62;&#38;", "toString"/],
		],
		[
			'as many as fit',
			byQuestion,
			asking('a'.repeat(20), 'b'.repeat(20), 'c'.repeat(20)),
			[/^3 items/, /"a{20}", "b{20} and 1 more"/],
		],
		['no more than fits of one', byForm(where('a'.repeat(60))), [{}], [/"a{50}"/]],
	])('say %s', async (_, parameters, input, expected) => {
		expect(await hintsAfter(parameters, input)).toEqual(like(expected));
	});

	const link = (rel: string) => ({ Link: `<https://forms.example.com/api?page=2>; rel="${rel}"` });
	it.each<[string, object, number, Record<string, string>?]>([
		['a next member', { next: 'https://forms.example.com/api/responses?page=2' }, 1],
		['a cursor', { meta: { nextCursor: 'abc' } }, 1],
		['a page token', { next_pageToken: 'abc' }, 1],
		['has_more', { has_more: true }, 1],
		['hasMore', { hasMore: true }, 1],
		['a total above the count', { total: 3 }, 1],
		['a totalCount above the count', { totalCount: 3 }, 1],
		['members that say that this is all', { next: null, has_more: false, total_count: 2 }, 0],
		['members that are no more of them', { nextSteps: 'x', hasMoreFun: 1, totalled: 9 }, 0],
		['members that end like them', { unnext: 'x', ahas_more: true, subtotal: 9 }, 0],
		['a Link header with rel="next"', {}, 1, link('next')],
		['a Link header without spaces or quotes', {}, 1, { Link: '</?page=2>;rel=next' }],
		['a Link header with rel="prev"', {}, 0, link('prev')],
	])('say that a list may be a part after %s', async (_, members, count, headers = {}) => {
		const responses = [responseRecord('f1', 'r1'), responseRecord('f1', 'r2')];
		sandbox.faults.add({ body: { responses, ...members }, headers });

		expect(await hintsAfter(read('f1'))).toEqual(like(Array(count).fill(/part/)));
	});

	it('say it where one of several lists may be a part', async () => {
		sandbox.faults.add({ body: { responses: [], has_more: true }, times: 1 });

		expect(await hintsAfter(byForm(), two)).toEqual(like([/part/]));
	});

	it('are one more output item for an AI tool', async () => {
		const node = { type: 'n8n-nodes-form-collection.formCollectionTool' };
		for (const [parameters, hint] of [
			[read('f1', { sort: 'newestFirst' }, 1), /newest 1 of 4/],
			[read('f1', where('emial')), /"emial"/],
			[read('f1'), undefined],
		] as const) {
			const { items, run } = await runOn(sandbox, parameters, { node });
			const plain = (await runOn(sandbox, parameters)).items.map(({ json }) => json);
			const call = asTool({ parameters, credentials: credentialsOf(sandbox) });

			const expected = hint ? [...plain, { hint: expect.stringMatching(hint) }] : plain;
			expect(items.map(({ json }) => json)).toEqual(expected);
			expect(items.at(-1)?.pairedItem).toEqual(hint ? [{ item: 0 }] : { item: 0 });
			expect(JSON.parse(String(await call({})))).toEqual(expected);
			expect(run.data.resultData.runData['Form Collection']?.[0]?.hints ?? []).toEqual([]);
		}
	});
});
