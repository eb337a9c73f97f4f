import type { ICredentialsDecrypted, IDataObject } from 'n8n-workflow';
import { textOf, UnexpectedBody } from './body';
import { InvalidInput, type ServiceFault } from './errors';
import { faultOf, notConfirmed, notJson, wrongShape } from './errorDetails';
import { type AddRecord, readList } from './readList';
import type { Answers, FormRecord } from './records';
import { copyOf, parseConfirmation } from './records';
import type { Reply, ServiceContext, ServiceRequest, Validators } from './request';
import { send } from './request';

export const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * The three endpoints of the service, for one execution. All reject with `ServiceFault`, or with
 * `InvalidInput` for a credential that no request can be made of.
 */
export interface Service {
	/** Each call gives its own objects, all of one request. */
	forms(timeoutMs?: number): Promise<FormRecord[]>;
	/**
	 * Reads the responses of a form, each time in a request of its own.
	 *
	 * @param start called for each try of the request; what it returns gets the responses one by one
	 */
	responses(formId: string, start: () => AddRecord, options?: ReadOptions): Promise<ReadReply>;
	/** @returns the reply of the service, untouched */
	createResponse(formId: string, answers: Answers, timeoutMs?: number): Promise<IDataObject>;
	/** Where the embed script lies, from the credential, without a request */
	embedUrl(): Promise<string>;
}

export interface ReadOptions {
	timeoutMs?: number;
	/** Those of an earlier reply: nothing is read if the responses are still the same */
	unless?: Validators;
}

export interface ReadReply {
	isUnchanged: boolean;
	validators?: Validators;
}

/** @param maxTries as the retry policy says by default */
export function connect(context: ServiceContext, maxTries?: number): Service {
	let account: Promise<Account> | undefined;
	let lasting: ServiceFault | undefined;
	let forms: Promise<FormRecord[]> | undefined;
	let embedUrl: Promise<string> | undefined;

	const exchange = async <Content>(
		request: Omit<ServiceRequest, keyof Account>,
		read: (sent: ServiceRequest, chunks: AsyncIterable<string>) => Promise<Content>,
	): Promise<Reply<Content>> => {
		const sent = { ...request, ...(await (account ??= readAccount(context))) };
		if (lasting) throw lasting;
		const outcome = await send(
			context,
			sent,
			async (chunks) => await read(sent, chunks),
			maxTries,
		).catch((error: unknown) => {
			throw error instanceof UnexpectedBody ? unexpected(sent, error) : error;
		});
		if (outcome.kind === 'reply') {
			if ('content' in outcome || (request.unless && outcome.status === 304)) return outcome;
		}
		const fault = faultOf(sent, outcome, Date.now());
		if (fault.advice.lasting) lasting = fault;
		throw fault;
	};

	return {
		async forms(timeoutMs = DEFAULT_TIMEOUT_MS) {
			forms ??= exchange({ method: 'GET', path: '/forms', timeoutMs }, async (_, chunks) => {
				const records: FormRecord[] = [];
				await readList(chunks, 'forms', (record) => void records.push(record));
				return records;
			}).then(({ content }) => content as FormRecord[]);
			return (await forms).map(copyOf);
		},
		async responses(formId, start, { timeoutMs = DEFAULT_TIMEOUT_MS, unless } = {}) {
			const { status, validators } = await exchange(
				{ method: 'GET', path: '/responses', formId, timeoutMs, unless },
				async (_, chunks) => await readList(chunks, 'responses', start()),
			);
			return { isUnchanged: status === 304, validators };
		},
		async createResponse(formId, answers, timeoutMs = DEFAULT_TIMEOUT_MS) {
			const body = JSON.stringify({ form_id: formId, answers });
			const { content } = await exchange(
				{ method: 'POST', path: '/responses', formId, body, timeoutMs },
				async (sent, chunks) => {
					const text = await textOf(chunks);
					const reply = parseConfirmation(text);
					if (reply.success !== true) throw notConfirmed(sent, text);
					return reply;
				},
			);
			return content as IDataObject;
		},
		async embedUrl() {
			return await (embedUrl ??= readEmbedUrl(context));
		},
	};
}

function unexpected(sent: ServiceRequest, { found, text }: UnexpectedBody): ServiceFault {
	if (found === 'noList') return wrongShape(sent, sent.path.slice(1));
	if (found === 'noObject') return notConfirmed(sent, text);
	return notJson(sent, found === 'notText' ? '?' : text);
}

interface Account {
	baseUrl: string;
	apiKey: string;
	credential: ICredentialsDecrypted;
}

async function readAccount(context: ServiceContext): Promise<Account> {
	const type = 'formCollectionApi';
	const data = await context.getCredentials(type);
	const { baseUrl, apiKey } = data;
	const key = String(apiKey ?? '').trim();
	// A header takes no other characters.
	if (!/^[\x21-\x7e]+$/.test(key)) {
		throw new InvalidInput(
			`The API Key is ${key === '' ? 'empty' : 'not complete or has characters that no key has'}: copy it from your account settings into the Form Collection API credential`,
		);
	}
	return {
		baseUrl: normalizeUrl('Base URL', baseUrl, 'https://forms.example.com/api'),
		apiKey: key,
		credential: { id: '', name: '', type, data },
	};
}

async function readEmbedUrl(context: ServiceContext): Promise<string> {
	const { embedUrl } = await context.getCredentials('formCollectionApi');
	const url = normalizeUrl('Embed URL', embedUrl, 'https://forms.example.com');
	// What a person copies out of an embed code is the address of the script itself.
	return url.replace(/\/embed\.js$/, '');
}

/** @throws InvalidInput unless it is an http(s) address without user name, query or fragment */
export function normalizeUrl(name: string, value: unknown, example: string): string {
	const text = String(value ?? '').trim();
	const enterOne = `enter one like ${example} in the Form Collection API credential`;
	if (text === '') throw new InvalidInput(`The ${name} is empty: ${enterOne}`);
	// Not shown: it may be the API key, or hold a password.
	if (!/^https?:/i.test(text) || !URL.canParse(text)) {
		throw new InvalidInput(`The ${name} is not a web address: ${enterOne}`);
	}
	const url = new URL(text);
	if (url.username || url.password || url.search || url.hash) {
		throw new InvalidInput(
			`The ${name} has more than a host and a path: leave out user name, "?" and "#", and ${enterOne}`,
		);
	}
	return url.origin + url.pathname.replace(/\/+$/, '');
}
