import { resultError } from '../../../../nodes/FormCollection/transport/errorDetails';
import type {
	Reply,
	RequestResult,
	ServiceRequest,
} from '../../../../nodes/FormCollection/transport/attempt';

const request: ServiceRequest = {
	method: 'GET',
	account: {
		baseUrl: 'https://forms.example.com/api',
		apiKey: 'key-of-the-account',
		credential: { id: '', name: '', type: 'formCollectionApi', data: {} },
	},
	path: '/responses',
	formId: 'f1',
	timeoutMs: 30_000,
};
const creation: ServiceRequest = { ...request, method: 'POST', body: '{}' };
const now = Date.UTC(2026, 0, 31, 9);
const details = (result: RequestResult, about = request) => resultError(about, result, now).details;
const reply = (status: number, more: Partial<Reply> = {}) =>
	details({ kind: 'reply', status, ...more });
const lookFirst = 'check whether the response was stored before you send it again';

it('tells of an execution that was stopped', () => {
	const result = { kind: 'canceled', reason: 'ERR_CANCELED' } as const;
	const stopped = 'The execution was stopped before the service answered';

	expect(details(result)).toMatchObject({
		message: `${stopped}: start it again when you want the result`,
		outcome: undefined,
	});
	expect(details(result, creation)).toMatchObject({
		message: `${stopped}: ${lookFirst}`,
		outcome: 'unknown',
	});
});

it('tells of a request that n8n could not complete', () => {
	const result = { kind: 'other', reason: 'No bridge' } as const;
	const message = 'n8n could not complete the request';
	const description = 'Reason: No bridge';
	const ask = 'try again, and show the reason below to your n8n administrator';

	expect(details(result)).toEqual({ message: `${message}: ${ask}`, description });
	expect(details(result, creation)).toEqual({
		message: `${message}: ${lookFirst}`,
		description,
		outcome: 'unknown',
	});
});

describe('the outcome of a submission', () => {
	const outcomeOf = (result: RequestResult) => details(result, creation).outcome;
	const statuses = (from: number, to: number) =>
		Array.from({ length: to - from }, (_, i) => from + i);

	const givenUp = [408, 460, 499];

	it('is unknown after a redirect, a timeout of the service and a server error', () => {
		for (const status of [99, ...statuses(300, 400), ...givenUp, ...statuses(500, 600)]) {
			for (const location of [undefined, '/elsewhere', 'https://example.com/api/responses']) {
				const { outcome, message } = details({ kind: 'reply', status, location }, creation);
				expect([status, outcome]).toEqual([status, 'unknown']);
				expect(message).toContain(lookFirst);
			}
		}
	});

	it('is a refusal after every other client error', () => {
		for (const status of statuses(400, 500).filter((each) => !givenUp.includes(each))) {
			const { outcome, message } = details({ kind: 'reply', status }, creation);
			expect([status, outcome]).toEqual([status, 'refused']);
			expect(message).not.toContain(lookFirst);
		}
	});

	it.each([
		['unreachable', 'neverSent'],
		['proxy', 'neverSent'],
		['handshake', 'neverSent'],
		['stopped', 'neverSent'],
		['blocked', 'neverSent'],
		['tls', 'unknown'],
		['timeout', 'unknown'],
		['lost', 'unknown'],
		['cutShort', 'unknown'],
		['canceled', 'unknown'],
		['other', 'unknown'],
	] as const)('of a connection that ended with %s is %s', (kind, expected) => {
		expect(outcomeOf({ kind, reason: '' })).toBe(expected);
		const { message } = details({ kind, reason: '' }, creation);
		expect(message.includes(lookFirst)).toBe(expected === 'unknown');
	});
});

it('tells of a list of forms that does not come in time', () => {
	const forms: ServiceRequest = { ...request, path: '/forms', formId: undefined };
	const { message } = details({ kind: 'timeout', reason: 'ETIMEDOUT' }, forms);

	expect(message).toBe(
		'The service did not answer within 30 seconds: try again in a few minutes, or check the Base URL in the Form Collection API credential and that n8n can reach it',
	);
});

it('tells of a lost connection whether https is missing', () => {
	const at = (baseUrl: string) =>
		details(
			{ kind: 'lost', reason: 'EPIPE' },
			{ ...request, account: { ...request.account, baseUrl } },
		).description;

	expect(at('https://forms.example.com/api')).toBe('Reason: EPIPE');
	expect(at('http://forms.example.com/api')).toBe(
		'Reason: EPIPE\nIf this happens each time, check whether the Base URL in the Form Collection API credential has to begin with https',
	);
});

it('tells what ends all requests of the execution', () => {
	expect(reply(401).isPermanent).toBe(true);
	expect(reply(401, { challenge: 'Basic' }).isPermanent).toBe(true);
	expect(reply(403).isPermanent).toBe(false);
	expect(reply(429).isPermanent).toBe(true);
	expect(reply(429, { retryAfterMs: 20_000 }).isPermanent).toBe(false);
	expect(reply(429, { retryAfterMs: 20_001 }).isPermanent).toBe(true);
});

it('tells of waits in seconds up to two minutes, then in minutes, and after a day only the end', () => {
	expect(reply(503, { retryAfterMs: 119_000 }).message).toMatch(/: try again in 119 seconds$/);
	expect(reply(503, { retryAfterMs: 119_001 }).message).toMatch(
		/: try again in 2 minutes, after 31 Jan 2026, 09:02 UTC$/,
	);
	expect(reply(503, { retryAfterMs: 86_400_000 }).message).toMatch(
		/: try again in 1440 minutes, after 1 Feb 2026, 09:00 UTC$/,
	);
	expect(reply(503, { retryAfterMs: 86_400_001 }).message).toMatch(
		/: try again after 1 Feb 2026, 09:01 UTC$/,
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
	const said = (text: string) =>
		reply(404, { errorBody: { text, isCut: false } }).description?.split('\n');
	const check = 'If this happens with every form, check the Base URL in';

	expect(said('Gone')).toEqual(['The service says: "Gone"', expect.stringContaining(check)]);
	expect(said(' <p>Gone</p>')?.join()).not.toContain('Gone');
	for (const none of ['', ' ', 'null', '7', '{"a":[null,true]}', '[[]]']) {
		expect(said(none)).toEqual([expect.stringContaining(check)]);
	}
	expect(said('['.repeat(50_000) + ']'.repeat(50_000))).toHaveLength(1);
	expect(said('x'.repeat(300))?.[0]).toBe(`The service says: "${'x'.repeat(300)}"`);
	expect(said('x'.repeat(301))?.[0]).toBe(`The service says: "${'x'.repeat(300)}…"`);
});
