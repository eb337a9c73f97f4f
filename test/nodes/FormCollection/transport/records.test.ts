import { UnexpectedBody } from '../../../../nodes/FormCollection/transport/body';
import { createdAt, parseConfirmation } from '../../../../nodes/FormCollection/transport/records';

it('reads the reply to a submitted response, whatever it says', () => {
	expect(parseConfirmation('{"success":"no","a":[1]}')).toEqual({ success: 'no', a: [1] });
});

it.each([
	['empty', ' '],
	['webPage', ' <p>'],
	['notJson', 'true story'],
	['cutShort', ' {"success":true'],
	['noObject', '[{"success":true}]'],
	['noObject', 'null'],
	['noObject', '"ok"'],
])('tells %s from a reply: %s', (found, text) => {
	const parse = () => parseConfirmation(text);

	expect(parse).toThrow(UnexpectedBody);
	expect(parse).toThrow(expect.objectContaining({ found, text }));
});

const NINE = Date.UTC(2026, 0, 31, 9);

it.each([
	['2026-01-31T09:00:00.000Z', NINE],
	['2026-01-31T09:00:00z', NINE],
	['2026-01-31T10:00:00+01:00', NINE],
	['2026-01-31T05:00:00-0400', NINE],
	// The tests run in New York: a time read as local would be another one.
	['2026-01-31T09:00:00', NINE],
	['2026-01-31 09:00', NINE],
	['+002026-01-31T09:00:00', NINE],
	['2026-01-31', Date.UTC(2026, 0, 31)],
	['yesterday', undefined],
	['', undefined],
	[NINE, undefined],
	[null, undefined],
	[undefined, undefined],
])('reads created_at %j', (created_at, time) => {
	expect(createdAt({ created_at })).toBe(time);
});
