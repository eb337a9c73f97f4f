import type { IExecuteFunctions } from 'n8n-workflow';
import { isTool } from '../tool';
import { formatted } from './hintText';

interface Cut {
	returned: number;
	/** How many there are; undefined where nothing was read past the limit */
	total: number | undefined;
}

/** Counts what Limit has left out, for a hint. */
export class LimitHint {
	private readonly cuts: Cut[] = [];

	/** @param things that the operation returns, e.g. "forms" */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly things: string,
	) {}

	/** @param cut what the limit has left of the output of one input item */
	add(cut: Cut): void {
		this.cuts.push(cut);
	}

	/** @param outputItems how many items the output has */
	text(outputItems: number): string | undefined {
		// n8n itself says that a fixed limit was reached if there are as many items in the output.
		if (!isTool(this.context) && this.context.getNode().parameters.limit === outputItems) {
			return undefined;
		}
		const [first, ...others] = this.cuts;
		if (first === undefined) return undefined;
		const advice = 'raise Limit or turn on Return All';
		if (others.length > 0) {
			return `For ${formatted(others.length + 1)} items there may be more ${this.things} than returned: ${advice}`;
		}
		const { returned, total } = first;
		if (total === undefined) return `There may be more ${this.things} than returned: ${advice}`;
		return `Returned ${formatted(returned)} of ${formatted(total)} ${this.things}: ${advice}`;
	}
}
