import type { IDataObject, INode, ResourceMapperField } from 'n8n-workflow';
import { columnNames } from '../responses/answers';
import { isRecord } from '../transport/records';

/**
 * A row of the answers mapping. The editor saves it with the node as it was loaded, with what n8n
 * does not know of it.
 */
export interface QuestionField extends ResourceMapperField {
	multipleChoice?: boolean;
}

/** What the saved mapping knows of the questions of the form. */
export interface KnownQuestions {
	keys: ReadonlySet<string>;
	/** By the name on screen */
	keyByName: ReadonlyMap<unknown, string>;
	multipleChoice: ReadonlySet<string>;
}

/** @returns nothing known where the mapping was never loaded in the editor */
export function knownQuestions({ parameters }: INode): KnownQuestions {
	// Not evaluated: a key may look like an expression.
	const mapping = parameters.answersMapping as { schema?: unknown } | undefined;
	const schema: unknown[] = Array.isArray(mapping?.schema) ? mapping.schema : [];
	const rows = schema.filter(isRecord).filter(({ id }) => typeof id === 'string');
	const keysOf = (some: IDataObject[]) => new Set(some.map(({ id }) => id as string));
	return {
		keys: keysOf(rows),
		keyByName: new Map(rows.map(({ id, displayName }) => [displayName, id as string])),
		multipleChoice: keysOf(rows.filter(({ multipleChoice }) => multipleChoice === true)),
	};
}

/**
 * Finds the answers among the fields of an item: a field that has the name of a question, or the name
 * that Flatten Answers has given it.
 *
 * @returns the answers by question key, and the other fields that have a value; without known
 * questions each field is an answer
 */
export function matchFields(item: IDataObject, { keys }: KnownQuestions) {
	if (keys.size === 0) return { answers: Object.entries(item), others: [] };
	const columns = new Set(columnNames(keys, []).values());
	// Where an item has both, one is a field of the record that it was flattened from.
	const fields = [...keys].filter((key) => {
		const flattened = `answer_${key}`;
		return !columns.has(flattened) && Object.hasOwn(item, key) && Object.hasOwn(item, flattened);
	});
	const keyByField = new Map<string, string>();
	for (const [key, column] of columnNames(keys, fields)) {
		keyByField.set(Object.hasOwn(item, column) ? column : key, key);
	}
	const answers: [string, unknown][] = [];
	const others: [string, unknown][] = [];
	for (const [name, value] of Object.entries(item)) {
		const key = keyByField.get(name);
		if (key !== undefined) answers.push([key, value]);
		else if (value !== undefined && value !== null && value !== '') others.push([name, value]);
	}
	return { answers, others };
}

/** Text that was typed for multiple choice becomes a list. */
export function splitMultiple(
	answers: [string, unknown][],
	{ multipleChoice }: KnownQuestions,
	separator: string,
): [string, unknown][] {
	if (separator === '') return answers;
	return answers.map(([key, value]) => {
		if (typeof value !== 'string' || value === '' || !multipleChoice.has(key)) return [key, value];
		const parts = value.split(separator).map((part) => part.trim());
		const options = parts.filter((part) => part !== '');
		return [key, options.length > 0 ? options : ''];
	});
}
