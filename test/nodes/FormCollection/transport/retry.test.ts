import type { Method, RequestResult } from '../../../../nodes/FormCollection/transport/attempt';
import { retryAfterMs } from '../../../../nodes/FormCollection/transport/replyHeaders';
import { retryDelayMs } from '../../../../nodes/FormCollection/transport/retry';

const now = Date.parse('2026-01-31T09:00:00Z');

describe('Retry-After', () => {
	it.each([
		['0', 0],
		['120', 120_000],
		[' 7 ', 7_000],
		[7, 7_000],
		['Sat Jan 31 09:00:30 2026', 30_000],
		['Mon, 31 Jan 2026 09:00:30 GMT', undefined],
		['soon 5', undefined],
		['never 1', undefined],
		['999999999', 999_999_999_000],
		['1769850060', 60_000],
		['1769849940', 0],
		['99999999999', undefined],
		['99999999999999999999', undefined],
		['Sat, 31 Jan 2026 09:00:30 GMT', 30_000],
		['Saturday, 31-Jan-26 09:00:30 GMT', 30_000],
		['Sat, 31 Jan 2026 08:59:00 GMT', 0],
		['Fri, 31 Dec 9999 23:59:59 GMT', Date.UTC(9999, 11, 31, 23, 59, 59) - now],
		['', undefined],
		['soon', undefined],
		['-5', undefined],
		['1.5', 1_500],
		['2.0', 2_000],
		['1.', undefined],
		['1769850010.5', 10_500],
		['2026', 2_026_000],
		[undefined, undefined],
		[null, undefined],
		[['soon'], undefined],
	])('%j is %p ms', (header, expected) => {
		expect(retryAfterMs({ 'retry-after': header }, now)).toBe(expected);
	});
});

const reply = (status: number, wait?: number): RequestResult => ({
	kind: 'reply',
	status,
	retryAfterMs: wait,
});
const broken = (kind: string) => ({ kind, reason: 'CODE' }) as RequestResult;
const isSentAgain = (method: Method, outcome: RequestResult) =>
	retryDelayMs(method, outcome, 1, 0.5) !== undefined;

it.each(['Sat, 31 Jan 2026 07:00:10 GMT', '1769842810'])(
	'counts a Retry-After date on the clock of the service: %s',
	(until) => {
		const headers = { date: 'Sat, 31 Jan 2026 07:00:00 GMT', 'retry-after': until };

		expect(retryAfterMs(headers, now)).toBe(10_000);
	},
);

describe('what is sent again', () => {
	const statuses = Array.from({ length: 500 }, (_, i) => i + 100);

	it('of reads: the statuses that may pass', () => {
		const again = statuses.filter((status) => isSentAgain('GET', reply(status, 1000)));

		expect(again).toEqual([408, 429, 500, 502, 503, 504]);
	});

	it('of creations: only what the service did not take', () => {
		const again = statuses.filter((status) => isSentAgain('POST', reply(status, 1000)));

		expect(again).toEqual([429]);
	});

	it.each([
		['unreachable', true, true],
		['timeout', false, false],
		['lost', true, false],
		['cutShort', true, false],
		['tls', false, false],
		['canceled', false, false],
		['other', false, false],
	])('after no reply, %s: reads %p, creations %p', (kind, reads, creations) => {
		expect(isSentAgain('GET', broken(kind))).toBe(reads);
		expect(isSentAgain('POST', broken(kind))).toBe(creations);
	});
});

describe('how long it waits', () => {
	it('doubles from half a second, by half at random', () => {
		const delays = [1, 2, 3].map((tries) =>
			[0, 1].map((random) => retryDelayMs('GET', reply(500), tries, random)),
		);

		expect(delays).toEqual([
			[250, 500],
			[500, 1000],
			[1000, 2000],
		]);
	});

	it.each([
		[0, 0],
		[20_000, 20_000],
		[20_001, undefined],
	])('is what Retry-After says, unless that is too long: %i ms', (wait, expected) => {
		for (const outcome of [reply(503, wait), reply(429, wait)]) {
			expect(retryDelayMs('GET', outcome, 1, 0.5)).toBe(expected);
		}
		expect(retryDelayMs('POST', reply(429, wait), 1, 0.5)).toBe(expected);
	});

	it('is never guessed for the hourly limit', () => {
		expect(retryDelayMs('GET', reply(429), 1, 0.5)).toBeUndefined();
		expect(retryDelayMs('POST', reply(429), 1, 0.5)).toBeUndefined();
	});
});
