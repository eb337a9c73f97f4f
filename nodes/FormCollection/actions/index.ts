import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { createResponse } from './createResponse/createResponse';
import { getEmbedCode } from './getEmbedCode';
import { getForms } from './getForms';
import { getQuestions } from './getQuestions';
import { getResponses } from './getResponses';
import type { Operation } from './operation';

/** Every operation of the node, in the order of the Operation list. */
const operations = [
	createResponse,
	getEmbedCode,
	getForms,
	getQuestions,
	getResponses,
] as Operation<unknown>[];

export const operationByValue: ReadonlyMap<unknown, Operation<unknown>> = new Map(
	operations.map((operation) => [operation.value, operation]),
);

/** Hidden: n8n 2.41 names nodes and tools after the action of an operation, which it finds by a resource. */
const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'hidden',
	noDataExpression: true,
	default: 'form',
	options: [{ name: 'Form', value: 'form' }],
};

const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: 'getResponses',
	options: operations.map(({ name, value, action, description, builderHint }) => ({
		...{ name, value, action, description },
		...(builderHint && { builderHint }),
	})),
	// n8n 2.41 finds the action by the first of these. The other one shows the field for every resource: n8n drops
	// fields that are not shown, and hand-written workflows may have a resource such as "response".
	displayOptions: { show: { resource: ['form', { _cnd: { not: 'form' } }] } },
};

export const properties: INodeProperties[] = [
	resourceField,
	operationField,
	...operations.flatMap(({ value, fields }) =>
		updateDisplayOptions({ show: { operation: [value] } }, fields),
	),
];

const names = Object.fromEntries(operations.map(({ name, value }) => [value, name]));

export const operationSubtitle = subtitle(`(${JSON.stringify(names)})[$parameter["operation"]]`);

/**
 * Expression for the line below the name of the node on the canvas, e.g. "Get Responses: Contact us".
 *
 * @param what expression without braces: what the node does
 */
export function subtitle(what: string): string {
	// `$parameter.formId` is the ID alone, without the title that was chosen.
	const locator = '$parameter.toJSON().formId ?? $parameter.toJSON().formSlug';
	const form = `((form) => form?.cachedResultName || form?.value)(${locator})`;
	// A form that is an expression has no name before the workflow runs.
	const isKnown = '(text) => text && !String(text).startsWith("=")';
	return `={{ [${what}, ${form}].filter(${isKnown}).join(": ") }}`;
}
