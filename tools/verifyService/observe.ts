import { Client, LimitReached, type Reply, type Service } from './client';
import { answerTo, isRecord, isSuccess, recordsOf } from './records';

/** Each list costs a request, and may be long. */
const MAX_LISTS = 3;
/** To see an order */
const ENOUGH_RESPONSES = 2;
const WRONG_KEY = 'verify-service-wrong-key';

/** What the service answered. What is missing was not asked. */
export interface Observation {
	forms?: Reply;
	formsWithoutKey?: Reply;
	formsWithWrongKey?: Reply;
	lists: { formId: string; reply: Reply }[];
	responsesWithoutKey?: Reply;
	unknownForm?: Reply;
	/** A list once more, with the validators of the first time */
	unchanged?: Reply;
	submission?: { formId: string; answers: object; reply: Reply };
	/** The list after the submission */
	listAfter?: Reply;
	submissionWithoutKey?: Reply;
	embedScript?: Reply;
	/** The 429 that ended it */
	limited?: Reply;
	requests: number;
}

/**
 * Asks with as few requests as possible: at most 9, and 3 more with `submitTo`
 *
 * @param submitTo ID of the form that a response is submitted to; without it nothing is changed
 */
export async function observe(service: Service, submitTo?: string): Promise<Observation> {
	const client = new Client(service);
	const seen: Observation = { lists: [], requests: 0 };
	try {
		await read(client, seen, submitTo);
		if (submitTo !== undefined) await submit(client, seen, submitTo);
	} catch (error) {
		if (!(error instanceof LimitReached)) throw error;
		seen.limited = error.reply;
	}
	seen.embedScript = await client.askForEmbedScript();
	seen.requests = client.requests;
	return seen;
}

async function read(client: Client, seen: Observation, submitTo?: string): Promise<void> {
	seen.forms = await client.ask({ path: '/forms' });
	if (seen.forms.status === 0) throw new Error(`The Base URL gives ${seen.forms.text}`);
	const ids = (isSuccess(seen.forms) ? (recordsOf(seen.forms, 'forms') ?? []) : [])
		.map(({ id }) => id)
		.filter((id) => typeof id === 'string');
	if (submitTo !== undefined && !ids.includes(submitTo)) {
		throw new Error(
			`Nothing was submitted: GET /forms answers ${seen.forms.status} and lists no form with the ID ${submitTo}`,
		);
	}
	const [first] = ids;
	if (first === undefined) return;

	seen.formsWithoutKey = await client.ask({ path: '/forms', key: null });
	seen.formsWithWrongKey = await client.ask({ path: '/forms', key: WRONG_KEY });
	seen.responsesWithoutKey = await client.ask({ path: responsesOf(first), key: null });
	seen.unknownForm = await client.ask({ path: responsesOf(unknownId(ids)) });
	for (const formId of new Set([submitTo ?? first, ...ids.slice(0, MAX_LISTS)])) {
		const reply = await client.ask({ path: responsesOf(formId) });
		seen.lists.push({ formId, reply });
		const responses = recordsOf(reply, 'responses') ?? [];
		if (responses.length >= ENOUGH_RESPONSES || seen.lists.length === MAX_LISTS) break;
	}
	await readUnchanged(client, seen);
}

async function readUnchanged(client: Client, seen: Observation): Promise<void> {
	const { formId, reply } = seen.lists.at(-1)!;
	const etag = reply.headers.get('etag');
	const lastModified = reply.headers.get('last-modified');
	if (etag === null && lastModified === null) return;
	// As the trigger does: the entity tag is exact, so it goes alone.
	const headers: Record<string, string> = etag
		? { 'If-None-Match': etag }
		: { 'If-Modified-Since': lastModified! };
	seen.unchanged = await client.ask({ path: responsesOf(formId), headers });
}

async function submit(client: Client, seen: Observation, formId: string): Promise<void> {
	const list = seen.lists.find((read) => read.formId === formId)!.reply;
	const answers = answersLike((recordsOf(list, 'responses') ?? []).map((record) => record.answers));
	const body = { form_id: formId, answers };
	seen.submission = {
		formId,
		answers,
		reply: await client.ask({ path: '/responses', body }),
	};
	seen.listAfter = await client.ask({ path: responsesOf(formId) });
	seen.submissionWithoutKey = await client.ask({ path: '/responses', body, key: null });
}

/** Answers to the questions seen, of the same kinds: the choices of others, and no words of theirs. */
function answersLike(seen: unknown[]): object {
	const answered = seen
		.filter(isRecord)
		.flatMap((answers) => Object.entries(answers))
		.filter(([, answer]) => !Array.isArray(answer) || answer.length > 0);
	const questions = new Map(answered.length > 0 ? answered : [['verify_service', '']]);
	return Object.fromEntries([...questions].map(([key, answer]) => [key, answerTo(answer)]));
}

function responsesOf(formId: string): string {
	return `/responses?form_id=${encodeURIComponent(formId)}`;
}

/** Like the IDs of the account in length and characters: as if its form were gone */
function unknownId(ids: string[]): string {
	const like = ids[0]!;
	const others = [...'0123456789abcdef'].map((last) => `${like.slice(0, -1)}${last}`);
	return others.find((id) => !ids.includes(id)) ?? `${like}0`;
}
