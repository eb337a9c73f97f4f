import { watch as watchFolder } from 'node:fs';
import { mkdir, rm, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

import { ensureN8n, updateInstalledPackage } from './install';
import { owner } from './n8nClient';
import { paths } from './paths';
import { startPlayground, type Playground } from './playground';
import { elapsed } from './run';

const runningFile = join(paths.data, 'running.json');

const log = (line: string) => console.log(line);

const { watch } = parseArgs({ options: { watch: { type: 'boolean' } } }).values;

/** Two n8n on one database would damage it. */
async function refuseIfRunning(): Promise<void> {
	let running: { pid: number; url: string };
	try {
		running = JSON.parse(await readFile(runningFile, 'utf8')) as typeof running;
		process.kill(running.pid, 0);
		await fetch(`${running.url}/healthz`, { signal: AbortSignal.timeout(2_000) });
	} catch {
		return;
	}
	throw new Error(
		`The playground already runs at ${running.url} (process ${running.pid}). ` +
			'Use it, or stop it and run "npm start" again.',
	);
}

function welcome({ n8n, sandbox, credential, examples }: Playground): string {
	return `
────────────────────────────────────────────────────────────────────────
  n8n       ${n8n.url}
  Sign in   ${owner.email}  /  ${owner.password}
  Sandbox   ${sandbox.url}   (a Form Collection Service to play with)
────────────────────────────────────────────────────────────────────────

Try first:
  1. Sign in, create a workflow and add the node "Form Collection", action
     "Get many responses". The credential "${credential.name}" is already selected:
     select a form and press "Execute step".
  2. Open one of these workflows and press "Execute workflow":
${examples.map(({ name }) => `       ${name}`).join('\n')}
  3. See every error message: choose one at ${sandbox.url}/errors

Workflows are kept in ${relative(paths.root, paths.data)} (delete that folder to start over). The sandbox
forgets what you send to it when it stops.

Press Ctrl-C to stop both.
`;
}

/** Builds the package anew at each change of its source, and replaces the one that n8n has. */
function rebuildOnChange(userFolder: string): void {
	let building = Promise.resolve();
	let pause: NodeJS.Timeout | undefined;
	const build = async () => {
		const start = Date.now();
		try {
			await updateInstalledPackage(userFolder);
			log(`Rebuilt in ${elapsed(Date.now() - start)}: n8n reloads the node.`);
		} catch (error) {
			log(`The package does not build, so n8n keeps the old one.\n${(error as Error).message}`);
		}
	};
	for (const folder of ['nodes', 'credentials', 'icons']) {
		watchFolder(join(paths.root, folder), { recursive: true }, () => {
			clearTimeout(pause);
			// Editors write a file in several steps.
			pause = setTimeout(() => (building = building.then(build)), 200);
		});
	}
}

let playground: Playground | undefined;
let isStopping = false;

async function stop(exitCode: number): Promise<void> {
	if (isStopping) return;
	isStopping = true;
	log('\nStopping …');
	if (playground) {
		await playground.stop();
		await rm(runningFile, { force: true });
	}
	process.exit(exitCode);
}

async function main(): Promise<void> {
	// From the first moment: an n8n that is still starting must end with us, too.
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => void stop(0));
	}
	await refuseIfRunning();
	await ensureN8n({ log });

	await mkdir(paths.data, { recursive: true });
	const userFolder = join(paths.data, 'n8n');
	playground = await startPlayground({
		userFolder,
		logFile: join(paths.data, 'n8n.log'),
		n8nPort: 5678,
		sandboxPort: 4000,
		// n8n then loads what changes in its packages. n8n 2.41 pushes it to open editors, too.
		env: watch ? { N8N_DEV_RELOAD: 'true' } : {},
		log,
	});
	const { n8n } = playground;
	await writeFile(runningFile, JSON.stringify({ pid: n8n.pid, url: n8n.url }));
	log(welcome(playground));
	if (watch) rebuildOnChange(userFolder);

	n8n.onUnexpectedEnd((sentence) => {
		console.error(sentence);
		void stop(1);
	});
}

main().catch((error: unknown) => {
	console.error(`\n${error instanceof Error ? error.message : String(error)}`);
	process.exit(1);
});
