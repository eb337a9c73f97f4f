import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { operationSubtitle, properties } from './actions';
import { route } from './actions/router';
import { testCredential } from './methods/credentialTest';
import { searchForms, searchFormSlugs } from './methods/forms';
import { getQuestionKeys, getQuestions } from './methods/questions';

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
		description:
			'Read and submit form responses, embed forms, and start workflows on new responses',
		defaults: { name: 'Form Collection' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'formCollectionApi', required: true, testedBy: 'testCredential' }],
		properties,
	};

	methods = {
		credentialTest: { testCredential },
		listSearch: { searchForms, searchFormSlugs },
		loadOptions: { getQuestionKeys },
		resourceMapping: { getQuestions },
	};

	execute = route;
}
