import type { INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import type { Sandbox, SandboxForm } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions, polling } from '../support/engine';
import {
	byId,
	credentialsOf,
	formRecord,
	fromList,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';
import { runPoll } from '../support/poller';

let sandbox: Sandbox;

afterEach(async () => await sandbox.stop());

type Node = FormCollection | FormCollectionTrigger;

const contextOf = (parameters: INodeParameters) =>
	loadOptions({ parameters, credentials: credentialsOf(sandbox) });

const fieldOf = ({ description }: Node, wanted: string) =>
	description.properties.find(({ name }) => name === wanted)!;

/** The choices of the list of a field, as the editor loads them. */
async function search(field: string, filter?: string, node: Node = new FormCollection()) {
	const list = fieldOf(node, field).modes?.find(({ name }) => name === 'list');
	const method = list?.typeOptions?.searchListMethod as keyof Node['methods']['listSearch'];
	const { results } = await node.methods.listSearch[method].call(contextOf({}), filter);
	return results.map(({ name, value }) => ({ name, value: String(value) }));
}

/** The fields of the mapping, as the editor loads them. */
async function mappingOf(formId: unknown, mapping: object | null = { value: null }) {
	const node = new FormCollection();
	const { resourceMapper } = fieldOf(node, 'answersMapping').typeOptions!;
	const method = resourceMapper!
		.resourceMapperMethod as keyof FormCollection['methods']['resourceMapping'];
	const answersMapping = mapping && { mappingMode: 'defineBelow', ...mapping };
	const parameters = { operation: 'createResponse', formId, answersMapping };
	return await node.methods.resourceMapping[method].call(contextOf(parameters as never));
}

/** The choices of the question of a filter, as the editor loads them. */
async function questionsOf(formId: unknown, node: Node = new FormCollection()) {
	const [options] = node.description.properties
		.filter(({ name }) => name === 'options')
		.flatMap((field) => (field.options as INodeProperties[]) ?? [])
		.filter(({ name }) => name === 'answerFilters');
	const [{ values }] = options!.options as [INodePropertyCollection];
	const { loadOptionsMethod } = values.find(({ name }) => name === 'question')!.typeOptions!;
	const method = loadOptionsMethod as keyof Node['methods']['loadOptions'];
	const parameters = { operation: 'getResponses', formId } as INodeParameters;
	return await node.methods.loadOptions[method].call(contextOf(parameters));
}

const valuesOf = (choices: { value: unknown }[]) => choices.map(({ value }) => value);
const idsOf = ({ fields }: { fields: { id: string }[] }) => fields.map(({ id }) => id);

describe('the list of forms', () => {
	beforeEach(async () => {
		sandbox = await startSandbox({
			forms: [
				formRecord('7', { title: 'survey', slug: 'Autumn' }),
				formRecord('1', { title: 'Contact', slug: 'contact-a' }),
				formRecord('2', { title: 'Contact ', slug: 'contact-b' }),
				formRecord('3', { title: 'Contact', slug: '' }),
				formRecord('4', { title: '', slug: 'no-title' }),
				formRecord('5', { title: null, slug: undefined } as never),
				formRecord('6', { title: 'Änderung', slug: 'change' }),
				formRecord('8', { title: 'Twins', slug: 'twin' }),
				formRecord('9', { title: 'Twins', slug: 'twin' }),
				formRecord('', { title: 'No ID', slug: '' }),
				{ title: 'No ID either' } as SandboxForm,
			],
		});
	});

	it.each([FormCollection, FormCollectionTrigger])(
		'has every form by title, told apart by slug or ID, in one request (%#)',
		async (NodeClass) => {
			const choices = await search('formId', undefined, new NodeClass());
			const nameOf = (id: string) => choices.find(({ value }) => value === id)?.name;

			expect([...valuesOf(choices)].sort()).toEqual([...'123456789']);
			const titled = choices.filter(({ value }) => !['4', '5'].includes(value));
			expect(titled.map(({ name }) => name.replace(/ \(.*/, ''))).toEqual([
				...['Änderung', 'Contact', 'Contact', 'Contact', 'survey', 'Twins', 'Twins'],
			]);
			expect(new Set(choices.map(({ name }) => name)).size).toBe(9);
			expect(nameOf('7')).toBe('survey');
			expect(nameOf('1')).toContain('contact-a');
			expect(nameOf('3')).toContain('3');
			expect(nameOf('4')).toContain('no-title');
			expect(nameOf('5')).toContain('5');
			expect(requestsTo(sandbox)).toEqual(['GET /forms']);
		},
	);

	it('has the forms that have a slug by it, where the slug is what is needed', async () => {
		const values = valuesOf(await search('formSlug'));

		expect(values).toEqual(expect.arrayContaining(['Autumn', 'contact-a', 'contact-b', 'change']));
		expect(values).not.toContain('');
		expect(requestsTo(sandbox)).toEqual(['GET /forms']);
	});

	it.each([
		['title, in any case', 'SURV', ['7']],
		['slug, in any case', ' autumn ', ['7']],
		['a letter beyond ASCII', 'äND', ['6']],
		['what the list shows of it', 'Contact (contact-b)', ['2']],
		['nothing that there is', 'nothing like it', []],
	])('finds forms by %s', async (_, filter, expected) => {
		expect(valuesOf(await search('formId', filter))).toEqual(expected);
	});

	it('shows what went wrong', async () => {
		sandbox.faults.add({ status: 401 });

		await expect(search('formId')).rejects.toThrow('(401)');
	});
});

describe('the questions of a form', () => {
	beforeEach(async () => {
		sandbox = await startSandbox({
			forms: [formRecord('f1'), formRecord('f2')],
			responses: [
				responseRecord('f1', 'r1', { answers: { name: 'Ada', 'e.mail': 'x' } }),
				responseRecord('f1', 'r2', { answers: null as never }),
				responseRecord('f1', 'r3', { answers: { name: 'Grace', constructor: 'c', topics: ['a'] } }),
			],
		});
	});

	const keys = ['constructor', 'e.mail', 'name', 'topics'];

	it.each([
		['picked from the list', fromList('f1')],
		['entered by ID', byId(' f1 ')],
	])('are each a field of the mapping of a form %s, in one request', async (_, formId) => {
		const { fields } = await mappingOf(formId);

		expect(fields.map(({ id }) => id).sort()).toEqual(keys);
		for (const field of fields) {
			expect(field).toMatchObject({ required: false, display: true, defaultMatch: false });
			expect(field.displayName).toContain(field.id);
		}
		expect(fields.find(({ id }) => id === 'name')?.displayName).toBe('name');
		expect(fields.find(({ id }) => id === 'topics')?.displayName).toMatch(/multiple choice/i);
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	});

	it.each([FormCollection, FormCollectionTrigger])(
		'are choices of a filter (%#), and none before a form is chosen',
		async (NodeClass) => {
			const choices = await questionsOf(fromList('f1'), new NodeClass());

			expect(choices.map(({ name }) => name).sort()).toEqual(keys);
			expect(valuesOf(choices).sort()).toEqual(keys);
			expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
			expect(await questionsOf(undefined, new NodeClass())).toEqual([]);
			expect(requestsTo(sandbox)).toHaveLength(1);
		},
	);

	it.each([
		['an empty list', fromList('')],
		['white space', byId('  ')],
		['nothing', undefined],
	])('need a form before any request where there is %s', async (_, formId) => {
		const { fields, emptyFieldsNotice } = await mappingOf(formId);

		expect(fields).toEqual([]);
		expect(emptyFieldsNotice).toContain('Form');
		expect(requestsTo(sandbox)).toEqual([]);
	});

	it('are not known of a form without responses, or that is not there, and a notice says so', async () => {
		const [empty, missing] = [await mappingOf(byId('f2')), await mappingOf(byId('nowhere'))];

		expect([empty.fields, missing.fields]).toEqual([[], []]);
		expect(empty.emptyFieldsNotice).toMatch(/By Question Key/);
		expect(missing.emptyFieldsNotice).toContain('(404)');
	});

	describe('that a saved mapping has, which n8n would lose with what is mapped to them,', () => {
		const saved = async (form: string, removed: string[] = []) => {
			const { fields } = await mappingOf(byId(form));
			return fields.map((field) => ({ ...field, removed: removed.includes(field.id) }));
		};

		it('stay where no response answers them any more, unless they were removed', async () => {
			const schema = await saved('f1', ['e.mail']);
			sandbox.responses.splice(
				0,
				Infinity,
				responseRecord('f1', 'r4', { answers: { name: 'Ada' } }),
			);
			const left = await mappingOf(byId('f1'), { value: {}, schema });
			sandbox.responses.length = 0;
			const emptied = await mappingOf(byId('f1'), { value: {}, schema });

			expect(idsOf(left).sort()).toEqual(['constructor', 'name', 'topics']);
			expect(idsOf(emptied).sort()).toEqual(['constructor', 'name', 'topics']);
		});

		it('do not stay where another form is chosen', async () => {
			const schema = await saved('f1');
			sandbox.responses.push(responseRecord('f2', 'r5', { answers: { city: 'Rome' } }));

			expect(idsOf(await mappingOf(byId('f2'), { value: {}, schema }))).toEqual(['city']);
		});

		it.each([
			['no mapping is told, as by n8n 2.0, and no response has an answer', 'f2', false],
			['no mapping is told, as by n8n 2.0, and the form is not there', 'nowhere', false],
			['it has rows, and the form is not there', 'nowhere', true],
		])('are kept by an error where %s', async (_, form, hasRows) => {
			const mapping = hasRows ? { value: {}, schema: await saved('f1') } : null;

			await expect(mappingOf(byId(form), mapping)).rejects.toThrow();
		});
	});
});

describe('what looks like an expression', () => {
	const expression = '={{ $json.other }}';

	beforeEach(async () => {
		sandbox = await startSandbox({
			forms: [formRecord(expression, { title: `=title`, slug: expression })],
			responses: [responseRecord(expression, 'r1', { answers: { [expression]: 'a', plain: 'b' } })],
		});
	});

	/** As the editor saves what is clicked on. */
	async function choose(field: string) {
		const [choice] = await search(field);
		expect([choice?.name, choice?.value]).toEqual([
			expect.not.stringMatching(/^=/),
			expect.not.stringMatching(/^=/),
		]);
		return fromList(choice!.value);
	}

	it('is not evaluated in the ID of a form and a question of a filter', async () => {
		const formId = await choose('formId');
		const [question] = valuesOf(await questionsOf(formId)).filter((key) => key !== 'plain');
		const answerFilters = {
			filter: [{ question: question as string, condition: 'equals', value: 'a' }],
		};
		const { items } = await runOn(
			sandbox,
			{ operation: 'getResponses', formId, returnAll: true, options: { answerFilters } },
			{ input: [{ other: 'x' }] },
		);

		expect(items.map(({ json }) => json.id)).toEqual(['r1']);
	});

	it('is not evaluated in a question of the mapping', async () => {
		const formId = await choose('formId');
		const { fields } = await mappingOf(formId);
		const answersMapping = {
			mappingMode: 'defineBelow',
			value: { [expression]: '={{ $json.other }}', plain: 'as it is' },
			matchingColumns: [],
			schema: fields.map((field) => ({ ...field, removed: false })),
			attemptToConvertTypes: false,
			convertFieldsToString: false,
		};
		const { error } = await runOn(
			sandbox,
			{ operation: 'createResponse', formId, answersInput: 'mapping', answersMapping } as never,
			{ input: [{ other: 'x' }] },
		);

		expect(error).toBeUndefined();
		expect(sandbox.responses.at(-1)).toMatchObject({
			form_id: expression,
			answers: { [expression]: 'x', plain: 'as it is' },
		});
	});

	it('is not evaluated in the form of a trigger, nor in a slug', async () => {
		const { context } = polling({
			parameters: { formId: await choose('formId'), options: { includeExisting: true } },
			credentials: credentialsOf(sandbox),
		});
		const { items } = await runOn(
			sandbox,
			{ operation: 'getEmbedCode', formSlug: await choose('formSlug') },
			{ credentials: { ...credentialsOf(sandbox), embedUrl: 'https://forms.example.com' } },
		);

		expect((await runPoll(context)).map(({ id }) => id)).toEqual(['r1']);
		expect(items[0]?.json.slug).toBe(expression);
	});
});
