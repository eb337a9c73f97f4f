import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { optionsField } from '../../parameters/fields';
import { formField } from '../../parameters/formLocator';

export type AnswersInput = 'json' | 'mapping' | 'keyValue';

export const answersInputs: (INodePropertyOptions & { value: AnswersInput })[] = [
	{
		name: 'As JSON',
		value: 'json',
		description: 'Enter an object of question keys and answers',
	},
	{
		name: 'By Question',
		value: 'mapping',
		description: 'Map fields to the questions seen in past responses of the form',
	},
	{
		name: 'By Question Key',
		value: 'keyValue',
		description: 'Enter rows of question keys and answers, for a form without responses',
	},
];

export type OtherFields = 'leaveOut' | 'send' | 'stop';

export const otherFieldsChoices: (INodePropertyOptions & { value: OtherFields })[] = [
	{
		name: 'Leave Out',
		value: 'leaveOut',
		description: 'Send only the fields that match a question',
	},
	{
		name: 'Send',
		value: 'send',
		description: 'Send them as well: each becomes a question of the form',
	},
	{ name: 'Stop', value: 'stop', description: 'Fail before anything is sent' },
];

export const DEFAULT_PARALLEL_REQUESTS = 10;
export const DEFAULT_SEPARATOR = ', ';

const answersFields: INodeProperties[] = [
	{
		displayName: 'Enter Answers',
		name: 'answersInput',
		type: 'options',
		default: 'mapping',
		options: answersInputs,
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
				// n8n shows this also where the questions could not be loaded; `getQuestions` says why.
				noFieldsError: 'No questions to show',
			},
		},
		// Hidden until a form is chosen: until then it would only show the text above, in red.
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
						description: 'The name under which the form stores the answer',
					},
					{
						displayName: 'Answer',
						name: 'value',
						type: 'string',
						default: '',
						placeholder: 'e.g. ada@example.com',
						description:
							'Text, or a list for multiple choice. Rows with the same key become a list.',
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
		default: '{}',
		required: true,
		description:
			'An object of question keys and answers, e.g. { "email": "ada@example.com" }. For values of the item, use an expression that returns an object.',
		displayOptions: { show: { answersInput: ['json'] } },
	},
];

const options: INodeProperties[] = [
	{
		displayName: 'Other Fields',
		name: 'otherFields',
		type: 'options',
		default: 'stop',
		options: otherFieldsChoices,
		description:
			'What Map Automatically does with fields that match no question. By default it stops.',
		displayOptions: {
			hide: {
				'/answersInput': ['json', 'keyValue'],
				'/answersMapping.mappingMode': ['defineBelow'],
			},
		},
	},
	{
		displayName: 'Parallel Requests',
		name: 'parallelRequests',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_PARALLEL_REQUESTS,
		description: 'How many responses to send at once. Choose 1 to keep the order of the items.',
	},
	{
		displayName: 'Skip Existing',
		name: 'skipExisting',
		type: 'boolean',
		// What the option has when somebody adds it. As long as it is not added, nothing is skipped.
		default: true,
		description:
			'Whether to skip items whose answers the form already has. Add Match On to compare only some questions. Reading the form costs one request.',
		builderHint: {
			propertyHint:
				'Turn it on for imports, so that a run which stopped halfway can be repeated without creating anything twice',
		},
	},
	{
		displayName: 'Skip: Match On Names or IDs',
		name: 'matchOn',
		type: 'multiOptions',
		typeOptions: {
			loadOptionsMethod: 'getQuestionKeys',
			loadOptionsDependsOn: ['formId.value'],
		},
		default: [],
		description:
			'The questions to compare, ignoring case. Items that repeat each other are skipped, too. Without any, all answers are compared. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		displayOptions: {
			show: { skipExisting: [{ _cnd: { exists: true } }] },
			hide: { skipExisting: [false] },
		},
	},
	{
		displayName: 'Split Multiple Choice At',
		name: 'splitMultipleAt',
		type: 'string',
		default: DEFAULT_SEPARATOR,
		placeholder: 'e.g. ;',
		description:
			'Text between the options of a multiple-choice answer. Leave empty to split nothing.',
		displayOptions: { hide: { '/answersInput': ['json', 'keyValue'] } },
	},
];

export const createResponseFields = [formField, ...answersFields, optionsField(...options)];
