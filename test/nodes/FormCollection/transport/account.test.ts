import { normalizeUrl } from '../../../../nodes/FormCollection/transport/account';

it.each([
	['https://forms.example.com', 'https://forms.example.com'],
	['https://Forms.Example.com:443/api/', 'https://forms.example.com/api'],
	['http://[::1]:8080/a/b//', 'http://[::1]:8080/a/b'],
])('makes %s of %s', (text, expected) => {
	expect(normalizeUrl('Base URL', text, 'https://forms.example.com/api')).toBe(expected);
});
