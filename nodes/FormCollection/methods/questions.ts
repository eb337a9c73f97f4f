import type {
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import { type QuestionRow, savedRows } from '../actions/createResponse/mapping';
import { formOf, toChoiceText } from '../parameters/formLocator';
import { collectQuestions, type Question } from '../responses/questions';
import { readAccount } from '../transport/account';
import { ServiceClient } from '../transport/client';
import { InvalidInput, toNodeError } from '../transport/errors';
import { isRecord } from '../transport/records';
import type { FormReference } from '../transport/request';

const NO_RESPONSES =
	'This form has no answers yet, so its questions are not known: choose By Question Key, or Map Automatically to send all fields';

/**
 * The rows of the answers mapping: the question keys in the past responses of the chosen form, then those of the saved
 * mapping that were not found, because n8n deletes what is mapped to a key that has no row.
 *
 * @throws where the node has, or may have, rows already: n8n would replace them by none
 */
export async function getQuestions(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const form = formOf(this.getCurrentNodeParameter('formId'));
	const mapping: unknown = this.getCurrentNodeParameter('answersMapping');
	const formId = form?.id;
	const kept = keptRows(mapping, formId);
	const read = readQuestions(this, form).then((questions) => {
		const keys = new Set(questions.map(({ key }) => key));
		const fields = [
			...questions.map(({ key, multipleChoice }) => toRow(key, formId, multipleChoice)),
			...kept.filter(({ id }) => !keys.has(id)),
		];
		if (fields.length === 0) throw new InvalidInput(NO_RESPONSES);
		return { fields };
	});
	return await read.catch((error: unknown) => {
		const nodeError = toNodeError(this.getNode(), error);
		// n8n 2.0 sends null for the whole mapping while the data of one of its expressions is not known.
		if (mapping === null || savedRows(mapping).length > 0) throw nodeError;
		// n8n 2.41 does not show a thrown error here. It shows the notice as HTML.
		const text = nodeError.message.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
		return { fields: kept, emptyFieldsNotice: text };
	});
}

/** Those of a mapping that was made outside of the editor are the keys that are mapped. */
function keptRows(mapping: unknown, formId: string | undefined): QuestionRow[] {
	const rows = savedRows(mapping);
	const value = isRecord(mapping) && isRecord(mapping.value) ? mapping.value : {};
	if (rows.length === 0) return Object.keys(value).map((id) => toRow(id, formId));
	return rows
		.filter((row) => row.formId === formId && row.removed !== true)
		.map(({ id, multipleChoice }) => toRow(id, formId, multipleChoice));
}

/** The question keys of the chosen form, as choices of a list. */
export async function getQuestionKeys(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const form = formOf(this.getCurrentNodeParameter('formId'));
	// n8n would show an error without its reason.
	if (form === undefined) return [];
	const questions = await readQuestions(this, form).catch((error: unknown) =>
		Promise.reject(toNodeError(this.getNode(), error)),
	);
	return questions.map(({ key }) => ({ name: key, value: toChoiceText(key) }));
}

async function readQuestions(
	context: ILoadOptionsFunctions,
	form: FormReference | undefined,
): Promise<Question[]> {
	if (form === undefined) {
		throw new InvalidInput(
			'No form is chosen: select one in Form, or run the nodes before this one if an expression gives it',
		);
	}
	const account = await readAccount(context, 0);
	const client = new ServiceClient(context);
	const { result } = await client.responses(account, form, collectQuestions);
	return result;
}

function toRow(key: string, formId?: string, multipleChoice?: boolean): QuestionRow {
	return {
		id: key,
		displayName: multipleChoice ? `${key} (multiple choice)` : key,
		required: false,
		defaultMatch: false,
		display: true,
		// No type: n8n would turn lists and numbers into text in its own way.
		multipleChoice,
		formId,
	};
}
