import {
	clockOffsetMs,
	pageHeadersIn,
} from '../../../../nodes/FormCollection/transport/replyHeaders';

describe('how far the clock of the service is ahead', () => {
	const sentAt = Date.UTC(2026, 0, 31, 9, 0, 0, 300);
	const receivedAt = sentAt + 500;
	const dateAt = (time: number) => new Date(time).toUTCString();
	const minute = 60_000;
	const second = 1000 * Math.floor(sentAt / 1000);

	it.each([
		[{}, undefined],
		[{ date: 'yesterday' }, undefined],
		[{ date: dateAt(sentAt) }, 0],
		[{ date: dateAt(sentAt + minute) }, second + minute - receivedAt],
		[{ date: dateAt(sentAt - minute) }, second - minute - receivedAt],
		[{ date: dateAt(sentAt - minute), age: '60' }, 0],
		[{ date: dateAt(sentAt), age: '60' }, second + minute - receivedAt],
		[{ date: dateAt(sentAt), age: 'old' }, 0],
	])('is told by %j', (headers, expected) => {
		expect(clockOffsetMs(headers, sentAt, receivedAt)).toBe(expected);
	});
});

it('a list that goes on elsewhere is told by its headers', () => {
	expect(pageHeadersIn({})).toEqual([]);
	expect(pageHeadersIn({ link: '</a>; rel="prev"', 'x-next-page': ' ' })).toEqual([]);
	expect(pageHeadersIn({ link: '</b>; rel="next"', 'x-total': ' 7 ' })).toEqual([
		{ name: 'Link', value: '</b>; rel="next"' },
		{ name: 'X-Total', value: '7' },
	]);
});
