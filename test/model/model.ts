import fc from 'fast-check';
import { play } from './commands';
import type { History } from './history';
import { histories } from './history';
import { World } from './world';

export interface Exploration {
	seed: number;
	histories: number;
	/** How many histories at a time, each in a world of its own: they wait most of the time; 1 by default */
	lanes?: number;
	/** Of a counterexample, to begin with */
	path?: string;
	/** Called after each history */
	onHistory?(history: History, failure?: unknown): void;
	/** Goes on after a counterexample, and shrinks none */
	isSurvey?: boolean;
	/** Leaves a counterexample as it is: to shrink it takes minutes */
	isQuick?: boolean;
}

export interface Counterexample {
	seed: number;
	path: string;
	/** How many histories were played until it was found */
	found: number;
	history: History;
	error: Error;
}

/** Plays random histories, and shrinks the first that violates an invariant. */
export async function explore(exploration: Exploration): Promise<Counterexample | undefined> {
	const { seed, histories: total, lanes = 1 } = exploration;
	const found = await Promise.all(
		Array.from({ length: lanes }, async (_, lane) => {
			const share = { ...exploration, histories: Math.ceil(total / lanes), seed: seed + lane };
			return await exploreOneByOne(share);
		}),
	);
	return found.find((counterexample) => counterexample !== undefined);
}

async function exploreOneByOne(exploration: Exploration): Promise<Counterexample | undefined> {
	const { seed, histories: numRuns, path, onHistory, isSurvey, isQuick } = exploration;
	const world = await World.start();
	try {
		const property = fc.asyncProperty(histories, async (history) => {
			try {
				await play(history, world);
				onHistory?.(history);
			} catch (error) {
				onHistory?.(history, error);
				if (!isSurvey) throw error;
			}
		});
		const result = await fc.check(property, { seed, numRuns, path, endOnFailure: isQuick });
		if (!result.failed) return undefined;
		return {
			seed,
			path: result.counterexamplePath ?? '',
			found: result.numRuns,
			history: (result.counterexample as [History])[0],
			error: result.errorInstance as Error,
		};
	} finally {
		await world.stop();
	}
}

export const describeCounterexample = ({ seed, path, found, history, error }: Counterexample) =>
	[
		`After ${found} histories: ${error.stack ?? error.message}`,
		`HISTORIES=1 SEED=${seed} npm test -- test/model (path ${path})`,
		JSON.stringify(history),
	].join('\n');
