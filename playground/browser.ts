import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, selectors, type Browser, type Locator, type Page } from 'playwright-core';

import { owner } from './n8nClient';
import { findProgram, paths } from './paths';

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macApplications = [
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
];

function findChromium(): string {
	const found =
		commands.map((command) => findProgram(command)).find(Boolean) ??
		macApplications.find(existsSync);
	if (found) return found;
	throw new Error(
		'The browser tests need Chromium or Google Chrome, and neither was found. ' +
			'Install one, e.g. with "apt-get install chromium".',
	);
}

export async function launchBrowser(): Promise<Browser> {
	return await chromium.launch({
		executablePath: findChromium(),
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
}

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

/** Opens n8n's editor; addresses on the page are relative to it. */
export async function signIn(browser: Browser, url: string): Promise<Page> {
	const page = await browser.newPage({
		baseURL: url,
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
	await page.goto('/signin');
	await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
	await page.locator('input[name="password"]').fill(owner.password);
	await page.getByTestId('form-submit-button').click();
	await page.getByTestId('universal-add').waitFor();
	return page;
}

/** n8n's editor in a browser, in the words of a person who uses it. */
export class Editor {
	/** @param page what `signIn` opened */
	constructor(readonly page: Page) {}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`/workflow/${id}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	async openNode(name: string): Promise<void> {
		await this.page.locator(`[data-node-name="${name}"]`).first().dblclick();
		await this.page.getByTestId('ndv').waitFor();
	}

	/** Runs the open node and waits for its output. */
	async executeStep(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
		// The message that n8n shows at the end may be gone before a busy computer looks for it; the table stays.
		await this.outputTable().waitFor();
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

	async closeToasts(): Promise<void> {
		const toasts = this.page.locator('.el-notification');
		while ((await toasts.count()) > 0) {
			await toasts.first().locator('.el-notification__closeBtn').click();
			await toasts.first().waitFor({ state: 'hidden' });
		}
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
