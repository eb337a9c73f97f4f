import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const TEXTS =
	/^(action|activationMessage|description|displayName|documentationUrl|eventTriggerDescription|noFieldsError|placeholder|plural|singular|subtitle|valuesLabel)$/;
const FIELD = /^(displayName|value|singular|resourceMapperMethod)$/;

/** The words of the editor are read by people: a test that repeats them shows nothing. */
export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'texts-of-editor', {
		shouldIgnore(path) {
			const property = path.parentPath;
			if (!path.isStringLiteral() || !TEXTS.test(property.node.key?.name)) return undefined;
			// Errors have a description, too.
			const isField = property.parent.properties?.some(({ key }) => FIELD.test(key?.name));
			return property.isClassProperty() || isField ? 'A text of the editor' : undefined;
		},
	}),
];
