import type { SavedCredential, Workflow } from '../../playground/n8nClient';
import { node, nodeType, rowOf, using } from '../../playground/workflows';
import { lastDayOf } from './service';

type Node = ReturnType<typeof node>;

export type Side = 'ours' | 'n8n' | 'floor';

/** The nodes with which each side does a piece of work: ours, n8n's own, and the floor node. */
export interface Work extends Record<Side, Node[]> {
	name: string;
	/** One item for each comes in; one empty item by default. */
	rows?: Record<string, string>[];
}

const KEPT = 50;
const SUBMISSIONS = 1_000;

/** One of n8n's own nodes */
const own = (name: string, type: string, typeVersion: number, parameters: object) =>
	node(name, type, typeVersion, { parameters: { options: {}, ...parameters } });

const splitOut = (field: string) =>
	own(`Split Out ${field}`, 'splitOut', 1, { fieldToSplitOut: field });

const limit = own('Limit', 'limit', 1, { maxItems: KEPT });

const newest = own('Sort', 'sort', 1, {
	sortFieldsUi: { sortField: [{ fieldName: 'created_at', order: 'descending' }] },
});

const createdFrom = (time: string) =>
	own('Filter', 'filter', 2.3, {
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 3 },
			conditions: [
				{
					id: 'wanted',
					leftValue: '={{ $json.created_at }}',
					rightValue: time,
					operator: { type: 'dateTime', operation: 'afterOrEquals' },
				},
			],
			combinator: 'and',
		},
		looseTypeValidation: true,
	});

export function worksWith(credential: SavedCredential, baseUrl: string): Work[] {
	const credentials = using(credential);
	const formCollection = (parameters: object) =>
		node('Form Collection', nodeType, 1, { parameters, credentials });
	// n8n names so what it finds in N8N_CUSTOM_EXTENSIONS.
	const floor = (parameters: object) =>
		node('Floor', 'CUSTOM.floorNode', 1, { parameters, credentials });
	const httpRequest = (parameters: object) => ({
		...own('HTTP Request', 'httpRequest', 4.5, {
			url: `${baseUrl}/responses`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: credential.type,
			...parameters,
		}),
		credentials,
	});
	const byId = (value: string) => ({ __rl: true, mode: 'id', value });

	/** @param then what is behind n8n's nodes, and behind the floor node if it cannot do that */
	const reads = (count: number, ours: object, then: Node[] = [], floorDoes?: object) => {
		const formId = `form-${count}`;
		const form = { name: 'form_id', value: formId };
		const query = { sendQuery: true, queryParameters: { parameters: [form] } };
		return {
			ours: [formCollection({ operation: 'getResponses', formId: byId(formId), ...ours })],
			n8n: [httpRequest(query), splitOut('responses'), ...then],
			floor: [floor({ formId, ...floorDoes }), ...(floorDoes ? [] : then)],
		};
	};
	const asReceived = { options: { sort: 'asReceived' } };
	const all = { returnAll: true, ...asReceived };
	const lastDay = lastDayOf(10_000);
	const body = "={{ { form_id: 'inbox', answers: $json } }}";
	const post = { method: 'POST', sendBody: true, specifyBody: 'json', jsonBody: body };
	return [
		{
			name: 'hundred',
			rows: Array.from({ length: 100 }, (_, i) => ({ row: String(i) })),
			...reads(1_000, all),
		},
		{ name: 'all', ...reads(100_000, all) },
		{
			name: 'newest',
			...reads(100_000, { limit: KEPT, options: { sort: 'newestFirst' } }, [newest, limit]),
		},
		{ name: 'first', ...reads(100_000, { limit: KEPT, ...asReceived }, [limit], { limit: KEPT }) },
		{
			// n8n's Filter takes a minute for ten times as many.
			name: 'last day',
			...reads(
				10_000,
				{ returnAll: true, options: { sort: 'asReceived', createdAfter: lastDay } },
				[createdFrom(lastDay)],
				{ createdAfter: lastDay },
			),
		},
		{
			name: 'submissions',
			rows: Array.from({ length: SUBMISSIONS }, (_, i) => ({
				full_name: `Ana-Maria Țurcanu ${i}`,
				email: `ana.turcanu.${i}@example.com`,
				company: 'Plain Paper Co.',
				message: 'We would like to resell your product in Northern Europe.',
			})),
			ours: [
				formCollection({
					operation: 'createResponse',
					formId: byId('inbox'),
					answersInput: 'mapping',
					answersMapping: { mappingMode: 'autoMapInputData', value: null },
				}),
			],
			n8n: [httpRequest(post)],
			floor: [floor({ formId: 'inbox', answers: '={{ $json }}' })],
		},
	];
}

// No expression: those have 128 MB, in which the longest list has no room.
const check = own('Aggregate', 'aggregate', 1, {
	fieldsToAggregate: {
		fieldToAggregate: ['id', 'answers.email'].map((field) => ({ fieldToAggregate: field })),
	},
});

/**
 * Answers a POST to its webhook when its last node is done, and leaves nothing in n8n's database.
 *
 * @param isChecked the answer is an ID and an answer of each item that came out
 */
export function workflowOf(work: Work, side: Side, isChecked: boolean): Workflow {
	const { name, rows } = work;
	const path = `${name} ${side} ${isChecked}`.replace(/\W+/g, '-');
	const parameters = { path, httpMethod: 'POST', responseMode: 'lastNode' };
	const answer = isChecked ? {} : { responseData: 'noData' };
	const given = own('Rows', 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify({ rows }) });
	const nodes = [
		{ ...own('Webhook', 'webhook', 2, { ...parameters, ...answer }), webhookId: path },
		...(rows ? [given, splitOut('rows')] : []),
		...work[side],
		...(isChecked ? [check] : []),
	];
	return { ...rowOf(path, nodes), settings: { saveDataSuccessExecution: 'none' } };
}
