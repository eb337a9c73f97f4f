import { comparedText } from '../../nodes/FormCollection/submissions/existingResponses';

/** Whether an item with these answers repeats a response with those, by the questions to match on or by all */
const isSame = (item: object, response: unknown, matchOn: string[] = []) => {
	const text = comparedText(item, matchOn);
	return text !== undefined && text === comparedText(response, matchOn);
};

it.each<[object, object]>([
	[
		{ a: '1', b: ['x', 'y'] },
		{ b: ['x', 'y'], a: '1' },
	],
	[{ a: 'x' }, { a: ['x'] }],
	[{ a: '1' }, { a: 1 }],
	[{ a: '1' }, { a: '1', b: '', c: [], d: null }],
])('%j has the same answers as %j', (item, response) => {
	expect([isSame(item, response), isSame(response, item)]).toEqual([true, true]);
});

it.each<[object, unknown]>([
	[{ a: '1' }, { a: '2' }],
	[{ a: 'x' }, { a: 'X' }],
	[{ a: '1' }, { a: '1', b: '2' }],
	[{ a: ['x'] }, { a: ['x', 'y'] }],
	[{ a: ['x', 'y'] }, { a: ['y', 'x'] }],
	[{ a: 'x,y' }, { a: ['x', 'y'] }],
	[{ a: '1' }, null],
	[{ a: '1' }, undefined],
	[{ a: '1' }, ['1']],
	[{ a: '1' }, 'a'],
])('%j has other answers than %j', (item, response) => {
	expect(isSame(item, response)).toBe(false);
});

it.each<[boolean, object, unknown]>([
	[true, { a: 'x', b: '1' }, { a: 'x', b: '1', c: '2' }],
	[true, { a: ' X ', b: '1' }, { a: 'x', b: '1' }],
	[true, { a: ['x', 'Y'], b: '1' }, { a: ['y', 'x'], b: '1' }],
	[true, { a: 'x' }, { a: 'x', b: ' ' }],
	[false, { a: 'x' }, { a: 'x', b: '1' }],
	[false, { a: 'x', b: '1' }, { a: '1', b: 'x' }],
	[false, { c: '2' }, { c: '2' }],
	[false, { a: ' ', b: [] }, { a: '' }],
	[false, { a: 'x' }, null],
])('by the questions a and b it is %j that %j is the same as %j', (expected, item, response) => {
	expect(isSame(item, response, ['a', 'b'])).toBe(expected);
});
