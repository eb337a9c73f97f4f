import type { IExecuteFunctions, INodePropertyOptions } from 'n8n-workflow';
import {
	type Collector,
	collectorOf,
	type QueryResult,
	type ResponseQuery,
} from '../responses/query';
import type { Service } from '../transport/client';
import { copyOf, type ResponseRecord } from '../transport/records';
import {
	flattenFields,
	formField,
	limitField,
	readFormId,
	readLimit,
	readOptions,
	readTimeout,
	returnAllField,
	shaper,
	timeoutField,
} from './fields';
import type { Operation } from './action';
import { optionOf, toChoice, toMoment } from './parameters';

const orders: INodePropertyOptions[] = [
	{ name: 'As Received', value: 'asReceived' },
	{ name: 'Newest First', value: 'newestFirst' },
	{ name: 'Oldest First', value: 'oldestFirst' },
];

export const getResponses: Operation = {
	value: 'getResponses',
	name: 'Get Responses',
	action: 'Get responses',
	description: 'Read the responses that a form has collected',
	fields: [
		formField,
		returnAllField,
		limitField,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
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
				...flattenFields,
				{
					displayName: 'Sort',
					name: 'sort',
					type: 'options',
					default: 'asReceived',
					options: orders,
					description: 'The order of the responses. The limit takes the first ones in this order.',
				},
				timeoutField,
			],
		},
	],
	start(context, service, hint) {
		const queries = context.getInputData().map((_, itemIndex) => attempt(context, itemIndex));
		const reads = new Map<string, Promise<Map<string, QueryResult>>>();
		const cut: QueryResult[] = [];
		const given = new Set<ResponseRecord>();
		// Items share no objects, because nodes may change those they get.
		const own = (response: ResponseRecord) => {
			if (given.has(response)) return copyOf(response);
			given.add(response);
			return response;
		};
		hint(() => sharing(queries.filter((query) => 'formId' in query).length, reads.size));
		hint(() => shortage(cut));
		return async (itemIndex) => {
			const query = queries[itemIndex];
			if (query === undefined || 'error' in query) throw query?.error;
			const { formId } = query;
			// One request and one pass for all items that ask for this form.
			const read = reads.get(formId) ?? readAll(service, queries.filter(isAbout(formId)));
			reads.set(formId, read);
			const result = (await read).get(keyOf(query)) as QueryResult;
			if (result.isCut) cut.push(result);
			return result.responses.map((response) => query.shape(own(response)));
		};
	},
};

interface Query extends ResponseQuery {
	formId: string;
	timeoutMs?: number;
	shape: (response: ResponseRecord) => ResponseRecord;
}

/** What is wrong with one item must not keep the others from being read. */
function attempt(context: IExecuteFunctions, itemIndex: number): Query | { error: unknown } {
	try {
		return readQuery(context, itemIndex);
	} catch (error) {
		return { error };
	}
}

function isAbout(formId: string) {
	return (query: Query | { error: unknown }): query is Query =>
		'formId' in query && query.formId === formId;
}

function readQuery(context: IExecuteFunctions, itemIndex: number): Query {
	const formId = readFormId(context, itemIndex);
	const limit = readLimit(context, itemIndex);
	const options = readOptions(context, itemIndex);
	const zone = context.getTimezone();
	return {
		formId,
		limit,
		from: toMoment('Created After', options.createdAfter, zone) ?? -Infinity,
		before: toMoment('Created Before', options.createdBefore, zone) ?? Infinity,
		order: toChoice('Sort', optionOf(options, 'sort', 'asReceived'), orders),
		timeoutMs: readTimeout(options),
		shape: shaper(options),
	};
}

/** @returns what each of the queries gets, by its key */
async function readAll(service: Service, queries: Query[]): Promise<Map<string, QueryResult>> {
	const [{ formId, timeoutMs }] = queries as [Query];
	let collectors = new Map<string, Collector>();
	const start = () => {
		collectors = new Map(queries.map((query) => [keyOf(query), collectorOf(query)]));
		return (response: ResponseRecord) => {
			let isWanted = false;
			for (const collector of collectors.values()) {
				if (!collector.isFull()) collector.take(response);
				isWanted ||= !collector.isFull();
			}
			return isWanted;
		};
	};
	await service.responses(formId, start, { timeoutMs });
	return new Map([...collectors].map(([key, collector]) => [key, collector.results()]));
}

/** The same for queries with the same result: most often all items want the same. */
function keyOf({ from, before, order, limit }: Query): string {
	return [from, before, order, limit].join();
}

function sharing(items: number, requests: number): string | undefined {
	if (items <= requests) return undefined;
	return `${items} items shared ${requests === 1 ? 'one request' : `${requests} requests`}`;
}

function shortage([first, ...others]: QueryResult[]): string | undefined {
	const advice = 'raise Limit or turn on Return All';
	if (others.length > 0) {
		return `For ${others.length + 1} items there may be more responses than returned: ${advice}`;
	}
	// Where the number is unknown, n8n itself says of a single item that the limit was reached.
	if (first?.total === undefined) return undefined;
	return `Returned ${count(first.responses.length)} of ${count(first.total)} responses: ${advice}`;
}

const count = (value: number) => value.toLocaleString('en-US');
