/**
 * Checks what `npm publish` would send: its files, its size, n8n's package scanner, n8n's loader, n8n's rules,
 * what the last release had; and that no imports go in circles.
 */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PackageDirectoryLoader } from 'n8n-core';
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
const MAX_PACKED_BYTES = 46_000;
const WANTED =
	/^(package\.json|README\.md|LICENSE\.md|CHANGELOG\.md|dist\/(credentials|nodes)\/.+\.js|dist\/nodes\/.+\.node\.json|dist\/nodes\/.+\/__schema__\/v1\.0\.0\/form\/\w+\.json|dist\/icons\/.+\.svg)$/;

async function findingsIn(folder: string, keepAs?: string): Promise<string[]> {
	const pack = ['pack', '--json', '--pack-destination', folder];
	const [packed] = JSON.parse(await run('npm', pack, { cwd: root })) as [Packed];
	await run('tar', ['-xzf', packed.filename], { cwd: folder });
	const unpacked = join(folder, 'package');
	// @ts-expect-error The scanner has no types.
	const scanner = (await import('@n8n/scan-community-package/scanner/scanner.mjs')) as Scanner;
	const scans = [
		await scanner.analyzePackage(root, scanner.SOURCE_FILE_PATTERNS),
		await scanner.analyzePackage(unpacked),
	];
	const loader = new PackageDirectoryLoader(root);
	await loader.loadAll();
	const { nodes, credentials } = loader.types;
	const now = interfaceOf(nodes, credentials, join(unpacked, 'dist', 'nodes'));
	const operations = Object.values(now.nodes).flatMap((node) => Object.keys(node.operations));

	if (keepAs !== undefined) copyFileSync(join(folder, packed.filename), resolve(root, keepAs));
	console.log(`${packed.files.length} files, ${packed.size} bytes packed`);
	return [
		...filesFindings(packed, operations),
		...scans
			.filter(({ passed }) => !passed)
			.map(({ message, details }) => `n8n's scanner: ${message}\n${details}`),
		...unlistedChanges(frozenReleases(), now, readChangelog()),
		...brokenRules(unpacked, nodes, credentials),
		...circles(join(root, 'nodes')).map((file) => `${file} imports itself through others`),
	];
}

function filesFindings({ files, size }: Packed, operations: string[]): string[] {
	const paths = files.map(({ path }) => path);
	const { nodes, credentials } = packageJson.n8n;
	// Before the first run the editor shows the output fields that a file names.
	const previews = operations
		.filter((operation) => operation !== 'newResponse')
		.map((operation) => `dist/nodes/FormCollection/__schema__/v1.0.0/form/${operation}.json`);
	const needed = [...nodes, ...credentials, ...previews, 'README.md', 'LICENSE.md', 'CHANGELOG.md'];
	return [
		...paths.filter((path) => !WANTED.test(path)).map((path) => `No user needs ${path}`),
		...needed.filter((path) => !paths.includes(path)).map((path) => `${path} is not packed`),
		...(size > MAX_PACKED_BYTES ? [`${size} bytes packed: see MAX_PACKED_BYTES`] : []),
	];
}

/** Files that import themselves through others */
function circles(folder: string): string[] {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const importsOf = (file: string) =>
		[...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)]
			.map(([, path = '']) => join(dirname(file), path))
			.flatMap((path) => [`${path}.ts`, join(path, 'index.ts')]);
	const sources = files.filter((file) => file.endsWith('.ts')).map((file) => join(folder, file));
	const imports = new Map(sources.map((file) => [file, importsOf(file)]));
	return sources.filter((file) => {
		const reached = new Set(imports.get(file));
		for (const one of reached) for (const next of imports.get(one) ?? []) reached.add(next);
		return reached.has(file);
	});
}

/** @param keepAs path of the tarball to leave, if any */
export async function checkPackage(keepAs?: string): Promise<boolean> {
	const folder = mkdtempSync(join(tmpdir(), 'form-collection-package-'));
	try {
		const findings = await findingsIn(folder, keepAs);
		for (const finding of findings) console.error(`- ${finding}`);
		return findings.length === 0;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
