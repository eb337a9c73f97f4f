import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { flattenAnswers } from '../responses/answers';
import { InvalidInput } from '../transport/errors';
import type { ResponseRecord } from '../transport/records';

export const formField: INodeProperties = {
	displayName: 'Form',
	name: 'formId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The form to work with. Opening or searching the list sends one request.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a form...',
			typeOptions: { searchListMethod: 'searchForms', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 5f0c2a9e',
		},
	],
};

/** @throws InvalidInput if no form is chosen */
export function readFormId(context: IExecuteFunctions, itemIndex: number): string {
	return toFormId(context.getNodeParameter('formId', itemIndex, '', { extractValue: true }));
}

/** @throws InvalidInput unless it is a text, or a number */
export function toFormId(value: unknown, name = 'ID'): string {
	const formId = typeof value === 'number' ? String(value) : value;
	if (typeof formId !== 'string' || formId.trim() === '') {
		throw new InvalidInput(
			`No form is chosen: pick one in the field Form, or enter its ${name} there`,
		);
	}
	return formId.trim();
}

export const returnAllField: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

export const limitField: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
};

/** @returns how many results to return, Infinity for all */
export function readLimit(context: IExecuteFunctions, itemIndex: number): number {
	if (context.getNodeParameter('returnAll', itemIndex, false)) return Infinity;
	return wholeNumber('Limit', context.getNodeParameter('limit', itemIndex, 50));
}

export const flattenFields: INodeProperties[] = [
	{
		displayName: 'Flatten Answers',
		name: 'flattenAnswers',
		type: 'boolean',
		default: false,
		description:
			'Whether to put each answer in a field of its own beside the other fields, as in a spreadsheet',
	},
	{
		displayName: 'Join Multiple Choice With',
		name: 'joinMultipleWith',
		type: 'string',
		default: ', ',
		placeholder: 'e.g. ;',
		description:
			'Text between the options of a multiple-choice answer. Leave empty to keep a list.',
		displayOptions: { show: { flattenAnswers: [true] } },
	},
];

/** @returns what makes an output record of a response, as the two options above say */
export function shaper(options: {
	flattenAnswers?: unknown;
	joinMultipleWith?: unknown;
}): (response: ResponseRecord) => ResponseRecord {
	if (options.flattenAnswers !== true) return (response) => response;
	const separator = String(options.joinMultipleWith ?? '');
	return (response) => flattenAnswers(response, separator);
}

export const timeoutField: INodeProperties = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 30,
	description: 'How many seconds to wait for an answer of the service',
};

/** @returns milliseconds */
export function readTimeout(options: { timeout?: unknown }): number | undefined {
	if (options.timeout === undefined) return undefined;
	const seconds = Number(options.timeout);
	if (seconds > 0 && seconds <= 3600) return seconds * 1000;
	throw new InvalidInput(
		`Timeout is ${JSON.stringify(options.timeout)}: enter a number of seconds from 1 to 3600`,
	);
}

/** @throws InvalidInput unless the value is a whole number of at least 1 */
export function wholeNumber(name: string, value: unknown): number {
	if (Number.isInteger(Number(value)) && Number(value) >= 1) return Number(value);
	throw new InvalidInput(`${name} is ${JSON.stringify(value)}: enter a whole number of at least 1`);
}
