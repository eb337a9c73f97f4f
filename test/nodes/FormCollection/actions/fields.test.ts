import { readTimeout, shaper } from '../../../../nodes/FormCollection/actions/fields';

it('leaves the timeout open where the option was not added', () => {
	expect(readTimeout({})).toBeUndefined();
	expect(() => readTimeout({ timeout: undefined })).toThrow('Timeout is empty');
});

it('keeps the list of a multiple choice where nothing is said of joining it', () => {
	const shape = shaper({ flattenAnswers: true });

	expect(shape({ id: 'r1', answers: { a: ['b', 'c'] } })).toEqual({ id: 'r1', a: ['b', 'c'] });
});
