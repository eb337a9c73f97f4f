import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import {
	parseAnswers,
	toAnswersFromCells,
	toAnswersFromJson,
	toAnswersFromRows,
} from '../../responses/answers';
import { isFailureText } from '../../submissions/outcomeLines';
import { isTool } from '../../tool';
import { InvalidInput, toNodeError } from '../../transport/errors';
import { type Answers, isRecord } from '../../transport/records';
import { readFormId, readOptions } from '../../parameters/fields';
import { listOf } from '../hintText';
import {
	canMatchFields,
	type KnownQuestions,
	matchFields,
	REFRESH_AUTOMATIC,
	type SavedQuestions,
	splitMultiple,
} from './mapping';
import {
	optionOf,
	refuseFixedName,
	toChoice,
	toList,
	toObject,
	toOptionText,
} from '../../parameters/values';

const waysToEnter: INodePropertyOptions[] = [
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

/** As n8n names them. */
const mappingModes: INodePropertyOptions[] = [
	{ name: 'Map Each Column Manually', value: 'defineBelow' },
	{ name: 'Map Automatically', value: 'autoMapInputData' },
];

/** What becomes of fields of the item that are no known question */
export const otherFieldsChoices: INodePropertyOptions[] = [
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

/** How the answers are entered, and the fields of each way */
export const answersFields: INodeProperties[] = [
	{
		displayName: 'Enter Answers',
		name: 'answersInput',
		type: 'options',
		default: 'mapping',
		options: waysToEnter,
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
						description:
							'The name under which the form stores the answer: see the answers of a past response, or the settings of the form',
					},
					{
						displayName: 'Answer',
						name: 'value',
						type: 'string',
						default: '',
						placeholder: 'e.g. ada@example.com',
						description:
							'Use text, or a list for multiple choice. Rows with the same key become a list.',
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
			'An object of question keys and answers, e.g. { "email": "ada@example.com" }. Use text, or a list for multiple choice. For a value of the item, write {{ JSON.stringify(… ?? null) }} without quotes around it.',
		displayOptions: { show: { answersInput: ['json'] } },
	},
];

/** What the options say of the answers. */
export function readAnswerOptions(options: object) {
	return {
		otherFields: toChoice(
			'Other Fields',
			optionOf(options, 'otherFields', 'leaveOut'),
			otherFieldsChoices,
		),
		splitMultipleAt: toOptionText(
			'Split Multiple Choice At',
			optionOf(options, 'splitMultipleAt', ''),
			'make it return text, or empty text to split nothing',
		),
	};
}

type AnswerOptions = ReturnType<typeof readAnswerOptions>;

export interface ReadAnswers {
	answers: Answers;
	/** All question keys of the item, those without an answer too */
	entered: Set<string>;
	/** The names of fields that are not sent */
	others: string[];
	/** The names of fields that are not sent because the answer to their question is in another field */
	replaced?: string[];
	/** All fields of the item are sent, because no question is known, although Other Fields is Leave Out */
	isAllSent?: boolean;
	/** The questions whose text was not split, because nobody knows whether they are multiple choice */
	unsplit?: string[];
	/** The multiple-choice questions whose answer is one text */
	asText?: string[];
}

/** The answers of one item, however they are entered. */
export function readAnswers(
	context: IExecuteFunctions,
	itemIndex: number,
	options: AnswerOptions,
	{ ofForm }: SavedQuestions,
	formId: string,
): ReadAnswers {
	refuseFixedName('Enter Answers', context.getNode().parameters.answersInput, waysToEnter);
	const parameter = (name: string, byDefault: unknown): unknown =>
		context.getNodeParameter(name, itemIndex, byDefault);
	switch (toChoice('Enter Answers', parameter('answersInput', 'mapping'), waysToEnter)) {
		case 'keyValue': {
			const list = toList('Answers', parameter('answers.answer', []));
			const keys = list.filter(isRecord).map(({ key }) => String(key));
			return { answers: toAnswersFromRows(list), entered: new Set(keys), others: [] };
		}
		case 'json': {
			const json = withoutFailureText(context, itemIndex, parameter('answersJson', null));
			const answers = toAnswersFromJson(json);
			const keys = Object.keys(toObject('Answers (JSON)', json));
			return { answers, entered: new Set(keys), others: [] };
		}
	}
	const questions = ofForm(formId);
	const { cells, ...more } = readMapping(context, itemIndex, options, questions);
	const { split, ...texts } = splitMultiple(cells, questions, options.splitMultipleAt);
	const entered = new Set(cells.map(([key]) => key));
	return { answers: toAnswersFromCells(split), entered, ...texts, ...more };
}

function readMapping(
	context: IExecuteFunctions,
	itemIndex: number,
	{ otherFields }: AnswerOptions,
	questions: KnownQuestions,
): { cells: [string, unknown][]; others: string[]; replaced?: string[]; isAllSent?: boolean } {
	if (!isAutomatic(context, itemIndex)) {
		const cells = toObject('Answers', mappingParameter(context, itemIndex, 'value', {}) ?? {});
		refuseLost(cells, questions);
		return { cells: Object.entries(cells), others: [] };
	}
	const fields = fieldsOf(context, itemIndex);
	if (isTool(context)) refuseToolCall(fields, questions);
	if (otherFields === 'stop') refuseOthers(fields, questions);
	const { answers, others, replaced } = matchFields(fields, questions);
	if (otherFields === 'send') return { cells: [...answers, ...others], others: [], replaced };
	const names = others.map(([name]) => name);
	if (answers.length === 0 && names.length > 0) throw noQuestionError(others, questions);
	return { cells: answers, others: names, replaced, isAllSent: !canMatchFields(questions) };
}

function refuseLost(cells: object, { lostByN8n }: KnownQuestions): void {
	const lost = [...lostByN8n].find((key) => !Object.hasOwn(cells, key));
	if (lost === undefined) return;
	throw new InvalidInput(
		`n8n loses an answer that is mapped to "${lost}" by hand: remove this question from Answers, or choose As JSON or By Question Key under Enter Answers`,
	);
}

/**
 * AI Agent 3 adds its own input to what the model fills in: the words of the chat, too, and maybe fields that
 * are named like a question.
 */
function refuseToolCall({ toolCallId }: IDataObject, { keys }: KnownQuestions): void {
	if (typeof toolCallId !== 'string' || keys.has('toolCallId')) return;
	throw new InvalidInput(
		'Map Automatically would also submit the input of the AI Agent itself: choose Map Each Column Manually under Mapping Column Mode, or As JSON or By Question Key under Enter Answers',
	);
}

/** Without the error message that this node has added to an item which comes back. */
function fieldsOf(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const fields = { ...context.getInputData()[itemIndex]?.json };
	if (isFailureText(fields.error)) delete fields.error;
	return fields;
}

/**
 * A whole item that is entered as JSON, or as the text of it, without the error message that this node has
 * added. Text that names the field `error` itself stays as it is.
 */
function withoutFailureText(context: IExecuteFunctions, itemIndex: number, json: unknown): unknown {
	const item = context.getInputData()[itemIndex]?.json ?? {};
	const fields = Object.keys(item);
	if (fields.length < 2 || !isFailureText(item.error)) return json;
	const entered = String(context.getNode().parameters.answersJson);
	if (typeof json === 'string' && /\berror\b/.test(entered)) return json;
	const object = typeof json === 'string' ? parseAnswers(json) : json;
	if (!isRecord(object) || object.error !== item.error) return json;
	if (!fields.every((field) => field in object)) return json;
	return Object.fromEntries(Object.entries(object).filter(([field]) => field !== 'error'));
}

function isAutomatic(context: IExecuteFunctions, itemIndex: number): boolean {
	const mode = mappingParameter(context, itemIndex, 'mappingMode', 'defineBelow');
	return toChoice('Mapping Column Mode', mode, mappingModes) === 'autoMapInputData';
}

function mappingParameter(
	context: IExecuteFunctions,
	itemIndex: number,
	name: string,
	byDefault: unknown,
): unknown {
	// n8n's validation fails where nothing is mapped yet, and turns values into other types.
	return context.getNodeParameter(`answersMapping.${name}`, itemIndex, byDefault, {
		skipValidation: true,
	});
}

/** The saved list of questions may be older than the form. */
export const ifTheFormHasThem = `If the form has them, ${REFRESH_AUTOMATIC}`;

/** @throws InvalidInput if a field is no question, or if it is not known which are */
function refuseOthers(fields: IDataObject, questions: KnownQuestions): void {
	if (!canMatchFields(questions)) {
		throw new InvalidInput(
			'Other Fields is Stop, but the questions of the form are not known: open this node to load them, or set Other Fields under Options to Send. They can only be loaded if the form has responses and, if it comes from an expression, for the form of the first item',
		);
	}
	const names = matchFields(fields, questions).others.map(([name]) => name);
	if (names.length === 0) return;
	throw new InvalidInput(
		`These fields are not among the questions that this node has loaded: ${listOf(names)}. ${ifTheFormHasThem}. If not, remove the fields before this node, or set Other Fields under Options to Leave Out`,
	);
}

function noQuestionError(others: [string, unknown][], { keys }: KnownQuestions): InvalidInput {
	const names = others.map(([name]) => name);
	const outer = fieldWithAnswers(keys, others);
	if (outer !== undefined) {
		const field = /^[a-z_]\w*$/i.test(outer) ? `.${outer}` : `[${JSON.stringify(outer)}]`;
		return new InvalidInput(
			`The answers seem to be inside the field "${outer}" of this item: choose As JSON under Enter Answers, and enter {{ $json${field} }} there${names.includes('form_id') ? '; or turn on Flatten Answers where you read the responses' : ''}`,
		);
	}
	return new InvalidInput(
		`No field of this item is among the questions that this node has loaded: rename the fields (${listOf(names)}) to match the questions (${listOf([...keys])}), or choose Map Each Column Manually. ${ifTheFormHasThem}`,
	);
}

/** @returns the name of the field that has answers to the most questions; of several, the last one */
function fieldWithAnswers(
	keys: ReadonlySet<string>,
	fields: [string, unknown][],
): string | undefined {
	let most = 1;
	let name: string | undefined;
	for (const [field, value] of fields) {
		const answered = [...keys].filter((key) => isRecord(value) && Object.hasOwn(value, key)).length;
		// The headers of a web request come before what is in it.
		if (answered >= most) [most, name] = [answered, field];
	}
	return name;
}

/**
 * Before anything is sent, because a response cannot be called back.
 *
 * @throws NodeOperationError for the first item that is to stop the node because of its fields
 */
export function refuseOtherFields(context: IExecuteFunctions, { ofForm }: SavedQuestions): void {
	// A tool has one item, whose fields are checked before anything is sent.
	if (isTool(context)) return;
	for (const itemIndex of context.getInputData().keys()) {
		const formId = formThatStopsAtOthers(context, itemIndex);
		if (formId === undefined) continue;
		try {
			refuseOthers(fieldsOf(context, itemIndex), ofForm(formId));
		} catch (error) {
			throw toNodeError(context.getNode(), error, itemIndex);
		}
	}
}

/** @returns the form of an item that is to stop the node because of its fields */
function formThatStopsAtOthers(context: IExecuteFunctions, itemIndex: number): string | undefined {
	try {
		const options = readOptions(context, itemIndex);
		if (readAnswerOptions(options).otherFields !== 'stop') return undefined;
		const input = context.getNodeParameter('answersInput', itemIndex, 'mapping');
		if (toChoice('Enter Answers', input, waysToEnter) !== 'mapping') return undefined;
		return isAutomatic(context, itemIndex) ? readFormId(context, itemIndex) : undefined;
	} catch {
		// That item ends with an error message of its own.
		return undefined;
	}
}
