import type { SavedCredential, Workflow, WorkflowNode } from '../../playground/n8nClient';
import { inARow, nodeType, START, using } from '../../playground/workflows';
import { emailOf, formOf, idOf, INBOX, KEPT_BY_LIMIT, lastDayOf } from './lists';

/** The nodes with which a workflow does a piece of work. */
type Nodes = Partial<WorkflowNode>[];

export type Side = 'ours' | 'theirs' | 'floor' | 'empty';

export interface Work {
	name: string;
	/** One item for each comes in; one empty item by default. */
	rows?: Record<string, string>[];
	ours: Nodes;
	/** With n8n's own nodes, as their defaults are */
	theirs: Nodes;
	/** With the floor node */
	floor: Nodes;
}

interface Service {
	credential: SavedCredential;
	baseUrl: string;
}

const node = (name: string, type: string, typeVersion: number, parameters: object): Nodes[0] => ({
	name,
	type: `n8n-nodes-base.${type}`,
	typeVersion,
	parameters: { ...parameters },
});

function httpRequest(
	{ credential, baseUrl }: Service,
	parameters: Record<string, unknown>,
): Nodes[0] {
	return {
		...node('HTTP Request', 'httpRequest', 4.5, {
			url: `${baseUrl}/responses`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: credential.type,
			options: {},
			...parameters,
		}),
		credentials: using(credential),
	};
}

function formCollection({ credential }: Service, parameters: Record<string, unknown>): Nodes[0] {
	return {
		name: 'Form Collection',
		type: nodeType,
		typeVersion: 1,
		parameters,
		credentials: using(credential),
	};
}

/** n8n names so what it finds in N8N_CUSTOM_EXTENSIONS. */
function floorNode({ credential }: Service, parameters: Record<string, unknown>): Nodes[0] {
	return {
		name: 'Floor',
		type: 'CUSTOM.floorNode',
		typeVersion: 1,
		parameters,
		credentials: using(credential),
	};
}

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

const splitOut = (field: string) =>
	node('Split Out', 'splitOut', 1, { fieldToSplitOut: field, options: {} });

interface Read {
	ours: { operation?: string; returnAll?: boolean; limit?: number; options?: object };
	floor?: Record<string, unknown>;
	/** What is behind HTTP Request and Split Out */
	theirs?: Nodes;
	/** What is behind the floor node */
	afterFloor?: Nodes;
}

function reading(
	service: Service,
	count: number,
	{ ours, floor, theirs = [], afterFloor = [] }: Read,
) {
	const formId = formOf(count);
	const options = { sort: 'asReceived', ...ours.options };
	const parameters = { operation: 'getResponses', formId: byId(formId), ...ours, options };
	return {
		ours: [formCollection(service, parameters)],
		theirs: [
			httpRequest(service, {
				sendQuery: true,
				queryParameters: { parameters: [{ name: 'form_id', value: formId }] },
			}),
			splitOut('responses'),
			...theirs,
		],
		floor: [floorNode(service, { formId, ...floor }), ...afterFloor],
	};
}

export const readsAll = (service: Service, count: number): Work => ({
	name: `all of ${count.toLocaleString('en')}`,
	...reading(service, count, { ours: { returnAll: true } }),
});

export const readsForEach = (service: Service, items: number, count: number): Work => ({
	...readsAll(service, count),
	name: `${items} items, one form of ${count.toLocaleString('en')}`,
	rows: Array.from({ length: items }, (_, i) => ({ row: String(i) })),
});

export const readsFirst = (service: Service, count: number): Work => ({
	name: `first ${KEPT_BY_LIMIT} of ${count.toLocaleString('en')}`,
	...reading(service, count, {
		ours: { limit: KEPT_BY_LIMIT },
		floor: { limit: KEPT_BY_LIMIT },
		theirs: [node('Limit', 'limit', 1, { maxItems: KEPT_BY_LIMIT })],
	}),
});

const newestOnly = (): Nodes => [
	node('Sort', 'sort', 1, {
		sortFieldsUi: { sortField: [{ fieldName: 'created_at', order: 'descending' }] },
		options: {},
	}),
	node('Limit', 'limit', 1, { maxItems: KEPT_BY_LIMIT }),
];

export const readsNewest = (service: Service, count: number): Work => ({
	name: `newest ${KEPT_BY_LIMIT} of ${count.toLocaleString('en')}`,
	...reading(service, count, {
		ours: { limit: KEPT_BY_LIMIT, options: { sort: 'newestFirst' } },
		theirs: newestOnly(),
		afterFloor: newestOnly(),
	}),
});

const filter = (field: string, operation: string, type: string, value: string) =>
	node('Filter', 'filter', 2.3, {
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 3 },
			conditions: [
				{
					id: 'wanted',
					leftValue: `={{ $json.${field} }}`,
					rightValue: value,
					operator: { type, operation },
				},
			],
			combinator: 'and',
		},
		looseTypeValidation: true,
		options: {},
	});

export const readsLastDay = (service: Service, count: number): Work => ({
	name: `last day of ${count.toLocaleString('en')}`,
	...reading(service, count, {
		ours: { returnAll: true, options: { createdAfter: lastDayOf(count) } },
		floor: { createdAfter: lastDayOf(count) },
		theirs: [filter('created_at', 'afterOrEquals', 'dateTime', lastDayOf(count))],
	}),
});

/** The three below are measured alone. */
export const readsByAnswer = (service: Service, count: number): Work => ({
	name: `by answer, of ${count.toLocaleString('en')}`,
	...reading(service, count, {
		ours: {
			returnAll: true,
			options: {
				answerFilters: {
					filter: [{ question: 'email', condition: 'equals', value: emailOf(count / 2) }],
				},
			},
		},
	}),
});

export const readsOne = (service: Service, count: number): Work => ({
	name: `by ID, of ${count.toLocaleString('en')}`,
	...reading(service, count, {
		ours: { returnAll: true, options: { responseId: idOf(count / 2) } },
	}),
});

export const readsQuestions = (service: Service, count: number): Work => ({
	name: `questions of ${count.toLocaleString('en')}`,
	...reading(service, count, { ours: { operation: 'getQuestions' } }),
});

const COMPANY = 'Plain Paper Co.';
const MESSAGE = 'We would like to resell your product in Northern Europe.';

const mapped = (mappingMode: string, value: object | null) => ({
	answersInput: 'mapping',
	answersMapping: { mappingMode, value },
});

/** The parameters of our node, and the one expression that the others evaluate for each item. */
const ENTERING = {
	automatic: { ours: mapped('autoMapInputData', null), others: '$json' },
	json: { ours: { answersInput: 'json', answersJson: '={{ $json }}' }, others: '$json' },
	mapped: {
		ours: mapped('defineBelow', {
			full_name: 'Ana-Maria Țurcanu',
			email: '={{ $json.email }}',
			company: COMPANY,
			message: MESSAGE,
		}),
		others: `{ full_name: 'Ana-Maria Țurcanu', email: $json.email, company: '${COMPANY}', message: '${MESSAGE}' }`,
	},
	eachMapped: {
		ours: mapped('defineBelow', {
			full_name: '={{ $json.full_name }}',
			email: '={{ $json.email }}',
			company: '={{ $json.company }}',
			message: '={{ $json.message }}',
		}),
		others: '$json',
	},
};

export function submits(service: Service, count: number, entering: keyof typeof ENTERING): Work {
	const { ours, others } = ENTERING[entering];
	return {
		name: `${count.toLocaleString('en')} submissions, ${entering}`,
		rows: Array.from({ length: count }, (_, i) => ({
			full_name: `Ana-Maria Țurcanu ${i}`,
			email: `ana.turcanu.${i}@example.com`,
			company: COMPANY,
			message: MESSAGE,
		})),
		ours: [formCollection(service, { operation: 'createResponse', formId: byId(INBOX), ...ours })],
		theirs: [
			httpRequest(service, {
				method: 'POST',
				sendBody: true,
				specifyBody: 'json',
				jsonBody: `={{ { form_id: '${INBOX}', answers: ${others} } }}`,
			}),
		],
		floor: [floorNode(service, { formId: INBOX, answers: `={{ ${others} }}` })],
	};
}

/** Leaves nothing in n8n's database. */
const UNSAVED = { saveDataSuccessExecution: 'none', saveManualExecutions: false };

function workflow(
	name: string,
	trigger: Partial<WorkflowNode>,
	rows: Work['rows'],
	nodes: Nodes,
	settings: Workflow['settings'] = {},
): Workflow {
	const input = rows && [
		node('Rows', 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify({ rows }), options: {} }),
		{ ...splitOut('rows'), name: 'Each row' },
	];
	const all = [trigger, ...(input ?? []), ...nodes].map((part, i) => ({
		...(part as WorkflowNode),
		position: [220 * i, 0] as [number, number],
	}));
	return { name, nodes: all, connections: inARow(all), settings };
}

/** @param end what answers its caller */
function calledBy(path: string, end: object) {
	const trigger = node('Webhook', 'webhook', 2, {
		path,
		httpMethod: 'POST',
		responseMode: 'lastNode',
		...end,
	});
	return { ...trigger, webhookId: path };
}

const nodesOf = (work: Work, side: Side): Nodes =>
	side === 'empty' ? [node('Do nothing', 'noOp', 1, {})] : work[side];

/** To be started by hand; n8n saves its executions. */
export function savedWorkflow(work: Work, side: Side): Workflow {
	const trigger = node(START, 'manualTrigger', 1, {});
	return workflow(`${work.name}, ${side}`, trigger, work.rows, nodesOf(work, side));
}

/** Answers a POST to its webhook, without data, when its last node is done. */
export function unsavedWorkflow(work: Work, side: Side, path: string): Workflow {
	const trigger = calledBy(path, { responseData: 'noData' });
	return workflow(`${work.name}, ${side}`, trigger, work.rows, nodesOf(work, side), UNSAVED);
}

/** Answers a POST to its webhook with an ID and an answer of each item that came out. */
export function checkedWorkflow(work: Work, side: Side, path: string): Workflow {
	// No expression: those have 128 MB, in which the longest list is no room.
	const check = node('Aggregate', 'aggregate', 1, {
		fieldsToAggregate: {
			fieldToAggregate: ['id', 'answers.email'].map((field) => ({ fieldToAggregate: field })),
		},
		options: {},
	});
	const trigger = calledBy(path, {});
	const nodes = [...nodesOf(work, side), check];
	return workflow(`Check of ${work.name}, ${side}`, trigger, work.rows, nodes, UNSAVED);
}

/** Polls the form every ten seconds. */
export function polls({ credential }: Service, formId: string): Workflow {
	const times = [0, 10, 20, 30, 40, 50].map((second) => ({
		mode: 'custom',
		cronExpression: `${second} * * * * *`,
	}));
	const trigger = {
		name: 'New response',
		type: `${nodeType}Trigger`,
		typeVersion: 1,
		parameters: { pollTimes: { item: times }, formId: byId(formId), options: {} },
		credentials: using(credential),
	};
	return workflow(`Polls ${formId}`, trigger, undefined, [node('Do nothing', 'noOp', 1, {})]);
}
