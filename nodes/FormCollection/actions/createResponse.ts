import type { IExecuteFunctions, INodePropertyOptions } from 'n8n-workflow';
import { toAnswersFromCells, toAnswersFromJson, toAnswersFromRows } from '../responses/answers';
import { existingResponses } from '../submissions/existingResponses';
import { openSubmissionLog } from '../submissions/submissionLog';
import { submitOnce } from '../submissions/submitOnce';
import { DEFAULT_TIMEOUT_MS } from '../transport/client';
import type { Answers } from '../transport/records';
import { formField, readFormId, readOptions, readTimeout, timeoutField } from './fields';
import { optionOf, toBoolean, toChoice, toList, toObject, toWholeNumber } from './parameters';
import type { Operation } from './action';

const DEFAULT_PARALLEL_REQUESTS = 10;

const waysToEnter: INodePropertyOptions[] = [
	{
		name: 'As JSON',
		value: 'json',
		description: 'An object of question keys and answers',
	},
	{
		name: 'By Question',
		value: 'mapping',
		description: 'The questions seen in past responses of the form',
	},
	{
		name: 'By Question Key',
		value: 'keyValue',
		description: 'Rows of question key and answer, for a form without responses',
	},
];

/** As n8n names them. */
const mappingModes: INodePropertyOptions[] = [
	{ name: 'Map Each Column Manually', value: 'defineBelow' },
	{ name: 'Map Automatically', value: 'autoMapInputData' },
];

export const createResponse: Operation = {
	value: 'createResponse',
	name: 'Create Response',
	action: 'Create response',
	description: 'Submit a response to a form, one per input item',
	fields: [
		formField,
		{
			displayName: 'Enter Answers',
			name: 'answersInput',
			type: 'options',
			default: 'mapping',
			options: waysToEnter,
			description: 'How to enter the answers',
		},
		{
			displayName: 'Answers',
			name: 'answersMapping',
			type: 'resourceMapper',
			noDataExpression: true,
			default: { mappingMode: 'defineBelow', value: null },
			required: true,
			typeOptions: {
				loadOptionsDependsOn: ['formId.value'],
				resourceMapper: {
					resourceMapperMethod: 'getQuestions',
					mode: 'add',
					valuesLabel: 'Answers',
					fieldWords: { singular: 'question', plural: 'questions' },
					addAllFields: true,
					multiKeyMatch: false,
					supportAutoMap: true,
					// n8n shows this for a picker that fails, too, in place of its own words.
					noFieldsError:
						'No questions yet: pick a form that has responses and check the credential, or choose another way under Enter Answers',
				},
			},
			// Before a form is chosen there is only the text above to show, in red.
			displayOptions: { show: { answersInput: ['mapping'] }, hide: { formId: [''] } },
		},
		{
			displayName: 'Answers',
			name: 'answers',
			type: 'fixedCollection',
			placeholder: 'Add Answer',
			default: {},
			typeOptions: { multipleValues: true, sortable: true },
			options: [
				{
					displayName: 'Answer',
					name: 'answer',
					values: [
						{
							displayName: 'Question Key',
							name: 'key',
							type: 'string',
							default: '',
							placeholder: 'e.g. email',
						},
						{
							displayName: 'Answer',
							name: 'value',
							type: 'string',
							default: '',
							placeholder: 'e.g. ada@example.com',
							description: 'For multiple choice add a row per option, or map a list',
						},
					],
				},
			],
			displayOptions: { show: { answersInput: ['keyValue'] } },
		},
		{
			displayName: 'Answers (JSON)',
			name: 'answersJson',
			type: 'json',
			default: '{\n  "question_key": "answer"\n}',
			required: true,
			description:
				'An object of question keys and answers. An answer is a text, or a list of texts.',
			displayOptions: { show: { answersInput: ['json'] } },
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Parallel Requests',
					name: 'parallelRequests',
					type: 'number',
					typeOptions: { minValue: 1 },
					default: DEFAULT_PARALLEL_REQUESTS,
					description:
						'How many responses to send at the same time. Choose 1 to create them in the order of the items.',
				},
				{
					displayName: 'Skip Existing',
					name: 'skipExisting',
					type: 'boolean',
					default: false,
					description:
						'Whether to leave out what the form has already: each response with the same answers stands for one item. Costs one request and lets you run an import again at any time.',
				},
				timeoutField,
			],
		},
	],
	parallelRequests(context) {
		return Number(
			context.getNodeParameter('options.parallelRequests', 0, DEFAULT_PARALLEL_REQUESTS),
		);
	},
	isSubmission: true,
	start(context, service, hint) {
		const counts = { now: 0, earlier: 0, existing: 0, cameBack: 0 };
		const total = context.getInputData().length;
		hint(() => earlierHint(counts.earlier, total));
		hint(() => existingHint(counts.existing, total));
		hint(() => cameBackHint(counts.cameBack));
		const log = openSubmissionLog(context);
		const existing = existingResponses(context, service, log.responseIds, () =>
			longestTimeout(context),
		);
		const execute = async (itemIndex: number) => {
			const formId = readFormId(context, itemIndex);
			const submitted = await submitOnce(
				log.entryOf(itemIndex, formId),
				async () => {
					const account = await service.account(itemIndex);
					const answers = readAnswers(context, itemIndex);
					return { account, answers, options: readCreateOptions(context, itemIndex) };
				},
				{
					findExisting: async ({ account, answers, options }, mayBeNew) =>
						options.skipExisting
							? await existing.claim(account, formId, answers, mayBeNew)
							: undefined,
					send: async ({ account, answers, options }) =>
						await service.createResponse(account, formId, answers, options.timeoutMs),
				},
			);
			counts[submitted.how]++;
			return submitted.how === 'cameBack' ? [] : [submitted.response];
		};
		const report = () => {
			const { created, failed } = log.ofThisRun();
			return { progress: `${created} of ${total} responses were created`, failed };
		};
		return { execute, report };
	},
};

function readCreateOptions(context: IExecuteFunctions, itemIndex: number) {
	const options = readOptions(context, itemIndex);
	toWholeNumber(
		'Parallel Requests',
		optionOf(options, 'parallelRequests', DEFAULT_PARALLEL_REQUESTS),
	);
	return {
		skipExisting: toBoolean('Skip Existing', optionOf(options, 'skipExisting', false)),
		timeoutMs: readTimeout(options),
	};
}

/** Of all items that may share the request for the responses of a form. */
function longestTimeout(context: IExecuteFunctions): number {
	let longest = 0;
	for (const itemIndex of context.getInputData().keys()) {
		try {
			const { timeoutMs = DEFAULT_TIMEOUT_MS } = readCreateOptions(context, itemIndex);
			longest = Math.max(longest, timeoutMs);
		} catch {
			// That item ends with an error message of its own.
		}
	}
	return longest;
}

function earlierHint(count: number, total: number): string | undefined {
	if (count === 0) return undefined;
	const were = count === 1 ? 'was' : 'were';
	return `${count} of ${total} items ${were} submitted by an earlier try and ${were} not sent again`;
}

function existingHint(count: number, total: number): string | undefined {
	if (count === 0) return undefined;
	return `${count} of ${total} items were there already as responses and were not sent`;
}

function cameBackHint(count: number): string | undefined {
	if (count === 0) return undefined;
	return `${count} ${count === 1 ? 'item' : 'items'} came back from the error output with an unknown outcome and may be stored already: not sent again, and left out of the output`;
}

function readAnswers(context: IExecuteFunctions, itemIndex: number): Answers {
	const parameter = (name: string, byDefault: unknown): unknown =>
		context.getNodeParameter(name, itemIndex, byDefault);
	switch (toChoice('Enter Answers', parameter('answersInput', 'mapping'), waysToEnter)) {
		case 'keyValue':
			return toAnswersFromRows(toList('Answers', parameter('answers.answer', [])));
		case 'json':
			return toAnswersFromJson(parameter('answersJson', null));
		default:
			return toAnswersFromCells(readMapping(context, itemIndex));
	}
}

function readMapping(context: IExecuteFunctions, itemIndex: number): [string, unknown][] {
	const parameter = (name: string, byDefault: unknown): unknown =>
		// n8n's validation fails where nothing is mapped yet, and turns values into other types.
		context.getNodeParameter(`answersMapping.${name}`, itemIndex, byDefault, {
			skipValidation: true,
		});
	const mode = parameter('mappingMode', 'defineBelow');
	if (toChoice('Mapping Column Mode', mode, mappingModes) === 'autoMapInputData') {
		return Object.entries(context.getInputData()[itemIndex]?.json ?? {});
	}
	return Object.entries(toObject('Answers', parameter('value', {}) ?? {}));
}
