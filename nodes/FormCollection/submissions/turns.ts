/** The last of those that take turns in this process: the next one begins after it */
const turns = new Map<string, Promise<void>>();

/**
 * Waits until those before have had their turn.
 *
 * @param key the same for those that must not happen at the same time
 * @returns ends the turn
 */
export async function takeTurn(key: string): Promise<() => void> {
	const before = turns.get(key);
	let resolveTurn: () => void = () => undefined;
	const turn = new Promise<void>((resolve) => (resolveTurn = resolve));
	turns.set(key, turn);
	await before;
	return () => {
		if (turns.get(key) === turn) turns.delete(key);
		resolveTurn();
	};
}
