import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { searchForms } from '../../nodes/FormCollection/methods/forms';
import { getQuestions } from '../../nodes/FormCollection/methods/questions';
import { parseJson } from '../../nodes/FormCollection/transport/json';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions } from '../support/engine';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	requestsTo,
	runOn,
} from '../support/formCollection';
import { Poller } from '../support/poller';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')] });
});
beforeEach(() => sandbox.reset());
afterEach(() => {
	const fresh: object[] = [{}, [], () => undefined];
	expect(fresh.flatMap((value) => [...inherited(value)])).toEqual([]);
});
afterAll(async () => await sandbox.stop());

/** What `for … in` finds on a new object: nothing, unless a prototype is polluted. */
function* inherited(value: object) {
	for (const key in value) yield key;
}

const LOOK_FIRST = 'check whether the response was stored before you send it again';

const read = async (
	options: IDataObject = {},
	parameters: INodeParameters = {},
	input?: IDataObject[],
) => {
	const all = {
		operation: 'getResponses',
		formId: byId('f1'),
		returnAll: true,
		options: options as INodeParameters,
		...parameters,
	};
	const { items, error } = await runOn(sandbox, all, { input });
	if (error) throw error;
	return items.map(({ json }) => json);
};

const reads = {
	forms: async () => {
		const { items, error } = await runOn(sandbox, { operation: 'getForms', returnAll: true });
		if (error) throw error;
		return items.map(({ json }) => json);
	},
	plain: async () => await read(),
	twice: async () => await read({}, {}, [{}, {}]),
	flattened: async () => await read({}, { flattenAnswers: true }),
	filtered: async () => await read({ createdAfter: '2026-01-01T00:00:00Z' }),
	sorted: async () => await read({ sort: 'newestFirst' }),
	formList: async () => (await searchForms.call(editing(), 'a')).results,
	questions: async () => {
		const { fields, emptyFieldsNotice } = await getQuestions.call(editing());
		if (emptyFieldsNotice?.startsWith('There is')) throw new Error(emptyFieldsNotice);
		return fields;
	},
	trigger: async () => {
		const { parameters, credentials } = editor();
		const poller = new Poller('scheduler', {
			parameters: { ...parameters, options: { includeExisting: true } },
			credentials,
		});
		const items = await poller.activate();
		expect(await poller.tick()).toEqual([]);
		return items;
	},
};

const editor = () => ({
	parameters: { formId: byId('f1') },
	credentials: credentialsOf(sandbox),
});
const editing = () => loadOptions(editor());

type Read = keyof typeof reads;

/** Reads everywhere what the service answers; a text is what the place failed with. */
async function readAll(...faults: Fault[]): Promise<Record<Read, object[] | string>> {
	sandbox.faults.clear();
	sandbox.faults.add(...faults);
	const results = Object.entries(reads).map(async ([name, place]) => [
		name,
		await place().catch((error: Error) => error.message),
	]);
	return Object.fromEntries(await Promise.all(results));
}

/** Unlike an equality of objects, this sees the order of keys and a key named `__proto__`. */
const texts = (records: unknown) => (records as unknown[]).map((record) => JSON.stringify(record));

const hostileText = fc.string({
	unit: fc.constantFrom('a', '\ud800', '\udc00', '😀', '"', '\\', '\u2028', '\0', '{{', '$', '.'),
	maxLength: 6,
});
const hostileKey = fc.oneof(
	hostileText,
	fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'toJSON', 'length', 'then'),
);

/** JSON texts, some of which no value gives: double keys, long numbers. */
const hostileJson = fc.oneof(
	fc.json({ depthSize: 'small' }),
	hostileText.map((text) => JSON.stringify(text)),
	fc.constantFrom(
		'9007199254740993',
		'1e400',
		'-0',
		'1E-7',
		'{"__proto__":{"polluted":true}}',
		'{"constructor":{"prototype":{"polluted":true}}}',
		'{"a":1,"a":2}',
		'{"toString":1,"toJSON":null,"valueOf":0,"length":-1}',
		'[[{"toString":null}],{"join":1}]',
		'"2026-01-02T00:00:00Z"',
		'"+275760-09-13T00:00:00.001Z"',
		'"2026-13-45"',
		'""',
	),
);

const fieldName = fc.oneof(
	fc.constantFrom('id', 'form_id', 'title', 'slug', 'answers', 'created_at', 'error', 'message'),
	hostileKey,
);
const hostileRecord = fc
	.array(
		fc.oneof(
			fc.tuple(fieldName, hostileJson),
			fc.tuple(
				fc.constant('answers'),
				fc
					.array(fc.tuple(hostileKey, hostileJson), { maxLength: 3 })
					.map((entries) => objectText(entries)),
			),
		),
		{ maxLength: 6 },
	)
	.map((entries) => objectText(entries));

const objectText = (entries: [string, string][]) =>
	`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;

const responsesOf = (records: string[]): Fault => ({
	route: 'GET /responses',
	body: `{"responses":[${records.join()}]}`,
});
const listsOf = (records: string[]): Fault[] => [
	responsesOf(records),
	{ body: `{"forms":[${records.join()}]}` },
];

describe('whatever the service lists', () => {
	it('comes through untouched, everywhere', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(hostileRecord, { maxLength: 5 }), async (records) => {
				const sent = records.map((text) => parseJson(text) as IDataObject);
				const seen = await readAll(...listsOf(records));

				expect(texts(seen.forms)).toEqual(texts(sent));
				expect(texts(seen.plain)).toEqual(texts(sent));
				expect(texts(seen.sorted).sort()).toEqual(texts(sent).sort());
				expect(seen.flattened).toHaveLength(sent.length);
				expect(texts(sent)).toEqual(expect.arrayContaining(texts(seen.filtered)));
				expect(texts(sent)).toEqual(expect.arrayContaining(texts(seen.trigger)));
				const knownBy = ({ id, ...others }: IDataObject) => {
					const isId = typeof id === 'string' ? id !== '' : Number.isSafeInteger(id);
					return isId ? String(id) : JSON.stringify({ ...others, id });
				};
				expect(seen.trigger).toHaveLength(new Set(sent.map(knownBy)).size);
				for (const choice of seen.formList as object[]) {
					expect(choice).toEqual({ name: expect.any(String), value: expect.any(String) });
				}
				const keys = sent.flatMap(({ answers }) =>
					answers instanceof Object && !Array.isArray(answers) ? Object.keys(answers) : [],
				);
				expect((seen.questions as { id: string }[]).map(({ id }) => id).sort()).toEqual(
					[...new Set(keys)].sort(),
				);
			}),
			{
				numRuns: 60,
				// An empty ID tells nothing apart.
				examples: [[['{"id":""}', '{"id":"","answers":{}}']], [['{"id":1}', '{"id":"1"}']]],
			},
		);
	}, 60_000);

	it('is refused in a sentence if it is no list of records', async () => {
		const other = hostileJson.filter((text) => !text.trim().startsWith('{'));
		const body = fc.oneof(
			hostileJson,
			other.map((text) => `{"forms":[{},${text}],"responses":[${text}]}`),
			hostileJson
				.filter((text) => !text.trim().startsWith('['))
				.map((text) => `{"forms":${text},"responses":${text}}`),
		);
		await fc.assert(
			fc.asyncProperty(body, async (text) => {
				for (const seen of Object.values(await readAll({ body: text }))) {
					expect(seen).toMatch(/^There is JSON without a list of (forms|responses) where /);
				}
			}),
			{ numRuns: 40 },
		);
	}, 60_000);
});

const nested = (levels: number) => [
	'['.repeat(levels) + ']'.repeat(levels),
	`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
];
const monsters: [string, string][] = [
	...[5_000, 30_000].flatMap((levels) =>
		nested(levels).map((text): [string, string] => [`${levels} levels of ${text[0]}`, text]),
	),
	['a text of 2 MB', `"${'x'.repeat(2_000_000)}"`],
	['a list of 100,000 texts', `[${Array(100_000).fill('"x"').join()}]`],
];

describe.each(monsters)('%s', (_, monster) => {
	it('in a record comes through, everywhere', async () => {
		const seen = await readAll(
			...listsOf([
				`{"id":"r1","slug":"a","answers":{"q":${monster},"r":[${monster}]},"created_at":"2026-01-02T00:00:00Z"}`,
				`{"slug":"a","x":${monster}}`,
			]),
		);
		const counts = Object.entries(seen).map(([name, found]) => [
			name,
			typeof found === 'string' ? found : found.length,
		]);

		expect(Object.fromEntries(counts)).toEqual({
			forms: 2,
			plain: 2,
			twice: 4,
			flattened: 2,
			filtered: 1,
			sorted: 2,
			formList: 1,
			questions: 2,
			trigger: 2,
		});
	}, 60_000);

	it('in the past responses keeps nothing from being submitted', async () => {
		sandbox.faults.add(
			responsesOf([`{"id":"r1","answers":{"a":${monster}}}`, '{"id":"r2","answers":{"a":"b"}}']),
		);
		const created = await runOn(
			sandbox,
			{ ...creation, answersJson: '={{ $json }}', options: { skipExisting: true } },
			{ input: [{ a: 'b' }, { a: 'c' }] },
		);

		expect(created.error).toBeUndefined();
		expect(created.items.map(({ json }) => json.response_id)).toEqual([
			'r2',
			sandbox.responses[0]?.id,
		]);
	});

	it.each([200, 400, 500])('in a reply of %d is told in a short sentence', async (status) => {
		sandbox.faults.add({ status, body: `{"message":${monster}}`, stored: true });
		const { error } = await runOn(sandbox, { ...creation, answersJson: '{"a":"b"}' });

		expect(error?.message).toMatch(/^The service (did not|could not|answered with text) /);
		expect(error?.message).toMatch(
			status === 400 ? /: check the answers against the form$/ : new RegExp(`${LOOK_FIRST}$`),
		);
		expect(`${error?.message}${error?.description ?? ''}`.length).toBeLessThan(1_000);
		expect(requestsTo(sandbox)).toHaveLength(1);
	});
});

const creation = { operation: 'createResponse', formId: byId('f1'), answersInput: 'json' };

describe('whatever is entered as answers', () => {
	type Answer = string | string[];
	const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

	const isSplitOfNothing = (value: unknown) =>
		Array.isArray(value) && value.length > 0 && value.every((part) => part === '');

	/** What the service must get; or the question key of what cannot be sent; or nothing to send. */
	function expected(
		entries: [string, unknown][],
		{ answersInput }: INodeParameters,
	): { sent?: string; refused?: string } {
		const answers: [string, Answer][] = [];
		const hasSpaces = ([key]: [string, unknown]) => key.trim() !== '' && key !== key.trim();
		if (answersInput === 'keyValue' && entries.some(hasSpaces)) {
			return { refused: 'begins or ends with spaces' };
		}
		for (const [key, value] of entries) {
			if (value === null || (answersInput === 'mapping' && isSplitOfNothing(value))) continue;
			if (key.trim() === '') return { refused: 'no question key' };
			if (![value].flat().every(isPlain)) return { refused: `"${key}"` };
			answers.push([key, Array.isArray(value) ? value.map(String) : String(value)]);
		}
		const isBlank = answers.every(([, answer]) => [answer].flat().every((text) => text === ''));
		if (answers.length === 0 || (isBlank && answersInput === 'keyValue')) {
			return { refused: 'no answers' };
		}
		// Not `fromEntries`: it puts keys that look like numbers first, as JSON.parse does.
		return { sent: JSON.stringify(JSON.parse(JSON.stringify(Object.fromEntries(answers)))) };
	}

	async function check(entries: [string, unknown][], parameters: INodeParameters) {
		sandbox.reset();
		const { error } = await runOn(sandbox, { ...creation, ...parameters });
		const { sent, refused } = expected(entries, parameters);

		expect(sandbox.responses.map(({ answers }) => JSON.stringify(answers))).toEqual(
			sent === undefined ? [] : [sent],
		);
		if (refused === undefined) expect(error).toBeUndefined();
		else {
			expect(factsOf(error).message).toContain(refused);
			expect(requestsTo(sandbox)).toEqual([]);
		}
	}

	const value = hostileJson.map((text) => JSON.parse(text) as IDataObject[string]);
	/** JSON has no others, and n8n takes a text that begins with = for an expression. */
	const entries = (key: fc.Arbitrary<string>) =>
		fc.uniqueArray(
			fc.tuple(
				key,
				value.filter((it) => it !== Infinity && !JSON.stringify(it).includes('"=')),
			),
			{ maxLength: 4, selector: ([name]) => name },
		);
	const inOrder = (pairs: [string, unknown][]) => Object.entries(Object.fromEntries(pairs));

	it('is sent as it is or refused before any request: as JSON', async () => {
		await fc.assert(
			fc.asyncProperty(
				entries(hostileKey),
				async (pairs) =>
					await check(inOrder(pairs), { answersJson: JSON.stringify(Object.fromEntries(pairs)) }),
			),
			{ numRuns: 100 },
		);
	}, 60_000);

	it('is sent as it is or refused before any request: by question key', async () => {
		await fc.assert(
			fc.asyncProperty(
				// Of null, n8n itself makes an empty text.
				entries(hostileKey).map((pairs) => pairs.filter(([, answer]) => answer !== null)),
				async (pairs) =>
					await check(pairs, {
						answersInput: 'keyValue',
						answers: { answer: pairs.map(([key, answer]) => ({ key, value: answer })) },
					} as INodeParameters),
			),
			{ numRuns: 100 },
		);
	}, 60_000);

	it('is sent as it is or refused before any request: by question', async () => {
		// n8n itself loses these keys of a parameter.
		const lost = ['__proto__', 'constructor', 'prototype'];
		const keys = hostileKey.filter((key) => !lost.includes(key));
		await fc.assert(
			fc.asyncProperty(
				entries(keys),
				async (pairs) =>
					await check(
						inOrder(pairs).filter(([, answer]) => answer !== ''),
						{
							answersInput: 'mapping',
							answersMapping: { mappingMode: 'defineBelow', value: Object.fromEntries(pairs) },
						} as INodeParameters,
					),
			),
			{ numRuns: 100 },
		);
	}, 60_000);
});

describe('a form with 150,000 responses', () => {
	/** More than a call takes as arguments */
	const MANY = 150_000;
	const records = Array.from(
		{ length: MANY },
		(_, i) => `{"id":"${i}","answers":{"q":"${i}"},"created_at":"${timeOf(i)}"}`,
	);

	function timeOf(i: number) {
		return new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString();
	}

	it('is read, in parts and whole', async () => {
		sandbox.faults.add(responsesOf(records));

		expect(await read({ sort: 'newestFirst' }, { returnAll: false, limit: 2 })).toMatchObject([
			{ id: String(MANY - 1) },
			{ id: String(MANY - 2) },
		]);
		expect(await read()).toHaveLength(MANY);
	}, 60_000);

	it('is watched', async () => {
		const poller = new Poller('scheduler', editor());
		sandbox.faults.add({ ...responsesOf(records.slice(0, -1)), times: 1 }, responsesOf(records));

		expect(await poller.activate()).toEqual([]);
		expect(await poller.tick()).toMatchObject([{ id: String(MANY - 1) }]);
	}, 60_000);
});
