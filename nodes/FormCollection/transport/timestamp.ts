const DATE = String.raw`(\d{4}|[+-]\d{6})(-?)(\d\d)\2(\d\d)`;
const TIME = String.raw`(\d\d)(?:(:?)(\d\d)(?:\6(\d\d)(?:[.,](\d+))?)?)?`;
// The minus sign of ISO 8601 (U+2212), too.
const ZONE = String.raw`Z|([+\-−])(\d\d)(?::?(\d\d))?`;
const ISO_8601 = new RegExp(`^${DATE}(?:[T ]${TIME}(${ZONE})?)?$`, 'i');

const LAST_MOMENT = 8.64e15;

/** A date and time as a calendar and a clock on the wall show it. */
export interface WallClockTime {
	/** Milliseconds from 1970-01-01T00:00:00 on the same clock */
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

	const milliseconds = Number(`${fraction}000`.slice(0, 3));
	const wallClock = midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
	if (Math.abs(wallClock) > LAST_MOMENT) return undefined;
	if (parts[10] === undefined) return { wallClock };
	const distance = (zoneHour * 60 + zoneMinute) * 60_000;
	return { wallClock, offset: (parts[11] ?? '+') === '+' ? distance : -distance };
}

function number(digits: string | undefined): number {
	return digits === undefined ? 0 : Number(digits);
}

/** @returns Unix epoch milliseconds; a text that names no zone is in UTC, as the API reference says */
export function parseTimestamp(text: string): number | undefined {
	const time = parseIso8601(text);
	return time && time.wallClock - (time.offset ?? 0);
}
