import fc from 'fast-check';
import { maskKey } from '../../../../nodes/FormCollection/transport/redaction';
import { stepsOf } from '../../../support/steps';

const key = 'fc/key+with==signs"&<\\>';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const htmlCode = (text: string) => text.replace(/[^\w ]/g, (c) => `&#${c.charCodeAt(0)};`);

it.each([
	[
		'nothing of a text without it',
		'fc/key and with =s: 100% of &amp; \\n "stay"',
		'fc/key and with =s: 100% of &amp; \\n "stay"',
	],
	['the key', `Bad key ${key}!`, 'Bad key …!'],
	['it each time', `${key} ${key}${key}`, '… …'],
	['other cases', `Bad key ${key.toUpperCase()}!`, 'Bad key …!'],
	['the key in JSON', JSON.stringify({ a: key }), '{"a":"…"}'],
	[
		'JSON in JSON in JSON',
		JSON.stringify(JSON.stringify(JSON.stringify([key]))),
		String.raw`"\"[\\\"…"]\""`,
	],
	['JSON with slashes escaped', JSON.stringify(key).replace('/', '\\/'), '"…"'],
	['an address', `?a=${encodeURIComponent(key)}&b=c`, '?a=…&b=c'],
	['an address in an address', encodeURIComponent(encodeURIComponent(`a ${key}`)), 'a%2520…'],
	['HTML in an address', encodeURIComponent(htmlCode(`a ${key}`)), 'a%20…'],
	[
		'an address in HTML in JSON',
		`"${htmlCode(encodeURIComponent(key)).replace(/&/g, '\\u0026')}"`,
		'"…"',
	],
	[
		'names of HTML',
		'<p>fc&sol;key&plus;with&equals;&#x3D;signs&QUOT;&amp;&lt&bsol;&gt;</p>',
		'<p>…</p>',
	],
	['names of HTML, escaped twice', 'a fc&amp;sol;key&amp;plus;with==signs b', 'a … b'],
	['codes with zeros and without a semicolon', 'a fc&#0047key&#x0002bwith==signs b', 'a … b'],
	['hexadecimal escapes', String.raw`a fc\x2fkey\x2Bwith\u{3d}\u003dsigns b`, 'a … b'],
	['escapes of old servers', 'a fc%u002fkey%u002Bwith==signs b', 'a … b'],
	['hexadecimal', `a ${Buffer.from(key).toString('hex')} b`, 'a … b'],
	['base64', `a ${base64(key)}: b`, 'a …=: b'],
	['base64 of what begins with one more', `a ${base64(`:${key}:`)} b`, 'a O…Og== b'],
	['base64 of what begins with two more', `a ${base64(`a:${key}`)} b`, 'a YT…== b'],
	['base64url', `a ${Buffer.from('~~~~??>>~~~').toString('base64url')} b`, 'a … b', '~~~~??>>~~~'],
	['eight characters of it', 'a +with==s b', 'a … b'],
	['a short key', 'a k+y %6B%2By b', 'a … … b', 'k+y'],
	['a key of backslashes', 'a \\ b', '…', '\\\\'],
	['nothing where there is no key', 'a', 'a', ''],
	['everything that is escaped too often', `a ${'%25'.repeat(5)}${'25'.repeat(19)}41`, '…'],
])('masks %s', (_, text, expected, apiKey = key) => {
	expect(maskKey(text, apiKey)).toBe(expected);
});

const hex = (text: string) => Buffer.from(text).toString('hex');
const wide = (text: string) => Buffer.from(text, 'utf16le').toString();

it.each<[string, (apiKey: string) => string]>([
	['base64 of base64', (apiKey) => base64(base64(apiKey))],
	['base64 of base64 of more', (apiKey) => base64(`x${base64(`xy${apiKey}`)}`)],
	['hexadecimal of base64', (apiKey) => hex(base64(apiKey)).toUpperCase()],
	['base64 of hexadecimal', (apiKey) => base64(hex(apiKey))],
	['hexadecimal of hexadecimal', (apiKey) => hex(hex(apiKey))],
	['UTF-16', wide],
	['UTF-16 with the other byte first', (apiKey) => wide(`\0${apiKey}`).replaceAll('\0\0', '\0')],
	['UTF-16 in JSON', (apiKey) => JSON.stringify(wide(apiKey))],
	['UTF-16 in an address', (apiKey) => encodeURIComponent(wide(apiKey))],
	['base64 of UTF-16', (apiKey) => base64(wide(apiKey))],
	['base64 of base64 of UTF-16', (apiKey) => base64(base64(wide(apiKey)))],
	['base64 of an address', (apiKey) => base64(encodeURIComponent(apiKey))],
	['base64 in JSON', (apiKey) => JSON.stringify(base64(`??>${apiKey}`)).replaceAll('/', '\\/')],
	['base64 in lines', (apiKey) => base64(`a${apiKey}`).replace(/.{8}/g, '$&\r\n')],
])('masks the key in %s', (_, encoded) => {
	const apiKey = 'sk_live_4f9a8b7c6d5e4f3a2b1c';
	for (const isCut of [false, true]) {
		// At most the characters that hold only its beginning or end are left.
		expect(maskKey(`Key: ${encoded(apiKey)} is wrong`, apiKey, isCut)).toMatch(
			/^Key: [^ ]{0,12}…[^ ]{0,12} is wrong$/,
		);
	}
});

it.each([
	['a text without it', 'Bad gateway', 'Bad gateway'],
	['its first character', 'Bad key f', 'Bad key …'],
	['most of it', 'Bad key fc/key+with==sign', 'Bad key …'],
	['the whole key', `Bad key ${key}`, 'Bad key …'],
	['an escape', 'Bad key fc%2Fkey%2', 'Bad key …'],
	['an escape of two layers', 'Bad key fc%252Fkey%252', 'Bad key …'],
	['an escape of JSON', String.raw`Bad key fc\/key\u00`, 'Bad key …'],
	['backslashes', String.raw`Bad key fc\\\/key\\\\`, 'Bad key …'],
	['a name of HTML', 'Bad key fc&sol;key&plu', 'Bad key …'],
	['a code of HTML', 'Bad key fc&#47;key&#4', 'Bad key …'],
	['base64', `Bad key ${base64(key).slice(0, 5)}`, 'Bad key …'],
	['base64 of more', `Bad key ${base64(`Bearer ${key}`).slice(0, 15)}`, 'Bad key QmVhcmVyI…'],
	['hexadecimal', 'Bad key 66632', 'Bad key …'],
	['what begins like itself', 'Bad key: ababab', 'Bad key: ab…', 'ababac/key'],
])('masks what breaks off in %s', (_, text, expected, apiKey = key) => {
	expect(maskKey(text, apiKey, true)).toBe(expected);
});

it('shows what breaks off if it is known not to', () => {
	expect(maskKey('Bad key fc/key', key)).toBe('Bad key fc/key');
});

const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
// Without a plus sign, for which a space stands in forms of HTML: where such a key ends depends on the text.
const keys = fc
	.string({ unit: printable, minLength: 8, maxLength: 60 })
	.filter((key) => !key.includes('+'));

it('masks a key whose plus signs a form of HTML has made spaces', () => {
	expect(maskKey('Key ab12 cd34 ef56 is not known', 'ab12+cd34+ef56')).toBe('Key … is not known');
});

const hexOf = (c: string, width: number) => c.charCodeAt(0).toString(16).padStart(width, '0');
/** Layers of escapes: the characters that are always escaped, and how */
const escapes: [always: RegExp, escape: (c: string) => string][] = [
	[/[^\w.!~*'()-]/, (c) => `%${hexOf(c, 2)}`],
	[/[^\w.!~*'()-]/, (c) => `%${hexOf(c, 2).toUpperCase()}`],
	[/["\\]/, (c) => `\\u${hexOf(c, 4)}`],
	[/["\\]/, (c) => (/["\\/]/.test(c) ? `\\${c}` : c)],
	[/["\\]/, (c) => (/["\\/]/.test(c) ? `\\${c}` : `\\u${hexOf(c, 4).toUpperCase()}`)],
	[/["\\]/, (c) => `\\x${hexOf(c, 2).toUpperCase()}`],
	[/[&<>]/, (c) => `&#${c.charCodeAt(0)};`],
	[/[&<>]/, (c) => `&#00${c.charCodeAt(0)};`],
	[/[&<>]/, (c) => `&#x${hexOf(c, 4)};`],
	[
		/[&<>]/,
		(c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '/': '&sol;' })[c] ?? c,
	],
];
/** Which further characters a layer escapes, each time: all of them, or some that are no letters or digits */
const others = fc.oneof(
	fc.constant((): boolean => true),
	fc
		.uniqueArray(printable.filter((c) => /\W/.test(c)))
		.map((some) => (c: string) => some.includes(c)),
);
const layer = fc.tuple(fc.constantFrom(...escapes), others).map(([[always, escape], isOther]) => {
	const isEscaped = (c: string) => always.test(c) || isOther(c);
	return (text: string) => text.replace(/[!-~]/g, (c) => (isEscaped(c) ? escape(c) : c));
});
const layers = fc
	.array(layer, { maxLength: 4 })
	.map((all) => (text: string) => all.reduce((inner, escape) => escape(inner), text));
/** Text that can be told from keys and escapes */
const surroundings = fc.string({ unit: fc.constantFrom(' ', 'é', '\n', '😀', 'İ') });

it('leaves nothing of a key and changes nothing else, in any escapes', () => {
	fc.assert(
		fc.property(keys, layers, surroundings, surroundings, (apiKey, escaped, before, after) => {
			const text = `${before}${escaped(apiKey)}${after}`;

			expect(maskKey(text, apiKey)).toBe(`${before}…${after}`);
		}),
		{ numRuns: 700 },
	);
});

it('leaves nothing of a key that is cut off, in any escapes', () => {
	fc.assert(
		fc.property(keys, layers, surroundings, fc.nat(), (apiKey, escaped, before, at) => {
			const whole = escaped(apiKey);
			const cut = whole.slice(0, 1 + (at % whole.length));

			expect(maskKey(before + cut, apiKey, true)).toBe(`${before}…`);
		}),
		{ numRuns: 700 },
	);
});

it('leaves no part of a key that is in base64, whatever is around it', () => {
	const around = fc.string({ unit: 'binary', maxLength: 9 });
	fc.assert(
		fc.property(
			keys,
			around,
			around,
			fc.constantFrom('base64', 'base64url'),
			(apiKey, before, after, encoding) => {
				const [from, to] = [before, before + apiKey].map((text) => Buffer.byteLength(text) * 8);
				const text = Buffer.from(before + apiKey + after).toString(encoding as BufferEncoding);
				const first = Math.floor(Number(from) / 6);
				const end = Math.ceil(Number(to) / 6);
				const masked = maskKey(` ${text} `, apiKey);

				expect(masked).toBe(` ${text.slice(0, first)}…${text.slice(end)} `);
			},
		),
		{ numRuns: 200 },
	);
});

it('leaves text alone that has no part of the key', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, isCut) => {
			expect(maskKey(`${text}.`, 'fc/key+with==signs', isCut)).toBe(`${text}.`);
		}),
	);
});

it('never fails', () => {
	const any = fc.string({ unit: fc.constantFrom(...'\\%&#;xu0025amp{}/ké😀\ud800') });
	fc.assert(
		fc.property(any, any, fc.boolean(), (text, apiKey, isCut) => {
			expect(typeof maskKey(text, apiKey, isCut)).toBe('string');
		}),
		{ numRuns: 700 },
	);
});

const random = (length: number) => {
	let seed = 1;
	return Array.from({ length }, () => {
		seed = (seed * 48_271) % 2_147_483_647;
		return String.fromCharCode(0x21 + (seed % 94));
	}).join('');
};

it.each<[string, (length: number) => [text: string, apiKey: string]]>([
	['a long text', (length) => [random(length), key]],
	['a long key', (length) => [random(100), random(length)]],
	['a long key in a long text', (length) => [`${random(length)}.`, random(length)]],
	['the key many times', (length) => [key.repeat(length / key.length), key]],
	['a key of one character', (length) => ['a'.repeat(length), 'a'.repeat(length)]],
	['a key with another end', (length) => [`${'a'.repeat(length)}b`, `${'a'.repeat(length)}c`]],
	['backslashes', (length) => ['\\'.repeat(length), key]],
	['backslashes in the key', (length) => [`${'\\'.repeat(length)}a`, `${'\\'.repeat(length)}a`]],
	['percent signs', (length) => ['%'.repeat(length), key]],
	['layers of percent signs', (length) => [`%${'25'.repeat(length / 2)}`, key]],
	['layers of HTML', (length) => [`&${'amp;'.repeat(length / 4)}`, key]],
	['zeros in a code', (length) => [`&#${'0'.repeat(length)}x`, key]],
	['beginnings of codes', (length) => ['&#x0'.repeat(length / 4), key]],
	['beginnings of braces', (length) => ['\\u{0'.repeat(length / 4), key]],
])('takes steps in proportion to the length: %s', (_, make) => {
	const steps = [1_000, 2_000, 4_000].map((length) => {
		const [text, apiKey] = make(length);
		return stepsOf(() => maskKey(text, apiKey, true));
	}) as [number, number, number];

	expect(steps[2] - steps[1]).toBeLessThan(2.5 * (steps[1] - steps[0]) + 100);
});
