import type { IDataObject, INode, ResourceMapperField } from 'n8n-workflow';
import { withoutEmpty } from '../../responses/answers';
import { PREFIX, RECORD_FIELDS } from '../../responses/table';
import { InvalidInput } from '../../transport/errors';
import { isRecord } from '../../transport/records';

/** A row of the answers mapping. The editor saves it with the node as it was loaded, with our own members. */
export interface QuestionRow extends ResourceMapperField {
	/** The form that it was loaded for */
	formId?: string;
	multipleChoice?: boolean;
}

type SavedRow = Partial<QuestionRow> & Pick<QuestionRow, 'id'>;

/** The questions that the node has loaded for a form; none where the form has no responses. */
export interface KnownQuestions {
	keys: ReadonlySet<string>;
	multipleChoice: ReadonlySet<string>;
}

/** @param mapping as n8n has saved it */
export function savedRows(mapping: unknown): SavedRow[] {
	const rows: unknown = isRecord(mapping) ? mapping.schema : undefined;
	if (!Array.isArray(rows)) return [];
	return rows.filter((row): row is SavedRow => isRecord(row) && typeof row.id === 'string');
}

/**
 * @param formId of the item
 * @throws InvalidInput if the node has the questions of another form: n8n 2.41 does not load those of a newly chosen form
 * while an expression of the node has no data
 */
export function knownQuestions({ parameters }: INode, formId: string): KnownQuestions {
	const rows = savedRows(parameters.answersMapping);
	const locator: unknown = parameters.formId;
	const form = isRecord(locator) ? locator.value : locator;
	const isFormFromExpression = typeof form === 'string' && form.startsWith('=');
	const ofForm = rows.filter((row) =>
		row.formId === undefined ? !isFormFromExpression : row.formId === formId,
	);
	if (!isFormFromExpression && ofForm.length === 0 && rows.length > 0) {
		throw new InvalidInput(
			'The questions under Answers are those of another form: open this node and refresh them',
			'Select Refresh Question List in the menu (⋮) of Answers, and check what is mapped to each question.',
		);
	}
	return {
		keys: new Set(ofForm.map(({ id }) => id)),
		multipleChoice: new Set(ofForm.filter((row) => row.multipleChoice).map(({ id }) => id)),
	};
}

/** Always left out without a word, unless they are questions: they come from tables, not from people. */
const NEVER_ANSWERS = [...RECORD_FIELDS, 'row_number'];

interface MatchedFields {
	/** By question key */
	answers: [string, unknown][];
	/** Fields with a value that match no question */
	others: [string, unknown][];
}

/**
 * Finds the answers among the fields of an item: a field that has the name of a question, whatever its case, spaces,
 * underscores and hyphens, or the name that Flatten Answers has given it. That name wins over the question's own, and both
 * over a similar one.
 */
export function matchFields(item: IDataObject, keys: ReadonlySet<string>): MatchedFields {
	const nameByLooseName = new Map(
		Object.keys(item)
			.reverse()
			.map((name) => [looseName(name), name]),
	);
	const keyByField = new Map<string, string>();
	for (const key of keys) {
		const names = [PREFIX + key, key, nameByLooseName.get(looseName(key)) ?? key];
		const field = names.find(
			(name) => Object.hasOwn(item, name) && (name === key || !keys.has(name)),
		);
		if (field !== undefined) keyByField.set(field, key);
	}
	const answers: [string, unknown][] = [];
	const others: [string, unknown][] = [];
	for (const [name, value] of Object.entries(item)) {
		const key = keyByField.get(name);
		if (key !== undefined) answers.push([key, value]);
		else if (!NEVER_ANSWERS.includes(name) && (withoutEmpty(value) ?? null) !== null)
			others.push([name, value]);
	}
	return { answers, others };
}

function looseName(name: string): string {
	// With the byte order mark that a CSV file may begin with
	return name
		.normalize()
		.replace(/[\s_\-\uFEFF]/g, '')
		.toLowerCase();
}
