import type { IExecuteFunctions, INodePropertyOptions } from 'n8n-workflow';
import { hasQuestion } from '../responses/answerFilters';
import { collectColumns, type Columns } from '../responses/answers';
import {
	type Collector,
	collectorOf,
	type QueryResult,
	type ResponseQuery,
} from '../responses/query';
import { indexOf } from '../responses/queryIndex';
import { type Account, accountKey } from '../transport/account';
import { DEFAULT_TIMEOUT_MS, type ServiceClient } from '../transport/client';
import { InvalidInput } from '../transport/errors';
import { copyOf, type ResponseRecord } from '../transport/records';
import { isTool } from '../tool';
import {
	answerFiltersField,
	flattenField,
	formField,
	joinMultipleField,
	limitField,
	readAnswerFilters,
	readFormId,
	readLimit,
	readOptions,
	readTimeout,
	returnAllField,
	readShape,
	type Shape,
	optionsField,
} from './fields';
import type { Operation } from './action';
import { listOf, optionOf, toChoice, toMoment, toText } from './parameters';

const orders: INodePropertyOptions[] = [
	{ name: 'As Received', value: 'asReceived' },
	{ name: 'Newest First', value: 'newestFirst' },
	{ name: 'Oldest First', value: 'oldestFirst' },
];

export const getResponses: Operation = {
	value: 'getResponses',
	name: 'Get Responses',
	action: 'Get many responses',
	description: 'Read the responses that a form has collected',
	fields: [
		formField,
		returnAllField,
		limitField,
		flattenField,
		optionsField(
			answerFiltersField,
			{
				displayName: 'Created After',
				name: 'createdAfter',
				type: 'dateTime',
				default: '',
				description: 'Return only responses created at this moment or later',
			},
			{
				displayName: 'Created Before',
				name: 'createdBefore',
				type: 'dateTime',
				default: '',
				description: 'Return only responses created before this moment',
			},
			joinMultipleField,
			{
				displayName: 'Response ID',
				name: 'responseId',
				type: 'string',
				default: '',
				placeholder: 'e.g. 2e7ef676-1311-4e89-8e1d-4176252e97f5',
				description: 'Return only the response with this ID, or nothing if there is none',
			},
			{
				displayName: 'Sort',
				name: 'sort',
				type: 'options',
				default: 'newestFirst',
				options: orders,
				description: 'The order of the responses. The limit applies after sorting.',
			},
		),
	],
	start(context, service, hint) {
		// Before the first `await`, as n8n may release what it evaluates expressions with.
		const queries = context.getInputData().map((_, itemIndex) => attempt(context, itemIndex));
		const reads = new Map<string, Promise<FormRead>>();
		const cut: QueryResult[] = [];
		const unanswered = new Set<string>();
		let returned = 0;
		let withoutMatch = 0;
		let leftOut = 0;
		let accounts: Promise<(Account | Error)[]> | undefined;
		hint(() =>
			sharing(
				queries.filter((query) => 'formId' in query),
				reads.size,
			),
		);
		hint(() => missing(withoutMatch));
		hint(() => filteredOut(leftOut));
		hint(() => unansweredHint([...unanswered]));
		// n8n itself says that a fixed limit was reached if there are as many items in the output.
		hint(() => (context.getNode().parameters.limit === returned ? undefined : shortage(cut)));
		const execute = async (itemIndex: number) => {
			const query = queries[itemIndex];
			if (query === undefined || 'error' in query) throw query?.error;
			const { formId } = query;
			const accountOf = await (accounts ??= service.accounts(queries.length));
			const account = accountOf[itemIndex];
			if (account === undefined || account instanceof Error) throw account;
			// One request and one pass for all items that ask for this form of this account.
			const key = `${accountKey(account)} ${formId}`;
			const isAboutTheSame = (other: Query | { error: unknown }, i: number): other is Query => {
				const owner = accountOf[i];
				if (!('formId' in other) || owner === undefined || owner instanceof Error) return false;
				return other.formId === formId && accountKey(owner) === accountKey(account);
			};
			const earlier = reads.get(key);
			const read = earlier ?? readAll(service, account, queries.filter(isAboutTheSame));
			reads.set(key, read);
			const { results, columns, unanswered: ofThisForm } = await read;
			if (!earlier) ofThisForm.forEach((question) => unanswered.add(question));
			const result = results.get(keyOf(query)) as QueryResult;
			if (result.isCut) cut.push(result);
			returned += result.responses.length;
			if (query.responseId !== undefined && result.responses.length === 0) {
				if (result.isIdFound) leftOut++;
				else withoutMatch++;
			}
			// Items share no objects, because nodes may change those they get.
			const responses = earlier ? result.responses.map(copyOf) : result.responses;
			const records = query.shape?.(responses, columns) ?? responses;
			if (!isTool(context)) return records;
			const hints = [...toolHints(query, result, ofThisForm), ...service.hints()];
			return hints.length > 0 ? [...records, { hint: hints.join('. ') }] : records;
		};
		return { execute };
	},
};

interface Query extends ResponseQuery {
	formId: string;
	timeoutMs?: number;
	shape?: Shape;
}

/** What is wrong with one item must not keep the others from being read. */
function attempt(context: IExecuteFunctions, itemIndex: number): Query | { error: unknown } {
	try {
		return readQuery(context, itemIndex);
	} catch (error) {
		return { error };
	}
}

function readQuery(context: IExecuteFunctions, itemIndex: number): Query {
	const formId = readFormId(context, itemIndex);
	const limit = readLimit(context, itemIndex);
	const options = readOptions(context, itemIndex);
	const zone = context.getTimezone();
	return {
		formId,
		limit,
		from: readBound('Created After', optionOf(options, 'createdAfter', ''), zone) ?? -Infinity,
		before: readBound('Created Before', optionOf(options, 'createdBefore', ''), zone) ?? Infinity,
		answerFilters: readAnswerFilters(options),
		responseId: readResponseId(options),
		order: toChoice('Sort', optionOf(options, 'sort', 'asReceived'), orders),
		timeoutMs: readTimeout(options),
		shape: readShape(context.getNodeParameter('flattenAnswers', itemIndex, false), options),
	};
}

/** An expression that finds nothing must not return all responses. */
function readBound(name: string, value: unknown, zone: string): number | undefined {
	if (value !== undefined && value !== null) return toMoment(name, value, zone);
	throw new InvalidInput(
		`${name} has an expression that returns no value: make it return a date and time, or empty text for no limit`,
	);
}

function readResponseId(options: object): string | undefined {
	if (!('responseId' in options)) return undefined;
	const id = toText('Response ID', options.responseId).trim();
	if (id !== '') return id;
	throw new InvalidInput('Response ID is empty: enter one, or remove the option');
}

/** What one request has read for all its queries. */
interface FormRead {
	/** By the key of the query */
	results: Map<string, QueryResult>;
	/** The same for all items, whatever their limit */
	columns: Columns;
	/** Question keys in answer filters that no response has; none where there are no responses */
	unanswered: string[];
}

async function readAll(
	service: ServiceClient,
	account: Account,
	queries: Query[],
): Promise<FormRead> {
	const [{ formId }] = queries as [Query];
	const isTable = queries.some(({ shape }) => shape !== undefined);
	const timeoutMs = queries.reduce(
		(longest, query) => Math.max(longest, query.timeoutMs ?? DEFAULT_TIMEOUT_MS),
		0,
	);
	const createCollector = () => {
		const wanted = new Map(queries.map((query) => [keyOf(query), query]));
		const collectors = new Map([...wanted].map(([key, query]) => [key, collectorOf(query)]));
		const collectorsFor = indexOf(
			[...wanted].map(([key, query]) => [query, collectors.get(key) as Collector]),
		);
		const columns = collectColumns();
		const unanswered = new Set(
			queries.flatMap(({ answerFilters }) => answerFilters.map(({ question }) => question)),
		);
		let isEmpty = true;
		let open = collectors.size;
		return {
			add(response: ResponseRecord): boolean {
				isEmpty = false;
				for (const question of unanswered) {
					if (hasQuestion(response.answers, question)) unanswered.delete(question);
				}
				if (isTable) columns.add(response);
				for (const collector of collectorsFor(response)) {
					if (collector.isFull()) continue;
					collector.add(response);
					if (collector.isFull()) open--;
				}
				return open > 0;
			},
			result: () => ({
				results: new Map([...collectors].map(([key, each]) => [key, each.result()])),
				columns: columns.result(),
				unanswered: isEmpty ? [] : [...unanswered],
			}),
		};
	};
	const { result } = await service.responses(account, formId, createCollector, { timeoutMs });
	return result as FormRead;
}

/** The same for queries with the same result: most often all items want the same. */
function keyOf({ from, before, answerFilters, responseId, order, limit }: Query) {
	return [from, before, order, limit, JSON.stringify([responseId, answerFilters])].join();
}

function sharing(queries: Query[], requests: number): string | undefined {
	const items = queries.length;
	if (items <= requests) return undefined;
	const shared = `${count(items)} items shared ${requests === 1 ? 'one request' : `${requests} requests`}`;
	// Whether all items have the same responses, and not only the same request.
	const isRepeated = requests === 1 && new Set(queries.map(keyOf)).size === 1;
	if (!isRepeated) return shared;
	return `${shared}, so each response appears ${times(items)}: to get it once, turn on Execute Once in the settings of this node`;
}

function missing(items: number): string | undefined {
	if (items === 0) return undefined;
	if (items === 1) return 'The form has no response with this Response ID';
	return `For ${count(items)} items the form has no response with their Response ID`;
}

function filteredOut(items: number): string | undefined {
	if (items === 0) return undefined;
	const why = 'does not match Answer Filters, Created After, or Created Before';
	if (items === 1) return `The response with this Response ID ${why}`;
	return `For ${count(items)} items the response with their Response ID ${why}`;
}

function unansweredHint(questions: string[]): string | undefined {
	if (questions.length === 0) return undefined;
	return `None of the responses that were read has an answer to ${quoted(questions)}: check the question in Answer Filters`;
}

function quoted(keys: string[]): string {
	return listOf(keys.map((key) => `"${key}"`));
}

/**
 * What a model has to know of its result, which is not shown beside the output of a tool.
 *
 * @param unanswered question keys that none of the responses has
 * @throws InvalidInput for an answer filter with such a key: most often the model has guessed it
 */
function toolHints(query: Query, result: QueryResult, unanswered: string[]): string[] {
	const { isCut, isIdFound, responses, total } = result;
	const questions = query.answerFilters
		.map(({ question }) => question)
		.filter((question) => unanswered.includes(question));
	const isReadToTheEnd = !isIdFound && !(isCut && total === undefined);
	if (questions.length > 0 && isReadToTheEnd) {
		throw new InvalidInput(
			`None of the responses has an answer to ${quoted(questions)}: check the question key in Answer Filters, for example with Get Questions`,
		);
	}
	const without = query.responseId !== undefined && responses.length === 0 ? 1 : 0;
	return [
		unansweredHint(questions),
		isIdFound ? filteredOut(without) : missing(without),
		isCut ? shortage([result]) : undefined,
	].filter((hint) => hint !== undefined);
}

function times(number: number): string {
	return number === 2 ? 'twice' : `${count(number)} times`;
}

function shortage([first, ...others]: QueryResult[]): string | undefined {
	if (first === undefined) return undefined;
	const advice = 'raise Limit or turn on Return All';
	if (others.length > 0) {
		return `For ${others.length + 1} items there may be more responses than returned: ${advice}`;
	}
	const { total, responses } = first;
	if (total === undefined) return `There may be more responses than returned: ${advice}`;
	return `Returned ${count(responses.length)} of ${count(total)} responses: ${advice}`;
}

const count = (value: number) => value.toLocaleString('en-US');
