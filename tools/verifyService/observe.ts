/** Each list costs a request, and may be long. */
const MAX_LISTS = 3;
const TIMEOUT_MS = 120_000;

export interface Service {
	/** The API root, as in the credential */
	baseUrl: string;
	apiKey: string;
	/** Where the embed script lies, without /embed.js */
	embedUrl?: string;
}

export type Rec = Record<string, unknown>;

export interface Reply {
	/** 0 where none came */
	status: number;
	headers: Headers;
	text: string;
	/** Undefined where the text is no JSON object */
	json?: Rec;
}

type Question =
	| 'forms'
	| 'formsWithoutKey'
	| 'formsWithWrongKey'
	| 'responsesWithoutKey'
	| 'unknownForm'
	| 'submission'
	| 'listAfter'
	| 'submissionWithoutKey'
	| 'embedScript'
	/** The 429 that ended it: each further request might cost the account another hour */
	| 'limited';

/** What the service answered. What is missing was not asked. */
export interface Observation extends Partial<Record<Question, Reply>> {
	lists: { formId: string; reply: Reply }[];
	/** What was submitted */
	answers?: Rec;
	requests: number;
}

export const isRecord = (value: unknown): value is Rec =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns undefined where the reply holds no such list */
export function recordsIn(reply: Reply | undefined, name: 'forms' | 'responses') {
	const list = reply?.json?.[name];
	return Array.isArray(list) && list.every(isRecord) ? list : undefined;
}

/** Follows no redirect: the key belongs to this address. */
async function fetchReply(url: string, options: RequestInit = {}): Promise<Reply> {
	try {
		const signal = AbortSignal.timeout(TIMEOUT_MS);
		const response = await fetch(url, { ...options, redirect: 'manual', signal });
		const { status, headers } = response;
		const text = await response.text();
		return { status, headers, text, json: objectIn(text) };
	} catch (error) {
		const { message, cause } = error as { message: string; cause?: NodeJS.ErrnoException };
		return { status: 0, headers: new Headers(), text: `no reply: ${cause?.code ?? message}` };
	}
}

function objectIn(text: string): Rec | undefined {
	try {
		const json: unknown = JSON.parse(text);
		return isRecord(json) ? json : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Sends at most 8 requests, and 3 more with `submitTo`.
 *
 * @param submitTo ID of the form that gets a response; without it nothing is changed
 */
export async function observe(service: Service, submitTo?: string): Promise<Observation> {
	const seen: Observation = { lists: [], requests: 0 };
	try {
		await ask(service, seen, submitTo);
	} catch (error) {
		if (seen.limited === undefined) throw error;
	}
	const { embedUrl } = service;
	// Without the key: it may lie on another server.
	if (embedUrl) seen.embedScript = await fetchReply(`${embedUrl.replace(/\/+$/, '')}/embed.js`);
	return seen;
}

async function ask({ baseUrl, apiKey }: Service, seen: Observation, submitTo?: string) {
	const request = async (path: string, key = apiKey, submission?: object) => {
		seen.requests++;
		const headers = {
			Accept: 'application/json',
			...(key && { Authorization: `Bearer ${key}` }),
			...(submission && { 'Content-Type': 'application/json' }),
		};
		const body = JSON.stringify(submission);
		const method = submission ? 'POST' : 'GET';
		const url = `${baseUrl.trim().replace(/\/+$/, '')}${path}`;
		const reply = await fetchReply(url, { method, headers, body });
		if (reply.status !== 429) return reply;
		seen.limited = reply;
		throw new Error('The service answered 429');
	};
	const responsesOf = (formId: string) => `/responses?form_id=${encodeURIComponent(formId)}`;

	seen.forms = await request('/forms');
	if (seen.forms.status === 0) throw new Error(`The Base URL gives ${seen.forms.text}`);
	const ids = (recordsIn(seen.forms, 'forms') ?? [])
		.map(({ id }) => id)
		.filter((id) => typeof id === 'string');
	if (submitTo !== undefined && !ids.includes(submitTo))
		throw new Error(`Nothing was submitted: GET /forms lists no form with the ID ${submitTo}`);
	const [first] = ids;
	if (first === undefined) return;

	seen.formsWithoutKey = await request('/forms', '');
	seen.formsWithWrongKey = await request('/forms', 'verify-service-wrong-key');
	seen.responsesWithoutKey = await request(responsesOf(first), '');
	// As if the form of a real ID were gone
	seen.unknownForm = await request(responsesOf(`${first.slice(0, -1)}${ids.length}zz`));
	for (const formId of new Set([submitTo ?? first, ...ids])) {
		const reply = await request(responsesOf(formId));
		seen.lists.push({ formId, reply });
		if ((recordsIn(reply, 'responses')?.length ?? 0) > 1 || seen.lists.length === MAX_LISTS) break;
	}

	if (submitTo === undefined) return;
	seen.answers = answersLike(recordsIn(seen.lists[0]?.reply, 'responses') ?? []);
	const submission = { form_id: submitTo, answers: seen.answers };
	seen.submission = await request('/responses', apiKey, submission);
	seen.listAfter = await request(responsesOf(submitTo));
	seen.submissionWithoutKey = await request('/responses', '', submission);
}

/** Answers to the questions seen, of the same kinds: the choices of others, and no words of theirs. */
function answersLike(responses: Rec[]): Rec {
	const mine: Rec = {};
	for (const [key, answer] of responses.flatMap(({ answers }) => Object.entries(answers ?? {}))) {
		if (answer?.length === 0) continue;
		const text = String(answer).includes('@')
			? 'verify-service@example.com'
			: 'verify "Zoë" 日本語';
		mine[key] = Array.isArray(answer) ? answer.slice(0, 1) : text;
	}
	return Object.keys(mine).length > 0 ? mine : { verify_service: 'verify "Zoë" 日本語' };
}
