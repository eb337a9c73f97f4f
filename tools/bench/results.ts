import type { Share } from './process';
import type { Figures } from './rig';
import type { Side } from './works';

/** A piece of work under one condition */
export interface Result {
	work: string;
	/** The way in which it is done, where there is more than one */
	way?: string;
	/** With its size */
	name: string;
	/** Whether n8n saved the executions */
	isSaved: boolean;
	/** Of the same rounds, in the same order */
	sides: Record<Side, Figures[]>;
	/** Where n8n's process spends its time in our run */
	profile?: Share[];
}

export interface PollResult {
	/** How many responses have been processed */
	count: number;
	ours: Figures[];
	/** The same reading without n8n, at one count */
	script: Figures[];
}

export interface GrowthPoint {
	series: string;
	who: Exclude<Side, 'empty'>;
	count: number;
	wallMs?: number;
	peakBytes?: number;
	/** Why there are no figures */
	failure?: string;
}

export interface Results {
	date: string;
	machine: { cpu: string; cores: number; memoryBytes: number; node: string; n8n: string };
	pairs: number;
	minutes: number;
	results: Result[];
	polls: PollResult[];
	growth: GrowthPoint[];
	/** 1,000 submissions by the bare script, with and without keeping connections */
	connections: { kept: Figures[]; closed: Figures[] };
	package: { packedBytes: number; loadMs: number };
}

/** Leaves out what has no figure: on a busy machine a poll may come before its measuring begins. */
export function median(numbers: number[]): number {
	const sorted = numbers.filter(Number.isFinite).sort((a, b) => a - b);
	const middle = sorted.length / 2;
	return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}
