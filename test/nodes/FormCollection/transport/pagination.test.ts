import { paginationSignsOf } from '../../../../nodes/FormCollection/transport/pagination';

const list = { count: 7, paginationMembers: [], hasNextPage: false, isComplete: true };

const withHeader = (name: string, value: string) =>
	paginationSignsOf({ kind: 'reply', status: 200, pageHeaders: [{ name, value }], content: list });

it.each([
	['X-Total', '7'],
	['X-Total-Count', '7'],
	['Content-Range', 'items 0-6/7'],
])('the header %s: %s is of the whole list', (name, value) => {
	expect(withHeader(name, value)).toEqual({ names: [], isPartial: false });
});

it.each([
	['X-Total', '8', true],
	['X-Total-Count', '6', false],
	['Content-Range', 'items 0-6/8', true],
	['Content-Range', 'items 0-6/*', false],
	['Old-X-Total', '7', true],
	['Link', '</b>; rel="next"', true],
])('the header %s: %s is a sign of pagination', (name, value, isPartial) => {
	expect(withHeader(name, value)).toEqual({ names: [name], isPartial });
});
