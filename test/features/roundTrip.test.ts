import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { getQuestions } from '../../nodes/FormCollection/methods/questions';
import type { Answer, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions } from '../support/engine';
import { byId, credentialsOf, formRecord, responseRecord, runOn } from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1'), formRecord('f2')], responses: [] });
});
afterAll(async () => await sandbox.stop());

/** Among them those that Flatten Answers gives another name. */
const key = fc.oneof(
	fc.constantFrom('id', 'created_at', 'message', 'error', 'answer_id', 'answers', 'constructor'),
	fc.constantFrom('status', 'answer_status', 'answer_answer_status'),
	fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
);
const option = fc
	.string({ minLength: 1 })
	.filter((text) => text.trim() === text && !text.includes(',') && text !== '');

/** Of a form whose questions are each a text or multiple choice. */
const responses = fc
	.uniqueArray(fc.tuple(key, fc.boolean()), { minLength: 1, maxLength: 6, selector: ([k]) => k })
	.chain((questions) => {
		const answers = questions.map(([name, isMultiple]) => {
			const answer: fc.Arbitrary<Answer> = isMultiple
				? fc.array(option, { minLength: 1, maxLength: 3 })
				: fc.string({ minLength: 1 });
			return fc.option(answer, { nil: undefined }).map((value) => [name, value] as const);
		});
		const response = fc
			.tuple(...answers)
			.map((entries) => entries.filter(([, value]) => value !== undefined))
			.filter((entries) => entries.length > 0)
			.map((entries) => Object.fromEntries(entries) as Record<string, Answer>);
		return fc.array(response, { minLength: 1, maxLength: 4 });
	});

/** Fields that the service may add to a record, which may have the names of questions. */
const recordFields = fc.array(fc.subarray(['status', 'answer_status']), {
	minLength: 4,
	maxLength: 4,
});

it('flattened responses can be created again with the same answers', async () => {
	await fc.assert(
		fc.asyncProperty(responses, recordFields, async (answers, fields) => {
			sandbox.reset();
			answers.forEach((each, n) =>
				sandbox.responses.push(
					responseRecord('f1', `r${n}`, {
						...Object.fromEntries((fields[n] ?? []).map((name) => [name, 'of the record'])),
						answers: each,
					}),
				),
			);
			const read = await runOn(sandbox, {
				operation: 'getResponses',
				formId: byId('f1'),
				returnAll: true,
				flattenAnswers: true,
				options: {},
			});
			const { fields: rows } = await getQuestions.call(
				loadOptions({
					parameters: { formId: byId('f1') },
					credentials: credentialsOf(sandbox),
				}),
			);
			// As if the other form had the same questions.
			const schema = rows.map((row) => ({ ...row, formId: 'f2' }));
			const created = await runOn(
				sandbox,
				{
					operation: 'createResponse',
					formId: byId('f2'),
					answersInput: 'mapping',
					answersMapping: { mappingMode: 'autoMapInputData', value: null, schema },
					options: { splitMultipleAt: ', ', parallelRequests: 1 },
				} as unknown as INodeParameters,
				{ input: read.items.map(({ json }) => json) },
			);

			expect(created.error).toBeUndefined();
			const copies = sandbox.responses.filter(({ form_id }) => form_id === 'f2');
			expect(copies.map((copy) => copy.answers)).toEqual(answers);
		}),
		{
			numRuns: 60,
			examples: [
				// Two questions for one column.
				[[{ id: ' ' }, { answer_id: ' ' }], []],
				[[{ answer_id: 'a' }, { id: 'b' }], []],
				[[{ answer_id: 'a', id: 'b', answer_answer_id: 'c' }], []],
				// A field of one record, or of all of them, with the name of a question.
				[[{ status: 'a' }, { status: 'b' }], [['status']]],
				[[{ status: 'a', answer_status: 'b' }], [['status']]],
				[[{ status: 'a', answer_answer_status: 'b' }], [['answer_status']]],
			],
		},
	);
}, 60_000);
