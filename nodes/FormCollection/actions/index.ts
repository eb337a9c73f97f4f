import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { createResponse } from './createResponse';
import { getEmbedCode } from './getEmbedCode';
import { getForms } from './getForms';
import { getQuestions } from './getQuestions';
import { getResponses } from './getResponses';
import type { Operation } from './action';

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

export const operationSelector: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: 'getResponses',
	options: operations.map(({ name, value, action, description }) => ({
		name,
		value,
		action,
		description,
	})),
};

export const operationFields: INodeProperties[] = operations.flatMap(({ value, fields }) =>
	updateDisplayOptions({ show: { operation: [value] } }, fields),
);

const names = Object.fromEntries(operations.map(({ name, value }) => [value, name]));

/** Expression for the line below the name of the node on the canvas. */
export const operationSubtitle = `={{ (${JSON.stringify(names)})[$parameter["operation"]] }}`;
