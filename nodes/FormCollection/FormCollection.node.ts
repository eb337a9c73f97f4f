import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { operationFields, operationSelector, operationSubtitle } from './actions';
import { searchForms, searchFormSlugs } from './methods/forms';
import { getQuestionKeys, getQuestions } from './methods/questions';
import { route } from './actions/router';

export class FormCollection implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Form Collection',
		name: 'formCollection',
		icon: {
			light: 'file:../../icons/formCollection.svg',
			dark: 'file:../../icons/formCollection.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle,
		description: 'Read the responses of your forms, submit new ones and embed forms in web pages',
		defaults: { name: 'Form Collection' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'formCollectionApi', required: true }],
		properties: [operationSelector, ...operationFields],
	};

	methods = {
		listSearch: { searchForms, searchFormSlugs },
		loadOptions: { getQuestionKeys },
		resourceMapping: { getQuestions },
	};

	execute = route;
}
