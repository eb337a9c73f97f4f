/**
 * Changes the published code in small ways and tells which changes the tests do not notice. Takes an hour or
 * two, so it is no part of CI.
 *
 *   npm run mutation                      3 % of the lines of each file; writes docs/mutation.md
 *   npm run mutation -- --resume          only the files that the last run has not come to or that were
 *                                         changed since, and what was not noticed in the others
 *   npm run mutation -- --seed 2          other lines
 *   npm run mutation -- --percent 10      more lines
 *   npm run mutation -- answers poll      all lines of the files of these names; only prints
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../playground/markdown';
import { paths } from '../playground/paths';
import { run } from '../playground/run';
import { sources, testsOf } from './testsOf';

const reports = join(paths.root, 'coverage', 'mutation-reports');

/** What the last run has come to so far */
const resultsFile = join(paths.root, 'coverage', 'mutation.json');

/** How many test files see each change first, and what survives these */
const FIRST = 2;
const SECOND = 5;

const {
	values: { seed, percent, resume },
	positionals: names,
} = parseArgs({
	options: {
		seed: { type: 'string', default: '1' },
		// All lines would take days: a change takes seconds, and there are thousands.
		percent: { type: 'string', default: '3' },
		resume: { type: 'boolean', default: false },
	},
	allowPositionals: true,
});

interface Mutant {
	mutatorName: string;
	replacement?: string;
	status:
		| 'Killed'
		| 'Survived'
		| 'NoCoverage'
		| 'Timeout'
		| 'CompileError'
		| 'RuntimeError'
		| 'Ignored';
	location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

interface ReportedFile {
	source: string;
	mutants: Mutant[];
}

const NONE: ReportedFile = { source: '', mutants: [] };

interface Report {
	files: Record<string, ReportedFile>;
}

interface Counted {
	killed: number;
	survived: (Mutant & { text: string })[];
}

interface Result extends Counted {
	source: string;
	/** Of its code, and of the lines that were changed in it */
	hash: string;
}

const codeOf = (source: string) => readFileSync(join(paths.root, source), 'utf8');

const hashOf = (...parts: (string | number)[]) =>
	createHash('sha256').update(parts.join(' ')).digest('hex');

/** Lines without code to change: empty ones, comments, imports, and those that only close a block. */
const NO_CODE = /^\s*(?:$|\/\/|\/?\*|import |export \*|[\])}]+[,;]*$)/;

/** Of each file */
const FEWEST_LINES = 3;

/** In Stryker's words: the whole file, or `file:line-line` for each of the chosen lines. */
function partsOf(source: string): string[] {
	if (names.length > 0) return [source];
	const lines = codeOf(source).split('\n');
	const inOrder = [...lines.keys()]
		.filter((index) => !NO_CODE.test(lines[index] ?? ''))
		.map((index) => ({ line: index + 1, hash: hashOf(seed, source, index + 1) }))
		.sort((a, b) => a.hash.localeCompare(b.hash));
	const count = Math.max(FEWEST_LINES, Math.round((lines.length * Number(percent)) / 100));
	return inOrder.slice(0, count).map(({ line }) => `${source}:${line}-${line}`);
}

/** Most changes are noticed by the very nearest tests. */
async function look(source: string, parts: string[]): Promise<Result> {
	const files = await mutate(source, parts, testsOf(source).slice(0, FIRST));
	return { source, hash: hashOf(codeOf(source), ...parts), ...countIn(files[source]) };
}

/** Only what survives is shown to more tests: each run begins with all of them without a change. */
async function lookAgain(result: Result): Promise<void> {
	const { source } = result;
	const parts = result.survived.map(
		({ location: { start, end } }) => `${source}:${start.line}-${end.line}`,
	);
	if (parts.length === 0) return;
	const tests = testsOf(source).slice(0, SECOND);
	const files = await mutate(source, [...new Set(parts)], tests);
	if (files[source] === undefined) throw new Error(`Stryker gave no report of ${source}`);
	const { survived } = countIn(files[source]);
	result.killed += result.survived.length - survived.length;
	result.survived = survived;
	console.log(`${source}, second look: ${scoreOf([result])}`);
}

async function mutate(source: string, parts: string[], tests: string[]): Promise<Report['files']> {
	const report = join(reports, `${source.replaceAll('/', '.')}.json`);
	rmSync(report, { force: true });
	await run('stryker', ['run', '--mutate', parts.join()], {
		cwd: paths.root,
		preferLocal: true,
		stdio: ['ignore', 'inherit', 'inherit'],
		env: { MUTATION_TESTS: tests.join(), MUTATION_REPORT: report },
	});
	// Where there is nothing to change, there is no report.
	return existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report).files : {};
}

function countIn({ source: code, mutants }: ReportedFile = NONE): Counted {
	const lines = code.split('\n');
	const counted = mutants.filter(({ status }) => !['Ignored', 'CompileError'].includes(status));
	const survived = counted.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status));
	return {
		killed: counted.length - survived.length,
		survived: survived.map((mutant) => ({
			...mutant,
			text: lines[mutant.location.start.line - 1]?.trim() ?? '',
		})),
	};
}

function scoreOf(results: Result[]): string {
	const killed = results.reduce((sum, result) => sum + result.killed, 0);
	const all = results.reduce((sum, { survived }) => sum + survived.length, killed);
	return all === 0 ? '–' : `${((100 * killed) / all).toFixed(1)} % (${killed} of ${all})`;
}

function page(all: Result[]): string {
	const rows = all.map((result) => [result.source, scoreOf([result])]);
	const survivors = all.flatMap(({ source, survived }) =>
		survived.map(
			({ location, mutatorName, replacement = '', text }) =>
				`- ${source}:${location.start.line}: ${mutatorName} → \`${replacement.split('\n')[0]}\` in \`${text}\``,
		),
	);
	return [
		'# Mutation testing',
		'',
		'For anyone who wants to know how much the tests notice. Written by `npm run mutation`; do not edit.',
		'',
		'The command changes the published code in small ways, one at a time, and runs the tests that are nearest to',
		'the changed file. A change that none of them notices survives. The other tests, among them all that run a',
		'real n8n, are not asked, so that the score is a lower bound. Left out are texts that only the editor shows, and',
		'what is set up while a file loads.',
		'',
		`Run on ${new Date().toISOString().slice(0, 10)}, for ${percent} % of the lines of each file, at least ${FEWEST_LINES}, chosen at random (\`--seed ${seed}\`).`,
		'',
		table(['File', 'Noticed'], [...rows, ['**All**', `**${scoreOf(all)}**`]]),
		'',
		'## What survives',
		'',
		...survivors,
		'',
	].join('\n');
}

function writePage(results: Result[]): void {
	if (names.length === 0) writeFileSync(join(paths.root, 'docs', 'mutation.md'), page(results));
}

async function main(): Promise<void> {
	const chosen = sources.filter(
		(source) => names.length === 0 || names.some((name) => source.endsWith(`/${name}.ts`)),
	);
	mkdirSync(reports, { recursive: true });
	const earlier =
		resume && existsSync(resultsFile)
			? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Result[])
			: [];
	const results: Result[] = [];
	const save = () => {
		if (names.length > 0) return;
		const isLeft = ({ source }: Result) => results.every((result) => result.source !== source);
		const later = earlier.filter(isLeft);
		writeFileSync(resultsFile, JSON.stringify([...results, ...later]));
	};
	for (const source of chosen) {
		const parts = partsOf(source);
		const known = earlier.find((result) => result.source === source);
		const isSame = known?.hash === hashOf(codeOf(source), ...parts);
		const result = isSame ? known : await look(source, parts);
		results.push(result);
		console.log(`${source}: ${scoreOf([result])}`);
		save();
	}
	for (const result of results) {
		await lookAgain(result);
		save();
		writePage(results);
	}
	for (const { source, survived } of results) {
		for (const { location, mutatorName, replacement, text } of survived) {
			console.log(
				`${source}:${location.start.line}: ${mutatorName} → ${replacement ?? ''}\n      ${text}`,
			);
		}
	}
	console.log(`All: ${scoreOf(results)}`);
	writePage(results);
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
