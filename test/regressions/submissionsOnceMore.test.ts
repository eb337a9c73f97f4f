import type { INode } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { byId, formRecord, runOn } from '../support/formCollection';

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
const posts = () => sandbox.log.filter(({ method }) => method === 'POST');

it('a field "skipped" of the service does not count as existing', async () => {
	sandbox.faults.add({
		route: 'POST /responses',
		times: 1,
		body: { success: true, response_id: 'r1', skipped: true },
	});
	sandbox.faults.add({ route: 'POST /responses', times: 1, status: 422 });
	const { run } = await runOn(sandbox, create(), {
		input: [{ n: 'a' }, { n: 'b' }],
		node: retryOnFail,
	});
	const hints = run.data.resultData.runData['Form Collection']?.at(-1)?.hints ?? [];
	expect(hints.map(({ message }) => message)).toEqual([
		'1 of 2 items was submitted by an earlier try and was not sent again',
	]);
});

it('a reply with an error beside its success leaves by the first output, once', async () => {
	sandbox.faults.add({
		route: 'POST /responses',
		body: { success: true, response_id: 'r1', error: 'Nearly full' },
	});
	const { items, failed, status } = await runOn(sandbox, create(), {
		input: [{ n: 'a' }],
		node: { ...retryOnFail, onError: 'continueErrorOutput' },
	});
	expect(posts()).toHaveLength(1);
	expect({ status, items: items.length, failed: failed.length }).toEqual({
		status: 'success',
		items: 1,
		failed: 0,
	});
});

it('the reply of the service does not bring the key into the output', async () => {
	sandbox.faults.add({
		route: 'POST /responses',
		body: { success: true, response_id: 'r1', token: sandbox.apiKey },
	});
	const { items } = await runOn(sandbox, create(), { input: [{ n: 'a' }] });
	expect(JSON.stringify(items)).not.toContain(sandbox.apiKey);
});

it('Skip Existing chosen for some items only: a response under way stands for its own item', async () => {
	sandbox.faults.add({ route: 'POST /responses', times: 1, stored: true, delayMs: 400 });
	sandbox.faults.add({ route: 'GET /responses', times: 1, delayMs: 150 });
	await runOn(sandbox, create({ skipExisting: '={{ $json.check }}', parallelRequests: 2 }), {
		input: [
			{ n: 'a', check: false },
			{ n: 'a', check: true },
		],
	});
	expect(sandbox.responses).toHaveLength(2);
});
