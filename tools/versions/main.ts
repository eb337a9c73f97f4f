/**
 * Runs the end-to-end tests in the oldest n8n that the package supports, in one between the two, and in the
 * newest. Ends with status 1 if a test fails that playground/versions.json does not list as a known difference,
 * or the other way round. Installs each older n8n once, in playground/.data/versions: 3 to 7 minutes and 2.4 GB.
 *
 *   npx tsx tools/versions/main.ts            all versions
 *   npx tsx tools/versions/main.ts 2.0.3      this one
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dependencies as pinned } from '../../playground/pinned/package.json';
import { paths } from '../../playground/paths';
import older from '../../playground/versions.json';

interface Version {
	n8n: string;
	node: string;
	/** For npm, where the dependencies of this n8n do not fit together any more */
	overrides?: Record<string, string>;
	/** Tests that do not pass there, as `file: name`, and why that is no defect of the package */
	known: { test: string; why: string }[];
}

/** What tells about the package; the other files are about the playground, or one n8n's ways to run. */
const files = ['api', 'examples', 'reliability', 'trigger', 'walk'];

const versions: Version[] = [...older, { n8n: pinned.n8n, node: pinned.node, known: [] }];
const folder = join(paths.data, 'versions');

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

/** @returns how the results differ from what is known */
function test(version: Version): string[] {
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
	if (!existsSync(reportFile)) return ['Jest wrote no report'];
	const { testResults } = JSON.parse(readFileSync(reportFile, 'utf8')) as {
		testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[];
	};
	const failed = files.flatMap((file) => {
		const result = testResults.find(({ name }) => name.endsWith(`/${file}.test.ts`));
		const all = result?.assertionResults ?? [];
		const others = all.filter(({ status }) => status !== 'passed');
		console.log(
			`n8n ${version.n8n}: ${file}: ${all.length - others.length} of ${all.length} passed`,
		);
		if (all.length === 0) return [`${file}: did not run`];
		return others.map(({ fullName }) => `${file}: ${fullName}`);
	});
	const known = version.known.map(({ test }) => test);
	return [
		...failed.filter((test) => !known.includes(test)).map((test) => `failed: ${test}`),
		...known.filter((test) => !failed.includes(test)).map((test) => `no difference now: ${test}`),
	];
}

const wanted = process.argv.slice(2);
const chosen = versions.filter(({ n8n }) => wanted.length === 0 || wanted.includes(n8n));
if (chosen.length === 0) throw new Error(`Known: ${versions.map(({ n8n }) => n8n).join(', ')}`);
const surprises = chosen.flatMap((version) =>
	test(version).map((text) => `n8n ${version.n8n} ${text}`),
);
for (const surprise of surprises) console.error(surprise);
process.exitCode = surprises.length > 0 ? 1 : 0;
