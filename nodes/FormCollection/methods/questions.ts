import type {
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import { formIdOf, toChoiceText } from '../actions/formLocator';
import type { QuestionField } from '../actions/mapping';
import { collectQuestions, type Question } from '../responses/questions';
import { ServiceClient } from '../transport/client';
import { InvalidInput, toNodeError } from '../transport/errors';
import { isRecord } from '../transport/records';

/** Where this many responses in a row have no other question, few others are left to be found. */
const ENOUGH_WITHOUT_NEW = 20_000;

/**
 * The rows of the answers mapping: the question keys in the past responses of the chosen form.
 *
 * @throws only where the node has questions already: n8n would replace them by none
 */
export async function getQuestions(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		const fields = (await readQuestions(this)).map(toMapperField);
		return fields.length > 0 ? { fields } : { fields, emptyFieldsNotice: NO_RESPONSES };
	} catch (error) {
		const nodeError = toNodeError(this.getNode(), error);
		if (hasQuestions(this)) throw nodeError;
		// n8n 2.41 would not show a thrown error here.
		return { fields: [], emptyFieldsNotice: asHtml(nodeError.message) };
	}
}

const NO_RESPONSES =
	'This form has no responses yet, so its questions are not known: choose By Question Key or As JSON under Enter Answers';

function hasQuestions(context: ILoadOptionsFunctions): boolean {
	const mapping: unknown = context.getCurrentNodeParameter('answersMapping');
	return isRecord(mapping) && Array.isArray(mapping.schema) && mapping.schema.length > 0;
}

function asHtml(text: string): string {
	return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The same as choices of a dropdown. */
export async function getQuestionKeys(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	try {
		const questions = await readQuestions(this);
		return questions.map(({ key }) => ({ name: key, value: toChoiceText(key) }));
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

async function readQuestions(context: ILoadOptionsFunctions): Promise<Question[]> {
	const formId = formIdOf(context.getCurrentNodeParameter('formId'));
	if (formId === undefined) {
		throw new InvalidInput(
			'No form is chosen: select one in the field Form first. If it comes from an expression, run the nodes before this one',
		);
	}
	const service = new ServiceClient(context);
	const account = await service.account(0);
	const { result = [] } = await service.responses(account, formId, () =>
		collectQuestions(ENOUGH_WITHOUT_NEW),
	);
	return result;
}

function toMapperField({ key, multipleChoice }: Question): QuestionField {
	return {
		id: key,
		displayName: multipleChoice ? `${key} (multiple choice)` : key,
		required: false,
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: true,
		// No type: n8n would turn lists and numbers into text in its own way.
		...(multipleChoice && { multipleChoice }),
	};
}
