import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { paths } from './paths';
import { run, step, type Log } from './run';

// Inside node_modules, so that it goes when the installation goes.
const stampFile = join(paths.modules, '.installed-from');

async function lockHash(): Promise<string> {
	return createHash('sha256')
		.update(await readFile(paths.lockFile))
		.digest('hex');
}

async function isInstalled(): Promise<boolean> {
	if (paths.modules !== paths.pinnedModules) return true;
	if (![paths.n8nManifest, paths.node, stampFile].every((file) => existsSync(file))) return false;
	return (await readFile(stampFile, 'utf8')).trim() === (await lockHash());
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
	await writeFile(stampFile, await lockHash());
}
