import type { INodeParameters } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { TestResult } from '../support/engine';
import { asTool } from '../support/engine';
import { byId, credentialsOf, formRecord, responseRecord, runOn } from '../support/formCollection';
import { Poller, pollPaths } from '../support/poller';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')], responses: [] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = (options: object = {}, more: object = {}): INodeParameters => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ $json }}',
	options: { parallelRequests: 1, ...options },
	...more,
});
const existing = (answers: object) =>
	sandbox.responses.push(responseRecord('f1', 'old', { answers: answers as never }));
const stored = () => sandbox.responses.map(({ answers }) => answers);
const posts = () =>
	sandbox.log
		.filter(({ method }) => method === 'POST')
		.map(({ body }) => (body as { answers: object }).answers);
const hintsOf = ({ run }: TestResult) =>
	(run.data.resultData.runData['Form Collection'] ?? []).flatMap(({ hints = [] }) =>
		hints.map(({ message }) => message),
	);
const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const withErrorOutput = { onError: 'continueErrorOutput' as const };
const isRefused = { route: 'POST /responses', status: 422, body: 'Not now', times: 1 };
const isUnknown = { route: 'POST /responses', status: 500, stored: false };

describe('created between publishing and the end of a first poll that times out', () => {
	// docs/trigger.md: "The first successful poll emits the responses created since you published."
	// `publishedAt` is taken when the poll has failed, up to Timeout later.
	it('is passed on by the first poll that gets an answer, on each path', async () => {
		sandbox.faults.add({ hang: true, times: pollPaths.length });
		const pollers = pollPaths.map(
			(path) =>
				new Poller(path, {
					parameters: { formId: byId('f1'), options: { timeout: 1 } },
					credentials: credentialsOf(sandbox),
					workflowId: path,
				}),
		);

		const publishing = pollers.map(async (poller) => await poller.activate());
		await new Promise((resolve) => setTimeout(resolve, 50));
		const created_at = new Date().toISOString().replace('.000Z', '.001Z');
		sandbox.responses.push(responseRecord('f1', 'during', { created_at }));
		await Promise.all(publishing);

		for (const poller of pollers) {
			expect((await poller.tick()).map(({ id }) => id)).toEqual(['during']);
		}
	});
});

describe('a refused item that comes back from the error output', () => {
	const wiredBack = { node: withErrorOutput, isErrorOutputWiredBack: true };

	// docs/errors.md: "If you connect the error output to the input of the node, refused items are sent
	// again". With As JSON and {{ $json }} the words of the failure are stored as an answer to "error",
	// and Skip Existing never again takes the row for the same.
	it('is sent as it was, with As JSON of the whole item', async () => {
		sandbox.faults.add(isRefused);

		await runOn(sandbox, create(), { input: [{ n: 'a' }], ...wiredBack });

		expect(posts()).toEqual([{ n: 'a' }, { n: 'a' }]);
	});

	it('is not sent twice when the import is run again with Skip Existing', async () => {
		sandbox.faults.add(isRefused);

		await runOn(sandbox, create({ skipExisting: true }), { input: [{ n: 'a' }], ...wiredBack });
		await runOn(sandbox, create({ skipExisting: true }), { input: [{ n: 'a' }], ...wiredBack });

		expect(stored()).toHaveLength(1);
	});
});

describe('an item with the error of an earlier execution, or of another node', () => {
	// E.g. failed rows are kept in a table and submitted later, or the error output of one Create Response
	// leads to another one for the same form. The reference in the text is only
	// run:index:hash(credential, form, fields), so it fits the item's own entry here.
	// docs/errors.md: what may have been stored is not sent again, "and the error message names it".
	it('is named as failed when its outcome is unknown again', async () => {
		sandbox.faults.add(isUnknown);
		const first = await runOn(sandbox, create(), { input: [{ n: 'a' }], node: withErrorOutput });
		const kept = first.failed.map(({ json }) => json);

		const later = await runOn(sandbox, create({}, { answersJson: '={{ { n: $json.n } }}' }), {
			input: kept,
			node: retryOnFail,
		});

		// It ends as a success without items.
		expect({ status: later.status, message: later.error?.message }).toEqual({
			status: 'error',
			message:
				'The service could not answer (500): check whether the response was stored before you send it again',
		});
	});
});

describe('Skip Existing in a tool', () => {
	// docs/ai.md: "An AI application that loses the answer to a call may repeat the call, which creates a
	// second response. Turn on Skip Existing in the Create Response tool to prevent that."
	it('prevents a second response when an agent repeats its call in one execution', async () => {
		const call = asTool({
			credentials: credentialsOf(sandbox),
			parameters: create({ skipExisting: true }, { answersJson: "={{ { n: $fromAI('n') } }}" }),
		});

		await call({ n: 'a' });
		await call({ n: 'a' });

		expect(stored()).toEqual([{ n: 'a' }]);
	});

	// AI Agent 3 runs its tools like other nodes: n8n 2.41 then says that they are none.
	it('prevents it where only the node type tells a tool', async () => {
		const { runs } = await runOn(sandbox, create({ skipExisting: true }), {
			input: [{ n: 'a' }],
			runs: 2,
			node: { type: 'n8n-nodes-form-collection.formCollectionTool' },
		});

		expect(runs).toHaveLength(2);
		expect(stored()).toEqual([{ n: 'a' }]);
	});
});

describe('Skip Existing on a list that says itself that it is not complete', () => {
	// docs/errors.md: "You can run an import again at any time, and it ends complete and without repeats."
	// The node knows before the first POST that it has not seen all responses, sends, and says so after.
	it.each([
		{ body: { responses: [], has_more: true } },
		{ body: { responses: [] }, status: 206 },
		{ body: { responses: [] }, headers: { Link: '<?page=2>; rel="next"' } },
	])('sends nothing that may be in the other part: %j', async (fault) => {
		existing({ n: 'a' });
		sandbox.faults.add({ route: 'GET /responses', status: 200, ...fault });

		await runOn(sandbox, create({ skipExisting: true }), { input: [{ n: 'a' }] });

		expect(posts()).toEqual([]);
	});
});

describe('Match On or Skip Existing that differ from item to item', () => {
	// docs/errors.md: one response per email address, "in the form and within the run".
	it('sees what the run has created without Skip Existing', async () => {
		await runOn(
			sandbox,
			create(
				{ skipExisting: '={{ $json.skip }}', matchOn: ['email'] },
				{ answersJson: '={{ { email: $json.email, n: $json.n } }}' },
			),
			{
				input: [
					{ skip: true, email: 'b', n: 1 },
					{ skip: false, email: 'a', n: 1 },
					{ skip: true, email: 'a', n: 2 },
				],
			},
		);

		expect(posts()).toEqual([
			{ email: 'b', n: '1' },
			{ email: 'a', n: '1' },
		]);
	});

	it('sees what the run has created with another Match On', async () => {
		await runOn(
			sandbox,
			create(
				{ skipExisting: true, matchOn: '={{ $json.on }}' },
				{ answersJson: '={{ { email: $json.email, phone: $json.phone } }}' },
			),
			{
				input: [
					{ on: 'phone', email: 'y', phone: '0' },
					{ on: 'email', email: 'a', phone: '1' },
					{ on: 'phone', email: 'b', phone: '1' },
				],
			},
		);

		expect(posts()).toEqual([
			{ email: 'y', phone: '0' },
			{ email: 'a', phone: '1' },
		]);
	});
});

describe('a number in Answers (JSON) that JavaScript cannot hold', () => {
	// Replies keep such numbers digit by digit (transport/json.ts); what is entered is changed silently.
	it('is sent digit by digit, or refused', async () => {
		await runOn(sandbox, create({}, { answersJson: '{ "order": 1234567890123456789 }' }));

		expect(posts()).not.toEqual([{ order: '1234567890123456800' }]);
	});
});

describe('a response without an id whose members come in another order', () => {
	// JSON objects have no order. "A record without one is known by all it holds."
	it('is not new', async () => {
		const poller = new Poller('classic', {
			parameters: { formId: byId('f1') },
			credentials: credentialsOf(sandbox),
		});
		const list = (...responses: object[]) => {
			sandbox.faults.clear();
			sandbox.faults.add({ status: 200, body: { responses } });
		};
		list({ form_id: 'f1', answers: { a: '1', b: '2' }, created_at: '2026-01-01T00:00:00Z' });
		await poller.activate();
		list({ created_at: '2026-01-01T00:00:00Z', answers: { b: '2', a: '1' }, form_id: 'f1' });

		expect(await poller.tick()).toEqual([]);
	});
});

describe('Get Embed Code of something that is no slug', () => {
	// "bad input gets a clear error": people paste the address of the form. The code shows no form at all.
	it('refuses the address of a form', async () => {
		const { status } = await runOn(
			sandbox,
			{
				operation: 'getEmbedCode',
				formSlug: { __rl: true, mode: 'slug', value: 'https://forms.example.com/f/contact-us' },
			},
			{ credentials: { ...credentialsOf(sandbox), embedUrl: 'https://forms.example.com' } },
		);

		expect(status).toBe('error');
	});
});

describe('a date at the end of time', () => {
	it('is refused with the name of the field and what to enter', async () => {
		const { error } = await runOn(sandbox, {
			operation: 'getResponses',
			formId: byId('f1'),
			options: { createdBefore: '+275760-09-13' },
		});

		// "Value is not a valid date"
		expect(error?.message).toContain('Created Before');
	});
});

describe('', () => {
	// n8n shows hints as HTML (transport/client.ts cleans the names of its own hint for that).
	it('the hint on fields that are left out has no HTML of the items', async () => {
		const schema = [{ id: 'n', displayName: 'n' }];
		const answersMapping = { mappingMode: 'autoMapInputData', value: null, schema };

		const result = await runOn(sandbox, create({}, { answersInput: 'mapping', answersMapping }), {
			input: [{ n: '1', '<a href=//evil.example>row': 'z' }],
		});

		expect(hintsOf(result).join()).not.toContain('<a');
	});

	it('the examples of the README and docs/embedding.md are what the node gives', async () => {
		const { items } = await runOn(
			sandbox,
			{
				operation: 'getEmbedCode',
				formSlug: { __rl: true, mode: 'slug', value: 'contact-us' },
				height: '505px',
			},
			{ credentials: { ...credentialsOf(sandbox), embedUrl: 'https://forms.example.com' } },
		);

		// The node has a line break between the two elements.
		const html = JSON.stringify(items[0]?.json.html);
		expect(readFileSync('README.md', 'utf8').includes(html)).toBe(true);
		expect(readFileSync('docs/embedding.md', 'utf8').includes(html)).toBe(true);
	});
});
