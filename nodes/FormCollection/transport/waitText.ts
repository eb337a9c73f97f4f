export const TRY_LATER = 'try again in a few minutes';

/** As long as a timer of n8n can be. */
export function timerMs(waitMs: number | undefined): number | undefined {
	return waitMs === undefined ? undefined : Math.min(waitMs, 2 ** 31 - 1);
}

/** In minutes */
const A_DAY = 1_440;

/** @param now Unix epoch milliseconds */
export function tryAgainAt(waitMs: number, now: number): string {
	const seconds = Math.ceil(waitMs / 1000);
	if (seconds === 0) return TRY_LATER;
	if (seconds < 120) return `try again in ${plural(seconds, 'second')}`;
	const minutes = Math.ceil(seconds / 60);
	const after = `after ${momentOf(now + minutes * 60_000)}`;
	return minutes > A_DAY
		? `try again ${after}`
		: `try again in ${plural(minutes, 'minute')}, ${after}`;
}

/** E.g. "21 Nov 2026, 20:30 UTC": n8n's pop-ups show a date such as 2026-11-21 without its hyphens. */
function momentOf(time: number): string {
	const [, day, month, year, clock] = new Date(time).toUTCString().split(' ');
	return `${Number(day)} ${month} ${year}, ${clock?.slice(0, 5)} UTC`;
}

export function plural(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
