import type { Reply } from './attempt';
import type { ListInfo } from './readList';

/** What a service with pages has sent beside one of them: the API reference shows no pages. */
export interface OtherParts {
	/** The names of all that may tell of more than the list */
	signs: string[];
	/** The service says that the list is only a part */
	isPartial: boolean;
}

export function otherPartsOf({ status, pageHeaders = [], content }: Reply<ListInfo>): OtherParts {
	// Whoever wanted only the first ones knows that there are more.
	if (content?.isComplete !== true) return { signs: [], isPartial: false };
	const signs = [...content.otherMembers];
	let isPartial = content.saysMore || status === 206;
	for (const { name, value } of pageHeaders) {
		// E.g. "7", and "items 0-6/7" of Content-Range
		const total = /^(X-Total|Content-Range)/.test(name)
			? Number(value.split('/').at(-1))
			: Infinity;
		if (total !== content.count) signs.push(name);
		if (total > content.count) isPartial = true;
	}
	if (status === 206) signs.push('status 206');
	return { signs, isPartial };
}
