import type { INodePropertyOptions } from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';
import {
	toBoolean,
	toChoice,
	toCount,
	toList,
	toMoment,
	toObject,
	toText,
	toTimeout,
} from '../../nodes/FormCollection/parameters/values';
import { InvalidInput } from '../../nodes/FormCollection/transport/errors';

/*
 * Most of what expressions read from spreadsheets and web hooks is text. A field reads such a value, or refuses it by its
 * name; it never takes it for something else.
 */

const choices: (INodePropertyOptions & { value: string })[] = [
	{ name: 'Newest First', value: 'newestFirst' },
	{ name: 'Oldest First', value: 'oldestFirst' },
];
const toOrder = (name: string, value: unknown) => toChoice(name, value, choices);
/** In Berlin, one hour ahead of UTC in winter */
const toTime = (name: string, value: unknown) => toMoment(name, value, 'Europe/Berlin');

const noon = '2026-01-02T12:00:00Z';
const time = (text: string) => Date.parse(text);
/** Of Luxon, as expressions give it */
const luxonNoon = tryToParseDateTime(noon, 'Asia/Tokyo');

type Read = (name: string, value: unknown) => unknown;
const valid: [Read, unknown, unknown[]][] = [
	[toBoolean, true, [true, 'true', ' TRUE\n', 1, '1']],
	[toBoolean, false, [false, 'false', 'FALSE', 0, '0']],
	[toCount, 1, [1, '1', ' 1 ', '1.0']],
	[toCount, 250, [250, '250']],
	[toTimeout, 2_500, [2.5, '2.5']],
	[toTimeout, 250, ['0.25']],
	[toTimeout, 3_600_000, [3600]],
	[toOrder, 'newestFirst', ['newestFirst', ' NEWESTFIRST', 'Newest First']],
	[toText, '', [undefined, null, '']],
	[toText, ' a ', [' a ']],
	[toText, '7', [7]],
	[toText, 'false', [false]],
	[toObject, { a: 1 }, [{ a: 1 }, '{"a":1}']],
	[toList, ['a'], [['a'], '["a"]']],
	[toTime, undefined, ['']],
	[toTime, time(noon), [noon, '2026-01-02t12:00z', '2026-01-02T12:00:00.000+00']],
	[toTime, time(noon), ['2026-01-02T08:30:00-03:30', ' 2026-01-02T13:00:00+0100 ']],
	[toTime, time(noon), ['2026-01-02T13:00:00', '2026-01-02 13:00']],
	[toTime, time(noon), [new Date(noon), luxonNoon]],
	[toTime, time('2026-01-01T23:00:00Z'), ['2026-01-02']],
	[toTime, time('2026-06-30T22:00:00Z'), ['2026-07-01', '2026-07-01T00:00:00']],
];

it.each(
	valid.flatMap(([read, expected, values]) => values.map((value) => [read, value, expected])),
)('%p reads %p as %p', (read, value, expected) => {
	expect((read as Read)('Field', value)).toEqual(expected);
});

const nothing = [undefined, null];
const invalid: [Read, unknown[]][] = [
	[toBoolean, [...nothing, '', 'maybe', 'yes', 2, -1, {}, [true]]],
	[toCount, [...nothing, '', 'x', '1,000', '0x10', '5.5', 0, -1, 2.5, NaN, Infinity, true, [5]]],
	[toTimeout, [...nothing, '', 'soon', '30s', '0x10', 0, -1, 3600.5, true, {}]],
	[toOrder, [...nothing, '', 'newest', 0, ['newestFirst']]],
	[toText, [{}, ['a'], new Date()]],
	[toObject, [...nothing, '', 'a', '[]', [], 7]],
	[toList, [...nothing, '', 'a', '{}', {}]],
	[
		toTime,
		[...nothing, 'soon', '5', 'last week 3', '01/02/2026', '20260102T1300', '1767355200000'],
	],
	[
		toTime,
		[
			'2026-02-30',
			'2026-13-01',
			'02026-01-02',
			'2026-01-02T9',
			'2026-01-02T25:00',
			'Fri, 02 Jan 2026 12:00:00 GMT',
		],
	],
	[toTime, [5, NaN, 1767355200000, true, {}, ['2026-01-02'], new Date('x')]],
	[toTime, [luxonNoon.setZone('nowhere'), luxonNoon.diff(luxonNoon.minus({ days: 7 }))]],
];

it.each(invalid.flatMap(([read, values]) => values.map((value) => [read, value] as const)))(
	'%p refuses %p by the name of the field, and says what to do',
	(read, value) => {
		const refuse = () => read('Field', value);

		expect(refuse).toThrow(InvalidInput);
		expect(refuse).toThrow(/^Field is .+: .+/);
	},
);

const longest = 'x'.repeat(40);
it.each<[Read, unknown, string]>([
	[toBoolean, 'maybe', '"maybe": enter true or false'],
	[toBoolean, longest, `"${longest}": enter true or false`],
	[toBoolean, `${longest}y`, `"${longest}…": enter true or false`],
	[toBoolean, undefined, 'an expression that returns no value: enter true or false'],
	[toBoolean, null, 'an expression that returns no value: enter true or false'],
	[toBoolean, '', 'empty: enter true or false'],
	[toBoolean, ' ', 'empty: enter true or false'],
	[toText, [], 'a list: enter text'],
	[toText, {}, 'an object: enter text'],
	[toOrder, 7, '"7": choose Newest First, Oldest First'],
	[toObject, '["secret"]', 'not an object: use an expression that returns one'],
])('%p says of %j that it is %s', (read, value, expected) => {
	expect(() => read('Field', value)).toThrow(new InvalidInput(`Field is ${expected}`));
});
