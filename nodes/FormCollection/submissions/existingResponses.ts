import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { type Account, accountKey } from '../transport/account';
import type { Service } from '../transport/client';
import { ServiceError } from '../transport/errors';
import type { Answers, ResponseRecord } from '../transport/records';
import { isAnswer, isAnswers, isRecord } from '../transport/records';

/** What a response may stand for. */
export interface Wanted {
	account: Account;
	formId: string;
	answers: Answers;
	/** The questions whose answers are compared; all where there are none */
	matchOn: string[];
}

/** One item on its way to being submitted. */
export type Submission = Awaited<ReturnType<ReturnType<typeof existingResponses>['begin']>>;

/** Ids of responses, by what is compared of their answers. */
type Existing = Map<string, unknown[]>;

/** What is known of a form within one execution. */
interface FormState {
	/** The responses that the form had when it was read */
	existing?: Existing;
	/** Ids of the responses that this execution has created, for those to match on */
	created: Map<string, unknown>;
	/** Submissions whose outcome is unknown, for those to match on */
	inDoubt: Set<string>;
}

/**
 * Of each execution that this process runs, by what n8n keeps for the node as long as the execution
 * is in memory: a loop runs the node many times, and reads each form once.
 */
const statesByExecution = new WeakMap<object, Map<string, FormState>>();

/**
 * Lets each response that a form has already stand for one submission with the same answers. With
 * questions to match on, it stands for all submissions with the same answers to these.
 *
 * @param usedIds ids, as text, of the responses of a form that stand for a submission already
 * @param settled resolves when no submission is under way that was when it was called
 * @param timeoutMs of the request, which all items share
 */
export function existingResponses(
	context: IExecuteFunctions,
	service: Service,
	usedIds: (account: Account, formId: string) => ReadonlySet<string>,
	settled: () => Promise<unknown>,
	timeoutMs: () => number | undefined,
) {
	const execution = context.getContext('node');
	const states = statesByExecution.get(execution) ?? new Map<string, FormState>();
	statesByExecution.set(execution, states);
	// A request that failed is not repeated for the other items of this run.
	const reading = new Map<string, Promise<Existing>>();
	const turns = new Map<string, Promise<unknown>>();

	const read = async ({ account, formId, matchOn }: Wanted, state: FormState) => {
		const { result } = await service.responses(account, formId, () => collectIds(matchOn), {
			timeoutMs: timeoutMs(),
		});
		const existing: Existing = new Map();
		// Only now, because other items may have created some of these while the form was read.
		await settled();
		const used = usedIds(account, formId);
		// What was created without an ID cannot be told from what was there before.
		const known = used.has('') ? [] : (result ?? []);
		for (const [compared, ids] of known) {
			const unused = ids.filter((id) => !used.has(String(id)));
			existing.set(compared, isMatch(compared) ? ids : unused);
		}
		state.existing = existing;
		return existing;
	};

	return {
		/**
		 * Waits until no other item that matches is being submitted. `end` lets the next one begin.
		 */
		async begin(wanted: Wanted) {
			const { account, formId, answers, matchOn } = wanted;
			const form = JSON.stringify([accountKey(account), formId, matchOn]);
			const state: FormState = states.get(form) ?? { created: new Map(), inDoubt: new Set() };
			states.set(form, state);
			const compared = comparedOf(answers, matchOn);
			const failed = (error: unknown) => {
				const isUnknown = error instanceof ServiceError && error.details.outcome === 'unknown';
				if (isMatch(compared) && isUnknown) state.inDoubt.add(compared);
				return error;
			};
			let end: () => void = () => undefined;
			if (isMatch(compared)) {
				const turn = `${form} ${compared}`;
				const before = turns.get(turn);
				turns.set(turn, new Promise<void>((resolve) => (end = resolve)));
				await before;
			}
			return {
				end,

				/**
				 * Reads the form at the first call for it in this execution.
				 *
				 * @param isFresh reads it at the first such call in this run, even if it was read before
				 * @returns the id of the response, or undefined if there is none left
				 * @throws ServiceError where another item that matches may have been stored
				 */
				async claim(isFresh: boolean): Promise<{ id: unknown } | undefined> {
					if (state.created.has(compared)) return { id: state.created.get(compared) };
					const isInDoubt = state.inDoubt.has(compared);
					let existing = isFresh || isInDoubt ? undefined : state.existing;
					if (existing === undefined) {
						const request = reading.get(form) ?? read(wanted, state);
						reading.set(form, request);
						existing = await request;
					}
					const ids = existing.get(compared) ?? [];
					if (ids.length > 0) {
						const id = isMatch(compared) ? ids[0] : ids.shift();
						state.inDoubt.delete(compared);
						if (isMatch(compared)) state.created.set(compared, id);
						return { id };
					}
					if (isInDoubt && !isFresh) throw otherInDoubt(matchOn);
					// An earlier try of this item is in doubt, and so are all that match it.
					if (isFresh && isMatch(compared)) state.inDoubt.add(compared);
					return undefined;
				},

				/** @throws what `send` throws */
				async record(send: () => Promise<IDataObject>): Promise<IDataObject> {
					try {
						const response = await send();
						if (isMatch(compared)) state.created.set(compared, response.response_id);
						return response;
					} catch (error) {
						throw failed(error);
					}
				},
			};
		},
	};
}

function otherInDoubt(matchOn: string[]): ServiceError {
	const same = `Another item with the same ${matchOn.join(', ')} may be stored already`;
	const message = `${same}: check the form before you send this one`;
	return new ServiceError({ message, outcome: 'unknown' }, true);
}

function collectIds(matchOn: string[]) {
	const existing: Existing = new Map();
	return {
		add({ id, answers }: ResponseRecord): void {
			if (!isRecord(answers)) return;
			const match = matchOf(answers, matchOn);
			if (match === undefined && !isAnswers(answers)) return;
			const compared = match ?? canonical(answers as Answers);
			const ids = existing.get(compared);
			if (ids === undefined) existing.set(compared, [id]);
			else if (!isMatch(compared)) ids.push(id);
		},
		result: () => existing,
	};
}

/** An item that answers none of the questions to match on is compared by all its answers. */
function comparedOf(answers: Answers, matchOn: string[]): string {
	return matchOf(answers, matchOn) ?? canonical(answers);
}

const MATCH = 'match ';

function isMatch(compared: string): boolean {
	return compared.startsWith(MATCH);
}

/** @returns undefined if none of the questions is answered */
function matchOf(answers: Record<string, unknown>, matchOn: string[]): string | undefined {
	const values = matchOn.map((question) => {
		const answer = Object.hasOwn(answers, question) ? answers[question] : '';
		return isAnswer(answer) && answer.length > 0 ? answer : null;
	});
	if (values.every((value) => value === null)) return undefined;
	return MATCH + JSON.stringify(values);
}

/** A text that is the same for the same answers, whatever the order of their keys. */
export function canonical(answers: Answers): string {
	const keys = Object.keys(answers).sort();
	return JSON.stringify(keys.map((key) => [key, answers[key]]));
}
