import { faultOf, notJson } from '../../../../nodes/FormCollection/transport/errorDetails';
import type {
	Outcome,
	Reply,
	ServiceRequest,
} from '../../../../nodes/FormCollection/transport/request';

const request: ServiceRequest = {
	method: 'GET',
	baseUrl: 'https://forms.example.com/api',
	apiKey: 'key',
	credential: { id: '', name: '', type: 'formCollectionApi', data: {} },
	path: '/responses',
	formId: 'f1',
	timeoutMs: 30_000,
};
const creation: ServiceRequest = { ...request, method: 'POST', body: '{}' };
const now = Date.UTC(2026, 0, 31, 9);
const advice = (outcome: Outcome, about = request) => faultOf(about, outcome, now).advice;
const reply = (status: number, more: Partial<Reply> = {}) =>
	advice({ kind: 'reply', status, words: '', ...more });
const lookFirst = 'check whether the response was stored before you send it again';

it('tells of an execution that was stopped', () => {
	const outcome = { kind: 'canceled', reason: 'ERR_CANCELED' } as const;
	const stopped = 'The execution was stopped before the service answered';

	expect(advice(outcome)).toMatchObject({
		message: `${stopped}: start it again when you want the result`,
		uncertain: false,
	});
	expect(advice(outcome, creation)).toMatchObject({
		message: `${stopped}: ${lookFirst}`,
		uncertain: true,
	});
});

it('tells of a request that n8n did not send', () => {
	expect(advice({ kind: 'refusedByN8n', reason: 'Domain not allowed' })).toMatchObject({
		message: 'n8n did not send the request: Domain not allowed',
		uncertain: false,
	});
});

it('tells of a list of forms that does not come in time', () => {
	const forms: ServiceRequest = { ...request, path: '/forms', formId: undefined };
	const { message } = advice({ kind: 'timeout', reason: 'ETIMEDOUT' }, forms);

	expect(message).toBe('The service did not answer within 30 seconds: try again in a few minutes');
});

it('tells what ends all requests of the execution', () => {
	expect(reply(401).lasting).toBe(true);
	expect(reply(403).lasting).toBeUndefined();
	expect(reply(429).lasting).toBe(true);
	expect(reply(429, { retryAfterMs: 20_000 }).lasting).toBe(false);
	expect(reply(429, { retryAfterMs: 20_001 }).lasting).toBe(true);
});

it('tells of waits in seconds up to two minutes, then in minutes', () => {
	expect(reply(503, { retryAfterMs: 119_000 }).message).toMatch(/: try again in 119 seconds$/);
	expect(reply(503, { retryAfterMs: 119_001 }).message).toMatch(
		/: try again in 2 minutes, after 2026-01-31 09:02 UTC$/,
	);
});

it('tells of all ways to redirect', () => {
	const moved = 'The service has moved to https://elsewhere.example.com/v2';

	for (const status of [300, 399]) {
		const location = 'https://elsewhere.example.com/v2/responses//';
		expect(reply(status, { location }).message).toContain(moved);
	}
	expect(reply(400).message).toMatch(/^The service did not accept the request \(400\)/);
});

it('tells the words of the service', () => {
	const said = (words: string) => reply(404, { words }).description?.split('\n');
	const check = 'If this happens with every form, check the Base URL in';

	expect(said('Gone')).toEqual(['The service says: "Gone"', expect.stringContaining(check)]);
	for (const none of ['', ' ', ' <p>Gone</p>', 'null', '7', '{"a":[null,true]}', '[[]]']) {
		expect(said(none)).toEqual([expect.stringContaining(check)]);
	}
	expect(said('['.repeat(50_000) + ']'.repeat(50_000))).toHaveLength(1);
	expect(said('x'.repeat(300))?.[0]).toBe(`The service says: "${'x'.repeat(300)}"`);
	expect(said('x'.repeat(301))?.[0]).toBe(`The service says: "${'x'.repeat(300)}…"`);
});

it('tells text from JSON that is cut off', () => {
	expect(notJson(request, 'See {this}').message).toContain('There is text that is not JSON where');
	expect(notJson(request, ' {"responses":').message).toContain('was cut short');
});
