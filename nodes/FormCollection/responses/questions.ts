import type { ResponseRecord } from '../transport/records';
import { isRecord } from '../transport/records';

/** What past responses tell of a question. */
export interface Question {
	key: string;
	/** How many responses have an answer to it that is not empty */
	answered: number;
	/** Whether an answer was a list */
	multipleChoice: boolean;
	/** The texts in lists, as they are first seen; not all if there are very many */
	options: string[];
	/** The first answer that is not empty, as one text; shortened if it is long */
	example: string;
}

/** In a linked list, because a form may have many thousands of keys. */
interface Place {
	next?: Entry;
}

interface Entry extends Place {
	question: Question;
	previous: Place;
}

const MOST_OPTIONS = 100;
const LONGEST_EXAMPLE = 200;

/**
 * Each question once, in the order in which the form asks as far as the responses show it: a question that
 * earlier responses left out follows the one that is answered before it, or else precedes the next one.
 *
 * @param enough ends the reading where this many responses in a row tell of no other question
 */
export function collectQuestions(enough = Infinity) {
	const entries = new Map<string, Entry>();
	const start: Place = {};
	let last = start;
	let withoutNew = 0;

	const insert = (key: string, place: Place): Entry => {
		const question = { key, answered: 0, multipleChoice: false, options: [], example: '' };
		const entry: Entry = { question, previous: place, next: place.next };
		entries.set(key, entry);
		place.next = entry;
		if (entry.next === undefined) last = entry;
		else entry.next.previous = entry;
		withoutNew = 0;
		return entry;
	};

	const placeBeforeKnown = (keys: string[]): Place => {
		const known = keys.find((key) => entries.has(key));
		return known === undefined ? last : (entries.get(known) as Entry).previous;
	};

	const addAnswer = (question: Question, answer: unknown) => {
		const isList = Array.isArray(answer);
		if (isList && !question.multipleChoice) withoutNew = 0;
		const texts = textsOf(answer);
		if (isList) {
			question.multipleChoice = true;
			addOptions(question.options, texts);
		}
		if (texts.length === 0) return;
		question.answered++;
		if (question.answered === 1) question.example = shortened(texts.join(', '));
	};

	return {
		add({ answers }: ResponseRecord): boolean {
			withoutNew++;
			if (isRecord(answers)) {
				const keys = Object.keys(answers);
				let before: Entry | undefined;
				for (const key of keys) {
					before = entries.get(key) ?? insert(key, before ?? placeBeforeKnown(keys));
					addAnswer(before.question, answers[key]);
				}
			}
			return withoutNew < enough;
		},
		result() {
			const questions: Question[] = [];
			for (let { next } = start; next !== undefined; next = next.next)
				questions.push(next.question);
			return questions;
		},
	};
}

function textsOf(answer: unknown): string[] {
	return [answer]
		.flat()
		.filter((part) => part !== undefined && part !== null && typeof part !== 'object')
		.map(String)
		.filter((text) => text !== '');
}

function addOptions(options: string[], texts: string[]): void {
	for (const text of texts) {
		if (options.length >= MOST_OPTIONS) return;
		if (!options.includes(text)) options.push(text);
	}
}

function shortened(text: string): string {
	return text.length > LONGEST_EXAMPLE ? `${text.slice(0, LONGEST_EXAMPLE)}…` : text;
}
