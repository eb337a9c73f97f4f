import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool } from '../support/engine';
import {
	byId,
	credentialsOf,
	formRecord,
	hintsOf,
	responseRecord,
	runOn,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2'), formRecord('f3')],
		responses: [
			...Array.from({ length: 60 }, (_, i) => responseRecord('f1', `r${i}`)),
			responseRecord('f2', 'x', { answers: { phone: '1' } }),
		],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const hintsAfter = async (
	parameters: INodeParameters,
	input?: IDataObject[],
	node?: Partial<INode>,
) => (await hintsOf(sandbox, parameters, { input, node }))?.map(({ message }) => message);

/** In the order received, unless an option says otherwise; every response, unless there is a limit. */
const read = (options: IDataObject = {}, limit?: number | string) =>
	({
		operation: 'getResponses',
		formId: byId('={{ $json.form ?? "f1" }}'),
		returnAll: limit === undefined,
		limit,
		options: { sort: 'asReceived', ...options },
	}) as INodeParameters;

const forms = (limit?: number | string) =>
	({ operation: 'getForms', returnAll: limit === undefined, limit }) as INodeParameters;

const where = (question: string, condition = 'equals', value = 'Name r1') => ({
	answerFilters: { filter: [{ question, condition, value }] },
});

const questions = { operation: 'getQuestions', formId: byId('={{ $json.form ?? "f1" }}') };

const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;

it.each<[string, INodeParameters]>([
	['all responses', read()],
	['as many responses as the limit', read({ sort: 'newestFirst' }, 60)],
	['what the filters match', read(where('name'))],
	['the response with the ID', read({ responseId: 'r7' }, 60)],
	['all forms', forms()],
	['the questions', questions],
])('there is none after reading %s', async (_, parameters) => {
	expect(await hintsAfter(parameters)).toEqual([]);
});

const two = [{ form: 'f1' }, { form: 'f2' }];
it.each<[string, INodeParameters, IDataObject[], RegExp]>([
	['sorted responses, and how many', read({ sort: 'oldestFirst' }, '={{ 50 }}'), [{}], /50.*60/],
	['responses as they were received', read({}, '={{ 50 }}'), [{}], /Limit/],
	['responses for one of several items, of which n8n says nothing', read({}, 50), two, /Limit/],
	['forms, and how many', forms('={{ 2 }}'), [{}], /2.*3/],
])('one says that the limit left out %s', async (_, parameters, input, pattern) => {
	expect(await hintsAfter(parameters, input)).toEqual([matching(pattern)]);
});

it('one says that the limit left something out where another item failed', async () => {
	const input = [{ form: 'f1' }, { form: 'nowhere' }];
	const node = { onError: 'continueRegularOutput' as const };

	expect(await hintsAfter(read({}, 50), input, node)).toEqual([matching(/Limit/)]);
});

it.each<[string, INodeParameters, IDataObject[], RegExp[]]>([
	['each response appears three times', read(), [{}, {}, {}], [/^3 items/]],
	['each form appears three times', forms(), [{}, {}, {}], [/^3 items/]],
	['each question appears three times', questions, [{}, {}, {}], [/^3 items/]],
	['some of the items', read(), [{}, { form: 'f2' }, {}], [/^(2|3) items/]],
	['no two of the items', read(), two, []],
])('one says that items shared a request: %s', async (_, parameters, input, expected) => {
	expect(await hintsAfter(parameters, input)).toEqual(expected.map(matching));
});

describe('a filter on a question that no response answers', () => {
	it.each(['equals', 'notEquals', 'isEmpty'])('is named (%s)', async (condition) => {
		expect(await hintsAfter(read(where('emial', condition)))).toContainEqual(matching(/"emial"/));
	});

	it('is named for each such question once', async () => {
		const input = ['emial', 'toString', 'name', 'emial'].map((question) => ({ question }));
		const hints = await hintsAfter(read(where('={{ $json.question }}')), input);

		expect(hints).toContainEqual(matching(/"emial", "toString"/));
		expect(JSON.stringify(hints)).not.toContain('"name"');
	});

	it.each<[string, INodeParameters, IDataObject[]]>([
		['the form has no responses', read(where('emial')), [{ form: 'f3' }]],
		['the limit ended the download', read(where('emial', 'isEmpty'), '={{ 2 }}'), [{}]],
	])('is not named where %s', async (_, parameters, input) => {
		expect(JSON.stringify(await hintsAfter(parameters, input))).not.toMatch(/phone|emial/);
	});
});

describe('one says that the service may have sent only a part', () => {
	const responses = [responseRecord('f1', 'r1'), responseRecord('f1', 'r2')];

	it.each<[string, object, number]>([
		['a next member', { next: 'https://forms.example.com/api/responses?page=2' }, 1],
		['a cursor', { next_cursor: 'abc' }, 1],
		['has_more', { has_more: true }, 1],
		['a total above the count', { total: 3 }, 1],
		['members that say that this is all', { next: null, has_more: false, total: 2 }, 0],
	])('after %s, before or behind the list', async (_, members, count) => {
		for (const body of [
			{ ...members, responses },
			{ responses, ...members },
		]) {
			sandbox.reset();
			sandbox.faults.add({ body });
			expect(await hintsAfter(read())).toHaveLength(count);
		}
	});

	it.each([
		['next', 1],
		['prev', 0],
	])('after a Link header with rel="%s"', async (rel, count) => {
		const Link = `<https://forms.example.com/api/responses?page=2>; rel="${rel}"`;
		sandbox.faults.add({ body: { responses }, headers: { Link } });

		expect(await hintsAfter(read())).toHaveLength(count);
	});

	it.each<[string, INodeParameters, object]>([
		['forms', forms(), { forms: [], has_more: true }],
		['questions', questions, { responses: [], has_more: true }],
		['no response', read(), { responses: [], has_more: true }],
		['no response with the ID', read({ responseId: 'zz' }), { responses, has_more: true }],
		['no matching response', read(where('name', 'equals', 'x')), { responses, has_more: true }],
	])('and says nothing else, where it sent %s', async (_, parameters, body) => {
		sandbox.faults.add({ body });

		expect(await hintsAfter(parameters)).toHaveLength(1);
	});
});

/** What the model gets, whichever way n8n runs the tool. */
async function readAsTool(parameters: INodeParameters) {
	const node = { type: 'n8n-nodes-form-collection.formCollectionTool' };
	const { items, error, run } = await runOn(sandbox, parameters, { node });
	const call = asTool({ parameters, credentials: credentialsOf(sandbox) });
	const reply = await call({}).then(
		(text) => JSON.parse(String(text)) as IDataObject[],
		({ message }: Error) => message,
	);
	const replied = error?.message ?? items.map(({ json }) => json);
	expect(reply).toEqual(replied);
	expect(run.data.resultData.runData['Form Collection']?.[0]?.hints ?? []).toEqual([]);
	return replied;
}

describe('as an AI tool, one more output item says it', () => {
	const responses = (...ids: string[]) => ids.map((id) => responseRecord('f1', id));
	const hint = (pattern: RegExp) => ({ hint: matching(pattern) });

	it('but not where there is nothing to say', async () => {
		expect(await readAsTool(read())).toHaveLength(60);
		expect(await readAsTool(read(where('name')))).toEqual(responses('r1'));
		expect(await readAsTool(read({ responseId: 'r1' }))).toEqual(responses('r1'));
	});

	it('after what the limit left, also where n8n tells people of it', async () => {
		expect(await readAsTool(read({ sort: 'newestFirst' }, 2))).toEqual([
			...responses('r0', 'r1'),
			hint(/2.*60/),
		]);
		expect(await readAsTool(read({}, 1))).toEqual([...responses('r0'), hint(/Limit/)]);
		expect(await readAsTool(forms(2))).toEqual([...sandbox.forms.slice(0, 2), hint(/2.*3/)]);
	});

	it('after a list that may be incomplete', async () => {
		sandbox.faults.add({ body: { responses: responses('r1'), has_more: true } });

		expect(await readAsTool(read())).toEqual([...responses('r1'), hint(/./)]);
	});

	it('in place of matches that an incomplete list has not', async () => {
		sandbox.faults.add({ body: { responses: responses('r1'), has_more: true } });

		expect(await readAsTool(read(where('phone')))).toEqual([hint(/./)]);
	});
});

it('a tool is told of a filter on a question that no response answers', async () => {
	expect(await readAsTool(read(where('emial')))).toEqual([{ hint: matching(/"emial"/) }]);
});
