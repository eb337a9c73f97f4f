import type { IExecuteFunctions, INodePropertyOptions } from 'n8n-workflow';
import { collectUnanswered } from '../responses/answerFilters';
import { collectColumns, type Columns } from '../responses/table';
import {
	type QueryResult,
	type ResponseQuery,
	type ResponseSelection,
	selectionOf,
} from '../responses/query';
import { indexQueries } from '../responses/queryIndex';
import { type Account, accountFormKey, accountKey } from '../transport/account';
import { accountAt } from '../transport/accounts';
import type { Collector, ServiceClient } from '../transport/client';
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
} from '../parameters/fields';
import type { Operation } from './operation';
import { GetResponsesHints, quoted } from './getResponsesHints';
import { optionOf, toChoice, toMoment, toText, trimmed } from '../parameters/values';

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
	start(context, service, addHint) {
		// Before the first `await`: the end of another run may release what n8n 2.41 evaluates expressions with.
		const queries = context.getInputData().map((_, itemIndex) => queryOrError(context, itemIndex));
		const reads = new Map<string, Promise<FormRead>>();
		const hints = new GetResponsesHints(context, addHint);
		let accounts: Promise<(Account | Error)[]> | undefined;
		const execute = async (itemIndex: number) => {
			const query = queries[itemIndex];
			if (query === undefined || 'error' in query) throw query?.error;
			const { formId } = query;
			const accountOf = await (accounts ??= service.accounts(queries.length));
			const account = accountAt(accountOf, itemIndex);
			// One request and one pass for all items that ask for this form of this account.
			const key = accountFormKey(account, formId);
			const isAboutTheSame = (other: Query | { error: unknown }, i: number): other is Query => {
				const owner = accountOf[i];
				if (!('formId' in other) || owner === undefined || owner instanceof Error) return false;
				return other.formId === formId && accountKey(owner) === accountKey(account);
			};
			const earlier = reads.get(key);
			const read = earlier ?? readAll(service, account, queries.filter(isAboutTheSame));
			reads.set(key, read);
			const form = await read;
			const result = form.results.get(keyOf(query)) as QueryResult;
			if (isTool(context) && !form.isPartial) refuseUnanswered(query, result, form.unanswered);
			hints.add({ request: key, query, queryKey: keyOf(query), result, form });
			// Items share no objects, because nodes may change those they get.
			const responses = earlier ? result.responses.map(copyOf) : result.responses;
			return query.shape?.(responses, form.columns) ?? responses;
		};
		return { execute };
	},
};

interface Query extends ResponseQuery {
	formId: string;
	timeoutMs: number;
	shape?: Shape;
}

/** What is wrong with one item must not keep the others from being read. */
function queryOrError(context: IExecuteFunctions, itemIndex: number): Query | { error: unknown } {
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
	const id = trimmed(toText('Response ID', options.responseId));
	if (id !== '') return id;
	throw new InvalidInput('Response ID is empty: enter one, or remove the option');
}

/** What one request has read for all its queries. */
interface FormRead {
	/** By the key of the query */
	results: Map<string, QueryResult>;
	/** Of all responses that were read, whatever the limit of an item */
	columns: Columns;
	/** Question keys in answer filters that no response has; none where there are no responses */
	unanswered: string[];
	/** How many responses were read */
	total: number;
	/** The queries needed no more: there may be responses that were not read */
	isEndedEarly: boolean;
	/** The service says that there may be more. */
	isPartial: boolean;
}

async function readAll(
	service: ServiceClient,
	account: Account,
	queries: Query[],
): Promise<FormRead> {
	const [{ formId }] = queries as [Query];
	const timeoutMs = queries.reduce((longest, query) => Math.max(longest, query.timeoutMs), 0);
	const createCollector = () => collectQueries(queries);
	const reply = await service.responses(account, formId, createCollector, { timeoutMs });
	return { ...(reply.result as Omit<FormRead, 'isPartial'>), isPartial: reply.isPartial };
}

/** What all queries of a form find in its list. */
function collectQueries(queries: Query[]): Collector<Omit<FormRead, 'isPartial'>> {
	const isTable = queries.some(({ shape }) => shape !== undefined);
	const wanted = new Map(queries.map((query) => [keyOf(query), query]));
	const selections = new Map([...wanted].map(([key, query]) => [key, selectionOf(query)]));
	const selectionsFor = indexQueries(
		[...wanted].map(([key, query]) => [query, selections.get(key) as ResponseSelection]),
	);
	const columns = collectColumns();
	const unanswered = collectUnanswered(queries.flatMap(({ answerFilters }) => answerFilters));
	let total = 0;
	let open = selections.size;
	return {
		add(response: ResponseRecord): boolean {
			total++;
			unanswered.add(response);
			if (isTable) columns.add(response);
			for (const selection of selectionsFor(response)) {
				if (selection.isFull()) continue;
				selection.add(response);
				if (selection.isFull()) open--;
			}
			return open > 0;
		},
		result: () => ({
			results: new Map([...selections].map(([key, each]) => [key, each.result()])),
			columns: columns.result(),
			unanswered: unanswered.result(),
			total,
			isEndedEarly: open === 0,
		}),
	};
}

/** Equal for queries that have the same result: most often all items want the same. */
function keyOf({ from, before, answerFilters, responseId, order, limit }: Query) {
	return [from, before, order, limit, JSON.stringify([responseId, answerFilters])].join();
}

/**
 * Most often a model has guessed a question key that no response has.
 *
 * @param unanswered question keys in answer filters that none of the responses that were read has
 * @throws InvalidInput if all were read
 */
function refuseUnanswered(query: Query, result: QueryResult, unanswered: string[]): void {
	const { isCut, isIdFound, total } = result;
	if (isIdFound || (isCut && total === undefined)) return;
	const questions = query.answerFilters
		.map(({ question }) => question)
		.filter((question) => unanswered.includes(question));
	if (questions.length === 0) return;
	throw new InvalidInput(
		`None of the responses has an answer to ${quoted(questions)}: check the question key in Answer Filters, for example with Get Questions`,
	);
}
