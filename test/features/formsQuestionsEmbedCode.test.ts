import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import {
	byId,
	credentialsOf,
	formRecord,
	fromList,
	hintsOf,
	itemsOf,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: Array.from({ length: 60 }, (_, i) => formRecord(`f${i}`)),
		responses: [
			{ name: 'Ada', topics: ['Sales', 'Support'], 'e.mail': '' },
			{ name: '', topics: [], 'e.mail': [], constructor: 'c' },
			{ name: 'x'.repeat(300), topics: ['Support', '', '7'] },
			null,
			{ odd: 7, topics: 'Billing' },
		].map((answers, n) => responseRecord('f1', `r${n}`, { answers: answers as never })),
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const like = (pattern: RegExp) => expect.stringMatching(pattern) as string;
const hintsAfter = async (parameters: INodeParameters, input?: IDataObject[]) =>
	(await hintsOf(sandbox, parameters, { input }))?.map(({ message }) => message);

describe('Get Forms', () => {
	const getForms = {
		operation: 'getForms',
		returnAll: '={{ $json.all }}',
		limit: '={{ $json.limit }}',
	};

	it('returns as many forms as each item asks for, in one request, each item its own objects', async () => {
		const input = [{ all: false, limit: 2 }, { all: true }, { all: 'false', limit: '1' }];
		const { items } = await runOn(sandbox, getForms, { input });

		const { forms } = sandbox;
		expect(items).toEqual(
			[forms.slice(0, 2), forms, forms.slice(0, 1)].flatMap((each, item) => itemsOf(each, item)),
		);
		expect(requestsTo(sandbox)).toEqual(['GET /forms']);
		items[0]!.json.title = 'changed';
		expect(items.slice(2)).toEqual([...itemsOf(forms, 1), ...itemsOf(forms.slice(0, 1), 2)]);
	});

	it('says what the limit left out, what items share, and that the list may be a part', async () => {
		expect(await hintsAfter({ operation: 'getForms' })).toEqual([like(/50 of 60 .*Limit/)]);
		expect(await hintsAfter({ operation: 'getForms', limit: 60 })).toEqual([]);
		sandbox.faults.add({ body: { forms: [], has_more: true } });
		const input = [{ all: true }, { all: true }];
		expect(await hintsAfter(getForms, input)).toEqual([
			like(/^2 items.*Execute Once/),
			like(/part/),
		]);
	});
});

describe('Get Questions', () => {
	const getQuestions = { operation: 'getQuestions', formId: byId('={{ $json.form }}') };

	const text = { multipleChoice: false, options: [] };
	const ofF1 = [
		{ key: 'name', answered: 2, ...text, example: 'Ada' },
		{ key: 'odd', answered: 1, ...text, example: '7' },
		{
			key: 'topics',
			answered: 3,
			multipleChoice: true,
			options: ['Sales', 'Support', '7', 'Billing'],
			example: 'Sales, Support',
		},
		{ key: 'e.mail', answered: 0, ...text, example: '' },
		{ key: 'constructor', answered: 1, ...text, example: 'c' },
	];
	const many = Array.from({ length: 150 }, (_, n) => `${n}`);
	const ofF2 = [
		{ key: 'name', answered: 1, ...text, example: 'x'.repeat(200) },
		{
			...{ key: 'many', answered: 1, multipleChoice: true, options: many.slice(0, 100) },
			example: many.join(', ').slice(0, 200),
		},
	];

	it('tells what past responses say of each question, in one request for each form', async () => {
		const answers = { name: 'x'.repeat(300), many };
		sandbox.responses.push(responseRecord('f2', 'z', { answers }));
		const input = [{ form: 'f1' }, { form: 'f2' }, { form: ' f1' }, { form: 'f3' }];
		const { items } = await runOn(sandbox, getQuestions, { input });

		expect(items).toEqual([...itemsOf(ofF1, 0), ...itemsOf(ofF2, 1), ...itemsOf(ofF1, 2)]);
		expect(requestsTo(sandbox)).toEqual(['f1', 'f2', 'f3'].map((form) => `GET /responses ${form}`));
		const [first, second] = items.filter(({ json }) => json.key === 'topics');
		(first!.json.options as string[]).push('changed');
		expect(second?.json.options).not.toContain('changed');
	});

	it('says what items share, and that the list may be a part', async () => {
		sandbox.faults.add({ body: { responses: [], has_more: true } });
		const input = [{ form: 'f1' }, { form: 'f1' }];
		expect(await hintsAfter(getQuestions, input)).toEqual([like(/^2 items/), like(/part/)]);
	});
});

describe('Get Embed Code', () => {
	afterEach(() => expect(requestsTo(sandbox)).toEqual([]));

	const bySlug = (value: string) => ({ __rl: true as const, mode: 'slug', value });
	const perItem = {
		formSlug: bySlug('={{ $json.form ?? "contact-us" }}'),
		mode: '={{ $json.mode ?? "inline" }}',
		height: '={{ $json.height ?? "80vh" }}',
		buttonText: '={{ $json.label ?? "Open" }}',
	};

	const embed = async (
		input: IDataObject[],
		parameters: INodeParameters = perItem,
		embedUrl = 'https://forms.example.com',
	) =>
		await runOn(
			sandbox,
			{ operation: 'getEmbedCode', formSlug: bySlug('contact-us'), ...parameters },
			{
				input,
				credentials: { ...credentialsOf(sandbox), embedUrl },
				node: { onError: 'continueRegularOutput' },
			},
		);
	const htmlOf = (items: INodeExecutionData[]) =>
		items.map(({ json }) => String(json.html ?? json.error));

	const src = 'src="https://forms.example.com/embed.js"';
	const script = `<script ${src} async></script>`;

	it('gives each item the HTML of its own form and mode, without a request', async () => {
		const { items } = await embed([
			{ form: 'contact-us', mode: 'inline', height: ' 60.5rem ' },
			{ form: 2026, mode: 'popup', label: 7 },
			{ form: ' job-application ', mode: 'popover' },
		]);

		const htmls = [
			`<div data-xform="contact-us" data-mode="inline" data-height="60.5rem"></div>${script}`,
			`<div data-xform="2026" data-mode="popup" data-button-text="7"></div>${script}`,
			`<script ${src} data-xform="job-application" data-mode="popover" async></script>`,
		];
		const modes = ['inline', 'popup', 'popover'];
		const slugs = ['contact-us', '2026', 'job-application'];
		const codes = htmls.map((html, n) => ({ html, slug: slugs[n], mode: modes[n] }));
		expect(items).toEqual(codes.flatMap((code, item) => itemsOf([code], item)));
	});

	it.each([
		[' https://example.com/forms/eu// \n', 'https://example.com/forms/eu/embed.js'],
		['https://forms.example.com/embed.js', 'https://forms.example.com/embed.js'],
	])('loads the script from the Embed URL %j', async (embedUrl, expected) => {
		const { items } = await embed([{}], {}, embedUrl);

		expect(htmlOf(items)[0]).toContain(`<script src="${expected}" async></script>`);
	});

	it.each(['', 'javascript:alert(1)//', 'https://forms.example.com/?v=1'])(
		'refuses the Embed URL %j',
		async (embedUrl) => {
			const { items } = await embed([{}], {}, embedUrl);

			expect(htmlOf(items)).toEqual([
				like(/^The Embed URL .*: enter one like https:\/\/forms\.example\.com in the credential/),
			]);
		},
	);

	it.each<[string, string, string[], string[]]>([
		[
			'form',
			'^(No form|Form) .*slug',
			['Contact_Us', 'v1.2', 'größe', 'gr%C3%B6%c3%9fe', 'お問い合わせ'],
			['Contact us', '/a', 'example.com/a', 'a?a=1', 'a#b', '"a"', '<a>', '', `<${'x'.repeat(50)}`],
		],
		[
			'height',
			'^Height ',
			['600px', '0px', '.25rem', '100%', '100svh', '12PT'],
			[
				'',
				'600',
				'px',
				'-1px',
				'1e3px',
				'600 px',
				'600px;',
				'calc(1% - 2px)',
				'6px"',
				'6px\nx',
				'x'.repeat(50),
			],
		],
		['label', '^Button Text ', ['Contact us'], ['', ' ']],
	])('takes as %s what can be one, and nothing else', async (field, error, good, bad) => {
		const mode = field === 'label' ? 'popup' : 'inline';
		const { items } = await embed([...good, ...bad].map((value) => ({ mode, [field]: value })));

		expect(htmlOf(items)).toEqual([
			...good.map((value) => expect.stringContaining(`="${value}"`)),
			...bad.map(() => like(new RegExp(`(?!.*x{41})${error}`, 'i'))),
		]);
	});

	/** Only empty elements, and attributes that a browser reads in just one way. */
	function elementsOf(html: string) {
		const element = /<(\w+)((?: [\w-]+(?:="(?:[^"&<>\r\n]|&#\d+;)*")?)*)><\/\1>/g;
		expect(html.replace(element, '')).toBe('');
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
		const hostile = [
			...['"', "'", '`', '<', '>', '&', '=', '/', ' ', '\n', '\r\n', '\u2028', '\\', 'ß', '😀'],
			...['&amp', '&quot;', '&#34;', '&#x22', '{{ 1 }}', '$&', "$'", '$1', '</script>', '<!--'],
			...[']]>', '"><script>alert(1)</script>', '" onload="alert(1)', '"x"x"&<>&'],
		].map((text) => `x${text}x`);
		const modes = ['popup', 'popover'];
		const { items } = await embed(
			hostile.flatMap((form) => modes.map((mode) => ({ form, mode, label: form }))),
			{ ...perItem, formSlug: fromList('={{ $json.form }}') },
		);

		const loaded = { src: 'https://forms.example.com/embed.js', async: '' };
		const element = (name: string, attributes: object) => ({ name, attributes });
		expect(htmlOf(items).map(elementsOf)).toEqual(
			hostile.flatMap((text) => {
				const [popup, popover] = modes.map((mode) => ({ 'data-xform': text, 'data-mode': mode }));
				const button = { ...popup, 'data-button-text': text };
				return [
					[element('div', button), element('script', loaded)],
					[element('script', { ...loaded, ...popover })],
				];
			}),
		);
		// As n8n's HTML node puts it into a page, in n8n 2.41.
		for (const html of htmlOf(items)) expect('{{ it }}'.replace('{{ it }}', html)).toBe(html);
	});
});
