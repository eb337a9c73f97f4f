import { table } from '../../../playground/markdown';
import type { FaultCase } from './faults';

/** What was observed of one fault at one place. */
export interface Cell {
	fault: FaultCase;
	place: string;
	sentence: string;
	/** Those that reached the service */
	requests: number;
	posts: number;
	created: number;
	output: number;
	everything: unknown;
}

const introduction = `# What happens when something goes wrong

For anyone who wants to know what the node does when the service, or the connection to it, fails. The page shows what
the tests observe: for each fault, what you see and what the node sends.

- **Where**: the place in n8n. _Form list_ and _Questions_ are what the editor loads while you set up the
  node. If the node has loaded its questions before, n8n keeps them and shows no message.
- **What you see**: the whole error message, and in the credential test its details, too.
- **Requests**: how many reached the service, which counts them towards your limit. A trigger tries once per
  poll, a credential test once. A submission is sent again only if the fault proves that the service did not
  take it.
- **Created**: how many responses the service stored. If it stored one that is not in the output, the error
  message tells you to look.
- **Output**: how many forms, responses, choices, or questions were returned.

Several status codes with the same outcome share a table. _Timeout_ was 10 seconds where there is such an option;
otherwise it is 30 seconds.
`;

const contents = (cells: Cell[]): string => {
	const rows = groupBy(
		cells,
		({ sentence, created, output }) => `${sentence} ${created} ${output}`,
	);
	return table(
		['Where', 'What you see', 'Requests', 'Created', 'Output'],
		rows.map((group) => {
			const [{ sentence, created, output }] = group;
			const creates = group.some(({ place }) => place === 'Create Response');
			const where = group.map(({ place }) => place).join(', ');
			return [where, sentence, requestsOf(group), creates ? `${created}` : '–', `${output}`];
		}),
	);
};

/** The usual number, and the places with another one. */
function requestsOf(cells: Cell[]): string {
	return groupBy(cells, ({ requests }) => String(requests))
		.sort((a, b) => b.length - a.length)
		.map((group, i) => {
			const places = i === 0 ? '' : `${group.map(({ place }) => place).join(', ')}: `;
			return `${places}${group[0].requests}`;
		})
		.join('; ');
}

/** The page, with one table for faults that differ only in their status. */
export function faultsPage(cells: Cell[]): string {
	const tables = groupBy(cells, ({ fault }) => `${fault.chapter} ${titleOf(fault)}`).map(
		(group) => ({
			fault: group[0].fault,
			text: contents(group.map((cell) => ({ ...cell, sentence: withoutStatus(cell) }))),
		}),
	);
	const chapters = groupBy(tables, ({ fault }) => fault.chapter).map((group) => {
		const sections = groupBy(group, ({ fault, text }) => `${fault.name} ${text}`).map((same) => {
			const statuses = same.map(({ fault }) => fault.status).join(', ');
			const [{ fault, text }] = same;
			return `### ${fault.name}\n\n${text}\n`.replaceAll('{status}', statuses);
		});
		return [`## ${group[0].fault.chapter}\n`, ...sections].join('\n');
	});
	return [introduction, ...chapters].join('\n');
}

export const titleOf = ({ name, status }: FaultCase) => name.replace('{status}', String(status));

const withoutStatus = ({ sentence, fault }: Cell) =>
	sentence.replaceAll(`(${fault.status})`, '({status})');

/** Groups in the order of their first elements. */
function groupBy<T>(elements: T[], keyOf: (element: T) => string): [T, ...T[]][] {
	const groups = new Map<string, [T, ...T[]]>();
	for (const element of elements) {
		const group = groups.get(keyOf(element));
		if (group) group.push(element);
		else groups.set(keyOf(element), [element]);
	}
	return [...groups.values()];
}
