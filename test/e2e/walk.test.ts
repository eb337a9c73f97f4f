import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

import { launchBrowser, signIn, type PictureOptions } from '../../playground/browser';
import { packPackage } from '../../playground/install';
import { freePort, startN8n, type RunningN8n } from '../../playground/n8n';
import { N8nClient } from '../../playground/n8nClient';
import { node, nodeType, rowOf, using } from '../../playground/workflows';
import { startSandbox, type Sandbox } from '../../sandbox';
import { NewcomersEditor } from './support/editor';
import { startNpmRegistry, type NpmRegistry } from './support/npmRegistry';

let registry: NpmRegistry;
let sandbox: Sandbox;
let n8n: RunningN8n;
let client: N8nClient;
let browser: Browser;
let editor: NewcomersEditor;
let userFolder: string;

beforeAll(async () => {
	registry = await startNpmRegistry(await packPackage());
	sandbox = await startSandbox({ port: await freePort(4000) });
	userFolder = await mkdtemp(join(tmpdir(), 'form-collection-walk-'));
	n8n = await startN8n({ userFolder, env: registry.env });
	client = new N8nClient(n8n.url);
	await client.signIn();
	browser = await launchBrowser();
	editor = new NewcomersEditor(await signIn(browser, n8n.url));
});

afterAll(async () => {
	await editor?.keepLastSight('walk');
	await browser?.close();
	await n8n?.stop();
	await sandbox?.stop();
	await registry?.stop();
	if (userFolder) await rm(userFolder, { recursive: true, force: true });
});

/** With WRITE_DOCS, some of what a newcomer sees is a picture of the docs. */
const picture = async (name: string, options?: PictureOptions) => {
	if (process.env['WRITE_DOCS']) await editor.picture(name, options);
};

const parameters = { x: 431, y: 66, width: 419, height: 500 };

describe('a newcomer, from an empty n8n to the first responses', () => {
	it('installs the package', async () => {
		const installed = await editor.installPackage('n8n-nodes-form-collection');

		expect(await installed.innerText()).toMatch(
			/n8n-nodes-form-collection\s+2 nodes:\s*Form Collection, ?Form Collection Trigger/,
		);
		expect(registry.requests.some((path) => path.endsWith('.tgz'))).toBe(true);
	});

	it('finds the node', async () => {
		await editor.newWorkflow();
		await editor.searchNodes('form collection');
		await editor.chooseNode('Form Collection');
		const actions = await editor.page.getByTestId('node-creator').innerText();
		for (const action of [
			'On new response',
			'Create a response',
			"Get a form's embed code",
			'Get many forms',
			'Get many responses',
		]) {
			expect(actions).toContain(action);
		}
		await editor.chooseAction('Get many responses');
	});

	it('is told that a credential is missing, and creates one', async () => {
		await editor.page.getByTestId('rlc-input').click();
		await editor.createCredential({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
		await editor.openCredential();
		await editor.showBaseUrl('https://forms.example.com/api');
		await picture('credential', { clip: { x: 180, y: 70, width: 920, height: 660 } });
		await editor.closeCredential();
		expect(await editor.selectedCredential()).toBe('Form Collection account');
	});

	it('picks a form and sees its responses', async () => {
		const form = sandbox.forms.find(({ slug }) => slug === 'newsletter');
		await editor.openFormList();
		expect(await editor.formsInList().allInnerTexts()).toContain('Newsletter sign-up');
		await picture('form-list', { clip: parameters });
		await editor.searchForms('newsletter');
		await editor.formsInList().nth(1).waitFor({ state: 'hidden' });
		await editor.formsInList().first().waitFor();
		expect(await editor.formsInList().allInnerTexts()).toEqual(['Newsletter sign-up']);

		await editor.chooseForm('Newsletter sign-up');
		const before = sandbox.log.length;
		await editor.executeStep();

		expect(sandbox.log.slice(before)).toMatchObject([
			{ route: 'GET /responses', formId: form?.id },
		]);
		const table = await editor.outputTable().innerText();
		const shown = sandbox.responses.find(({ id }) => table.includes(id));
		expect(shown?.form_id).toBe(form?.id);
		expect(table).toContain(shown?.answers['email']);
	});
});

describe('the editor', () => {
	it('finds the node by what people may call it', async () => {
		await editor.newWorkflow();
		await editor.searchNodes('Form Collection');
		const search = editor.page.getByTestId('node-creator-search-bar');
		const items = editor.page.getByTestId('item-iterator-item');
		const found = items.getByText('Form Collection', { exact: true });

		const words = ['form', 'forms', 'form responses', 'new response', 'survey', 'lead', 'embed'];
		for (const text of [...words, 'form submission', 'questionnaire']) {
			await search.fill('no node has these words');
			await found.waitFor({ state: 'hidden' });
			await search.fill(text);
			await found.waitFor();
		}
	});

	it('shows the questions of the form that is chosen, and names the node after what it does', async () => {
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
		await editor.closeNode();
		expect(await editor.nodesOnCanvas()).toContainEqual(
			expect.stringMatching(/^Create a response\n.*Contact us/),
		);
	});

	it('knows the fields of a response before the first run', async () => {
		const [credential] = await client.listCredentials();
		const { id } = await client.createWorkflow(
			rowOf('Before the first run', [
				node('Get many responses', nodeType, 1, {
					parameters: { operation: 'getResponses' },
					credentials: using(credential!),
				}),
				node('Edit Fields', 'set', 3.4, { parameters: { options: {} } }),
			]),
		);
		await editor.openWorkflow(id);
		await editor.openNode('Edit Fields');

		await editor.page.getByText(/Usually outputs the following fields/).waitFor();
		expect(await editor.inputFields()).toEqual(
			expect.arrayContaining(['id', 'form_id', 'answers', 'created_at']),
		);
	});
});
