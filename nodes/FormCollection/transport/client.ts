import { type IDataObject, sleep } from 'n8n-workflow';
import type { Account, RequestContext } from './account';
import { textOf, UnexpectedBody } from './body';
import { ServiceError } from './errors';
import { parseBody, readList } from './jsonList';
import { type Answers, type FormRecord, isRecord, type ResponseRecord } from './records';
import {
	type FormReference,
	type Reader,
	type RequestResult,
	send,
	type ServiceRequest,
} from './request';
import { requestError } from './requestError';

export const DEFAULT_TIMEOUT_MS = 30_000;

/** Makes something of the records of a list, which come one by one. */
export interface Collector<Result, Item = ResponseRecord> {
	/** @returns false if no more records are of use, which ends the download */
	add(record: Item): unknown;
	result(): Result;
}

export interface ListReply<Result> {
	result: Result;
	/** The service says that it has sent only a part of the list. */
	isPartial: boolean;
}

/** The three endpoints of the service, for one run of a node. The methods reject with `ServiceError`. */
export class ServiceClient {
	/** By account: the error after which its further requests are not sent */
	private readonly permanentErrors = new Map<string, ServiceError>();

	/** Resolves when the latest submission may begin */
	private lastStart = Promise.resolve();

	constructor(
		private readonly context: RequestContext,
		private readonly maxTries?: number,
	) {}

	async forms(account: Account): Promise<ListReply<FormRecord[]>> {
		const request = { ...this.request(account), path: '/forms' as const };
		return await this.readRecords(request, () => {
			const forms: FormRecord[] = [];
			return { add: (form: FormRecord) => void forms.push(form), result: () => forms };
		});
	}

	/** @param createCollector called for each try: the records of one that broke off must not stay */
	async responses<Result>(
		account: Account,
		form: FormReference,
		createCollector: () => Collector<Result>,
		timeoutMs?: number,
	): Promise<ListReply<Result>> {
		return await this.readRecords({ ...this.request(account, timeoutMs), form }, createCollector);
	}

	/** @returns the reply of the service, which confirms the response */
	async createResponse(
		account: Account,
		form: FormReference,
		answers: Answers,
		timeoutMs: number,
	): Promise<IDataObject> {
		// n8n opens a connection for each request: those begun in one turn of the event loop would wait for each other.
		this.lastStart = this.lastStart.then(async () => await sleep(0));
		await this.lastStart;
		const body = JSON.stringify({ form_id: form.id, answers });
		const request = { ...this.request(account, timeoutMs), method: 'POST' as const, form, body };
		const { content } = await this.exchange(request, readConfirmation);
		return content as IDataObject;
	}

	private request(account: Account, timeoutMs = DEFAULT_TIMEOUT_MS): ServiceRequest {
		const { maxTries } = this;
		return { method: 'GET', account, path: '/responses', timeoutMs, maxTries };
	}

	private async readRecords<Result, Item extends IDataObject>(
		request: ServiceRequest,
		createCollector: () => Collector<Result, Item>,
	): Promise<ListReply<Result>> {
		const member = request.path.slice(1);
		const { content, link } = await this.exchange(request, async (chunks) => {
			const collector = createCollector();
			let count = 0;
			const envelope = await readList(chunks, member, (record) => {
				count++;
				return collector.add(record as Item);
			});
			return { count, envelope, result: collector.result() };
		});
		const { count, envelope, result } = content as NonNullable<typeof content>;
		return { result, isPartial: envelope !== undefined && isPart(envelope, count, link) };
	}

	private async exchange<Content>(
		request: ServiceRequest,
		read: Reader<Content>,
	): Promise<RequestResult<Content>> {
		const { key } = request.account;
		const permanent = this.permanentErrors.get(key);
		if (permanent) throw new ServiceError({ ...permanent.details, outcome: 'not sent' });
		const result = await send(this.context, request, read).catch((error: unknown) => {
			if (!(error instanceof UnexpectedBody)) throw error;
			return { kind: error.kind, errorBody: error.text };
		});
		if ('content' in result) return result;
		const error = requestError(request, result);
		if (error.details.isPermanent) this.permanentErrors.set(key, error);
		throw error;
	}
}

/** The reference says: `success`, true on success. */
async function readConfirmation(chunks: AsyncIterable<string>): Promise<IDataObject> {
	const text = await textOf(chunks);
	const reply = parseBody(text);
	if (isRecord(reply) && reply.success === true) return reply;
	const isDenied = isRecord(reply) && reply.success === false;
	throw new UnexpectedBody(isDenied ? 'denied' : 'unconfirmed', text);
}

const NEXT = /^next(?:_?(?:cursor|link|offset|page|page_?token|token|url))?$/i;
const HAS_MORE = /^has_?(?:more|next)/i;
const TOTAL = /^total(?:_?(?:count|results|items|records|forms|responses))?$/i;

/** The reference has no pagination; these are the ways in which services commonly say that a list goes on. */
function isPart(envelope: IDataObject, count: number, link = ''): boolean {
	const members = Object.entries(envelope).flatMap(([name, value]) =>
		isRecord(value) ? Object.entries(value) : [[name, value] as const],
	);
	return (
		/;\s*rel="?next\b/i.test(link) ||
		members.some(
			([name, value]) =>
				(NEXT.test(name) && Boolean(value)) ||
				(HAS_MORE.test(name) && value === true) ||
				(TOTAL.test(name) && Number(value) > count),
		)
	);
}
