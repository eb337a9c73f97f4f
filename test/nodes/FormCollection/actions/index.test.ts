import type { INode, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { FormCollection } from '../../../../nodes/FormCollection/FormCollection.node';
import { operationByValue, operationSelector } from '../../../../nodes/FormCollection/actions';

const { description, methods } = new FormCollection();
const offered = operationSelector.options as INodePropertyOptions[];

function shown(parameters: INodeParameters) {
	const values = NodeHelpers.getNodeParameters(
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
	expect(shown(chosen as INodeParameters)).toEqual({ ...chosen, ...fields });
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
