import { retryAfterMs, retryDelayMs } from '../../nodes/FormCollection/transport/retry';

const reply = (status: number, wait?: number) => ({ kind: 'reply', status, retryAfterMs: wait });

/** The longest waits before the second and the third try: of a read, and of a submission. */
it.each([
	...[408, 500, 502, 503, 504].map((status) => [reply(status), [500, 1000], []] as const),
	...[200, 400, 401, 403, 404, 422, 501, 505].map((status) => [reply(status), [], []] as const),
	...['lost', 'cutShort'].map((kind) => [{ kind }, [500, 1000], []] as const),
	...['timeout', 'insecure', 'blocked', 'stopped', 'canceled', 'notApi', 'denied'].map(
		(kind) => [{ kind }, [], []] as const,
	),
	[{ kind: 'unreachable' }, [500, 1000], [500, 1000]],
	[reply(429), [], []],
	[reply(429, 0), [0, 0], [0, 0]],
	[reply(429, 20_000), [20_000, 20_000], [20_000, 20_000]],
	[reply(429, 20_001), [], []],
	[reply(503, 3_000), [3_000, 3_000], []],
	[reply(503, 20_001), [], []],
	[reply(422, 3_000), [], []],
])('after %j, a read waits for %j, a submission for %j', (result, read, submission) => {
	const waits = (method: 'GET' | 'POST') =>
		[1, 2].flatMap((tries) => retryDelayMs(method, result, tries, 1) ?? []);

	expect([waits('GET'), waits('POST')]).toEqual([read, submission]);
});

it('spreads the tries of callers that failed together over half of the wait', () => {
	const waits = [0, 0.5, 1].map((random) => retryDelayMs('GET', reply(503), 1, random));

	expect(waits).toEqual([250, 375, 500]);
});

it.each([
	['2', 2_000],
	[' 0 ', 0],
	['1.2345', 1_235],
	['Fri, 02 Jan 2026 12:00:30 GMT', 30_000],
	['Friday, 02-Jan-26 12:00:30 GMT', 30_000],
	['Fri, 02 Jan 2026 11:00:00 GMT', 0],
	...[undefined, '', '-1', 'soon 5', '5 seconds', '1e9', '2026-01-02', 7].map(
		(header) => [header, undefined] as const,
	),
])('reads the Retry-After header %j as %j ms', (header, expected) => {
	expect(retryAfterMs(header, Date.parse('2026-01-02T12:00:00Z'))).toBe(expected);
});
