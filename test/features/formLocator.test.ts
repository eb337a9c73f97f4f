import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import {
	formIdOf,
	isFromList,
	toChoiceText,
	toFormId,
} from '../../nodes/FormCollection/parameters/formLocator';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions, polling } from '../support/engine';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	fromList,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';
import { runPoll } from '../support/poller';

const text = fc.string({
	unit: fc.constantFrom('=', ' ', '\t', '\n', '{', '}', 'a'),
	maxLength: 6,
});

it('brings every ID back from the list as it is, and never as an expression', () => {
	fc.assert(
		fc.property(
			text.filter((id) => id.trim() !== ''),
			(id) => {
				const value = toChoiceText(id);
				expect(value.startsWith('=')).toBe(false);
				expect(formIdOf(fromList(value))).toBe(id);
			},
		),
	);
});

it.each<[unknown, string | undefined]>([
	['f1', 'f1'],
	[7, '7'],
	[byId(' f1\n'), 'f1'],
	[byId('\u200bf1\u2060 \ufeff'), 'f1'],
	[byId('\u202af1\u202c\u200e'), 'f1'],
	[byId('\u0007\u00adf1\u2069'), 'f1'],
	[byId('\u200b'), undefined],
	[fromList('f1\u200b'), 'f1\u200b'],
	[byId(7 as never), '7'],
	[fromList(7 as never), '7'],
	[fromList(' '), undefined],
	[byId(null as never), undefined],
	[byId(['f1'] as never), undefined],
	[{ __rl: true, value: ' f1' }, 'f1'],
	[{ mode: 'id', value: ' f1' }, 'f1'],
	[{ value: 'f1' }, undefined],
	[{ __rl: false, value: 'f1' }, undefined],
	[fromList(' f1'), ' f1'],
	[fromList('=f1'), '=f1'],
	[byId(' =f1'), '=f1'],
	[true, undefined],
	[null, undefined],
	[undefined, undefined],
])('reads the form of %j', (value, expected) => {
	expect(formIdOf(value)).toBe(expected);
});

it.each(['http://forms.example.com/f1', 'HTTPS://forms.example.com', ' https://f1'])(
	'a web address is no form: %s',
	(address) => {
		expect(() => toFormId(byId(address))).toThrow(
			`Form is a web address (${address.trim()}): select the form from the list, or enter its ID`,
		);
		expect(() => toFormId(fromList(address.trim()), 'slug')).toThrow(/, or enter its slug$/);
	},
);

it.each(['from-https://f1', 'https:f1', 'https', 'undefined'])(
	'a form may have an ID that is no web address: %s',
	(id) => {
		expect(toFormId(byId(id))).toBe(id);
	},
);

it.each([undefined, null, '', ' ', byId('\n'), fromList(''), { __rl: true, value: '' }])(
	'a form has to be chosen: %j',
	(value) => {
		expect(() => toFormId(value)).toThrow(
			'No form is chosen: select one in the field Form, or enter its ID there',
		);
		expect(() => toFormId(value, 'slug')).toThrow(/, or enter its slug there$/);
	},
);

it.each<[unknown, string]>([
	[null, 'no value'],
	[undefined, 'no value'],
	[['f1'], 'a list'],
	[{ id: 'f1' }, 'an object'],
	[true, 'true'],
])('an expression has to give a form, not %j', (value, name) => {
	expect(() => toFormId(byId(value as never))).toThrow(
		`Form has an expression that returns ${name}: make it return the ID of one form`,
	);
	expect(() => toFormId(byId(value as never), 'slug')).toThrow(/ the slug of one form$/);
});

it.each([
	[fromList('f1'), true],
	[{ mode: 'list', value: 'f1' }, true],
	[byId('f1'), false],
	['f1', false],
	[undefined, false],
])('tells whether a form was chosen from the list: %j', (value, expected) => {
	expect(isFromList(value)).toBe(expected);
});

describe('a form chosen from the list', () => {
	const strange = [
		'7',
		'=1+1',
		'={{ $json.other }}',
		'=',
		' =padded ',
		'\t=tab',
		' spaces ',
		'{{ 1 }}',
		'$json',
		'__proto__',
	];
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox({
			forms: [...strange.map((id) => formRecord(id, { title: `=oops(${id}`, slug: id }))],
			responses: strange.map((id) =>
				responseRecord(id, `of ${id}`, { answers: { '=1+1': 'a', '={{ 1 }}': 'b', plain: 'c' } }),
			),
		});
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.stop());

	/** As the editor saves what is clicked on. */
	async function choose(method: 'searchForms' | 'searchFormSlugs', wanted: string) {
		const context = loadOptions({ parameters: {}, credentials: credentialsOf(sandbox) });
		const { results } = await new FormCollection().methods.listSearch[method].call(context);
		const choice = results.find(
			({ value }) =>
				value === wanted || (String(value).slice(1) === wanted && /^ \s*=/.test(String(value))),
		);
		if (choice === undefined) throw new Error(`${wanted} is not in the list`);
		expect(choice.name).not.toMatch(/^=/);
		sandbox.log.length = 0;
		return {
			__rl: true,
			mode: 'list',
			value: choice.value,
			cachedResultName: choice.name,
		} as never;
	}

	it.each(strange)('with the ID %j is read', async (id) => {
		const parameters = { operation: 'getResponses', formId: await choose('searchForms', id) };
		const { items, error } = await runOn(sandbox, parameters, { input: [{ other: 'x' }] });

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.id)).toEqual([`of ${id}`]);
	});

	it.each(strange)('with the ID %j gets a response, question by question', async (id) => {
		const formId: INodeParameters = await choose('searchForms', id);
		const context = loadOptions({ parameters: { formId }, credentials: credentialsOf(sandbox) });
		const { fields } = await new FormCollection().methods.resourceMapping.getQuestions.call(
			context,
		);
		expect(fields.map((field) => field.id)).toEqual(['=1+1', '={{ 1 }}', 'plain']);

		const answersMapping = {
			mappingMode: 'defineBelow',
			value: { '=1+1': '={{ $json.other }}', '={{ 1 }}': 'as it is', plain: null },
			matchingColumns: [],
			schema: fields.map((field) => ({ ...field, removed: false })),
			attemptToConvertTypes: false,
			convertFieldsToString: false,
		} as never;
		const { error } = await runOn(
			sandbox,
			{ operation: 'createResponse', formId, answersInput: 'mapping', answersMapping },
			{ input: [{ other: 'x' }] },
		);

		expect(error).toBeUndefined();
		expect(sandbox.responses.pop()).toMatchObject({
			form_id: id,
			answers: { '=1+1': 'x', '={{ 1 }}': 'as it is' },
		});
	});

	it.each(strange)('with the ID %j starts a workflow', async (id) => {
		const { context } = polling({
			parameters: {
				formId: await choose('searchForms', id),
				options: { includeExisting: true },
			},
			credentials: credentialsOf(sandbox),
		});

		expect((await runPoll(context)).map((response) => response.id)).toEqual([`of ${id}`]);
	});

	it.each(strange)('with the slug %j is embedded', async (slug) => {
		const { items, error } = await runOn(
			sandbox,
			{ operation: 'getEmbedCode', formSlug: await choose('searchFormSlugs', slug) },
			{ credentials: { ...credentialsOf(sandbox), embedUrl: 'https://forms.example.com' } },
		);

		expect(error).toBeUndefined();
		expect(items[0]?.json.slug).toBe(slug);
	});

	it('is still needed', async () => {
		const formId = fromList('  ');
		const { error } = await runOn(sandbox, { operation: 'getResponses', formId });

		expect(factsOf(error).message).toMatch(/^No form is chosen/);
		expect(requestsTo(sandbox)).toEqual([]);
	});
});
