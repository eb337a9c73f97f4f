import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
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
			placeholder: 'e.g. https://forms.example.com/api',
			description: 'The API address of your Form Collection Service; it usually ends in /api',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Copy it from the account settings of your Form Collection Service',
		},
		{
			displayName: 'Embed URL',
			name: 'embedUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://forms.example.com (only for embed codes)',
			description:
				'The address that the embed script is loaded from, without /embed.js; only Get Embed Code needs it',
		},
		{
			// Hidden from users. n8n leaves out a field whose `displayOptions` do not hold, so a node gets this only
			// where no expression makes the account depend on the item, and then reads the credential once for all
			// items. Not `regex`: n8n 2.41 ends one after 250 ms, and on a busy machine could not read the credential.
			displayName: 'Same for All Items',
			name: 'sameForAllItems',
			type: 'hidden',
			default: true,
			displayOptions: {
				hide: {
					baseUrl: [{ _cnd: { startsWith: '=' } }],
					apiKey: [{ _cnd: { startsWith: '=' } }],
					embedUrl: [{ _cnd: { startsWith: '=' } }],
				},
			},
		},
	];

	/**
	 * A function, because n8n 2.41 evaluates the expression of a generic `authenticate` for each request:
	 * too late for a poll, when another poll of the workflow has released what evaluates it.
	 */
	authenticate = async (
		{ apiKey }: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => ({
		...request,
		headers: { ...request.headers, Authorization: `Bearer ${String(apiKey).trim()}` },
	});
}
