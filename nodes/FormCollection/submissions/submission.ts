import type { Account } from '../transport/account';
import { ServiceError } from '../transport/errors';
import type { Answers } from '../transport/records';
import type { FormState } from './formState';
import type { ResponseIds } from './responseIds';

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
export class Submission {
	constructor(
		private readonly wanted: Wanted,
		private readonly state: FormState,
		/** The comparison key of its answers */
		private readonly key: string,
		private readonly readExisting: () => Promise<ResponseIds>,
		/** Lets the next item that matches begin. */
		readonly release: () => void,
	) {}

	/**
	 * Reads the form at the first call for it in this execution, and again once an outcome has become
	 * unknown, as the form may show what came of it, or too much has been submitted by others.
	 *
	 * @param mayBeNew the item itself has an unknown outcome
	 * @returns the id of the response, or undefined if there is none left
	 * @throws ServiceError where another item that matches may have been stored
	 */
	async claim(mayBeNew: boolean): Promise<{ id: unknown } | undefined> {
		const { wanted, state, key } = this;
		state.catchUp();
		if (state.created.has(key)) return { id: state.created.get(key) };
		const isUnknown = state.unknown.has(key);
		const existing = state.getExisting(mayBeNew || isUnknown) ?? (await this.readExisting());
		state.catchUp();
		// Another item may have been submitted while the form was read.
		if (state.created.has(key)) return { id: state.created.get(key) };
		wanted.checkMatchOn(state.questions);
		const claimed = state.claim(existing, key);
		if (claimed !== undefined) return claimed;
		if (isUnknown && !mayBeNew) throw mayBeStored(wanted.matchOn);
		// This item may be stored already, so no item that matches it is surely new.
		if (mayBeNew) state.addUnknown(key);
		return undefined;
	}

	outcomeIsUnknown(): void {
		this.state.addUnknown(this.key);
	}
}

function mayBeStored(matchOn: string[]): ServiceError {
	const what = matchOn.length > 0 ? matchOn.join(', ') : 'answers';
	const same = `Another item with the same ${what} may be stored already`;
	const message = `${same}: check the form before you send this one`;
	return new ServiceError({ message, outcome: 'unknown', isOfAnother: true }, true);
}
