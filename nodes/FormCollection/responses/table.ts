import { isRecord, type ResponseRecord } from '../transport/records';
import { QuestionOrder } from './questionOrder';

/** Those of the API reference, so that a question has the same column in each read, and that by which n8n routes items. */
export const RECORD_FIELDS = ['id', 'form_id', 'answers', 'created_at', 'pixel_fired'];
const TAKEN = [...RECORD_FIELDS, 'error'];

export const PREFIX = 'answer_';

/** What decides about the columns of a table. */
export interface Columns {
	/** Question keys: each row has a column for each of them */
	questions: string[];
	/** Fields of the records */
	fields: Set<string>;
}

export function collectColumns() {
	const order = new QuestionOrder();
	const fields = new Set(TAKEN);
	return {
		add(response: ResponseRecord): void {
			for (const field in response) fields.add(field);
			if (isRecord(response.answers)) order.add(response.answers);
		},
		result: (): Columns => ({ questions: order.keys, fields }),
	};
}

/**
 * Makes rows of a table: the answers, and after them the other fields of the record. An unanswered question has an
 * empty text. A question key that is also a field of a record gets the prefix `answer_`.
 *
 * @param columns those of all records that were read
 * @param joinMultipleWith text between the options of a multiple-choice answer; empty keeps the list
 */
export function flattenAnswers(
	records: ResponseRecord[],
	{ questions, fields }: Columns,
	joinMultipleWith: string,
): ResponseRecord[] {
	const taken = new Set(fields);
	const columns = questions.map((question) => {
		let column = question;
		while (taken.has(column)) column = PREFIX + column;
		taken.add(column);
		return { question, column };
	});
	return records.map(({ answers = {}, ...others }) => {
		if (!isRecord(answers)) return { ...others, answers };
		const row: ResponseRecord = {};
		for (const { question, column } of columns) {
			const answer = Object.hasOwn(answers, question) ? answers[question] : '';
			const isJoined = joinMultipleWith !== '' && Array.isArray(answer) && answer.every(isPlain);
			row[column] = isJoined ? answer.join(joinMultipleWith) : answer;
		}
		return Object.assign(row, others);
	});
}

function isPlain(value: unknown): boolean {
	return typeof value !== 'object' || value === null;
}
