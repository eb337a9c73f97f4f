import { hashOf } from '../hash';
import type { Account } from '../transport/account';

/** Of a form, for items with the same credential, also if its Base URL or API Key changes. */
export function formKey(credentialId: string, formId: string): string {
	return hashOf(JSON.stringify([credentialId, formId]));
}

/**
 * Tells apart the accounts of a credential that holds expressions. It is saved with the execution, so it is
 * only 3 characters of a hash: these 14 bits neither help to guess a key nor prove a guess right. Two accounts
 * share a mark once in about 5,000.
 */
export function accountMark({ baseUrl, apiKey }: Account): string {
	return hashOf(JSON.stringify([baseUrl, apiKey])).slice(0, 3);
}

/** Whether two marks may be of the same account */
export type SameAccount = (one: string | undefined, other: string | undefined) => boolean;

/**
 * @param accounts of all items. A mark that is of none of them was made before the credential got a new key or
 * address: it may be of any account.
 */
export function sameAccount(accounts: Account[]): SameAccount {
	// Most often all items have the same account.
	const marks = new Set([...new Set(accounts)].map(accountMark));
	const isOfItem = (mark: string | undefined) => mark !== undefined && marks.has(mark);
	return (one, other) => one === other || !isOfItem(one) || !isOfItem(other);
}
