import type {
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import { formIdOf, toChoiceText } from '../parameters/formLocator';
import { type QuestionField, savedRows } from '../actions/createResponse/mapping';
import { collectQuestions, type Question } from '../responses/questions';
import { accountFormKey } from '../transport/account';
import { type ReadReply, ServiceClient } from '../transport/client';
import { InvalidInput, join, ServiceError, toNodeError } from '../transport/errors';
import { isRecord } from '../transport/records';

/** Where this many responses in a row have no other question, few others are left to be found. */
const ENOUGH_WITHOUT_NEW = 20_000;

/**
 * The rows of the answers mapping: the question keys in the past responses of the chosen form, then those
 * of the saved mapping that were not found.
 *
 * @throws only where the node has, or may have, questions already: n8n would replace them by none
 */
export async function getQuestions(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const formId = formIdOf(this.getCurrentNodeParameter('formId'));
	const mapping: unknown = this.getCurrentNodeParameter('answersMapping');
	const kept = keptRows(mapping, formId);
	// n8n 2.0 sends null for the whole mapping while the data of one of its expressions is not known.
	const isMappingUnknown = mapping === null;
	try {
		const found = (await readQuestions(this, formId)).map((each) => toRow(each, formId));
		const keys = new Set(found.map(({ id }) => id));
		const fields = [...found, ...kept.filter(({ id }) => !keys.has(id))];
		if (fields.length > 0) return { fields };
		if (isMappingUnknown) throw new InvalidInput(NO_RESPONSES);
		return { fields, emptyFieldsNotice: NO_RESPONSES };
	} catch (error) {
		const nodeError = toNodeError(this.getNode(), error);
		if (isMappingUnknown || savedRows(mapping).length > 0) throw nodeError;
		// n8n 2.41 would not show a thrown error here.
		const more = error instanceof ServiceError ? ALL_ARE_SENT : undefined;
		return { fields: kept, emptyFieldsNotice: asHtml(join('. ', nodeError.message, more)) };
	}
}

const NO_RESPONSES =
	'This form has no answers yet, so its questions are not known: choose By Question Key or As JSON under Enter Answers, or Map Automatically to send all fields';

/** The service may have failed for a moment only: the next run should be no surprise. */
const ALL_ARE_SENT = 'Until the questions are loaded, Map Automatically sends all fields';

/**
 * n8n deletes what is mapped to a key that has no row. Which keys those are, it does not tell for sure: of
 * an expression, n8n 2.41 sends the value, null if there is no data yet, and nothing if the value is
 * undefined. So a row stays until somebody removes it.
 */
function keptRows(mapping: unknown, formId: string | undefined): QuestionField[] {
	const rows = new Map(savedRows(mapping).map((row) => [row.id, row]));
	const mapped = isRecord(mapping) && isRecord(mapping.value) ? Object.keys(mapping.value) : [];
	return [...new Set([...rows.keys(), ...mapped])].flatMap((key) => {
		const { formId: loadedFor, removed, isUnseen, isUnsure, multipleChoice } = rows.get(key) ?? {};
		const isLoaded = loadedFor !== undefined;
		// n8n 2.41 keeps the rows of the form that was chosen before, if an expression has no data yet.
		const isKept = isLoaded ? loadedFor === formId && removed !== true : mapped.includes(key);
		if (!isKept) return [];
		const row = toRow(
			{ key, multipleChoice: isUnsure === true ? undefined : multipleChoice === true },
			formId,
		);
		return [isLoaded && isUnseen !== true ? row : { ...row, isUnseen: true }];
	});
}

function asHtml(text: string): string {
	return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The question keys of the chosen form, as choices of a dropdown. */
export async function getQuestionKeys(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	try {
		const formId = formIdOf(this.getCurrentNodeParameter('formId'));
		// n8n would show an error without its reason.
		if (formId === undefined) return [];
		const questions = await readQuestions(this, formId);
		return questions.map(({ key }) => ({ name: key, value: toChoiceText(key) }));
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

/** A node with five answer filters asks five times at once when it is opened. */
const underWay = new Map<string, Promise<ReadReply<Question[]>>>();

async function readQuestions(
	context: ILoadOptionsFunctions,
	formId: string | undefined,
): Promise<Question[]> {
	if (formId === undefined) {
		throw new InvalidInput(
			'No form is chosen: select one in the field Form first. If it comes from an expression, run the nodes before this one',
		);
	}
	const service = new ServiceClient(context);
	const account = await service.account(0);
	const key = accountFormKey(account, formId);
	const read = async () =>
		await service.responses(account, formId, () => collectQuestions(ENOUGH_WITHOUT_NEW));
	const reading = underWay.get(key) ?? read().finally(() => underWay.delete(key));
	underWay.set(key, reading);
	const { result = [] } = await reading;
	return result;
}

function toRow(
	{ key, multipleChoice }: Pick<Question, 'key' | 'multipleChoice'>,
	formId: string | undefined,
): QuestionField {
	return {
		id: key,
		displayName: multipleChoice ? `${key} (multiple choice)` : key,
		required: false,
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: true,
		// No type: n8n would turn lists and numbers into text in its own way.
		...(multipleChoice && { multipleChoice }),
		...(multipleChoice === undefined && { isUnsure: true }),
		formId,
	};
}
