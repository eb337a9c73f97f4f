import { InvalidInput } from '../transport/errors';

/** The display modes of the embed script. */
export type Embed =
	| { mode: 'inline'; slug: string; height: string }
	| { mode: 'popup'; slug: string; buttonText: string }
	| { mode: 'popover'; slug: string };

/**
 * The HTML that shows a form in a web page.
 *
 * @param embedUrl where `embed.js` lies, without a slash at the end
 * @throws InvalidInput for a height that is not a CSS length, and for what no attribute can hold
 */
export function embedCode(embed: Embed, embedUrl: string): string {
	const form = [attribute('data-xform', embed.slug), attribute('data-mode', embed.mode)];
	const script = ['script', attribute('src', `${embedUrl}/embed.js`)];
	switch (embed.mode) {
		case 'inline':
			return `${element('div', ...form, attribute('data-height', cssHeight(embed.height)))}${element(...script, 'async')}`;
		case 'popup':
			return `${element('div', ...form, attribute('data-button-text', embed.buttonText))}${element(...script, 'async')}`;
		case 'popover':
			return element(...script, ...form, 'async');
	}
}

function element(...parts: string[]): string {
	return `<${parts.join(' ')}></${parts[0]}>`;
}

function attribute(name: string, value: string): string {
	if (value.includes('\0')) {
		throw new InvalidInput(
			`"${value.replaceAll('\0', '')}" has an invisible character that HTML cannot hold: enter the text again by hand`,
		);
	}
	// Line breaks too: a parser would turn a carriage return into a line feed. And "$": n8n's HTML node puts
	// this text into a page with String.replace, to which "$&" and the like mean something else.
	const escaped = value.replace(/[$&<>"'\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
	return `${name}="${escaped}"`;
}

const CSS_LENGTH =
	/^(\d+|\d*\.\d+)(%|px|cm|mm|q|in|pt|pc|em|rem|ex|rex|ch|rch|cap|rcap|ic|ric|lh|rlh|[sld]?v(h|w|b|i|min|max)|cq(h|w|b|i|min|max))$/i;

function cssHeight(value: string): string {
	const height = value.trim();
	if (CSS_LENGTH.test(height)) return height;
	throw new InvalidInput(
		`Height is "${value}": enter a number with a CSS unit, e.g. 600px or 80vh`,
	);
}
