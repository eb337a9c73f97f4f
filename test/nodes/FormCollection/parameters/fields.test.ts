import { collectColumns } from '../../../../nodes/FormCollection/responses/table';
import {
	readAnswerFilters,
	readShape,
	readTimeout,
} from '../../../../nodes/FormCollection/parameters/fields';

it('leaves the timeout open where the option was not added', () => {
	expect(readTimeout({})).toBe(30_000);
	expect(() => readTimeout({ timeout: undefined })).toThrow('Timeout is empty');
});

it('joins multiple choice of flattened answers also where the option was not added', () => {
	const responses = [{ id: 'r1', answers: { a: ['b', 'c'] } }];

	expect(readShape(true, {})?.(responses, collectColumns().result())).toEqual([
		{ a: 'b, c', id: 'r1' },
	]);
	expect(readShape(false, {})).toBeUndefined();
});

it('names the field of a filter that has an object for text', () => {
	const filters = (row: object) => ({ answerFilters: { filter: [row] } });

	expect(() => readAnswerFilters(filters({ question: 'a', value: { b: 1 } }))).toThrow(/^Value /);
	expect(() => readAnswerFilters(filters({ question: { b: 1 }, value: 'a' }))).toThrow(
		/^Question Name or ID /,
	);
});
