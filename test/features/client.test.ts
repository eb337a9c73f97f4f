import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { ServiceClient } from '../../nodes/FormCollection/transport/client';
import type { ServiceError } from '../../nodes/FormCollection/transport/errors';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { execute, loadOptions } from '../support/engine';
import { startFastClock } from '../support/fastClock';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	itemsOf,
	requestsTo,
	runOn,
} from '../support/formCollection';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1')] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const getForms = async (credentials: { baseUrl?: unknown; apiKey?: unknown }) =>
	await execute({
		parameters: { operation: 'getForms' },
		credentials: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, ...credentials } as never,
		input: [{}, {}],
	});

it.each([
	(url: string) => `${url}/`,
	(url: string) => `  ${url}///\n`,
	(url: string) => url.replace('http', 'HTTP'),
	(url: string) => `${url}?`,
])('takes a Base URL as people paste it (%#)', async (paste) => {
	const { items } = await getForms({ baseUrl: paste(sandbox.baseUrl) });

	expect(items).toHaveLength(2);
	expect(sandbox.log.map(({ path }) => path)).toEqual(['/api/forms']);
});

it('takes white space around the key', async () => {
	const { items } = await getForms({ apiKey: `\t${sandbox.apiKey}\n` });

	expect(items.slice(0, 1)).toEqual(itemsOf([formRecord('f1')], 0));
});

it.each<[string, (account: Sandbox) => ICredentialDataDecryptedObject, number]>([
	['without expressions once for all items', ({ baseUrl, apiKey }) => ({ baseUrl, apiKey }), 1],
	[
		'with an expression as Base URL once for each item',
		({ baseUrl, apiKey }) => ({ baseUrl: `={{ '${baseUrl}' }}`, apiKey }),
		3,
	],
	[
		'with an expression as API Key once for each item',
		({ baseUrl, apiKey }) => ({ baseUrl, apiKey: `={{ '${apiKey}' }}` }),
		3,
	],
])('reads a credential %s, and not again for a request', async (_, credentialsOf, reads) => {
	const parameters = {
		operation: 'createResponse',
		formId: byId('f1'),
		answersInput: 'json',
		answersJson: '={{ $json }}',
	};
	const { credentialReads } = await runOn(sandbox, parameters, {
		input: [{ a: '1' }, { a: '2' }, { a: '3' }],
		credentials: credentialsOf(sandbox),
	});

	expect(sandbox.log.map(({ status }) => status)).toEqual([201, 201, 201]);
	expect(credentialReads).toBe(reads);
});

it.each(['getForms', 'getQuestions'])(
	'reads a credential once for all items of %s',
	async (operation) => {
		const parameters = { operation, formId: byId('f1') };
		const { credentialReads } = await runOn(sandbox, parameters, { input: [{}, {}, {}] });

		expect(sandbox.log).toHaveLength(1);
		expect(credentialReads).toBe(1);
	},
);

describe('submissions to a form that is not there', () => {
	const submissions = {
		operation: 'createResponse',
		formId: byId('={{ $json.form }}'),
		answersInput: 'json',
		answersJson: '={{ { "a": $json.answer } }}',
		options: { parallelRequests: 1 },
	};
	const run = async (items: { form: string; answer: string }[]) => {
		const { failed, items: created } = await runOn(sandbox, submissions, {
			input: items,
			node: { onError: 'continueErrorOutput' },
		});
		return { created, failed: failed.map(({ json }) => String(json.error)) };
	};
	const statuses = () => sandbox.log.map(({ status }) => status);

	it('end after three in a row, but for those to other forms', async () => {
		const items = [...Array<string>(5).fill('nope'), 'f1'].map((form) => ({ form, answer: '' }));
		const { created, failed } = await run(items);

		expect(failed).toHaveLength(5);
		for (const error of failed) expect(error).toMatch(/^Form "nope" was not found \(404\)/);
		const notSent = failed.map((error) => error.includes('Outcome: not sent'));
		expect(notSent).toEqual([false, false, false, true, true]);
		expect(created).toHaveLength(1);
		expect(statuses()).toEqual([404, 404, 404, 201]);
	});

	it('go on where one in between is stored, or fails for another reason', async () => {
		const route = 'POST /responses';
		sandbox.faults.add({ route, contains: 'gone', status: 404 });
		sandbox.faults.add({ route, contains: 'bad', status: 422 });
		const answers = 'gone gone good gone gone bad gone gone gone gone'.split(' ');
		await run(answers.map((answer) => ({ form: 'f1', answer })));

		expect(statuses()).toEqual([404, 404, 201, 404, 404, 422, 404, 404, 404]);
	});
});

const example =
	'enter one like https://forms.example.com/api in the Form Collection API credential';

it.each<[unknown, string]>([
	['', `The Base URL is empty: ${example}`],
	['  ', `The Base URL is empty: ${example}`],
	[undefined, `The Base URL is empty: ${example}`],
	['not a url', `The Base URL is not a web address: ${example}`],
	['forms.example.com/api', `The Base URL is not a web address: ${example}`],
	['localhost:3000/api', `The Base URL is not a web address: ${example}`],
	['ftp://user:secret@example.com', `The Base URL is not a web address: ${example}`],
	['not-https://example.com', `The Base URL is not a web address: ${example}`],
	['http://', `The Base URL is not a web address: ${example}`],
	...[
		'user:secret@example.com',
		'user@example.com',
		':secret@example.com',
		'example.com/api?key=secret',
		'example.com/#secret',
	].map((rest): [unknown, string] => [
		`https://${rest}`,
		`The Base URL has more than a host and a path: leave out the user name, "?" and "#", and ${example}`,
	]),
])(
	'refuses the Base URL %j before any request, and does not repeat it',
	async (baseUrl, message) => {
		const { error } = await getForms({ baseUrl });

		expect(factsOf(error)).toEqual({ message, itemIndex: 0 });
		expect(requestsTo(sandbox)).toEqual([]);
	},
);

it.each([
	['', 'empty'],
	['  ', 'empty'],
	[undefined, 'empty'],
	['two\nlines', 'incomplete or has invalid characters'],
	['two words', 'incomplete or has invalid characters'],
	['ключ', 'incomplete or has invalid characters'],
])('refuses the API key %j before any request', async (apiKey, found) => {
	const { error } = await getForms({ apiKey });

	expect(factsOf(error)).toEqual({
		message: `The API Key is ${found}: copy it from your account settings into the Form Collection API credential`,
		itemIndex: 0,
	});
	expect(requestsTo(sandbox)).toEqual([]);
});

it.each(['Bearer abc-123', ' bearer  abc-123 '])('refuses the API key %j', async (apiKey) => {
	const { error } = await getForms({ apiKey });

	expect(factsOf(error)).toEqual({
		message:
			'The API Key begins with the word Bearer: leave it out in the Form Collection API credential, because the node adds it',
		itemIndex: 0,
	});
	expect(requestsTo(sandbox)).toEqual([]);
});

it.each([
	['a key of fewer than 8 characters is left as it is', 'short', 'a-short-id'],
	['a longer key is not passed on', '8letters', 'a-…-id'],
	['a key with a quotation mark, which JSON escapes, is not passed on', 'key-"8\\"', 'a-…-id'],
])('the reply to a submission that repeats the key: %s', async (_, apiKey, response_id) => {
	sandbox.addKey(apiKey);
	sandbox.faults.add({ status: 200, body: { success: true, response_id: `a-${apiKey}-id` } });
	const { items } = await execute({
		parameters: {
			operation: 'createResponse',
			formId: byId('f1'),
			answersInput: 'json',
			answersJson: '{ "n": "1" }',
		},
		credentials: { baseUrl: sandbox.baseUrl, apiKey },
	});

	expect(items.map(({ json }) => json)).toEqual([{ success: true, response_id }]);
});

it('the reply to a submission that repeats no key is passed on as it came', async () => {
	const body = { success: true, response_id: 'r1', more: [{ message: 'Thank you' }, 'key', null] };
	sandbox.faults.add({ status: 200, body });
	const { items } = await runOn(sandbox, submission());

	expect(items.map(({ json }) => json)).toEqual([body]);
});

const submission = () => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ { n: $json.n ?? "1" } }}',
	options: { parallelRequests: 1 },
});

describe('what every further request would meet', () => {
	const refused =
		'The service refused the API key (401): copy the key from your account settings into the Form Collection API credential';
	const input = [{ n: '1' }, { n: '2' }, { n: '3' }];
	const node = { onError: 'continueRegularOutput' as const };

	it('is asked once, and told for each item: nothing else was sent', async () => {
		sandbox.faults.add({ status: 401, body: 'No such key' });
		const { failed } = await runOn(sandbox, submission(), {
			input,
			node: { onError: 'continueErrorOutput' },
		});

		const said = `${refused}\nThe service says: "No such key"`;
		expect(failed.map(({ json }) => json.error)).toEqual([
			`${said}\nOutcome: refused`,
			`${said}\nOutcome: not sent`,
			`${said}\nOutcome: not sent`,
		]);
		expect(requestsTo(sandbox)).toEqual(['POST /responses f1']);
	});

	it('is asked once of a list, too', async () => {
		sandbox.faults.add({ status: 401 });
		const parameters = { operation: 'getResponses', formId: byId('={{ $json.n }}') };
		const { items } = await runOn(sandbox, parameters, { input, node });

		expect(items.map(({ json }) => json.error)).toEqual([refused, refused, refused]);
		expect(requestsTo(sandbox)).toEqual(['GET /responses 1']);
	});

	it('is not what one of them meets', async () => {
		sandbox.faults.add({ status: 422, times: 1 });
		const { items } = await runOn(sandbox, submission(), { input, node });

		expect(items.map(({ json }) => json.success)).toEqual([undefined, true, true]);
	});
});

describe('"not modified", which nobody asked for, is an empty reply:', () => {
	it.each([
		['getForms', 'There is an empty reply where the forms should be, at '],
		['getResponses', 'There is an empty reply where the responses should be, at '],
		[
			'createResponse',
			'The service answered with an empty reply: check the Base URL in the Form Collection API credential, and check whether the response was stored before you send it again',
		],
	])('%s', async (operation, message) => {
		sandbox.faults.add({ status: 304 });
		const { error } = await runOn(sandbox, { ...submission(), operation });

		expect(error?.message).toContain(message);
	});
});

describe('a client', () => {
	const start = async (maxTries?: number) => {
		const credentials = credentialsOf(sandbox);
		const client = new ServiceClient(loadOptions({ parameters: {}, credentials }), maxTries);
		return { client, account: await client.account(0) };
	};

	/** How many responses it has read */
	const counting = () => {
		let count = 0;
		return { add: () => ++count, result: () => count };
	};

	const messageOf = async (reading: Promise<unknown>) =>
		await reading.then(
			() => 'It got through',
			(error: ServiceError) => error.message,
		);

	it('gives its own objects at each call, of one request', async () => {
		const { client, account } = await start();
		const [[first], [second]] = await Promise.all([client.forms(account), client.forms(account)]);
		first!.title = 'Changed';

		expect(second).toEqual(formRecord('f1'));
		expect(await client.forms(account)).toEqual([formRecord('f1')]);
		expect(client.hints()).toEqual([]);
		expect(requestsTo(sandbox)).toEqual(['GET /forms']);
	});

	it('begins nothing in an execution that is stopped', async () => {
		const context = loadOptions({ parameters: {}, credentials: credentialsOf(sandbox) });
		// What n8n gives to an execution
		const stopped = Object.create(context, {
			getExecutionCancelSignal: { value: () => AbortSignal.abort() },
		}) as typeof context;

		expect(await messageOf(new ServiceClient(stopped).account(0))).toBe(
			'The execution was stopped before the request was sent: run it again',
		);
	});

	it('reads nothing of a list that has not changed', async () => {
		const { client, account } = await start();
		sandbox.faults.add({ status: 304 });
		const reply = await client.responses(account, 'f1', counting, {
			ifChangedSince: { etag: '"v1"' },
		});

		expect(reply).toMatchObject({ result: undefined, isPartial: false });
		expect(sandbox.log[0]?.headers).toMatchObject({ 'if-none-match': '"v1"' });
	});

	it('keeps no validator that has the API key in it', async () => {
		const { client, account } = await start();
		const validatorsOf = async (headers: Record<string, string>) => {
			sandbox.faults.clear();
			sandbox.faults.add({ headers });
			return (await client.responses(account, 'f1', counting)).validators;
		};

		expect(await validatorsOf({ ETag: '"v1"' })).toEqual({ etag: '"v1"' });
		expect(await validatorsOf({ ETag: `"${sandbox.apiKey}-v1"` })).toBeUndefined();
	});

	it('tells once of a list that may go on, without the API key and line breaks', async () => {
		const { client, account } = await start();
		const page = { [`next ${sandbox.apiKey}\n\tof`]: 'b' };
		sandbox.faults.add({
			route: 'GET /responses',
			status: 200,
			body: { responses: [], ...page },
		});
		sandbox.faults.add({ route: 'GET /forms', headers: { 'X-Total': '7' } });
		for (let i = 0; i < 2; i++) await client.responses(account, 'f1', counting);
		expect(await client.forms(account)).toHaveLength(1);

		expect(client.hints()).toEqual([
			'The service also sent next … of: there may be more responses than these',
			'The service also sent X-Total: there may be more forms than these',
		]);
	});

	describe('with no more time than n8n gives a poll', () => {
		const outOfBudget =
			'The service did not answer in full within the 5 s that n8n gives a poll: ask your n8n administrator to raise N8N_SCHEDULER_POLL_TIMEOUT and N8N_SCHEDULER_LEASE_DURATION';

		it('says who can give it more, also where it ends in the very millisecond', async () => {
			const { client, account } = await start(1);
			sandbox.faults.add({ hang: true });
			// Nothing moves the clock but this test.
			jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
			try {
				const reading = messageOf(client.responses(account, 'f1', counting, { budgetMs: 5_000 }));
				while (sandbox.log.length === 0) await new Promise((resolve) => setImmediate(resolve));
				await jest.advanceTimersByTimeAsync(5_000);

				expect(await reading).toBe(outOfBudget);
			} finally {
				jest.useRealTimers();
			}
		});

		it('offers no Timeout where the node has none', async () => {
			const { client, account } = await start(1);
			sandbox.faults.add({ hang: true });
			const stop = startFastClock();
			const message = await messageOf(client.responses(account, 'f1', counting));
			stop();

			expect(message).toMatch(/^The service did not answer within 30 seconds: try again in a few/);
		});

		it('ends in time where the clock is put back', async () => {
			const { client, account } = await start(1);
			sandbox.faults.add({ hang: 'body' });
			const options = { timeoutMs: 1_000, budgetMs: 5_000 };
			const reading = messageOf(client.responses(account, 'f1', counting, options));
			while (sandbox.log.length === 0) await new Promise((resolve) => setImmediate(resolve));
			const earlier = Date.now() - 3_600_000;
			const clock = jest.spyOn(Date, 'now').mockImplementation(() => earlier);
			const message = await reading.finally(() => clock.mockRestore());

			expect(message).toContain('did not answer within 1 second');
		});

		it('names a shorter Timeout as such', async () => {
			const { client, account } = await start(1);
			sandbox.faults.add({ hang: true });
			const stop = startFastClock();
			const options = { timeoutMs: 1_000, budgetMs: 5_000 };
			const message = await messageOf(client.responses(account, 'f1', counting, options));
			stop();

			expect(message).toMatch(
				/^The service did not answer within 1 second: try again, or raise Timeout under Options/,
			);
		});

		it('names what else has ended it, however late', async () => {
			const { client, account } = await start(3);
			sandbox.faults.add({ status: 503, headers: { 'Retry-After': '4' } });
			const stop = startFastClock();
			const options = { budgetMs: 5_000 };
			const message = await messageOf(client.responses(account, 'f1', counting, options));
			stop();

			expect(message).toMatch(
				/^The service, or a proxy on the way to it, could not answer \(503\)/,
			);
			expect(requestsTo(sandbox)).toHaveLength(3);
		});
	});
});
