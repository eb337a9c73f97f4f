import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { subtitle } from './actions';
import { flattenField, readingOptions } from './parameters/fields';
import { formField } from './parameters/formLocator';
import { testCredential } from './methods/credentialTest';
import { searchForms } from './methods/forms';
import { getQuestionKeys } from './methods/questions';
import { poll } from './trigger/poll';

export class FormCollectionTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Form Collection Trigger',
		name: 'formCollectionTrigger',
		icon: {
			light: 'file:../../icons/formCollection.svg',
			dark: 'file:../../icons/formCollection.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: subtitle('"New Response"'),
		// That of the node: n8n 2.41 lists both as one entry, with the description of one of them.
		description:
			'Read and submit form responses, embed forms, and start workflows on new responses',
		eventTriggerDescription: 'Waiting for a new response',
		activationMessage: 'New responses to your form now start this workflow.',
		defaults: { name: 'Form Collection Trigger' },
		polling: true,
		builderHint: {
			searchHint:
				'Emits each response of a form once, even across polls and restarts: needs a Remove Duplicates node after it only where a rare repeat would do harm',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'formCollectionApi', required: true, testedBy: 'testCredential' }],
		properties: [
			{
				displayName: "Polling every minute uses 60 of the Free plan's 100 requests per hour",
				name: 'costNotice',
				type: 'notice',
				default: '',
			},
			{
				// Hidden: n8n 2.41 finds the action for its node panel by a field of this name.
				displayName: 'Event',
				name: 'event',
				type: 'hidden',
				noDataExpression: true,
				default: 'newResponse',
				options: [{ name: 'New Response', value: 'newResponse', action: 'On new response' }],
			},
			formField,
			flattenField,
			readingOptions({
				displayName: 'Include Existing Responses',
				name: 'includeExisting',
				type: 'boolean',
				default: false,
				description: 'Whether the first poll also returns the responses that the form already has',
			}),
		],
	};

	methods = {
		credentialTest: { testCredential },
		listSearch: { searchForms },
		loadOptions: { getQuestionKeys },
	};

	poll = poll;
}
