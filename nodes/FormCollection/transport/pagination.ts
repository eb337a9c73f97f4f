import type { Reply } from './attempt';
import type { ListInfo } from './readList';

/** What in a reply tells that its list is one of several pages; the API reference has no pagination. */
interface PaginationSigns {
	/** The names of the members and headers that may tell of more pages */
	names: string[];
	/** The service says that the list is only a part */
	isPartial: boolean;
}

export function paginationSignsOf({
	status,
	pageHeaders = [],
	content,
}: Reply<ListInfo>): PaginationSigns {
	// Whoever wanted only the first ones knows that there are more.
	if (content?.isComplete !== true) return { names: [], isPartial: false };
	const names = [...content.paginationMembers];
	let isPartial = content.hasNextPage || status === 206;
	for (const { name, value } of pageHeaders) {
		// E.g. "7", and "items 0-6/7" of Content-Range
		const total = /^(X-Total|Content-Range)/.test(name)
			? Number(value.split('/').at(-1))
			: Infinity;
		if (total !== content.count) names.push(name);
		if (total > content.count) isPartial = true;
	}
	if (status === 206) names.push('status 206');
	return { names, isPartial };
}
