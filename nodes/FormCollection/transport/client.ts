import { type IDataObject, sleep } from 'n8n-workflow';
import {
	type Account,
	accountFormKey,
	accountKey,
	isSameForAllItems,
	readAccount,
	type RequestContext,
} from './account';
import { readAccounts } from './accounts';
import type { Reader, Reply, ReplyInfo, ServiceRequest } from './attempt';
import { textOf, UnexpectedBody } from './body';
import { bodyError, confirmationError, resultError, STOPPED } from './errorDetails';
import { ServiceError } from './errors';
import { monotonicMs } from './monotonicMs';
import { outcomeOfConfirmation, saysCreated } from './outcome';
import { paginationSignsOf } from './pagination';
import { type ListInfo, readList } from './readList';
import type { Answers, FormRecord, ResponseRecord } from './records';
import { copyOf, parseConfirmation } from './records';
import { maskKey, SHORTEST_PART } from './redaction';
import type { Validators } from './replyHeaders';
import { cancelSignalOf, send } from './send';

export const DEFAULT_TIMEOUT_MS = 30_000;

/** After this many submissions in a row that find no form, others to the form would cost requests in vain. */
const MOST_NOT_FOUND = 3;

/** Makes something of the records of a list, which come one by one. */
export interface Collector<Result, Item = ResponseRecord> {
	/** @returns false if no more records are of use, which ends the download */
	add(record: Item): unknown;
	result(): Result;
}

interface ReadOptions {
	/** Of the option Timeout, or its default; undefined where there is no such option */
	timeoutMs?: number;
	/** How long n8n gives a poll */
	budgetMs?: number;
	/** Validators of an earlier reply: nothing is read if the responses are still the same */
	ifChangedSince?: Validators;
}

export interface ReadReply<Result> extends ReplyInfo {
	/** undefined if the responses are still the same */
	result?: Result;
	/** The service says that it has sent only a part of them */
	isPartial: boolean;
}

/**
 * The three endpoints of the service, for one run of a node. Their methods reject with `ServiceError`, or with
 * what a collector throws.
 */
export class ServiceClient {
	/** By account */
	private readonly permanentErrors = new Map<string, ServiceError>();

	/** By account */
	private readonly formLists = new Map<string, Promise<FormRecord[]>>();

	/** By account and form: submissions in a row that found no form */
	private readonly notFound = new Map<string, ServiceError[]>();

	private readonly foundHints = new Set<string>();

	/** Resolves when the latest submission may begin */
	private lastStart = Promise.resolve();

	private onlyAccount: Account | undefined;

	/** @param maxTries how many times a request is sent at most; by default what the retry policy says */
	constructor(
		private readonly context: RequestContext,
		private readonly maxTries?: number,
	) {}

	/**
	 * The account of an input item: the credential may hold expressions.
	 *
	 * @throws InvalidInput for a credential that no request can be made of
	 */
	async account(itemIndex: number): Promise<Account> {
		this.throwIfStopped();
		// For each of them n8n 2.41 reads its database.
		if (this.onlyAccount !== undefined) return this.onlyAccount;
		const account = await readAccount(this.context, itemIndex);
		if (isSameForAllItems(account)) this.onlyAccount = account;
		return account;
	}

	/**
	 * The accounts of all input items, read before the first request, so that a database of n8n that is
	 * away for a while stops nothing that has begun.
	 */
	async accounts(items: number): Promise<(Account | Error)[]> {
		return await readAccounts(items, async (itemIndex) => await this.account(itemIndex));
	}

	/** n8n saves a stopped execution at once: what takes longer is lost. @throws ServiceError */
	throwIfStopped(): void {
		if (cancelSignalOf(this.context)?.aborted) throw new ServiceError({ message: STOPPED });
	}

	/** Each call gives its own objects, all of one request for each account. */
	async forms(account: Account): Promise<FormRecord[]> {
		const key = accountKey(account);
		const records = this.formLists.get(key) ?? this.readForms(account);
		this.formLists.set(key, records);
		return (await records).map(copyOf);
	}

	/**
	 * Reads the responses of a form, each time in a request of its own.
	 *
	 * @param createCollector called for each reply, before its records come
	 */
	async responses<Result>(
		account: Account,
		formId: string,
		createCollector: (reply: ReplyInfo) => Collector<Result>,
		options: ReadOptions = {},
	): Promise<ReadReply<Result>> {
		const { timeoutMs = DEFAULT_TIMEOUT_MS, budgetMs, ifChangedSince } = options;
		const request: ServiceRequest = {
			method: 'GET',
			account,
			path: '/responses',
			formId,
			timeoutMs: Math.min(timeoutMs, budgetMs ?? Infinity),
			hasTimeoutOption: options.timeoutMs !== undefined,
			budgetMs,
			ifChangedSince,
		};
		const reply = await this.readRecords(request, createCollector);
		const { clockOffsetMs, content, isPartial } = reply;
		const validators = withoutKey(account, reply.validators);
		return { result: content?.result, isPartial, validators, clockOffsetMs };
	}

	/**
	 * Lets Node.js do what is due between two submissions: n8n opens a connection for each, and those begun
	 * at once would all wait for the last one, and then for the service together.
	 */
	async beforeSubmission(): Promise<void> {
		this.lastStart = this.lastStart.then(async () => await sleep(0));
		await this.lastStart;
	}

	/**
	 * @returns the reply of the service; "…" stands for the API key where the reply repeats it
	 * @throws ServiceError unless the service confirms the response
	 */
	async createResponse(
		account: Account,
		formId: string,
		answers: Answers,
		timeoutMs = DEFAULT_TIMEOUT_MS,
	): Promise<IDataObject> {
		const request: ServiceRequest = {
			method: 'POST',
			account,
			path: '/responses',
			formId,
			body: JSON.stringify({ form_id: formId, answers }),
			timeoutMs,
		};
		const key = accountFormKey(account, formId);
		const notFound = this.notFound.get(key) ?? [];
		this.notFound.set(key, notFound);
		if (notFound.length >= MOST_NOT_FOUND) {
			const { details } = notFound[0] as ServiceError;
			throw new ServiceError({ ...details, outcome: 'neverSent', isPermanent: true });
		}
		const { content } = await this.exchange(request, async (chunks) => {
			const text = await textOf(chunks, saysCreated);
			const reply = repliedWithoutKey(account, text, parseConfirmation(text));
			const outcome = outcomeOfConfirmation(reply);
			if (outcome !== 'created') throw confirmationError(request, outcome, text);
			return reply;
		}).catch((error: unknown) => {
			if (error instanceof ServiceError && error.details.httpCode === '404') notFound.push(error);
			else notFound.length = 0;
			throw error;
		});
		notFound.length = 0;
		return content as IDataObject;
	}

	/** One for each list of which the service may have sent only a part. */
	hints(): string[] {
		return [...this.foundHints];
	}

	private async readForms(account: Account): Promise<FormRecord[]> {
		const request: ServiceRequest = {
			method: 'GET',
			account,
			path: '/forms',
			timeoutMs: DEFAULT_TIMEOUT_MS,
		};
		const { content } = await this.readRecords(request, () => {
			const forms: FormRecord[] = [];
			return { add: (form: FormRecord) => void forms.push(form), result: () => forms };
		});
		return content?.result ?? [];
	}

	/** @param createCollector called for each try: the records of one that broke off must not stay */
	private async readRecords<Result, Item extends IDataObject>(
		request: ServiceRequest,
		createCollector: (reply: ReplyInfo) => Collector<Result, Item>,
	) {
		const reply = await this.exchange(request, async (chunks, info) => {
			const collector = createCollector(info);
			const list = await readList(chunks, request.path.slice(1), (record) =>
				collector.add(record as Item),
			);
			return { ...list, result: collector.result() };
		});
		return { ...reply, isPartial: this.notePagination(request, reply) };
	}

	/** @throws ServiceError unless the reply is a success, or 304 to a conditional request */
	private async exchange<Content>(
		request: ServiceRequest,
		read: Reader<Content>,
	): Promise<Reply<Content>> {
		const account = accountKey(request.account);
		const { budgetMs = Infinity } = request;
		const startedAt = monotonicMs();
		const permanentError = this.permanentErrors.get(account);
		if (permanentError) {
			const outcome = request.method === 'POST' ? 'neverSent' : undefined;
			throw new ServiceError({ ...permanentError.details, outcome });
		}
		const result = await send(this.context, request, read, this.maxTries).catch(
			(error: unknown) => {
				throw error instanceof UnexpectedBody ? bodyError(request, error) : error;
			},
		);
		if (result.kind === 'reply') {
			if ('content' in result || (request.ifChangedSince && result.status === 304)) return result;
			// "Not modified", which nobody asked for: it has neither a body nor an address.
			if (result.status === 304) throw bodyError(request, new UnexpectedBody('empty', ''));
		}
		const error =
			result.kind === 'timeout' && monotonicMs() - startedAt >= budgetMs
				? outOfBudget(budgetMs)
				: resultError(request, result, Date.now());
		if (error.details.isPermanent) this.permanentErrors.set(account, error);
		throw error;
	}

	/** @returns whether the service says that this is only a part */
	private notePagination({ account, path }: ServiceRequest, reply: Reply<ListInfo>): boolean {
		const { names, isPartial } = paginationSignsOf(reply);
		if (names.length > 0) {
			// The service chooses the names: they may be anything.
			const shown = maskKey(names.join(', '), account.apiKey).replace(/\p{Cc}+/gu, ' ');
			const list = path.slice(1);
			this.foundHints.add(`The service also sent ${shown}: there may be more ${list} than these`);
		}
		return isPartial;
	}
}

/** No Timeout of the node can change it. */
function outOfBudget(budgetMs: number): ServiceError {
	return new ServiceError({
		message: `The service did not answer in full within the ${budgetMs / 1000} s that n8n gives a poll: ask your n8n administrator to raise N8N_SCHEDULER_POLL_TIMEOUT and N8N_SCHEDULER_LEASE_DURATION`,
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** What the service repeats of the key is the one thing of its reply that is not passed on as it came. */
function repliedWithoutKey({ apiKey }: Account, text: string, reply: IDataObject): IDataObject {
	const escaped = JSON.stringify(apiKey).slice(1, -1);
	const repeats = text.includes(apiKey) || text.includes(escaped);
	if (apiKey.length < SHORTEST_PART || !repeats) return reply;
	return JSON.parse(JSON.stringify(reply), (_, value: unknown) =>
		typeof value === 'string' ? value.replaceAll(apiKey, '…') : value,
	) as IDataObject;
}

/** Validators are saved: one that has the API key in it is of no use. */
function withoutKey({ apiKey }: Account, validators?: Validators): Validators | undefined {
	const values: (string | undefined)[] = Object.values(validators ?? {});
	return values.some((value = '') => maskKey(value, apiKey) !== value) ? undefined : validators;
}
