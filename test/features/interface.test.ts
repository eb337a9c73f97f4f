import { join } from 'node:path';
import { FormCollectionApi } from '../../credentials/FormCollectionApi.credentials';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import packageJson from '../../package.json';
import {
	frozenReleases,
	interfaceOf,
	readChangelog,
	unlistedChanges,
} from '../../tools/releases/releases';

/** What only people and AI read may change at any time. */
const texts = new Set([
	'action',
	'activationMessage',
	'description',
	'displayName',
	'eventTriggerDescription',
	'noFieldsError',
	'notice',
	'placeholder',
	'plural',
	'propertyHint',
	'searchHint',
	'singular',
	'subtitle',
	'valuesLabel',
]);

const withoutTexts = (part: object) =>
	JSON.parse(
		JSON.stringify(part, (key, value: unknown) => {
			if (!texts.has(key) || typeof value !== 'string') return value;
			return value === '' ? '' : 'a text';
		}),
	);

it.each([FormCollection, FormCollectionTrigger])(
	'keeps what saved workflows refer to (%#)',
	(Node) => {
		expect(withoutTexts(new Node().description)).toMatchSnapshot();
	},
);

it('has all that the last release had, or the CHANGELOG says why not', () => {
	const now = interfaceOf(
		[FormCollection, FormCollectionTrigger].map((Node) => new Node().description),
		[new FormCollectionApi()],
		join(__dirname, '../../nodes'),
	);

	expect(frozenReleases().map((release) => release.version)).toContain(packageJson.version);
	expect(unlistedChanges(frozenReleases(), now, readChangelog())).toEqual([]);
});

it.each([FormCollection, FormCollectionTrigger])('has what its fields load from (%#)', (Node) => {
	const { description, methods } = new Node();
	const { listSearch, loadOptions } = methods;
	const named = [
		...JSON.stringify(description).matchAll(/"(searchList|loadOptions)Method":"(\w+)"/g),
	];

	expect(new Set(named.map(([, kind]) => kind)).size).toBe(2);
	for (const [, kind, name = ''] of named) {
		expect(kind === 'loadOptions' ? loadOptions : listSearch).toHaveProperty(name);
	}
});

it('brings no other package with it', () => {
	const fields = Object.keys(packageJson).filter((field) => /dependencies$/i.test(field));

	expect(fields).toEqual(['peerDependencies', 'devDependencies']);
	expect(packageJson.peerDependencies).toEqual({ 'n8n-workflow': '*' });
});

it('keeps what saved credentials refer to', () => {
	const { name, properties, authenticate } = new FormCollectionApi();

	expect(withoutTexts({ name, properties, authenticate })).toMatchSnapshot();
});

it('has no regular expression that n8n would stop on a busy machine, after 250 ms', () => {
	const descriptions = [
		new FormCollection().description.properties,
		new FormCollectionTrigger().description.properties,
		new FormCollectionApi().properties,
	];

	expect(JSON.stringify(descriptions)).not.toContain('"regex"');
});
