import type { IDataObject } from 'n8n-workflow';
import {
	type Account,
	accountKey,
	isSameForAllItems,
	readAccount,
	type RequestContext,
} from './account';
import { textOf, UnexpectedBody } from './body';
import { bodyError, confirmationError, resultError, STOPPED } from './errorDetails';
import { ServiceError } from './errors';
import { outcomeOfConfirmation } from './outcome';
import { type ListInfo, readList } from './readList';
import { maskKey } from './redaction';
import type { Answers, FormRecord, ResponseRecord } from './records';
import { copyOf, parseConfirmation } from './records';
import type { Validators } from './replyHeaders';
import type { Reader, Reply, ServiceRequest } from './attempt';
import { cancelSignalOf, send } from './send';

export const DEFAULT_TIMEOUT_MS = 30_000;

const ACCOUNTS_AT_ONCE = 50;

/**
 * The three endpoints of the service, for one run of a node. All reject with `ServiceError`.
 */
export interface Service {
	/**
	 * The account of an input item: the credential may hold expressions.
	 *
	 * @throws InvalidInput for a credential that no request can be made of
	 */
	account(itemIndex: number): Promise<Account>;
	/**
	 * The accounts of all input items, read before the first request, so that a database of n8n that is
	 * away for a while stops nothing that has begun.
	 */
	accounts(items: number): Promise<(Account | Error)[]>;
	/** Each call gives its own objects, all of one request for each account. */
	forms(account: Account, timeoutMs?: number): Promise<FormRecord[]>;
	/**
	 * Reads the responses of a form, each time in a request of its own.
	 *
	 * @param createCollector called for each reply, before its records come
	 */
	responses<Result>(
		account: Account,
		formId: string,
		createCollector: (reply: ReplyInfo) => Collector<Result>,
		options?: ReadOptions,
	): Promise<ReadReply<Result>>;
	/** n8n saves a stopped execution at once: what takes longer is lost. @throws ServiceError */
	throwIfStopped(): void;
	/** @returns the reply of the service, untouched */
	createResponse(
		account: Account,
		formId: string,
		answers: Answers,
		timeoutMs?: number,
	): Promise<IDataObject>;
	/** One for each list of which the service may have sent only a part. */
	hints(): string[];
}

/** Makes something of the records of a list, which come one by one. */
export interface Collector<Result> {
	/** @returns false if no more records are of use, which ends the download */
	add(record: ResponseRecord): unknown;
	result(): Result;
}

export interface ReadOptions {
	/** Of the option Timeout, or its default; undefined where there is no such option */
	timeoutMs?: number;
	/** How long n8n gives a poll */
	budgetMs?: number;
	/** Those of an earlier reply: nothing is read if the responses are still the same */
	unless?: Validators;
}

export interface ReplyInfo {
	validators?: Validators;
	/** How far the clock of the service is ahead of this one, if it says so */
	clockOffsetMs?: number;
}

export interface ReadReply<Result> extends ReplyInfo {
	/** undefined if the responses are still the same */
	result?: Result;
	/** The service says that it has sent only a part of them */
	isPartial: boolean;
}

/** @param maxTries how many times a request is sent at most; by default what the retry policy says */
export function connect(context: RequestContext, maxTries?: number): Service {
	const permanentErrors = new Map<string, ServiceError>();
	const forms = new Map<string, Promise<FormRecord[]>>();
	const hints = new Set<string>();

	const exchange = async <Content>(
		request: ServiceRequest,
		read: Reader<Content>,
	): Promise<Reply<Content>> => {
		const account = accountKey(request.account);
		const permanentError = permanentErrors.get(account);
		if (permanentError) {
			const outcome = request.method === 'POST' ? 'neverSent' : undefined;
			throw new ServiceError({ ...permanentError.details, outcome });
		}
		const result = await send(context, request, read, maxTries).catch((error: unknown) => {
			throw error instanceof UnexpectedBody ? bodyError(request, error) : error;
		});
		if (result.kind === 'reply') {
			if ('content' in result || (request.unless && result.status === 304)) return result;
			// "Not modified", which nobody asked for: it has neither a body nor an address.
			if (result.status === 304) throw bodyError(request, new UnexpectedBody('empty', ''));
		}
		const error =
			result.kind === 'timeout' && request.isCutByBudget
				? outOfBudget(request)
				: resultError(request, result, Date.now());
		if (error.details.isPermanent) permanentErrors.set(account, error);
		throw error;
	};

	/**
	 * The reference shows no pages: a service that has them sends only a part.
	 *
	 * @returns whether the service says that this is only a part
	 */
	const noteOtherParts = (
		{ account: { apiKey } }: ServiceRequest,
		list: 'forms' | 'responses',
		{ status, pageHeaders = [], content }: Reply<ListInfo>,
	): boolean => {
		// Whoever wanted only the first ones knows that there are more.
		if (content?.isComplete !== true) return false;
		const signs = [...content.otherMembers];
		let isPartial = content.saysMore || status === 206;
		for (const { name, value } of pageHeaders) {
			// E.g. "7", and "items 0-6/7" of Content-Range
			const total = /^(X-Total|Content-Range)/.test(name)
				? Number(value.split('/').at(-1))
				: Infinity;
			if (total !== content.count) signs.push(name);
			if (total > content.count) isPartial = true;
		}
		if (status === 206) signs.push('status 206');
		if (signs.length === 0) return false;
		// The service chooses the names: they may be anything, and n8n shows hints as HTML.
		const names = maskKey(signs.join(', '), apiKey).replace(/[\p{Cc}<>&]+/gu, ' ');
		hints.add(`The service also sent ${names}: there may be more ${list} than these`);
		return isPartial;
	};

	return {
		async account(itemIndex) {
			this.throwIfStopped();
			return await readAccount(context, itemIndex);
		},
		throwIfStopped() {
			if (cancelSignalOf(context)?.aborted) throw new ServiceError({ message: STOPPED });
		},
		async accounts(items) {
			const accounts: (Account | Error)[] = [];
			// Equal ones are kept once.
			const known = new Map<string, Account>();
			const read = async (itemIndex: number) => {
				try {
					const account = await this.account(itemIndex);
					const key = accountKey(account);
					const same = known.get(key) ?? account;
					known.set(key, same);
					return same;
				} catch (error) {
					return error as Error;
				}
			};
			while (accounts.length < items) {
				const first = accounts.length;
				// n8n reads its database for each.
				const [only] = known.values();
				if (only && isSameForAllItems(only)) {
					return accounts.concat(Array.from({ length: items - first }, () => only));
				}
				const length = first === 0 ? 1 : Math.min(ACCOUNTS_AT_ONCE, items - first);
				accounts.push(...(await Promise.all(Array.from({ length }, (_, i) => read(first + i)))));
			}
			return accounts;
		},
		async forms(account, timeoutMs = DEFAULT_TIMEOUT_MS) {
			const key = accountKey(account);
			const read = async () => {
				const records: FormRecord[] = [];
				const request: ServiceRequest = { method: 'GET', account, path: '/forms', timeoutMs };
				const reply = await exchange(
					request,
					async (chunks) => await readList(chunks, 'forms', (record) => void records.push(record)),
				);
				noteOtherParts(request, 'forms', reply);
				return records;
			};
			const records = forms.get(key) ?? read();
			forms.set(key, records);
			return (await records).map(copyOf);
		},
		async responses(account, formId, createCollector, options = {}) {
			const { timeoutMs = DEFAULT_TIMEOUT_MS, budgetMs = Infinity, unless } = options;
			const request: ServiceRequest = {
				method: 'GET',
				account,
				path: '/responses',
				formId,
				timeoutMs: Math.min(timeoutMs, budgetMs),
				hasTimeoutOption: options.timeoutMs !== undefined,
				isCutByBudget: budgetMs < timeoutMs,
				unless,
			};
			const reply = await exchange(request, async (chunks, info) => {
				const collector = createCollector(info);
				const list = await readList(chunks, 'responses', (record) => collector.add(record));
				return { ...list, collector };
			});
			const isPartial = noteOtherParts(request, 'responses', reply);
			const { clockOffsetMs, content } = reply;
			const validators = withoutKey(account, reply.validators);
			return { result: content?.collector.result(), isPartial, validators, clockOffsetMs };
		},
		async createResponse(account, formId, answers, timeoutMs = DEFAULT_TIMEOUT_MS) {
			const request: ServiceRequest = {
				method: 'POST',
				account,
				path: '/responses',
				formId,
				body: JSON.stringify({ form_id: formId, answers }),
				timeoutMs,
			};
			const { content } = await exchange(request, async (chunks) => {
				const text = await textOf(chunks);
				const reply = repliedWithoutKey(account, text, parseConfirmation(text));
				const outcome = outcomeOfConfirmation(reply);
				if (outcome !== 'created') throw confirmationError(request, outcome, text);
				return reply;
			});
			return content as IDataObject;
		},
		hints: () => [...hints],
	};
}

/** No Timeout of the node can change it. */
function outOfBudget({ timeoutMs }: ServiceRequest): ServiceError {
	return new ServiceError({
		message: `The service did not answer within the ${timeoutMs / 1000} s that n8n gives a poll: ask your n8n administrator to raise N8N_SCHEDULER_POLL_TIMEOUT and N8N_SCHEDULER_LEASE_DURATION`,
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** A text as short as that may be anywhere, as a part of an ID for one. */
const SHORTEST_KEY = 8;

/** What the service repeats of the key is the one thing of its reply that is not passed on as it came. */
function repliedWithoutKey({ apiKey }: Account, text: string, reply: IDataObject): IDataObject {
	const escaped = JSON.stringify(apiKey).slice(1, -1);
	const repeats = text.includes(apiKey) || text.includes(escaped);
	if (apiKey.length < SHORTEST_KEY || !repeats) return reply;
	return JSON.parse(JSON.stringify(reply), (_, value: unknown) =>
		typeof value === 'string' ? value.replaceAll(apiKey, '…') : value,
	) as IDataObject;
}

/** Validators are saved: one that has the API key in it is of no use. */
function withoutKey({ apiKey }: Account, validators?: Validators): Validators | undefined {
	const values: (string | undefined)[] = Object.values(validators ?? {});
	return values.some((value = '') => maskKey(value, apiKey) !== value) ? undefined : validators;
}
