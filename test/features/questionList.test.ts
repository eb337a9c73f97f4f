import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions } from '../support/engine';
import {
	abandoned,
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	fromList,
	requestsTo,
	responseRecord,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [
			responseRecord('f1', 'r1', { answers: { name: 'Ada', 'e.mail': 'x' } }),
			responseRecord('f1', 'r2', { answers: null as never }),
			responseRecord('f1', 'r3', { answers: { topics: ['a'], name: 'Grace', constructor: 'c' } }),
		],
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

async function questionsOf(formId: unknown, schema?: unknown[], value: object | null = null) {
	const answersMapping = { mappingMode: 'defineBelow', value, ...(schema && { schema }) };
	const context = loadOptions({
		parameters: { operation: 'createResponse', formId, answersMapping } as never,
		credentials: credentialsOf(sandbox),
	});
	return await new FormCollection().methods.resourceMapping.getQuestions.call(context);
}

const row = (id: string, formId: string, more: object = {}) => ({
	id,
	displayName: id,
	required: false,
	defaultMatch: false,
	canBeUsedToMatch: false,
	display: true,
	formId,
	...more,
});

const multiple = (id: string) => ({
	displayName: `${id} (multiple choice)`,
	multipleChoice: true,
});

it('marks questions of which the responses do not tell whether they are multiple choice', async () => {
	const all = [
		{ topics: ['a', 'b'], days: [], text: 'x', blank: '', none: [] },
		{ topics: [], days: 'Mon', text: 'y', blank: '', none: [] },
	];
	for (const [n, answers] of all.entries()) {
		sandbox.responses.push(responseRecord('f2', `u${n}`, { answers }));
	}
	const { fields } = await questionsOf(byId('f2'));

	expect(fields).toMatchObject([
		{ id: 'topics', multipleChoice: true },
		{ id: 'days', isUnsure: true },
		row('text', 'f2'),
		{ id: 'blank', isUnsure: true },
		{ id: 'none', multipleChoice: true },
	]);
	expect(fields.filter((field) => 'isUnsure' in field)).toHaveLength(2);
	const [, days] = (
		await questionsOf(byId('f1'), [{ ...row('days', 'f1'), isUnsure: true }])
	).fields.filter(({ id }) => ['name', 'days'].includes(id));
	expect(days).toMatchObject({ id: 'days', isUnsure: true });
});

it('reads the form once for all lists of a node that ask for it at the same time', async () => {
	const context = () =>
		loadOptions({
			parameters: { operation: 'getResponses', formId: byId('f1') } as never,
			credentials: credentialsOf(sandbox),
		});
	const keysOf = async () =>
		await new FormCollection().methods.loadOptions.getQuestionKeys.call(context());
	const lists = await Promise.all([keysOf(), keysOf(), questionsOf(byId('f1')), keysOf()]);

	expect(lists[0]?.length).toBeGreaterThan(0);
	expect(lists[3]).toEqual(lists[0]);
	expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
	await keysOf();
	expect(requestsTo(sandbox)).toHaveLength(2);
});

it('reads the form again after an attempt that failed', async () => {
	sandbox.faults.add({ status: 403, times: 1 });

	await expect(questionsOf(byId('f1'), [row('name', 'f1')])).rejects.toThrow('(403)');
	expect((await questionsOf(byId('f1'))).fields.length).toBeGreaterThan(0);
});

it.each([
	['picked from the list', fromList('f1')],
	['entered by ID', byId(' f1 ')],
])('offers each question seen in the form %s once, in order, in one request', async (_, formId) => {
	const { fields } = await questionsOf(formId);

	expect(fields).toEqual([
		row('topics', 'f1', multiple('topics')),
		...['name', 'constructor', 'e.mail'].map((key) => row(key, 'f1')),
	]);
	expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
});

it('offers the same questions as choices, which n8n must not take for expressions', async () => {
	sandbox.responses.push(responseRecord('f1', 'r4', { answers: { '={{ 1 }}': 'x' } }));
	const context = loadOptions({
		parameters: { operation: 'getResponses', formId: fromList('f1') } as never,
		credentials: credentialsOf(sandbox),
	});
	const choices = await new FormCollection().methods.loadOptions.getQuestionKeys.call(context);

	expect(choices).toEqual([
		...['topics', 'name', 'constructor', 'e.mail'].map((key) => ({ name: key, value: key })),
		{ name: '={{ 1 }}', value: ' ={{ 1 }}' },
	]);
	expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
});

it('offers no choices before a form is chosen', async () => {
	const context = loadOptions({ parameters: {}, credentials: credentialsOf(sandbox) });
	const choices = new FormCollection().methods.loadOptions.getQuestionKeys.call(context);

	expect(await choices).toEqual([]);
});

it('says why there are no questions of a form without responses', async () => {
	expect(await questionsOf(byId('f2'))).toEqual({
		fields: [],
		emptyFieldsNotice:
			'This form has no answers yet, so its questions are not known: choose By Question Key or As JSON under Enter Answers, or Map Automatically to send all fields',
	});
});

describe('the rows of a saved mapping, which n8n would lose with what is mapped to them,', () => {
	const saved = [
		row('name', 'f2', { removed: true }),
		row('city', 'f2', { removed: false }),
		row('days', 'f2', { removed: false, ...multiple('days') }),
		row('fax', 'f2', { removed: true }),
		row('phone', 'f2', { isUnseen: true }),
		row('email', 'f1', { removed: false }),
	];

	it('stay if no response has an answer any more, unless somebody has removed them', async () => {
		sandbox.responses.push(responseRecord('f2', 'r4', { answers: { name: 'Ada' } }));
		const left = await questionsOf(byId('f2'), saved, {});
		sandbox.responses.pop();
		const emptied = await questionsOf(byId('f2'), saved, { city: null, email: '', days: 'x' });

		const kept = [
			row('city', 'f2'),
			row('days', 'f2', multiple('days')),
			row('phone', 'f2', { isUnseen: true }),
		];
		expect(left).toEqual({ fields: [row('name', 'f2'), ...kept] });
		expect(emptied).toEqual({ fields: kept });
	});

	it.each<[string, unknown[] | undefined]>([
		['without rows', undefined],
		['with rows that this node has not made', ['phone', 'fax', 'other'].map((id) => ({ id }))],
	])('are made of what is mapped %s, with or without a value yet', async (_, schema) => {
		const value = { name: 'Ada', phone: null, fax: '' };

		expect(await questionsOf(byId('f1'), schema, value)).toEqual({
			fields: [
				row('topics', 'f1', multiple('topics')),
				...['name', 'constructor', 'e.mail'].map((key) => row(key, 'f1')),
				...['phone', 'fax'].map((key) => row(key, 'f1', { isUnseen: true })),
			],
		});
	});

	it('are those of what is mapped where the questions cannot be loaded', async () => {
		const { fields, emptyFieldsNotice } = await questionsOf(byId('f9'), undefined, { name: 'x' });

		expect(fields).toEqual([row('name', 'f9', { isUnseen: true })]);
		expect(emptyFieldsNotice).toContain('was not found (404)');
	});
});

it.each([
	['no response has an answer', 'f2', 'This form has no answers yet'],
	['the questions cannot be loaded', 'f9', 'was not found (404)'],
])('fails where n8n 2.0 does not tell what is mapped and %s', async (_, form, message) => {
	const context = loadOptions({
		parameters: { formId: byId(form), answersMapping: null } as never,
		credentials: credentialsOf(sandbox),
	});
	const loaded = new FormCollection().methods.resourceMapping.getQuestions.call(context);

	await expect(loaded).rejects.toThrow(message);
});

it.each([
	['an empty list', fromList('')],
	['white space', byId('  ')],
	['nothing', undefined],
	['an object', byId({ id: 'f1' } as never)],
])('asks for a form before any request where there is %s', async (_, formId) => {
	expect(await questionsOf(formId)).toEqual({
		fields: [],
		emptyFieldsNotice:
			'No form is chosen: select one in the field Form first. If it comes from an expression, run the nodes before this one',
	});
	expect(requestsTo(sandbox)).toEqual([]);
});

it('takes a number for an ID', async () => {
	sandbox.faults.add({ body: '{"responses":[{"answers":{"a":"b"}}]}' });
	const { fields } = await questionsOf(byId(7 as never));

	expect(fields.map(({ id }) => id)).toEqual(['a']);
	expect(requestsTo(sandbox)).toEqual(['GET /responses 7']);
});

it('says what went wrong where nothing else is on screen, as HTML', async () => {
	expect(await questionsOf(byId('<b>"&'))).toEqual({
		fields: [],
		emptyFieldsNotice:
			'Form &#34;&#60;b&#62;&#34;&#38;&#34; was not found (404): select a form from the list, or enter its ID, not its slug. Until the questions are loaded, Map Automatically sends all fields',
	});
});

it('fails where the node has questions already, which n8n would replace by none', async () => {
	const error: unknown = await questionsOf(byId('nowhere'), [{ id: 'name' }]).catch(
		(thrown: unknown) => thrown,
	);

	expect(factsOf(error)).toEqual({
		message:
			'Form "nowhere" was not found (404): select a form from the list, or enter its ID, not its slug',
		description:
			'The service says: "There is no form with this id."\nIf this happens with every form, check the Base URL in the Form Collection API credential',
		httpCode: '404',
		failure: { cause: 'configuration-invalid' },
	});
});

it('stops reading where nothing new came for long', async () => {
	sandbox.responses.length = 0;
	for (let index = 0; index < 60_000; index++) {
		const answers = { [`from ${Math.min(index - (index % 15_000), 30_000)}`]: 'x'.repeat(50) };
		sandbox.responses.push(responseRecord('f1', String(index), { answers }));
	}
	sandbox.faults.add({ slowBodyMs: 2_000 });
	const { fields } = await questionsOf(byId('f1'));

	expect(fields.map(({ id }) => id)).toEqual(['from 0', 'from 15000', 'from 30000']);
	await abandoned(sandbox);
}, 30_000);
