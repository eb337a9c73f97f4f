import { nodeType } from '../../playground/workflows';
import { startSandbox, type SandboxForm, type SandboxResponse } from '../../sandbox';
import { byId, fromList } from '../support/formCollection';
import { Bench } from './support/bench';

const bench = new Bench();

beforeAll(async () => await bench.start());

afterAll(async () => await bench.stop());

beforeEach(() => bench.sandbox.reset());

const formBySlug = (slug: string): SandboxForm =>
	bench.sandbox.forms.find((candidate) => candidate.slug === slug)!;

let nextPath = 0;

/** Runs the items through a node with these parameters; returns what it puts out. */
async function run(parameters: object, items: object[] = [{}], credential = bench.credential) {
	const path = `run-${(nextPath += 1)}`;
	await bench.publishWebhook(path, parameters, credential);
	const { status, body } = await bench.client.callWebhook<SandboxResponse[]>(path, { items });
	expect({ status, body }).toMatchObject({ status: 200 });
	return body;
}

test('the nodes have the names that every installation gives them', async () => {
	const types = await bench.client.nodeTypes();

	const names = new Set(types.map(({ name }) => name));
	expect([...names].filter((name) => name.includes('form-collection')).sort()).toEqual([
		nodeType,
		`${nodeType}Tool`,
		`${nodeType}Trigger`,
	]);
});

test('the credential test accepts the right key, and says what is wrong with another', async () => {
	const { baseUrl, apiKey, url } = bench.sandbox;
	const check = async (change: object) =>
		await bench.client.testCredential(bench.credential, { baseUrl, apiKey, ...change });
	const failure = (message: RegExp) => ({
		status: 'Error',
		message: expect.stringMatching(message) as string,
	});

	expect(await check({})).toMatchObject({ status: 'OK' });
	expect(bench.routes()).toEqual(['GET /forms']);
	expect(await check({ apiKey: 'wrong' })).toEqual(failure(/key.*\(401\)/i));
	expect(await check({ baseUrl: url })).toEqual(failure(/\(404\).*Base URL/));
	for (const unreachable of ['http://127.0.0.1:1/api', '127.0.0.1:1/api']) {
		expect(await check({ baseUrl: unreachable })).toEqual(failure(/Base URL/));
	}
});

test('the form list keeps the forms that match what was typed', async () => {
	const { client, credential } = bench;
	const choices = await client.searchForms(credential, { operation: 'getResponses' }, 'CONTACT');

	expect(choices).toEqual([
		{ name: 'Contact import', value: formBySlug('contact-import').id },
		{ name: 'Contact us', value: formBySlug('contact-us').id },
	]);
	expect(bench.routes()).toEqual(['GET /forms']);
});

test('answers that are mapped by question are submitted, and Get Responses reads them back', async () => {
	const form = formBySlug('contact-us');
	const formId = fromList(form.id);
	const parameters = { operation: 'createResponse', formId };
	const questions = await bench.client.getQuestions(bench.credential, parameters);
	const value = { full_name: '={{ $json.name }}', company: null, topics: '={{ $json.topics }}' };
	const people = [
		{ name: 'Ada', topics: ['Sales', 'Press'] },
		{ name: 'Grace', topics: ['Support'] },
	];

	const created = await run(
		{
			...parameters,
			answersInput: 'mapping',
			answersMapping: {
				mappingMode: 'defineBelow',
				value,
				matchingColumns: [],
				schema: questions.filter(({ id }) => id in value),
			},
			options: { parallelRequests: 1 },
		},
		people,
	);
	const read = await run({
		operation: 'getResponses',
		formId,
		returnAll: false,
		limit: 2,
		options: { sort: 'newestFirst' },
	});

	const keys = ['full_name', 'email', 'company', 'topics', 'message'];
	expect(questions.map(({ id }) => id)).toEqual(keys);
	const stored = bench.sandbox.responses.slice(-2);
	expect(stored.map(({ answers }) => answers)).toEqual(
		people.map(({ name, topics }) => ({ full_name: name, topics })),
	);
	expect(created).toEqual(stored.map(({ id }) => ({ success: true, response_id: id })));
	const byId = (a: SandboxResponse, b: SandboxResponse) => a.id.localeCompare(b.id);
	expect(read.sort(byId)).toEqual(stored.sort(byId));
});

test('each item uses the account that an expression in the credential gives it', async () => {
	const other = await startSandbox({ apiKey: 'other-key' });
	try {
		const credential = await bench.client.createCredential('Per item', 'formCollectionApi', {
			baseUrl: '={{ $json.base }}',
			apiKey: '={{ $json.key }}',
		});
		const accounts = [bench.sandbox, other, other, bench.sandbox];

		await run(
			{
				operation: 'createResponse',
				formId: byId(formBySlug('newsletter').id),
				answersInput: 'json',
				answersJson: '={{ { n: String($json.n) } }}',
				options: { parallelRequests: 1 },
			},
			accounts.map(({ baseUrl, apiKey }, n) => ({ base: baseUrl, key: apiKey, n })),
			credential,
		);

		const numbersIn = ({ responses }: { responses: SandboxResponse[] }) =>
			responses.map(({ answers }) => answers['n']).filter((n) => n !== undefined);
		expect([numbersIn(bench.sandbox), numbersIn(other)]).toEqual([
			['0', '3'],
			['1', '2'],
		]);
	} finally {
		await other.stop();
	}
});
