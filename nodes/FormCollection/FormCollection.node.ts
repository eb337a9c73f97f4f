import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { operationFields, operationSelector, operationSubtitle } from './operations';
import { searchForms } from './pickers/forms';
import { getQuestions } from './pickers/questions';
import { route } from './router';

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
		description: 'Read the responses of your forms and submit new ones',
		defaults: { name: 'Form Collection' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'formCollectionApi', required: true }],
		properties: [operationSelector, ...operationFields],
	};

	methods = {
		listSearch: { searchForms },
		resourceMapping: { getQuestions },
	};

	execute = route;
}
