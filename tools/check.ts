/**
 * Format, lint, types and the build side by side, then what would be published. CI runs exactly this.
 *
 *   npm run check                   all of it
 *   npm run check -- package.tgz    also leaves the tarball that passed
 */
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
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
	const child = spawn(`${command} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
	const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
	const output = await buffer(child.stdout);
	const status = await ended;
	if (status !== 0) console.error(output.toString());
	console.log(`${elapsed(Date.now() - start)} ${command}: ${status === 0 ? 'passed' : 'FAILED'}`);
	return status === 0;
}

async function main(): Promise<void> {
	const passed = await Promise.all(parts.map(passes));
	const isRight = passed.every(Boolean) && (await checkPackage(process.argv[2]));
	process.exitCode = isRight ? 0 : 1;
}

void main();
