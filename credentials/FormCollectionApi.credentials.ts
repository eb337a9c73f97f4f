import type {
	IAuthenticateGeneric,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

export class FormCollectionApi implements ICredentialType {
	name = 'formCollectionApi';

	displayName = 'Form Collection API';

	icon = {
		light: 'file:../icons/formCollection.svg',
		dark: 'file:../icons/formCollection.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/form-collection/n8n-nodes-form-collection?tab=readme-ov-file#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'https://forms.example.com/api',
			description: 'The address of the API of your Form Collection Service, usually ending in /api',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'You find the API key in the account settings of your Form Collection Service',
		},
		{
			displayName: 'Embed URL',
			name: 'embedUrl',
			type: 'string',
			default: '',
			placeholder: 'https://forms.example.com',
			description: 'The address that the embed script is loaded from; only embed codes need it',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: {
				Authorization: '=Bearer {{ $credentials.apiKey.trim() }}',
			},
		},
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}',
			url: '/forms',
			// n8n forwards the key to wherever a redirect points.
			disableFollowRedirect: true,
			timeout: 30_000,
		},
	};
}
