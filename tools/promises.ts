/**
 * Holds what the README and the docs promise against the tests, by the list in test/promises.ts, and the
 * tables of error messages against the code.
 *
 *   tsx tools/promises.ts           fails where words, tests, messages and docs/promises.md do not agree
 *   tsx tools/promises.ts --write   writes docs/promises.md (npm run docs:promises)
 *   tsx tools/promises.ts --list    all tests by file, as test/promises.ts names them
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import type { Promised } from '../test/promises';
import { notPromised, promises } from '../test/promises';
import { errorTableComplaints } from './errorTable';

const root = join(__dirname, '..');
const pagePath = 'docs/promises.md';

const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

/** A title that `each` completes, with its groups before it. */
function titlesIn(path: string): string[] {
	const source = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
	const titles: string[] = [];
	const visit = (node: ts.Node, groups: string[]): void => {
		const call = ts.isCallExpression(node) ? node : undefined;
		const kind = /^(describe|it|test)\b/.exec(call?.expression.getText() ?? '')?.[1];
		const title = call?.arguments[0];
		if (kind === undefined || title === undefined || !ts.isStringLiteralLike(title)) {
			ts.forEachChild(node, (child) => visit(child, groups));
			return;
		}
		const all = [...groups, title.text];
		if (kind !== 'describe') titles.push(all.join(' › '));
		call?.arguments.slice(1).forEach((argument) => visit(argument, all));
	};
	visit(source, []);
	return titles;
}

function testsIn(folder: string): Map<string, string[]> {
	const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
	return new Map(
		files
			.map((file) => posix.join(folder, file.replaceAll('\\', '/')))
			.filter((path) => path.endsWith('.test.ts'))
			.sort()
			.map((path) => [path, titlesIn(path)]),
	);
}

/** What has the same text on screen is the same: line breaks and emphasis do not matter. */
const plain = (markdown: string) =>
	markdown
		.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/[*`]|(?<!\w)_|_(?!\w)/g, '')
		.replace(/\s+/g, ' ');

function complaints(tests: Map<string, string[]>): string[] {
	const pages = new Map<string, string>();
	const textOf = (page: string) => {
		if (!pages.has(page)) pages.set(page, plain(read(page)));
		return pages.get(page) as string;
	};
	const wrong: string[] = [];
	const check = ({ words, page = 'README.md', tests: names }: Promised): void => {
		if (!textOf(page).includes(plain(words))) {
			wrong.push(`${page} does not say "${words}": say it there, or change test/promises.ts`);
		}
		for (const [path, titles] of Object.entries(names)) {
			for (const title of titles) {
				// A group stands for its tests.
				const isThere = tests
					.get(path)
					?.some((full) => full === title || full.startsWith(`${title} › `));
				if (!isThere) {
					wrong.push(`${path} has no test "${title}": see tsx tools/promises.ts --list`);
				}
			}
		}
	};
	for (const list of Object.values(promises)) {
		for (const promise of list) {
			check(promise);
			if (Object.values(promise.tests).flat().length === 0) {
				wrong.push(`No test holds "${promise.words}": name one in test/promises.ts`);
			}
		}
	}
	notPromised.forEach(check);
	return wrong;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();

/** Rows of tables are sentences here. */
const sentence = (words: string) =>
	plain(words)
		.trim()
		.replace(/^\| | \|$/g, '')
		.replaceAll(' | ', ': ');

const quote = ({ words, page = 'README.md' }: Promised) =>
	`${sentence(words)} ([${page === 'README.md' ? 'README' : posix.basename(page)}](${posix.relative('docs', page)}))`;

const testsOf = ({ tests }: Promised): string =>
	Object.entries(tests)
		.map(
			([path, titles]) => `[${posix.basename(path, '.test.ts')}](../${path}): ${titles.join('; ')}`,
		)
		.join('<br>');

function table(head: string, list: Promised[]): string[] {
	return [
		`| ${head} | Tests |`,
		'| --- | --- |',
		...list.map((promise) => `| ${cell(quote(promise))} | ${cell(testsOf(promise)) || '–'} |`),
		'',
	];
}

function page(): string {
	return `${[
		'# What is promised, and the tests that hold it',
		'',
		'For anyone who wants to know how a statement in these pages is tested. `npm run docs:promises` makes this page',
		'from `test/promises.ts`. `npm run check` fails if a page no longer says what is quoted here, if a promise has no',
		'test, or if a test is gone. The tests in `test/e2e` run in a real n8n, all others in its engine; `histories`',
		'plays random histories of operations and faults.',
		'',
		...Object.entries(promises).flatMap(([title, list]) => [
			`## ${title}`,
			'',
			...table('Promise', list),
		]),
		'## What is not promised',
		'',
		'See also [When items are sent twice](errors.md#when-items-are-sent-twice) and',
		'[Can a response be missed or repeated?](trigger.md#can-a-response-be-missed-or-repeated). If a test is named, it',
		'shows the limit.',
		'',
		...table('Where the promise ends', notPromised),
	]
		.join('\n')
		.trim()}\n`;
}

function main(): void {
	const tests = testsIn('test');
	if (process.argv.includes('--list')) {
		for (const [path, titles] of tests) console.log(`${path}\n  ${titles.join('\n  ')}`);
		return;
	}
	const wrong = [...complaints(tests), ...errorTableComplaints(root)];
	if (process.argv.includes('--write')) writeFileSync(join(root, pagePath), page());
	else if (read(pagePath) !== page()) {
		wrong.push(`${pagePath} is not what test/promises.ts says: npm run docs:promises`);
	}
	for (const complaint of wrong) console.error(complaint);
	if (wrong.length > 0) process.exitCode = 1;
}

main();
