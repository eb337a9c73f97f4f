import type { IExecuteFunctions, INodePropertyOptions } from 'n8n-workflow';
import { embedCode, type Embed } from './embedCode';
import { readEmbedUrl } from '../transport/account';
import { InvalidInput } from '../transport/errors';
import { formField } from '../parameters/fields';
import { isFromList, toFormId } from '../parameters/formLocator';
import { refuseFixedName, toChoice, toText } from '../parameters/values';
import type { Operation } from './operation';

const modes: INodePropertyOptions[] = [
	{ name: 'Inline', value: 'inline', description: 'The form is part of the page' },
	{ name: 'Popover', value: 'popover', description: 'The form opens on top of the page' },
	{ name: 'Popup', value: 'popup', description: 'A button in the page opens the form' },
];

export const getEmbedCode: Operation = {
	value: 'getEmbedCode',
	name: 'Get Embed Code',
	action: "Get a form's embed code",
	description: 'Get the HTML that shows a form in a web page; sends no request',
	fields: [
		{
			...formField,
			name: 'formSlug',
			builderHint: { propertyHint: 'Use mode "slug" with the slug of the form' },
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: 'Select a form...',
					typeOptions: { searchListMethod: 'searchFormSlugs', searchable: true },
				},
				{
					displayName: 'By Slug',
					name: 'slug',
					type: 'string',
					placeholder: 'e.g. contact-us',
				},
			],
		},
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
	start: (context) => ({
		async execute(itemIndex) {
			const embed = readEmbed(context, itemIndex);
			const html = embedCode(embed, await readEmbedUrl(context, itemIndex));
			return [{ html, slug: embed.slug, mode: embed.mode }];
		},
	}),
};

function readEmbed(context: IExecuteFunctions, itemIndex: number): Embed {
	const parameter = (name: string, byDefault = ''): unknown =>
		context.getNodeParameter(name, itemIndex, byDefault);
	const slug = readSlug(parameter('formSlug'));
	const mode = toChoice('Mode', parameter('mode', 'inline'), modes);
	if (mode !== 'popover') refuseFixedName('Mode', context.getNode().parameters.mode, modes);
	switch (mode) {
		case 'inline':
			return { mode, slug, height: toText('Height', parameter('height')) };
		case 'popup':
			return { mode, slug, buttonText: readButtonText(parameter('buttonText')) };
		default:
			return { mode: 'popover', slug };
	}
}

/**
 * What no part of an address can hold (RFC 3986), or what nobody sees; letters beyond ASCII can, as browsers
 * escape them.
 */
const NOT_URL_SAFE = /[\s\p{Cc}/\\?#"<>[\]^`{|}]|(?![\u200C\u200D])\p{Cf}|%(?![\da-f]{2})/iu;

/** No request would ever tell that there is no such form: the page would just stay empty. */
function readSlug(entered: unknown): string {
	const slug = toFormId(entered, 'slug');
	if (isFromList(entered) || !NOT_URL_SAFE.test(slug)) return slug;
	const shown = slug.replace(
		/[\p{Cc}\p{Cf}]/gu,
		(character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`,
	);
	throw new InvalidInput(
		`Form is "${shown}", which cannot be a slug: select the form from the list, or enter its slug, e.g. contact-us`,
	);
}

function readButtonText(value: unknown): string {
	const text = toText('Button Text', value);
	if (text.trim() !== '') return text;
	throw new InvalidInput('Button Text is empty: enter what the button says, e.g. Contact us');
}
