import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

import { launchBrowser } from '../../playground/browser';
import { Editor, type PictureOptions } from '../../playground/editor';
import { startN8n, type RunningN8n } from '../../playground/n8n';
import { N8nClient } from '../../playground/n8nClient';
import { packPackage } from '../../playground/packageUnderTest';
import { freePort } from '../../playground/ports';
import { startSandbox, type Sandbox } from '../../sandbox';
import { startNpmRegistry, type NpmRegistry } from './support/npmRegistry';

// On a busy machine n8n's editor may miss that an execution has ended.
jest.retryTimes(1, { retryImmediately: true, logErrorsBeforeRetry: true });

let registry: NpmRegistry;
let sandbox: Sandbox;
let n8n: RunningN8n;
let browser: Browser;
let editor: Editor;
let userFolder: string;

beforeAll(async () => {
	registry = await startNpmRegistry(await packPackage());
	// The address is in the pictures.
	sandbox = await startSandbox({ port: await freePort(4000) });
	userFolder = await mkdtemp(join(tmpdir(), 'form-collection-walk-'));
	n8n = await startN8n({ userFolder, env: registry.env });
	await new N8nClient(n8n.url).signIn();
	browser = await launchBrowser();
	editor = await Editor.signIn(browser, n8n.url);
});

afterAll(async () => {
	await editor?.keepLastSight('walk');
	await browser?.close();
	await n8n?.stop();
	await sandbox?.stop();
	await registry?.stop();
	if (userFolder) await rm(userFolder, { recursive: true, force: true });
});

/** What a newcomer does, step by step; with WRITE_DOCS, each step is a picture of the README. */
const picture = async (name: string, options?: PictureOptions) => {
	if (process.env['WRITE_DOCS']) await editor.picture(name, options);
};

const nodePanel = { x: 896, y: 66, width: 384, height: 650 };
const parameters = { x: 431, y: 66, width: 419, height: 500 };

describe('a newcomer, from an empty n8n to the first responses', () => {
	it('installs the package', async () => {
		await editor.openSettingsMenu();
		await picture('walk-settings', { clip: { x: 0, y: 220, width: 480, height: 580 } });

		await editor.enterPackage('n8n-nodes-form-collection');
		await picture('walk-install', { clip: { x: 350, y: 185, width: 580, height: 430 } });

		const installed = await editor.installPackage();
		expect(await installed.innerText()).toMatch(
			/n8n-nodes-form-collection\s+2 nodes:\s*Form Collection, ?Form Collection Trigger/,
		);
		expect(registry.requests.some((path) => path.endsWith('.tgz'))).toBe(true);
		await picture('walk-installed', { clip: { x: 200, y: 50, width: 1080, height: 200 } });
	});

	it('finds the node', async () => {
		await editor.newWorkflow();
		await editor.searchNodes('form collection');
		await picture('walk-search', { clip: { ...nodePanel, height: 250 } });

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
		await picture('node-panel', { clip: nodePanel });
		await editor.chooseAction('Get many responses');
	});

	it('is told that a credential is missing, and creates one', async () => {
		await picture('walk-connect', { clip: { ...parameters, height: 250 } });
		await editor.page.getByTestId('rlc-input').click();
		await editor.createCredential({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
		await editor.openCredential();
		await picture('credential', { clip: { x: 180, y: 70, width: 920, height: 660 } });
		await editor.closeCredential();
		expect(await editor.selectedCredential()).toBe('Form Collection account');
	});

	it('picks a form and sees its responses', async () => {
		await editor.openFormList();
		expect(await editor.formsInList().allInnerTexts()).toContain('Newsletter sign-up');
		await picture('form-list', { clip: parameters });

		await editor.chooseForm('Newsletter sign-up');
		await editor.executeStep();
		const form = sandbox.forms.find(({ slug }) => slug === 'newsletter');
		const table = await editor.outputTable().innerText();
		const shown = sandbox.responses.find(({ id }) => table.includes(id));
		expect(shown?.form_id).toBe(form?.id);
		expect(table).toContain(shown?.answers['email']);
		await picture('walk-rows');
	});
});
