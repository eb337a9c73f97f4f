/**
 * Checks what `npm publish` would send: its files, its size, n8n's package scanner, n8n's loader,
 * n8n's rules, and what the last release had. Leaves the tarball at the path that it is called with, if
 * any.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import packageJson from '../package.json';
import { run } from '../playground/run';
import { frozenReleases, interfaceOf, readChangelog, unlistedChanges } from './releases/releases';
import { brokenRules } from './verificationRules';

interface Packed {
	filename: string;
	size: number;
	files: { path: string }[];
}

interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(
		folder: string,
		patterns?: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

const root = join(__dirname, '..');
/** So that growth is noticed. Raise it with a feature that needs it, and say so in the commit. */
const MAX_PACKED_BYTES = 84_000;
const WANTED =
	/^(package\.json|README\.md|LICENSE\.md|CHANGELOG\.md|dist\/(credentials|nodes)\/.+\.js|dist\/nodes\/.+\.node\.json|dist\/nodes\/.+\/__schema__\/v1\.0\.0\/form\/\w+\.json|dist\/icons\/.+\.svg)$/;

const findings: string[] = [];

async function main(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'form-collection-package-'));
	try {
		const packed = await pack(folder);
		checkFiles(packed);
		await run('tar', ['-xzf', packed.filename], { cwd: folder });
		const unpacked = join(folder, 'package');
		await checkImports(unpacked, packed);
		await scan('source', root, true);
		await scan('tarball', unpacked, false);
		const { nodes, credentials } = await load(root);
		checkPreviews(packed, nodes);
		const now = interfaceOf(nodes, credentials, join(unpacked, 'dist', 'nodes'));
		findings.push(...unlistedChanges(frozenReleases(), now, readChangelog()));
		findings.push(...(await brokenRules(unpacked, nodes, credentials)));
		const [keepAs] = parseArgs({ allowPositionals: true }).positionals;
		if (keepAs !== undefined) await copyFile(join(folder, packed.filename), resolve(root, keepAs));
		console.log(`${packed.files.length} files, ${packed.size} bytes packed`);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	for (const finding of findings) console.error(`- ${finding}`);
	process.exitCode = findings.length > 0 ? 1 : 0;
}

async function pack(folder: string): Promise<Packed> {
	const [packed] = JSON.parse(
		await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root }),
	) as Packed[];
	if (packed === undefined) throw new Error('npm pack made no tarball');
	return packed;
}

function checkFiles({ files, size }: Packed): void {
	const paths = files.map(({ path }) => path);
	for (const path of paths) {
		if (!WANTED.test(path)) findings.push(`${path} is in the tarball, but no user needs it`);
	}
	const { nodes, credentials } = packageJson.n8n;
	for (const path of [...nodes, ...credentials, 'README.md', 'LICENSE.md', 'CHANGELOG.md']) {
		if (!paths.includes(path)) findings.push(`${path} is missing in the tarball`);
	}
	if (size > MAX_PACKED_BYTES)
		findings.push(
			`The tarball has ${size} bytes, more than ${MAX_PACKED_BYTES}: see MAX_PACKED_BYTES`,
		);
}

/** Before its first run the editor shows the fields that a file beside the node names. */
function checkPreviews({ files }: Packed, nodes: INodeTypeDescription[]): void {
	const paths = files.map(({ path }) => path);
	const selectors = nodes.flatMap(({ properties }) =>
		properties.filter(({ name }) => name === 'operation'),
	);
	for (const { value } of selectors.flatMap(({ options }) => options as INodePropertyOptions[])) {
		const path = `dist/nodes/FormCollection/__schema__/v1.0.0/form/${String(value)}.json`;
		if (!paths.includes(path)) findings.push(`${path} is missing in the tarball`);
	}
}

/** n8n gives a community package n8n-workflow and nothing else. */
async function checkImports(unpacked: string, { files }: Packed): Promise<void> {
	for (const { path } of files.filter((file) => file.path.endsWith('.js'))) {
		const source = await readFile(join(unpacked, path), 'utf8');
		for (const [, module = ''] of source.matchAll(/\brequire\(["']([^"']+)["']\)/g)) {
			if (!/^(\.{1,2}\/|n8n-workflow$)/.test(module)) findings.push(`${path} imports ${module}`);
		}
	}
}

async function scan(name: string, folder: string, isSource: boolean): Promise<void> {
	// @ts-expect-error The scanner has no types.
	const scanner = (await import('@n8n/scan-community-package/scanner/scanner.mjs')) as Scanner;
	const result = await scanner.analyzePackage(
		folder,
		isSource ? scanner.SOURCE_FILE_PATTERNS : undefined,
	);
	if (!result.passed) findings.push(`Scan of the ${name}: ${result.message}\n${result.details}`);
}

async function load(folder: string) {
	const { PackageDirectoryLoader } = await import('n8n-core');
	const loader = new PackageDirectoryLoader(folder);
	await loader.loadAll();
	const { nodes, credentials } = packageJson.n8n;
	const found = [Object.keys(loader.known.nodes), Object.keys(loader.known.credentials)];
	if (found[0]?.length !== nodes.length || found[1]?.length !== credentials.length) {
		findings.push(`n8n loads ${JSON.stringify(found)}`);
	}
	return loader.types;
}

void main();
