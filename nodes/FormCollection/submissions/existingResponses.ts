import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { hashOf } from '../hash';
import { type Account, accountKey } from '../transport/account';
import type { Service } from '../transport/client';
import { ServiceError } from '../transport/errors';
import { isUnknownOutcome } from '../transport/outcome';
import type { Answers, ResponseRecord } from '../transport/records';
import { isRecord } from '../transport/records';
import { comparedOf, isMatch } from './comparison';
import type { SubmissionLog } from './submissionLog';

/** What a response may stand for. */
export interface Wanted {
	account: Account;
	formId: string;
	answers: Answers;
	/** The questions whose answers are compared, in alphabetical order; all where there are none */
	matchOn: string[];
	/** @throws InvalidInput for a question to match on that is none of these, nor known to the items */
	checkMatchOn(known: ReadonlySet<string>): void;
}

/** One item on its way to being submitted. */
export interface Submission {
	/**
	 * Reads the form at the first call for it in this execution, and again once an outcome has become
	 * unknown: the form may show what came of it.
	 *
	 * @param mayBeNew the item itself has an unknown outcome
	 * @returns the id of the response, or undefined if there is none left
	 * @throws ServiceError where another item that matches may have been stored
	 */
	claim(mayBeNew: boolean): Promise<{ id: unknown } | undefined>;
	/** The outcome is unknown. */
	unknown(): void;
	/** Lets the next item that matches begin. */
	end(): void;
}

/** Ids of responses, by what is compared of their answers. */
type Existing = Map<string, unknown[]>;

/** What is known of a form within one execution, for items with the same questions to match on. */
interface FormState {
	/** The account and the form */
	form: string;
	matchOn: string[];
	/** The responses that the form had when it was read */
	existing?: Existing;
	/** How many outcomes were unknown when the form was read */
	unknownWhenRead: number;
	/** Ids, as text, of the responses that stand for an item, maybe not yet in the submission log */
	claimed: Set<string>;
	/** Those of the questions to match on that responses of the form or items have */
	questions: Set<string>;
	/** Ids of the responses that this execution has created, for those to match on */
	created: Map<string, unknown>;
	/** Submissions whose outcome is unknown, for those to match on */
	unknown: Set<string>;
}

interface ExecutionState {
	forms: Map<string, FormState>;
	/** How many outcomes have become unknown */
	unknownOutcomes: number;
}

/**
 * One state for each execution that this process runs. The key is the object that n8n keeps for the node
 * as long as the execution is in memory: a loop runs the node many times, and reads each form once.
 */
const stateByExecution = new WeakMap<object, ExecutionState>();

/**
 * Lets each response that a form has already stand for one submission with the same answers. With
 * questions to match on, it stands for all submissions with the same answers to these; in a tool, for all
 * calls with the same answers.
 *
 * @param settled resolves when no submission is under way that was when it was called
 * @param timeoutMs of the request, which all items share
 */
export function existingResponses(
	context: IExecuteFunctions,
	service: Service,
	log: SubmissionLog,
	settled: () => Promise<unknown>,
	timeoutMs: () => number | undefined,
) {
	const standsForAll = (compared: string) => log.isTool || isMatch(compared);
	const execution = context.getContext('node');
	const all = stateByExecution.get(execution) ?? { forms: new Map(), unknownOutcomes: 0 };
	stateByExecution.set(execution, all);
	// A request that failed is not repeated for the other items of this run.
	const reading = new Map<string, Promise<Existing>>();
	const turns = new Map<string, Promise<unknown>>();

	const read = async ({ account, formId, matchOn }: Wanted, state: FormState) => {
		const unknownWhenRead = all.unknownOutcomes;
		const { result, isPartial } = await service.responses(
			account,
			formId,
			() => collectIds(matchOn),
			{ timeoutMs: timeoutMs() },
		);
		if (isPartial) throw partOnly();
		const { existing, questions } = result ?? collectIds(matchOn).result();
		// Only now, because other items may have created some of these while the form was read.
		await settled();
		const { ids, withoutId } = log.usedResponses(account, formId);
		if (!log.isTool) leaveOut(existing, { ids: new Set([...ids, ...state.claimed]), withoutId });
		for (const question of questions) state.questions.add(question);
		state.existing = existing;
		state.unknownWhenRead = unknownWhenRead;
		return existing;
	};

	/** For all items of the form, also those that match on other questions. */
	const noteCreated = (wanted: Omit<Wanted, 'matchOn'>, { response_id: id }: IDataObject) => {
		const form = formOf(wanted);
		for (const state of all.forms.values()) {
			if (state.form !== form) continue;
			const compared = comparedOf(wanted.answers, state.matchOn) as string;
			if (standsForAll(compared)) state.created.set(compared, id);
		}
	};

	return {
		/** Waits until no other item that matches is being submitted. */
		async begin(wanted: Wanted): Promise<Submission> {
			const { answers, matchOn } = wanted;
			const form = formOf(wanted);
			const group = JSON.stringify([form, matchOn]);
			const state: FormState = all.forms.get(group) ?? {
				form,
				matchOn,
				unknownWhenRead: 0,
				claimed: new Set(),
				questions: new Set(),
				created: new Map(),
				unknown: new Set(),
			};
			all.forms.set(group, state);
			addAnswered(state.questions, answers, matchOn);
			const compared = comparedOf(answers, matchOn) as string;
			let end: () => void = () => undefined;
			if (standsForAll(compared)) {
				const turn = `${group} ${compared}`;
				const before = turns.get(turn);
				turns.set(turn, new Promise<void>((resolve) => (end = resolve)));
				await before;
			}
			return {
				end,

				async claim(mayBeNew) {
					if (state.created.has(compared)) return { id: state.created.get(compared) };
					const isUnknown = state.unknown.has(compared);
					const isStale = state.unknownWhenRead < all.unknownOutcomes;
					let { existing } = state;
					if (existing === undefined || ((mayBeNew || isUnknown) && isStale)) {
						const request = reading.get(group) ?? read(wanted, state);
						reading.set(group, request);
						existing = await request;
					}
					wanted.checkMatchOn(state.questions);
					const ids = existing.get(compared) ?? [];
					if (ids.length > 0) {
						const id = standsForAll(compared) ? ids[0] : ids.shift();
						state.unknown.delete(compared);
						if (standsForAll(compared)) state.created.set(compared, id);
						else if (id !== undefined && id !== null) state.claimed.add(String(id));
						return { id };
					}
					if (isUnknown && !mayBeNew) throw mayBeStored(matchOn);
					// This item may be stored already, so no item that matches it is surely new.
					if (mayBeNew && standsForAll(compared)) state.unknown.add(compared);
					return undefined;
				},

				unknown() {
					if (standsForAll(compared)) state.unknown.add(compared);
				},
			};
		},

		/**
		 * @param submission undefined if the form is not looked at for this item
		 * @throws what `create` throws
		 */
		async send(
			wanted: Omit<Wanted, 'matchOn'>,
			create: () => Promise<IDataObject>,
			submission?: Submission,
		): Promise<IDataObject> {
			const failed = (error: unknown) => {
				if (isUnknownOutcome(error)) {
					all.unknownOutcomes++;
					submission?.unknown();
				}
				return error;
			};
			try {
				const response = await create();
				noteCreated(wanted, response);
				return response;
			} catch (error) {
				throw failed(error);
			}
		},
	};
}

function formOf({ account, formId }: Omit<Wanted, 'matchOn'>): string {
	return JSON.stringify([accountKey(account), formId]);
}

function mayBeStored(matchOn: string[]): ServiceError {
	const what = matchOn.length > 0 ? matchOn.join(', ') : 'answers';
	const same = `Another item with the same ${what} may be stored already`;
	const message = `${same}: check the form before you send this one`;
	return new ServiceError({ message, outcome: 'unknown' }, true);
}

function partOnly(): ServiceError {
	return new ServiceError({
		message:
			'The service sent only part of the responses, so Skip Existing cannot tell what the form already has: turn it off to submit without this check',
		outcome: 'neverSent',
	});
}

function collectIds(matchOn: string[]) {
	const existing: Existing = new Map();
	const questions = new Set<string>();
	return {
		add({ id, answers }: ResponseRecord): void {
			if (!isRecord(answers)) return;
			addAnswered(questions, answers, matchOn);
			const compared = comparedOf(answers, matchOn);
			if (compared === undefined) return;
			const ids = existing.get(compared);
			if (ids === undefined) existing.set(compared, [id]);
			else if (!isMatch(compared)) ids.push(id);
		},
		result: () => ({ existing, questions }),
	};
}

function addAnswered(questions: Set<string>, answers: object, matchOn: string[]): void {
	for (const key of matchOn) if (Object.hasOwn(answers, key)) questions.add(key);
}

/** Leaves out the responses that stand for a submission already, but for those to match on. */
function leaveOut(existing: Existing, used: ReturnType<SubmissionLog['usedResponses']>): void {
	const idsByHash = new Map<string, unknown[]>();
	for (const [compared, ids] of existing) {
		if (isMatch(compared)) continue;
		const unused = ids.filter((id) => !used.ids.has(String(id)));
		existing.set(compared, unused);
		if (used.withoutId.length > 0) idsByHash.set(hashOf(compared), unused);
	}
	for (const hash of used.withoutId) {
		const ids = idsByHash.get(hash) ?? [];
		// Only how many of them are used is known, not which: it does not matter which one goes.
		const nameless = ids.findIndex((id) => id === undefined || id === null);
		ids.splice(nameless, 1);
	}
}
