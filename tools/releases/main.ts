/**
 * Freezes what workflows of this version refer to in test/releases/<version>/interface.json. The package
 * check compares later versions with it.
 *
 *   npm run release:freeze    as long as the version is not released
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PackageDirectoryLoader } from 'n8n-core';
import { version } from '../../package.json';
import { isReleased } from './changelog';
import { freeze, interfaceOf, readChangelog } from './releases';

const root = join(__dirname, '..', '..');

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { 'is-release': { type: 'boolean' } } });
	if (values['is-release'] !== true && isReleased(readChangelog(), version)) {
		throw new Error(`${version} is released, so its description stays: raise the version first`);
	}
	const loader = new PackageDirectoryLoader(root);
	await loader.loadAll();
	const { nodes, credentials } = loader.types;
	await freeze({
		version,
		description: interfaceOf(nodes, credentials, join(root, 'dist', 'nodes')),
	});
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
