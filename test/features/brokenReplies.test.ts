import type { IDataObject } from 'n8n-workflow';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import type { Sandbox } from '../../sandbox';
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

/** Whatever reads a list reads it again from its beginning when the reply breaks off in the middle. */

const COUNT = 40;
const numbers = Array.from({ length: COUNT }, (_, i) => i);
let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: numbers.map((i) => formRecord(`f${i}`, { title: `Form ${i}` })),
		responses: numbers.map((i) =>
			responseRecord('f1', `r${i}`, { answers: { [`q${i}`]: 'a', email: `${i}@example.com` } }),
		),
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const operation =
	(name: string, more: IDataObject = {}) =>
	async () => {
		const parameters = { operation: name, formId: byId('f1'), returnAll: true, ...more };
		const input = numbers.slice(-2).map((i) => ({ email: `${i + 1}@example.com` }));
		const { items, status } = await runOn(sandbox, parameters, { input });
		return { output: items.map(({ json }) => json), status };
	};

const { listSearch, loadOptions: choices, resourceMapping } = new FormCollection().methods;

const editor = () =>
	loadOptions({
		parameters: { operation: 'createResponse', formId: byId('f1') },
		credentials: credentialsOf(sandbox),
	});

it.each<[string, () => Promise<unknown>]>([
	['Get Forms', operation('getForms')],
	['Get Forms with a limit', operation('getForms', { returnAll: false, limit: 30 })],
	['Get Responses', operation('getResponses')],
	['Get Responses as a table', operation('getResponses', { flattenAnswers: true })],
	['Get Questions', operation('getQuestions')],
	['the list of forms', async () => await listSearch.searchForms.call(editor())],
	['the list of slugs', async () => await listSearch.searchFormSlugs.call(editor())],
	['the list of questions', async () => await choices.getQuestionKeys.call(editor())],
	['the mapping', async () => await resourceMapping.getQuestions.call(editor())],
])('%s', async (_, read) => {
	const whole = await read();
	const requests = requestsTo(sandbox).length;
	sandbox.reset();
	sandbox.faults.add({ times: 1, cut: 'body' });

	expect(await read()).toEqual(whole);
	expect(requestsTo(sandbox)).toHaveLength(requests + 1);
});

it('Create Response with Skip Existing', async () => {
	sandbox.faults.add({ times: 1, cut: 'body' });
	const { output, status } = await operation('createResponse', {
		answersInput: 'json',
		answersJson: '={{ $json }}',
		options: { skipExisting: true, matchOn: ['email'] },
	})();

	expect(status).toBe('success');
	expect(output).toHaveLength(2);
	expect(requestsTo(sandbox).map((request) => request.split(' ')[0])).toEqual([
		'GET',
		'GET',
		'POST',
	]);
});
