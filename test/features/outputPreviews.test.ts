import { join } from 'node:path';
import { loadOutputSchema } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { operationByValue } from '../../nodes/FormCollection/actions';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { execute } from '../support/engine';
import { byId, credentialsOf } from '../support/formCollection';

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

const contactForm = () => byId(sandbox.forms.find(({ slug }) => slug === 'contact-us')?.id ?? '');

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

async function itemsOf(operation: string, variant: 'plain' | 'extended'): Promise<IDataObject[]> {
	sandbox.setVariant(variant);
	const { status, items } = await execute({
		parameters: { operation, ...parametersOf[operation]?.() },
		credentials: { ...credentialsOf(sandbox), embedUrl: sandbox.url },
	});
	expect(status).toBe('success');
	expect(items.length).toBeGreaterThan(0);
	return items.map(({ json }) => json);
}

function fits(value: unknown, { type, items }: Schema): boolean {
	if (type !== 'array') return typeof value === type && !Array.isArray(value);
	return Array.isArray(value) && value.every((part) => items === undefined || fits(part, items));
}

it.each([...operationByValue.keys()])(
	'before its first run %s shows the fields that each item has in both variants of the service',
	async (operation) => {
		const nodeDir = join(__dirname, '../../nodes/FormCollection');
		const { type, properties = {} } = loadOutputSchema({
			nodeDir,
			version: 1,
			resource: 'form',
			operation,
		}) as unknown as Schema;
		const items = [
			...(await itemsOf(operation, 'plain')),
			...(await itemsOf(operation, 'extended')),
		];

		const [first = {}] = items;
		const inAll = Object.keys(first).filter((field) => items.every((item) => field in item));
		expect(type).toBe('object');
		expect(Object.keys(properties)).toEqual(inAll);
		const misfits = items.flatMap((item) =>
			Object.entries(properties).filter(([field, schema]) => !fits(item[field], schema)),
		);
		expect(misfits).toEqual([]);
	},
);
