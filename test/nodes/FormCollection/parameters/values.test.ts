import fc from 'fast-check';
import {
	refuseFixedName,
	toBoolean,
	toChoice,
	toList,
	toMoment,
	toObject,
	toText,
	toTimeout,
	toWholeNumber,
} from '../../../../nodes/FormCollection/parameters/values';
import { InvalidInput } from '../../../../nodes/FormCollection/transport/errors';

const circular: unknown[] = [];
circular.push(circular);

/** What no field but a list, an object or a date takes, and how a message shows it. */
const misplaced: [unknown, string][] = [
	[undefined, 'empty'],
	[null, 'empty'],
	['', 'empty'],
	[' \n', 'empty'],
	[{}, 'an object'],
	[{ value: true }, 'an object'],
	[[], '[]'],
	[[true], '[true]'],
	[['5'], '["5"]'],
	[circular, '[…]'],
	['maybe "so"', '"maybe \\"so\\""'],
	['x'.repeat(500), `"${'x'.repeat(99)}…`],
	[NaN, 'NaN'],
	[-1, '-1'],
	[Infinity, 'Infinity'],
	[7n, '7'],
	[Symbol('s'), 'Symbol(s)'],
];

const message = (read: () => unknown): string => {
	try {
		return `no error, but ${String(read())}`;
	} catch (error) {
		expect(error).toBeInstanceOf(InvalidInput);
		return (error as Error).message;
	}
};

describe('true or false', () => {
	it.each([true, 'true', 'TRUE', ' True\n', 1, '1', ' 1 '])('is read from %j: true', (value) => {
		expect(toBoolean('Return All', value)).toBe(true);
	});

	it.each([false, 'false', 'FALSE', '\tFalse ', 0, '0', -0])('is read from %j: false', (value) => {
		expect(toBoolean('Return All', value)).toBe(false);
	});

	it.each([...misplaced, ['yes', '"yes"'], ['on', '"on"'], ['01', '"01"'], [2, '2']])(
		'is not read from %p',
		(value, shown) => {
			expect(message(() => toBoolean('Return All', value))).toBe(
				`Return All is ${shown}: enter true or false`,
			);
		},
	);
});

describe('a whole number', () => {
	it.each([
		[1, 1],
		['5', 5],
		[' 5 ', 5],
		['0050', 50],
		['5.0', 5],
		[1e6, 1_000_000],
	])('is read from %j', (value, expected) => {
		expect(toWholeNumber('Limit', value)).toBe(expected);
	});

	it.each([
		...misplaced,
		[0, '0'],
		['0', '"0"'],
		[0.5, '0.5'],
		['5.5', '"5.5"'],
		['-5', '"-5"'],
		['0x10', '"0x10"'],
		['1e3', '"1e3"'],
		['1,000', '"1,000"'],
		['five', '"five"'],
		['9'.repeat(400), `"${'9'.repeat(99)}…`],
		[true, 'true'],
	])('is not read from %p', (value, shown) => {
		expect(message(() => toWholeNumber('Limit', value))).toBe(
			`Limit is ${shown}: enter a whole number of at least 1`,
		);
	});
});

describe('a timeout', () => {
	it.each([
		[1, 1_000],
		[0.5, 500],
		['30', 30_000],
		[' 2.5 ', 2_500],
		[3600, 3_600_000],
	])('is read from %j, in milliseconds', (value, expected) => {
		expect(toTimeout('Timeout', value)).toBe(expected);
	});

	it.each([...misplaced, [0, '0'], [3600.1, '3600.1'], ['soon', '"soon"'], [true, 'true']])(
		'is not read from %p',
		(value, shown) => {
			expect(message(() => toTimeout('Timeout', value))).toBe(
				`Timeout is ${shown}: enter a number of seconds from 1 to 3600`,
			);
		},
	);
});

describe('a choice', () => {
	const choices = [
		{ name: 'As Received', value: 'asReceived' },
		{ name: 'Newest First', value: 'newestFirst' },
		{ name: 'Oldest First', value: 'oldestFirst' },
	];

	it.each(['newestFirst', ' NEWESTFIRST\n', 'Newest First', 'newest first'])(
		'is read from %j',
		(value) => {
			expect(toChoice('Sort', value, choices)).toBe('newestFirst');
		},
	);

	it.each([...misplaced, ['newest', '"newest"'], ['newest  first', '"newest  first"'], [0, '0']])(
		'is not read from %p',
		(value, shown) => {
			expect(message(() => toChoice('Sort', value, choices))).toBe(
				`Sort is ${shown}: choose As Received, Newest First or Oldest First`,
			);
		},
	);

	it.each([undefined, 'newestFirst', '={{ "Newest First" }}'])(
		'that fields depend on may be entered as %j',
		(entered) => {
			expect(() => refuseFixedName('Sort', entered, choices)).not.toThrow();
		},
	);

	it('that fields depend on may not be entered by its name', () => {
		expect(message(() => refuseFixedName('Sort', 'newest first', choices))).toBe(
			'Sort is "newest first", for which n8n does not keep the fields below it: choose Newest First from the list again, and fill in these fields',
		);
	});

	it('may be the only one', () => {
		expect(message(() => toChoice('Event', 'x', choices.slice(0, 1)))).toBe(
			'Event is "x": choose As Received',
		);
	});
});

describe('a text', () => {
	it.each([
		['', ''],
		[' ; ', ' ; '],
		[7, '7'],
		[false, 'false'],
		[null, ''],
		[undefined, ''],
	])('is read from %j', (value, expected) => {
		expect(toText('Height', value)).toBe(expected);
	});

	it.each([
		[{}, 'an object'],
		[[';'], '[";"]'],
	])('is not read from %p', (value, shown) => {
		expect(message(() => toText('Height', value))).toBe(`Height is ${shown}: enter text`);
	});
});

describe('a list, an object', () => {
	it.each([[[]], [[{ a: 1 }]], ['[]'], [' [{"a":1}] ']])('is read from %j', (value) => {
		expect(toList('Answers', value)).toEqual(typeof value === 'string' ? JSON.parse(value) : value);
	});

	it.each([{}, { a: [1] }, '{}', ' {"a":[1]} '])('is read from %j', (value) => {
		expect(toObject('Answers', value)).toEqual(
			typeof value === 'string' ? JSON.parse(value) : value,
		);
	});

	it.each<[unknown, string]>([
		[undefined, 'empty'],
		[null, 'empty'],
		['', 'empty'],
		['{"a":', '"{\\"a\\":"'],
		['null', '"null"'],
		[7, '7'],
		[true, 'true'],
	])('is not read from %p', (value, shown) => {
		expect(message(() => toList('Answers', value))).toBe(`Answers is ${shown}: enter a list`);
		expect(message(() => toObject('Answers', value))).toBe(`Answers is ${shown}: enter an object`);
	});

	it('is not the one for the other', () => {
		expect(message(() => toList('Answers', '{}'))).toBe('Answers is "{}": enter a list');
		expect(message(() => toObject('Answers', []))).toBe('Answers is []: enter an object');
	});
});

describe('a moment', () => {
	const NINE = Date.UTC(2026, 0, 31, 9);
	const read = (value: unknown, zone = 'Europe/Berlin') => toMoment('Created After', value, zone);

	it.each([undefined, null, ''])('is not set by %j', (value) => {
		expect(read(value)).toBeUndefined();
	});

	it.each([
		'2026-01-31T10:00:00',
		'2026-01-31 10:00',
		'20260131T100000',
		'2026-01-31T09:00:00Z',
		'2026-01-31T05:30:00-03:30',
		new Date(NINE),
		{ toMillis: () => NINE },
		NINE,
		String(NINE),
		` ${NINE}\n`,
		'Sat, 31 Jan 2026 09:00:00 GMT',
		'sat,31 jan 2026 09:00 ut',
		'31 Jan 2026 10:00:00 +0100',
		'Sat, 31 Jan 2026 04:00:00 -0500',
	])('is read from %p, in the zone of the workflow where it names none', (value) => {
		expect(read(value)).toBe(NINE);
	});

	it.each([
		['of a day', '2026-07-01', '2026-06-30T22:00:00Z'],
		['in summer', '2026-03-29T03:00:00', '2026-03-29T01:00:00Z'],
		['in winter', '2026-03-29T01:59:59', '2026-03-29T00:59:59Z'],
		['that the clocks skip', '2026-03-29T02:30:00', '2026-03-29T01:30:00Z'],
		['at the end of a day', '2026-12-31T24:00:00', '2026-12-31T23:00:00Z'],
		['of the first days of a month', 'Sun, 1 Feb 2026 00:00:00 GMT', '2026-02-01T00:00:00Z'],
	])('is read %s', (_, value, utc) => {
		expect(read(value)).toBe(Date.parse(utc));
	});

	it('is a count of milliseconds that no date of our centuries has the digits of', () => {
		expect(read(999_105_010_000)).toBe(999_105_010_000);
	});

	it('that clocks show twice is one of the two', () => {
		const times = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map((utc) => Date.parse(utc));
		expect(times).toContain(read('2026-10-25T02:30:00'));
	});

	it('is what the clocks of the zone show, whatever the zone of the server', () => {
		const clockIn = (zone: string, time: number) =>
			new Date(time).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T');
		fc.assert(
			fc.property(
				fc.date({ min: new Date('1980-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }),
				fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia'),
				(date, zone) => {
					const time = Math.floor(date.getTime() / 1000) * 1000;
					const moment = read(clockIn(zone, time), zone);
					expect(clockIn(zone, moment ?? 0)).toBe(clockIn(zone, time));
					expect(read(date.toUTCString(), zone)).toBe(time);
					expect(read(date.toISOString(), zone)).toBe(date.getTime());
					expect(read(date.getTime(), zone)).toBe(date.getTime());
				},
			),
		);
	});

	describe('that the clock shows', () => {
		afterEach(() => void jest.useRealTimers());

		it.each([
			['2026-07-01', '2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z'],
			['2026-12-01', '2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z'],
			['2026-07-01', '2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z'],
			['2026-12-01', '2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z'],
		])('is the first one of these, whenever it is read (%s): %s', (today, local, moment) => {
			jest.useFakeTimers({ now: Date.parse(today) });

			expect(new Date(read(local) as number).toISOString()).toBe(moment);
		});
	});

	it.each<[unknown, string]>([
		['last week 3', '"last week 3"'],
		['01/02/2026', '"01/02/2026"'],
		['2026', '"2026"'],
		['2026-01', '"2026-01"'],
		['21 Nov 2026', '"21 Nov 2026"'],
		['Nov 21, 2026 09:00 GMT', '"Nov 21, 2026 09:00 GMT"'],
		['31 Jan 2026 09:00:00', '"31 Jan 2026 09:00:00"'],
		['31 Jan 2026 09:00:00 EST', '"31 Jan 2026 09:00:00 EST"'],
		['Fri, 31 Jan 2026 09:00:00 GMT', '"Fri, 31 Jan 2026 09:00:00 GMT"'],
		['30 Feb 2026 09:00:00 GMT', '"30 Feb 2026 09:00:00 GMT"'],
		['31 Jab 2026 09:00:00 GMT', '"31 Jab 2026 09:00:00 GMT"'],
		['31 Jan 2026 25:00:00 GMT', '"31 Jan 2026 25:00:00 GMT"'],
		[String(new Date(NINE)), JSON.stringify(String(new Date(NINE)))],
		['2026-02-30', '"2026-02-30"'],
		['1769850000', '"1769850000"'],
		['1769850000000000', '"1769850000000000"'],
		['202601310900', '"202601310900"'],
		['20260131090000', '"20260131090000"'],
		[1769850000, '1769850000'],
		[20260131, '20260131'],
		[202601310900, '202601310900'],
		[1e13, '10000000000000'],
		[0, '0'],
		[NaN, 'NaN'],
		[true, 'true'],
		[' ', 'empty'],
		[{}, 'an object'],
		[{ getTime: () => 'soon' }, 'an object'],
		[[NINE], `[${NINE}]`],
		[new Date('x'), 'an invalid date'],
		[{ toMillis: () => NaN, toJSON: () => null }, 'an invalid date'],
	])('is not read from %p', (value, shown) => {
		expect(message(() => read(value))).toBe(
			`Created After is ${shown}: enter a date and time, e.g. 2026-01-31T09:00:00`,
		);
	});
});
