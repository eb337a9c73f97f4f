import { readTimeout, shaper, wholeNumber } from '../../../../nodes/FormCollection/actions/fields';

it.each([
	[undefined, undefined],
	[1, 1_000],
	[0.5, 500],
	['30', 30_000],
	[3600, 3_600_000],
])('reads the timeout %j in milliseconds: %p', (timeout, expected) => {
	expect(readTimeout({ timeout })).toBe(expected);
});

it.each([0, -1, 3600.1, 'soon', '', null])('refuses the timeout %j', (timeout) => {
	expect(() => readTimeout({ timeout })).toThrow('enter a number of seconds from 1 to 3600');
});

it.each([
	[1, 1],
	['2', 2],
])('reads the whole number %j', (value, expected) => {
	expect(wholeNumber('Limit', value)).toBe(expected);
});

it.each(['', ' ', 0, 0.5, 1.5, 'x', null, undefined])('refuses %j for a whole number', (value) => {
	expect(() => wholeNumber('Limit', value)).toThrow('enter a whole number of at least 1');
});

it('keeps the list of a multiple choice where nothing is said of joining it', () => {
	const shape = shaper({ flattenAnswers: true });

	expect(shape({ id: 'r1', answers: { a: ['b', 'c'] } })).toEqual({ id: 'r1', a: ['b', 'c'] });
});
