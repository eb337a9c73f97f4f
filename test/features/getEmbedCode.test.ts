import fc from 'fast-check';
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
	embedUrl?: string;
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
			{ form: 2026, mode: 'popup', label: 7 },
			{ form: ' job-application ', mode: 'popover' },
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
				html: `<div data-xform="2026" data-mode="popup" data-button-text="7"></div>${SCRIPT}`,
				slug: '2026',
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
	['https://forms.example.com/', 'https://forms.example.com/embed.js'],
	[' https://forms.example.com// \n', 'https://forms.example.com/embed.js'],
	['https://forms.example.com/embed.js', 'https://forms.example.com/embed.js'],
	['http://[::1]:4000', 'http://[::1]:4000/embed.js'],
	['https://example.com/forms/eu/', 'https://example.com/forms/eu/embed.js'],
])('loads the script from the Embed URL %j', async (embedUrl, src) => {
	const { items } = await run({ embedUrl });

	expect(items[0]?.json.html).toContain(`<script src="${src}" async></script>`);
});

it.each([
	...[undefined, '', '  ', 'forms.example.com', 'ftp://forms.example.com', 'https://'],
	...['javascript:alert(1)//', 'data:text/javascript,alert(1)', 'https://forms.example.com/?v=1'],
])('refuses the Embed URL %j', async (embedUrl) => {
	const { error, items } = await run({ embedUrl });

	expect(factsOf(error)).toMatchObject({
		message: expect.stringContaining('Embed URL'),
		itemIndex: 0,
	});
	expect(items).toEqual([]);
});

describe('the slug', () => {
	it.each(['contact-us', 'Contact_Us', 'v1.2', '2026', 'größe', 'gr%C3%B6%c3%9fe', 'お問い合わせ'])(
		'may be %s',
		async (slug) => {
			for (const formSlug of [bySlug(` ${slug} `), bySlug('={{ $json.form }}')]) {
				const { items } = await run({ parameters: { formSlug }, input: [{ form: slug }] });
				expect(items[0]?.json).toMatchObject({ slug });
			}
		},
	);

	it.each([
		...['Contact us', '/contact-us', 'forms.example.com/contact-us', 'contact-us?a=1'],
		...['"contact-us"', '<contact-us>'],
	])('is none that is entered as %j', async (slug) => {
		const { error } = await run({
			parameters: { formSlug: bySlug('={{ $json.form }}') },
			input: [{ form: 'a' }, { form: slug }],
		});

		expect(factsOf(error)).toMatchObject({
			message: expect.stringMatching(/Form .*contact.us.*slug/i),
			itemIndex: 1,
		});
	});

	it('may be anything where it comes from the list of forms', async () => {
		const slug = 'a/b "><script>';
		const formSlug = fromList('={{ $json.form }}');
		const { items } = await run({ parameters: { formSlug }, input: [{ form: slug }] });

		expect(items[0]?.json).toMatchObject({ slug });
	});
});

it.each<[IDataObject, string | RegExp]>([
	[{ form: '', mode: 'popover' }, /form/i],
	[{ mode: 'popover' }, /form/i],
	[{ form: 'a', mode: 'popup', label: ' ' }, 'Button Text'],
	[{ form: 'a', mode: 'popup' }, 'Button Text'],
	[{ form: 'a', mode: 'popup', label: ['b'] }, 'Button Text'],
	[{ form: 'a', mode: 'inline', height: 600 }, 'Height'],
	[{ form: 'a', mode: 'inline', height: {} }, 'Height'],
	[{ form: 'a', mode: 'sidebar' }, 'Mode'],
	[{ form: 'a', mode: ['popup'] }, 'Mode'],
])('refuses %j, and names the item and the field', async (bad, field) => {
	const good = { form: 'a', mode: 'popover' };
	const input = [good, bad, good];
	const message = expect.stringMatching(field) as string;

	const stopped = await run({ parameters: perItem, input });
	expect(factsOf(stopped.error)).toMatchObject({ message, itemIndex: 1 });

	const { items } = await run({ parameters: perItem, input, onError: 'continueRegularOutput' });
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	expect(items[1]?.json).toEqual({ error: message });
	for (const i of [0, 2]) expect(items[i]?.json).toMatchObject({ slug: 'a', mode: 'popover' });
});

it('sends a failed item to the error output, with its fields', async () => {
	const bad = { form: 'b', mode: 'sidebar' };
	const { items, failed } = await run({
		parameters: perItem,
		input: [{ form: 'a', mode: 'popover' }, bad],
		onError: 'continueErrorOutput',
	});

	expect(items.map(({ json }) => json.slug)).toEqual(['a']);
	expect(failed).toMatchObject([
		{ json: { ...bad, error: expect.stringContaining('Mode') }, pairedItem: { item: 1 } },
	]);
});

/** What comes out for these heights, all in one run */
async function htmlOf(heights: string[]) {
	const { items } = await run({
		parameters: { height: '={{ $json.height }}' },
		input: heights.map((height) => ({ height })),
		onError: 'continueRegularOutput',
	});
	return items.map(({ json }) => String(json.html ?? json.error));
}

it('takes a CSS length as height, and nothing else', async () => {
	const lengths = [
		...['600px', '0px', '1.5em', '.25rem', '100%', '80vh', '100svh', '12PT', ' 600px '],
	];
	const others = [
		...['', ' ', '600', 'px', '-1px', '1e3px', '600 px', '600px;', 'auto', '1,5em'],
		...['calc(100% - 2px)', '600px 700px', '600px"', '600px\nonload'],
	];

	expect(await htmlOf(lengths)).toEqual(
		lengths.map((height) => expect.stringContaining(`data-height="${height.trim()}"`)),
	);
	expect(await htmlOf(others)).toEqual(others.map(() => expect.stringMatching(/^Height/)));
});

/** Only empty elements, and attributes that a browser reads in just one way. */
function elementsOf(html: string) {
	const element = /<(\w+)((?: [\w-]+(?:="(?:[^"&<>\r\n]|&#\d+;)*")?)*)><\/\1>/g;
	expect(html.replace(element, '')).toMatch(/^\n*$/);
	return [...html.matchAll(element)].map(([, name, attributes = '']) => ({
		name,
		attributes: Object.fromEntries(
			[...attributes.matchAll(/ ([\w-]+)(?:="([^"]*)")?/g)].map(([, key, value = '']) => [
				key,
				value.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
			]),
		),
	}));
}

it('escapes whatever the texts hold: a browser finds the same values and nothing else', async () => {
	const hostile = fc.constantFrom(
		...['"', "'", '`', '<', '>', '&', '=', '/', ' ', '\n', '\r\n', '\u2028', '&amp', '&quot;'],
		...['&#34;', '&#x22', '{{ 1 }}', '$&', "$'", '\\', 'ß', '😀', '</script>', '<!--', ']]>'],
		...['"><script>alert(1)</script>', '" onload="alert(1)'],
	);
	const text = fc
		.array(fc.oneof(hostile, fc.string({ maxLength: 5 })), { minLength: 1, maxLength: 8 })
		.map((parts) => `x${parts.join('')}x`);
	const script = (more = {}) => ({
		name: 'script',
		attributes: { src: 'https://forms.example.com/embed.js', async: '', ...more },
	});
	const div = (attributes: object) => ({ name: 'div', attributes });
	const page = (html: string) => `<main>${html}</main>`;

	await fc.assert(
		fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 20 }), async (texts) => {
			const { items } = await run({
				parameters: { ...perItem, formSlug: fromList('={{ $json.form }}') },
				input: texts.flatMap(([form, label]) => [
					{ form, mode: 'popup', label },
					{ form, mode: 'popover' },
				]),
			});
			const htmls = items.map(({ json }) => String(json.html));
			expect(htmls.map(elementsOf)).toEqual(
				texts.flatMap(([form, label]) => [
					[div({ 'data-xform': form, 'data-mode': 'popup', 'data-button-text': label }), script()],
					[script({ 'data-xform': form, 'data-mode': 'popover' })],
				]),
			);
			// As n8n's HTML node puts it into a page, in n8n 2.41.
			for (const html of htmls)
				expect(page('{{ $json.html }}').replace('{{ $json.html }}', html)).toBe(page(html));
		}),
		{ numRuns: 20 },
	);
});
