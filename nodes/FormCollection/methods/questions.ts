import type {
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { formIdOf, toChoiceText } from '../actions/formLocator';
import { collectQuestions, type Question } from '../responses/questions';
import { connect } from '../transport/client';
import { InvalidInput, toNodeError } from '../transport/errors';

/** Where this many responses in a row have no other question, few others are left to be found. */
const ENOUGH_WITHOUT_NEW = 20_000;

/** The rows of the answers mapping: the question keys in the past responses of the chosen form. */
export async function getQuestions(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		return { fields: (await readQuestions(this)).map(toMapperField) };
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
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
		throw new InvalidInput('No form is chosen: pick one in the field Form first');
	}
	const service = connect(context);
	const account = await service.account(0);
	const { result = [] } = await service.responses(account, formId, () =>
		collectQuestions(ENOUGH_WITHOUT_NEW),
	);
	return result;
}

function toMapperField({ key }: Question): ResourceMapperField {
	return {
		id: key,
		displayName: key,
		required: false,
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: true,
		// No type: n8n would turn lists and numbers into text of its own making.
	};
}
