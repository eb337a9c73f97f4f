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
