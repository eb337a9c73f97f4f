import type {
	IAuthenticateRuleResponseCode,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
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
			placeholder: 'e.g. https://forms.example.com',
			description:
				'The address that the embed script is loaded from, without /embed.js; only Get Embed Code needs it',
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

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}',
			url: '/forms',
			// n8n forwards the key to wherever a redirect points.
			disableFollowRedirect: true,
		},
		rules: [
			// Of a reply without forms, such as a web page, n8n would say "Connection successful!".
			{
				type: 'responseSuccessBody',
				properties: {
					key: 'forms',
					value: undefined,
					message: 'There are no forms at this Base URL: check it, it usually ends in /api',
				},
			},
			...statusRules({
				'The service has moved: set the Base URL to its new address': [301, 302, 303, 307, 308],
				'The service refused the API key: copy it from your account settings': [401],
				'This API key has no access to your forms: use the key of an account that has': [403],
				'There are no forms at this Base URL: check it, it usually ends in /api': [404],
				'The request limit of your plan is reached, so the key could not be tested: try again within the hour':
					[429],
				'The service did not accept the request: check the Base URL, it usually ends in /api': [
					400, 405, 409, 410, 413, 422,
				],
				'The service could not answer: try again in a few minutes': [408, 500, 502, 503, 504],
				// Of a reply that breaks off in its body, n8n would say "OK", in red.
				'The reply of the service was cut short: try again in a few minutes': [200],
			}),
		] as ICredentialTestRequest['rules'],
	};
}

/** n8n's own words for a status are its bare name, e.g. "Unauthorized". */
function statusRules(statuses: Record<string, number[]>): IAuthenticateRuleResponseCode[] {
	return Object.entries(statuses).flatMap(([message, values]) =>
		values.map((value) => ({ type: 'responseCode', properties: { value, message } })),
	);
}
