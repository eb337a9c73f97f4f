import type { ResponseRecord } from '../transport/records';
import { isRecord } from '../transport/records';
import { questionOrder } from './questionOrder';

/** What past responses tell of a question. */
export interface Question {
	key: string;
	/** How many responses have an answer to it that is not empty */
	answered: number;
	/** Whether an answer was a list; undefined if there were only empty lists beside texts, or empty answers */
	multipleChoice?: boolean;
	/** The first answer that is not empty, as one text; shortened if it is long */
	example: string;
	/**
	 * Of a multiple-choice question: the texts in lists, then those that came alone, as they are first seen; not
	 * all if there are very many
	 */
	options: string[];
}

const MOST_OPTIONS = 100;
const LONGEST_EXAMPLE = 200;

/**
 * Each question once, in the order in which the form asks.
 *
 * @param enough ends the reading where this many responses in a row tell of no other question
 */
export function collectQuestions(enough = Infinity) {
	const questions = new Map<string, Question>();
	const withEmptyList = new Set<string>();
	const alone = new Map<string, string[]>();
	const order = questionOrder();
	let withoutNew = 0;

	const addAnswer = (key: string, answer: unknown) => {
		const known = questions.get(key);
		const question = known ?? { key, answered: 0, multipleChoice: false, example: '', options: [] };
		const texts = textsOf(answer);
		const isList = Array.isArray(answer) && texts.length > 0;
		if (known === undefined || (isList && !known.multipleChoice)) withoutNew = 0;
		questions.set(key, question);
		if (isList) {
			question.multipleChoice = true;
			addOptions(question.options, texts);
		} else if (Array.isArray(answer)) {
			withEmptyList.add(key);
		} else {
			const options = alone.get(key) ?? [];
			alone.set(key, options);
			// What is longer is hardly an option, and would fill the memory.
			addOptions(
				options,
				texts.filter(({ length }) => length <= LONGEST_EXAMPLE),
			);
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
				if (keys.some((key) => !questions.has(key))) order.add(keys);
				for (const key of keys) addAnswer(key, answers[key]);
			}
			return withoutNew < enough;
		},
		result: () =>
			order.keys().map((key): Question => {
				const question = questions.get(key) as Question;
				if (question.multipleChoice) {
					addOptions(question.options, alone.get(key) ?? []);
					return question;
				}
				const hasEmptyList = withEmptyList.has(key);
				const isText = question.answered > 0 && !hasEmptyList;
				const isList = question.answered === 0 && hasEmptyList;
				return { ...question, multipleChoice: isText ? false : isList || undefined };
			}),
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
	if (text.length <= LONGEST_EXAMPLE) return text;
	const halfCharacter = /[\uD800-\uDBFF]$/;
	return `${text.slice(0, LONGEST_EXAMPLE).replace(halfCharacter, '')}…`;
}
