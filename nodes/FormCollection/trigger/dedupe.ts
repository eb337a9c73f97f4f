import { createdAt } from '../responses/createdAt';
import { hashOf } from '../transport/hash';
import type { ResponseRecord } from '../transport/records';

/** How many ids are kept; older responses count as seen by their time. */
const KEPT_IDS = 5_000;

/** What a trigger has seen of a form. n8n saves it as JSON. */
export interface DedupeState {
	/** Unix epoch milliseconds of creation by id; null without a readable time */
	ids: Record<string, number | null>;
	/**
	 * Unix epoch milliseconds: a response created before this moment counts as seen. It never goes back, so that a list
	 * that was incomplete for a while repeats nothing.
	 */
	watermark: number | null;
}

export const NOTHING_SEEN: DedupeState = { ids: {}, watermark: null };

export interface Identity {
	id: string;
	time: number | null;
}

/** Ids are documented as text; a record without one is known by all it holds. */
export function identityOf(response: ResponseRecord): Identity {
	const { id } = response;
	const hasId = (typeof id === 'string' && id !== '') || typeof id === 'number';
	return {
		id: hasId ? String(id) : `#${hashOf(JSON.stringify(response))}`,
		time: createdAt(response) ?? null,
	};
}

/** @returns whether a response is new: its id was not seen, and it was not created before the watermark */
export function newTo({ ids, watermark }: DedupeState): (identity: Identity) => boolean {
	const seen = new Set(Object.keys(ids));
	return ({ id, time }) =>
		!seen.has(id) && !(time !== null && watermark !== null && time < watermark);
}

/**
 * Keeps the newest 5,000 ids, and those created at the same moment as the oldest of these. Ids without a readable time are
 * all kept, because no watermark covers them.
 */
export function withSeen({ ids, watermark }: DedupeState, seen: Identity[]): DedupeState {
	const times = new Map(Object.entries(ids));
	for (const { id, time } of seen) times.set(id, time);
	const dated = [...times.values()].filter((time) => time !== null).sort((a, b) => b - a);
	const oldestKept = dated.length > KEPT_IDS ? (dated[KEPT_IDS - 1] as number) : -Infinity;
	const next = Math.max(oldestKept, watermark ?? -Infinity);
	return {
		ids: Object.fromEntries([...times].filter(([, time]) => time === null || time >= next)),
		watermark: next === -Infinity ? null : next,
	};
}
