import type { Browser, Page, Response } from 'playwright-core';

import { launchBrowser } from '../../playground/browser';
import { until } from '../../playground/run';
import { embedPageWorkflow, readExamples } from '../../playground/workflows';
import { Bench } from './support/bench';

const PAGE = 'page';

const bench = new Bench();
let browser: Browser;
let page: Page;

beforeAll(async () => {
	browser = await launchBrowser();
	await bench.start();
	const examples = await readExamples(bench.credential, bench.sandbox.url);
	await bench.publish(examples.find(({ name }) => name === 'Form Collection: form in a page')!);
	await bench.publish(embedPageWorkflow(PAGE, bench.credential));
});

afterAll(async () => {
	await browser?.close();
	await bench.stop();
});

beforeEach(async () => {
	bench.sandbox.reset();
	page = await browser.newPage();
	page.setDefaultTimeout(60_000);
});

afterEach(async () => await page.close());

/** Opens the page that a workflow answers with; n8n has it up to a second after activation. */
const visit = async (path: string): Promise<Response> =>
	await until(`n8n has the page ${path}`, async () => {
		const response = await page.goto(`${bench.url}/webhook/${path}`);
		return response?.headers()['content-type']?.startsWith('text/html') && response;
	});

const visitPageWith = async (...embeds: object[]) =>
	await visit(`${PAGE}?embeds=${encodeURIComponent(JSON.stringify(embeds))}`);

/** Why the page does not show some of the embeds. */
async function refusals(): Promise<string[]> {
	const inBase64 = await page.locator('meta[name="refused"]').getAttribute('content');
	return JSON.parse(Buffer.from(inBase64 ?? '', 'base64').toString()) as string[];
}

test('the example workflow shows a form in its page, and what is sent there arrives', async () => {
	const response = await visit('form-in-a-page');
	expect(response.headers()['content-type']).toBe('text/html; charset=utf-8');
	// What the README says of n8n: the page has no origin, and the form works all the same.
	expect(response.headers()['content-security-policy']).toMatch(/^sandbox (?!.*same-origin)/);
	expect(bench.sandbox.log).toEqual([]);

	const frame = page.frameLocator('iframe[title="Form contact-us"]');
	await frame.getByRole('heading', { name: 'Contact us' }).waitFor();
	expect((await page.locator('iframe').boundingBox())?.height).toBe(900);
	await frame.getByLabel('Full name').fill('Ada Lovelace');
	await frame.getByLabel('Email').fill('ada@example.com');
	await frame.getByLabel('Support').check();
	await frame.getByLabel('Message').fill('Do you "embed" <forms>?');
	await frame.getByRole('button', { name: 'Send' }).click();
	await frame.getByRole('heading', { name: 'Thank you, Ada Lovelace!' }).waitFor();

	expect(bench.sandbox.responses.at(-1)?.answers).toEqual({
		full_name: 'Ada Lovelace',
		email: 'ada@example.com',
		topics: ['Support'],
		message: 'Do you "embed" <forms>?',
	});
});

test('several forms in several modes stand in one page, each once', async () => {
	await visitPageWith(
		{ slug: 'contact-us', mode: 'inline', height: '300px' },
		{ slug: 'newsletter', mode: 'popup', buttonText: 'Newsletter & "news"' },
		{ slug: 'satisfaction-survey', mode: 'popover' },
		{ slug: 'event-registration', mode: 'inline', height: '20em' },
		{ slug: 'job-application', mode: 'popup', buttonText: 'Jobs' },
	);
	await page.getByRole('button', { name: 'Open form satisfaction-survey' }).waitFor();

	expect(await refusals()).toEqual([]);
	const names = await page.evaluate<string[]>(
		`[...document.querySelectorAll('iframe')].map(({ title }) => title)`,
	);
	expect(names).toEqual(['Form contact-us', 'Form event-registration']);
	const buttons = await page.getByRole('button').allTextContents();
	expect(buttons).toEqual(['Newsletter & "news"', 'Jobs', '']);
	for (const [button, heading] of [
		['Newsletter & "news"', 'Newsletter sign-up'],
		['Jobs', 'Job application'],
		['Open form satisfaction-survey', 'Customer satisfaction survey'],
	]) {
		await page.getByRole('button', { name: button, exact: true }).click();
		const dialog = page.getByRole('dialog');
		await dialog.frameLocator('iframe').getByRole('heading', { name: heading }).waitFor();
		await dialog.getByRole('button', { name: 'Close' }).click();
		await dialog.waitFor({ state: 'hidden' });
	}
});

describe('nothing of a text runs in the page', () => {
	const hostile = [
		'"><script>window.hacked = 1</script>',
		'"><img src=x onerror="window.hacked = 1">',
		"'><svg onload=window.hacked=1>",
		'" autofocus tabindex="0" onfocus="window.hacked = 1',
		'</script><script>window.hacked = 1</script>',
		'&quot;&gt;&lt;script&gt;window.hacked = 1&lt;/script&gt;',
		'&#34;><script>window.hacked = 1</script>',
		'" onload="window.hacked = 1" src="data:text/javascript,window.hacked=1',
		'a\r\n\tb\nc\rd',
		'Größe 📏 \u2028 \u202e ‮',
		'{{ window.hacked = 1 }} ${window.hacked = 1} `',
	];

	const isHacked = async () => {
		const flags = await Promise.all(page.frames().map((frame) => frame.evaluate('window.hacked')));
		return flags.some((flag) => flag !== undefined);
	};

	test('the texts are dangerous where they are not escaped', async () => {
		for (const text of hostile.slice(0, 2)) {
			await page.goto(`data:text/html,${encodeURIComponent(`<p title="${text}">`)}`);
			await page.waitForFunction('window.hacked');
			expect(await isHacked()).toBe(true);
		}
	});

	test('each is shown as it is', async () => {
		await visitPageWith(
			...hostile.flatMap((text) => [
				{ slug: text, mode: 'inline', height: '200px' },
				{ slug: text, mode: 'popup', buttonText: text },
				{ slug: text, mode: 'popover' },
			]),
			// Refused, so nothing of it is in the page.
			...hostile.map((text) => ({ slug: 'contact-us', mode: 'inline', height: `200px${text}` })),
		);
		await page.waitForLoadState('networkidle');

		expect(await refusals()).toEqual(
			hostile.map(() => expect.stringContaining('Height') as string),
		);
		const embeds = await page.evaluate<object[]>(
			`[...document.querySelectorAll('[data-xform]')].map(({ dataset }) => ({ ...dataset }))`,
		);
		expect(embeds).toEqual(
			hostile.flatMap((text) => [
				{ xform: text, mode: 'inline', height: '200px' },
				{ xform: text, mode: 'popup', buttonText: text },
				{ xform: text, mode: 'popover' },
			]),
		);
		expect(await isHacked()).toBe(false);
		const own = page.locator('script:not([src$="/embed.js"]), img, [onfocus], [onload], [onerror]');
		expect(await own.count()).toBe(0);
	});
});
