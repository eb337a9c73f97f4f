import type { IExecuteFunctions, INodePropertyOptions } from 'n8n-workflow';
import { collectorOf, type QueryResult, type ResponseQuery } from '../responses/query';
import { type Account, accountKey } from '../transport/account';
import { DEFAULT_TIMEOUT_MS, type Service } from '../transport/client';
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
		// Before the first `await`, as n8n may release what it evaluates expressions with.
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
		let accounts: Promise<(Account | Error)[]> | undefined;
		hint(() => sharing(queries.filter((query) => 'formId' in query).length, reads.size));
		hint(() => shortage(cut));
		const execute = async (itemIndex: number) => {
			const query = queries[itemIndex];
			if (query === undefined || 'error' in query) throw query?.error;
			const { formId } = query;
			const accountOf = await (accounts ??= readAccounts(service, queries.length));
			const account = accountOf[itemIndex];
			if (account === undefined || account instanceof Error) throw account;
			// One request and one pass for all items that ask for this form of this account.
			const key = `${accountKey(account)} ${formId}`;
			const isAboutTheSame = (other: Query | { error: unknown }, i: number): other is Query => {
				const owner = accountOf[i];
				if (!('formId' in other) || owner === undefined || owner instanceof Error) return false;
				return other.formId === formId && accountKey(owner) === accountKey(account);
			};
			const read = reads.get(key) ?? readAll(service, account, queries.filter(isAboutTheSame));
			reads.set(key, read);
			const result = (await read).get(keyOf(query)) as QueryResult;
			if (result.isCut) cut.push(result);
			return result.responses.map((response) => query.shape(own(response)));
		};
		return { execute };
	},
};

/** A credential that is of no use to one item must not keep the others from being read. */
async function readAccounts(service: Service, items: number): Promise<(Account | Error)[]> {
	const accounts = Array.from({ length: items }, async (_, itemIndex) => {
		return await service.account(itemIndex).catch((error: Error) => error);
	});
	return await Promise.all(accounts);
}

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
async function readAll(
	service: Service,
	account: Account,
	queries: Query[],
): Promise<Map<string, QueryResult>> {
	const [{ formId }] = queries as [Query];
	const timeoutMs = Math.max(...queries.map((query) => query.timeoutMs ?? DEFAULT_TIMEOUT_MS));
	const createCollector = () => {
		const collectors = new Map(queries.map((query) => [keyOf(query), collectorOf(query)]));
		return {
			add(response: ResponseRecord): boolean {
				let isWanted = false;
				for (const collector of collectors.values()) {
					if (!collector.isFull()) collector.add(response);
					isWanted ||= !collector.isFull();
				}
				return isWanted;
			},
			result: () => new Map([...collectors].map(([key, each]) => [key, each.result()])),
		};
	};
	const { result } = await service.responses(account, formId, createCollector, { timeoutMs });
	return result as Map<string, QueryResult>;
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
