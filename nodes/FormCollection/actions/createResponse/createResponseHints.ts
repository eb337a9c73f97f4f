import { hasPlaceholder } from '../../responses/answers';
import type { Submitted } from '../../submissions/submitOnce';
import { hasId } from '../../transport/records';
import type { AddHint } from '../operation';
import { ifTheFormHasThem, type ReadAnswers } from './answersInput';
import type { SavedQuestions } from './mapping';
import { formatted, listOf } from '../hintText';

/** Counts what the hints of Create Response tell of the items. */
export class CreateResponseHints {
	private readonly counts = { now: 0, earlier: 0, existing: 0, cameBack: 0, withoutId: 0 };

	private readonly leftOut = new Set<string>();

	/** Named like a question, whose answer is in another field */
	private readonly replaced = new Set<string>();

	/** Not known to be answers */
	private readonly sent = new Set<string>();

	private readonly unsplit = new Set<string>();

	private readonly asText = new Set<string>();

	private readonly withPlaceholder = new Set<string>();

	/** @param total how many items there are */
	constructor(total: number, questions: SavedQuestions, addHint: AddHint) {
		const { counts } = this;
		const { isFormFromExpression, keys, refresh } = questions;
		addHint(() => earlierHint(counts.earlier, total));
		addHint(() => existingHint(counts.existing));
		addHint(() => cameBackHint(counts.cameBack));
		addHint(() => withoutIdHint(counts.withoutId));
		addHint(() => leftOutHint([...this.leftOut], [...keys]));
		addHint(() => replacedHint([...this.replaced]));
		addHint(() => allSentHint([...this.sent], isFormFromExpression));
		addHint(() => unsplitHint([...this.unsplit], refresh));
		addHint(() => asTextHint([...this.asText]));
		addHint(() => placeholderHint([...this.withPlaceholder]));
	}

	count(submitted: Submitted): void {
		this.counts[submitted.how]++;
		const isSent = submitted.how === 'now' || submitted.how === 'earlier';
		if (isSent && !hasId(submitted.response)) this.counts.withoutId++;
	}

	add({ others, replaced = [], unsplit = [] }: ReadAnswers): void {
		for (const name of others) this.leftOut.add(name);
		for (const name of replaced) this.replaced.add(name);
		for (const name of unsplit) this.unsplit.add(name);
	}

	addSent({ answers, isAllSent, asText = [] }: ReadAnswers): void {
		for (const name of asText) this.asText.add(name);
		for (const [name, answer] of Object.entries(answers)) {
			if ([answer].flat().some(hasPlaceholder)) this.withPlaceholder.add(name);
		}
		if (!isAllSent) return;
		for (const name of Object.keys(answers)) this.sent.add(name);
	}
}

function earlierHint(count: number, total: number): string | undefined {
	if (count === 0) return undefined;
	const were = count === 1 ? 'was' : 'were';
	return `${formatted(count)} of ${formatted(total)} items ${were} submitted by an earlier try and ${were} not sent again`;
}

function existingHint(count: number): string | undefined {
	if (count === 0) return undefined;
	const items = count === 1 ? 'item' : 'items';
	return `Skipped ${formatted(count)} ${items}: already in the form`;
}

function cameBackHint(count: number): string | undefined {
	if (count === 0) return undefined;
	return `${formatted(count)} ${count === 1 ? 'item' : 'items'} came back from the error output with an unknown outcome and may be stored already: not sent again, and left out of the output`;
}

function withoutIdHint(count: number): string | undefined {
	if (count === 0) return undefined;
	const were =
		count === 1 ? 'response: it was created, and is' : 'responses: they were created, and are';
	return `The service gave no response_id for ${formatted(count)} ${were} not sent again`;
}

function leftOutHint(names: string[], questions: string[]): string | undefined {
	if (names.length === 0) return undefined;
	return `Left out, because they are not among the questions that this node has loaded: ${listOf(names)}. To submit a field, give it the name of its question (${listOf(questions)}). ${ifTheFormHasThem}. To send all fields, set Other Fields under Options to Send`;
}

function replacedHint(names: string[]): string | undefined {
	if (names.length === 0) return undefined;
	return `Left out, because the answers to these questions are in fields whose names begin with "answer_": ${listOf(names)}`;
}

function allSentHint(names: string[], isFormFromExpression: boolean): string | undefined {
	if (names.length === 0) return undefined;
	if (isFormFromExpression) {
		return `All fields were sent where the questions of the form are not known: ${listOf(names)}. Open this node to load those of the form of the first item, and for other forms remove fields that are no answers before this node`;
	}
	return `All fields were sent, because the questions of the form are not known: ${listOf(names)}. If the form has responses, open this node to load its questions. If not, remove fields that are no answers before this node`;
}

function unsplitHint(names: string[], refresh: string): string | undefined {
	if (names.length === 0) return undefined;
	return `Split Multiple Choice At did not split the text of questions that are not known to be multiple choice: ${listOf(names)}. If the form has responses, ${refresh}. If that does not help, make the answer a list before this node, or choose As JSON under Enter Answers`;
}

function asTextHint(names: string[]): string | undefined {
	if (names.length === 0) return undefined;
	return `The answers to these multiple-choice questions were sent as one text: ${listOf(names)}. To choose several options, set Split Multiple Choice At under Options, or make the answer a list before this node`;
}

function placeholderHint(names: string[]): string | undefined {
	if (names.length === 0) return undefined;
	return `These answers were sent with text such as "[object Object]" or "Invalid DateTime" in them, which stands for an object or a date that could not be read: ${listOf(names)}. Check the expressions that make them, here or in the nodes before this one`;
}
