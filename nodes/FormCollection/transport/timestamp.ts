const DATE = String.raw`(\d{4}|[+-]\d{6})(-?)(\d\d)\2(\d\d)`;
const TIME = String.raw`(\d\d)(?:(:?)(\d\d)(?:\6(\d\d)(?:[.,](\d+))?)?)?`;
// The minus sign of ISO 8601 (U+2212), too.
const ZONE = String.raw`Z|([+\-−])(\d\d)(?::?(\d\d))?`;
// Luxon's `toSQL` has a space before the offset, and one instead of the T.
const ISO_8601 = new RegExp(`^(?!.*T.* )${DATE}(?:[T ]${TIME}(?: ?(${ZONE}))?)?$`, 'i');

const LAST_MOMENT = 8.64e15;

/** A date and time as a calendar and a clock on the wall show it. */
interface WallClockTime {
	/** Milliseconds from 1970-01-01T00:00:00 on the same clock, with a fraction down to microseconds */
	wallClock: number;
	/** How many milliseconds the clock is ahead of UTC; undefined where the text does not say it */
	offset?: number;
}

/**
 * Reads a date, or a date and time, in the forms of ISO 8601 with year, month and day.
 *
 * Does without `Date.parse`, which takes "last week 3" for a date and reads most forms in the zone of
 * the server.
 *
 * @returns undefined for any other text and for days and times that do not exist
 */
export function parseIso8601(text: string): WallClockTime | undefined {
	const parts = ISO_8601.exec(text.trim());
	if (parts === null) return undefined;
	const month = number(parts[3]);
	const day = number(parts[4]);
	const hour = number(parts[5]);
	const minute = number(parts[7]);
	const second = number(parts[8]);
	const fraction = parts[9] ?? '';
	const zoneHour = number(parts[12]);
	const zoneMinute = number(parts[13]);

	// Date.UTC would take the years 0 to 99 for those of the 20th century.
	const midnight = new Date(0);
	midnight.setUTCFullYear(number(parts[1]), month - 1, day);
	const isDay = midnight.getUTCMonth() === month - 1 && midnight.getUTCDate() === day;
	const isEndOfDay = hour === 24 && minute === 0 && second === 0 && Number(fraction) === 0;
	// In every zone, a leap second is the last one of a quarter of an hour.
	const isLeapSecond = second === 60 && minute % 15 === 14;
	const isTime = (hour < 24 || isEndOfDay) && minute < 60 && (second < 60 || isLeapSecond);
	if (!isDay || !isTime || zoneHour > 23 || zoneMinute > 59) return undefined;

	// A number of this size has room for microseconds.
	const milliseconds = Number(fraction.slice(0, 6).padEnd(6, '0')) / 1000;
	const wallClock = midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
	if (Math.abs(wallClock) > LAST_MOMENT) return undefined;
	if (parts[10] === undefined) return { wallClock };
	const distance = (zoneHour * 60 + zoneMinute) * 60_000;
	return { wallClock, offset: (parts[11] ?? '+') === '+' ? distance : -distance };
}

function number(digits: string | undefined): number {
	return digits === undefined ? 0 : Number(digits);
}

/**
 * @returns Unix epoch milliseconds, with a fraction; a text that names no zone is in UTC, as the API
 * reference says
 */
export function parseTimestamp(text: string): number | undefined {
	const time = parseIso8601(text);
	return time && time.wallClock - (time.offset ?? 0);
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const CLOCK = String.raw`(\d\d:\d\d(?::\d\d)?)`;
/** `Sat, 31 Jan 2026 09:00:00 GMT`, or with an offset as in e-mails; older: `Saturday, 31-Jan-26 …` */
const INTERNET_DATE = new RegExp(
	`^(?:([a-z]{3})[a-z]*, *)?(\\d{1,2})[ -]([a-z]{3})[ -](\\d{4}|\\d\\d) +${CLOCK} +(gmt|utc?|z|[+-]\\d{4})$`,
	'i',
);
/** `Sat Jan 31 09:00:00 2026`, the oldest form */
const C_DATE = new RegExp(`^([a-z]{3}) ([a-z]{3}) +(\\d{1,2}) ${CLOCK} (\\d{4})$`, 'i');

/**
 * Reads a date as HTTP (RFC 9110, 5.6.7) and e-mails write it.
 *
 * @returns Unix epoch milliseconds; undefined for any other text, and where the weekday is another one
 */
export function parseInternetDate(text: string): number | undefined {
	const trimmed = text.trim();
	const parts = INTERNET_DATE.exec(trimmed);
	if (parts !== null) {
		const [, weekday, day = '', month = '', year = '', clock = '', zone = ''] = parts;
		return internetDate({ weekday, day, month, year, clock, zone });
	}
	const [, weekday, month = '', day = '', clock = '', year = ''] = C_DATE.exec(trimmed) ?? [];
	if (weekday === undefined) return undefined;
	return internetDate({ weekday, day, month, year, clock, zone: 'Z' });
}

/**
 * @param text of a header; undefined if the reply has none
 * @returns Unix epoch milliseconds, or undefined where it is not a date
 */
export function parseHttpDate(text: string | undefined): number | undefined {
	return text === undefined ? undefined : parseInternetDate(text);
}

function internetDate(parts: {
	weekday: string | undefined;
	day: string;
	month: string;
	year: string;
	clock: string;
	zone: string;
}): number | undefined {
	const { weekday, day, month, year, clock, zone } = parts;
	const fullYear = year.length === 2 ? `${Number(year) < 70 ? 20 : 19}${year}` : year;
	const monthNumber = String(MONTHS.indexOf(month.toLowerCase()) + 1).padStart(2, '0');
	const date = `${fullYear}-${monthNumber}-${day.padStart(2, '0')}`;
	const midnight = parseTimestamp(date);
	if (midnight === undefined) return undefined;
	const isWeekday =
		weekday === undefined || WEEKDAYS[new Date(midnight).getUTCDay()] === weekday.toLowerCase();
	return isWeekday
		? parseTimestamp(`${date}T${clock}${/^[+-]/.test(zone) ? zone : 'Z'}`)
		: undefined;
}
