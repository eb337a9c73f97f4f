import type { RequestResult } from '../../../../nodes/FormCollection/transport/attempt';
import {
	hasGivenUp,
	outcomeOf,
	saysCreated,
} from '../../../../nodes/FormCollection/transport/outcome';

it.each([
	[408, true, 'unknown'],
	[460, true, 'unknown'],
	[499, true, 'unknown'],
	[400, false, 'refused'],
	[429, false, 'refused'],
	[302, false, 'unknown'],
	[503, false, 'unknown'],
])('a %i: has given up %s, outcome %s', (status, isGivenUp, outcome) => {
	expect(hasGivenUp(status)).toBe(isGivenUp);
	expect(outcomeOf({ kind: 'reply', status } as RequestResult)).toBe(outcome);
});

it.each([
	['{"success":true}', true],
	[' {"success":true,"response_id":1}\n', true],
	['{"success":"true"}', false],
	['{"success":false}', false],
	['{"success":true', false],
	['', false],
])('%j says that the response was created: %s', (text, expected) => {
	expect(saysCreated(text)).toBe(expected);
});
