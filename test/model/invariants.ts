import type { SandboxResponse } from '../../sandbox';
import { isPermanent, isStruck, isTemporary, outcomeOf, type ReadFault } from './faults';
import type { Run, TestResult } from '../support/engine';
import type { Account, Request, World } from './world';
import { accountIndexIn } from './world';

/** Something happened that the package promises never happens. */
export class Violation extends Error {
	constructor(
		readonly invariant: string,
		details: string,
	) {
		super(`${invariant}: ${details}`);
	}
}

function hold(invariant: string, isHeld: boolean, details: () => string): void {
	if (!isHeld) throw new Violation(invariant, details());
}

/** An execution of Create Response with all its retries. */
export interface Lineage {
	execution: TestResult;
	/** How often each row is asked for, by `placeOf` */
	asked: Map<string, number>;
	/** What the services were asked on behalf of it */
	requests: Request[];
	/** What the services stored on behalf of it */
	created: Stored[];
}

export interface Stored {
	account: Account;
	response: SandboxResponse;
}

/** A row in a form of an account. */
export const placeOf = (row: unknown, formId: string): string => `${String(row)} in ${formId}`;

const rowIn = ({ body }: Pick<Request, 'body'>) =>
	(body as { answers?: { row?: string } } | undefined)?.answers?.row;

const placeIn = ({ form_id, answers }: SandboxResponse) => placeOf(answers.row, form_id);

function countBy<T>(values: T[], keyOf: (value: T) => string): Map<string, number> {
	const counts = new Map<string, number>();
	for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1);
	return counts;
}

/** Of all submissions that may have been stored, each is one that an item asks for. */
export function nothingIsSentTwice({ requests, asked, created }: Lineage): void {
	const taken = requests.filter(
		(request) => request.method === 'POST' && outcomeOf(request) !== 'refused',
	);
	const sent = countBy(taken, ({ body }) => {
		const { answers, form_id } = body as { answers: { row: string }; form_id: string };
		return placeOf(answers.row, form_id);
	});
	for (const [place, count] of sent) {
		const most = asked.get(place) ?? 0;
		hold('nothing is sent twice', count <= most, () => `${place}: ${count} times, not ${most}`);
	}
	for (const [place, count] of countBy(created, ({ response }) => placeIn(response))) {
		const most = asked.get(place) ?? 0;
		hold('nothing is stored twice', count <= most, () => `${place}: ${count} times, not ${most}`);
	}
}

/** With Skip Existing, there are as many responses as there were, or as the items ask for; with Match On one. */
export function nothingIsRepeated(
	before: SandboxResponse[],
	world: World,
	lineage: Lineage,
	isMatchedOnRow: boolean,
): void {
	const textOf = isMatchedOnRow ? placeIn : formAndAnswersOf;
	const were = countBy(before, textOf);
	const are = countBy(world.stored(), textOf);
	const created = countBy(lineage.created, ({ response }) => textOf(response));
	for (const [text, count] of created) {
		const response = lineage.created.find((each) => textOf(each.response) === text)?.response;
		const asked = response ? (lineage.asked.get(placeIn(response)) ?? 0) : 0;
		const most = Math.max(were.get(text) ?? 0, isMatchedOnRow ? 1 : asked);
		const now = are.get(text) ?? 0;
		hold('Skip Existing repeats nothing', now <= most, () => {
			return `${text}: ${now} with ${count} new ones, not ${most}`;
		});
	}
}

const formAndAnswersOf = ({ form_id, answers }: SandboxResponse) =>
	`${form_id} ${JSON.stringify(Object.entries(answers).sort())}`;

/** Each item of each run has one item in the output, paired with it: a response of its own, or an error. */
export function eachItemIsAccountedFor(world: World, { execution, asked }: Lineage): void {
	const invariant = 'each item is accounted for';
	for (const { input, items, failed = [] } of execution.runs) {
		if (items === undefined) continue;
		const paired = [...items, ...failed].map(({ pairedItem }) => pairOf(pairedItem));
		// What comes back from the error output with an unknown outcome is left out, if it is not found.
		const hasComeBack = (index: number) => isUnknown(input[index]?.error);
		const expected = input
			.map((_, index) => index)
			.filter((index) => !hasComeBack(index) || paired.includes(index));
		hold(invariant, paired.sort(ascending).join() === expected.join(), () => {
			return `${execution.status} with items paired with ${paired.join()} of ${expected.join()}`;
		});
		for (const { json, pairedItem } of items) {
			if (json.response_id === undefined) {
				hold(invariant, isText(json.error), () => `neither created nor failed: ${show(json)}`);
				continue;
			}
			const row = String(input[pairOf(pairedItem)]?.row);
			const account = world.accounts[accountIndexIn(row)] as Account;
			const response = account.responses.find(({ id }) => id === json.response_id);
			const isIts = response?.answers.row === row && asked.has(placeIn(response));
			hold('responses are in the account and the form of the item', isIts, () => {
				return `${row} has ${show(json)}, which is ${show(response)} there`;
			});
		}
	}
}

const isUnknown = (error: unknown) => /Outcome: unknown\s*$/.test(String(error));

/** On Error: Continue puts out no outcome beside the message. */
const isOfUnknownOutcome = (error?: { message: string; description?: string | null }) =>
	/stored/.test(`${error?.message} ${error?.description}`);

/** What an execution that succeeds has stored is in its output, or is an item with an unknown outcome. */
export function allIsInTheOutput(
	{ execution, created, requests }: Lineage,
	isSkipping: boolean,
): void {
	if (execution.status !== 'success') return;
	// Skip Existing finds one of them for each item, whoever has created it.
	const isFoundAgain = (row: unknown) =>
		isSkipping &&
		requests.some((request) => outcomeOf(request) === 'unknown' && rowIn(request) === row);
	const output = execution.runs.flatMap(({ items = [] }) => items);
	const ids = new Set(output.map(({ json }) => json.response_id));
	const unknown = execution.runs.flatMap(({ input, items = [], failed = [] }) =>
		[...items, ...failed]
			.filter(({ json, error }) => isUnknown(json.error) || isOfUnknownOutcome(error))
			.map(({ pairedItem }) => input[pairOf(pairedItem)]?.row),
	);
	const missing = created
		.map(({ response }) => response)
		.filter(({ id }) => !ids.has(id))
		.filter(({ answers: { row } }) => !unknown.includes(row) && !isFoundAgain(row));
	hold('all that is stored is in the output', missing.length === 0, () => {
		return `${missing.map(placeIn).join()} are nowhere`;
	});
}

/** An execution in which nothing failed has brought all rows to their forms. */
export function importsEndComplete(
	world: World,
	{ execution, asked }: Lineage,
	isMatchedOnRow: boolean,
): void {
	if (execution.status !== 'success' || execution.runs.some(isFailing)) return;
	const are = countBy(world.stored(), placeIn);
	for (const [place, count] of asked) {
		const least = isMatchedOnRow ? 1 : count;
		const now = are.get(place) ?? 0;
		hold('imports end complete', now >= least, () => `${place}: ${now} times, not ${least}`);
	}
}

/** A refusal that is over by the next try does not fail the execution. */
export function refusalsAreTriedAgain({ execution }: Lineage, struck: Request[], tries: number) {
	if (execution.status === 'canceled' || struck.length === 0) return;
	if (struck.some((request) => outcomeOf(request) !== 'refused') || struck.length >= tries) return;
	const failures = execution.runs.filter(isFailing);
	hold('refusals are tried again', execution.status === 'success' && failures.length === 0, () => {
		return `${struck.length} of ${tries} tries were refused: ${execution.status}`;
	});
}

const isFailing = ({ items, failed = [] }: Run) =>
	items === undefined || failed.length > 0 || items.some(({ json }) => json.error !== undefined);

/** Each request has the key of the account of its row, and goes to where that account is. */
export function requestsCarryTheirOwnKey(requests: Request[], asked: ReadonlySet<string>): void {
	for (const { route, account, formId, body } of requests) {
		const form = formId === undefined ? '' : ` ${formId}`;
		const row = rowIn({ body });
		const isOwn =
			account !== undefined &&
			(row === undefined
				? asked.has(`${account.index}${form}`)
				: accountIndexIn(row) === account.index);
		hold('each account is asked with its own key', isOwn, () => {
			return `${route}${form} ${row ?? ''} was sent to account ${account?.index ?? 'nobody'}`;
		});
	}
}

/** @param most by account and form */
export function requestsAreFew(requests: Request[], most: Map<string, number>): void {
	const reads = requests.filter((request) => request.method === 'GET' && !isStruck(request));
	const keyOf = ({ account, formId }: Request) => `${account?.index} ${formId}`;
	for (const [key, count] of countBy(reads, keyOf)) {
		const limit = most.get(key) ?? 0;
		hold('requests are few', count <= limit, () => `${key}: ${count} times, not ${limit}`);
	}
}

const MOST_TRIES = 3;

/** Whatever goes wrong: each run of the node sends a request at most three times. */
export function triesAreFew(requests: Request[], calls: number, asked: Map<string, number>): void {
	const keyOf = ({ account, route, formId, body }: Request) =>
		rowIn({ body }) === undefined
			? `${account?.index} ${route} ${formId ?? ''}`
			: placeOf(rowIn({ body }), (body as { form_id: string }).form_id);
	for (const [key, count] of countBy(requests, keyOf)) {
		const limit = MOST_TRIES * calls * (asked.get(key) ?? 1);
		hold('tries are few', count <= limit, () => `${key}: ${count} times, not ${limit}`);
	}
}

/** An error message says what happened and, after a colon, what to do; it holds nothing that a person cannot read. */
export function messagesSayWhatToDo(messages: string[]): void {
	for (const message of messages) {
		const [first = ''] = message.split('\n');
		const isGood =
			/\S: \S/.test(first) && !/undefined|null|NaN|\[object| at .*:\d+:\d+/.test(first);
		hold('messages say what to do', isGood, () => message);
	}
}

export function messagesOf({ status, error, runs }: TestResult): string[] {
	const messages = runs.flatMap(({ items = [], failed = [] }) =>
		[...items, ...failed].flatMap((item) => [
			...(item.error ? [item.error.message] : []),
			...(isText(item.json.error) ? [item.json.error] : []),
		]),
	);
	// That of a stopped execution is n8n's own.
	if (error && status !== 'canceled') messages.push(error.message);
	return messages;
}

const LEAST_PART = 8;

/** No part of a key is anywhere in what n8n saves or shows. */
export function keysStayHome(accounts: Account[], text: string): void {
	for (const { apiKey } of accounts) {
		for (const letters of apiKey.match(/[0-9a-z]{16,}/g) ?? []) {
			for (let start = 0; start + LEAST_PART <= letters.length; start++) {
				const at = text.indexOf(letters.slice(start, start + LEAST_PART));
				hold('keys stay home', at === -1, () => text.slice(Math.max(0, at - 200), at + 100));
			}
		}
	}
}

/** Where nothing goes wrong, nothing fails. */
export function nothingFails({ status, runs, error }: TestResult): void {
	hold('nothing fails without a reason', status === 'success' && !runs.some(isFailing), () => {
		return `${status} ${error?.message ?? show(runs.flatMap(({ items, failed }) => [items, failed]))}`;
	});
}

/** A poll that gets an answer emits what is new since the activation, once. */
export function newResponsesAreEmittedOnce(emitted: unknown[], expected: SandboxResponse[]): void {
	const ids = (records: unknown[]) => records.map((record) => (record as { id: string }).id).sort();
	hold(
		'each new response is emitted once',
		ids(emitted).join() === ids(expected).join(),
		() => `emitted ${ids(emitted).join()}, not ${ids(expected).join()}`,
	);
}

/** An outage does not keep a workflow from being published; a wrong key and a missing form do. */
export function publishingGoesOn(error: Error | undefined, fault: ReadFault): void {
	const invariant = 'a trigger is published unless its settings are wrong';
	if (isTemporary(fault)) hold(invariant, error === undefined, () => String(error?.message));
	if (isPermanent(fault)) hold(invariant, error !== undefined, () => `published with ${fault}`);
}

/** Fetch Test Event shows one of the newest responses, and changes nothing. */
export function testEventIsNewest(emitted: unknown[], responses: SandboxResponse[]): void {
	const newest = Math.max(...responses.map(({ created_at }) => Date.parse(created_at)));
	const [event] = emitted as SandboxResponse[];
	const isRight =
		emitted.length === Math.min(1, responses.length) &&
		(event === undefined || Date.parse(event.created_at) === newest);
	hold('a test event is the newest response', isRight, () => show(emitted));
}

export function nothingIsSaved(before: string, after: string): void {
	hold('fetching a test event saves nothing', before === after, () => `${before} became ${after}`);
}

function pairOf(pairedItem: unknown): number {
	const pair = Array.isArray(pairedItem) ? pairedItem[0] : pairedItem;
	return typeof pair === 'number' ? pair : ((pair as { item?: number } | undefined)?.item ?? -1);
}

const ascending = (a: number, b: number) => a - b;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function show(value: unknown): string {
	const text = JSON.stringify(value) ?? 'nothing';
	return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
