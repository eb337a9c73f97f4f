import type { Collector } from '../transport/client';
import { collectUnanswered } from './answerFilters';
import { type QueryResult, type ResponseQuery, ResponseSelection } from './query';
import { collectColumns, type Columns } from './table';

/** What one request has read for all items that ask for the form. */
export interface FormRead {
	/** By the key of the query */
	results: Map<string, QueryResult>;
	columns: Columns;
	/** Question keys in filters that no response has */
	unanswered: string[];
}

/** @param queries by a key that is equal for queries with the same result: most often, all items want the same */
export function collectQueries(
	queries: ReadonlyMap<string, ResponseQuery>,
	isTable: boolean,
): Collector<FormRead> {
	const selections = [...queries].map(
		([key, query]) => [key, new ResponseSelection(query)] as const,
	);
	const all = selections.map(([, selection]) => selection);
	const columns = collectColumns();
	const filters = [...queries.values()].flatMap(({ answerFilters }) => answerFilters);
	const unanswered = collectUnanswered(filters);
	let isOpen = true;
	return {
		add(response): boolean {
			if (isTable) columns.add(response);
			unanswered.add(response);
			isOpen = false;
			for (const selection of all) {
				if (!selection.isFull) selection.add(response);
				isOpen ||= !selection.isFull;
			}
			return isOpen;
		},
		result: () => ({
			results: new Map(selections.map(([key, selection]) => [key, selection.result()])),
			columns: columns.result(),
			// What was not read may have an answer.
			unanswered: isOpen ? unanswered.result() : [],
		}),
	};
}
