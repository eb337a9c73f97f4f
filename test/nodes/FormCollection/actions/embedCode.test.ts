import fc from 'fast-check';
import { parseFragment } from 'parse5';
import { embedCode, type Embed } from '../../../../nodes/FormCollection/actions/embedCode';

const site = 'https://forms.example.com';

it.each<[Embed, string]>([
	[
		{ mode: 'inline', slug: 'contact-us', height: '600px' },
		'<div data-xform="contact-us" data-mode="inline" data-height="600px"></div>' +
			'<script src="https://forms.example.com/embed.js" async></script>',
	],
	[
		{ mode: 'popup', slug: 'contact-us', buttonText: 'Contact us' },
		'<div data-xform="contact-us" data-mode="popup" data-button-text="Contact us"></div>' +
			'<script src="https://forms.example.com/embed.js" async></script>',
	],
	[
		{ mode: 'popover', slug: 'contact-us' },
		'<script src="https://forms.example.com/embed.js" data-xform="contact-us" data-mode="popover" async></script>',
	],
])('writes the HTML of the reference for %j', (embed, html) => {
	expect(embedCode(embed, site)).toBe(html);
});

describe('whatever the texts hold', () => {
	interface Parsed {
		name: string;
		attributes: [name: string, value: string][];
		children: number;
	}

	/** The elements that a browser makes of it; the line break between them is left out. */
	const parse = (html: string) =>
		parseFragment(html)
			.childNodes.filter((node) => !('value' in node && node.value === '\n'))
			.map((node): Parsed => {
				if (!('attrs' in node)) throw new Error(`There is a ${node.nodeName} in ${html}`);
				return {
					name: node.nodeName,
					attributes: node.attrs.map(({ name, value }) => [name, value]),
					children: node.childNodes.length,
				};
			});

	const hostile = fc.constantFrom(
		...['"', "'", '`', '<', '>', '&', '=', '/', ' ', '\t', '\n', '\r', '\r\n', '\f', '\u2028'],
		...[
			'&amp',
			'&quot;',
			'&#34;',
			'&#0;',
			'&#x22',
			'&notit;',
			'{{ 1 }}',
			'$&',
			'$$',
			"$'",
			'\\',
			'ß',
			'😀',
			'\x85',
		],
		...['"><script>alert(1)</script>', '</script>', '<!--', ']]>', '" onload="alert(1)', '\ufeff'],
	);
	const text = fc
		.array(fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 8 })
		.map((parts) => parts.join('').replaceAll('\0', ''));
	const runs = { numRuns: 500 };

	const script = (src: string, ...more: Parsed['attributes']): Parsed => ({
		name: 'script',
		attributes: [['src', `${src}/embed.js`], ...more, ['async', '']],
		children: 0,
	});
	const div = (...attributes: Parsed['attributes']): Parsed => ({
		name: 'div',
		attributes,
		children: 0,
	});

	it('an inline form has these values and nothing else', () => {
		const unit = fc.constantFrom('px', '%', 'em', 'rem', 'vh', 'dvh', 'cm', 'PX', 'cqmin');
		const height = fc
			.tuple(fc.constantFrom('0', '600', '80.5', '.5', '007'), unit)
			.map((parts) => parts.join(''));
		fc.assert(
			fc.property(text, height, text, (slug, height, src) => {
				expect(parse(embedCode({ mode: 'inline', slug, height }, src))).toEqual([
					div(['data-xform', slug], ['data-mode', 'inline'], ['data-height', height]),
					script(src),
				]);
			}),
			runs,
		);
	});

	it('a popup has these values and nothing else', () => {
		fc.assert(
			fc.property(text, text, text, (slug, buttonText, src) => {
				expect(parse(embedCode({ mode: 'popup', slug, buttonText }, src))).toEqual([
					div(['data-xform', slug], ['data-mode', 'popup'], ['data-button-text', buttonText]),
					script(src),
				]);
			}),
			runs,
		);
	});

	it('a popover has these values and nothing else', () => {
		fc.assert(
			fc.property(text, text, (slug, src) => {
				expect(parse(embedCode({ mode: 'popover', slug }, src))).toEqual([
					script(src, ['data-xform', slug], ['data-mode', 'popover']),
				]);
			}),
			runs,
		);
	});

	it("n8n's HTML node puts it into a page as it is", () => {
		const expression = '{{ $json.html }}';
		const page = (html: string) => `<main>${html}</main>`;
		fc.assert(
			fc.property(text, text, text, (slug, buttonText, src) => {
				const html = embedCode({ mode: 'popup', slug, buttonText }, src);
				// As the node does, in n8n 2.41.
				expect(page(expression).replace(expression, html)).toBe(page(html));
			}),
			runs,
		);
	});

	it('a height is a CSS length, or it is refused', () => {
		const nearly = fc
			.tuple(
				fc.constantFrom('', '600', '-1', '+1', '1e3', '1.', '1,5'),
				text,
				fc.constantFrom('', 'px'),
			)
			.map((parts) => parts.join(''));
		fc.assert(
			fc.property(nearly, (height) => {
				let html: string;
				try {
					html = embedCode({ mode: 'inline', slug: 'a', height }, site);
				} catch (error) {
					expect((error as Error).message).toContain('Height is');
					return;
				}
				expect(parse(html)[0]?.attributes[2]).toEqual(['data-height', height.trim()]);
				expect(height.trim()).toMatch(/^[\d.]+[a-z%]+$/i);
			}),
			runs,
		);
	});
});

it.each([
	...[
		'600px',
		'0px',
		'1.5em',
		'.25rem',
		'100%',
		'80vh',
		'100svh',
		'50dvmin',
		'20cqb',
		'3Q',
		'12PT',
	],
	...[' 600px ', '\t80vh\n'],
])('takes the height %j', (height) => {
	expect(embedCode({ mode: 'inline', slug: 'a', height }, site)).toContain(
		`data-height="${height.trim()}"`,
	);
});

it.each([
	...['', ' ', '600', 'px', '-1px', '+1px', '1.px', '1e3px', '600 px', '600px;', '600pxx', '6OOpx'],
	...[
		'auto',
		'calc(100% - 2px)',
		'1,5em',
		'600px 700px',
		'600px"',
		'600px\nonload',
		'٦px',
		'1sdvh',
	],
])('refuses the height %j', (height) => {
	expect(() => embedCode({ mode: 'inline', slug: 'a', height }, site)).toThrow(
		`Height is "${height}": enter a number with a CSS unit, e.g. 600px or 80vh`,
	);
});

it.each<[Embed]>([
	[{ mode: 'inline', slug: 'con\0tact', height: '600px' }],
	[{ mode: 'popup', slug: 'contact', buttonText: 'con\0tact' }],
	[{ mode: 'popover', slug: 'contact\0' }],
])('refuses what no HTML can hold: %j', (embed) => {
	expect(() => embedCode(embed, site)).toThrow(
		'"contact" has an invisible character that HTML cannot hold: enter the text again by hand',
	);
});
