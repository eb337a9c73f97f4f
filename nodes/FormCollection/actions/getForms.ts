import { limitField, readLimit, returnAllField } from './fields';
import type { Operation } from './action';
import { LimitHint } from './limitHint';

export const getForms: Operation = {
	value: 'getForms',
	name: 'Get Forms',
	action: 'Get many forms',
	description: 'List the forms of your account',
	fields: [returnAllField, limitField],
	start(context, service, hint) {
		const limitHint = new LimitHint(context, 'forms');
		hint((outputItems) => limitHint.text(outputItems));
		return {
			async execute(itemIndex) {
				const limit = readLimit(context, itemIndex);
				const forms = await service.forms(await service.account(itemIndex));
				const returned = forms.slice(0, limit);
				if (returned.length < forms.length) {
					limitHint.add({ returned: returned.length, total: forms.length });
				}
				return returned;
			},
		};
	},
};
