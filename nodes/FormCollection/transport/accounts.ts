import { type Account, accountKey, isSameForAllItems } from './account';

const ACCOUNTS_AT_ONCE = 50;

/** @throws what is wrong with the account of the item */
export function accountAt(accounts: (Account | Error)[], itemIndex: number): Account {
	const account = accounts[itemIndex] as Account | Error;
	if (account instanceof Error) throw account;
	return account;
}

/** Reads the accounts of all input items; equal ones are kept once. */
export async function readAccounts(
	items: number,
	read: (itemIndex: number) => Promise<Account>,
): Promise<(Account | Error)[]> {
	const accounts: (Account | Error)[] = [];
	const known = new Map<string, Account>();
	const readOne = async (itemIndex: number) => {
		try {
			const account = await read(itemIndex);
			const key = accountKey(account);
			const same = known.get(key) ?? account;
			known.set(key, same);
			return same;
		} catch (error) {
			return error as Error;
		}
	};
	while (accounts.length < items) {
		const first = accounts.length;
		// For each of them n8n 2.41 reads its database.
		const [only] = known.values();
		if (only && isSameForAllItems(only)) {
			return accounts.concat(Array.from({ length: items - first }, () => only));
		}
		const length = first === 0 ? 1 : Math.min(ACCOUNTS_AT_ONCE, items - first);
		accounts.push(...(await Promise.all(Array.from({ length }, (_, i) => readOne(first + i)))));
	}
	return accounts;
}
