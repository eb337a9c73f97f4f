import type { Rig } from './rig';
import * as works from './works';

/** A piece of work, as the page shows it. */
export interface Scenario {
	work: string;
	/** Where there is more than one */
	way?: string;
	does: works.Work;
	maxPairs?: number;
}

export const SUBMISSIONS = 1_000;
/** How long the service takes to store one */
export const SERVICE_MS = 20;
export const FILTERED = 10_000;
export const POLLED = 100_000;
export const NEW_ONES = 10;

/** What is measured in rounds, each with saved executions and with others. */
export function scenarios(rig: Rig): Scenario[] {
	const submits = (entering: Parameters<typeof works.submits>[2]) =>
		works.submits(rig, SUBMISSIONS, entering);
	return [
		{ work: 'hundred', does: works.readsForEach(rig, 100, 1_000) },
		{ work: 'all', does: works.readsAll(rig, 100_000) },
		{ work: 'newest', does: works.readsNewest(rig, 100_000) },
		{ work: 'first', does: works.readsFirst(rig, 100_000) },
		// n8n's Filter takes a minute for ten times as many.
		{ work: 'last day', does: works.readsLastDay(rig, FILTERED), maxPairs: 3 },
		{ work: 'submissions', way: 'automatic mapping', does: submits('automatic') },
		{ work: 'submissions', way: 'one mapped column', does: submits('mapped') },
		{ work: 'submissions', way: 'JSON', does: submits('json') },
		{ work: 'submissions', way: 'four mapped columns', does: submits('eachMapped'), maxPairs: 3 },
	];
}
