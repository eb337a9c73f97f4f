import { setTimeout as sleep } from 'node:timers/promises';

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
