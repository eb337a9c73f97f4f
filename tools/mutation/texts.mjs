import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const names = [
	'action',
	'description',
	'displayName',
	'hint',
	'noticeText',
	'placeholder',
	'propertyHint',
	'subtitle',
];

const isText = ({ key }, { properties = [] }) =>
	names.includes(key.name) ||
	(key.name === 'name' && properties.some((other) => other.key?.name === 'value'));

/** What people read in the editor, names of choices included. Where it lets them down, no test tells. */
const texts = {
	shouldIgnore: ({ node, parent }) =>
		node.type === 'ObjectProperty' && isText(node, parent) ? 'a text of the editor' : undefined,
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'texts', texts)];
