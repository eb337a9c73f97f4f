import type { ResponseRecord } from '../transport/records';
import { createdAt } from '../transport/records';

/** How many ids are remembered at the least; what is older counts as seen by its time. */
const REMEMBERED = 5_000;

/** What a trigger has seen of a form. It is saved as JSON. */
export interface Seen {
	/**
	 * Unix epoch milliseconds: a response created before this moment counts as seen. It never goes
	 * back, so that a list that was incomplete for a while repeats nothing.
	 */
	horizon: number | null;
	/** Ids by time of creation, the horizon included; `''` holds those without a readable time */
	ids: Record<string, string[]>;
}

const UNDATED = '';

/**
 * Tells which responses are new: those whose id is not among the seen ones and that were not created
 * before the horizon.
 *
 * The whole list of the form is read each time, so a response is found wherever it stands in it. The
 * state keeps the ids of the newest 5,000 responses and of those created in the same millisecond as
 * the oldest of these. Ids without a readable time are kept while the form lists them, and 5,000 of those gone.
 *
 * @param responses as listed, in any order
 * @param seen undefined at first: then every response is new
 * @returns the new ones, oldest first, those without a readable time last; and the state after them
 */
export function findNew(
	responses: ResponseRecord[],
	seen?: Seen,
): { fresh: ResponseRecord[]; seen: Seen } {
	const times = timesById(seen);
	const horizon = seen?.horizon ?? -Infinity;
	const listed = new Set<string>();
	const fresh: { response: ResponseRecord; time: number }[] = [];

	for (const response of responses) {
		const id = idOf(response);
		const time = createdAt(response);
		listed.add(id);
		if (times.has(id) || (time !== undefined && time < horizon)) continue;
		times.set(id, time);
		fresh.push({ response, time: time ?? Infinity });
	}
	return {
		// NaN, of two infinite times, counts as equal.
		fresh: fresh.sort((a, b) => a.time - b.time).map(({ response }) => response),
		seen: bounded(times, horizon, listed),
	};
}

/**
 * Lets pass what `findNew` needs of a long list, so that the rest is in memory only while it is read.
 *
 * @param isWanted whether a new response of that time is of use; of others, only what tells that they
 * have been there is kept
 */
export function sieveOf(seen: Seen | undefined, isWanted: (time: number | undefined) => boolean) {
	const times = timesById(seen);
	const horizon = seen?.horizon ?? -Infinity;
	const passed: ResponseRecord[] = [];
	return {
		take(response: ResponseRecord): void {
			const id = idOf(response);
			const time = createdAt(response);
			if (times.has(id)) {
				if (times.get(id) === undefined) passed.push(traceOf(response));
			} else if (time === undefined || time >= horizon) {
				passed.push(isWanted(time) ? response : traceOf(response));
			}
		},
		passed: () => passed,
	};
}

function traceOf(response: ResponseRecord): ResponseRecord {
	const { id, created_at } = response;
	return textIdOf(response) === undefined ? response : { id, created_at };
}

/** The newer of two responses by time of creation, the later one of equals. */
export function newerOf(
	newest: ResponseRecord | undefined,
	response: ResponseRecord,
): ResponseRecord {
	const isOlder = newest && (createdAt(response) ?? -Infinity) < (createdAt(newest) ?? -Infinity);
	return isOlder ? newest : response;
}

/** Ids are documented as text; a record without one is known by all it holds. */
function idOf(response: ResponseRecord): string {
	const id = textIdOf(response);
	if (id !== undefined) return id;
	try {
		return JSON.stringify(response);
	} catch {
		// Nested too deeply to be made a text of.
		const fields = Object.entries(response);
		return JSON.stringify(fields.filter(([, value]) => typeof value !== 'object'));
	}
}

/** Larger numbers than the safe ones may be those of other responses, rounded. */
function textIdOf({ id }: ResponseRecord): string | undefined {
	if (typeof id === 'string') return id;
	return Number.isSafeInteger(id) ? String(id) : undefined;
}

function timesById(seen?: Seen): Map<string, number | undefined> {
	return new Map(
		Object.entries(seen?.ids ?? {}).flatMap(([time, ids]) =>
			ids.map((id): [string, number | undefined] => [
				id,
				time === UNDATED ? undefined : Number(time),
			]),
		),
	);
}

function bounded(
	times: Map<string, number | undefined>,
	lastHorizon: number,
	listed: Set<string>,
): Seen {
	const newestFirst = [...times.values()]
		.filter((time) => time !== undefined)
		.sort((a, b) => b - a);
	const horizon =
		newestFirst.length > REMEMBERED ? (newestFirst[REMEMBERED - 1] ?? lastHorizon) : lastHorizon;

	const ids: Seen['ids'] = {};
	let gone = 0;
	for (const [id, time] of times) {
		const isKept = time === undefined ? listed.has(id) || ++gone <= REMEMBERED : time >= horizon;
		if (isKept) (ids[time ?? UNDATED] ??= []).push(id);
	}
	return { horizon: horizon === -Infinity ? null : horizon, ids };
}
