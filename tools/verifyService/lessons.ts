import type { Reply } from './client';
import type { Observation } from './observe';
import { isRecord, type Rec, recordsOf, timeOf } from './records';

/** What the API reference leaves open, and a service shows */
export interface Lesson {
	name: string;
	/** @returns undefined where nothing was seen of it */
	learned(seen: Observation): string | undefined;
}

const MAX_BODY = 300;

export const lessons: Lesson[] = [
	{
		name: 'Status of success',
		learned: ({ forms, lists, submission }) =>
			[
				forms && `GET /forms ${forms.status}`,
				lists[0] && `GET /responses ${lists[0].reply.status}`,
				submission && `POST /responses ${submission.reply.status}`,
			]
				.filter(Boolean)
				.join(', '),
	},
	{
		name: 'Members beside the list',
		learned: ({ forms, lists }) =>
			[
				forms && `forms: ${membersBeside(forms, 'forms')}`,
				lists[0] && `responses: ${membersBeside(lists[0].reply, 'responses')}`,
			]
				.filter(Boolean)
				.join('; '),
	},
	{ name: 'Fields of forms', learned: (seen) => fieldsOf(formsIn(seen)) },
	{ name: 'Fields of responses', learned: (seen) => fieldsOf(responsesIn(seen)) },
	{
		name: 'IDs',
		learned: (seen) => kindsOf([...formsIn(seen), ...responsesIn(seen)].map(({ id }) => shape(id))),
	},
	{
		name: 'Status of forms',
		learned: (seen) => kindsOf(formsIn(seen).map(({ status }) => String(status))),
	},
	{ name: 'Order of forms', learned: (seen) => orderOf(formsIn(seen)) },
	{
		name: 'Order of responses',
		learned: ({ lists }) =>
			lists.map(({ reply }) => orderOf(recordsOf(reply, 'responses') ?? [])).at(-1),
	},
	{ name: 'No key', learned: ({ formsWithoutKey: reply }) => reply && describe(reply) },
	{ name: 'Wrong key', learned: ({ formsWithWrongKey: reply }) => reply && describe(reply) },
	{
		name: 'Form that does not exist',
		learned: ({ unknownForm: reply }) => reply && describe(reply),
	},
	{
		name: 'Validators',
		learned: ({ lists, unchanged }) => lists[0] && validatorsOf(lists.at(-1)!.reply, unchanged),
	},
	{ name: 'Date', learned: ({ forms }) => forms && clockOf(forms) },
	{
		name: 'Limit and Retry-After',
		learned: ({ limited, forms, requests }) =>
			limited
				? `reached at request ${requests}; Retry-After: ${limited.headers.get('retry-after') ?? 'none'}; ${describe(limited)}`
				: `not reached, so no Retry-After was seen; headers about a limit: ${limitHeaders(forms)}`,
	},
	{ name: 'Embed script', learned: ({ embedScript: reply }) => reply && scriptOf(reply) },
];

function membersBeside({ json }: Reply, name: string): string {
	const members = Object.keys(isRecord(json) ? json : {}).filter((member) => member !== name);
	return members.join(', ') || 'none';
}

function fieldsOf(records: Rec[]): string | undefined {
	if (records.length === 0) return undefined;
	const counts = counted(records.flatMap((record) => Object.keys(record)));
	return [...counts]
		.map(([field, count]) =>
			count === records.length ? field : `${field} (${count} of ${records.length})`,
		)
		.join(', ');
}

function kindsOf(values: string[]): string | undefined {
	const counts = [...counted(values)].map(([value, count]) => `${value} (${count})`);
	return counts.join(', ') || undefined;
}

function counted(values: string[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	return counts;
}

function shape(id: unknown): string {
	if (typeof id !== 'string') return `a ${typeof id}`;
	return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? 'UUID' : `${id.length} characters`;
}

function orderOf(records: Rec[]): string | undefined {
	if (records.length < 2) return undefined;
	const times = records.map(({ created_at: at }) => timeOf(at));
	const steps = times.slice(1).map((time, i) => time - times[i]!);
	if (steps.every((step) => step === 0)) return 'all of the same time';
	if (steps.every((step) => step >= 0)) return 'oldest first';
	if (steps.every((step) => step <= 0)) return 'newest first';
	return 'not by created_at';
}

function validatorsOf({ headers }: Reply, unchanged?: Reply): string {
	const names = ['ETag', 'Last-Modified'].filter((name) => headers.has(name));
	if (unchanged === undefined) return names.join(' and ') || 'none';
	return `${names.join(' and ')}; asked again with it: ${unchanged.status}`;
}

function clockOf({ headers, at }: Reply): string {
	const date = Date.parse(headers.get('date') ?? '');
	if (Number.isNaN(date)) return 'none';
	const seconds = Math.round((date - at) / 1000);
	// The header has no milliseconds, and the reply was on its way.
	if (Math.abs(seconds) <= 2) return 'as on this computer';
	return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} this computer`;
}

function limitHeaders(reply: Reply | undefined): string {
	const names = [...(reply?.headers ?? [])].filter(([name]) => /rate-?limit|quota/i.test(name));
	return names.map(([name, value]) => `${name}: ${value}`).join(', ') || 'none';
}

function scriptOf({ status, headers, text }: Reply): string {
	const type = headers.get('content-type') ?? 'no content type';
	const isScript = status === 200 && /javascript/i.test(type);
	if (isScript) return `there, ${text.length} characters`;
	return status === 0 ? `not there: ${text}` : `not there: status ${status}, ${type}`;
}

function describe(reply: Reply): string {
	const { status, headers, text } = reply;
	if (status === 0) return text;
	// Not what people answered.
	const list = recordsOf(reply, 'forms') ?? recordsOf(reply, 'responses');
	if (list) return `status ${status}, a list of ${list.length}`;
	const body = text.length > MAX_BODY ? `${text.slice(0, MAX_BODY)}…` : text;
	return `status ${status}, ${headers.get('content-type') ?? 'no content type'}: ${body || 'no body'}`;
}

function formsIn({ forms }: Observation): Rec[] {
	return (forms && recordsOf(forms, 'forms')) ?? [];
}

function responsesIn({ lists }: Observation): Rec[] {
	return lists.flatMap(({ reply }) => recordsOf(reply, 'responses') ?? []);
}
