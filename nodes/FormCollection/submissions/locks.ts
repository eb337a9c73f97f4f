interface Turn {
	owner: unknown;
	/** How many items of the owner have it */
	count: number;
	ended: Promise<void>;
	end: () => void;
}

/** What is under way in this process */
const turns = new Map<string, Turn>();

/**
 * Waits until no other owner has the turn.
 *
 * @param key the same for what must not happen at the same time
 * @param owner those with the same one need not wait for each other
 * @param stop ends the waiting, without a turn
 * @returns ends the turn
 */
export async function takeTurn(
	key: string,
	owner: unknown,
	stop?: AbortSignal,
): Promise<() => void> {
	let turn = turns.get(key);
	while (turn !== undefined && turn.owner !== owner) {
		if (stop?.aborted) return () => undefined;
		await endOf(turn, stop);
		turn = turns.get(key);
	}
	const own = turn ?? newTurn(owner);
	own.count++;
	turns.set(key, own);
	return () => {
		if (--own.count > 0) return;
		turns.delete(key);
		own.end();
	};
}

async function endOf({ ended }: Turn, stop?: AbortSignal): Promise<void> {
	let onStop: () => void = () => undefined;
	const stopped = new Promise<void>((resolve) => (onStop = resolve));
	stop?.addEventListener('abort', onStop);
	await Promise.race([ended, stopped]);
	stop?.removeEventListener('abort', onStop);
}

function newTurn(owner: unknown): Turn {
	let end: () => void = () => undefined;
	const ended = new Promise<void>((resolve) => (end = resolve));
	return { owner, count: 0, ended, end };
}
