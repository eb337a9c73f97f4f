import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import type { Answer, Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions } from '../support/engine';
import {
	byId,
	credentialsOf,
	formRecord,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';
import { Poller } from '../support/poller';

// The same cases in each run; test/model goes on with others.
fc.configureGlobal({ seed: 1 });

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')], responses: [] });
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

const { methods } = new FormCollection();

const onScreen = () => ({
	parameters: { formId: byId('f1') },
	credentials: credentialsOf(sandbox),
});

const run = async (parameters: INodeParameters, input?: IDataObject[]) => {
	const { items, error } = await runOn(sandbox, { formId: byId('f1'), ...parameters }, { input });
	if (error) throw error;
	return items.map(({ json }) => json);
};
const read = async (parameters: INodeParameters = {}, options: INodeParameters = {}) =>
	await run({
		operation: 'getResponses',
		returnAll: true,
		options: { sort: 'asReceived', ...options },
		...parameters,
	});
const create = async (parameters: object, input?: IDataObject[]) =>
	await run({ operation: 'createResponse', ...parameters } as INodeParameters, input);
const watch = () => new Poller('scheduler', onScreen());

const reads = {
	forms: async () => await run({ operation: 'getForms', returnAll: true }),
	plain: async () => await read(),
	flattened: async () => await read({ flattenAnswers: true }),
	filtered: async () => await read({}, { createdAfter: '2026-01-01T00:00:00Z' }),
	sorted: async () => await read({}, { sort: 'newestFirst' }),
	formList: async () =>
		(await methods.listSearch.searchForms.call(loadOptions(onScreen()), 'a')).results,
	questions: async () =>
		(await methods.resourceMapping.getQuestions.call(loadOptions(onScreen()))).fields,
	trigger: async () => {
		const { parameters, credentials } = onScreen();
		const poller = new Poller('scheduler', {
			parameters: { ...parameters, options: { includeExisting: true } },
			credentials,
		});
		const items = await poller.activate();
		expect(await poller.tick()).toEqual([]);
		return items;
	},
};

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

const listsOf = (records: string[]): Fault[] => [
	{ route: 'GET /responses', body: `{"responses":[${records.join()}]}` },
	{ route: 'GET /forms', body: `{"forms":[${records.join()}]}` },
];

/** Unlike an equality of objects, this sees the order of keys and a key named `__proto__`. */
const texts = (records: unknown) => (records as unknown[]).map((record) => JSON.stringify(record));

const hostileText = fc.string({
	unit: fc.constantFrom('a', '😀', '"', '\\', '\u2028', '\0', '{{', '$', '.', ' '),
	maxLength: 6,
});
/** Names that every object has already */
const inheritedName = fc.constantFrom('constructor', 'toString', 'toJSON', 'length', 'then');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function hasOnlySafeNumbers(text: string): boolean {
	let isSafe = true;
	JSON.parse(text, (_, value: unknown) => {
		if (Number.isInteger(value)) isSafe &&= Number.isSafeInteger(value);
		return value;
	});
	return isSafe;
}

const objectText = (entries: [string, string][]) =>
	`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;

describe('whatever the service lists', () => {
	const json = fc.oneof(
		// JavaScript itself has no other whole numbers.
		fc.json({ depthSize: 'small' }).filter(hasOnlySafeNumbers),
		hostileText.map((text) => JSON.stringify(text)),
		fc.constantFrom(
			'1E-7',
			'{"__proto__":{"polluted":true}}',
			'{"constructor":{"prototype":{"polluted":true}}}',
			'{"toString":1,"toJSON":null,"valueOf":0,"length":-1}',
			'"2026-01-02T00:00:00Z"',
			'"2026-13-45"',
		),
	);
	const key = fc.oneof(hostileText, inheritedName, fc.constant('__proto__'));
	const fieldName = fc.oneof(
		fc.constantFrom('id', 'form_id', 'title', 'slug', 'created_at', 'error', 'message'),
		key,
	);
	const answers = fc.array(fc.tuple(key, json), { maxLength: 3 }).map(objectText);
	const record = fc
		.array(fc.oneof(fc.tuple(fieldName, json), fc.tuple(fc.constant('answers'), answers)), {
			maxLength: 6,
		})
		.map(objectText);

	it('comes through untouched, everywhere', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(record, { maxLength: 5 }), async (records) => {
				const sent = records.map((text) => JSON.parse(text) as IDataObject);
				const seen = await readAll(...listsOf(records));

				expect(texts(seen.forms)).toEqual(texts(sent));
				expect(texts(seen.plain)).toEqual(texts(sent));
				expect(texts(seen.sorted).sort()).toEqual(texts(sent).sort());
				expect(seen.flattened).toHaveLength(sent.length);
				expect(texts(sent)).toEqual(expect.arrayContaining(texts(seen.filtered)));
				expect(texts(sent)).toEqual(expect.arrayContaining(texts(seen.trigger)));
				for (const choice of seen.formList as object[]) {
					expect(choice).toMatchObject({ name: expect.any(String), value: expect.any(String) });
				}
				const keys = sent.flatMap(({ answers: of }) =>
					isObject(of) && !Array.isArray(of) ? Object.keys(of) : [],
				);
				const listed = (seen.questions as { id: string }[]).map(({ id }) => id);
				expect(keys).toEqual(expect.arrayContaining(listed));
				expect(new Set(listed).size).toBe(listed.length);
				const plain = keys.filter((it) => it.trim() !== '' && it !== '__proto__');
				expect(listed).toEqual(expect.arrayContaining(plain));
			}),
			{ numRuns: 40 },
		);
	}, 60_000);

	it('fails in a sentence if it is no list of records', async () => {
		const value = fc.json({ depthSize: 'small' }).filter((text) => !/^\s*[[{]/.test(text));
		const body = fc.oneof(
			value,
			value.map((text) => `{"forms":[{},${text}],"responses":[${text}]}`),
			value.map((text) => `{"forms":${text},"responses":${text}}`),
		);
		await fc.assert(
			fc.asyncProperty(body, async (text) => {
				// The editor shows a notice in place of questions, and a trigger may activate all the same.
				const { questions, trigger, ...seen } = await readAll({ body: text });
				expect(questions).toEqual([]);
				for (const message of [...Object.values(seen), trigger].filter((it) => it.length > 0)) {
					expect(message).toEqual(expect.any(String));
					expect(message).not.toMatch(/TypeError|undefined|is not|Cannot read/);
				}
				expect(Object.values(seen)).toEqual(Array(6).fill(expect.any(String)));
			}),
			{ numRuns: 10 },
		);
	}, 60_000);

	it.each([
		['a text of 2 MB', `"${'x'.repeat(2_000_000)}"`],
		['a list of 100,000 texts', `[${Array(100_000).fill('"x"').join()}]`],
	])(
		'may have %s in it',
		async (_, large) => {
			const seen = await readAll(
				...listsOf([
					`{"id":"r1","slug":"a","title":"a","answers":{"q":${large}},"created_at":"2026-01-02T00:00:00Z"}`,
					`{"id":"r2","slug":"b","title":"a","answers":{"q":"b"},"x":${large}}`,
				]),
			);
			expect(Object.values(seen).map((found) => (typeof found === 'string' ? found : found.length)))
				// In the order of `reads`: one record has a time to filter by, and one question is in both.
				.toEqual([2, 2, 2, 1, 2, 2, 1, 2]);

			const options = { skipExisting: true, parallelRequests: 1 };
			const answersJson = '={{ $json }}';
			const input = [{ q: 'b' }, { q: 'c' }];
			const created = await create({ answersInput: 'json', answersJson, options }, input);
			expect(created.map(({ response_id }) => response_id)).toEqual([
				'r2',
				sandbox.responses[0]?.id,
			]);
		},
		60_000,
	);
});

describe('whatever is entered as answers', () => {
	const single = fc.oneof(
		hostileText.filter((text) => text.trim() !== '' && !text.startsWith('=')),
		fc.integer(),
		fc.boolean(),
	);
	const value = fc.oneof(
		{ weight: 5, arbitrary: single },
		{ weight: 2, arbitrary: fc.array(single, { minLength: 1, maxLength: 3 }) },
		{ weight: 1, arbitrary: fc.constantFrom({ a: 1 }, [['a']], [{}]) },
	);
	const key = fc.oneof(
		hostileText.filter((text) => text !== '' && text.trim() === text),
		inheritedName.filter((name) => name !== 'constructor'),
	);
	const entries = fc
		.uniqueArray(fc.tuple(key, value), { minLength: 1, maxLength: 4, selector: ([name]) => name })
		.map((pairs) => Object.entries(Object.fromEntries(pairs)));

	const ways: Record<string, (pairs: [string, unknown][]) => object> = {
		json: (pairs) => ({ answersJson: JSON.stringify(Object.fromEntries(pairs)) }),
		keyValue: (pairs) => ({
			answers: { answer: pairs.map(([name, answer]) => ({ key: name, value: answer })) },
		}),
		mapping: (pairs) => ({
			answersMapping: { mappingMode: 'defineBelow', value: Object.fromEntries(pairs) },
		}),
	};

	it.each(Object.entries(ways))(
		'is sent as it is, or refused: %s',
		async (answersInput, of) => {
			await fc.assert(
				fc.asyncProperty(entries, async (pairs) => {
					sandbox.reset();
					const outcome = await create({ answersInput, ...of(pairs) }).catch(
						({ message }: Error) => message,
					);
					if (pairs.some(([, answer]) => [answer].flat().some(isObject))) {
						expect(outcome).toEqual(expect.any(String));
						expect(requestsTo(sandbox)).toEqual([]);
						return;
					}
					expect(outcome).toEqual([expect.objectContaining({ success: true })]);
					const sent = pairs.map(([name, answer]) => [
						name,
						Array.isArray(answer) ? answer.map(String) : String(answer),
					]);
					expect(texts(sandbox.responses.map(({ answers }) => answers))).toEqual(
						texts([Object.fromEntries(sent)]),
					);
				}),
				{ numRuns: 40 },
			);
		},
		60_000,
	);
});

it('flattened responses can be created again with the same answers', async () => {
	/** As automatic mapping compares names; two questions whose names are the same to it are another matter. */
	const nameOf = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '');
	const key = fc.oneof(
		// Those that Flatten Answers may have to give another name, and that objects have already
		fc.constantFrom('id', 'created_at', 'message', 'error', 'answers', 'toString'),
		fc.string({ minLength: 1 }).filter((text) => nameOf(text) !== '' && text !== '__proto__'),
	);
	const option = fc
		.string({ minLength: 1 })
		.filter((text) => text !== '' && text.trim() === text && !text.includes(','));
	/** Of a form whose questions are each a text or multiple choice. */
	const responses = fc
		.uniqueArray(fc.tuple(key, fc.boolean()), {
			minLength: 1,
			maxLength: 6,
			selector: ([name]) => nameOf(name),
		})
		.chain((questions) => {
			const answers = questions.map(([name, isMultiple]) => {
				const answer: fc.Arbitrary<Answer> = isMultiple
					? fc.array(option, { minLength: 1, maxLength: 3 })
					: fc.string({ minLength: 1 });
				return fc.option(answer, { nil: undefined }).map((value) => [name, value] as const);
			});
			const response = fc
				.tuple(...answers)
				.map((entries) => entries.filter(([, value]) => value !== undefined))
				.filter((entries) => entries.length > 0)
				.map((entries) => Object.fromEntries(entries) as Record<string, Answer>);
			return fc.array(response, { minLength: 1, maxLength: 4 });
		});

	await fc.assert(
		fc.asyncProperty(responses, async (answers) => {
			sandbox.reset();
			const records = answers.map((each, n) => responseRecord('f1', `r${n}`, { answers: each }));
			sandbox.responses.push(...records);
			await create(
				{
					answersInput: 'mapping',
					answersMapping: {
						mappingMode: 'autoMapInputData',
						value: null,
						schema: await reads.questions(),
					},
					options: { otherFields: 'leaveOut', splitMultipleAt: ', ', parallelRequests: 1 },
				},
				await reads.flattened(),
			);

			const copies = sandbox.responses.slice(answers.length);
			expect(copies.map((copy) => copy.answers)).toEqual(answers);
		}),
		{ numRuns: 40, examples: [[[{ id: ' ' }]], [[{ id: 'a', error: 'b', message: ['c', 'd'] }]]] },
	);
}, 60_000);

it('a form with 150,000 responses is read in parts and whole, and watched', async () => {
	// More than a call takes as arguments
	const MANY = 150_000;
	const timeOf = (i: number) => new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString();
	const records = Array.from(
		{ length: MANY },
		(_, i) => `{"id":"${i}","answers":{"q":"${i}"},"created_at":"${timeOf(i)}"}`,
	);
	const lastIds = (count: number) =>
		Array.from({ length: count }, (_, i) => expect.objectContaining({ id: String(MANY - 1 - i) }));
	const [withoutLast] = listsOf(records.slice(0, -1));
	sandbox.faults.add({ ...withoutLast, times: 1 }, ...listsOf(records));

	const poller = watch();
	expect(await poller.activate()).toEqual([]);
	expect(await poller.tick()).toEqual(lastIds(1));
	expect(await read({ returnAll: false, limit: 2 }, { sort: 'newestFirst' })).toEqual(lastIds(2));
	expect(await read()).toHaveLength(MANY);
}, 60_000);
