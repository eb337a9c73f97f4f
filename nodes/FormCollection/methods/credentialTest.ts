import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { FormCollectionApi } from '../../../credentials/FormCollectionApi.credentials';
import type { RequestContext } from '../transport/account';
import { ServiceClient } from '../transport/client';
import { type InvalidInput, ServiceError } from '../transport/errors';

/** Reads the forms, so that a credential which cannot be used ends with the error message of the nodes. */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const service = new ServiceClient(asRequestContext(this, data), 1);
		await service.forms(await service.account(0));
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: textOf(error) };
	}
}

/** The message and its details in one line, without the code of a failed connection. */
function textOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { message, description = '' } =
		error instanceof ServiceError ? error.details : (error as InvalidInput);
	// It is the credential that is open.
	const here = message.replace(/,? (into|in) the Form Collection API credential/, '');
	const details = description.split('\n').filter((line) => !line.startsWith('Reason: '));
	const sentences = [here, ...details].filter((text) => text !== '');
	return sentences.reduce((text, next) => `${text}${/[.!?]"?$/.test(text) ? '' : '.'} ${next}`);
}

interface StreamedReply {
	body: { destroy(): void };
}

/** n8n gives a credential test no other helper than `request`, which adds no key of itself. */
function asRequestContext(
	{ helpers }: ICredentialTestFunctions,
	data: ICredentialDataDecryptedObject,
): RequestContext {
	const httpRequestWithAuthentication = async (_type: string, options: IHttpRequestOptions) => {
		const { authenticate } = new FormCollectionApi();
		const { method, url, headers, timeout } = await authenticate(data, options);
		const request = helpers.request({
			method,
			uri: url,
			headers,
			timeout,
			useStream: true,
			resolveWithFullResponse: true,
			simple: false,
			// n8n forwards the key to wherever a redirect points.
			followRedirect: false,
		});
		return await endedBy(options.abortSignal as AbortSignal, request);
	};
	const context: unknown = {
		getCredentials: async () => data,
		helpers: { httpRequestWithAuthentication },
	};
	return context as RequestContext;
}

/**
 * This helper knows no signal, and in n8n 2.0 its timeout does not act until there is a connection: the
 * request is given up here, and a reply that has begun, or still comes, is cut off.
 */
async function endedBy(
	signal: AbortSignal,
	request: Promise<StreamedReply>,
): Promise<StreamedReply> {
	return await new Promise((resolve, reject) => {
		signal.addEventListener('abort', () => {
			reject(new Error('aborted'));
			request.then(
				({ body }) => body.destroy(),
				() => undefined,
			);
		});
		request.then(resolve, reject);
	});
}
