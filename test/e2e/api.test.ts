import type { Playground } from '../../playground/playground';
import { nodeType, webhookWorkflow } from '../../playground/workflows';
import { type SandboxForm, type SandboxResponse, startSandbox } from '../../sandbox';
import { startBench } from './support/bench';

let bench: Playground;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => await bench?.stop());

beforeEach(() => bench.sandbox.reset());

const routes = () => bench.sandbox.log.map(({ route }) => route);

function formBySlug(slug: string): SandboxForm {
	const form = bench.sandbox.forms.find((candidate) => candidate.slug === slug);
	if (!form) throw new Error(`The sandbox has no form ${slug}`);
	return form;
}

const responsesOf = ({ id }: SandboxForm) =>
	bench.sandbox.responses.filter(({ form_id }) => form_id === id);

const chosen = ({ id, title }: SandboxForm) => ({
	__rl: true,
	mode: 'list',
	value: id,
	cachedResultName: title,
});

let nextPath = 0;

/** Runs the items through a node with these parameters; returns what it puts out. */
async function run(
	parameters: Record<string, unknown>,
	items: object[] = [{}],
	credential = bench.credential,
) {
	const path = `run-${(nextPath += 1)}`;
	const { client } = bench;
	const workflow = await client.createWorkflow(webhookWorkflow(path, parameters, credential));
	await client.activateWorkflow(workflow);
	const { status, body } = await client.callWebhook(path, { items });
	expect({ status, body }).toMatchObject({ status: 200 });
	return body;
}

test('the nodes have the names that every installation gives them', async () => {
	const names = await bench.client.nodeTypeNames();

	expect(names.filter((name) => name.includes('form-collection')).sort()).toEqual([
		nodeType,
		`${nodeType}Tool`,
		`${nodeType}Trigger`,
	]);
});

describe('the credential test', () => {
	const check = async (change: object) =>
		await bench.client.testCredential(bench.credential, {
			baseUrl: bench.sandbox.baseUrl,
			apiKey: bench.sandbox.apiKey,
			...change,
		});

	const failure = (message: RegExp) => ({
		status: 'Error',
		message: expect.stringMatching(message) as string,
	});

	test('accepts the right key and costs one request', async () => {
		expect(await check({})).toMatchObject({ status: 'OK' });
		expect(routes()).toEqual(['GET /forms']);
	});

	test('says that a key is wrong', async () => {
		expect(await check({ apiKey: 'wrong' })).toEqual(failure(/key.*\(401\)/i));
	});

	test('says that nothing listens, and that an address has no scheme', async () => {
		for (const baseUrl of ['http://127.0.0.1:1/api', '127.0.0.1:1/api']) {
			expect(await check({ baseUrl })).toEqual(failure(/Base URL/));
		}
	});

	test('says that an address leads nowhere', async () => {
		expect(await check({ baseUrl: bench.sandbox.url })).toEqual(failure(/\(404\).*Base URL/));
	});

	test('says that an address leads to a web page', async () => {
		bench.sandbox.faults.add({
			body: '<html>Welcome</html>',
			headers: { 'Content-Type': 'text/html' },
		});

		expect(await check({})).toEqual(failure(/Base URL/));
	});
});

describe('the form dropdown', () => {
	const search = async (filter?: string) =>
		await bench.client.listSearch(
			{
				nodeType,
				typeVersion: 1,
				path: 'parameters.formId',
				method: 'searchForms',
				parameters: { operation: 'getResponses' },
				credential: bench.credential,
			},
			filter,
		);

	test('lists all forms by title, with one request', async () => {
		const choices = await search();

		const { forms } = bench.sandbox;
		const isRepeated = ({ title }: SandboxForm) =>
			forms.filter((form) => form.title === title).length > 1;
		const shown = choices.map(({ name, value }) => {
			const form = forms.find(({ id }) => id === value)!;
			const isTold = !isRepeated(form) || name.includes(form.slug) || name.includes(form.id);
			return isTold && name.startsWith(form.title) ? form.title : `not ${name}`;
		});
		const titles = forms.map(({ title }) => title);
		expect(shown).toEqual(titles.sort((a, b) => a.localeCompare(b)));
		expect(new Set(choices.map(({ value }) => value)).size).toBe(forms.length);
		expect(routes()).toEqual(['GET /forms']);
	});

	test('keeps the forms that match what was typed', async () => {
		expect(await search('CONTACT')).toEqual([
			{ name: 'Contact import', value: formBySlug('contact-import').id },
			{ name: 'Contact us', value: formBySlug('contact-us').id },
		]);
	});
});

test('the mapping offers the questions seen in past responses', async () => {
	const form = formBySlug('contact-us');
	const { fields } = await bench.client.mappingColumns({
		nodeType,
		typeVersion: 1,
		path: 'parameters.answersMapping',
		method: 'getQuestions',
		parameters: { operation: 'createResponse', formId: chosen(form) },
		credential: bench.credential,
	});

	const keys = new Set(responsesOf(form).flatMap(({ answers }) => Object.keys(answers)));
	expect(fields.map(({ id }) => id).sort()).toEqual([...keys].sort());
	expect(routes()).toEqual(['GET /responses']);
});

test('Get Forms puts out the records of the service, untouched', async () => {
	const items = await run({ operation: 'getForms', returnAll: true });

	expect(items).toEqual(bench.sandbox.forms);
	expect(routes()).toEqual(['GET /forms']);
});

test('each item uses the account that an expression in the credential gives it', async () => {
	const other = await startSandbox({ apiKey: 'other-key' });
	try {
		const { id } = formBySlug('newsletter');
		const credential = await bench.client.createCredential('Per item', 'formCollectionApi', {
			baseUrl: '={{ $json.base }}',
			apiKey: '={{ $json.key }}',
		});
		const items = [bench.sandbox, other, other, bench.sandbox].map(({ baseUrl, apiKey }, n) => ({
			base: baseUrl,
			key: apiKey,
			n,
		}));

		await run(
			{
				operation: 'createResponse',
				formId: { __rl: true, mode: 'id', value: id },
				answersInput: 'json',
				answersJson: '={{ { n: String($json.n) } }}',
				options: { parallelRequests: 1 },
			},
			items,
			credential,
		);

		const numbersIn = ({ responses }: { responses: SandboxResponse[] }) =>
			responses.map(({ answers }) => answers.n).filter((n) => n !== undefined);
		expect([numbersIn(bench.sandbox), numbersIn(other)]).toEqual([
			['0', '3'],
			['1', '2'],
		]);
	} finally {
		await other.stop();
	}
});

test('Get Responses reads two forms for three items with two requests', async () => {
	const contact = formBySlug('contact-us');
	const newsletter = formBySlug('newsletter');

	const items = await run(
		{
			operation: 'getResponses',
			formId: { __rl: true, mode: 'id', value: '={{ $json.form }}' },
			returnAll: false,
			limit: 2,
			options: { sort: 'asReceived' },
		},
		[{ form: contact.id }, { form: newsletter.id }, { form: contact.id }],
	);

	const firstTwo = (form: SandboxForm) => responsesOf(form).slice(0, 2);
	expect(items).toEqual([...firstTwo(contact), ...firstTwo(newsletter), ...firstTwo(contact)]);
	expect(routes()).toEqual(['GET /responses', 'GET /responses']);
});

describe('Create Response', () => {
	const people = [
		{ name: 'Ada', mail: 'ada@example.com', topics: ['Sales', 'Press'] },
		{ name: 'Grace', mail: 'grace@example.com', topics: ['Support'] },
	];
	const answers = people.map(({ name, mail, topics }) => ({
		full_name: name,
		email: mail,
		topics,
	}));

	const mapping = {
		operation: 'createResponse',
		answersInput: 'mapping',
		answersMapping: {
			mappingMode: 'defineBelow',
			value: {
				full_name: '={{ $json.name }}',
				email: '={{ $json.mail }}',
				company: null,
				topics: '={{ $json.topics }}',
			},
			matchingColumns: [],
			schema: ['full_name', 'email', 'company', 'topics'].map((id) => ({
				id,
				displayName: id,
				required: false,
				defaultMatch: false,
				canBeUsedToMatch: false,
				display: true,
			})),
		},
	};
	const automatic = {
		operation: 'createResponse',
		answersInput: 'mapping',
		answersMapping: { ...mapping.answersMapping, mappingMode: 'autoMapInputData', value: {} },
	};
	const keyValue = {
		operation: 'createResponse',
		answersInput: 'keyValue',
		answers: {
			answer: [
				{ key: 'full_name', value: '={{ $json.name }}' },
				{ key: 'email', value: '={{ $json.mail }}' },
				{ key: 'topics', value: '={{ $json.topics }}' },
			],
		},
	};
	const json = {
		operation: 'createResponse',
		answersInput: 'json',
		answersJson: '={{ { full_name: $json.name, email: $json.mail, topics: $json.topics } }}',
	};

	test.each([
		['mapped by question', mapping, people],
		['mapped automatically', automatic, answers],
		['entered by question key', keyValue, people],
		['entered as JSON', json, people],
	])('sends one response per item, %s', async (_, parameters, items) => {
		const form = formBySlug('contact-us');
		const before = responsesOf(form).length;

		const output = await run({ ...parameters, formId: chosen(form) }, items);

		const created = responsesOf(form).slice(before);
		// The sandbox stores in order of arrival, and both are on their way at the same time.
		const byName = [...created].sort((a, b) =>
			String(a.answers['full_name']).localeCompare(String(b.answers['full_name'])),
		);
		expect(byName.map((response) => response.answers)).toEqual(answers);
		expect(output).toEqual(byName.map(({ id }) => ({ success: true, response_id: id })));
		expect(routes()).toEqual(['POST /responses', 'POST /responses']);
	});

	test('submits once what several executions have at the same time, with Skip Existing', async () => {
		const form = formBySlug('contact-us');
		const before = responsesOf(form).length;
		bench.sandbox.faults.add({ route: 'POST /responses', stored: true, delayMs: 800 });
		const { client, credential } = bench;
		const options = { skipExisting: true, matchOn: ['email'] };
		const workflow = webhookWorkflow(
			'at-once',
			{ ...json, formId: chosen(form), options },
			credential,
		);
		await client.activateWorkflow(await client.createWorkflow(workflow));

		const call = async () =>
			await client.callWebhook<{ skipped?: true }[]>('at-once', { items: people });
		const replies = await Promise.all([call(), call(), call()]);

		expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
		const created = responsesOf(form).slice(before);
		expect(created.map(({ answers: { email } }) => email).sort()).toEqual([
			'ada@example.com',
			'grace@example.com',
		]);
		const items = replies.flatMap(({ body }) => body);
		expect(items.filter(({ skipped }) => skipped)).toHaveLength(4);
		expect(new Set(items.map((item) => 'response_id' in item && item.response_id))).toEqual(
			new Set(created.map(({ id }) => id)),
		);
	});
});
