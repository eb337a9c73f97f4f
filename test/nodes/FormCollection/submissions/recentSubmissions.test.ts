import {
	currentPosition,
	keepWhile,
	noteSubmission,
	submissionsSince,
	watchForm,
} from '../../../../nodes/FormCollection/submissions/recentSubmissions';

const [anExecution, another] = [{ logId: 'one' }, { logId: 'another' }];
const submission = (n: number) => ({ by: anExecution, answers: { n: `${n}` } });
const answersOf = (form: string, position: number) =>
	submissionsSince(form, position, another)?.map(({ answers }) => answers.n);

beforeEach(() => {
	jest.useFakeTimers({ doNotFake: ['nextTick'] });
});
afterEach(() => {
	jest.useRealTimers();
});

it('the submissions since a position are known, of this form only', () => {
	watchForm('one');
	watchForm('another');
	noteSubmission('one', submission(0));
	const position = currentPosition();
	noteSubmission('one', submission(1));
	noteSubmission('another', submission(2));
	noteSubmission('one', submission(3));

	expect(answersOf('one', position)).toEqual(['1', '3']);
	expect(answersOf('another', position)).toEqual(['2']);
});

it.each([
	['a form that nobody has watched', () => undefined],
	[
		'more than the newest 10,000',
		() => {
			watchForm('long');
			for (let n = 0; n <= 10_000; n++) noteSubmission('long', submission(n));
		},
	],
	[
		'one of more than two minutes ago',
		() => {
			watchForm('long');
			noteSubmission('long', submission(0));
			jest.advanceTimersByTime(121_000);
			noteSubmission('long', submission(1));
		},
	],
])('nothing is known of %s', (_, submit) => {
	const position = currentPosition();
	submit();

	expect(answersOf('long', position)).toBeUndefined();
});

it('all are known while the form is read', async () => {
	watchForm('long');
	const position = currentPosition();
	await keepWhile('long', async () => {
		noteSubmission('long', submission(0));
		jest.advanceTimersByTime(121_000);
		watchForm('another');
		for (let n = 1; n <= 10_000; n++) noteSubmission('long', submission(n));
		await Promise.resolve();
		expect(answersOf('long', position)).toHaveLength(10_001);
	});
	noteSubmission('long', submission(10_001));

	expect(answersOf('long', position)).toBeUndefined();
});

it.each([
	[3_601_000, undefined],
	[3_599_000, ['0']],
])('those of a form that nobody has watched for %i ms: %j', (ms, known) => {
	watchForm('idle');
	const position = currentPosition();
	jest.advanceTimersByTime(ms);
	watchForm('another');
	noteSubmission('idle', submission(0));
	watchForm('idle');

	expect(answersOf('idle', position)).toEqual(known);
});

it('those of its own may be forgotten', () => {
	const owners = { A: anExecution, B: another };
	const of = (by: 'A' | 'B', n: number) => ({ ...submission(n), by: owners[by] });
	const isKnownTo = (owner: 'A' | 'B') =>
		submissionsSince('own', position, owners[owner]) !== undefined;
	watchForm('own');
	const position = currentPosition();
	noteSubmission('own', of('A', 0));
	noteSubmission('own', of('A', 1));
	jest.advanceTimersByTime(121_000);
	noteSubmission('own', of('B', 2));
	expect((['A', 'B'] as const).map(isKnownTo)).toEqual([true, false]);
	jest.advanceTimersByTime(121_000);
	noteSubmission('own', of('B', 3));
	expect((['A', 'B'] as const).map(isKnownTo)).toEqual([false, false]);
	expect(submissionsSince('own', position + 2, owners.B)).toEqual([]);
});
