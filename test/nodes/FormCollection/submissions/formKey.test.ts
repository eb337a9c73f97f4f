import { accountMark, sameAccount } from '../../../../nodes/FormCollection/submissions/formKey';

const credential = { id: '', name: '', type: 'formCollectionApi', data: {} };

it('a mark of an account tells accounts apart, and says next to nothing of the key', () => {
	const mark = (baseUrl: string, apiKey: string) => accountMark({ baseUrl, apiKey, credential });

	expect(mark('https://a', 'key')).toMatch(/^[\da-z]{3}$/);
	expect(mark('https://a', 'key')).toBe(mark('https://a', 'key'));
	expect(mark('https://a', 'key 2')).not.toBe(mark('https://a', 'key'));
	expect(mark('https://b', 'key')).not.toBe(mark('https://a', 'key'));
});

it('a mark that no item has may be of any account', () => {
	const [a, b] = ['a', 'b'].map((apiKey) => ({ baseUrl: 'https://a', apiKey, credential }));
	const isSame = sameAccount([a!, b!]);
	const [ofA, ofB] = [accountMark(a!), accountMark(b!)];

	expect([isSame(ofA, ofA), isSame(ofA, ofB), isSame(ofB, ofA)]).toEqual([true, false, false]);
	expect([isSame('old', ofA), isSame(ofA, 'old'), isSame(undefined, ofA)]).toEqual([
		true,
		true,
		true,
	]);
});
