import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const names = [
	'action',
	'description',
	'displayName',
	'hint',
	'noticeText',
	'placeholder',
	'subtitle',
];

/** What people read in the editor. Where it lets them down, no test tells. */
const texts = {
	shouldIgnore: ({ node }) =>
		node.type === 'ObjectProperty' && names.includes(node.key.name)
			? 'a text of the editor'
			: undefined,
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'texts', texts)];
