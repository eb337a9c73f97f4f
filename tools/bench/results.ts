import type { Frame } from './process';
import type { Figures } from './rig';

export interface Result {
	name: string;
	ours: Figures[];
	/** Of the same pairs, in the same order */
	theirs: Figures[];
	floor: Figures[];
	profile?: Frame[];
}

export interface GrowthPoint {
	series: string;
	who: 'ours' | 'theirs';
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
	growth: GrowthPoint[];
	/** Executions of n8n that do nothing */
	idle: Figures[];
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
