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

export interface Verification {
	/** All that the reference states was seen, and holds */
	holds: boolean;
	results: Result[];
	requests: number;
}

/** @param submitTo ID of the form that gets a response; without it nothing is changed */
export async function verifyService(service: Service, submitTo?: string): Promise<Verification> {
	const seen = await observe(service, submitTo);
	const stated = Object.entries({
		...readingStates(seen),
		...(submitTo && submittingStates(seen)),
	});
	const checked = stated.map(([name, problems]): Result => {
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
		'GET /forms answers an object with a list "forms"': listProblems('forms', seen.forms),
		'GET /responses answers an object with a list "responses"': someOf(
			seen.lists,
			seen.lists.flatMap(({ reply }) => listProblems('responses', reply) ?? []),
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
		'Slugs are safe in a URL': misfits(
			forms,
			['slug'],
			(slug) => encodeURIComponent(slug) === slug,
		),
		'Answers are texts or lists of texts by question': misfits(responses, ['answers'], areAnswers),
		'pixel_fired is a boolean': misfits(
			responses,
			['pixel_fired'],
			(is) => typeof is === 'boolean',
		),
		'GET /forms lists nothing without a key': listedAnyway('forms', seen.formsWithoutKey),
		'GET /forms lists nothing with a wrong key': listedAnyway('forms', seen.formsWithWrongKey),
		'GET /responses lists nothing without a key': listedAnyway(
			'responses',
			seen.responsesWithoutKey,
		),
	};
}

function submittingStates({
	submission,
	listAfter,
	answers,
	submissionWithoutKey,
}: Observation): States {
	const id = submission && confirmedId(submission);
	const stored = recordsIn(listAfter, 'responses')?.find((record) => record.id === id);
	const isSame = isDeepStrictEqual({ ...(stored?.answers as object) }, answers);
	const isOpen = submissionWithoutKey && confirmedId(submissionWithoutKey) !== undefined;
	return {
		'POST /responses answers success and response_id':
			submission && (id ? [] : [describe(submission)]),
		'GET /responses then lists the answers that were sent':
			id && listAfter
				? isSame
					? []
					: ['the response is missing or has other answers']
				: undefined,
		'POST /responses confirms nothing without a key':
			submissionWithoutKey && (isOpen ? [describe(submissionWithoutKey)] : []),
	};
}

const someOf = <T>(seen: unknown[], result: T) => (seen.length > 0 ? result : undefined);

const isSuccess = ({ status }: Reply) => status >= 200 && status < 300;

const listProblems = (name: Name, reply?: Reply) =>
	reply && (isSuccess(reply) && recordsIn(reply, name) ? [] : [describe(reply)]);

const listedAnyway = (name: Name, reply?: Reply) =>
	reply && (recordsIn(reply, name) ? [describe(reply)] : []);

/** A field that is missing is no problem: the reference leaves open which are always there. */
const misfits = (records: Rec[], fields: readonly string[], fits: (value: never) => boolean) =>
	someOf(
		records,
		fields
			.filter((field) => records.some((one) => field in one && !fits(one[field] as never)))
			.map((field) => `${field} of some is not`),
	);

const isText = (value: unknown) => typeof value === 'string';

function confirmedId({ status, json }: Reply): string | undefined {
	const isConfirmed = status >= 200 && status < 300 && json?.success === true;
	return isConfirmed && isText(json.response_id) ? (json.response_id as string) : undefined;
}

function idProblems(records: Rec[]): string[] {
	const ids = records.map(({ id }) => id);
	const isRight = ids.every(Boolean) && new Set(ids).size === ids.length;
	return isRight ? [] : [`${ids.filter(Boolean).length} of ${ids.length} have one`];
}

const areAnswers = (value: unknown) =>
	isRecord(value) && Object.values(value).every((answer) => [answer].flat().every(isText));

/** Unix epoch milliseconds; a time without a zone is one in UTC for the nodes. */
const timeOf = (value: unknown) => createdAt({ created_at: value as string }) ?? NaN;

const isUtcTime = (value: string) =>
	isText(value) &&
	/\d[T ]\d/i.test(value) &&
	!/[+-](?!00(?::?00)?$)\d\d(?::?\d\d)?$/.test(value) &&
	!Number.isNaN(timeOf(value));

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
	const { forms: formsReply, unchanged, limited, embedScript } = seen;
	const list = seen.lists.at(-1)?.reply;
	const forms = recordsIn(formsReply, 'forms') ?? [];
	const responses = seen.lists.flatMap(({ reply }) => recordsIn(reply, 'responses') ?? []);
	const statuses = [formsReply, list, seen.submission].map((reply) => reply?.status ?? 'not asked');
	const validators = ['ETag', 'Last-Modified'].filter((name) => list?.headers.has(name));
	const limits = [...(formsReply?.headers ?? [])].filter(([name]) => /limit|quota/i.test(name));
	const retryAfter = limited?.headers.get('retry-after') ?? 'none';
	return {
		'Status of GET /forms, GET /responses, POST /responses': statuses.join(', '),
		'Members beside the forms': membersBeside(formsReply),
		'Members beside the responses': membersBeside(list),
		'Fields of forms': fieldsOf(forms),
		'Fields of responses': fieldsOf(responses),
		IDs: counted([...forms, ...responses].map(({ id }) => shapeOf(String(id)))),
		'Status of forms': counted(forms.map(({ status }) => String(status))),
		'Order of forms': orderOf(forms),
		'Order of responses': orderOf(recordsIn(list, 'responses') ?? []),
		'No key': seen.formsWithoutKey && describe(seen.formsWithoutKey),
		'Wrong key': seen.formsWithWrongKey && describe(seen.formsWithWrongKey),
		'Form that does not exist': seen.unknownForm && describe(seen.unknownForm),
		Validators: validators.join(' and ') || 'none',
		'Asked again with the validator': unchanged && `status ${unchanged.status}`,
		Clock: formsReply && clockOf(formsReply),
		'Headers about a limit': limits.map((header) => header.join(': ')).join(', ') || 'none',
		Limit:
			limited && `at request ${seen.requests}, Retry-After: ${retryAfter}; ${describe(limited)}`,
		'Embed script':
			embedScript && `status ${embedScript.status}, ${embedScript.headers.get('content-type')}`,
	};
}

const membersBeside = (reply?: Reply) =>
	counted(
		Object.keys(reply?.json ?? {}).filter((name) => !['forms', 'responses'].includes(name)),
		1,
	);

/** @returns each value, and how often it is there unless that is `all` */
function counted(values: string[], all = 0): string | undefined {
	const counts = new Map<string, number>();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	const texts = [...counts].map(([value, count]) =>
		count === all ? value : `${value} (${count})`,
	);
	return texts.join(', ') || undefined;
}

const fieldsOf = (records: Rec[]) => counted(records.flatMap(Object.keys), records.length);

const shapeOf = (id: string) =>
	/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? 'UUID' : `${id.length} characters`;

function orderOf(records: Rec[]): string | undefined {
	const times = records.map(({ created_at: at }) => timeOf(at));
	const steps = times.slice(1).map((time, i) => time - times[i]!);
	if (steps.length === 0) return undefined;
	if (steps.every((step) => step >= 0)) return 'oldest first';
	return steps.every((step) => step <= 0) ? 'newest first' : 'not by created_at';
}

function clockOf({ headers, at }: Reply): string {
	const seconds = Math.round((Date.parse(headers.get('date') ?? '') - at) / 1000);
	// The header has no milliseconds, and the reply was on its way.
	if (Math.abs(seconds) <= 2) return 'as on this computer';
	return Number.isNaN(seconds) ? 'no Date' : `${seconds} s ahead of this computer`;
}
