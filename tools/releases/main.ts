/**
 * Freezes what workflows of this version refer to in test/releases, and what n8n saves of it in test/replay.
 * `npm run check` compares later versions with the first, and they go on from the second.
 *
 *   npm run build && npx tsx tools/releases/main.ts    as long as the version is not released
 */
import '../../test/support/environment';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PackageDirectoryLoader } from 'n8n-core';
import { format, resolveConfig } from 'prettier';
import { version } from '../../package.json';
import { fileOf, frozenReleases, interfaceOf, readChangelog } from './releases';

// Node.js would take `FormCollection.node` for the JSON file of that name, before the TypeScript file.
const extensions: Record<string, unknown> = require.extensions;
const json = extensions['.json'];
delete extensions['.json'];
extensions['.json'] = json;

// Saved errors would hold the paths of this computer.
Error.stackTraceLimit = 0;

const root = join(__dirname, '..', '..');

function write(file: string, text: string): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
	console.log(file);
}

/** Long lists are long lines. */
const textOf = (saved: object) =>
	JSON.stringify(saved, null, '\t').replace(/\[[^[\]{}]*\]/g, (list) =>
		list.replace(/\n\t*/g, ' '),
	);

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { 'is-release': { type: 'boolean' } } });
	if (!values['is-release'] && readChangelog().includes(`\n## [${version}]`))
		throw new Error(`${version} is released, and what is frozen of it stays: raise the version`);

	const { version: earlier = version } = frozenReleases().at(-1) ?? {};
	const loader = new PackageDirectoryLoader(root);
	await loader.loadAll();
	const { nodes, credentials } = loader.types;
	const description = interfaceOf(nodes, credentials, join(root, 'dist', 'nodes'));
	const filepath = fileOf(version);
	const options = { ...(await resolveConfig(filepath)), filepath };
	write(filepath, await format(JSON.stringify(description), options));

	const { freeze, frozen } = await import('../../test/replay/replay');
	for (const [name, saved] of Object.entries(await freeze(frozen(earlier))))
		write(join(root, 'test', 'replay', version, `${name}.json`), `${textOf(saved)}\n`);
}

void main().then(
	// n8n-core leaves timers behind.
	() => process.exit(0),
	(error: Error) => {
		console.error(error);
		process.exit(1);
	},
);
