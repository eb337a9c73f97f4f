import type { IExecuteFunctions, INodePropertyOptions } from 'n8n-workflow';
import { formSlugField, toForm } from '../parameters/formLocator';
import { toChoice, toText } from '../parameters/values';
import { embedUrlOf } from '../transport/account';
import { InvalidInput } from '../transport/errors';
import { isRecord } from '../transport/records';
import type { Operation } from './operation';

type Mode = 'inline' | 'popover' | 'popup';

const modes: (INodePropertyOptions & { value: Mode })[] = [
	{ name: 'Inline', value: 'inline', description: 'The form is part of the page' },
	{ name: 'Popover', value: 'popover', description: 'The form opens on top of the page' },
	{ name: 'Popup', value: 'popup', description: 'A button in the page opens the form' },
];

interface Embed {
	mode: Mode;
	slug: string;
	/** Of the element that shows the form */
	attributes: Record<string, string>;
}

export const getEmbedCode: Operation<Embed> = {
	value: 'getEmbedCode',
	name: 'Get Embed Code',
	action: "Get a form's embed code",
	description: 'Get the HTML that shows a form in a web page',
	fields: [
		formSlugField,
		{
			displayName: 'Mode',
			name: 'mode',
			type: 'options',
			default: 'inline',
			options: modes,
			description: 'How the page shows the form',
		},
		{
			displayName: 'Height',
			name: 'height',
			type: 'string',
			default: '600px',
			placeholder: 'e.g. 600px',
			description: 'The height of the form in the page: a number with a CSS unit, such as px or vh',
			displayOptions: { show: { mode: ['inline'] } },
		},
		{
			displayName: 'Button Text',
			name: 'buttonText',
			type: 'string',
			default: 'Open form',
			placeholder: 'e.g. Contact us',
			description: 'The label of the button that opens the form',
			displayOptions: { show: { mode: ['popup'] } },
		},
	],
	reader: (context) => (itemIndex) => readEmbed(context, itemIndex),
	start: () => ({
		execute: async ({ account, input }) => [
			{ html: embedCode(input, embedUrlOf(account)), slug: input.slug, mode: input.mode },
		],
	}),
};

function readEmbed(context: IExecuteFunctions, itemIndex: number): Embed {
	const parameter = (name: string): unknown => context.getNodeParameter(name, itemIndex);
	const locator = parameter('formSlug');
	const { id: slug } = toForm(locator, 'slug');
	const isFromList = isRecord(locator) && locator.mode === 'list';
	if (!isFromList && /[\s/?#"<>]/.test(slug)) {
		throw new InvalidInput(
			`Form is "${slug.slice(0, 40)}", which cannot be a slug: select the form, or enter e.g. contact-us`,
		);
	}
	const mode = toChoice('Mode', parameter('mode'), modes);
	const attributes: Record<string, string> = { 'data-xform': slug, 'data-mode': mode };
	if (mode === 'inline') attributes['data-height'] = toCssHeight(parameter('height'));
	if (mode === 'popup') attributes['data-button-text'] = toButtonText(parameter('buttonText'));
	return { mode, slug, attributes };
}

const CSS_LENGTH = /^(\d+|\d*\.\d+)(%|[a-z]{1,5})$/i;

function toCssHeight(value: unknown): string {
	const height = toText('Height', value).trim();
	if (CSS_LENGTH.test(height)) return height;
	throw new InvalidInput(
		`Height is "${height.slice(0, 40)}": enter a number with a CSS unit, e.g. 600px or 80vh`,
	);
}

function toButtonText(value: unknown): string {
	const text = toText('Button Text', value);
	if (text.trim() !== '') return text;
	throw new InvalidInput('Button Text is empty: enter what the button says, e.g. Contact us');
}

function embedCode({ mode, attributes }: Embed, embedUrl: string): string {
	const source = { src: `${embedUrl}/embed.js` };
	if (mode === 'popover') return element('script', { ...source, ...attributes }, 'async');
	return element('div', attributes) + element('script', source, 'async');
}

function element(name: string, attributes: Record<string, string>, ...flags: string[]): string {
	const parts = Object.entries(attributes).map(([key, value]) => `${key}="${escaped(value)}"`);
	return `<${[name, ...parts, ...flags].join(' ')}></${name}>`;
}

/** "$" too: n8n's HTML node puts this text into a page with `String.replace`, to which "$&" means something else. */
function escaped(text: string): string {
	return text.replace(/[$&<>"'\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}
