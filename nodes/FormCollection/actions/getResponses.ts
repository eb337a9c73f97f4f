import type { IExecuteFunctions, INodePropertyOptions } from 'n8n-workflow';
import {
	flattenField,
	type Flatten,
	limitField,
	Options,
	readAnswerFilters,
	readFlatten,
	readingOptions,
	readLimit,
	returnAllField,
} from '../parameters/fields';
import { formField, toForm } from '../parameters/formLocator';
import { toChoice, toMoment, toText } from '../parameters/values';
import { collectQueries, type FormRead } from '../responses/formRead';
import type { Order, QueryResult, ResponseQuery } from '../responses/query';
import type { ListReply } from '../transport/client';
import { InvalidInput } from '../transport/errors';
import { copyOf } from '../transport/records';
import type { FormReference } from '../transport/request';
import { counted, listOf, PARTIAL_HINT, SharedReads } from './hints';
import type { Handler, Item, Operation, Run } from './operation';

const orders: (INodePropertyOptions & { value: Order })[] = [
	{
		name: 'As Received',
		value: 'asReceived',
		description: 'The only order in which the download ends at the limit',
	},
	{ name: 'Newest First', value: 'newestFirst' },
	{ name: 'Oldest First', value: 'oldestFirst' },
];

interface Input {
	form: FormReference;
	query: ResponseQuery;
	/** Equal for queries that have the same result */
	queryKey: string;
	timeoutMs: number;
	flatten?: Flatten;
}

export const getResponses: Operation<Input> = {
	value: 'getResponses',
	name: 'Get Responses',
	action: 'Get many responses',
	description: 'Read the responses that a form has collected',
	fields: [
		formField,
		returnAllField,
		limitField,
		flattenField,
		readingOptions(
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
			{
				displayName: 'Response ID',
				name: 'responseId',
				type: 'string',
				default: '',
				placeholder: 'e.g. 2e7ef676-1311-4e89-8e1d-4176252e97f5',
				description: 'Return only the response with this ID',
			},
			{
				displayName: 'Sort',
				name: 'sort',
				type: 'options',
				default: 'newestFirst',
				options: orders,
				description: 'The order of the responses. Without this option, the newest come first.',
			},
		),
	],
	reader: (context) => (itemIndex) => {
		const form = toForm(context.getNodeParameter('formId', itemIndex));
		const options = new Options(context.getNodeParameter('options', itemIndex));
		const query = readQuery(context, itemIndex, options);
		const flatten: unknown = context.getNodeParameter('flattenAnswers', itemIndex);
		return {
			form,
			query,
			queryKey: JSON.stringify(query),
			timeoutMs: options.timeoutMs,
			flatten: readFlatten(flatten, options),
		};
	},
	start: (run) => new GetResponsesHandler(run),
};

function readQuery(context: IExecuteFunctions, itemIndex: number, options: Options): ResponseQuery {
	const zone = context.getTimezone();
	return {
		limit: readLimit(context, itemIndex),
		from: toMoment('Created After', options.get('createdAfter', ''), zone) ?? -Infinity,
		before: toMoment('Created Before', options.get('createdBefore', ''), zone) ?? Infinity,
		answerFilters: readAnswerFilters(options),
		responseId: readResponseId(options),
		order: toChoice('Sort', options.get('sort', 'newestFirst'), orders),
	};
}

function readResponseId(options: Options): string | undefined {
	if (!options.has('responseId')) return undefined;
	const id = toText('Response ID', options.get('responseId', '')).trim();
	if (id !== '') return id;
	throw new InvalidInput('Response ID is empty: enter one, or remove the option');
}

class GetResponsesHandler implements Handler<Input> {
	private readonly reads = new SharedReads<ListReply<FormRead>>();

	private limitHint: string | undefined;

	private isPartial = false;

	private readonly unanswered = new Set<string>();

	constructor(private readonly run: Run<Input>) {}

	async execute({ account, input }: Item<Input>) {
		const { form, query, queryKey, flatten, timeoutMs } = input;
		const items = () =>
			this.run.items.filter(
				(item) => item.input.form.id === form.id && item.account.key === account.key,
			);
		const { result: list, isShared } = await this.reads.get(
			`${account.key} ${form.id}`,
			async () => {
				const inputs = items().map((item) => item.input);
				const queries = new Map(inputs.map((each) => [each.queryKey, each.query]));
				const isTable = inputs.some((each) => each.flatten !== undefined);
				const createCollector = () => collectQueries(queries, isTable);
				return await this.run.client.responses(account, form, createCollector, timeoutMs);
			},
		);
		const { results, columns, unanswered } = list.result;
		const result = results.get(queryKey) as QueryResult;
		this.isPartial ||= list.isPartial;
		for (const question of unanswered) this.unanswered.add(question);
		this.noteLimit(query, result);
		const responses = isShared ? result.responses.map(copyOf) : result.responses;
		return flatten?.(responses, columns) ?? responses;
	}

	hints() {
		return [
			this.reads.hint(new Set(this.run.items.map(({ input }) => input.queryKey)).size === 1),
			this.limitHint,
			this.unanswered.size > 0
				? `No response has an answer to "${listOf(this.unanswered, '", "')}": check Answer Filters`
				: undefined,
			this.isPartial ? PARTIAL_HINT : undefined,
		];
	}

	private noteLimit({ order, limit, responseId }: ResponseQuery, { matches }: QueryResult): void {
		if (responseId !== undefined || matches < limit) return;
		if (order === 'asReceived') {
			this.limitHint = `Returned the first ${counted(limit, 'response')}: raise Limit for more`;
		} else if (matches > limit) {
			const which = order === 'newestFirst' ? 'newest' : 'oldest';
			this.limitHint = `Returned the ${which} ${limit} of ${counted(matches, 'response')}`;
		}
	}
}
