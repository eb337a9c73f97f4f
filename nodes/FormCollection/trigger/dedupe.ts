import { hashOf } from '../hash';
import type { ResponseRecord } from '../transport/records';
import { createdAt, isRecord } from '../transport/records';

/** How many ids are kept at the least; older responses count as processed by their time. */
const KEPT_IDS = 5_000;

const DAY_MS = 86_400_000;

/** What a trigger has processed of a form. n8n saves it as JSON: its names never change once released. */
export interface DedupeState {
	/**
	 * Unix epoch milliseconds: a response created before this moment counts as processed. It never goes
	 * back, so that a list that was incomplete for a while repeats nothing.
	 */
	watermark: number | null;
	/** Ids by time of creation, from the watermark on; `''` holds those without a readable time */
	processedIds: Record<string, string[]>;
}

const UNDATED = '';

/**
 * Tells which responses are new: those whose id is not among the processed ones and that were not
 * created before the watermark.
 *
 * The whole list of the form is read each time, so a response is found wherever it stands in it. The
 * state keeps the ids of the newest 5,000 responses and of those created at the same moment as
 * the oldest of these: any of them may be listed late, so a bound for these would repeat or miss one.
 * More than 5,000 of one moment are kept for a day. Ids without a readable time are kept while the
 * form lists them, and the 5,000 that have gone last.
 *
 * @param responses as listed, in any order
 * @param state undefined at first: then every response is new
 * @returns the new ones, oldest first, those without a readable time last; and the state after them
 */
export function findNew(
	responses: ResponseRecord[],
	state?: DedupeState,
): { newResponses: ResponseRecord[]; state: DedupeState } {
	const times = timesById(state);
	const watermark = state?.watermark ?? -Infinity;
	const listed = new Set<string>();
	const found: { response: ResponseRecord; time: number }[] = [];

	for (const response of responses) {
		const id = idOf(response);
		const time = createdAt(response);
		listed.add(id);
		if (times.has(id) || (time !== undefined && time < watermark)) continue;
		times.set(id, time);
		found.push({ response, time: time ?? Infinity });
	}
	return {
		// NaN, of two infinite times, counts as equal.
		newResponses: found.sort((a, b) => a.time - b.time).map(({ response }) => response),
		state: bounded(times, watermark, listed),
	};
}

/**
 * Keeps what `findNew` needs of a long list, so that the rest is in memory only while it is read.
 *
 * @param isWanted whether a new response is of use; of any other one only its id is kept
 */
export function dedupeFilter(
	state: DedupeState | undefined,
	isWanted: (response: ResponseRecord, time: number | undefined) => boolean,
) {
	const times = timesById(state);
	const watermark = state?.watermark ?? -Infinity;
	const kept: ResponseRecord[] = [];
	let isOfSameForm = false;
	return {
		add(response: ResponseRecord): void {
			const id = idOf(response);
			const time = createdAt(response);
			if (times.has(id)) {
				isOfSameForm ||= time !== undefined && times.get(id) === time;
				if (times.get(id) === undefined) kept.push(idOnly(response));
			} else if (time === undefined || time >= watermark) {
				kept.push(isWanted(response, time) ? response : idOnly(response));
			}
		},
		kept: () => kept,
		/** Whether a response of the state is listed: its ID alone may be that of another one elsewhere. */
		isOfSameForm: () => isOfSameForm,
	};
}

function idOnly(response: ResponseRecord): ResponseRecord {
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

/** Ids are documented as text; a record without one is known by all else it holds. */
function idOf(response: ResponseRecord): string {
	const id = textIdOf(response);
	if (id !== undefined) return id;
	// Its hash: what is saved must stay small. By its name, `pixel_fired` may change after the submission.
	return `#${hashOf(jsonOf({ ...response, pixel_fired: undefined }))}`;
}

function jsonOf(response: ResponseRecord): string {
	try {
		return JSON.stringify(response, sortKeys);
	} catch {
		// Nested too deeply to be made a text of.
		const fields = Object.entries(response);
		return JSON.stringify(fields.filter(([, value]) => typeof value !== 'object'));
	}
}

/** The same record may come with its fields in another order. */
function sortKeys(_: string, value: unknown): unknown {
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Larger numbers than the safe ones may be those of other responses, rounded. */
function textIdOf({ id }: ResponseRecord): string | undefined {
	if (typeof id === 'string' && id !== '') return id;
	return Number.isSafeInteger(id) ? String(id) : undefined;
}

function timesById(state?: DedupeState): Map<string, number | undefined> {
	return new Map(
		Object.entries(state?.processedIds ?? {}).flatMap(([time, ids]) =>
			ids.map((id): [string, number | undefined] => [
				id,
				time === UNDATED ? undefined : Number(time),
			]),
		),
	);
}

function bounded(
	times: Map<string, number | undefined>,
	lastWatermark: number,
	listed: Set<string>,
): DedupeState {
	const newestFirst = [...times.values()]
		.filter((time) => time !== undefined)
		.sort((a, b) => b - a);
	const watermark = Math.max(watermarkOf(newestFirst), lastWatermark);

	const undated = [...times.keys()].filter((id) => times.get(id) === undefined);
	const gone = undated.filter((id) => !listed.has(id)).slice(-KEPT_IDS);
	// Those gone come first: what goes later comes after them in the next state.
	const keptUndated = [...gone, ...undated.filter((id) => listed.has(id))];
	const processedIds: DedupeState['processedIds'] =
		keptUndated.length > 0 ? { [UNDATED]: keptUndated } : {};
	for (const [id, time] of times) {
		if (time !== undefined && time >= watermark) (processedIds[time] ??= []).push(id);
	}
	return { watermark: watermark === -Infinity ? null : watermark, processedIds };
}

/** @returns the moment of the oldest id to keep, or a millisecond after it */
function watermarkOf(newestFirst: number[]): number {
	const [newest = NaN] = newestFirst;
	const oldest = newestFirst[KEPT_IDS - 1];
	if (oldest === undefined || newestFirst.length === KEPT_IDS) return -Infinity;
	// The responses of an import may be thousands of one moment. A day later all of them are listed.
	const ofOldest = newestFirst.lastIndexOf(oldest) - newestFirst.indexOf(oldest) + 1;
	return ofOldest > KEPT_IDS && newest - oldest >= DAY_MS ? oldest + 1 : oldest;
}
