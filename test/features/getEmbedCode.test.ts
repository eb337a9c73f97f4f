import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { credentialsOf, factsOf, fromList, requestsTo, runOn } from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterEach(() => expect(requestsTo(sandbox)).toEqual([]));
afterAll(async () => await sandbox.stop());

const bySlug = (value: string) => ({ __rl: true, mode: 'slug', value });

interface Given {
	parameters?: INodeParameters;
	input?: IDataObject[];
	embedUrl?: unknown;
	onError?: 'continueRegularOutput' | 'continueErrorOutput';
}

const run = async ({ parameters, input, onError, ...credential }: Given) => {
	const embedUrl = 'embedUrl' in credential ? credential.embedUrl : 'https://forms.example.com';
	return await runOn(
		sandbox,
		{ operation: 'getEmbedCode', formSlug: bySlug('contact-us'), ...parameters },
		{
			input,
			credentials: { ...credentialsOf(sandbox), embedUrl: embedUrl as string },
			node: onError && { onError },
		},
	);
};

const SCRIPT = '<script src="https://forms.example.com/embed.js" async></script>';

const perItem = {
	formSlug: bySlug('={{ $json.form }}'),
	mode: '={{ $json.mode }}',
	height: '={{ $json.height }}',
	buttonText: '={{ $json.label }}',
};

it('gives each item the HTML of its own form and mode, without a request', async () => {
	const { items, status } = await run({
		parameters: perItem,
		input: [
			{ form: 'contact-us', mode: 'inline', height: '80vh' },
			{ form: 'newsletter', mode: 'popup', label: 'Read "Tips & Tricks"' },
			{ form: ' job-application ', mode: 'popover' },
			{ form: 2026, mode: 'popup', label: 7 },
		],
	});

	expect(status).toBe('success');
	expect(items).toEqual([
		{
			json: {
				html: `<div data-xform="contact-us" data-mode="inline" data-height="80vh"></div>${SCRIPT}`,
				slug: 'contact-us',
				mode: 'inline',
			},
			pairedItem: { item: 0 },
		},
		{
			json: {
				html: `<div data-xform="newsletter" data-mode="popup" data-button-text="Read &#34;Tips &#38; Tricks&#34;"></div>${SCRIPT}`,
				slug: 'newsletter',
				mode: 'popup',
			},
			pairedItem: { item: 1 },
		},
		{
			json: {
				html: '<script src="https://forms.example.com/embed.js" data-xform="job-application" data-mode="popover" async></script>',
				slug: 'job-application',
				mode: 'popover',
			},
			pairedItem: { item: 2 },
		},
		{
			json: {
				html: `<div data-xform="2026" data-mode="popup" data-button-text="7"></div>${SCRIPT}`,
				slug: '2026',
				mode: 'popup',
			},
			pairedItem: { item: 3 },
		},
	]);
});

it.each<[INodeParameters, string]>([
	[
		{ formSlug: fromList('newsletter') },
		'data-xform="newsletter" data-mode="inline" data-height="600px"',
	],
	[{ mode: 'popup' }, 'data-xform="contact-us" data-mode="popup" data-button-text="Open form"'],
])('fills in what %j leaves open', async (parameters, expected) => {
	const { items } = await run({ parameters });

	expect(items[0]?.json.html).toBe(`<div ${expected}></div>${SCRIPT}`);
});

it.each([
	'https://forms.example.com/',
	' https://forms.example.com// \n',
	'HTTPS://Forms.Example.com:443',
	'https://forms.example.com/embed.js',
])('loads the script from the Embed URL %j', async (embedUrl) => {
	const { items } = await run({ parameters: { mode: 'popup' }, embedUrl });

	expect(String(items[0]?.json.html)).toContain(SCRIPT);
});

it.each([
	['http://[::1]:4000', 'http://[::1]:4000/embed.js'],
	['https://example.com/forms/eu/', 'https://example.com/forms/eu/embed.js'],
	['https://example.com/embed.js.old/', 'https://example.com/embed.js.old/embed.js'],
	[`https://example.com/a'b&c"d<e>`, 'https://example.com/a&#39;b&#38;c%22d%3Ce%3E/embed.js'],
	['https://müller.example', 'https://xn--mller-kva.example/embed.js'],
])('loads the script below any address: %s', async (embedUrl, src) => {
	const { items } = await run({ embedUrl });

	expect(String(items[0]?.json.html)).toContain(`<script src="${src}" async></script>`);
});

it.each([
	...['Contact us', '/contact-us', 'contact-us/', 'forms.example.com/contact-us', 'contact\tus'],
	...[
		'contact\\us',
		'contact-us?a=1',
		'contact-us#top',
		'"contact-us"',
		'<contact-us>',
		'{contact}',
	],
	...[
		'[contact]',
		'a|b',
		'a^b',
		'a`b',
		'100%',
		'%zz',
		'con\u00a0tact',
		'con\u200btact',
		'con\u2060tact',
		'con\u00adtact',
		'con\u202atact',
		'con\u0007tact',
	],
])('refuses what is entered as a slug and cannot be one: %j', async (slug) => {
	const shown = slug
		.replace('\t', '\\u0009')
		.replace('\u0007', '\\u0007')
		.replace('\u00ad', '\\u00ad')
		.replace('\u200b', '\\u200b')
		.replace('\u202a', '\\u202a')
		.replace('\u2060', '\\u2060');
	const message = `Form is "${shown}", which cannot be a slug: select the form from the list, or enter its slug, e.g. contact-us`;
	const fixed = await run({ parameters: { formSlug: bySlug(slug) } });
	expect(factsOf(fixed.error)).toEqual({ message, itemIndex: 0 });

	const expression = { formSlug: bySlug('={{ $json.form }}') };
	const { error } = await run({ parameters: expression, input: [{ form: 'a' }, { form: slug }] });
	expect(factsOf(error)).toEqual({ message, itemIndex: 1 });
});

it.each([
	...[
		'contact-us',
		'Contact_Us',
		'v1.2',
		'~ada',
		'2026',
		'größe',
		'gr%C3%B6%c3%9fe',
		'お問い合わせ',
		'می\u200cخواهم',
	],
	...["a!b$c&d'e(f)*g+h,i;j=k:l@m"],
])('takes whatever may be a part of an address as a slug: %j', async (slug) => {
	for (const formSlug of [bySlug(` ${slug} `), bySlug('={{ $json.form }}'), slug]) {
		const { items } = await run({ parameters: { formSlug }, input: [{ form: slug }] });
		expect(items[0]?.json).toMatchObject({ slug });
	}
});

it('takes any slug that the list of forms has', async () => {
	const slug = ' a/b "><script>';
	const formSlug = fromList('={{ $json.form }}');
	const { items } = await run({ parameters: { formSlug }, input: [{ form: slug }] });

	expect(items[0]?.json).toMatchObject({ slug });
});

it('still says that a web address is no slug', async () => {
	const address = 'https://forms.example.com/contact us';
	const { error } = await run({ parameters: { formSlug: bySlug(address) } });

	expect(factsOf(error).message).toBe(
		`Form is a web address (${address}): select the form from the list, or enter its slug`,
	);
});

it("gives HTML that n8n's HTML node puts into a page as it is", async () => {
	const { items } = await run({
		parameters: { mode: 'popup', buttonText: 'Save $$$ – only US$<100, "half price"' },
	});

	const html = String(items[0]?.json.html);
	expect(html).toContain('"Save &#36;&#36;&#36; – only US&#36;&#60;100, &#34;half price&#34;"');
	expect('{{ $json.html }}'.replace('{{ $json.html }}', html)).toBe(html);
});

const enterOne = 'enter one like https://forms.example.com in the Form Collection API credential';

it.each([
	[undefined, `The Embed URL is empty: ${enterOne}`],
	['', `The Embed URL is empty: ${enterOne}`],
	['  ', `The Embed URL is empty: ${enterOne}`],
	['forms.example.com', `The Embed URL is not a web address: ${enterOne}`],
	['ftp://forms.example.com', `The Embed URL is not a web address: ${enterOne}`],
	['javascript:alert(1)//', `The Embed URL is not a web address: ${enterOne}`],
	['data:text/javascript,alert(1)', `The Embed URL is not a web address: ${enterOne}`],
	['https://', `The Embed URL is not a web address: ${enterOne}`],
	[
		'https://forms.example.com/?v=1',
		`The Embed URL has more than a host and a path: leave out the user name, "?" and "#", and ${enterOne}`,
	],
])('refuses the Embed URL %j', async (embedUrl, message) => {
	const { error, items } = await run({ embedUrl });

	expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
	expect(items).toEqual([]);
});

const noForm = 'No form is chosen: select one in the field Form, or enter its slug there';

it.each<[IDataObject, string]>([
	[{ form: '', mode: 'popover' }, noForm],
	[{ form: ' ', mode: 'popover' }, noForm],
	[
		{ mode: 'popover' },
		'Form has an expression that returns no value: make it return the slug of one form',
	],
	[
		{ form: 'a', mode: 'popup', label: ' ' },
		'Button Text is empty: enter what the button says, e.g. Contact us',
	],
	[
		{ form: 'a', mode: 'popup' },
		'Button Text is empty: enter what the button says, e.g. Contact us',
	],
	[
		{ form: 'a', mode: 'inline', height: '600' },
		'Height is "600": enter a number with a CSS unit, e.g. 600px or 80vh',
	],
	[
		{ form: 'a', mode: 'inline', height: 600 },
		'Height is "600": enter a number with a CSS unit, e.g. 600px or 80vh',
	],
	[{ form: 'a', mode: 'sidebar' }, 'Mode is "sidebar": choose Inline, Popover or Popup'],
	[{ form: 'a', mode: ['popup'] }, 'Mode is ["popup"]: choose Inline, Popover or Popup'],
	[{ form: 'a', mode: 'popup', label: ['b'] }, 'Button Text is ["b"]: enter text'],
	[{ form: 'a', mode: 'inline', height: {} }, 'Height is an object: enter text'],
	[
		{ form: 'a', mode: 'popup', label: 'a\0b' },
		'"ab" has an invisible character that HTML cannot hold: enter the text again by hand',
	],
])('refuses %j, and names the item', async (bad, message) => {
	const good = { form: 'a', mode: 'popover' };
	const input = [good, bad, good];

	const stopped = await run({ parameters: perItem, input });
	expect(factsOf(stopped.error)).toEqual({ message, itemIndex: 1 });

	const { items } = await run({ parameters: perItem, input, onError: 'continueRegularOutput' });
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	expect(items[1]?.json).toEqual({ error: message });
	expect(factsOf(items[1]?.error)).toEqual({ message, itemIndex: 1 });
	for (const i of [0, 2]) expect(items[i]?.json).toMatchObject({ slug: 'a', mode: 'popover' });
});

it.each([
	['Popup', { buttonText: 'Go' }, 'Popup'],
	['INLINE', { height: '300px' }, 'Inline'],
])('refuses the fixed mode %j, for which n8n drops a field', async (mode, more, choice) => {
	const { error } = await run({ parameters: { mode, ...more } });

	expect(factsOf(error)).toEqual({
		message: `Mode is "${mode}", for which n8n does not keep the fields below it: choose ${choice} from the list again, and fill in these fields`,
		itemIndex: 0,
	});
});

it('reads the fixed mode "Popover", which has no fields', async () => {
	const { items } = await run({ parameters: { mode: 'Popover' } });

	expect(items[0]?.json).toMatchObject({ mode: 'popover' });
});

it('sends a failed item by the error output, with its fields', async () => {
	const { items, failed } = await run({
		parameters: perItem,
		input: [
			{ form: 'a', mode: 'popover' },
			{ form: 'b', mode: 'sidebar' },
		],
		onError: 'continueErrorOutput',
	});

	expect(items.map(({ json }) => json.slug)).toEqual(['a']);
	expect(failed.map(({ json }) => json)).toEqual([
		{
			form: 'b',
			mode: 'sidebar',
			error: 'Mode is "sidebar": choose Inline, Popover or Popup',
		},
	]);
});
