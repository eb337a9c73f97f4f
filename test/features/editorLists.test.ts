import type { INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import type { Sandbox, SandboxForm } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions } from '../support/engine';
import {
	byId,
	credentialsOf,
	formRecord,
	fromList,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';

/** Which error is shown in place of a list is in the snapshot of the fault matrix. */

const expression = '={{ $json.other }}';
let sandbox: Sandbox;

beforeAll(async () => {
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
			formRecord(expression, { title: '=title', slug: expression }),
			{ title: 'No ID either' } as SandboxForm,
		],
		responses: [
			responseRecord('1', 'r1', { answers: { name: 'Ada', 'e.mail': 'x' } }),
			responseRecord('1', 'r2', { answers: null as never }),
			responseRecord('1', 'r3', { answers: { name: 'Grace', topics: ['a'], constructor: 'c' } }),
			responseRecord(expression, 'r4', { answers: { [expression]: 'a' } }),
		],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const nodes = [FormCollection, FormCollectionTrigger];
type Node = FormCollection | FormCollectionTrigger;

const contextOf = (parameters: INodeParameters) =>
	loadOptions({ parameters, credentials: credentialsOf(sandbox) });

const fieldOf = ({ description }: Node, wanted: string) =>
	description.properties.find(({ name }) => name === wanted)!;

/** Name and value of each choice of the list of a field, as the editor loads them. */
async function search(field: string, filter?: string, node: Node = new FormCollection()) {
	const list = fieldOf(node, field).modes?.find(({ name }) => name === 'list');
	const method = list?.typeOptions?.searchListMethod as keyof Node['methods']['listSearch'];
	const { results } = await node.methods.listSearch[method].call(contextOf({}), filter);
	return results.map(({ name, value }) => [name, String(value)]);
}

/** The fields of the mapping, as the editor loads them. */
async function mappingOf(formId: unknown, mapping: object | null = { value: null }) {
	const answersMapping = mapping && { mappingMode: 'defineBelow', ...mapping };
	const parameters = { operation: 'createResponse', formId, answersMapping };
	const node = new FormCollection();
	const { resourceMapper } = fieldOf(node, 'answersMapping').typeOptions!;
	const method = resourceMapper!.resourceMapperMethod as 'getQuestions';
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

const idsOf = ({ fields }: { fields: { id: string }[] }) => fields.map(({ id }) => id);

describe('the list of forms', () => {
	it.each(nodes)('has every form by title, told apart by slug or ID (%#)', async (NodeClass) => {
		const choices = await search('formId', undefined, new NodeClass());

		expect(choices).toEqual([
			[' =title', ` ${expression}`],
			['5', '5'],
			['Änderung', '6'],
			['Contact (3)', '3'],
			['Contact (contact-a)', '1'],
			['Contact (contact-b)', '2'],
			['no-title', '4'],
			['survey', '7'],
			['Twins (8)', '8'],
			['Twins (9)', '9'],
		]);
		expect(requestsTo(sandbox)).toEqual(['GET /forms']);
	});

	it('has the forms that have a slug by it, where the slug is what is needed', async () => {
		const slugs = (await search('formSlug')).map(([, slug]) => slug);

		expect(slugs).toEqual([
			...[` ${expression}`, 'change', 'contact-a', 'contact-b', 'no-title', 'Autumn'],
			...['twin', 'twin'],
		]);
	});

	it.each([
		['title, in any case', 'SURV', ['7']],
		['slug, in any case', ' autumn ', ['7']],
		['what the list shows of it', 'Contact (contact-b)', ['2']],
		['nothing that there is', 'nothing like it', []],
	])('finds forms by %s', async (_, filter, expected) => {
		expect((await search('formId', filter)).map(([, id]) => id)).toEqual(expected);
	});
});

describe('the questions of a form', () => {
	const keys = ['name', 'e.mail', 'topics', 'constructor'];

	it('are each a field of the mapping', async () => {
		const { fields } = await mappingOf(byId(' 1 '));

		expect(fields).toMatchObject(
			keys.map((id) => ({
				id,
				displayName: id === 'topics' ? 'topics (multiple choice)' : id,
				required: false,
				display: true,
				defaultMatch: false,
			})),
		);
		expect(requestsTo(sandbox)).toEqual(['GET /responses 1']);
	});

	it.each(nodes)('are choices of a filter of a chosen form (%#)', async (NodeClass) => {
		expect(await questionsOf(undefined, new NodeClass())).toEqual([]);
		const choices = await questionsOf(fromList('1'), new NodeClass());

		expect(choices).toEqual(keys.map((key) => ({ name: key, value: key })));
		expect(requestsTo(sandbox)).toEqual(['GET /responses 1']);
		await expect(questionsOf(byId('x'), new NodeClass())).rejects.toThrow('(404)');
	});

	it.each<[string, unknown, RegExp, number]>([
		['an empty choice', fromList(''), /^No form/, 0],
		['nothing', undefined, /^No form/, 0],
		['a form without responses', byId('7'), /By Question Key/, 1],
		['a form that is not there', byId('<b>'), /&#34;&#60;b&#62;&#34; .*\(404\)/, 1],
	])('are not known of %s, and a notice says so', async (_, formId, notice, requests) => {
		const { fields, emptyFieldsNotice } = await mappingOf(formId);

		expect(fields).toEqual([]);
		expect(emptyFieldsNotice).toMatch(notice);
		expect(requestsTo(sandbox)).toHaveLength(requests);
	});

	describe('that a saved mapping has, which n8n would lose with what is mapped to them,', () => {
		const saved = async () => {
			const { fields } = await mappingOf(byId('1'));
			return fields.map((field) => ({ ...field, removed: field.id === 'e.mail' }));
		};

		it('stay where no response answers them any more, unless they were removed', async () => {
			const schema = await saved();
			const answers = { topics: ['a'], more: 'b' };
			sandbox.responses.splice(0, Infinity, responseRecord('1', 'r5', { answers }));
			const left = await mappingOf(byId('1'), { value: {}, schema });
			sandbox.responses.length = 0;
			const emptied = await mappingOf(byId('1'), { value: {}, schema });

			expect(idsOf(left)).toEqual(['topics', 'more', 'name', 'constructor']);
			expect(idsOf(emptied)).toEqual(['name', 'topics', 'constructor']);
		});

		it('stay without rows, as in a mapping that was made outside of the editor', async () => {
			expect(idsOf(await mappingOf(byId('7'), { value: { name: 'Ada' } }))).toEqual(['name']);
		});

		it('do not stay where another form is chosen', async () => {
			const schema = await saved();
			sandbox.responses.push(responseRecord('2', 'r5', { answers: { city: 'Rome' } }));

			expect(idsOf(await mappingOf(byId('2'), { value: {}, schema }))).toEqual(['city']);
		});

		it.each([
			['no mapping is told, as by n8n 2.0, and no response has an answer', '2', false],
			['no mapping is told, as by n8n 2.0, and the form is not there', 'nowhere', false],
			['it has rows, and the form is not there', 'nowhere', true],
		])('are kept by an error where %s', async (_, form, hasRows) => {
			const mapping = hasRows ? { value: {}, schema: await saved() } : null;

			await expect(mappingOf(byId(form), mapping)).rejects.toThrow();
		});
	});
});

it('a choice that looks like an expression is not evaluated', async () => {
	/** As the editor saves what is clicked on */
	const first = async (field: string) => fromList((await search(field))[0]![1]!);
	const formId = await first('formId');
	const [question] = await questionsOf(formId);
	const filter = [{ question: question!.value as string, condition: 'equals', value: 'a' }];
	const options = { answerFilters: { filter } };
	const responses = await runOn(sandbox, { operation: 'getResponses', formId, options });
	const embedding = { operation: 'getEmbedCode', formSlug: await first('formSlug') };
	const credentials = { ...credentialsOf(sandbox), embedUrl: sandbox.url };
	const embed = await runOn(sandbox, embedding, { credentials });

	expect(responses.items.map(({ json }) => json.id)).toEqual(['r4']);
	expect(embed.items[0]?.json.slug).toBe(expression);
});
