import { isRecord, type ResponseRecord } from '../transport/records';
import { textsOf } from './answerFilters';
import { QuestionOrder } from './questionOrder';

/** What past responses tell of a question. */
export interface Question {
	key: string;
	/** How many responses have an answer to it that is not empty */
	answered: number;
	/** Whether an answer was a list */
	multipleChoice: boolean;
	/** The texts of a multiple-choice question, as they are first seen; not all if there are very many */
	options: string[];
	/** The first answer that is not empty, as one text; shortened if it is long */
	example: string;
}

type Collected = Omit<Question, 'options'> & { texts: Set<string> };

const MOST_OPTIONS = 100;
const LONGEST_EXAMPLE = 200;

/** Each question once, in the order of the form. */
export function collectQuestions() {
	const questions = new Map<string, Collected>();
	const order = new QuestionOrder();

	const addAnswer = (key: string, answer: unknown) => {
		const question = questions.get(key) ?? {
			...{ key, answered: 0, multipleChoice: false, example: '' },
			texts: new Set<string>(),
		};
		questions.set(key, question);
		const texts = textsOf(answer).filter((text) => text !== '');
		if (texts.length === 0) return;
		if (Array.isArray(answer)) question.multipleChoice = true;
		if (question.answered++ === 0) question.example = texts.join(', ').slice(0, LONGEST_EXAMPLE);
		for (const text of texts) {
			if (question.texts.size < MOST_OPTIONS) question.texts.add(text);
		}
	};

	return {
		add({ answers }: ResponseRecord): void {
			if (!isRecord(answers)) return;
			order.add(answers);
			for (const key in answers) addAnswer(key, answers[key]);
		},
		result: (): Question[] =>
			order.keys.map((key) => {
				const { texts, ...question } = questions.get(key) as Collected;
				return { ...question, options: question.multipleChoice ? [...texts] : [] };
			}),
	};
}
