import type { SavedCredential, Workflow, WorkflowNode } from '../../playground/n8nClient';
import { inARow, nodeType, START, using } from '../../playground/workflows';
import { emailOf, formOf, idOf, INBOX, KEPT_BY_LIMIT, lastDayOf } from './lists';

/** The nodes with which a workflow does a piece of work. */
type Nodes = Partial<WorkflowNode>[];

export interface Work {
	name: string;
	/** One item for each comes in; one empty item by default. */
	rows?: Record<string, string>[];
	ours: Nodes;
	/** With n8n's own nodes, as their defaults are */
	theirs: Nodes;
	/** The fields by which the outputs of both sides are compared; by default ID and email address */
	compared?: string[];
	/** What the bare script is told */
	floor: Record<string, unknown>;
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

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

const splitOut = (field: string) =>
	node('Split Out', 'splitOut', 1, { fieldToSplitOut: field, options: {} });

/** What n8n takes for any execution. */
export const doesNothing: Work = {
	name: 'nothing',
	ours: [node('Do nothing', 'noOp', 1, {})],
	theirs: [],
	floor: {},
};

function reading(
	service: Service,
	count: number,
	ours: Record<string, unknown>,
	...theirs: Nodes
): Pick<Work, 'ours' | 'theirs' | 'floor'> {
	const formId = formOf(count);
	return {
		ours: [formCollection(service, { operation: 'getResponses', formId: byId(formId), ...ours })],
		theirs: [
			httpRequest(service, {
				sendQuery: true,
				queryParameters: { parameters: [{ name: 'form_id', value: formId }] },
			}),
			splitOut('responses'),
			...theirs,
		],
		floor: { formId },
	};
}

export const readsAll = (service: Service, count: number): Work => ({
	name: `all of ${count.toLocaleString('en')}`,
	...reading(service, count, { returnAll: true }),
});

export const readsForEach = (service: Service, items: number, count: number): Work => ({
	...readsAll(service, count),
	name: `${items} items, one form of ${count.toLocaleString('en')}`,
	rows: Array.from({ length: items }, (_, i) => ({ row: String(i) })),
});

export const readsFirst = (service: Service, count: number): Work => ({
	name: `first ${KEPT_BY_LIMIT} of ${count.toLocaleString('en')}`,
	...reading(
		service,
		count,
		{ limit: KEPT_BY_LIMIT },
		node('Limit', 'limit', 1, { maxItems: KEPT_BY_LIMIT }),
	),
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
	...reading(
		service,
		count,
		{ returnAll: true, options: { createdAfter: lastDayOf(count) } },
		filter('created_at', 'afterOrEquals', 'dateTime', lastDayOf(count)),
	),
});

export function readsByAnswer(service: Service, count: number): Work {
	const email = emailOf(count / 2);
	const answerFilters = { filter: [{ question: 'email', condition: 'equals', value: email }] };
	return {
		name: `by email address, of ${count.toLocaleString('en')}`,
		...reading(
			service,
			count,
			{ returnAll: true, options: { answerFilters } },
			filter('answers.email', 'equals', 'string', email),
		),
	};
}

export const readsOne = (service: Service, count: number): Work => ({
	name: `by ID, of ${count.toLocaleString('en')}`,
	...reading(
		service,
		count,
		{ returnAll: true, options: { responseId: idOf(count / 2) } },
		filter('id', 'equals', 'string', idOf(count / 2)),
	),
});

/** What Get Questions puts out, in the Code node. */
const QUESTIONS = `const questions = new Map();
for (const { answers } of $json.responses) {
	for (const [key, answer] of Object.entries(answers)) {
		const texts = [answer].flat().filter((text) => text !== '');
		const question = questions.get(key)
			?? { key, answered: 0, multipleChoice: false, options: [], example: texts.join(', ') };
		questions.set(key, question);
		if (texts.length > 0) question.answered++;
		if (!Array.isArray(answer)) continue;
		question.multipleChoice = true;
		question.options = [...new Set([...question.options, ...texts])];
	}
}
return [...questions.values()].map((json) => ({ json }));`;

export function readsQuestions(service: Service, count: number): Work {
	const { floor, theirs } = readsAll(service, count);
	return {
		name: `questions of ${count.toLocaleString('en')}`,
		ours: [formCollection(service, { operation: 'getQuestions', formId: byId(formOf(count)) })],
		theirs: [...theirs.slice(0, 1), node('Code', 'code', 2, { jsCode: QUESTIONS })],
		floor,
		compared: ['key', 'answered', 'multipleChoice', 'options', 'example'],
	};
}

export function submits(service: Service, count: number, batching?: object): Work {
	const rows = Array.from({ length: count }, (_, i) => ({
		full_name: `Ana-Maria Țurcanu ${i}`,
		email: `ana.turcanu.${i}@example.com`,
		company: 'Plain Paper Co.',
		message: 'We would like to resell your product in Northern Europe.',
	}));
	return {
		name: `${count.toLocaleString('en')} submissions`,
		rows,
		ours: [
			formCollection(service, {
				operation: 'createResponse',
				formId: byId(INBOX),
				answersInput: 'mapping',
				answersMapping: { mappingMode: 'autoMapInputData', value: null },
			}),
		],
		theirs: [
			httpRequest(service, {
				method: 'POST',
				sendBody: true,
				specifyBody: 'json',
				jsonBody: `={{ { form_id: '${INBOX}', answers: $json } }}`,
				options: batching ? { batching: { batch: batching } } : {},
			}),
		],
		floor: { form: INBOX, rows, parallel: 10 },
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

/** To be started by hand. */
export function measured(work: Work, side: 'ours' | 'theirs', isSaved: boolean): Workflow {
	return workflow(
		`${work.name}, ${side}`,
		node(START, 'manualTrigger', 1, {}),
		work.rows,
		work[side],
		isSaved ? {} : UNSAVED,
	);
}

/** Answers a POST to its webhook with the compared fields of each item that came out. */
export function checked(work: Work, side: 'ours' | 'theirs', path: string): Workflow {
	const trigger = node('Webhook', 'webhook', 2, {
		path,
		httpMethod: 'POST',
		responseMode: 'lastNode',
	});
	const { compared = ['id', 'answers.email'] } = work;
	// No expression: those have 128 MB, in which the longest list is no room.
	const check = node('Aggregate', 'aggregate', 1, {
		fieldsToAggregate: {
			fieldToAggregate: compared.map((field) => ({ fieldToAggregate: field })),
		},
		options: {},
	});
	return workflow(
		`Check of ${work.name}, ${side}`,
		{ ...trigger, webhookId: path },
		work.rows,
		[...work[side], check],
		UNSAVED,
	);
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
