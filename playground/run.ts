import { spawn } from 'node:child_process';

const LINES_SHOWN_ON_FAILURE = 25;

/** A line of progress for the person who waits. */
export type Log = (line: string) => void;

export function lastLines(text: string, count = LINES_SHOWN_ON_FAILURE): string {
	return text.trimEnd().split('\n').slice(-count).join('\n');
}

export function elapsed(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Runs npm and returns what it printed; on failure the error holds the end of that. */
export async function npm(args: string[], cwd: string): Promise<string> {
	// On Windows npm is a .cmd file, which only a shell can start.
	const child = spawn('npm', args, { cwd, shell: process.platform === 'win32' });
	let stdout = '';
	let all = '';
	child.stdout.on('data', (chunk: Buffer) => {
		stdout += chunk;
		all += chunk;
	});
	child.stderr.on('data', (chunk: Buffer) => (all += chunk));

	const code = await new Promise<number | null>((resolve, reject) => {
		child.once('error', reject);
		child.once('close', resolve);
	});
	if (code !== 0) {
		throw new Error(`"npm ${args.join(' ')}" in ${cwd} did not succeed:\n\n${lastLines(all)}`);
	}
	return stdout;
}

/** Announces a long step, says every 20 seconds that it still runs, and how long it took. */
export async function step<T>(title: string, log: Log, work: () => Promise<T>): Promise<T> {
	const start = Date.now();
	log(`${title} …`);
	const ticking = setInterval(() => log(`  still working, ${elapsed(Date.now() - start)}`), 20_000);
	try {
		const result = await work();
		log(`  done in ${elapsed(Date.now() - start)}`);
		return result;
	} finally {
		clearInterval(ticking);
	}
}
