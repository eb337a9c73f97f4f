import { monotonicMs } from '../transport/monotonicMs';
import type { Answers } from '../transport/records';

/*
 * What executions of this process have sent to the forms that Skip Existing looks at, so that those which
 * overlap know it of each other. Whoever has missed something reads the form again.
 */

/** Of one form */
const MOST_KEPT = 10_000;

/** n8n 2.41 keeps an execution in memory that waits for 65 s. */
const KEPT_MS = 120_000;

/** So that a slow loop with several nodes does not read their forms again in each round */
const WATCHED_MS = 3_600_000;

/** Stands for the node in its execution. It is kept as long as what that has submitted. */
export type Submitter = object;

interface RecentSubmission {
	by: Submitter;
	answers: Answers;
	/** undefined where the outcome is unknown */
	response?: { id: unknown };
}

interface Watched {
	/** The oldest come first */
	submissions: (RecentSubmission & { number: number; at: number })[];
	/** The latest submission that was dropped; at first, the latest one from before the form was watched */
	forgotten: { number: number; by?: Submitter };
	/** Number of the latest dropped one that is not by the owner of `forgotten`; 0 if there is none */
	forgottenOfAnother: number;
	watchedAt: number;
	/** How many executions are reading the form */
	readers: number;
}

/** By account and form */
const forms = new Map<string, Watched>();

let lastNumber = 0;

/** Submissions get larger numbers from now on. */
export function currentPosition(): number {
	return lastNumber;
}

/** @param form the account and the form; its submissions are kept from now on */
export function watchForm(form: string): void {
	watch(form);
}

/**
 * Keeps all submissions while the form is read, however long it takes: nobody knows which of them the
 * service has put into its reply.
 *
 * @param form the account and the form
 */
export async function keepWhile<Result>(
	form: string,
	reading: () => Promise<Result>,
): Promise<Result> {
	const watched = watch(form);
	watched.readers++;
	try {
		return await reading();
	} finally {
		watched.readers--;
	}
}

function watch(form: string): Watched {
	const watchedAt = monotonicMs();
	const watched = forms.get(form) ?? {
		submissions: [],
		forgotten: { number: lastNumber },
		forgottenOfAnother: 0,
		watchedAt,
		readers: 0,
	};
	watched.watchedAt = watchedAt;
	forms.set(form, watched);
	for (const [each, other] of forms) {
		forget(other, watchedAt);
		const { submissions, watchedAt: at, readers } = other;
		const isUnused = submissions.length === 0 && readers === 0 && watchedAt - at > WATCHED_MS;
		if (isUnused) forms.delete(each);
	}
	return watched;
}

/** @param form the account and the form */
export function noteSubmission(form: string, submission: RecentSubmission): void {
	const at = monotonicMs();
	// Also for a form that is not watched: whoever watches it later has missed this one.
	const number = ++lastNumber;
	forms.get(form)?.submissions.push({ ...submission, number, at });
	for (const watched of forms.values()) forget(watched, at);
}

function forget(watched: Watched, now: number): void {
	const { submissions, readers } = watched;
	if (readers > 0) return;
	let count = Math.max(0, submissions.length - MOST_KEPT);
	while (now - (submissions[count]?.at ?? now) > KEPT_MS) count++;
	for (const { number, by } of submissions.splice(0, count)) {
		if (by !== watched.forgotten.by) watched.forgottenOfAnother = watched.forgotten.number;
		watched.forgotten = { number, by };
	}
}

/** @returns those by others; undefined if some of them are not kept */
export function submissionsSince(
	form: string,
	position: number,
	owner: Submitter,
): RecentSubmission[] | undefined {
	const watched = forms.get(form);
	if (watched === undefined) return undefined;
	const { submissions, forgotten, forgottenOfAnother } = watched;
	if ((forgotten.by === owner ? forgottenOfAnother : forgotten.number) > position) return undefined;
	let first = submissions.length;
	while ((submissions[first - 1]?.number ?? 0) > position) first--;
	return submissions.slice(first).filter(({ by }) => by !== owner);
}
