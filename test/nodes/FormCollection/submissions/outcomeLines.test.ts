import {
	isFailureText,
	outcomeLines,
	referenceIn,
} from '../../../../nodes/FormCollection/submissions/outcomeLines';

it.each([
	[{}, 'Outcome: not sent', undefined],
	[{ outcome: 'neverSent' }, 'Outcome: not sent', undefined],
	[{ outcome: 'refused' }, 'Outcome: refused', undefined],
	[{ outcome: 'unknown' }, 'Outcome: unknown', undefined],
	[{ outcome: 'unknown', reference: '0:1:a-b' }, 'Reference: 0:1:a-b\nOutcome: unknown', '0:1:a-b'],
] as const)('%j is %j', (details, lines, reference) => {
	expect(outcomeLines(details)).toBe(lines);
	const text = `What went wrong\n${lines}`;
	expect(isFailureText(text)).toBe(true);
	expect(referenceIn(text)).toBe(reference);
});

it.each(['Outcome: unknown', 'No\nOutcome: lost', 'No\nOutcome: unknown\n', 7])(
	'%j is no such text',
	(text) => {
		expect(isFailureText(text)).toBe(false);
		expect(referenceIn(text)).toBeUndefined();
	},
);
