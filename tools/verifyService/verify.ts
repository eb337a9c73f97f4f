import { isDeepStrictEqual } from 'node:util';
import { createdAt } from '../../nodes/FormCollection/responses/createdAt';
import { isRecord, observe, recordsIn } from './observe';
import type { Observation, Rec, Reply, Service } from './observe';

export interface Result {
	/** What the API reference states, or what it leaves open */
	name: string;
	outcome: 'passed' | 'failed' | 'not checked' | 'learned';
	/** What is otherwise, or what the service showed */
	text: string;
}

/**
 * @param submitTo ID of the form that gets a response; without it nothing is changed
 * @returns `holds` if all that the reference states was seen, and is so
 */
export async function verifyService(service: Service, submitTo?: string) {
	const seen = await observe(service, submitTo);
	const stated = { ...readingStates(seen), ...(submitTo && submittingStates(seen)) };
	const checked = Object.entries(stated).map(([name, problems]): Result => {
		if (problems === undefined) return { name, outcome: 'not checked', text: 'nothing was seen' };
		const text = [...new Set(problems)].join('; ');
		return { name, outcome: text === '' ? 'passed' : 'failed', text };
	});
	const learned = Object.entries(lessons(seen)).flatMap(([name, text]): Result[] =>
		text === undefined ? [] : [{ name, outcome: 'learned', text }],
	);
	const holds = checked.every(({ outcome }) => outcome === 'passed');
	return { holds, results: [...checked, ...learned], requests: seen.requests };
}

type Name = 'forms' | 'responses';

/** What is otherwise than stated, undefined where nothing was seen that could be */
type States = Record<string, string[] | undefined>;

function readingStates(seen: Observation): States {
	const forms = recordsIn(seen.forms, 'forms') ?? [];
	const lists = seen.lists.map(({ reply }) => recordsIn(reply, 'responses') ?? []);
	const responses = lists.flat();
	const strangers = seen.lists
		.filter(({ formId }, i) => lists[i]!.some(({ form_id: id = formId }) => id !== formId))
		.map(({ formId }) => `another form_id in the list of ${formId}`);
	return {
		'GET /forms answers an object with a list "forms"': listed('forms', seen.forms),
		'GET /responses answers an object with a list "responses"': someOf(
			seen.lists,
			seen.lists.flatMap(({ reply }) => listed('responses', reply) ?? []),
		),
		'The list holds the responses of the form asked for': someOf(responses, strangers),
		'id, title, slug and status of forms are strings': misfits(
			forms,
			['id', 'title', 'slug', 'status'],
			isText,
		),
		'id and form_id of responses are strings': misfits(responses, ['id', 'form_id'], isText),
		'No id is missing or there twice': [forms, ...lists].flatMap(idProblems),
		'Times of forms are ISO 8601 in UTC': misfits(forms, ['created_at', 'updated_at'], isUtcTime),
		'Times of responses are ISO 8601 in UTC': misfits(responses, ['created_at'], isUtcTime),
		'Slugs are safe in a URL': misfits(forms, ['slug'], isSafeInUrl),
		'Answers are texts or lists of texts by question': misfits(responses, ['answers'], areAnswers),
		'pixel_fired is a boolean': misfits(responses, ['pixel_fired'], isBoolean),
		'GET /forms lists nothing without a key': refused('forms', seen.formsWithoutKey),
		'GET /forms lists nothing with a wrong key': refused('forms', seen.formsWithWrongKey),
		'GET /responses lists nothing without a key': refused('responses', seen.responsesWithoutKey),
	};
}

function submittingStates(seen: Observation): States {
	const { submission, listAfter, answers, submissionWithoutKey: withoutKey } = seen;
	const id = confirmedId(submission);
	const stored = recordsIn(listAfter, 'responses')?.find((record) => record.id === id);
	const isSame = isDeepStrictEqual({ ...(stored?.answers as object) }, answers);
	return {
		'POST /responses answers success and response_id': unless(id !== undefined, submission),
		'GET /responses then lists the answers that were sent':
			id === undefined ? undefined : unless(isSame, listAfter),
		'POST /responses confirms nothing without a key': unless(!confirmedId(withoutKey), withoutKey),
	};
}

const someOf = <T>(seen: unknown[], result: T) => (seen.length > 0 ? result : undefined);

const unless = (holds: boolean, reply?: Reply) => reply && (holds ? [] : [describe(reply)]);

const isSuccess = (reply?: Reply) => reply !== undefined && Math.floor(reply.status / 100) === 2;

const listed = (name: Name, reply?: Reply) =>
	unless(isSuccess(reply) && recordsIn(reply, name) !== undefined, reply);

const refused = (name: Name, reply?: Reply) => unless(recordsIn(reply, name) === undefined, reply);

function confirmedId(reply?: Reply): string | undefined {
	const { success, response_id: id } = reply?.json ?? {};
	return isSuccess(reply) && success === true && isText(id) ? id : undefined;
}

/** A field that is missing is no problem: the reference leaves open which are always there. */
const misfits = (records: Rec[], fields: string[], fits: (value: unknown) => boolean) =>
	someOf(
		records,
		fields
			.filter((field) => records.some((record) => field in record && !fits(record[field])))
			.map((field) => `${field} of some is not`),
	);

const isText = (value: unknown) => typeof value === 'string';

const isBoolean = (value: unknown) => typeof value === 'boolean';

const isSafeInUrl = (value: unknown) => encodeURIComponent(String(value)) === value;

const areAnswers = (value: unknown) =>
	isRecord(value) && Object.values(value).every((answer) => [answer].flat().every(isText));

/** Unix epoch milliseconds; a time without a zone is one in UTC for the nodes. */
const timeOf = (value: unknown) => createdAt({ created_at: value as string }) ?? NaN;

const isUtcTime = (value: unknown) =>
	isText(value) &&
	/\d[T ]\d/i.test(value) &&
	!/[+-](?!00(?::?00)?$)\d\d(?::?\d\d)?$/.test(value) &&
	!Number.isNaN(timeOf(value));

function idProblems(records: Rec[]): string[] {
	const ids = records.map(({ id }) => id);
	const isRight = ids.every(Boolean) && new Set(ids).size === ids.length;
	return isRight ? [] : [`${ids.filter(Boolean).length} of ${ids.length} have one`];
}

/** No answers: they belong in no report. */
function describe(reply: Reply): string {
	const { status, headers, text } = reply;
	const list = recordsIn(reply, 'forms') ?? recordsIn(reply, 'responses');
	if (list) return `status ${status}, a list of ${list.length}`;
	const type = headers.get('content-type') ?? 'no content type';
	const body = headers.get('location') ?? (text.slice(0, 300) || 'no body');
	return status === 0 ? text : `status ${status}, ${type}: ${body}`;
}

/** What the API reference leaves open, and a service shows */
function lessons(seen: Observation): Record<string, string | undefined> {
	const { forms: formsReply, formsWithoutKey, formsWithWrongKey, unknownForm, limited } = seen;
	const list = seen.lists.at(-1)?.reply;
	const forms = recordsIn(formsReply, 'forms') ?? [];
	const responses = seen.lists.flatMap(({ reply }) => recordsIn(reply, 'responses') ?? []);
	const statuses = [formsReply, list, seen.submission].map((reply) => reply?.status ?? 'not asked');
	const members = Object.keys({ ...formsReply?.json, ...list?.json });
	const headers = [...(formsReply?.headers ?? [])].filter(([name]) => /limit|quota/i.test(name));
	const retryAfter = limited?.headers.get('retry-after') ?? 'none';
	const script = seen.embedScript;
	return {
		'Status of GET /forms, GET /responses, POST /responses': statuses.join(', '),
		'Members of the replies': members.join(', '),
		'Fields of forms': counted(forms.flatMap(Object.keys), forms.length),
		'Fields of responses': counted(responses.flatMap(Object.keys), responses.length),
		IDs: counted([...forms, ...responses].map(({ id }) => shapeOf(String(id)))),
		'Status of forms': counted(forms.map(({ status }) => String(status))),
		'Order of forms': orderOf(forms),
		'Order of responses': orderOf(recordsIn(list, 'responses') ?? []),
		'No key': formsWithoutKey && describe(formsWithoutKey),
		'Wrong key': formsWithWrongKey && describe(formsWithWrongKey),
		'Form that does not exist': unknownForm && describe(unknownForm),
		'Headers about a limit': headers.map((header) => header.join(': ')).join(', ') || 'none',
		Limit:
			limited && `at request ${seen.requests}, Retry-After: ${retryAfter}; ${describe(limited)}`,
		'Embed script': script && `status ${script.status}, ${script.headers.get('content-type')}`,
	};
}

/** @returns each value, and how often it is there unless that is `all` */
function counted(values: string[], all = 0): string | undefined {
	const counts = new Map<string, number>();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	const texts = [...counts].map(([value, count]) =>
		count === all ? value : `${value} (${count})`,
	);
	return texts.join(', ') || undefined;
}

const shapeOf = (id: string) =>
	/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? 'UUID' : `${id.length} characters`;

function orderOf(records: Rec[]): string | undefined {
	const times = records.map(({ created_at: at }) => timeOf(at));
	const steps = times.slice(1).map((time, i) => time - times[i]!);
	if (steps.length === 0) return undefined;
	if (steps.every((step) => step >= 0)) return 'oldest first';
	return steps.every((step) => step <= 0) ? 'newest first' : 'not by created_at';
}
