import type { IDataObject } from 'n8n-workflow';
import { foldedTexts, textsOf } from '../responses/answerFilters';
import type { Account } from '../transport/account';
import type { ListReply, ServiceClient } from '../transport/client';
import { InvalidInput, ServiceError } from '../transport/errors';
import { hashOf } from '../transport/hash';
import { type Answers, isRecord } from '../transport/records';
import type { FormReference } from '../transport/request';
import type { SubmissionLog } from './submissionLog';
import { takeTurn, type Turn } from './turns';

/** An item of Skip Existing, as far as it is compared. */
export interface Compared {
	account: Account;
	form: FormReference;
	answers: Answers;
	/** The questions whose answers are compared; all if there are none */
	matchOn: readonly string[];
	timeoutMs: number;
}

/** By the compared answers: the ids of the responses that have them */
type Index = Map<string, string[]>;

interface ComparedForm {
	/** Of account and form */
	key: string;
	/** By `matchOn` */
	indexes: Map<string, Index>;
	turnNumber: number;
}

/** By execution, and by form and questions: what was read, for the next runs of a loop */
const readForms = new WeakMap<object, Map<string, ComparedForm>>();

/**
 * Which items a form has already. A response stands for one item with the same answers or, with `matchOn`, for every item
 * with the same answers to these questions. The runs of a process that compare with one form take turns, so that each sees
 * what the others have created.
 */
export class ExistingResponses {
	private readonly turns = new Map<string, Turn>();

	private readonly reads = new Map<string, Promise<ComparedForm>>();

	/** By form and compared answers: the latest item that is being sent */
	private readonly underWay = new Map<string, Promise<unknown>>();

	constructor(
		private readonly client: ServiceClient,
		private readonly log: SubmissionLog,
		private readonly items: Compared[],
	) {}

	/** In sorted order, so that no two runs wait for each other. */
	async takeTurns(signal?: AbortSignal): Promise<void> {
		for (const key of [...new Set(this.items.map(formKey))].sort()) {
			const turn = await takeTurn(key, signal);
			this.turns.set(key, turn);
			// Also for a run that has nothing to compare with it, such as a try whose items were submitted by an earlier one.
			for (const form of formsReadIn(this.log.execution).values()) {
				if (form.key === key && form.turnNumber === turn.number - 1) form.turnNumber = turn.number;
			}
		}
	}

	giveTurnsBack(): void {
		for (const turn of this.turns.values()) turn.giveBack();
	}

	/**
	 * @param submit sends the item, unless the form has it
	 * @returns its reply, or one that has the id of the response which the form has already
	 */
	async submitUnlessFound(
		item: Compared,
		submit: () => Promise<IDataObject>,
	): Promise<IDataObject> {
		const { indexes } = await this.read(item);
		const index = indexes.get(String(item.matchOn)) as Index;
		const key = comparedText(item.answers, item.matchOn) as string;
		if (item.matchOn.length === 0) {
			const id = index.get(key)?.shift();
			return id === undefined ? { ...(await submit()), skipped: false } : skippedReply(id);
		}
		const place = `${formKey(item)} ${item.matchOn} ${key}`;
		const sent = (this.underWay.get(place) ?? Promise.resolve())
			.catch(refuseAfterUnknown)
			.then(async () => {
				const [id] = index.get(key) ?? [];
				if (id !== undefined) return skippedReply(id);
				const reply = await submit();
				addTo(index, key, reply.response_id);
				return { ...reply, skipped: false };
			});
		this.underWay.set(place, sent);
		return await sent;
	}

	/** After an unknown outcome, the next run of a loop reads its forms again. */
	forget(): void {
		readForms.delete(this.log.execution);
	}

	private async read(item: Compared): Promise<ComparedForm> {
		const key = formKey(item);
		const reading = this.reads.get(key) ?? this.readOrReuse(key, item);
		this.reads.set(key, reading);
		return await reading;
	}

	private async readOrReuse(
		key: string,
		{ account, form, timeoutMs }: Compared,
	): Promise<ComparedForm> {
		const matchOns = new Map(this.items.map(({ matchOn }) => [String(matchOn), matchOn]));
		const { number: turnNumber } = this.turns.get(key) as Turn;
		const name = [key, ...matchOns.keys()].join(' ');
		const kept = formsReadIn(this.log.execution);
		const earlier = kept.get(name);
		if (earlier?.turnNumber === turnNumber) return earlier;
		const collect = () => this.collect(form.id, matchOns);
		const list = await this.client.responses(account, form, collect, timeoutMs);
		const read = { key, indexes: wholeOf(list), turnNumber };
		kept.set(name, read);
		return read;
	}

	private collect(formId: string, matchOns: Map<string, readonly string[]>) {
		const indexes = new Map([...matchOns.keys()].map((name) => [name, new Map() as Index]));
		// They stand for the items of this execution that have created them.
		const used = this.log.responseIdsOf(formId);
		return {
			add({ id, answers }: IDataObject): void {
				for (const [name, matchOn] of matchOns) {
					const text = comparedText(answers, matchOn);
					const isUsed = matchOn.length === 0 && used.has(String(id));
					if (text !== undefined && !isUsed) addTo(indexes.get(name) as Index, text, id);
				}
			},
			result: () => indexes,
		};
	}
}

/** Looked up after a run has its turns: where another run has found an unknown outcome, none of them counts any more. */
function formsReadIn(execution: object): Map<string, ComparedForm> {
	const forms = readForms.get(execution) ?? new Map<string, ComparedForm>();
	readForms.set(execution, forms);
	return forms;
}

function formKey({ account, form }: Compared): string {
	return hashOf(`${account.key} ${form.id}`);
}

function addTo(index: Index, key: string, id: unknown): void {
	const ids = index.get(key);
	if (ids === undefined) index.set(key, [String(id)]);
	else ids.push(String(id));
}

function skippedReply(id: string): IDataObject {
	return { success: true, response_id: id, skipped: true };
}

/** No item is sent that matches one which may be stored, or one that was refused for that reason. */
function refuseAfterUnknown({ details, isFollowUp }: ServiceError): void {
	if (details.outcome !== 'unknown' && !isFollowUp) return;
	throw new ServiceError({ ...details, outcome: 'not sent' }, true);
}

function wholeOf(list: ListReply<Map<string, Index>>): Map<string, Index> {
	if (!list.isPartial) return list.result;
	throw new InvalidInput(
		'The service sent only a part of the responses: turn off Skip Existing, which has to compare all of them',
	);
}

/** @returns undefined where none of the questions to match on is answered */
export function comparedText(answers: unknown, matchOn: readonly string[]): string | undefined {
	if (matchOn.length > 0) {
		const texts = matchOn.map((question) => foldedTexts(answers, question).filter(Boolean).sort());
		return texts.every(({ length }) => length === 0) ? undefined : JSON.stringify(texts);
	}
	if (!isRecord(answers)) return undefined;
	const entries = Object.keys(answers)
		.sort()
		.map((key) => [key, textsOf(answers[key])] as const);
	return JSON.stringify(entries.filter(([, texts]) => texts.some((text) => text !== '')));
}
