export interface Service {
	/** The API root, as in the credential */
	baseUrl: string;
	apiKey: string;
	/** Where the embed script lies, without /embed.js */
	embedUrl?: string;
}

export interface Reply {
	/** 0 where none came */
	status: number;
	headers: Headers;
	text: string;
	/** Undefined where the text is not JSON */
	json: unknown;
	/** When it was here, in Unix epoch milliseconds */
	at: number;
}

export interface Question {
	/** Below the base URL */
	path: string;
	/** Another key than that of the service; null for none */
	key?: string | null;
	headers?: Record<string, string>;
	/** Makes it a POST */
	body?: object;
}

const TIMEOUT_MS = 120_000;

/** Nothing that is asked after it would be answered, and each question might cost the account another hour. */
export class LimitReached extends Error {
	constructor(readonly reply: Reply) {
		super('The service answered 429');
	}
}

/** Asks the service, and counts how often. Follows no redirect: the key belongs to this address. */
export class Client {
	requests = 0;

	constructor(private readonly service: Service) {}

	/** @throws LimitReached */
	async ask({ path, key = this.service.apiKey, headers, body }: Question): Promise<Reply> {
		this.requests++;
		const reply = await replyTo(`${withoutSlash(this.service.baseUrl)}${path}`, {
			method: body ? 'POST' : 'GET',
			headers: {
				Accept: 'application/json',
				...(key !== null && { Authorization: `Bearer ${key}` }),
				...(body && { 'Content-Type': 'application/json' }),
				...headers,
			},
			body: body && JSON.stringify(body),
		});
		if (reply.status === 429) throw new LimitReached(reply);
		return reply;
	}

	/** Without the key: it may lie on another server. */
	async askForEmbedScript(): Promise<Reply | undefined> {
		if (this.service.embedUrl === undefined) return undefined;
		return await replyTo(`${withoutSlash(this.service.embedUrl)}/embed.js`);
	}
}

async function replyTo(url: string, options: RequestInit = {}): Promise<Reply> {
	try {
		const signal = AbortSignal.timeout(TIMEOUT_MS);
		const response = await fetch(url, { ...options, redirect: 'manual', signal });
		const { status, headers } = response;
		const text = await response.text();
		return { status, headers, text, json: parsed(text), at: Date.now() };
	} catch (error) {
		const text = `no reply: ${reasonOf(error as Error)}`;
		return { status: 0, headers: new Headers(), text, json: undefined, at: Date.now() };
	}
}

/** What `fetch` throws names the reason in its cause. */
function reasonOf({ message, cause }: Error): string {
	const { code, message: inner } = (cause ?? {}) as NodeJS.ErrnoException;
	return code ?? inner ?? message;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function withoutSlash(url: string): string {
	return url.trim().replace(/\/+$/, '');
}
