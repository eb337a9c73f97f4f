import execa, { type ExecaError, type Options } from 'execa';
import { setTimeout as sleep } from 'node:timers/promises';

const LINES_SHOWN_ON_FAILURE = 25;

/** A line of progress for the person who waits. */
export type Log = (line: string) => void;

export function lastLines(text: string): string {
	return text.trimEnd().split('\n').slice(-LINES_SHOWN_ON_FAILURE).join('\n');
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

type Truthy<T> = Exclude<T, undefined | null | false | 0 | ''>;

/** Looks again and again until something is there, and returns that. n8n polls within a minute, with back-off within four. */
export async function until<T>(
	what: string,
	look: () => T | Promise<T>,
	timeoutMs = 240_000,
): Promise<Truthy<T>> {
	const end = Date.now() + timeoutMs;
	for (;;) {
		const found = await look();
		if (found) return found as Truthy<T>;
		if (Date.now() > end) throw new Error(`Waited ${timeoutMs / 1000} s in vain: ${what}`);
		await sleep(50);
	}
}
