/**
 * Runs the end-to-end tests in the oldest n8n that the package supports, in one between the two, and in the
 * newest. Writes docs/compatibility.md; if a test fails that playground/versions.json does not list as a
 * known difference, it ends with status 1 and writes nothing. Each n8n but the newest is installed once,
 * below playground/.data/versions: 3 to 7 minutes and 2.4 GB.
 *
 *   npm run e2e:versions                 all versions
 *   npm run e2e:versions -- 2.0.3        this one
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dependencies as pinned } from '../../playground/pinned/package.json';
import { paths } from '../../playground/paths';
import older from '../../playground/versions.json';
import { page, type Report, resultsOf, type Row, surprises, type Version } from './results';

/** What tells about the package; the other files are about the playground, or one n8n's ways to run. */
const files = [
	'api',
	'examples',
	'reliability',
	'trigger',
	'triggerRestarts',
	'triggerDatabase',
	'editor',
	'walk',
];

const versions: Version[] = [
	...older,
	{ n8n: pinned.n8n, node: pinned.node, lacks: [], known: [] },
];

const folder = join(paths.data, 'versions');
const resultsFile = join(paths.data, 'compatibility.json');

function run(command: string, args: string[], cwd: string): void {
	const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
	if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** @returns where the n8n lies, or undefined for that of the playground */
function install({ n8n, node, overrides }: Version): string | undefined {
	if (n8n === pinned.n8n) return undefined;
	const place = join(folder, n8n);
	const stamp = join(place, 'node_modules', '.installed');
	if (existsSync(stamp)) return join(place, 'node_modules');
	mkdirSync(place, { recursive: true });
	const dependencies = { 'date-fns': '2.30.0', n8n, node };
	const manifest = { name: 'n8n-under-test', private: true, dependencies, overrides };
	writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
	run('npm', ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit'], place);
	run('npm', ['rebuild', 'sqlite3', 'node', '--ignore-scripts=false'], place);
	writeFileSync(stamp, '');
	return join(place, 'node_modules');
}

function test(version: Version): Row {
	const modules = install(version);
	mkdirSync(folder, { recursive: true });
	const reportFile = join(folder, `${version.n8n}.json`);
	rmSync(reportFile, { force: true });
	const tests = files.map((file) => `e2e/${file}.test`);
	spawnSync('npm', ['run', 'test:e2e', '--', '--json', '--outputFile', reportFile, ...tests], {
		cwd: paths.root,
		stdio: ['ignore', 2, 2],
		env: { ...process.env, ...(modules && { PLAYGROUND_MODULES: modules }) },
	});
	const report = existsSync(reportFile)
		? (JSON.parse(readFileSync(reportFile, 'utf8')) as Report)
		: undefined;
	return {
		n8n: version.n8n,
		node: version.node,
		date: new Date().toISOString().slice(0, 10),
		files: resultsOf(files, report),
	};
}

function keep(rows: Row[]): Row[] {
	const earlier = existsSync(resultsFile)
		? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Row[])
		: [];
	const known = versions.flatMap(({ n8n }) => {
		const row = [...rows, ...earlier].find((one) => one.n8n === n8n);
		return row && files.every((file) => row.files[file]) ? [row] : [];
	});
	writeFileSync(resultsFile, JSON.stringify(known));
	return known;
}

const wanted = parseArgs({ allowPositionals: true }).positionals;
const unknown = wanted.filter((n8n) => !versions.some((version) => version.n8n === n8n));
if (unknown.length > 0) {
	throw new Error(
		`Not among the versions ${versions.map(({ n8n }) => n8n).join(', ')}: ${unknown.join(', ')}`,
	);
}
const chosen = versions.filter(({ n8n }) => wanted.length === 0 || wanted.includes(n8n));
const rows = chosen.map(test);
const errors = rows.flatMap(({ n8n, files: results }, i) =>
	surprises(n8n, results, chosen[i]!.known),
);
if (errors.length > 0) {
	for (const error of errors) console.error(error);
	process.exitCode = 1;
} else {
	writeFileSync(join(paths.root, 'docs', 'compatibility.md'), page(files, keep(rows), versions));
	run('npx', ['prettier', '--write', 'docs/compatibility.md'], paths.root);
}
