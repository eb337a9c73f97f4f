import { hashOf } from '../hash';
import type { Account } from '../transport/account';

/**
 * Tells apart accounts that share a credential whose API Key is an expression: only the key differs.
 * It is saved with the execution, so it holds 3 of the letters and digits of a hash. About 15 bits
 * neither help to guess a key nor prove a guess right.
 */
export function formKey({ baseUrl, apiKey }: Account, formId: string): string {
	return `${hashOf(JSON.stringify([baseUrl, formId]))}-${hashOf(apiKey).slice(0, 3)}`;
}
