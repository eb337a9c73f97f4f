import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INode,
	IPollFunctions,
} from 'n8n-workflow';
import { InvalidInput } from './errors';

export type RequestContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

const CREDENTIAL_TYPE = 'formCollectionApi';

/** Whose forms and responses a request is about. */
export interface Account {
	/** Without a slash at the end */
	baseUrl: string;
	apiKey: string;
	/** The credential that n8n makes the header of */
	credential: ICredentialsDecrypted;
}

/**
 * The account that the credential of the node names. Its fields may hold expressions, which n8n
 * evaluates for each item.
 *
 * @throws InvalidInput for a credential that no request can be made of
 */
export async function readAccount(context: RequestContext, itemIndex: number): Promise<Account> {
	const data = await readCredential(context, itemIndex);
	const apiKey = apiKeyIn(data);
	// A header takes no other characters, and servers take no longer ones.
	if (!/^[\x21-\x7e]{1,8192}$/.test(apiKey)) {
		if (/^bearer\s/i.test(apiKey)) {
			throw new InvalidInput(
				'The API Key begins with the word Bearer: leave it out in the Form Collection API credential, because the node adds it',
			);
		}
		throw new InvalidInput(
			`The API Key is ${apiKey === '' ? 'empty' : 'incomplete or has invalid characters'}: copy it from your account settings into the Form Collection API credential`,
		);
	}
	return {
		baseUrl: normalizeUrl('Base URL', data.baseUrl, 'https://forms.example.com/api'),
		apiKey,
		credential: { id: '', name: '', type: CREDENTIAL_TYPE, data },
	};
}

/** Of the credential that the node has selected; empty where n8n does not say. */
export function credentialIdOf({ credentials }: INode): string {
	return credentials?.[CREDENTIAL_TYPE]?.id ?? '';
}

/** The key alone, also of a credential that no request can be made of. */
export async function readApiKey(context: RequestContext, itemIndex: number) {
	const data = await readCredential(context, itemIndex);
	return { apiKey: apiKeyIn(data), isSameForAllItems: data.sameForAllItems === true };
}

function apiKeyIn({ apiKey }: ICredentialDataDecryptedObject): string {
	return String(apiKey ?? '').trim();
}

/** A text that is the same for the same account. It holds the API key: for memory only. */
export function accountKey({ baseUrl, apiKey }: Account): string {
	return `${apiKey} ${baseUrl}`;
}

/** A text that is the same for the same form of the same account, for memory only as well. */
export function accountFormKey(account: Account, formId: string): string {
	return `${accountKey(account)} ${formId}`;
}

/** Whether the credential holds no expression that makes the account */
export function isSameForAllItems({ credential }: Account): boolean {
	return credential.data?.sameForAllItems === true;
}

/** The address of the embed script, from the credential, without a request. */
export async function readEmbedUrl(context: RequestContext, itemIndex: number): Promise<string> {
	const { embedUrl } = await readCredential(context, itemIndex);
	const url = normalizeUrl('Embed URL', embedUrl, 'https://forms.example.com');
	// What people copy out of an embed code is the address of the script itself.
	return url.replace(/\/embed\.js$/, '');
}

/** n8n's own error message ends with a full stop and does not say what to do. */
async function readCredential(context: RequestContext, itemIndex: number) {
	try {
		return await context.getCredentials(CREDENTIAL_TYPE, itemIndex);
	} catch (error) {
		throw unreadableCredential(error);
	}
}

function unreadableCredential(error: unknown): InvalidInput {
	const reason = (error instanceof Error ? error.message : String(error)).replace(/\.\s*$/, '');
	const choose = 'select or create one under Credential';
	if (/does not exist for type|with no ID/.test(reason)) {
		return new InvalidInput(`The credential of this node no longer exists: ${choose}`);
	}
	if (/not have any credentials? set/.test(reason)) {
		return new InvalidInput(`This node has no credential: ${choose}`);
	}
	return new InvalidInput(
		'n8n could not read the Form Collection API credential: open it and check its fields',
		`Reason: ${reason}`,
	);
}

/** @throws InvalidInput unless it is an http(s) address without user name, query or fragment */
export function normalizeUrl(name: string, value: unknown, example: string): string {
	const text = String(value ?? '').trim();
	const enterOne = `enter one like ${example} in the Form Collection API credential`;
	if (text === '') throw new InvalidInput(`The ${name} is empty: ${enterOne}`);
	// Not shown: it may be the API key, or hold a password.
	if (!/^https?:/i.test(text) || !URL.canParse(text)) {
		throw new InvalidInput(`The ${name} is not a web address: ${enterOne}`);
	}
	const url = new URL(text);
	if (url.username || url.password || url.search || url.hash) {
		throw new InvalidInput(
			`The ${name} has more than a host and a path: leave out the user name, "?" and "#", and ${enterOne}`,
		);
	}
	return url.origin + withoutSlashesAtEnd(url.pathname);
}

/** In a loop: a pattern would try each of many slashes in the middle. */
export function withoutSlashesAtEnd(path: string): string {
	let end = path.length;
	while (path[end - 1] === '/') end--;
	return path.slice(0, end);
}
