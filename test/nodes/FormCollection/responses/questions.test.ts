import { collectQuestions } from '../../../../nodes/FormCollection/responses/questions';

it('the reading ends where as many responses in a row as wanted tell of no other question', () => {
	const collector = collectQuestions(2);
	const goesOn = (answers: object) => collector.add({ answers } as never);

	expect(goesOn({ a: 'x' })).toBe(true);
	expect(goesOn({ a: 'y' })).toBe(true);
	// Another question, and one that turns out to be multiple choice, each begin a new row.
	expect(goesOn({ b: 'x' })).toBe(true);
	expect(goesOn({ a: 'x' })).toBe(true);
	expect(goesOn({ a: ['x'] })).toBe(true);
	expect(goesOn({ a: ['y'] })).toBe(true);
	expect(goesOn({ a: ['x'], b: 'x' })).toBe(false);
});

it('all responses are read where no number is wanted', () => {
	const collector = collectQuestions();

	for (let i = 0; i < 1_000; i++) expect(collector.add({ answers: { a: 'x' } })).toBe(true);
	expect(collector.result()).toMatchObject([{ key: 'a', answered: 1_000 }]);
});
