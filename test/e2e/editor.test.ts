import type { Browser } from 'playwright-core';

import { launchBrowser } from '../../playground/browser';
import { Editor } from '../../playground/editor';
import type { WorkflowNode } from '../../playground/n8nClient';
import { n8nHas } from '../../playground/n8nVersion';
import { credentialName, type Playground } from '../../playground/playground';
import { inARow, nodeType, using } from '../../playground/workflows';
import { startBench } from './support/bench';

// On a busy machine n8n's editor may miss that an execution has ended.
jest.retryTimes(1, { retryImmediately: true, logErrorsBeforeRetry: true });

let bench: Playground;
let browser: Browser;
let editor: Editor;

beforeAll(async () => {
	browser = await launchBrowser();
	bench = await startBench();
	editor = await Editor.signIn(browser, bench.n8n.url);
});

afterAll(async () => {
	await editor?.keepLastSight('editor');
	await browser?.close();
	await bench?.stop();
});

test('a person finds the node, picks a form and sees its responses', async () => {
	const { sandbox } = bench;
	const newsletter = sandbox.forms.find(({ slug }) => slug === 'newsletter');
	const responses = sandbox.responses.filter(({ form_id }) => form_id === newsletter?.id);

	await editor.newWorkflow();
	await editor.searchNodes('Form Collection');
	await editor.chooseNode('Form Collection');
	await editor.chooseAction('Get many responses');
	expect(await editor.selectedCredential()).toBe(credentialName);
	// Looking at a node is free.
	expect(sandbox.log).toEqual([]);

	await editor.openFormList();
	expect(new Set(sandbox.log.map(({ route }) => route))).toEqual(new Set(['GET /forms']));

	await editor.searchForms('newsletter');
	expect(await editor.formsInList().allInnerTexts()).toEqual(['Newsletter sign-up']);

	await editor.chooseForm('Newsletter sign-up');
	const before = sandbox.log.length;
	await editor.executeStep();

	expect(sandbox.log.slice(before).map(({ route, formId }) => [route, formId])).toEqual([
		['GET /responses', newsletter?.id],
	]);
	const table = await editor.outputTable().innerText();
	const shown = responses.find(({ id }) => table.includes(id));
	expect(table).toContain(shown?.answers['email']);
	expect(await editor.page.getByTestId('output-panel').innerText()).toContain('50 items');
});

test.each(['web form', 'questionnaire', 'survey', 'embed form', 'form submission'])(
	'a person finds the node by the words "%s"',
	async (words) => {
		await editor.newWorkflow();
		await editor.searchNodes(words);

		const found = editor.page.getByTestId('item-iterator-item');
		await found.getByText('Form Collection', { exact: true }).waitFor();
	},
);

test('the canvas names the node after what it does, and shows the form that was chosen', async () => {
	await editor.newWorkflow();
	await editor.searchNodes('Form Collection');
	await editor.chooseNode('Form Collection');
	await editor.chooseAction('Get many responses');
	await editor.openFormList();
	await editor.chooseForm('Newsletter sign-up');
	await editor.closeNode();

	expect(await editor.nodesOnCanvas()).toContainEqual(
		expect.stringMatching(/^Get many responses\n.*Newsletter sign-up/),
	);
});

test('before the first run the next node shows the fields of a response', async () => {
	const { client, credential } = bench;
	const nodes: WorkflowNode[] = [
		{
			name: 'Get many responses',
			type: nodeType,
			typeVersion: 1,
			position: [0, 0],
			parameters: { operation: 'getResponses' },
			credentials: using(credential),
		},
		{
			name: 'Edit Fields',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			position: [220, 0],
			parameters: { options: {} },
		},
	];
	const { id } = await client.createWorkflow({
		name: 'Before the first run',
		nodes,
		connections: inARow(nodes),
	});
	await editor.openWorkflow(id);
	await editor.openNode('Edit Fields');

	await editor.page.getByText(/Usually outputs the following fields/).waitFor();
	expect(await editor.inputFields()).toEqual(
		expect.arrayContaining(['id', 'form_id', 'answers', 'created_at']),
	);
});

test('choosing a form for a new response shows its questions', async () => {
	bench.sandbox.reset();
	const { log } = bench.sandbox;

	await editor.newWorkflow();
	await editor.searchNodes('Form Collection');
	await editor.chooseNode('Form Collection');
	await editor.chooseAction('Create a response');
	await editor.openFormList();
	await editor.chooseForm('Contact us');

	for (const question of ['full_name', 'email', 'company', 'topics', 'message']) {
		const label = editor.page.getByTestId('ndv').getByText(new RegExp(`^${question}\\b`));
		await label.first().waitFor();
	}
	// How often a list is loaded that is opened and closed is the editor's choice.
	expect(log.filter(({ route }) => route !== 'GET /forms').map(({ route }) => route)).toEqual([
		'GET /responses',
	]);
});

test('a question keeps what is mapped to it when no response answers it any more', async () => {
	bench.sandbox.reset();
	const form = bench.sandbox.forms.find(({ slug }) => slug === 'contact-us');
	const value = { email: '={{ $json.email }}', phone: '={{ $json.phone }}' };
	const schema = ['email', 'phone', 'company'].map((key) => ({
		id: key,
		displayName: key,
		required: false,
		defaultMatch: false,
		display: true,
		formId: form?.id,
	}));
	const nodes: WorkflowNode[] = [
		{
			name: 'Start',
			type: 'n8n-nodes-base.manualTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		},
		{
			name: 'Create',
			type: nodeType,
			typeVersion: 1,
			position: [220, 0],
			parameters: {
				operation: 'createResponse',
				formId: { __rl: true, mode: 'id', value: form?.id },
				answersInput: 'mapping',
				answersMapping: {
					mappingMode: 'defineBelow',
					value,
					...(!n8nHas('mappings without data') && { schema }),
				},
			},
			credentials: using(bench.credential),
		},
	];
	const { id } = await bench.client.createWorkflow({
		name: 'Questions that are gone',
		nodes,
		connections: inARow(nodes),
	});
	await editor.openWorkflow(id);
	await editor.openNode('Create');
	const questions = editor.page.getByTestId('mapping-fields-container');
	const question = (name: string) => questions.getByText(name, { exact: true });
	await question('company').waitFor();
	await question('phone').waitFor();

	bench.sandbox.responses.length = 0;
	await questions.getByText('Answers', { exact: true }).hover();
	await questions.getByTestId('action-toggle').first().click();
	const loaded = editor.page.waitForResponse(/resource-mapper-fields/);
	await editor.page.getByText(/^Refresh .*list\s*$/i).click();
	await loaded;

	await question('company').waitFor();
	expect(await questions.innerText()).toMatch(/email[^]*\$json\.email[^]*phone[^]*\$json\.phone/);

	await editor.page.getByTestId('remove-field-button-phone').click();
	await question('phone').waitFor({ state: 'hidden' });
});
