import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const texts = new Set([
	'action',
	'activationMessage',
	'description',
	'displayName',
	'documentationUrl',
	'eventTriggerDescription',
	'noFieldsError',
	'placeholder',
	'plural',
	'singular',
	'subtitle',
	'valuesLabel',
]);

const named = (property, name) => property.isObjectProperty() && property.node.key.name === name;

/** The words of the editor are read by people: a test that repeats them shows nothing. */
export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'texts-of-editor', {
		shouldIgnore(path) {
			if (!path.isStringLiteral()) return undefined;
			const property = path.parentPath;
			if (!texts.has(property.node.key?.name)) return undefined;
			if (property.isClassProperty()) return 'A text of the editor';
			if (!property.isObjectProperty()) return undefined;
			const siblings = property.parentPath.get('properties');
			const isField = ['displayName', 'value', 'singular', 'resourceMapperMethod'].some((name) =>
				siblings.some((sibling) => named(sibling, name)),
			);
			return isField ? 'A text of the editor' : undefined;
		},
	}),
];
