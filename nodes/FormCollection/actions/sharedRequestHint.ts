import { formatted } from './hintText';

/** What an input item has got. */
interface Answered {
	/** Names the request that it came with */
	request: string;
	/** Names what was asked of it: the output is the same where this is */
	query: string;
	/** How many things */
	returned: number;
}

/** Counts the input items that asked for the same, for a hint. */
export class SharedRequestHint {
	private readonly requests = new Set<string>();

	private readonly queries = new Set<string>();

	private items = 0;

	private returned = 0;

	/** @param thing that the operation returns, e.g. "form" */
	constructor(private readonly thing: string) {}

	add({ request, query, returned }: Answered): void {
		this.requests.add(request);
		this.queries.add(query);
		this.items++;
		this.returned += returned;
	}

	text(): string | undefined {
		const { items, requests, queries } = this;
		if (items <= requests.size || this.returned === 0) return undefined;
		const which = requests.size === 1 ? 'one request' : `${formatted(requests.size)} requests`;
		const shared = `${formatted(items)} items shared ${which}`;
		if (requests.size > 1 || queries.size > 1) return shared;
		const times = items === 2 ? 'twice' : `${formatted(items)} times`;
		return `${shared}, so each ${this.thing} appears ${times}: to get it once, turn on Execute Once in the settings of this node`;
	}
}
