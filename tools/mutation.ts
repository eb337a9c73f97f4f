/**
 * Changes the published code in small ways and tells which changes the tests do not notice. Takes
 * hours, so it is no part of CI.
 *
 *   npm run mutation                      3 % of the lines of each file; writes docs/mutation.md
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

/** How many test files see each change first */
const FIRST = 2;

const {
	values: { seed, percent },
	positionals: names,
} = parseArgs({
	options: {
		seed: { type: 'string', default: '1' },
		// All lines would take days: a change takes seconds, and there are thousands.
		percent: { type: 'string', default: '3' },
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

interface Result {
	source: string;
	killed: number;
	survived: (Mutant & { text: string })[];
}

/** In Stryker's words: the whole file, or `file:line-line` for each of the chosen lines. */
function partsOf(source: string): string[] {
	if (names.length > 0) return [source];
	const lines = readFileSync(join(paths.root, source), 'utf8').split('\n');
	const isChosen = (line: number) => {
		const hash = createHash('sha256').update(`${seed} ${source} ${line}`).digest();
		return (100 * hash.readUInt32BE()) / 2 ** 32 < Number(percent);
	};
	return lines.flatMap((_, index) =>
		isChosen(index + 1) ? [`${source}:${index + 1}-${index + 1}`] : [],
	);
}

/** Most changes are noticed by the very nearest tests, and only the others are shown to more of them. */
async function mutate(source: string): Promise<Result> {
	const tests = testsOf(source);
	const first = await runTests(source, partsOf(source), tests.slice(0, FIRST));
	const lines = first.survived.map(({ location }) => `${location.start.line}-${location.end.line}`);
	if (lines.length === 0 || tests.length <= FIRST) return first;
	const parts = [...new Set(lines)].map((line) => `${source}:${line}`);
	const { survived } = await runTests(source, parts, tests);
	const killed = first.killed + first.survived.length - survived.length;
	return { source, killed, survived };
}

async function runTests(source: string, parts: string[], tests: string[]): Promise<Result> {
	const report = join(reports, `${source.replaceAll('/', '.')}.json`);
	rmSync(report, { force: true });
	if (parts.length === 0) return resultOf(source);
	await run('stryker', ['run', '--mutate', parts.join()], {
		cwd: paths.root,
		preferLocal: true,
		stdio: ['ignore', 'inherit', 'inherit'],
		env: { MUTATION_TESTS: tests.join(), MUTATION_REPORT: report },
	});
	// Where there is nothing to change, there is no report.
	if (!existsSync(report)) return resultOf(source);
	return resultOf(source, (JSON.parse(readFileSync(report, 'utf8')) as Report).files[source]);
}

function resultOf(source: string, { source: code, mutants }: ReportedFile = NONE): Result {
	const lines = code.split('\n');
	const counted = mutants.filter(({ status }) => !['Ignored', 'CompileError'].includes(status));
	const survived = counted.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status));
	return {
		source,
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

/** Why a change that survives makes no difference that a test could see, by a part of its line. */
const reasons: Record<string, string> = {};

function page(all: Result[]): string {
	const rows = all.map((result) => [result.source, scoreOf([result])]);
	const survivors = all.flatMap(({ source, survived }) =>
		survived.map(({ location, mutatorName, replacement = '', text }) => {
			const change = `${source}:${location.start.line}: ${mutatorName} → \`${replacement.split('\n')[0]}\` in \`${text}\``;
			const reason = Object.entries(reasons).find(([part]) => text.includes(part))?.[1];
			return `- ${change}${reason ? ` (${reason})` : ''}`;
		}),
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
		`Run on ${new Date().toISOString().slice(0, 10)}, for ${percent} % of the lines of each file, chosen at random (\`--seed ${seed}\`).`,
		'',
		table(['File', 'Noticed'], [...rows, ['**All**', `**${scoreOf(all)}**`]]),
		'',
		'## What survives',
		'',
		...survivors,
		'',
	].join('\n');
}

async function main(): Promise<void> {
	const chosen = sources.filter(
		(source) => names.length === 0 || names.some((name) => source.endsWith(`/${name}.ts`)),
	);
	mkdirSync(reports, { recursive: true });
	const results: Result[] = [];
	for (const source of chosen) {
		const result = await mutate(source);
		results.push(result);
		console.log(`${result.source}: ${scoreOf([result])}`);
		for (const { location, mutatorName, replacement, text } of result.survived) {
			console.log(`  ${location.start.line}: ${mutatorName} → ${replacement ?? ''}\n      ${text}`);
		}
	}
	console.log(`All: ${scoreOf(results)}`);
	if (names.length === 0) writeFileSync(join(paths.root, 'docs', 'mutation.md'), page(results));
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
