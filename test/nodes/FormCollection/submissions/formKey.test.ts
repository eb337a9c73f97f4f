import { accountMark } from '../../../../nodes/FormCollection/submissions/formKey';

it('a mark of an account tells accounts apart, and says next to nothing of the key', () => {
	const credential = { id: '', name: '', type: 'formCollectionApi', data: {} };
	const mark = (baseUrl: string, apiKey: string) => accountMark({ baseUrl, apiKey, credential });

	expect(mark('https://a', 'key')).toMatch(/^[\da-z]{3}$/);
	expect(mark('https://a', 'key')).toBe(mark('https://a', 'key'));
	expect(mark('https://a', 'key 2')).not.toBe(mark('https://a', 'key'));
	expect(mark('https://b', 'key')).not.toBe(mark('https://a', 'key'));
});
