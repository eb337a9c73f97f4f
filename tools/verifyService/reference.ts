import { isDeepStrictEqual } from 'node:util';
import type { Reply } from './client';
import type { Observation } from './observe';
import { isRecord, isSuccess, type Rec, recordsOf, timeOf } from './records';

const MAX_BODY = 300;

/** What the API reference of the service states */
export interface Check {
	name: string;
	states: string;
	/** @returns what is otherwise; undefined where nothing was seen that could be */
	problems(seen: Observation): string[] | undefined;
}

interface Place {
	/** Such as `forms[0]` */
	path: string;
	record: Rec;
}

export const readChecks: Check[] = [
	{
		name: 'List of forms',
		states: 'GET /forms answers an object whose member "forms" is a list of records',
		problems: ({ forms }) => forms && listProblems(forms, 'forms'),
	},
	{
		name: 'List of responses',
		states: 'GET /responses answers an object whose member "responses" is a list of records',
		problems: ({ lists }) =>
			someOf(lists)?.flatMap(({ reply }) => listProblems(reply, 'responses')),
	},
	{
		name: 'Form asked for',
		states: 'GET /responses lists the responses of the form in form_id, and no others',
		problems: (seen) =>
			someOf(
				seen.lists.flatMap((list) => responsesIn(list.reply).map((place) => ({ list, place }))),
			)
				?.filter(({ list, place }) => (place.record.form_id ?? list.formId) !== list.formId)
				.map(({ list, place }) => `${place.path} of the form ${list.formId} has another form_id`),
	},
	{
		name: 'Text fields',
		states: 'id, title, slug and status of forms, and id and form_id of responses, are strings',
		problems: (seen) =>
			misfits(
				[
					{ places: formsIn(seen), fields: ['id', 'title', 'slug', 'status'] },
					{ places: allResponses(seen), fields: ['id', 'form_id'] },
				],
				(value) => typeof value === 'string',
				'a string',
			),
	},
	{
		name: 'Identifiers',
		states: 'The id of a form or a response is there, and no other one has the same',
		problems: (seen) => idProblems([formsIn(seen), ...responsesByList(seen)]),
	},
	{
		name: 'Timestamps',
		states: 'created_at, and updated_at of forms, are ISO 8601 timestamps in UTC',
		problems: (seen) =>
			misfits(
				[
					{ places: formsIn(seen), fields: ['created_at', 'updated_at'] },
					{ places: allResponses(seen), fields: ['created_at'] },
				],
				isUtcTimestamp,
				'an ISO 8601 timestamp in UTC',
			),
	},
	{
		name: 'Slugs',
		states: 'The slug of a form is safe in a URL',
		problems: (seen) =>
			misfits(
				[{ places: formsIn(seen), fields: ['slug'] }],
				(value) => encodeURIComponent(String(value)) === value,
				'safe in a URL',
			),
	},
	{
		name: 'Answers',
		states: 'answers is an object that maps each question key to a string or a list of strings',
		problems: (seen) => someOf(allResponses(seen))?.flatMap(answerProblems),
	},
	{
		name: 'pixel_fired',
		states: 'pixel_fired, where a response has it, is a boolean',
		problems: (seen) =>
			misfits(
				[{ places: allResponses(seen), fields: ['pixel_fired'] }],
				(value) => typeof value === 'boolean',
				'a boolean',
			),
	},
	{
		name: 'Forms need a key',
		states: 'GET /forms lists nothing without a key',
		problems: ({ formsWithoutKey }) => formsWithoutKey && listedAnyway(formsWithoutKey, 'forms'),
	},
	{
		name: 'Forms need the right key',
		states: 'GET /forms lists nothing with a wrong key',
		problems: ({ formsWithWrongKey }) =>
			formsWithWrongKey && listedAnyway(formsWithWrongKey, 'forms'),
	},
	{
		name: 'Responses need a key',
		states: 'GET /responses lists nothing without a key',
		problems: ({ responsesWithoutKey }) =>
			responsesWithoutKey && listedAnyway(responsesWithoutKey, 'responses'),
	},
];

export const submitChecks: Check[] = [
	{
		name: 'Submit a response',
		states: 'POST /responses answers an object with success (true) and response_id (a string)',
		problems: ({ submission }) => submission && confirmationProblems(submission.reply),
	},
	{
		name: 'Submitted response',
		states: 'GET /responses then lists a response of that ID with the answers that were sent',
		problems: submittedProblems,
	},
	{
		name: 'Submitting needs a key',
		states: 'POST /responses confirms nothing without a key',
		problems: ({ submissionWithoutKey: reply }) =>
			reply && (isConfirmation(reply) ? [`${outline(reply)} confirms a response`] : []),
	},
];

function listProblems(reply: Reply, name: 'forms' | 'responses'): string[] {
	if (isSuccess(reply) && recordsOf(reply, name) !== undefined) return [];
	return [`${outline(reply)}: ${shapeOf(reply, name)}`];
}

function shapeOf({ status, headers, json }: Reply, name: string): string {
	const location = headers.get('location');
	if (location !== null) return `leads to ${location}`;
	if (status < 200 || status > 299) return 'no success';
	if (json === undefined) return 'not JSON';
	if (!isRecord(json)) return `${kindOf(json)}, and no object`;
	const members = Object.keys(json).join(', ') || 'none';
	if (!Array.isArray(json[name])) return `no list "${name}"; members: ${members}`;
	return `"${name}" holds something other than records`;
}

function listedAnyway(reply: Reply, name: 'forms' | 'responses'): string[] {
	return recordsOf(reply, name) === undefined
		? []
		: [`${outline(reply)} comes with a list of ${name}`];
}

function idProblems(lists: Place[][]): string[] | undefined {
	return someOf(lists.flat()) && lists.flatMap(problemsOfList);
}

function problemsOfList(places: Place[]): string[] {
	const ids = new Set<unknown>();
	return places.flatMap(({ path, record: { id } }) => {
		if (id === undefined || id === null || id === '') return [`${path} has no id`];
		if (ids.has(id)) return [`${path} has an id that another one has`];
		ids.add(id);
		return [];
	});
}

function answerProblems({ path, record: { answers } }: Place): string[] {
	if (answers === undefined) return [];
	if (!isRecord(answers)) return [`${path}.answers is ${kindOf(answers)}`];
	return Object.entries(answers)
		.filter(([, answer]) => ![answer].flat().every((part) => typeof part === 'string'))
		.map(([key, answer]) => `${path}.answers[${JSON.stringify(key)}] is ${kindOf(answer)}`);
}

function confirmationProblems(reply: Reply): string[] {
	if (isSuccess(reply) && isConfirmation(reply)) return [];
	const json = isRecord(reply.json) ? reply.json : {};
	const members = `success is ${String(json.success)}, response_id is ${kindOf(json.response_id)}`;
	return [`${outline(reply)}: ${members}; ${reply.text.slice(0, MAX_BODY)}`];
}

function isConfirmation({ json }: Reply): boolean {
	return isRecord(json) && json.success === true && typeof json.response_id === 'string';
}

function submittedProblems({ submission, listAfter }: Observation): string[] | undefined {
	if (submission === undefined || listAfter === undefined) return undefined;
	if (!isConfirmation(submission.reply)) return undefined;
	const { response_id: id } = submission.reply.json as Rec;
	const listed = recordsOf(listAfter, 'responses')?.find((record) => record.id === id);
	if (listed === undefined) return ['The list that was read next does not hold it'];
	const isSame = isDeepStrictEqual({ ...(listed.answers as object) }, submission.answers);
	return isSame ? [] : ['Its answers are not those that were sent'];
}

/** A field that is missing is no problem: the reference leaves open which are always there. */
function misfits(
	groups: { places: Place[]; fields: string[] }[],
	fits: (value: unknown) => boolean,
	expected: string,
): string[] | undefined {
	const records = groups.flatMap(({ places, fields }) =>
		places.map((place) => ({ ...place, fields })),
	);
	return someOf(records)?.flatMap(({ path, record, fields }) =>
		fields
			.filter((field) => Object.hasOwn(record, field) && !fits(record[field]))
			.map((field) => `${path}.${field} is ${kindOf(record[field])}, and not ${expected}`),
	);
}

/** A time without a zone is one in UTC for the nodes. */
function isUtcTimestamp(value: unknown): boolean {
	if (typeof value !== 'string' || !/\d[T ]\d/i.test(value)) return false;
	const hasOffset = /[+-]\d\d(?::?\d\d)?$/.test(value) && !/[+-]00(?::?00)?$/.test(value);
	return !Number.isNaN(timeOf(value)) && !hasOffset;
}

function formsIn({ forms }: Observation): Place[] {
	return places('forms', (forms && recordsOf(forms, 'forms')) ?? []);
}

function responsesIn(reply: Reply): Place[] {
	return places('responses', recordsOf(reply, 'responses') ?? []);
}

function responsesByList({ lists }: Observation): Place[][] {
	return lists.map(({ reply }) => responsesIn(reply));
}

function allResponses(seen: Observation): Place[] {
	return responsesByList(seen).flat();
}

function places(name: string, records: Rec[]): Place[] {
	return records.map((record, i) => ({ path: `${name}[${i}]`, record }));
}

function someOf<T>(list: T[]): T[] | undefined {
	return list.length > 0 ? list : undefined;
}

function outline({ status, text }: Reply): string {
	return status === 0 ? text : `Status ${status}`;
}

/** No values: what people answered belongs in no report. */
function kindOf(value: unknown): string {
	if (value === null) return 'null';
	if (value === undefined) return 'missing';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	return `a ${typeof value}`;
}
