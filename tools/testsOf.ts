import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { paths } from '../playground/paths';

/** All of them for each change would take days. */
const MOST_ELSEWHERE = 5;

const filesBelow = (folder: string) =>
	readdirSync(join(paths.root, folder), { recursive: true })
		.map((name) => posix.join(folder, String(name).replaceAll('\\', '/')))
		.filter((file) => file.endsWith('.ts'));

/** What `npm run mutation` mutates. */
export const sources = [...filesBelow('credentials'), ...filesBelow('nodes')].sort();

// The fault matrix waits for its faults, and the histories of test/model are random.
const files = [...sources, ...filesBelow('test')].filter(
	(file) => !/^test\/(e2e|model)\/|faultMatrix/.test(file),
);

const mirrorOf = (source: string) =>
	posix.join('test', source.replace(/(\.\w+)*\.ts$/, '.test.ts'));

function importsOf(file: string): string[] {
	const text = readFileSync(join(paths.root, file), 'utf8');
	return [...text.matchAll(/ from '(\.[^']*)'/g)].flatMap(([, path = '']) => {
		const imported = posix.join(posix.dirname(file), path);
		return [`${imported}.ts`, `${imported}/index.ts`];
	});
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** E.g. form and hint of `formHints.test.ts` */
function wordsOf(file: string): string[] {
	const [name = ''] = posix.basename(file).split('.');
	return name.split(/(?=[A-Z])/).map((word) => word.toLowerCase().replace(/s$/, ''));
}

/**
 * The tests that reach a source: its own, those of the same folder, first those with the most words of its
 * name, then the nearest elsewhere: those that import the source, then those of the files that import it, and
 * so on.
 */
export function testsOf(source: string): string[] {
	const reached = new Set([source]);
	for (const file of reached) {
		for (const other of files) {
			if (other === mirrorOf(file) || imports.get(other)?.includes(file)) reached.add(other);
		}
	}
	const tests = [...reached].filter((file) => file.endsWith('.test.ts'));
	const own = mirrorOf(source);
	const isNear = (test: string) => posix.dirname(test) === posix.dirname(own);
	const words = wordsOf(source);
	const likeness = (test: string) =>
		test === own ? Infinity : words.filter((word) => wordsOf(test).includes(word)).length;
	const near = tests.filter(isNear).sort((a, b) => likeness(b) - likeness(a));
	return [...near, ...tests.filter((test) => !isNear(test)).slice(0, MOST_ELSEWHERE)];
}
