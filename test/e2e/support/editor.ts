import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';

import { Editor } from '../../../playground/browser';
import { paths } from '../../../playground/paths';
import { n8nHas } from './n8n';

/** The editor in the hands of a newcomer, who installs the package and builds workflows in it. */
export class NewcomersEditor extends Editor {
	/** Has n8n fetch the package from the registry; returns what the settings then show of it. */
	async installPackage(name: string): Promise<Locator> {
		if (n8nHas('settings menu')) {
			await this.page.getByTestId('main-sidebar-settings').click();
		} else {
			await this.page.getByTestId('main-sidebar-user-menu').click();
			await this.page.getByTestId('user-menu-item-settings').click();
		}
		await this.page.getByTestId('settings-community-nodes').click();
		await this.page.getByText('Install a community node', { exact: true }).click();
		await this.page.getByTestId('package-name-input').fill(name);
		await this.page.getByTestId('user-agreement-checkbox').click();
		await this.page.getByTestId('install-community-package-button').click();
		const installed = this.page.getByTestId('community-package-card');
		await installed.waitFor({ timeout: 120_000 });
		return installed;
	}

	async newWorkflow(): Promise<void> {
		await this.page.goto('/workflow/new');
		await this.page.getByTestId('canvas-add-button').waitFor();
	}

	/** Searches the node panel of an empty canvas. */
	async searchNodes(text: string): Promise<void> {
		await this.page.getByTestId('canvas-add-button').getByRole('button').click();
		await this.page.getByTestId('node-creator-search-bar').fill(text);
	}

	async chooseNode(name: string): Promise<void> {
		await this.page.getByTestId('item-iterator-item').getByText(name, { exact: true }).click();
		// On an empty canvas n8n shows the triggers and folds the actions.
		await this.page
			.getByTestId('node-creator')
			.getByText(/^Actions \(/)
			.click();
	}

	async chooseAction(name: string): Promise<void> {
		await this.page.getByTestId('node-creator').getByText(name, { exact: true }).click();
		await this.page.getByTestId('ndv').waitFor();
	}

	async closeNode(): Promise<void> {
		// The first leaves the field that has the focus.
		while (await this.page.getByTestId('ndv').isVisible()) {
			await this.page.keyboard.press('Escape');
			await this.page.waitForTimeout(500);
		}
	}

	/** Name and subtitle of each, one below the other. */
	async nodesOnCanvas(): Promise<string[]> {
		return await this.page.getByTestId('canvas-node').allInnerTexts();
	}

	/** What can be dragged into the fields of the open node, in no order. */
	async inputFields(): Promise<string[]> {
		const input = this.page.getByTestId('ndv-input-panel');
		return await input.getByTestId('run-data-schema-item').allInnerTexts();
	}

	async selectedCredential(): Promise<string> {
		const select = this.page.getByTestId('node-credentials-select');
		return (await select.locator('input').inputValue()).trim();
	}

	async openFormList(): Promise<void> {
		await this.page.getByTestId('rlc-input').click();
		await this.formsInList().first().waitFor();
	}

	async searchForms(text: string): Promise<void> {
		const answer = this.page.waitForResponse(/resource-locator-results/);
		await this.page.getByTestId('rlc-search').fill(text);
		await answer;
	}

	formsInList(): Locator {
		return this.page.getByTestId('rlc-item');
	}

	async chooseForm(title: string): Promise<void> {
		await this.formsInList().getByText(title, { exact: true }).click();
	}

	/** From a list that asks for a credential: fills in a new one, as far as these fields go, and saves it. */
	async createCredential(fields: Record<string, string>): Promise<void> {
		await this.page.getByText('Add your credential', { exact: true }).click();
		// n8n fetches a name for it, and saves none without.
		await this.page.getByTestId('credential-name').waitFor();
		for (const [name, value] of Object.entries(fields)) {
			await this.page.getByTestId(`parameter-input-${name}`).locator('input').fill(value);
		}
		await this.page.getByTestId('credential-save-button').click();
		if (n8nHas('credential window that closes when saved')) {
			await this.page.getByTestId('credential-edit-dialog').waitFor({ state: 'hidden' });
		} else {
			await this.page.getByText('Connection tested successfully').waitFor();
			await this.closeCredential();
		}
	}

	async openCredential(): Promise<void> {
		await this.page.getByTestId('credential-edit-button').click();
		await this.page.getByText('Connection tested successfully').waitFor();
	}

	/** In the window of the credential, without an effect: the pictures show an address like that of their readers. */
	async showBaseUrl(address: string): Promise<void> {
		const input = this.page.getByTestId('parameter-input-baseUrl').locator('input');
		await input.evaluate((element, text) => {
			(element as unknown as { value: string }).value = text;
		}, address);
	}

	async closeCredential(): Promise<void> {
		const dialog = this.page.getByTestId('editCredential-modal');
		await dialog.getByRole('button', { name: 'Close this dialog' }).click();
		await dialog.waitFor({ state: 'hidden' });
	}

	/** The last sight of the editor is what explains a test that did not pass. */
	async keepLastSight(test: string): Promise<void> {
		const folder = join(paths.data, 'pictures');
		await mkdir(folder, { recursive: true });
		await this.page.screenshot({ path: join(folder, `${test}-test-end.png`) });
	}
}
