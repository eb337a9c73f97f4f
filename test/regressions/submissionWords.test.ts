import type { INode } from 'n8n-workflow';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool } from '../support/engine';
import { byId, credentialsOf, formRecord, runOn } from '../support/formCollection';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ forms: [formRecord('f1'), formRecord('f2')], responses: [] });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

const create = (options: object = {}) => ({
	operation: 'createResponse',
	formId: byId('f1'),
	answersInput: 'json',
	answersJson: '={{ { "n": $json.n } }}',
	options: { parallelRequests: 1, ...options },
});
const retryOnFail: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ n: `<${i}>` }));
const forItem = (n: number, fault: Fault): Fault => ({ contains: `<${n}>`, ...fault });
const posts = () => sandbox.log.filter(({ method }) => method === 'POST');

it('as a tool, two calls that differ only in an argument "error" are two submissions', async () => {
	const call = asTool({
		parameters: { ...create(), answersJson: "={{ { error: $fromAI('error') } }}" },
		credentials: credentialsOf(sandbox),
	});
	sandbox.faults.add({ route: 'POST /responses', times: 1, status: 500 });
	await call({ error: 'It does not start' }).catch(() => undefined);
	await call({ error: 'It does not stop' }).catch(() => undefined);
	expect(posts()).toHaveLength(2);
});

it('an unknown outcome stays unknown if the parameters of a later try cannot be read', async () => {
	const moment = Date.now() + 1000;
	sandbox.faults.add(forItem(0, { cut: 'connection', stored: true, times: 1 }));
	const { items, failed } = await runOn(
		sandbox,
		{
			...create(),
			answersJson: `={{ $now.toMillis() < ${moment} ? { "n": $json.n } : 'no JSON' }}`,
		},
		{
			input: numbered(1),
			node: {
				retryOnFail: true,
				maxTries: 2,
				waitBetweenTries: 1500,
				onError: 'continueErrorOutput',
			},
		},
	);
	expect(String([...items, ...failed][0]?.json.error)).toMatch(/\nOutcome: unknown$/);
});

it.each([false, true])(
	'a stopped execution tells that an outcome is unknown, skipExisting %s',
	async (skipExisting) => {
		sandbox.faults.add(
			forItem(0, { route: 'POST /responses', cut: 'connection', stored: true }),
			{ route: 'GET /responses', skip: 1, hang: true },
			forItem(1, { route: 'POST /responses', hang: true }),
		);
		const arrived = async () => {
			const there = () => (skipExisting ? sandbox.log.length >= 3 : posts().length >= 2);
			while (!there()) await new Promise((resolve) => setTimeout(resolve, 5));
		};
		const { runs } = await runOn(sandbox, create({ skipExisting }), {
			input: numbered(skipExisting ? 1 : 2),
			node: { ...retryOnFail, onError: 'continueRegularOutput' },
			onStart: (stop) => void arrived().then(stop),
		});
		expect(String(runs.at(-1)?.[0]?.[0]?.json.error)).toMatch(
			/check whether the response was stored/,
		);
	},
);

describe.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'On Error %s',
	(onError) => {
		it.each([
			['the operation is not known', { operation: 'deleteResponse' }],
			[
				'Parallel Requests cannot be evaluated',
				{ options: { parallelRequests: "={{ $('Nowhere').first().json.x }}" } },
			],
		])('each item carries its error if %s', async (_, parameters) => {
			const { items, failed, status } = await runOn(
				sandbox,
				{ ...create(), ...parameters },
				{ input: numbered(2), node: { onError } },
			);
			const isErrorOutput = onError === 'continueErrorOutput';
			const errors = (isErrorOutput ? failed : items).map(({ json }) => String(json.error));
			const ends = isErrorOutput ? /.\nOutcome: not sent$/ : /./;
			expect({ status, errors }).toEqual({
				status: 'success',
				errors: Array(2).fill(expect.stringMatching(ends)),
			});
			if (isErrorOutput) expect(items).toEqual([]);
		});
	},
);

it('Map Automatically: the error message of an item that comes back is no answer', async () => {
	const { failed } = await runOn(
		sandbox,
		{ ...create(), operation: 'deleteResponse' },
		{ input: numbered(2), node: { onError: 'continueErrorOutput' } },
	);
	const automatic = { mappingMode: 'autoMapInputData', value: null };
	await runOn(
		sandbox,
		{ ...create(), answersInput: 'mapping', answersMapping: automatic },
		{ input: failed.map(({ json }) => json) },
	);
	expect(sandbox.responses.map(({ answers }) => answers)).toEqual(numbered(2));
});

it('the advice for a date of JavaScript can be followed', async () => {
	const { error } = await runOn(sandbox, {
		...create(),
		answersJson: '={{ { "n": new Date(0) } }}',
	});
	expect(error?.message).toMatch(/The answer to "n" is a date/);
	expect(error?.message).not.toMatch(/toISO\(\)/);
});
