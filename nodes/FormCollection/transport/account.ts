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

export const CREDENTIAL_TYPE = 'formCollectionApi';
const CREDENTIAL = 'the credential';

/** Whose forms and responses a request is about. */
export interface Account {
	/** Equal for the same account. It holds the API key, so it must not be kept after the run. */
	key: string;
	/** Without a slash at the end */
	baseUrl: string;
	apiKey: string;
	/** The credential that n8n authenticates the request with */
	credential: ICredentialsDecrypted;
}

export function credentialIdOf(node: INode): unknown {
	return node.credentials?.[CREDENTIAL_TYPE]?.id;
}

/**
 * The account that the credential of the node names for an item: its fields may hold expressions.
 *
 * @throws InvalidInput for a credential that no request can be made of
 */
export async function readAccount(context: RequestContext, itemIndex: number): Promise<Account> {
	const data = await context
		.getCredentials(CREDENTIAL_TYPE, itemIndex)
		.catch((error: unknown) => Promise.reject(unreadable(error)));
	const apiKey = String(data.apiKey ?? '').trim();
	const copyKey = `copy it from your account settings into ${CREDENTIAL}`;
	if (apiKey === '') throw new InvalidInput(`The API Key is empty: ${copyKey}`);
	if (/^bearer\s/i.test(apiKey)) {
		throw new InvalidInput(`The API Key begins with "Bearer": remove this word in ${CREDENTIAL}`);
	}
	// A header takes no other characters.
	if (!/^[\x21-\x7e]+$/.test(apiKey)) {
		throw new InvalidInput(`The API Key has invalid characters: ${copyKey}`);
	}
	const baseUrl = toUrl('Base URL', data.baseUrl, 'https://forms.example.com/api');
	const credential = { id: '', name: '', type: CREDENTIAL_TYPE, data };
	return { key: `${apiKey} ${baseUrl}`, baseUrl, apiKey, credential };
}

/** Of all items, in their order; each is an error where the credential cannot be used for that item. */
export async function readAccounts(
	context: RequestContext,
	items: number,
): Promise<(Account | InvalidInput)[]> {
	const accounts: (Account | InvalidInput)[] = [];
	for (let itemIndex = 0; itemIndex < items; itemIndex++) {
		const account = await readAccount(context, itemIndex).catch((error: InvalidInput) => error);
		accounts.push(account);
		// n8n reads its database for each item; without expressions in the credential, once is enough.
		const isSame = !(account instanceof Error) && account.credential.data?.sameForAllItems === true;
		if (isSame) return new Array<Account>(items).fill(account);
	}
	return accounts;
}

/**
 * The address of the embed script, without `/embed.js`.
 *
 * @throws InvalidInput
 */
export function embedUrlOf({ credential }: Account): string {
	const { embedUrl }: ICredentialDataDecryptedObject = credential.data ?? {};
	return toUrl('Embed URL', embedUrl, 'https://forms.example.com').replace(/\/embed\.js$/, '');
}

function unreadable(error: unknown): InvalidInput {
	const reason = error instanceof Error ? error.message : String(error);
	return new InvalidInput(
		'The credential of this node cannot be read: select or create one under Credential',
		`Reason: ${reason}`,
	);
}

function toUrl(name: string, value: unknown, example: string): string {
	const text = String(value ?? '').trim();
	const enterOne = `enter one like ${example} in ${CREDENTIAL}`;
	if (text === '') throw new InvalidInput(`The ${name} is empty: ${enterOne}`);
	// The text is not shown, because it may be the API key.
	if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
		throw new InvalidInput(`The ${name} is not a web address: ${enterOne}`);
	}
	const url = new URL(text);
	if (url.username || url.password || url.search || url.hash) {
		throw new InvalidInput(`The ${name} has more than a host and a path: ${enterOne}`);
	}
	return url.origin + url.pathname.replace(/\/+$/, '');
}
