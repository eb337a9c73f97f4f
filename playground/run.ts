import execa, { type ExecaError, type Options } from 'execa';

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

/** Runs a program to its end and returns what it printed; if it fails, the error holds the end of that. */
export async function run(command: string, args: string[], options: Options = {}): Promise<string> {
	try {
		return (await execa(command, args, { all: true, ...options })).stdout;
	} catch (error) {
		const { shortMessage, all = '' } = error as ExecaError;
		throw new Error(`${shortMessage}\n\n${lastLines(all)}`);
	}
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
