import { limitField, readLimit, returnAllField } from './fields';
import type { Operation } from './action';

export const getForms: Operation = {
	value: 'getForms',
	name: 'Get Forms',
	action: 'Get forms',
	description: 'List the forms of your account',
	fields: [returnAllField, limitField],
	start: (context, service) => ({
		async execute(itemIndex) {
			const limit = readLimit(context, itemIndex);
			const forms = await service.forms(await service.account(itemIndex));
			return forms.slice(0, limit);
		},
	}),
};
