import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { flattenAnswers } from '../responses/answers';
import type { ResponseRecord } from '../transport/records';
import { toFormId } from './formLocator';
import { optionOf, toBoolean, toObject, toText, toTimeout, toWholeNumber } from './parameters';

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
	return toFormId(context.getNodeParameter('formId', itemIndex, ''));
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
	// n8n drops fields that are not shown: with `show`, the limit beside a Return All of the text "false".
	displayOptions: { hide: { returnAll: [true] } },
};

/** @returns how many results to return, Infinity for all */
export function readLimit(context: IExecuteFunctions, itemIndex: number): number {
	const returnAll = context.getNodeParameter('returnAll', itemIndex, false) as unknown;
	if (toBoolean('Return All', returnAll)) return Infinity;
	return toWholeNumber('Limit', context.getNodeParameter('limit', itemIndex, 50));
}

/** @returns the options that were added to the node */
export function readOptions(context: IExecuteFunctions, itemIndex: number) {
	return toObject('Options', context.getNodeParameter('options', itemIndex, {}));
}

export const flattenFields: INodeProperties[] = [
	{
		displayName: 'Flatten Answers',
		name: 'flattenAnswers',
		type: 'boolean',
		default: false,
		description:
			'Whether to put each answer in a field of its own beside the other fields, as in a spreadsheet. A question key that is also a field of the response, or one of error, message, details, constructor, prototype and __proto__, becomes answer_ and the key.',
	},
	{
		displayName: 'Join Multiple Choice With',
		name: 'joinMultipleWith',
		type: 'string',
		default: ', ',
		placeholder: 'e.g. ;',
		description:
			'Text between the options of a multiple-choice answer. Leave empty to keep a list.',
		displayOptions: {
			show: { flattenAnswers: [{ _cnd: { exists: true } }] },
			hide: { flattenAnswers: [false] },
		},
	},
];

/** @returns what makes an output record of a response, as the two options above say */
export function shaper(options: object): (response: ResponseRecord) => ResponseRecord {
	const isFlat = toBoolean('Flatten Answers', optionOf(options, 'flattenAnswers', false));
	const separator = toText('Join Multiple Choice With', optionOf(options, 'joinMultipleWith', ''));
	if (!isFlat) return (response) => response;
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
export function readTimeout(options: object): number | undefined {
	if (!('timeout' in options)) return undefined;
	return toTimeout('Timeout', options.timeout);
}
