import type { IDataObject } from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';
import { InvalidInput } from '../service/errors';
import type { ResponseRecord } from '../service/records';
import { createdAt } from '../service/records';
import {
	flattenFields,
	formField,
	limitField,
	readFormId,
	readLimit,
	readTimeout,
	returnAllField,
	shaper,
	timeoutField,
} from './fields';
import type { Operation } from './operation';

export const getResponses: Operation = {
	value: 'getResponses',
	name: 'Get Responses',
	action: 'Get responses',
	description: 'Read the responses that a form has collected',
	fields: [
		formField,
		returnAllField,
		limitField,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Created After',
					name: 'createdAfter',
					type: 'dateTime',
					default: '',
					description: 'Return only responses created at this moment or later',
				},
				{
					displayName: 'Created Before',
					name: 'createdBefore',
					type: 'dateTime',
					default: '',
					description: 'Return only responses created before this moment',
				},
				...flattenFields,
				{
					displayName: 'Sort',
					name: 'sort',
					type: 'options',
					default: 'asReceived',
					options: [
						{ name: 'As Received', value: 'asReceived' },
						{ name: 'Newest First', value: 'newestFirst' },
						{ name: 'Oldest First', value: 'oldestFirst' },
					],
					description: 'The order of the responses. The limit takes the first ones in this order.',
				},
				timeoutField,
			],
		},
	],
	async execute(context, service, itemIndex) {
		const formId = readFormId(context, itemIndex);
		const limit = readLimit(context, itemIndex);
		const options: IDataObject = context.getNodeParameter('options', itemIndex, {});
		const zone = context.getTimezone();
		const from = readMoment('Created After', options.createdAfter, zone) ?? -Infinity;
		const before = readMoment('Created Before', options.createdBefore, zone) ?? Infinity;
		const responses = await service.responses(formId, readTimeout(options));
		const selected = sorted(createdWithin(responses, from, before), options.sort).slice(0, limit);
		return selected.map(shaper(options));
	},
};

/** @returns Unix epoch milliseconds; a date without a zone is in the zone of the workflow */
function readMoment(name: string, value: unknown, zone: string): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	try {
		return tryToParseDateTime(value, zone).toMillis();
	} catch {
		throw notADate(name, value);
	}
}

function notADate(name: string, value: unknown): InvalidInput {
	return new InvalidInput(
		`${name} is ${JSON.stringify(value)}: enter a date and time, e.g. 2026-01-31T09:00:00`,
	);
}

/** Responses without a readable time are left out as soon as there is a bound. */
function createdWithin(
	responses: ResponseRecord[],
	from: number,
	before: number,
): ResponseRecord[] {
	if (from === -Infinity && before === Infinity) return responses;
	return responses.filter((response) => {
		const time = createdAt(response);
		return time !== undefined && time >= from && time < before;
	});
}

/** Responses without a readable time come last. */
function sorted(responses: ResponseRecord[], order: unknown): ResponseRecord[] {
	if (order !== 'newestFirst' && order !== 'oldestFirst') return responses;
	const sign = order === 'oldestFirst' ? 1 : -1;
	return responses
		.map((response) => ({ response, time: createdAt(response) }))
		.sort((a, b) => {
			if (a.time === undefined || b.time === undefined) {
				return Number(a.time === undefined) - Number(b.time === undefined);
			}
			return sign * (a.time - b.time);
		})
		.map(({ response }) => response);
}
