import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { selectors, type Browser, type Locator, type Page } from 'playwright-core';

import { owner } from './n8nClient';
import { n8nHas } from './n8nVersion';
import { paths } from './paths';

const ACTION_TIMEOUT = 60_000;

// The expression fields of n8n leave empty tooltips in the corner of the window.
const WITHOUT_EMPTY_TOOLTIPS = '[class^="ͼ"] { display: none !important }';

export interface PictureOptions {
	/** Also as `<name>-dark.png` */
	dark?: boolean;
	/** The part of the window to show; all of it by default */
	clip?: { x: number; y: number; width: number; height: number };
}

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
		page.setDefaultNavigationTimeout(2 * ACTION_TIMEOUT);
		// Nothing in the pictures or tests may depend on other hosts.
		await page.route(
			(address) => address.hostname !== '127.0.0.1',
			(route) => route.abort(),
		);
		await page.goto(`${url}/signin`);
		await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
		await page.locator('input[name="password"]').fill(owner.password);
		await page.getByTestId('form-submit-button').click();
		await page.getByTestId('universal-add').waitFor();
		return new Editor(page, url);
	}

	/** Opens the menu that the gear in the corner has, or in n8n 1 the page that it leads to. */
	async openSettingsMenu(): Promise<void> {
		if (n8nHas('settings menu')) {
			await this.page.getByTestId('main-sidebar-settings').click();
		} else {
			await this.page.getByTestId('main-sidebar-user-menu').click();
			await this.page.getByTestId('user-menu-item-settings').click();
		}
		await this.page.getByTestId('settings-community-nodes').waitFor();
	}

	/** From the settings menu to the dialog that installs a package, filled in. */
	async enterPackage(name: string): Promise<void> {
		await this.page.getByTestId('settings-community-nodes').click();
		await this.page.getByText('Install a community node', { exact: true }).click();
		await this.page.getByTestId('package-name-input').fill(name);
		await this.page.getByTestId('user-agreement-checkbox').click();
	}

	/** Confirms the dialog; n8n fetches the package from the registry. */
	async installPackage(): Promise<Locator> {
		await this.page.getByTestId('install-community-package-button').click();
		const installed = this.page.getByTestId('community-package-card');
		await installed.waitFor({ timeout: 120_000 });
		return installed;
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

	/** Runs the open node and waits for its output. */
	async executeStep(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
		await this.page.getByText('Node executed successfully').waitFor();
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

	async closeCredential(): Promise<void> {
		const dialog = this.page.getByTestId('editCredential-modal');
		await dialog.getByRole('button', { name: 'Close this dialog' }).click();
		await dialog.waitFor({ state: 'hidden' });
	}

	async closeToasts(): Promise<void> {
		const toasts = this.page.locator('.el-notification');
		while ((await toasts.count()) > 0) {
			await toasts.first().locator('.el-notification__closeBtn').click();
			await toasts.first().waitFor({ state: 'hidden' });
		}
	}

	/** The last sight of the editor is what explains a test that did not pass. */
	async keepLastSight(test: string): Promise<void> {
		const folder = join(paths.data, 'pictures');
		await mkdir(folder, { recursive: true });
		await this.page.screenshot({ path: join(folder, `${test}-test-end.png`) });
	}

	/** Writes `docs/pictures/<name>.png`. */
	async picture(name: string, { dark = false, clip }: PictureOptions = {}): Promise<void> {
		await this.closeToasts();
		// Where the mouse rests, n8n shows tooltips and field menus.
		await this.page.mouse.move(640, 5);
		for (const colorScheme of dark ? (['dark', 'light'] as const) : (['light'] as const)) {
			await this.page.emulateMedia({ colorScheme });
			await this.page.waitForTimeout(500);
			const file = `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`;
			await this.page.screenshot({
				path: join(paths.pictures, file),
				animations: 'disabled',
				style: WITHOUT_EMPTY_TOOLTIPS,
				clip,
			});
			process.stderr.write(`docs/pictures/${file}\n`);
		}
	}
}
