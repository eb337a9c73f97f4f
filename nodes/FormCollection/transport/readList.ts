import type { IDataObject } from 'n8n-workflow';
import { UnexpectedBody } from './body';
import { JsonListParser } from './jsonListParser';
import { JsonListSplitter } from './jsonListSplitter';
import { isRecord } from './records';

/** Gets the records of a list one after the other; false ends the reading. */
type AddRecord = (record: IDataObject) => unknown;

export interface ListInfo {
	/** How many records were read */
	count: number;
	/**
	 * The members beside the list that may tell of more pages: not what is empty, false or null,
	 * what any reply may have, and the number of records.
	 */
	paginationMembers: string[];
	/** A member says that there is a next page */
	hasNextPage: boolean;
	/** The body was read to its end */
	isComplete: boolean;
}

const COUNT =
	/^(?:total|count|size|length|(?:total|result|item|record)s?_?count|total_?(?:results|items|records|responses|forms))$/i;

/** What services say of any reply, whether or not it is complete. */
const HARMLESS = /^(?:code|form_id|message|ok|request_id|status|success|version)$/;

/** Where one of these is false, this is all: numbers such as that of the page tell nothing more. */
const HAS_MORE = /^(?:has_?)?(?:more|next)(?:_?page)?$/i;

/** Enough to tell a web page from JSON, and to show in an error message. */
const BEGINNING_LENGTH = 1_000;

/**
 * Reads the list in a body while it comes in.
 *
 * @throws UnexpectedBody
 */
export async function readList(
	chunks: AsyncIterable<string>,
	member: string,
	add: AddRecord,
): Promise<ListInfo> {
	const splitter = new JsonListSplitter(member);
	const parser = new JsonListParser(splitter);
	let beginning = '';
	let count = 0;
	const info = (isComplete: boolean): ListInfo => ({
		count,
		paginationMembers: paginationMembersIn(splitter, count),
		hasNextPage: hasNextPage(splitter),
		isComplete,
	});
	const notJson = () => UnexpectedBody.notJson(beginning, false);
	for await (const chunk of chunks) {
		if (beginning.length < BEGINNING_LENGTH) {
			beginning = (beginning + chunk).trimStart().slice(0, BEGINNING_LENGTH);
		}
		for (const records of parser.push(chunk)) {
			if (records === undefined) throw notJson();
			for (const record of records) {
				if (!isRecord(record)) throw new UnexpectedBody('noList', beginning);
				count++;
				if (add(record) === false) return info(false);
			}
		}
		if (splitter.failure !== undefined) break;
	}
	const isEnded = splitter.end();
	if (splitter.failure === 'notObjects') throw new UnexpectedBody('noList', beginning);
	if (splitter.failure === 'notJson') throw notJson();
	if (!isEnded) throw UnexpectedBody.notJson(beginning, true);
	// An empty list is none if the service says that it has refused the request.
	const isRefused = count === 0 && splitter.falseMembers.has('success');
	if (!splitter.hasList || isRefused) throw new UnexpectedBody('noList', beginning);
	return info(true);
}

/** Says by itself that there is more, unless it is false or empty. */
const NEXT =
	/^(?:(?:has_?)?more|(?:has_?)?next(?:_?(?:cursor|link|offset|page|page_?token|token|url))?)$/i;

/** A total may be of anything, but a next page is one. */
function hasNextPage({ others, falseNames }: JsonListSplitter): boolean {
	if ([...falseNames].some((name) => HAS_MORE.test(name))) return false;
	return [...others.values()].some((names) => [...names.keys()].some((name) => NEXT.test(name)));
}

function paginationMembersIn({ others, falseNames }: JsonListSplitter, count: number): string[] {
	const isAll = [...falseNames].some((name) => HAS_MORE.test(name));
	const mayTellOfMore = ([name, number]: [string, number | undefined]) => {
		if (HARMLESS.test(name)) return false;
		if (COUNT.test(name)) return number !== count;
		return number === undefined || !isAll;
	};
	return [...others].filter(([, names]) => [...names].some(mayTellOfMore)).map(([key]) => key);
}
