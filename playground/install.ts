import { createHash } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { paths } from './paths';
import { run, step, type Log } from './run';

// Inside node_modules, so that it goes when the installation goes.
const n8nStamp = join(paths.modules, '.installed-from');

async function lockHash(): Promise<string> {
	return createHash('sha256')
		.update(await readFile(paths.lockFile))
		.digest('hex');
}

async function isInstalled(): Promise<boolean> {
	if (paths.modules !== paths.pinnedModules) return true;
	if (![paths.n8nManifest, paths.node, n8nStamp].every((file) => existsSync(file))) return false;
	return (await readFile(n8nStamp, 'utf8')).trim() === (await lockHash());
}

/** Installs the pinned n8n and the Node.js it runs on, unless they are there. */
export async function ensureN8n({ log }: { log: Log }): Promise<void> {
	if (await isInstalled()) return;

	log('Installing n8n into playground/pinned: once, 3 to 7 minutes and 2.4 GB.');
	try {
		await step('1/2 Downloading the packages', log, async () => {
			// Without these two flags npm resolves peers for a quarter of an hour, and compiles a
			// Kafka client that nothing here uses. The first leaves peers out: the one that n8n's
			// nodes need, date-fns, is a dependency of the playground.
			await run(
				'npm',
				['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'],
				{ cwd: paths.pinned },
			);
		});
		await step('2/2 Setting up the database driver and Node.js', log, async () => {
			await run('npm', ['rebuild', 'sqlite3', 'node', '--ignore-scripts=false'], {
				cwd: paths.pinned,
			});
		});
	} catch (error) {
		throw new Error(
			'n8n could not be installed. Check the network and the free disk space (3 GB), then run ' +
				`"npm start" again; it starts over cleanly.\n\n${(error as Error).message}`,
		);
	}
	await writeFile(n8nStamp, await lockHash());
}

const packageName = 'n8n-nodes-form-collection';

async function buildAndPack(): Promise<Buffer> {
	const folder = await mkdtemp(join(tmpdir(), 'form-collection-pack-'));
	try {
		await run('npm', ['run', 'build'], { cwd: paths.root });
		const pack = ['pack', '--silent', '--pack-destination', folder];
		return await readFile(join(folder, await run('npm', pack, { cwd: paths.root })));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/**
 * Builds this repository's package as it would be published, or takes the tarball that the
 * environment variable PACKAGE_TARBALL names; returns the tarball's path.
 */
export async function packPackage(): Promise<string> {
	const given = process.env['PACKAGE_TARBALL'];
	const content = given ? await readFile(resolve(paths.root, given)) : await buildAndPack();
	// npm takes a tarball of the same path for the same package, even after its content changed.
	const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
	const folder = join(paths.data, 'package');
	const tarball = join(folder, `${packageName}-${hash}.tgz`);
	await mkdir(folder, { recursive: true });
	if (!existsSync(tarball)) await writeFile(tarball, content);
	return tarball;
}

const installedNodes = (userFolder: string) => join(userFolder, '.n8n', 'nodes');
const stampIn = (nodes: string) => join(nodes, '.installed-from');

/**
 * Installs the tarball the way n8n installs a community package for its user. An installation
 * of the same content is left alone.
 */
export async function installPackage(tarball: string, userFolder: string): Promise<void> {
	const nodes = installedNodes(userFolder);
	const stampFile = stampIn(nodes);
	const isSame =
		existsSync(join(nodes, 'node_modules', packageName)) &&
		existsSync(stampFile) &&
		(await readFile(stampFile, 'utf8')) === tarball;
	if (isSame) return;

	await rm(nodes, { recursive: true, force: true });
	await mkdir(nodes, { recursive: true });
	await writeFile(
		join(nodes, 'package.json'),
		JSON.stringify({ name: 'installed-nodes', private: true, dependencies: {} }),
	);
	// Peers come with n8n; without the last flag npm still looks all of them up.
	await run(
		'npm',
		[
			'install',
			'--omit=peer',
			'--ignore-scripts',
			'--no-audit',
			'--no-fund',
			'--legacy-peer-deps',
			tarball,
		],
		{ cwd: nodes },
	);
	await writeFile(stampFile, tarball);
}

/** Builds anew, and puts what is built in place of what is installed. */
export async function updateInstalledPackage(userFolder: string): Promise<void> {
	await run('npm', ['run', 'build'], { cwd: paths.root });
	const nodes = installedNodes(userFolder);
	// It is not what the tarball holds any more.
	await rm(stampIn(nodes), { force: true });
	const installed = join(nodes, 'node_modules', packageName, 'dist');
	// At one go: an n8n that watches the folder may load it at any moment.
	cpSync(join(paths.root, 'dist'), installed, { recursive: true });
}

/** A folder for an n8n that nobody used before, with the package in it. */
export async function newUserFolder(tarball: string): Promise<string> {
	const userFolder = await mkdtemp(join(tmpdir(), 'form-collection-e2e-'));
	await installPackage(tarball, userFolder);
	return userFolder;
}
