import { keyOfAllAnswers } from '../../../../nodes/FormCollection/submissions/comparison';

it('answers are compared whatever the order of their keys, without those that are empty', () => {
	const same = keyOfAllAnswers({ a: '1', b: ['2'] });

	expect(same).toBe('[["a","1"],["b","2"]]');
	expect(keyOfAllAnswers({ b: '2', a: '1' })).toBe(same);
	expect(keyOfAllAnswers({ none: null, b: '2', empty: '', a: ['1'], list: [] })).toBe(same);
	expect(keyOfAllAnswers({ a: '1', b: ['2', '3'] })).not.toBe(same);
});

it.each([{ a: {} }, { a: '1', b: {} }, { a: {}, b: '1' }, { a: [[1]] }])(
	'answers that the API does not know are not compared: %j',
	(answers) => {
		expect(keyOfAllAnswers(answers)).toBeUndefined();
	},
);
