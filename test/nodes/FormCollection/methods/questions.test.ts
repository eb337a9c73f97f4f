import { FormCollection } from '../../../../nodes/FormCollection/FormCollection.node';
import type { Sandbox } from '../../../../sandbox';
import { startSandbox } from '../../../../sandbox';
import { loadOptions } from '../../../support/engine';
import {
	abandoned,
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	fromList,
	requestsTo,
	responseRecord,
} from '../../../support/formCollection';

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

async function questionsOf(formId: unknown, schema: unknown[] = []) {
	const answersMapping = { mappingMode: 'defineBelow', value: null, schema };
	const context = loadOptions({
		parameters: { operation: 'createResponse', formId, answersMapping } as never,
		credentials: credentialsOf(sandbox),
	});
	return await new FormCollection().methods.resourceMapping.getQuestions.call(context);
}

it.each([
	['picked from the list', fromList('f1')],
	['entered by ID', byId(' f1 ')],
])('offers each question seen in the form %s once, in order, in one request', async (_, formId) => {
	const { fields } = await questionsOf(formId);

	expect(fields).toEqual(
		['topics', 'name', 'constructor', 'e.mail'].map((key) => ({
			id: key,
			displayName: key === 'topics' ? 'topics (multiple choice)' : key,
			required: false,
			defaultMatch: false,
			canBeUsedToMatch: false,
			display: true,
			...(key === 'topics' && { multipleChoice: true }),
		})),
	);
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

it('asks for a form before it offers choices', async () => {
	const context = loadOptions({ parameters: {}, credentials: credentialsOf(sandbox) });
	const choices = new FormCollection().methods.loadOptions.getQuestionKeys.call(context);

	await expect(choices).rejects.toThrow('No form is chosen: select one in the field Form first');
});

it('says why there are no questions of a form without responses', async () => {
	expect(await questionsOf(byId('f2'))).toEqual({
		fields: [],
		emptyFieldsNotice:
			'This form has no responses yet, so its questions are not known: choose By Question Key or As JSON under Enter Answers',
	});
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
			'Form &#34;&#60;b&#62;&#34;&#38;&#34; was not found (404): select a form from the list, or enter its ID, not its slug',
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
