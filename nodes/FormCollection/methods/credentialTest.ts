import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { FormCollectionApi } from '../../../credentials/FormCollectionApi.credentials';
import { embedUrlOf, readAccount, type RequestContext } from '../transport/account';
import { ServiceClient } from '../transport/client';
import { type InvalidInput, ServiceError } from '../transport/errors';

/** Reads the forms, so that a credential which cannot be used ends with the error message of the nodes. */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const context = asRequestContext(this, data);
	const read = async () => {
		const account = await readAccount(context, 0);
		if (data.embedUrl) embedUrlOf(account);
		await new ServiceClient(context, 1).forms(account);
	};
	return await read().then(
		() => ({ status: 'OK', message: 'Connection successful!' }),
		(error: unknown) => ({ status: 'Error', message: textOf(error) }),
	);
}

/** The message and the description in one line. It is the credential that is open. */
function textOf(error: unknown): string {
	const { message, description = '' } =
		error instanceof ServiceError ? error.details : (error as InvalidInput);
	const facts = description.split('\n').filter((line) => !line.startsWith('Reason: '));
	const here = message.replace(/,? (?:into|in) the credential/, '');
	const texts = [here, ...facts].map((text) => text.replace(/\.$/, ''));
	return texts.filter((text) => text !== '').join('. ');
}

interface StreamedReply {
	body: { destroy(): void };
}

/** n8n gives a credential test no other helper than `request`, which adds no key of itself and knows no signal. */
function asRequestContext(
	{ helpers }: ICredentialTestFunctions,
	data: ICredentialDataDecryptedObject,
): RequestContext {
	const httpRequestWithAuthentication = async (_type: string, options: IHttpRequestOptions) => {
		const { method, url, headers, timeout } = await new FormCollectionApi().authenticate(
			data,
			options,
		);
		const reply = (await helpers.request({
			method,
			uri: url,
			headers,
			timeout,
			useStream: true,
			resolveWithFullResponse: true,
			simple: false,
			// n8n forwards the key to wherever a redirect points.
			followRedirect: false,
		})) as StreamedReply;
		(options.abortSignal as AbortSignal).addEventListener('abort', () => reply.body.destroy());
		return reply;
	};
	const context: unknown = {
		getCredentials: async () => data,
		helpers: { httpRequestWithAuthentication },
	};
	return context as RequestContext;
}
