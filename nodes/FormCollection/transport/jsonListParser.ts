import { parseJson } from './json';
import type { JsonListSplitter } from './jsonListSplitter';

/** Between two objects of a list, unless it is in one of them. */
const BOUNDARY = '},{';

/**
 * Parses the elements of a list while its text comes in.
 *
 * What comes before the last `},{` of a chunk is most often a run of whole elements, and if it can be
 * parsed, it is one: then the splitter need not look at each of its characters. Each rest is tried once,
 * so that the work grows in proportion to the body, whatever is in it.
 */
export class JsonListParser {
	/** The beginning of an element that the splitter has given back */
	private rest: string | undefined;

	constructor(private readonly splitter: JsonListSplitter) {}

	/** Gives runs of elements, undefined for what is no JSON. */
	*push(chunk: string): Generator<unknown[] | undefined> {
		const { rest = '' } = this;
		const end = this.rest === undefined ? 0 : chunk.lastIndexOf(BOUNDARY) + 1;
		const run = end === 0 ? undefined : parseElements(rest + chunk.slice(0, end));
		if (run !== undefined) yield run;
		// One after the other, so that an element that began in the rest is not given back again.
		const unread = run === undefined ? [rest, chunk] : [chunk.slice(end + 1)];
		for (const text of unread) {
			for (const elements of this.splitter.push(text)) yield parseElements(elements);
		}
		this.rest = this.splitter.takeBack();
	}
}

function parseElements(elements: string): unknown[] | undefined {
	try {
		return parseJson(`[${elements}]`) as unknown[];
	} catch {
		return undefined;
	}
}
