/**
 * Format, lint, types and the build side by side, then what would be published. CI runs exactly this.
 *
 *   npm run check                   all of it
 *   npm run check -- package.tgz    also leaves the tarball that passed
 */
import execa from 'execa';
import { elapsed } from '../playground/run';
import { checkPackage } from './checkPackage';

const parts = [
	'npx prettier --check . --cache --cache-location coverage/prettier',
	'npm run lint',
	'npx tsc --noEmit --incremental --tsBuildInfoFile coverage/tsc.json',
	'npm run build',
];

async function passes(command: string): Promise<boolean> {
	const start = Date.now();
	const { failed, all } = await execa(command, { shell: true, all: true, reject: false });
	if (failed) console.error(all);
	console.log(`${elapsed(Date.now() - start)} ${command}: ${failed ? 'FAILED' : 'passed'}`);
	return !failed;
}

async function main(): Promise<void> {
	const passed = await Promise.all(parts.map(passes));
	const isRight = passed.every(Boolean) && (await checkPackage(process.argv[2]));
	process.exitCode = isRight ? 0 : 1;
}

void main();
