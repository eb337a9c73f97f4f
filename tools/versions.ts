/**
 * Runs the end-to-end tests in the oldest and the newest n8n that the package claims to work with, and
 * writes docs/compatibility.md. Each n8n is installed once, below playground/.data/versions: 3 to 7
 * minutes and 2 GB. No part of CI.
 *
 *   npm run e2e:versions                 all versions
 *   npm run e2e:versions -- 2.0.3        this one
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import versions from '../playground/versions.json';
import { paths } from '../playground/paths';

interface Version {
	n8n: string;
	node: string;
	overrides?: Record<string, string>;
	/** What differs there, for the page */
	notes: string[];
}

interface Report {
	testResults: {
		name: string;
		assertionResults: { status: string; fullName: string }[];
	}[];
}

interface Row {
	n8n: string;
	node: string;
	date: string;
	files: Record<string, { passed: number; failed: string[] }>;
}

/** What tells about the node; the other files are about the playground, or one n8n's ways to run. */
const files = ['api', 'examples', 'reliability'];

const resultsFile = join(paths.data, 'compatibility.json');

function run(command: string, args: string[], cwd: string, env = {}): void {
	const { status } = spawnSync(command, args, {
		cwd,
		stdio: ['ignore', 2, 2],
		env: { ...process.env, ...env },
	});
	if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** @returns where the n8n lies, or undefined for that of the playground */
function install({ n8n, node, overrides }: Version): string | undefined {
	if (overrides === undefined) return undefined;
	const folder = join(paths.data, 'versions', n8n);
	const stamp = join(folder, 'node_modules', '.installed');
	if (existsSync(stamp)) return join(folder, 'node_modules');
	mkdirSync(folder, { recursive: true });
	const dependencies = { 'date-fns': '2.30.0', n8n, node };
	const manifest = { name: 'n8n-under-test', private: true, dependencies, overrides };
	writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
	run('npm', ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit'], folder);
	run('npm', ['rebuild', 'sqlite3', 'node', '--ignore-scripts=false'], folder);
	writeFileSync(stamp, '');
	return join(folder, 'node_modules');
}

function test(version: Version): Row {
	const modules = install(version);
	const report = join(paths.data, 'versions', `${version.n8n}.json`);
	spawnSync(
		'npm',
		[
			'run',
			'test:e2e',
			'--',
			'--json',
			'--outputFile',
			report,
			...files.map((file) => `e2e/${file}.test`),
		],
		{
			cwd: paths.root,
			stdio: ['ignore', 2, 2],
			env: { ...process.env, PLAYGROUND_MODULES: modules },
		},
	);
	const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
	return {
		n8n: version.n8n,
		node: version.node,
		date: new Date().toISOString().slice(0, 10),
		files: Object.fromEntries(
			files.map((file) => {
				const results =
					testResults.find(({ name }) => name.endsWith(`/${file}.test.ts`))?.assertionResults ?? [];
				return [
					file,
					{
						passed: results.filter(({ status }) => status === 'passed').length,
						failed: results
							.filter(({ status }) => status !== 'passed')
							.map(({ fullName }) => fullName),
					},
				];
			}),
		),
	};
}

function page(rows: Row[]): string {
	const cell = ({ passed, failed }: Row['files'][string]) =>
		failed.length === 0 ? `${passed} passed` : `${passed} passed, ${failed.length} not`;
	const table = [
		`| n8n | Node.js | ${files.join(' | ')} | Date |`,
		`| --- | --- |${' --- |'.repeat(files.length)} --- |`,
		...rows.map(({ n8n, node, date, files: results }) =>
			['', n8n, node, ...files.map((file) => cell(results[file]!)), date, ''].join(' | ').trim(),
		),
	];
	const notes = rows.flatMap(({ n8n, files: results }) => {
		const failed = Object.entries(results).flatMap(([file, { failed: names }]) =>
			names.map((name) => `- ${file}: ${name}`),
		);
		const known = versions.find((version) => version.n8n === n8n)?.notes ?? [];
		if (failed.length + known.length === 0) return [];
		return [
			`## n8n ${n8n}`,
			'',
			...known,
			'',
			...(failed.length > 0 ? ['Not passed:', '', ...failed, ''] : []),
		];
	});
	return [
		'# Compatibility',
		'',
		'The end-to-end tests of the packed package in several versions of n8n. `npm run e2e:versions` writes',
		'this page anew; it installs each n8n once (3 to 7 minutes and 2 GB each).',
		'',
		...table,
		'',
		...notes,
	].join('\n');
}

const wanted = process.argv.slice(2);
const known = existsSync(resultsFile)
	? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Row[])
	: [];
for (const version of versions) {
	if (wanted.length > 0 && !wanted.includes(version.n8n)) continue;
	const row = test(version as Version);
	const others = known.filter(({ n8n }) => n8n !== version.n8n);
	known.splice(0, known.length, ...others, row);
	known.sort((a, b) => a.n8n.localeCompare(b.n8n, 'en', { numeric: true }));
	mkdirSync(paths.data, { recursive: true });
	writeFileSync(resultsFile, JSON.stringify(known));
	writeFileSync(join(paths.root, 'docs', 'compatibility.md'), page(known));
}
run('npx', ['prettier', '--write', 'docs/compatibility.md'], paths.root);
