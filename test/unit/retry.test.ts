import { connectionFailure } from '../../nodes/FormCollection/transport/connectionFailure';
import { retryAfterMs, retryDelayMs } from '../../nodes/FormCollection/transport/retry';
import { showable, wordsIn } from '../../nodes/FormCollection/transport/showable';

interface Result {
	kind: string;
	status?: number;
	retryAfterMs?: number;
}
type Row = [result: Result, read: number[], submission: number[]];

const reply = (status: number, wait?: number) => ({ kind: 'reply', status, retryAfterMs: wait });
const kinds = (...all: string[]) => all.map((kind) => ({ kind }));

/** The longest waits before the second and the third try: of a read, and of a submission. */
it.each<Row>([
	...[
		...[408, 500, 502, 503, 504].map((status) => reply(status)),
		...kinds('lost', 'cutShort'),
	].map((result): Row => [result, [500, 1000], []]),
	...[
		...[200, 400, 401, 403, 404, 422, 501, 505].map((status) => reply(status)),
		...kinds('timeout', 'insecure', 'blocked', 'stopped', 'canceled', 'notApi', 'denied'),
	].map((result): Row => [result, [], []]),
	[{ kind: 'unreachable' }, [500, 1000], [500, 1000]],
	[reply(429), [], []],
	[reply(429, 0), [0, 0], [0, 0]],
	[reply(429, 20_000), [20_000, 20_000], [20_000, 20_000]],
	[reply(429, 20_001), [], []],
	[reply(503, 3_000), [3_000, 3_000], []],
	[reply(503, 20_001), [], []],
	[reply(422, 3_000), [], []],
])('after %j, a read waits for %j, a submission for %j', (result, read, submission) => {
	const waits = (method: 'GET' | 'POST') =>
		[1, 2].flatMap((tries) => retryDelayMs(method, result, tries, 1) ?? []);

	expect([waits('GET'), waits('POST')]).toEqual([read, submission]);
});

it('spreads the tries of callers that failed together over half of the wait', () => {
	const waits = [0, 0.5, 1].map((random) => retryDelayMs('GET', reply(503), 1, random));

	expect(waits).toEqual([250, 375, 500]);
});

it.each<[string?, number?]>([
	['12', 12_000],
	[' 0 ', 0],
	['1.2345', 1_235],
	['Fri, 02 Jan 2026 12:00:30 GMT', 30_000],
	['Friday, 02-Jan-26 12:00:30 GMT', 30_000],
	['Fri, 02 Jan 2026 11:00:00 GMT', 0],
	...[undefined, '', '-1', 'soon 5', '5 seconds', '1e9', '2026-01-02'].map(
		(header): [string?, number?] => [header, undefined],
	),
])('reads the Retry-After header %j as %j ms', (header, expected) => {
	expect(retryAfterMs(header, Date.parse('2026-01-02T12:00:00Z'))).toBe(expected);
});

/** As Node.js, and n8n 2.41 around it, give them */
it.each([
	['unreachable', 'ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'],
	['unreachable', 'ENOTFOUND', 'getaddrinfo ENOTFOUND forms.example.com'],
	['unreachable', 'EAI_FAIL', 'getaddrinfo EAI_FAIL forms.example.com'],
	['unreachable', 'EINVAL', 'connect EINVAL fe80::1:1 - Local (:::0)'],
	[
		'unreachable',
		'ETIMEDOUT',
		'connect ETIMEDOUT 2001:db8::1:1 | connect ECONNREFUSED 127.0.0.1:1',
	],
	['unreachable', 'ECONNRESET', 'Client network socket disconnected before secure TLS connection'],
	['unreachable', undefined, 'Proxy connection ended before receiving CONNECT response'],
	['insecure', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
	['insecure', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'],
	['insecure', 'CERT_HAS_EXPIRED', 'certificate has expired'],
	['insecure', 'ERR_TLS_CERT_ALTNAME_INVALID', 'IP does not match certificate altnames'],
	['insecure', 'EPROTO', 'write EPROTO 80:error:0A00010B:SSL routines::wrong version number'],
	['insecure', 'EPROTO', 'write EPROTO 80:error:0A000410:SSL routines::alert handshake failure'],
	// After the request was sent
	['lost', 'ERR_SSL_WRONG_VERSION_NUMBER', '80:error:0A00010B:SSL routines::wrong version number'],
	['lost', 'EPROTO', 'write EPROTO 80:error:0A000119:SSL routines::bad record mac'],
	['lost', 'ECONNRESET', 'read ECONNRESET'],
	['lost', 'ECONNRESET', 'aborted'],
	['lost', 'HPE_HEADER_OVERFLOW', 'Parse Error: Header overflow'],
	['timeout', 'ECONNABORTED', 'timeout of 30000ms exceeded'],
	['timeout', 'ETIMEDOUT', 'read ETIMEDOUT'],
	['canceled', 'ERR_CANCELED', 'canceled'],
])('understands as %s: %s %s', (kind, code, message) => {
	const own =
		'The connection cannot be established, consider to set the "Retry On Fail" option in the node settings';
	const inNode = Object.assign(new Error(message), { code });
	const in20 = Object.assign(new Error(own), { code, messages: [message] });
	const in241 = Object.assign(new Error(own), {
		httpCode: code,
		messages: [message],
		cause: inNode,
	});

	for (const error of [inNode, in20, in241]) {
		const { kind: found, reason } = connectionFailure(error);

		expect([found, reason]).toEqual([kind, expect.stringContaining(message)]);
		expect(reason).not.toContain(own);
	}
});

it('looks for where it began', () => {
	const errors = [{ syscall: 'connect', code: 'ETIMEDOUT' }, { syscall: 'connect' }];

	expect(connectionFailure({ cause: { code: 'ETIMEDOUT', errors } }).kind).toBe('unreachable');
	expect(connectionFailure({ cause: { name: 'SsrfBlockedIpError' } }).kind).toBe('blocked');
	for (const odd of ['odd', null]) {
		expect(connectionFailure(odd)).toEqual({ kind: 'lost', reason: '' });
	}
	const endless: { cause?: object } = {};
	endless.cause = endless;
	expect(connectionFailure(endless)).toEqual({ kind: 'lost', reason: '' });
	expect(connectionFailure({ syscall: 'getaddrinfo' }).kind).toBe('unreachable');
	expect(connectionFailure({ syscall: 'read', code: 'ETIMEDOUT' }).kind).toBe('timeout');
});

it('gives as the reason the two innermost texts, once each', () => {
	const inner = { name: 'Error', message: 'No route', code: 'EHOSTUNREACH', syscall: 'connect' };
	const innermost = { name: 'Error', message: '' };
	const error = {
		name: 'AxiosError',
		message: 'No route',
		code: '',
		cause: { ...inner, cause: innermost },
	};

	expect(connectionFailure(error)).toEqual({
		kind: 'unreachable',
		reason: 'No route: EHOSTUNREACH',
	});
});

describe('the words of a service', () => {
	// Any eight characters in a row include all five that HTML has names for.
	const key = `fcz&"'<>%=+`;
	const names: Record<string, string> = {
		'&': 'amp',
		'"': 'quot',
		"'": 'apos',
		'<': 'lt',
		'>': 'gt',
	};
	const spelled = (of: (char: string) => string) => [...key].map(of).join('');
	const code = (char: string) => char.charCodeAt(0);

	it.each([
		['the key', key],
		['its first eight characters', key.slice(0, 8)],
		['its last eight characters', key.slice(-8)],
		['percent signs', spelled((char) => `%${code(char).toString(16).toUpperCase()}`)],
		['named entities', spelled((char) => (char in names ? `&${names[char]};` : char))],
		['decimal entities', spelled((char) => `&#${code(char)};`)],
		['hexadecimal entities', spelled((char) => `&#x${code(char).toString(16)};`)],
		['nothing', ' '],
		['more than 300 characters', 'x'.repeat(301)],
	])('are not shown with %s in them', (_, text) => {
		expect(showable(text, key)).toBeUndefined();
	});

	it.each([
		['x'.repeat(300), 'x'.repeat(300)],
		[key.slice(0, 7), key.slice(0, 7)],
		[' in  two\n lines ', 'in two lines'],
		['100 %, &nope; %zz', '100 %, &nope; %zz'],
	])('are shown: %s', (text, expected) => {
		expect(showable(text, key)).toBe(expected);
	});

	it('are not shown with a short key in them', () => {
		expect(['it is abc', 'it is ab'].map((text) => showable(text, 'abc'))).toEqual([
			undefined,
			'it is ab',
		]);
	});

	it('are the texts of JSON, a plain text, and nothing of a web page', () => {
		const bodies = ['{"a":["b",{"c":"d"}],"e":1}', 'plain', '\n <html>'];

		expect(bodies.map(wordsIn)).toEqual(['b, d', 'plain', '']);
	});
});
