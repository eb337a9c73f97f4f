import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { flattenFields, formField, timeoutField } from './actions/fields';
import { searchForms } from './methods/forms';
import { events } from './trigger/events';
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
		subtitle: 'New Response',
		description: 'Starts the workflow when a form has a new response',
		eventTriggerDescription: 'Waiting for a new response',
		activationMessage: 'New responses of your form now start this workflow.',
		defaults: { name: 'Form Collection Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'formCollectionApi', required: true }],
		properties: [
			{
				displayName:
					'Each poll is one request. The Free plan has 100 an hour: polling every minute takes 60 of them, every 5 minutes (Mode "Every X") takes 12.',
				name: 'costNotice',
				type: 'notice',
				default: '',
			},
			{
				displayName: 'Event',
				name: 'event',
				type: 'options',
				noDataExpression: true,
				default: 'newResponse',
				options: events,
			},
			formField,
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add option',
				default: {},
				options: [
					...flattenFields,
					{
						displayName: 'Include Existing Responses',
						name: 'includeExisting',
						type: 'boolean',
						default: false,
						description:
							'Whether the first poll also returns the responses that the form has already, instead of only those that come later',
					},
					timeoutField,
				],
			},
		],
	};

	methods = { listSearch: { searchForms } };

	poll = poll;
}
