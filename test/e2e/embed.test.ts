import type { Browser, Page, Response } from 'playwright-core';

import { launchBrowser } from '../../playground/browser';
import type { SavedWorkflow, Workflow } from '../../playground/n8nClient';
import type { Playground } from '../../playground/playground';
import { until } from '../../playground/until';
import { embedPageWorkflow, webhookWorkflow } from '../../playground/workflows';
import type { SandboxForm, SandboxResponse } from '../../sandbox';
import { startBench } from './support/bench';

// On a busy machine an item has failed once: the log has the reason.
jest.retryTimes(1, { retryImmediately: true, logErrorsBeforeRetry: true });

const EXAMPLE = 'form-in-a-page';
const PAGE = 'page';
const READ = 'read';

let bench: Playground;
let browser: Browser;
let page: Page;

beforeAll(async () => {
	browser = await launchBrowser();
	bench = await startBench();
	const { client, credential, examples } = bench;

	const example = examples.find(({ name }) => name === 'Form Collection: form in a page');
	await client.activateWorkflow(
		await client.request<SavedWorkflow>('GET', `/workflows/${example?.id}`),
	);
	const activate = async (workflow: Workflow) =>
		await client.activateWorkflow(await client.createWorkflow(workflow));
	await activate(embedPageWorkflow(PAGE, credential));
	await activate(
		webhookWorkflow(
			READ,
			{
				operation: 'getResponses',
				formId: { __rl: true, mode: 'id', value: '={{ $json.form }}' },
				returnAll: true,
				options: { sort: 'asReceived' },
			},
			credential,
		),
	);
});

afterAll(async () => {
	await browser?.close();
	await bench?.stop();
});

beforeEach(async () => {
	bench.sandbox.reset();
	page = await browser.newPage();
	page.setDefaultTimeout(60_000);
});

afterEach(async () => await page.close());

/** Opens the page that a workflow answers with; n8n has it up to a second after activation. */
async function visit(path: string): Promise<Response> {
	let answer = '';
	const open = async () => {
		const response = await page.goto(`${bench.n8n.url}/webhook/${path}`);
		if (response?.headers()['content-type']?.startsWith('text/html')) return response;
		answer = `${response?.status()} ${await response?.text()}`;
		return undefined;
	};
	try {
		return await until(`n8n has the page ${path}`, open, 60_000);
	} catch (error) {
		throw new Error(`${(error as Error).message}; its last answer: ${answer}`);
	}
}

const visitPageWith = async (...embeds: object[]) =>
	await visit(`${PAGE}?embeds=${encodeURIComponent(JSON.stringify(embeds))}`);

/** Why the page does not show some of the embeds. */
async function refusals(): Promise<string[]> {
	const inBase64 = await page.locator('meta[name="refused"]').getAttribute('content');
	return JSON.parse(Buffer.from(inBase64 ?? '', 'base64').toString()) as string[];
}

const frameOf = (slug: string) => page.frameLocator(`iframe[title="Form ${slug}"]`);

const focusedName = async () => await page.locator(':focus').getAttribute('aria-label');

const press = async (...keys: string[]) => {
	for (const key of keys) await page.keyboard.press(key);
};

function formBySlug(slug: string): SandboxForm {
	const form = bench.sandbox.forms.find((candidate) => candidate.slug === slug);
	if (!form) throw new Error(`The sandbox has no form ${slug}`);
	return form;
}

/** The one response more than the samples, in the sandbox and as Get Responses puts it out. */
async function expectResponse(slug: string, before: number, answers: SandboxResponse['answers']) {
	const { id } = formBySlug(slug);
	const { sandbox, client } = bench;
	expect(sandbox.responses.slice(before).map((response) => response.answers)).toEqual([answers]);
	expect(sandbox.responses.at(-1)?.form_id).toBe(id);

	const { body } = await client.callWebhook<SandboxResponse[]>(READ, { items: [{ form: id }] });
	expect(body.at(-1)).toEqual(sandbox.responses.at(-1));
}

test('the example workflow shows a form in its page, and what is sent there is read back', async () => {
	const before = bench.sandbox.responses.length;
	const response = await visit(EXAMPLE);
	expect(response.headers()['content-type']).toBe('text/html; charset=utf-8');
	// What the README says of n8n: the page has no origin, and the form works all the same.
	expect(response.headers()['content-security-policy']).toMatch(/^sandbox (?!.*same-origin)/);
	expect(bench.sandbox.log).toEqual([]);

	const frame = frameOf('contact-us');
	await frame.getByRole('heading', { name: 'Contact us' }).waitFor();
	const box = await page.locator('iframe').boundingBox();
	expect(box?.height).toBe(900);

	await frame.getByLabel('Full name').fill('Ada Lovelace');
	await frame.getByLabel('Email').fill('ada@example.com');
	await frame.getByLabel('Support').check();
	await frame.getByLabel('Message').fill('Do you "embed" <forms>?');
	await frame.getByLabel('Message').press('Tab');
	await press('Enter');
	await frame.getByRole('heading', { name: 'Thank you, Ada Lovelace!' }).waitFor();

	await expectResponse('contact-us', before, {
		full_name: 'Ada Lovelace',
		email: 'ada@example.com',
		topics: ['Support'],
		message: 'Do you "embed" <forms>?',
	});
});

test('a button opens the form in a dialog, with the keyboard alone', async () => {
	const before = bench.sandbox.responses.length;
	await visitPageWith({ slug: 'newsletter', mode: 'popup', buttonText: 'Sign up & "read"' });
	const button = page.getByRole('button', { name: 'Sign up & "read"', exact: true });
	const dialog = page.getByRole('dialog', { name: 'Form newsletter' });
	// A frame has a process of its own: the first key after the Tab into it may come too early.
	const focusIn = async (key: string) =>
		await frameOf('newsletter').locator(`[name="${key}"]:focus`).waitFor();
	await button.waitFor();
	expect(await page.locator('iframe').count()).toBe(0);

	await press('Tab', 'Enter');
	await frameOf('newsletter').getByRole('heading', { name: 'Newsletter sign-up' }).waitFor();
	expect(await focusedName()).toBe('Close');

	await press('Escape');
	await dialog.waitFor({ state: 'hidden' });
	expect(await page.locator(':focus').textContent()).toBe('Sign up & "read"');

	await press('Enter', 'Tab');
	await focusIn('email');
	await page.keyboard.type('ada@example.com');
	// The frame goes away as the key goes down, and Playwright may wait for ever for it to go up.
	const closed = dialog.waitFor({ state: 'hidden' });
	await Promise.race([press('Escape'), closed]);
	await closed;
	expect(await page.locator(':focus').textContent()).toBe('Sign up & "read"');

	await press('Enter', 'Tab');
	await focusIn('email');
	await press('Tab');
	await page.keyboard.type('Ada');
	await press('Tab', 'Space', 'Tab', 'Tab', 'Tab', 'Tab');
	await page.keyboard.type('Deu');
	await press('Tab', 'Enter');
	await frameOf('newsletter').getByRole('heading', { name: 'Thank you, Ada!' }).waitFor();

	await expectResponse('newsletter', before, {
		email: 'ada@example.com',
		full_name: 'Ada',
		interests: ['Product news'],
		language: 'Deutsch',
	});
});

test('a bubble in the corner opens the form on top of the page', async () => {
	const before = bench.sandbox.responses.length;
	await visitPageWith({ slug: 'satisfaction-survey', mode: 'popover' });
	const bubble = page.getByRole('button', { name: 'Open form satisfaction-survey' });
	const panel = page.getByRole('dialog', { name: 'Form satisfaction-survey' });
	const frame = frameOf('satisfaction-survey');
	await bubble.waitFor();

	await press('Tab', 'Enter');
	await frame.getByRole('heading', { name: 'Customer satisfaction survey' }).waitFor();
	expect(await focusedName()).toBe('Close');
	await press('Escape');
	await panel.waitFor({ state: 'hidden' });
	expect(await focusedName()).toBe('Open form satisfaction-survey');

	await bubble.click();
	await frame.getByLabel('4', { exact: true }).check();
	await press('Escape');
	await panel.waitFor({ state: 'hidden' });
	expect(await focusedName()).toBe('Open form satisfaction-survey');

	await bubble.click();
	await frame.getByLabel('Fast').check();
	await frame.getByLabel(/^Email/).fill('ada@example.com');
	await press('Enter');
	await frame.getByRole('heading', { name: 'Thank you!' }).waitFor();
	await panel.getByRole('button', { name: 'Close' }).click();
	await panel.waitFor({ state: 'hidden' });

	await expectResponse('satisfaction-survey', before, {
		rating: '4',
		liked: ['Fast'],
		email: 'ada@example.com',
	});
});

test('several forms in several modes stand in one page, each once', async () => {
	await visitPageWith(
		{ slug: 'contact-us', mode: 'inline', height: '300px' },
		{ slug: 'newsletter', mode: 'popup', buttonText: 'Newsletter' },
		{ slug: 'satisfaction-survey', mode: 'popover' },
		{ slug: 'event-registration', mode: 'inline', height: '20em' },
		{ slug: 'job-application', mode: 'popup', buttonText: 'Jobs' },
	);
	expect(await refusals()).toEqual([]);
	await page.waitForLoadState('networkidle');

	expect(await page.locator('script').count()).toBe(5);
	const names = await page.evaluate<string[]>(
		`[...document.querySelectorAll('iframe')].map(({ title }) => title)`,
	);
	expect(names).toEqual(['Form contact-us', 'Form event-registration']);
	expect(await page.getByRole('button').allTextContents()).toEqual(['Newsletter', 'Jobs', '']);

	for (const [button, heading] of [
		['Newsletter', 'Newsletter sign-up'],
		['Jobs', 'Job application'],
		['Open form satisfaction-survey', 'Customer satisfaction survey'],
	]) {
		await page.getByRole('button', { name: button, exact: true }).click();
		const dialog = page.getByRole('dialog');
		await dialog.frameLocator('iframe').getByRole('heading', { name: heading }).waitFor();
		expect(await dialog.count()).toBe(1);
		await press('Escape');
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
		'javascript:window.hacked=1',
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

	test.each(hostile)('%j', async (text) => {
		await visitPageWith(
			{ slug: text, mode: 'inline', height: '200px' },
			{ slug: text, mode: 'popup', buttonText: text },
			{ slug: text, mode: 'popover' },
			// Refused, so nothing of it is in the page.
			{ slug: 'contact-us', mode: 'inline', height: text },
			{ slug: 'contact-us', mode: 'inline', height: `200px${text}` },
		);
		expect(await refusals()).toEqual([
			expect.stringContaining('Height'),
			expect.stringContaining('Height'),
		]);
		await page.waitForLoadState('networkidle');
		for (const button of await page.getByRole('button').all()) {
			await button.click();
			await page.waitForLoadState('networkidle');
			await page.getByRole('button', { name: 'Close' }).click();
		}

		expect(await isHacked()).toBe(false);
		const embeds = await page.evaluate<object[]>(
			`[...document.querySelectorAll('[data-xform]')].map((element) => ({ ...element.dataset }))`,
		);
		expect(embeds).toEqual([
			{ xform: text, mode: 'inline', height: '200px' },
			{ xform: text, mode: 'popup', buttonText: text },
			{ xform: text, mode: 'popover' },
		]);
		expect(await page.locator('script').count()).toBe(3);
		expect(await page.locator('script[src$="/embed.js"]').count()).toBe(3);
		expect(await page.locator('img, svg[onload], [onfocus], [onload], [onerror]').count()).toBe(0);
	});
});
