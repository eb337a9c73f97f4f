import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { createResponse } from './createResponse/createResponse';
import { getEmbedCode } from './getEmbedCode';
import { getForms } from './getForms';
import { getQuestions } from './getQuestions';
import { getResponses } from './getResponses';
import { subtitle } from './subtitle';
import type { Operation } from './operation';

/** Every operation of the node, in the order of the Operation dropdown. */
const operations: Operation[] = [
	createResponse,
	getEmbedCode,
	getForms,
	getQuestions,
	getResponses,
];

export const operationByValue: ReadonlyMap<string, Operation> = new Map(
	operations.map((operation) => [operation.value, operation]),
);

/** Hidden: n8n 2.41 names nodes and tools after the action of an operation, which it finds by a resource. */
export const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'hidden',
	noDataExpression: true,
	default: 'form',
	options: [{ name: 'Form', value: 'form' }],
};

export const operationSelector: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: 'getResponses',
	options: operations.map(({ name, value, action, description, builderHint }) => ({
		name,
		value,
		action,
		description,
		...(builderHint && { builderHint }),
	})),
	// n8n 2.41 finds the action by the first of these. The other one shows the field for every resource: n8n drops
	// fields that are not shown, and hand-written workflows may have a resource such as "response".
	displayOptions: { show: { resource: ['form', { _cnd: { not: 'form' } }] } },
};

export const operationFields: INodeProperties[] = operations.flatMap(({ value, fields }) =>
	updateDisplayOptions({ show: { operation: [value] } }, fields),
);

const names = Object.fromEntries(operations.map(({ name, value }) => [value, name]));

export const operationSubtitle = subtitle(`(${JSON.stringify(names)})[$parameter["operation"]]`);
