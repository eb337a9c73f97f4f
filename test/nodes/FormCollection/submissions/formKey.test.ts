import { accountMark } from '../../../../nodes/FormCollection/submissions/formKey';

const credential = { id: '', name: '', type: 'formCollectionApi', data: {} };

it('a mark of an account tells accounts apart, and says next to nothing of the key', () => {
	const mark = (baseUrl: string, apiKey: string) => accountMark({ baseUrl, apiKey, credential });

	expect(mark('https://a', 'key')).toMatch(/^[\da-z]{3}$/);
	expect(mark('https://a', 'key')).toBe(mark('https://a', 'key'));
	expect(mark('https://a', 'key 2')).not.toBe(mark('https://a', 'key'));
	expect(mark('https://b', 'key')).not.toBe(mark('https://a', 'key'));
});

it('a credential without an expression has one account, whatever its key is', () => {
	const fixed = { ...credential, data: { sameForAllItems: true } };

	expect(accountMark({ baseUrl: 'https://a', apiKey: 'key', credential: fixed })).toBeUndefined();
});
