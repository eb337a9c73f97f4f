import type { IDataObject } from 'n8n-workflow';
import { InvalidInput, type ServiceFault } from './errors';
import { faultOf } from './faults';
import type { Answers, FormRecord, ResponseRecord } from './records';
import { parseConfirmation, parseForms, parseResponses } from './records';
import type { ServiceContext, ServiceRequest } from './request';
import { send } from './request';

export const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * The three endpoints of the service, for one execution: what was read once is not read again. All
 * reject with `ServiceFault`, or with `InvalidInput` for a credential that no request can be made of.
 */
export interface Service {
	/** Each call gives its own objects */
	forms(timeoutMs?: number): Promise<FormRecord[]>;
	/** Each call gives its own objects */
	responses(formId: string, timeoutMs?: number): Promise<ResponseRecord[]>;
	/** @returns the reply of the service, untouched */
	createResponse(formId: string, answers: Answers, timeoutMs?: number): Promise<IDataObject>;
	/** Where the embed script lies, from the credential, without a request */
	embedUrl(): Promise<string>;
}

/** @param maxTries as the retry policy says by default */
export function connect(context: ServiceContext, maxTries?: number): Service {
	const reads = new Map<string, Promise<Read>>();
	let account: Promise<Account> | undefined;
	let lasting: ServiceFault | undefined;
	let embedUrl: Promise<string> | undefined;

	const exchange = async (request: Omit<ServiceRequest, keyof Account>): Promise<Read> => {
		const sent = { ...request, ...(await (account ??= readAccount(context))) };
		if (lasting) throw lasting;
		const outcome = await send(context, sent, maxTries);
		if (outcome.kind === 'reply' && outcome.status >= 200 && outcome.status < 300) {
			return { request: sent, body: outcome.body };
		}
		const fault = faultOf(sent, outcome, Date.now());
		if (fault.advice.lasting) lasting = fault;
		throw fault;
	};

	// Shared as text: parsing it again is the cheapest way to give every item its own objects.
	const read = async (request: Omit<ServiceRequest, keyof Account | 'method'>): Promise<Read> => {
		const key = JSON.stringify([request.path, request.formId]);
		const shared = reads.get(key) ?? exchange({ ...request, method: 'GET' });
		reads.set(key, shared);
		return await shared;
	};

	return {
		async forms(timeoutMs = DEFAULT_TIMEOUT_MS) {
			const { request, body } = await read({ path: '/forms', timeoutMs });
			return parseForms(request, body);
		},
		async responses(formId, timeoutMs = DEFAULT_TIMEOUT_MS) {
			const { request, body } = await read({ path: '/responses', formId, timeoutMs });
			return parseResponses(request, body);
		},
		async createResponse(formId, answers, timeoutMs = DEFAULT_TIMEOUT_MS) {
			const { request, body } = await exchange({
				method: 'POST',
				path: '/responses',
				formId,
				body: JSON.stringify({ form_id: formId, answers }),
				timeoutMs,
			});
			return parseConfirmation(request, body);
		},
		async embedUrl() {
			return await (embedUrl ??= readEmbedUrl(context));
		},
	};
}

interface Read {
	request: ServiceRequest;
	body: string;
}

interface Account {
	baseUrl: string;
	apiKey: string;
}

async function readAccount(context: ServiceContext): Promise<Account> {
	const { baseUrl, apiKey } = await context.getCredentials('formCollectionApi');
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
