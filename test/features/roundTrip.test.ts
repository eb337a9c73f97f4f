import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import type { Answer, Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions } from '../support/engine';
import { byId, credentialsOf, formRecord, responseRecord, runOn } from '../support/formCollection';
import { Poller } from '../support/poller';

// The same cases in each run; test/model goes on with others.
fc.configureGlobal({ seed: 1 });

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')], responses: [] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const run = async (parameters: INodeParameters, input?: IDataObject[]) => {
	const { items, error } = await runOn(sandbox, { formId: byId('f1'), ...parameters }, { input });
	if (error) throw error;
	return items.map(({ json }) => json);
};
const read = async (options: INodeParameters = {}, parameters: INodeParameters = {}) =>
	await run({
		operation: 'getResponses',
		returnAll: true,
		options: { sort: 'asReceived', ...options },
		...parameters,
	});
const flattened = async () => await read({}, { flattenAnswers: true });
const watch = (options: INodeParameters = {}) =>
	new Poller('scheduler', {
		parameters: { formId: byId('f1'), options },
		credentials: credentialsOf(sandbox),
	});

const listsOf = (records: string[]): Fault[] => [
	{ route: 'GET /responses', body: `{"responses":[${records.join()}]}` },
	{ route: 'GET /forms', body: `{"forms":[${records.join()}]}` },
];

/** Unlike an equality of objects, this sees the order of keys and a key named `__proto__`. */
const texts = (records: unknown[]) => records.map((record) => JSON.stringify(record));

const objectText = (entries: [string, string][]) =>
	`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;

it('comes through untouched, everywhere', async () => {
	const hostileText = fc.string({
		unit: fc.constantFrom('a', '😀', '"', '\\', '\u2028', '\0', '{{', '$', '.', ' '),
		maxLength: 6,
	});
	const json = fc.oneof(
		// JavaScript itself has no whole numbers beyond these.
		fc.json({ depthSize: 'small' }).filter((text) => !/\d{16}/.test(text)),
		hostileText.map((text) => JSON.stringify(text)),
		fc.constantFrom('1E-7', '{"__proto__":{"polluted":true}}', '{"toJSON":null,"length":-1}'),
	);
	const name = fc.oneof(
		fc.constantFrom(
			'id',
			'form_id',
			'title',
			'slug',
			'created_at',
			'updated_at',
			'pixel_fired',
			'error',
			'message',
		),
		// Names that every object has already
		fc.constantFrom('constructor', 'toString', 'toJSON', 'length', 'then', '__proto__'),
		hostileText,
	);
	const answers = fc.array(fc.tuple(name, json), { maxLength: 3 }).map(objectText);
	const field = fc.oneof(fc.tuple(name, json), fc.tuple(fc.constant('answers'), answers));
	const record = fc.array(field, { maxLength: 6 }).map(objectText);

	await fc.assert(
		fc.asyncProperty(fc.array(record, { maxLength: 5 }), async (records) => {
			sandbox.faults.clear();
			sandbox.faults.add(...listsOf(records));
			const sent = texts(records.map((text) => JSON.parse(text) as unknown));
			const poller = watch({ includeExisting: true });
			const emitted = texts(await poller.activate());

			expect(texts(await run({ operation: 'getForms', returnAll: true }))).toEqual(sent);
			expect(texts(await read())).toEqual(sent);
			expect(texts(await read({ sort: 'newestFirst' })).sort()).toEqual([...sent].sort());
			expect(await flattened()).toHaveLength(sent.length);
			expect(sent).toEqual(expect.arrayContaining(emitted));
			expect(await poller.tick()).toEqual([]);
		}),
		{ numRuns: 25 },
	);
	for (const fresh of [{}, []]) for (const key in fresh) throw new Error(`All objects have ${key}`);
}, 60_000);

it('flattened responses can be created again with the same answers', async () => {
	/** As automatic mapping compares names; two questions whose names are the same to it are another matter. */
	const nameOf = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '');
	const key = fc.oneof(
		// Those that Flatten Answers may have to give another name, and that objects have already
		fc.constantFrom('id', 'created_at', 'message', 'error', 'answers', 'toString'),
		fc.string({ minLength: 1 }).filter((text) => nameOf(text) !== '' && text !== '__proto__'),
	);
	const choice = fc
		.string({ minLength: 1 })
		.filter((text) => text.trim() === text && !text.includes(','));
	const multiple = fc.array(choice, { minLength: 1, maxLength: 3 });
	const single = fc.string({ minLength: 1 });
	/** Of a form whose questions are each a text or multiple choice */
	const responses = fc
		.uniqueArray(fc.tuple(key, fc.boolean()), {
			minLength: 1,
			maxLength: 6,
			selector: ([name]) => nameOf(name),
		})
		.chain((questions) => {
			const answers = questions.map(([name, isMultiple]) => {
				const answer: fc.Arbitrary<Answer> = isMultiple ? multiple : single;
				return fc.option(answer).map((value) => [name, value] as const);
			});
			const response = fc
				.tuple(...answers)
				.map((entries) => entries.filter(([, value]) => value !== null))
				.filter((entries) => entries.length > 0)
				.map((entries) => Object.fromEntries(entries) as Record<string, Answer>);
			return fc.array(response, { minLength: 1, maxLength: 4 });
		});
	const { getQuestions } = new FormCollection().methods.resourceMapping;

	await fc.assert(
		fc.asyncProperty(responses, async (answers) => {
			sandbox.reset();
			const records = answers.map((each, n) => responseRecord('f1', `r${n}`, { answers: each }));
			sandbox.responses.push(...records);
			const parameters = { formId: byId('f1') };
			const context = loadOptions({ parameters, credentials: credentialsOf(sandbox) });
			const { fields: schema } = await getQuestions.call(context);
			const answersMapping = { mappingMode: 'autoMapInputData', value: null, schema };
			const options = { parallelRequests: 1 };
			const copying = { operation: 'createResponse', answersMapping, options };
			await run(copying as unknown as INodeParameters, await flattened());

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
	const newestFirst = Array.from({ length: MANY }, (_, i) => MANY - 1 - i);
	const records = newestFirst.map(
		(i) => `{"id":"${i}","answers":{"q":"${i}"},"created_at":"${timeOf(i)}"}`,
	);
	const lastIds = (count: number) =>
		newestFirst.slice(0, count).map((i) => expect.objectContaining({ id: String(i) }) as unknown);
	const [withoutNewest] = listsOf(records.slice(1));
	sandbox.faults.add({ ...withoutNewest, times: 1 }, ...listsOf(records));

	const poller = watch();
	expect(await poller.activate()).toEqual([]);
	expect(await poller.tick()).toEqual(lastIds(1));
	expect(await read({ sort: 'newestFirst' }, { returnAll: false, limit: 2 })).toEqual(lastIds(2));
	expect(await read()).toHaveLength(MANY);
}, 60_000);
