import type { IDataObject } from 'n8n-workflow';
import { UnexpectedBody } from './body';
import { JsonListSplitter } from './jsonListSplitter';
import { isRecord } from './records';

/** Gets the records of a list one after the other; false ends the reading. */
export type AddRecord = (record: IDataObject) => unknown;

export interface ListInfo {
	/** How many records were read */
	count: number;
	/**
	 * The names of what the service sent beside the list. Leaves out what is empty, false or null, and a
	 * number that is `count`.
	 */
	otherMembers: string[];
	/** The body was read to its end */
	isComplete: boolean;
}

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
	let beginning = '';
	let count = 0;
	const info = (isComplete: boolean): ListInfo => ({
		count,
		otherMembers: [...splitter.others].flatMap(([name, value]) => (value === count ? [] : [name])),
		isComplete,
	});
	const notJson = () => UnexpectedBody.notJson(beginning, false);
	for await (const chunk of chunks) {
		if (beginning.length < BEGINNING_LENGTH) {
			beginning = (beginning + chunk).trimStart().slice(0, BEGINNING_LENGTH);
		}
		for (const elements of splitter.push(chunk)) {
			for (const record of parseElements(elements, notJson)) {
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
	if (!splitter.hasList) throw new UnexpectedBody('noList', beginning);
	return info(true);
}

function parseElements(elements: string, notJson: () => Error): unknown[] {
	try {
		return JSON.parse(`[${elements}]`) as unknown[];
	} catch {
		throw notJson();
	}
}
