import { connectionFailure } from '../../../../nodes/FormCollection/transport/connectionFailure';

it.each([
	['https://forms.example.com/api', { port: 443 }, 'unreachable'],
	['https://forms.example.com/api', { port: 3128 }, 'proxy'],
	['http://forms.example.com/api', { port: 80 }, 'unreachable'],
	['http://forms.example.com/api', { port: 443 }, 'proxy'],
	['http://forms.example.com:8080/api', { port: 8080 }, 'unreachable'],
	['http://forms.example.com:8080/api', { port: 80 }, 'proxy'],
	['https://forms.example.com/api', { hostname: 'forms.example.com' }, 'unreachable'],
	['https://forms.example.com/api', { hostname: 'proxy.example.com' }, 'proxy'],
	['', { hostname: 'proxy.example.com', port: 3128 }, 'unreachable'],
])('a request to "%s" that did not find %j: %s', (url, found, kind) => {
	const cause = Object.assign(new Error(), { code: 'ECONNREFUSED', syscall: 'connect', ...found });
	const error = new Error('The service refused the connection', { cause });

	expect(connectionFailure(error, url)).toEqual({ kind, reason: 'ECONNREFUSED' });
});

it.each([
	['proxy.example.com', 443, 'proxy'],
	['forms.example.com', 443, 'unreachable'],
	['forms.example.com', 3128, 'proxy'],
])('a secure connection that never came about, to %s:%i: %s', (host, port, kind) => {
	const text = 'Client network socket disconnected before secure TLS connection was established';
	const error = Object.assign(new Error(text), { code: 'ECONNRESET', host, port });

	expect(connectionFailure(error, 'https://forms.example.com/api')).toEqual({
		kind,
		reason: 'ECONNRESET',
	});
});

it('names no proxy where the address of the service is IPv6', () => {
	const found = { code: 'ECONNREFUSED', syscall: 'connect', hostname: '::1', port: 8080 };
	const error = Object.assign(new Error(), found);

	expect(connectionFailure(error, 'http://[::1]:8080/api').kind).toBe('unreachable');
});

it.each([
	['ECONNRESET', 'lost', 'ECONNRESET'],
	['EPIPE', 'lost', 'EPIPE'],
	['ECONNABORTED', 'timeout', 'ETIMEDOUT'],
	['ETIMEDOUT', 'timeout', 'ETIMEDOUT'],
	['ERR_INVALID_URL', 'proxy', 'ERR_INVALID_URL'],
	['HPE_INVALID_CONSTANT', 'notHttp', 'HPE_INVALID_CONSTANT'],
	['CERT_HAS_EXPIRED', 'handshake', 'CERT_HAS_EXPIRED'],
	['ERR_SSL_BAD_RECORD', 'tls', 'ERR_SSL_BAD_RECORD'],
])('%s is %s', (code, kind, reason) => {
	const error = Object.assign(new Error('In words'), { code });

	expect(connectionFailure(error, 'https://forms.example.com/api')).toEqual({ kind, reason });
});

it('goes by what all addresses of a host ended with', () => {
	const tried = (code: string, port: number) =>
		Object.assign(new Error(), { code, syscall: 'connect', port });
	const failed = (port: number) =>
		Object.assign(
			new AggregateError([tried('ENETUNREACH', port), tried('ETIMEDOUT', port)], 'In words'),
			{ code: 'ENETUNREACH' },
		);
	const url = 'https://forms.example.com/api';

	expect(connectionFailure(failed(443), url)).toEqual({ kind: 'unreachable', reason: 'ETIMEDOUT' });
	expect(connectionFailure(failed(3128), url)).toEqual({ kind: 'proxy', reason: 'ETIMEDOUT' });
});
