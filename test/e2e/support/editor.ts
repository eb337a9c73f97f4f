import { selectors, type Browser, type Locator, type Page } from 'playwright-core';

import { owner } from '../../../playground/n8nClient';

const ACTION_TIMEOUT = 30_000;

selectors.setTestIdAttribute('data-test-id');

/** n8n's editor in a browser, in the words of a person who uses it. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	static async signIn(browser: Browser, url: string): Promise<Editor> {
		const page = await browser.newPage({
			viewport: { width: 1280, height: 800 },
			reducedMotion: 'reduce',
			locale: 'en-US',
			timezoneId: 'UTC',
		});
		page.setDefaultTimeout(ACTION_TIMEOUT);
		// Nothing in the pictures or tests may depend on other hosts.
		await page.route(
			(address) => address.hostname !== '127.0.0.1',
			(route) => route.abort(),
		);
		await page.goto(`${url}/signin`);
		await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
		await page.locator('input[name="password"]').fill(owner.password);
		await page.getByTestId('form-submit-button').click();
		await page.getByTestId('main-sidebar-settings').waitFor();
		return new Editor(page, url);
	}

	async newWorkflow(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.page.getByTestId('canvas-add-button').waitFor();
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
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

	async openNode(name: string): Promise<void> {
		await this.page.locator(`[data-node-name="${name}"]`).first().dblclick();
		await this.page.getByTestId('ndv').waitFor();
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

	/** Runs the open node and waits for its output. */
	async executeStep(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
		await this.page.getByText('Node executed successfully').waitFor();
	}

	/** Runs the open workflow from its first trigger and waits for the end. */
	async executeWorkflow(): Promise<void> {
		await this.page.getByTestId('execute-workflow-button').first().click();
		await this.page.getByText('Workflow executed successfully').waitFor();
	}

	outputTable(): Locator {
		return this.page.getByTestId('output-panel').getByRole('table');
	}

	/** Makes room for the output at the expense of the input; n8n remembers it for other nodes. */
	async widenOutput(): Promise<void> {
		const handle = await this.page.getByTestId('panel-drag-button').boundingBox();
		if (!handle) throw new Error('The handle to drag is not visible');
		const [x, y] = [handle.x + handle.width / 2, handle.y + handle.height / 2];
		await this.page.mouse.move(x, y);
		await this.page.mouse.down();
		await this.page.mouse.move(x - 230, y, { steps: 10 });
		await this.page.mouse.up();
	}

	async openCredential(): Promise<void> {
		await this.page.getByTestId('credential-edit-button').click();
		await this.page.getByText('Connection tested successfully').waitFor();
	}

	async closeToasts(): Promise<void> {
		const toasts = this.page.locator('.el-notification');
		while ((await toasts.count()) > 0) {
			await toasts.first().locator('.el-notification__closeBtn').click();
			await toasts.first().waitFor({ state: 'hidden' });
		}
	}
}
