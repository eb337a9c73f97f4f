import type { IDataObject, INode, INodeParameters, INodeProperties, INodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { FormCollection } from '../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import { execute, polling } from '../support/engine';
import { runPoll } from '../support/poller';
import { credentials } from './service';

/** A workflow as n8n exports it, and what its nodes do with one item that has the fields of `input`. */
export interface SavedWorkflow {
	nodes: INode[];
	input: IDataObject;
	/** By node: what it sent, or else what it put out */
	results: Record<string, unknown>;
}

const form = { __rl: true, mode: 'id', value: 'f1' };
const listed = { __rl: true, mode: 'list', value: 'f1', cachedResultName: 'Form f1' };

const answerFilters = {
	filter: [
		{ question: 'email', condition: 'contains', value: '@example.com' },
		{ question: 'email', condition: 'notContains', value: 'bob' },
		{ question: 'topics', condition: 'equals', value: 'sales' },
		{ question: 'topics', condition: 'notEquals', value: 'Billing' },
		{ question: 'message', condition: 'isNotEmpty' },
		{ question: 'company', condition: 'isEmpty' },
	],
};

const question = (id: string, more: object = {}) => ({
	id,
	displayName: id,
	required: false,
	defaultMatch: false,
	canBeUsedToMatch: false,
	display: true,
	removed: false,
	...more,
});

const schema = [question('email'), question('topics', { multipleChoice: true })];

const actions: Record<string, INodeParameters> = {
	'Some forms': { operation: 'getForms', returnAll: false, limit: 1 },
	'All forms': { operation: 'getForms', returnAll: true },
	'Some responses': {
		operation: 'getResponses',
		formId: form,
		returnAll: false,
		limit: 2,
		flattenAnswers: true,
		options: {
			answerFilters,
			createdAfter: '2026-01-01T00:00:00',
			createdBefore: '2026-02-01T00:00:00',
			joinMultipleWith: ';',
			sort: 'newestFirst',
			timeout: 60,
		},
	},
	'One response': {
		operation: 'getResponses',
		formId: listed,
		returnAll: true,
		flattenAnswers: false,
		options: { responseId: 'r2' },
	},
	'Operation left as it was': {
		formId: listed,
		returnAll: true,
		options: { sort: 'oldestFirst' },
	},
	Questions: { operation: 'getQuestions', formId: form },
	Inline: {
		operation: 'getEmbedCode',
		formSlug: { __rl: true, mode: 'slug', value: 'form-f1' },
		mode: 'inline',
		height: '80vh',
	},
	Popup: {
		operation: 'getEmbedCode',
		formSlug: { __rl: true, mode: 'list', value: 'form-f1', cachedResultName: 'Form f1' },
		mode: 'popup',
		buttonText: 'Write to us',
	},
	Popover: {
		operation: 'getEmbedCode',
		formSlug: { __rl: true, mode: 'slug', value: 'form-f1' },
		mode: 'popover',
	},
	'By question': {
		operation: 'createResponse',
		formId: form,
		answersInput: 'mapping',
		answersMapping: {
			mappingMode: 'defineBelow',
			value: { email: '={{ $json.email }}', topics: '={{ $json.topics }}' },
			matchingColumns: [],
			schema,
		},
		options: {
			parallelRequests: 3,
			skipExisting: true,
			matchOn: ['email'],
			splitMultipleAt: ';',
			timeout: 60,
		},
	},
	Automatically: {
		operation: 'createResponse',
		formId: form,
		answersInput: 'mapping',
		answersMapping: { mappingMode: 'autoMapInputData', value: null, matchingColumns: [], schema },
		options: { otherFields: 'send', splitMultipleAt: ';' },
	},
	'By question key': {
		operation: 'createResponse',
		formId: form,
		answersInput: 'keyValue',
		answers: {
			answer: [
				{ key: 'email', value: '={{ $json.email }}' },
				{ key: 'topics', value: 'Sales' },
				{ key: 'topics', value: 'Support' },
			],
		},
		options: {},
	},
	'As JSON': {
		operation: 'createResponse',
		formId: form,
		answersInput: 'json',
		answersJson: '={{ { "email": $json.email } }}',
		options: {},
	},
};

const trigger: INodeParameters = {
	pollTimes: { item: [{ mode: 'everyX', value: 5, unit: 'minutes' }] },
	formId: listed,
	flattenAnswers: true,
	options: { answerFilters, includeExisting: true, joinMultipleWith: ';', timeout: 60 },
};

const input: IDataObject = { email: 'dan@example.com', topics: 'Sales;Support', row_number: 2 };

/** A workflow of today with all parameters of both nodes. */
export async function saveWorkflow(service: Sandbox): Promise<SavedWorkflow> {
	const nodes = [
		...Object.entries(actions).map(([name, parameters]) =>
			nodeOf('formCollection', name, parameters),
		),
		nodeOf('formCollectionTrigger', 'Trigger', trigger),
	];
	const unused = unusedParameters(nodes);
	if (unused.length > 0) {
		throw new Error(
			`No node of test/replay/workflow.ts has the parameter ${unused.join(', ')}: add it, so that later versions are held to it`,
		);
	}
	const results: SavedWorkflow['results'] = {};
	for (const node of nodes) results[node.name] = await resultOf(node, input, service);
	return { nodes, input, results };
}

const nodeOf = (type: string, name: string, parameters: INodeParameters): INode => ({
	id: `replay ${name}`,
	name,
	type: `n8n-nodes-form-collection.${type}`,
	typeVersion: 1,
	position: [0, 0],
	parameters,
	credentials: { formCollectionApi: { id: '1', name: 'Form Collection' } },
});

/** What a node sends, or else what it puts out. */
export async function resultOf(node: INode, item: IDataObject, service: Sandbox): Promise<unknown> {
	const { type, parameters } = node;
	service.reset();
	if (type.endsWith('Trigger')) {
		return await runPoll(polling({ parameters, credentials, node }).context);
	}
	// The test engine knows the node by its name.
	const settings = { ...node, name: 'Form Collection' };
	const run = await execute({ parameters, credentials, node: settings, input: [item] });
	if (run.error) throw run.error;
	const sent = service.log.filter(({ method }) => method === 'POST').map(({ body }) => body);
	return sent.length > 0 ? { sent } : { items: run.items.map(({ json }) => json) };
}

const descriptionOf = ({ type }: INode) =>
	(type.endsWith('Trigger') ? new FormCollectionTrigger() : (new FormCollection() as INodeType))
		.description;

/** What n8n finds wrong with a saved node, or drops of it as it opens the workflow. */
export function complaintsAbout(node: INode): unknown {
	const description = descriptionOf(node);
	// n8n adds it to each polling trigger.
	const parameters = { ...node.parameters };
	Reflect.deleteProperty(parameters, 'pollTimes');
	const known = NodeHelpers.getNodeParameters(
		description.properties,
		parameters,
		true,
		false,
		node,
		description,
	);
	const dropped = Object.entries(parameters).filter(
		([name, value]) => JSON.stringify(known?.[name]) !== JSON.stringify(value),
	);
	const issues = NodeHelpers.getNodeParametersIssues(description.properties, node, description);
	const unknown = [...namesIn(parameters)].filter(
		(name) => !namesOf(description.properties).has(name),
	);
	return { dropped, issues, unknown };
}

function unusedParameters(nodes: INode[]): string[] {
	const used = new Set(nodes.flatMap(({ parameters }) => [...namesIn(parameters)]));
	const all = nodes.flatMap((node) => [...namesOf(descriptionOf(node).properties)]);
	// Of the first two there is one choice; the third is a text.
	const others = ['resource', 'event', 'costNotice'];
	return [...new Set(all)].filter((name) => !used.has(name) && !others.includes(name));
}

const containers = ['options', 'answerFilters', 'filter', 'answers', 'answer'];

/** The names of all parameters that have a value, those in collections included. */
function namesIn(value: unknown, names = new Set<string>()): Set<string> {
	if (Array.isArray(value)) value.forEach((each) => namesIn(each, names));
	else if (typeof value === 'object' && value !== null) {
		for (const [name, inner] of Object.entries(value)) {
			names.add(name);
			if (containers.includes(name)) namesIn(inner, names);
		}
	}
	return names;
}

/** The names of all parameters that may have one. */
function namesOf(properties: INodeProperties[]): Set<string> {
	return new Set(
		properties.flatMap(({ name, type, options = [] }) => [
			name,
			...(type === 'collection' ? namesOf(options as INodeProperties[]) : []),
			...(type === 'fixedCollection'
				? (options as { name: string; values: INodeProperties[] }[]).flatMap((group) => [
						group.name,
						...namesOf(group.values),
					])
				: []),
		]),
	);
}
