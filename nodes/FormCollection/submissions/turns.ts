interface Turns {
	/** Resolves when all runs that have asked for the turn have given it back */
	last: Promise<void>;
	/** How many runs have asked for it */
	asked: number;
}

/** By form. It stays, with a number, when no run has the turn. */
const turnsOf = new Map<string, Turns>();

export interface Turn {
	/** Which turn it is: the next number means that no other run has had one in between */
	number: number;
	giveBack(): void;
}

/**
 * Waits until no other run of this process compares and submits to the form.
 *
 * @param form a hash of account and form
 * @param signal of the execution: if it aborts, the wait ends, and no request will be sent
 */
export async function takeTurn(form: string, signal?: AbortSignal): Promise<Turn> {
	const { last: before, asked } = turnsOf.get(form) ?? { last: Promise.resolve(), asked: 0 };
	let giveBack: () => void = () => undefined;
	const mine = new Promise<void>((resolve) => (giveBack = resolve));
	turnsOf.set(form, { last: before.then(async () => await mine), asked: asked + 1 });
	const aborted = new Promise<void>((resolve) => {
		signal?.addEventListener('abort', () => resolve());
	});
	await Promise.race([before, aborted]);
	return { number: asked, giveBack };
}
