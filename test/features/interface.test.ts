import { loadOutputSchema } from 'n8n-core';
import type { IDataObject, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { join } from 'node:path';
import { FormCollectionApi } from '../../credentials/FormCollectionApi.credentials';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import packageJson from '../../package.json';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import {
	frozenReleases,
	interfaceOf,
	readChangelog,
	unlistedChanges,
} from '../../tools/releases/releases';
import { byId, credentialsOf, runOn } from '../support/formCollection';

const nodesFolder = join(__dirname, '../../nodes');

const current = () =>
	interfaceOf(
		[FormCollection, FormCollectionTrigger].map((Node) => new Node().description),
		[new FormCollectionApi()],
		nodesFolder,
	);

/** What saved workflows and credentials refer to, and how the editor shows it. */
it('declares what the snapshot says', () => {
	const isText = /^(action|description|displayName|hint|noticeText|placeholder|propertyHint)$/;
	const declared = (value: object) =>
		JSON.stringify(value, (key, inner) => (isText.test(key) ? undefined : inner));
	const nodes = [new FormCollection(), new FormCollectionTrigger()];
	const lines = [
		...nodes.flatMap((node) => {
			const { properties, ...description } = node.description;
			return [{ ...description, ...node.methods }, ...properties];
		}),
		{ ...new FormCollectionApi(), properties: undefined },
		...new FormCollectionApi().properties,
	].map(declared);

	expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
});

it('has all that the last release had, or the CHANGELOG says why not', () => {
	expect(frozenReleases().map((release) => release.version)).toContain(packageJson.version);
	expect(unlistedChanges(frozenReleases(), current(), readChangelog())).toEqual([]);
});

it('brings no other package with it', () => {
	const fields = Object.keys(packageJson).filter((field) => /dependencies$/i.test(field));

	expect(fields).toEqual(['peerDependencies', 'devDependencies']);
	expect(packageJson.peerDependencies).toEqual({ 'n8n-workflow': '*' });
});

it('has no regular expression that n8n would stop on a busy machine, after 250 ms', () => {
	const descriptions = [
		new FormCollection().description.properties,
		new FormCollectionTrigger().description.properties,
		new FormCollectionApi().properties,
	];

	expect(JSON.stringify(descriptions)).not.toContain('"regex"');
});

describe('before the first run, the output of', () => {
	interface Schema {
		type: string;
		properties?: Record<string, Schema>;
		items?: Schema;
	}

	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox();
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.stop());

	const contactForm = () => byId(sandbox.forms.find(({ slug }) => slug === 'contact-us')!.id);

	const parametersOf: Record<string, () => INodeParameters> = {
		getForms: () => ({ returnAll: true }),
		getResponses: () => ({ formId: contactForm(), returnAll: true }),
		createResponse: () => ({
			formId: contactForm(),
			answersInput: 'json',
			answersJson: '{"email":"ada@example.com"}',
		}),
		getQuestions: () => ({ formId: contactForm() }),
		getEmbedCode: () => ({ formSlug: { __rl: true, mode: 'slug', value: 'newsletter' } }),
	};

	async function outputOf(operation: string, variant: 'plain' | 'extended') {
		sandbox.setVariant(variant);
		const parameters = { operation, ...parametersOf[operation]?.() };
		const credentials = { ...credentialsOf(sandbox), embedUrl: sandbox.url };
		const { items } = await runOn(sandbox, parameters, { credentials });
		expect(items.length).toBeGreaterThan(0);
		return items.map(({ json }) => json);
	}

	function fits(value: unknown, { type, items }: Schema): boolean {
		if (type !== 'array') return typeof value === type && !Array.isArray(value);
		return Array.isArray(value) && value.every((part) => items === undefined || fits(part, items));
	}

	const operations = new FormCollection().description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options }) => (options as INodePropertyOptions[]).map(({ value }) => value));

	it.each(operations as string[])(
		'%s has the fields that each item has in both variants of the service',
		async (operation) => {
			const nodeDir = join(nodesFolder, 'FormCollection');
			const place = { nodeDir, version: 1, resource: 'form', operation };
			const { type, properties = {} } = loadOutputSchema(place) as unknown as Schema;
			const items: IDataObject[] = [
				...(await outputOf(operation, 'plain')),
				...(await outputOf(operation, 'extended')),
			];

			const inAll = Object.keys(items[0]!).filter((field) => items.every((item) => field in item));
			// The reference documents it for one variant; users of that one map it.
			if (operation === 'getForms') inAll.push('updated_at');
			expect(type).toBe('object');
			expect(Object.keys(properties).sort()).toEqual(inAll.sort());
			const misfits = items.flatMap((item) =>
				Object.entries(properties).filter(
					([field, schema]) => field in item && !fits(item[field], schema),
				),
			);
			expect(misfits).toEqual([]);
		},
	);
});
