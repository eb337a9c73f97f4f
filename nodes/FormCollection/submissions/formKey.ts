import { hashOf } from '../hash';
import { type Account, isSameForAllItems } from '../transport/account';

/** Of a form, for items with the same credential, also if its Base URL or API Key changes. */
export function formKey(credentialId: string, formId: string): string {
	return hashOf(JSON.stringify([credentialId, formId]));
}

/**
 * Tells apart the accounts of a credential that holds expressions. Undefined for any other credential: it has
 * one account, also if that gets a new key or address.
 *
 * It is saved with the execution, so it is only 3 characters of a hash: these 14 bits neither help to guess a
 * key nor prove a guess right. Two accounts share a mark once in about 5,000.
 */
export function accountMark(account: Account): string | undefined {
	if (isSameForAllItems(account)) return undefined;
	const { baseUrl, apiKey } = account;
	return hashOf(JSON.stringify([baseUrl, apiKey])).slice(0, 3);
}
