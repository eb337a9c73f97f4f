import fc from 'fast-check';
import { parseIso8601, parseTimestamp } from '../../../../nodes/FormCollection/transport/timestamp';

const NINE = Date.UTC(2026, 0, 31, 9);

// The tests run in New York: what is read as local time is another time.
it.each([
	'2026-01-31T09:00:00Z',
	'2026-01-31T09:00:00z',
	'2026-01-31t09:00:00Z',
	'2026-01-31 09:00:00Z',
	' 2026-01-31T09:00:00Z\n',
	'2026-01-31T09:00:00',
	'2026-01-31T09:00',
	'2026-01-31 09',
	'2026-01-31T09:00Z',
	'2026-01-31T09:00:00.0Z',
	'2026-01-31T09:00:00,000Z',
	'2026-01-31T09:00:00.0000009999999999999999Z',
	'2026-01-31T09:00:00+00',
	'2026-01-31T09:00:00-00:00',
	'2026-01-31T10:00:00+01',
	'2026-01-31 10:00:00.000 +01:00',
	'2026-01-31T14:30:00+0530',
	'2026-01-31T14:30:00+05:30',
	'2026-01-31T05:30:00-03:30',
	'2026-01-31T05:00:00−04:00',
	'2026-01-30T21:00-12',
	'20260131T090000Z',
	'20260131T0900Z',
	'20260131T143000.000+0530',
	'20260131T090000',
	'+002026-01-31T09:00:00Z',
])('reads %j, in UTC where it names no zone', (text) => {
	expect(parseTimestamp(text)).toBe(NINE);
});

it.each([
	['2026-01-31', Date.UTC(2026, 0, 31)],
	['20260131', Date.UTC(2026, 0, 31)],
	['2026-01-31T09:00:00.5Z', NINE + 500],
	['2026-01-31T09:00:00,12Z', NINE + 120],
	['2026-01-31T09:00:00.0009Z', NINE + 0.9],
	['2026-01-31T09:00:00.0009999999999999999999Z', NINE + 0.999],
	['2026-01-31T09:00:00.123456789Z', NINE + 123.456],
	['2026-01-31T24:00:00Z', Date.UTC(2026, 1, 1)],
	['2026-01-31T24:00', Date.UTC(2026, 1, 1)],
	['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
	['2017-01-01T05:29:60+05:30', Date.UTC(2017, 0, 1)],
	['2024-02-29', Date.UTC(2024, 1, 29)],
	['0050-01-01T00:00:00Z', Date.parse('0050-01-01T00:00:00Z')],
	['-000050-01-01T00:00:00Z', Date.parse('-000050-01-01T00:00:00Z')],
])('reads %j', (text, time) => {
	expect(parseTimestamp(text)).toBe(time);
});

it.each([
	'',
	'now',
	'last week 3',
	'2026',
	'2026-01',
	'01/02/2026',
	'21 Nov 2026',
	'1769850000',
	'1769850000000',
	'2026-02-30',
	'2025-02-29T00:00:00Z',
	'2026-13-01',
	'2026-00-01',
	'2026-01-00',
	'2026-01-32T09:00:00Z',
	'2026-01-31T25:00:00Z',
	'2026-01-31T24:00:01Z',
	'2026-01-31T24:00:00.001Z',
	'2026-01-31T24:30Z',
	'2026-01-31T09:60:00Z',
	'2026-01-31T09:00:60Z',
	'2026-01-31T09:00:61Z',
	'2026-01-31T09:00:00+24:00',
	'2026-01-31T09:00:00+01:60',
	'2026-01-31T09:00:00+1',
	'2026-01-31T09:00:00 +01:00',
	'2026-01-31T09:00:00 GMT',
	'2026-01-31T09:00:00Z[UTC]',
	'2026-01-31T9:00:00Z',
	'2026-1-31T09:00:00Z',
	'2026-0131',
	'2026-01-31T09:0000Z',
	'2026-01-31  09:00:00',
	'2026-01-31TT09:00:00',
	'2026-01-31T',
	'2026-01-31Z',
	'2026-01-31T09:00:00.Z',
	'２026-01-31',
	'+300000-01-01T00:00:00Z',
	'2026-01-31T09:00:00Z\n2026-01-31T09:00:00Z',
])('takes %j for no timestamp', (text) => {
	expect(parseTimestamp(text)).toBeUndefined();
});

const moment = fc.integer({
	min: Date.parse('0001-01-02T00:00:00Z'),
	max: Date.parse('9999-12-30T00:00:00Z'),
});
const minutes = fc.integer({ min: -18 * 60, max: 18 * 60 });
const two = (value: number) => String(value).padStart(2, '0');

it('reads every moment in every form, at any offset', () => {
	fc.assert(
		fc.property(
			moment,
			minutes,
			fc.boolean(),
			fc.constantFrom('T', 't', ' '),
			fc.constantFrom('.', ','),
			fc.constantFrom(':', ''),
			fc.stringMatching(/^\d{0,9}$/),
			(time, offset, isBasic, between, point, colon, more) => {
				const iso = new Date(time + offset * 60_000).toISOString().slice(0, -1);
				const [date = '', clock = ''] = iso.split('T');
				const form = (text: string, sign: string) => (isBasic ? text.replaceAll(sign, '') : text);
				const local = `${form(date, '-')}${between}${form(clock, ':').replace('.', point)}${more}`;
				const [hour, minute] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
				const zone = `${offset < 0 ? '-' : '+'}${two(hour)}${colon}${two(minute)}`;

				// A number has room for microseconds in our centuries, and for less in others.
				const exact = time + Number(`0.${more}0`);
				expect(parseTimestamp(local + zone)).toBeCloseTo(exact, 1);
				const { wallClock, ...others } = parseIso8601(local) ?? {};
				expect(wallClock).toBeCloseTo(exact + offset * 60_000, 1);
				expect(others).toEqual({});
			},
		),
	);
});

it('reads what Date.parse reads, and only days that exist', () => {
	const part = (max: number) => fc.integer({ min: 0, max }).map(two);
	fc.assert(
		fc.property(
			fc.constantFrom('1900', '2000', '2024', '2026'),
			...([13, 32, 25, 61, 61].map(part) as [
				fc.Arbitrary<string>,
				fc.Arbitrary<string>,
				fc.Arbitrary<string>,
				fc.Arbitrary<string>,
				fc.Arbitrary<string>,
			]),
			(year, month, day, hour, minute, second) => {
				fc.pre(second !== '60');
				const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
				const time = Date.parse(text);
				const isDay = !Number.isNaN(time) && new Date(time).toISOString().includes(`-${month}-`);
				const isNextMonth = hour === '24' && !Number.isNaN(time);
				const exists =
					isDay || (isNextMonth && new Date(time - 1).toISOString().includes(`-${month}-${day}`));
				expect(parseTimestamp(text)).toBe(exists ? time : undefined);
			},
		),
		{ numRuns: 2_000 },
	);
});

it('never fails, whatever the text', () => {
	const letters = fc.string({ unit: fc.constantFrom(...'0123456789-+:.,TZ −'), maxLength: 40 });
	fc.assert(
		fc.property(letters, (text) => {
			const time = parseTimestamp(text);
			expect(time === undefined || !Number.isNaN(new Date(time).getTime())).toBe(true);
		}),
	);
});
