import type { INode, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { NodeHelpers, Workflow } from 'n8n-workflow';
import { NodeHelpers as OlderNodeHelpers } from 'n8n-workflow-2.0';
import { FormCollection } from '../../../../nodes/FormCollection/FormCollection.node';
import { FormCollectionTrigger } from '../../../../nodes/FormCollection/FormCollectionTrigger.node';
import { operationByValue, operationSelector } from '../../../../nodes/FormCollection/actions';

const { description, methods } = new FormCollection();
const offered = operationSelector.options as INodePropertyOptions[];

function shown(parameters: INodeParameters, { getNodeParameters } = NodeHelpers) {
	const values = getNodeParameters(
		description.properties,
		parameters,
		true,
		false,
		{ typeVersion: 1 } as INode,
		description,
	);
	return values ?? {};
}

it('offers exactly what it can do, by default what is asked for most', () => {
	expect(offered.map(({ value }) => value)).toEqual([...operationByValue.keys()]);
	for (const { value } of offered) {
		expect(operationByValue.get(String(value))?.start).toBeInstanceOf(Function);
	}
	expect(operationByValue.has(String(operationSelector.default))).toBe(true);
});

const noForm = { __rl: true, mode: 'list', value: '' };

it.each([
	[{ operation: 'getForms' }, { returnAll: false, limit: 50 }],
	[{ operation: 'getForms', returnAll: true }, { returnAll: true }],
	[
		{},
		{
			operation: 'getResponses',
			formId: noForm,
			returnAll: false,
			limit: 50,
			flattenAnswers: false,
			options: {},
		},
	],
	[
		{ operation: 'getResponses', returnAll: true },
		{ formId: noForm, returnAll: true, flattenAnswers: false, options: {} },
	],
	[{ operation: 'createResponse' }, { formId: noForm, answersInput: 'mapping', options: {} }],
	[
		{ operation: 'createResponse', formId: { ...noForm, value: 'f1' } },
		{
			answersInput: 'mapping',
			answersMapping: { mappingMode: 'defineBelow', value: null },
			options: {},
		},
	],
	[
		{ operation: 'createResponse', answersInput: 'keyValue' },
		{ formId: noForm, answersInput: 'keyValue', answers: {}, options: {} },
	],
	[
		{ operation: 'createResponse', answersInput: 'json' },
		{
			formId: noForm,
			answersInput: 'json',
			answersJson: '{}',
			options: {},
		},
	],
	[{ operation: 'getQuestions' }, { formId: noForm }],
	[{ operation: 'getEmbedCode' }, { formSlug: noForm, mode: 'inline', height: '600px' }],
	[
		{ operation: 'getEmbedCode', mode: 'popup' },
		{ formSlug: noForm, mode: 'popup', buttonText: 'Open form' },
	],
	[
		{ operation: 'getEmbedCode', mode: 'popover' },
		{ formSlug: noForm, mode: 'popover' },
	],
])('shows the fields of %j', (chosen, fields) => {
	expect(shown(chosen as INodeParameters)).toEqual({ resource: 'form', ...chosen, ...fields });
});

describe.each([
	['n8n 2.41', NodeHelpers],
	['n8n 2.0 and 1.123', OlderNodeHelpers as unknown as typeof NodeHelpers],
])('a resource that is none, in %s', (_, helpers) => {
	it.each(['response', ''])('keeps the operation and its fields: %j', (resource) => {
		const parameters = { resource, operation: 'createResponse', answersInput: 'json' };
		expect(shown(parameters, helpers)).toEqual({
			...parameters,
			formId: noForm,
			answersJson: '{}',
			options: {},
		});
	});

	it('names nodes and tools after the operation where it is right', () => {
		const parameters = shown({ operation: 'createResponse' }, helpers);
		expect(helpers.makeNodeName(parameters, description)).toBe('Create a response');
	});
});

it.each([
	['getForms', 'Get many forms'],
	['getResponses', 'Get many responses'],
	['getQuestions', "Get a form's questions"],
	['createResponse', 'Create a response'],
	['getEmbedCode', "Get a form's embed code"],
])(
	'names nodes and tools after what %s does, also in workflows without resource',
	(value, action) => {
		const parameters = shown({ operation: value });

		expect(NodeHelpers.makeNodeName(parameters, description)).toBe(action);
		expect(NodeHelpers.makeDescription(parameters, description)).toBe(
			`${action} in Form Collection`,
		);
	},
);

it('has one description for the panel that lists actions and triggers', () => {
	expect(new FormCollectionTrigger().description.description).toBe(description.description);
});

const trigger = new FormCollectionTrigger().description;
const ofForm = (formId: object) => ({ formId: { __rl: true, ...formId } });
const chosen = { mode: 'list', value: 'f1', cachedResultName: 'Contact us' };

it.each([
	[description, {}, 'Get Responses'],
	[description, { operation: 'getForms' }, 'Get Forms'],
	[description, { ...ofForm(chosen), operation: 'getQuestions' }, 'Get Questions: Contact us'],
	[description, ofForm(chosen), 'Get Responses: Contact us'],
	[description, ofForm({ mode: 'id', value: 'f1' }), 'Get Responses: f1'],
	[description, ofForm({ mode: 'id', value: '={{ $json.id }}' }), 'Get Responses'],
	[
		description,
		{ operation: 'getEmbedCode', formSlug: { ...noForm, mode: 'slug', value: 'contact-us' } },
		'Get Embed Code: contact-us',
	],
	[trigger, {}, 'New Response'],
	[trigger, ofForm(chosen), 'New Response: Contact us'],
])('shows what it does with which form on the canvas (%#)', (type, parameters, expected) => {
	const node: INode = {
		id: 'node',
		name: 'Node',
		type: type.name,
		typeVersion: 1,
		position: [0, 0],
		parameters: parameters as INodeParameters,
	};
	const nodeType = { description: type };
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => nodeType,
			getByNameAndVersion: () => nodeType,
			getKnownTypes: () => ({}),
		},
	});

	expect(
		workflow.expression.getSimpleParameterValue(
			workflow.getNode('Node') as INode,
			type.subtitle,
			'internal',
			{},
		),
	).toBe(expected);
});

it('has each list and mapping that its fields name', () => {
	const named = JSON.stringify(description.properties).match(
		/"(searchListMethod|loadOptionsMethod|resourceMapperMethod)":"\w+"/g,
	);

	const known = [
		...Object.keys(methods.listSearch).map((name) => `"searchListMethod":"${name}"`),
		...Object.keys(methods.loadOptions).map((name) => `"loadOptionsMethod":"${name}"`),
		...Object.keys(methods.resourceMapping).map((name) => `"resourceMapperMethod":"${name}"`),
	];
	expect([...new Set(named)].sort()).toEqual(known.sort());
});
