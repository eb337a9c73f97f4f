interface Lock {
	owner: unknown;
	/** How many times the owner holds it */
	holders: number;
	released: Promise<void>;
	release: () => void;
}

/** The locks that are held, by key */
const locks = new Map<string, Lock>();

/**
 * Acquires the lock of a key in this process. Holders with the same owner share it; any other one waits
 * until all of them have released it.
 *
 * @param signal ends the waiting, without the lock
 * @returns releases the lock
 */
export async function acquireLock(
	key: string,
	owner: unknown,
	signal?: AbortSignal,
): Promise<() => void> {
	let held = locks.get(key);
	while (held !== undefined && held.owner !== owner) {
		if (signal?.aborted) return () => undefined;
		await releaseOf(held, signal);
		held = locks.get(key);
	}
	const lock = held ?? newLock(owner);
	lock.holders++;
	locks.set(key, lock);
	return () => {
		if (--lock.holders > 0) return;
		locks.delete(key);
		lock.release();
	};
}

async function releaseOf({ released }: Lock, signal?: AbortSignal): Promise<void> {
	let onAbort: () => void = () => undefined;
	const aborted = new Promise<void>((resolve) => (onAbort = resolve));
	signal?.addEventListener('abort', onAbort);
	await Promise.race([released, aborted]);
	signal?.removeEventListener('abort', onAbort);
}

function newLock(owner: unknown): Lock {
	let release: () => void = () => undefined;
	const released = new Promise<void>((resolve) => (release = resolve));
	return { owner, holders: 0, released, release };
}
