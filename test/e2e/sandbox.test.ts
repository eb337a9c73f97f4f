import axios from 'axios';
import type { Browser, Page } from 'playwright-core';

import { startSandbox, type Sandbox } from '../../sandbox';
import { launchBrowser } from '../../playground/browser';

let sandbox: Sandbox;
let browser: Browser;
let page: Page;

beforeAll(async () => {
	sandbox = await startSandbox({ plan: 'free' });
	browser = await launchBrowser();
});

afterAll(async () => {
	await browser?.close();
	await sandbox?.stop();
});

beforeEach(async () => {
	sandbox.reset();
	page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	page.setDefaultTimeout(60_000);
});

afterEach(async () => await page.close());

const getForms = async () =>
	await axios.get(`${sandbox.baseUrl}/forms`, {
		headers: { Authorization: `Bearer ${sandbox.apiKey}` },
		validateStatus: () => true,
	});

test('a person uses up the limit, and lets the service fail and work again', async () => {
	const click = async (name: RegExp) => await page.getByRole('button', { name }).click();
	const status = async () => (await page.getByRole('status').innerText()).trim();

	await page.goto(sandbox.url);
	await page.getByRole('link', { name: 'See every error message' }).click();
	await click(/^Use up the limit/);
	expect(await status()).toBe('The service refuses requests until the next hour.');
	expect((await getForms()).status).toBe(429);

	await click(/^Fails Status/);
	expect(await status()).toMatch(/^On: Fails\s+Turn off$/);
	expect(await page.locator('[aria-pressed=true]').allInnerTexts()).toEqual([
		expect.stringContaining('Free'),
		expect.stringContaining('Fails'),
	]);
	expect((await getForms()).status).toBe(500);

	await click(/^Turn off$/);
	await click(/^Start a new hour/);
	expect(await status()).toBe('The service works as it should.');
	expect((await getForms()).status).toBe(200);
});

describe('an embedded form', () => {
	const forms = [
		'<div data-xform="contact-us" data-mode="inline" data-height="900px"></div>',
		'<div data-xform="newsletter" data-mode="popup" data-button-text="Subscribe"></div>',
	];

	const visit = async (style: string) => {
		await page.setContent(
			`<style>${style}</style><p>Above</p>${forms.join('')}<script src="${sandbox.url}/embed.js"></script>`,
		);
		await page.getByRole('button', { name: 'Subscribe' }).click();
	};

	const backgroundOf = async (slug: string) => {
		const frame = page.frameLocator(`iframe[title="Form ${slug}"]`);
		await frame.getByRole('heading').waitFor();
		const expression = 'getComputedStyle(document.body).backgroundColor';
		return await frame.locator('body').evaluate(expression);
	};

	const light = 'rgb(255, 255, 255)';
	const dark = 'rgb(28, 34, 43)';

	test.each([
		['a page that is always light', '', 'dark', light],
		['a page that follows the system', ':root { color-scheme: light dark }', 'dark', dark],
		['a page that follows the system', ':root { color-scheme: light dark }', 'light', light],
		['a dark page', 'body { background: #223; color: oklch(95% 0.01 260) }', 'light', dark],
	] as const)(
		'fits into %s (%s), with a system that is %s',
		async (_, style, colorScheme, expected) => {
			await page.emulateMedia({ colorScheme });
			await visit(style);

			expect(await backgroundOf('contact-us')).toBe(expected);
			expect(await backgroundOf('newsletter')).toBe(expected);
		},
	);

	test('shows its thanks to the person who sent it at its end', async () => {
		await visit('body { padding-bottom: 1000px }');
		await page.keyboard.press('Escape');
		const frame = page.frameLocator('iframe[title="Form contact-us"]');
		await frame.getByLabel('Full name').fill('Ada');
		await frame.getByLabel('Email').fill('ada@example.com');
		await frame.getByLabel('Message').fill('Hello');
		await frame.getByRole('button', { name: 'Send' }).click();
		await frame.getByRole('heading', { name: 'Thank you, Ada!' }).waitFor();
		await page.waitForFunction('document.querySelector("iframe").getBoundingClientRect().top >= 0');

		const box = await frame.getByRole('heading').boundingBox();
		expect(box?.y).toBeGreaterThan(0);
	});
});
