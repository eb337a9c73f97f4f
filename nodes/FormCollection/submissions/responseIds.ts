import { hashOf } from '../hash';
import type { Collector } from '../transport/client';
import { isRecord, type ResponseRecord } from '../transport/records';
import { answeredOf, comparisonKey, isMatchOnKey } from './comparison';
import type { SubmissionLog } from './submissionLog';

/** The IDs of the responses of a form, by the comparison key of their answers. */
export class ResponseIds implements Collector<ResponseIds> {
	/** Those of the questions to match on that a response has */
	readonly questions = new Set<string>();

	private readonly ids = new Map<string, unknown[]>();

	constructor(private readonly matchOn: string[]) {}

	add({ id, answers }: ResponseRecord): void {
		if (!isRecord(answers)) return;
		for (const question of answeredOf(answers, this.matchOn)) this.questions.add(question);
		const key = comparisonKey(answers, this.matchOn);
		if (key === undefined) return;
		const ids = this.ids.get(key);
		if (ids === undefined) this.ids.set(key, [id]);
		else if (!isMatchOnKey(key)) ids.push(id);
	}

	result(): this {
		return this;
	}

	/** Those that are left; to remove one is to use it */
	of(key: string): unknown[] {
		return this.ids.get(key) ?? [];
	}

	/** A response that was created since, unless it is there already */
	include(key: string, id: unknown): void {
		const ids = this.of(key);
		if (!ids.some((each) => String(each) === String(id))) ids.push(id);
		this.ids.set(key, ids);
	}

	/** Leaves out the responses that stand for a submission already, but for those to match on. */
	leaveOut(used: ReturnType<SubmissionLog['usedResponses']>): void {
		const idsByHash = new Map<string, unknown[]>();
		for (const [key, ids] of this.ids) {
			if (isMatchOnKey(key)) continue;
			const unused = ids.filter((id) => !used.ids.has(String(id)));
			this.ids.set(key, unused);
			if (used.withoutId.length > 0) idsByHash.set(hashOf(key), unused);
		}
		for (const hash of used.withoutId) {
			const ids = idsByHash.get(hash) ?? [];
			// Only how many of them are used is known, not which: it does not matter which one goes.
			const nameless = ids.findIndex((id) => id === undefined || id === null);
			ids.splice(nameless, 1);
		}
	}
}
