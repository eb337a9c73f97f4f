import { ExecuteContext } from 'n8n-core';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { byId, formRecord, hintsOf, inOutput, responseRecord } from '../support/formCollection';

describe('hints beside the output', () => {
	let service: Sandbox;

	beforeAll(async () => {
		service = await startSandbox({
			forms: [formRecord('f1'), formRecord('f2'), formRecord('f3')],
			responses: [
				...Array.from({ length: 1240 }, (_, i) => responseRecord('f1', `r${i}`)),
				responseRecord('f2', 'x', { answers: { n: 'taken' } }),
			],
		});
	});
	beforeEach(() => service.reset());
	afterAll(async () => await service.stop());

	const hintsAfter = async (
		parameters: INodeParameters,
		input?: IDataObject[],
		node?: Partial<INode>,
	) => await hintsOf(service, parameters, { input, node });
	const read = (limit: number | string | undefined, options: IDataObject = {}) =>
		({
			operation: 'getResponses',
			formId: byId('={{ $json.form ?? "f1" }}'),
			returnAll: limit === undefined,
			limit,
			options,
		}) as INodeParameters;
	const cutShort = read('={{ 50 }}', { sort: 'oldestFirst' });
	const raise = 'raise Limit or turn on Return All';
	const once = 'to get it once, turn on Execute Once in the settings of this node';

	it('say nothing where there is nothing to say', async () => {
		expect(await hintsAfter(read(undefined))).toEqual([]);
		expect(await hintsAfter(read(1241))).toEqual([]);
		expect(await hintsAfter(read(1240, { sort: 'newestFirst' }))).toEqual([]);
		expect(await hintsAfter({ operation: 'getForms', returnAll: true })).toEqual([]);
	});

	it('say that the limit left something out, and how much if that is known, unless n8n does', async () => {
		expect(await hintsAfter(read(50))).toEqual([]);
		// n8n: "Limit of 50 items reached"
		expect(await hintsAfter(read(50, { sort: 'oldestFirst' }))).toEqual([]);
		expect(await hintsAfter(cutShort)).toEqual([
			inOutput(`Returned 50 of 1,240 responses: ${raise}`),
		]);
		const mayBeMore = [inOutput(`There may be more responses than returned: ${raise}`)];
		expect(await hintsAfter(read('={{ 50 }}'))).toEqual(mayBeMore);
		expect(await hintsAfter(read('1'))).toEqual(mayBeMore);
		// n8n sees 51 items
		const twoForms = [{ form: 'f1' }, { form: 'f2' }];
		expect(await hintsAfter(read(50), twoForms)).toEqual(mayBeMore);
		expect(await hintsAfter(read(50, { sort: 'newestFirst' }), twoForms)).toEqual([
			inOutput(`Returned 50 of 1,240 responses: ${raise}`),
		]);
	});

	it('say that the limit left out forms', async () => {
		const forms = (limit: number | string) => ({ operation: 'getForms', limit });
		expect(await hintsAfter(forms(2))).toEqual([]);
		expect(await hintsAfter(forms('={{ 3 }}'))).toEqual([]);
		expect(await hintsAfter(forms('={{ 2 }}'))).toEqual([
			inOutput(`Returned 2 of 3 forms: ${raise}`),
		]);
		expect(await hintsAfter(forms(2), [{}, {}])).toEqual([
			inOutput(`2 items shared one request, so each form appears twice: ${once}`),
			inOutput(`For 2 items there may be more forms than returned: ${raise}`),
		]);
	});

	it('say that no response matches', async () => {
		const filter = [{ question: 'name', condition: 'equals', value: '={{ $json.name ?? "Ada" }}' }];
		const filtered = read(undefined, { answerFilters: { filter } });
		const filters = 'Answer Filters, Created After, or Created Before';
		expect(await hintsAfter(filtered, [{ form: 'f3' }])).toEqual([
			inOutput('The form has no responses yet'),
		]);
		const twoForms = [{ form: 'f3' }, { form: 'f3' }, { form: 'f1' }];
		expect(await hintsAfter(filtered, twoForms)).toEqual([
			inOutput('For 2 items the form has no responses yet'),
			inOutput(`None of the responses (1,240) matches ${filters}`),
		]);
		expect(await hintsAfter(filtered)).toEqual([
			inOutput(`None of the responses (1,240) matches ${filters}`),
		]);
		expect(await hintsAfter(filtered, [{}, { name: 'Lin' }, { name: 'Name r7' }])).toContainEqual(
			inOutput(`For 2 items no response matches ${filters}`),
		);
		const late = { answerFilters: { filter: [{ question: 'gone', condition: 'isEmpty' }] } };
		expect(await hintsAfter(read(undefined, { ...late, createdAfter: '2100-01-01' }))).toEqual([
			inOutput(
				'None of the responses that were read has an answer to "gone": check the question in Answer Filters',
			),
			inOutput(`None of the responses (1,240) matches ${filters}`),
		]);
	});

	it('say nothing of a question that another form has', async () => {
		const filter = [{ question: 'n', condition: 'equals', value: 'taken' }];
		const hints = await hintsAfter(read(undefined, { answerFilters: { filter } }), [
			{ form: 'f1' },
			{ form: 'f2' },
		]);
		expect(JSON.stringify(hints)).not.toContain('has an answer to');
	});

	it('say that the limit left something out where other items failed', async () => {
		const input = [{ form: 'f1' }, { form: 'nowhere' }];
		expect(await hintsAfter(read(50), input, { onError: 'continueRegularOutput' })).toEqual([
			inOutput(`There may be more responses than returned: ${raise}`),
		]);
	});

	it('say why there is no output', async () => {
		const byResponseId = read(1240, { responseId: '={{ $json.id }}' });
		expect(await hintsAfter(byResponseId, [{ id: 'r7' }])).toEqual([]);
		expect(await hintsAfter(byResponseId, [{ id: 'gone' }])).toEqual([
			inOutput('The form has no response with this Response ID'),
		]);
		expect(await hintsAfter(byResponseId, [{ id: 'r7' }, { id: 'a' }, { id: 'b' }])).toContainEqual(
			inOutput('For 2 items the form has no response with their Response ID'),
		);
		const filtered = read(undefined, {
			responseId: '={{ $json.id }}',
			createdAfter: '={{ $json.after }}',
		});
		const byAnswer = read(undefined, {
			responseId: 'r7',
			answerFilters: { filter: [{ question: 'name', condition: 'equals', value: 'Name r8' }] },
		});
		const why = 'does not match Answer Filters, Created After, or Created Before';
		const leftOut = [inOutput(`The response with this Response ID ${why}`)];
		expect(await hintsAfter(filtered, [{ id: 'r7', after: '2026-06-01' }])).toEqual(leftOut);
		expect(await hintsAfter(byAnswer)).toEqual(leftOut);
		const two = ['r7', 'r8'].map((id) => ({ id, after: '2026-06-01' }));
		expect(await hintsAfter(filtered, [...two, { id: 'gone', after: '' }])).toEqual([
			inOutput('The form has no response with this Response ID'),
			inOutput(`For 2 items the response with their Response ID ${why}`),
		]);
		const questions = (form: string) => ({ operation: 'getQuestions', formId: byId(form) });
		const unknown = 'the form has no answers yet, so its questions are not known';
		expect(await hintsAfter(questions('f1'))).toEqual([]);
		expect(await hintsAfter(questions('f3'))).toEqual([
			inOutput('The form has no answers yet, so its questions are not known'),
		]);
		expect(await hintsAfter(questions('f3'), [{}, {}])).toEqual([
			inOutput(`For 2 items ${unknown}`),
		]);
	});

	it.each(['equals', 'isEmpty', 'isNotEmpty', 'notContains', 'notEquals'])(
		'say that no response answers the question of a filter (%s)',
		async (condition) => {
			const filtered = (limit?: number) => {
				const filter = [{ question: '={{ $json.question ?? "name" }}', condition, value: 'a' }];
				return read(limit, { answerFilters: { filter } });
			};
			const none = (questions: string) =>
				inOutput(
					`None of the responses that were read has an answer to ${questions}: check the question in Answer Filters`,
				);
			expect(JSON.stringify(await hintsAfter(filtered()))).not.toContain('has an answer to');
			expect(await hintsAfter(filtered(), [{ form: 'f3', question: 'emial' }])).toEqual([
				inOutput('The form has no responses yet'),
			]);
			expect(await hintsAfter(filtered(), [{ question: 'emial' }])).toContainEqual(none('"emial"'));
			const hints = await hintsAfter(filtered(2), [{ question: 'toString' }]);
			// These find two responses at once, and a later one may have an answer.
			if (!['equals', 'isNotEmpty'].includes(condition))
				expect(JSON.stringify(hints)).not.toContain('has an answer to');
			else expect(hints).toContainEqual(none('"toString"'));
			const several = [
				{ question: 'emial' },
				{ question: 'R&D <lab>' },
				{ form: 'f2', question: 'emial' },
				{ question: 'name' },
			];
			expect(await hintsAfter(filtered(), several)).toContainEqual(
				none('"emial", "R&amp;D &lt;lab&gt;"'),
			);
		},
	);

	it('do not doubt the question of a filter that found responses before all were read', async () => {
		const byQuestion = (condition: string) => ({
			answerFilters: { filter: [{ question: '={{ $json.question }}', condition, value: 'a' }] },
		});
		const limited = (options: IDataObject) => read('={{ $json.limit ?? 3 }}', options);
		const mayBeMore = inOutput(`There may be more responses than returned: ${raise}`);
		const doubt = expect.objectContaining({ message: expect.stringContaining('"comment"') });
		const comment = { question: 'comment' };

		expect(await hintsAfter(limited(byQuestion('isEmpty')), [comment])).toEqual([mayBeMore]);
		// The download ended with the response, which this one matches.
		const withId = { ...byQuestion('isEmpty'), responseId: 'r7' };
		expect(await hintsAfter(limited(withId), [comment])).toEqual([]);
		const filteredOut = { ...byQuestion('equals'), responseId: 'r7' };
		expect(await hintsAfter(limited(filteredOut), [comment])).toContainEqual(doubt);
		// All were read, for the order or for another item.
		const newest = { ...byQuestion('isEmpty'), sort: 'newestFirst' };
		expect(await hintsAfter(limited(newest), [comment])).toContainEqual(doubt);
		const both = [comment, { ...comment, limit: 5000 }];
		expect(await hintsAfter(limited(byQuestion('isEmpty')), both)).toContainEqual(doubt);
	});

	it('say how many items shared a request', async () => {
		const input = (...forms: string[]) => forms.map((form) => ({ form }));
		expect(await hintsAfter(read(undefined), input('f1', 'f1', 'f1'))).toEqual([
			inOutput(`3 items shared one request, so each response appears 3 times: ${once}`),
		]);
		const filtered = read(undefined, { createdAfter: '={{ $json.after }}' });
		expect(await hintsAfter(filtered, [{ after: '' }, { after: '2026-01-01' }])).toEqual([
			inOutput('2 items shared one request'),
		]);
		expect(await hintsAfter(read(undefined), input('f1', 'f2'))).toEqual([]);
		const going = { onError: 'continueRegularOutput' as const };
		expect(await hintsAfter(read(undefined), input('f1', '', 'f1'), going)).toEqual([
			inOutput(`2 items shared one request, so each response appears twice: ${once}`),
		]);
		expect(await hintsAfter(read(2), input('f1', 'f2', 'f1'))).toEqual([
			inOutput('3 items shared 2 requests'),
			inOutput(`For 2 items there may be more responses than returned: ${raise}`),
		]);
	});

	it('say that several items repeat the forms, or the questions of a form', async () => {
		const many = Array.from({ length: 50 }, () => ({}));
		const all = { operation: 'getForms', returnAll: true };
		const questions = { operation: 'getQuestions', formId: byId('f1') };
		for (const [parameters, thing] of [[all, 'form'] as const, [questions, 'question'] as const]) {
			expect(await hintsAfter(parameters, many)).toEqual([
				inOutput(`50 items shared one request, so each ${thing} appears 50 times: ${once}`),
			]);
		}
		const limited = { operation: 'getForms', limit: '={{ $json.limit }}' };
		expect(await hintsAfter(limited, [{ limit: 3 }, { limit: 4 }])).toEqual([
			inOutput('2 items shared one request'),
		]);
	});

	it.each([
		['all failed', { form: 'nope' }, {}],
		['the form is empty', { form: 'f3' }, {}],
		['nothing matches', {}, { createdAfter: '2999-01-01' }],
		['no response has the ID', {}, { responseId: 'zz' }],
	])('do not say that a response is repeated where there is none: %s', async (_, item, options) => {
		const going = { onError: 'continueRegularOutput' as const };
		const hints = await hintsAfter(read(undefined, options), [item, item], going);

		expect(JSON.stringify(hints)).not.toContain('shared one request');
	});

	describe('say that the service may have sent only a part', () => {
		const mayBeMore = (members: string, list = 'responses') =>
			inOutput(`The service also sent ${members}: there may be more ${list} than these`);
		const list = [responseRecord('f1', 'r1'), responseRecord('f1', 'r2')];

		it.each<[string, object, string | undefined]>([
			['a cursor', { next_cursor: 'abc', has_more: true }, 'next_cursor, has_more'],
			['a page', { page: 1, total: 7 }, 'page, total'],
			[
				'members that say that this is all',
				{ next: null, has_more: false, total: 2, links: {}, more: [], at: '' },
				undefined,
			],
			['an object that says so', { meta: { has_more: false, page: 1, total: 2 } }, undefined],
			['an object that says something else', { meta: { has_more: false, total: 3 } }, 'meta'],
		])('with %s', async (_, members, expected) => {
			for (const body of [
				{ ...members, responses: list },
				{ responses: list, ...members },
			]) {
				service.reset();
				service.faults.add({ body });
				const hints = expected === undefined ? [] : [mayBeMore(expected)];
				expect(await hintsAfter(read(undefined))).toEqual(hints);
			}
		});

		it.each([
			['Link', '<https://forms.example.com/api/responses?page=2>; rel="next"', 'Link'],
			['Link', '<https://forms.example.com/api/responses?page=1>; rel="prev"', undefined],
			['X-Next-Page', '2', 'X-Next-Page'],
			['X-Next-Page', '', undefined],
			['Content-Range', 'items 0-9/100', 'Content-Range'],
			['Content-Range', 'items 0-1/2', undefined],
			['X-Total-Count', '2', undefined],
			['X-Total-Count', '3', 'X-Total-Count'],
		])('with the header %s: %s', async (name, value, expected) => {
			service.faults.add({ body: { responses: list }, headers: { [name]: value } });

			const hints = expected === undefined ? [] : [mayBeMore(expected)];
			expect(await hintsAfter(read(undefined))).toEqual(hints);
		});

		it.each([
			['that there are none', read(undefined), []],
			['that none has the ID', read(undefined, { responseId: 'zz' }), list],
			['that none matches', read(undefined, { createdAfter: '2999-01-01' }), list],
			['that there are no answers', { operation: 'getQuestions', formId: byId('f1') }, []],
		])('and not %s', async (_, parameters, responses) => {
			service.faults.add({ body: { responses, has_more: true } });
			expect(await hintsAfter(parameters)).toEqual([mayBeMore('has_more')]);
		});

		it('beside the response that has the ID, but is left out', async () => {
			service.faults.add({ body: { responses: list, has_more: true } });
			const options = { responseId: '={{ $json.id }}', createdAfter: '2999-01-01' };
			const hints = await hintsAfter(read(undefined, options), [
				{ id: '\u202ar2\u202c' },
				{ id: 'zz' },
			]);
			expect(JSON.stringify(hints)).toContain('The response with this Response ID does not match');
			expect(JSON.stringify(hints)).not.toContain('no response with');
		});

		it('of the forms', async () => {
			service.faults.add({ route: 'GET /forms', body: { forms: [], cursor: 'x' } });
			expect(await hintsAfter({ operation: 'getForms' })).toEqual([mayBeMore('cursor', 'forms')]);
		});
	});

	it('are left out for a tool', async () => {
		const isTool = jest.spyOn(ExecuteContext.prototype, 'isToolExecution').mockReturnValue(true);
		expect(await hintsAfter(cutShort)).toEqual([]);
		isTool.mockRestore();
	});

	it('are left out where n8n has none', async () => {
		const context: Partial<ExecuteContext> = ExecuteContext.prototype;
		const { addExecutionHints, isToolExecution } = context;
		Object.assign(context, { addExecutionHints: undefined, isToolExecution: undefined });
		expect(await hintsAfter(cutShort)).toEqual([]);
		Object.assign(context, { addExecutionHints, isToolExecution });
	});
});
