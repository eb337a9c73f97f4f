import { accountKey } from '../transport/account';
import { limitField, readLimit, returnAllField } from '../parameters/fields';
import type { Operation } from './operation';
import { LimitHint } from './limitHint';
import { SharedRequestHint } from './sharedRequestHint';

export const getForms: Operation = {
	value: 'getForms',
	name: 'Get Forms',
	action: 'Get many forms',
	description: 'List the forms of your account',
	fields: [returnAllField, limitField],
	start(context, service, addHint) {
		const limitHint = new LimitHint(context, 'forms');
		const sharedHint = new SharedRequestHint('form');
		addHint(() => sharedHint.text());
		addHint((outputItems) => limitHint.text(outputItems));
		let hasForms = false;
		let hasReadNone = false;
		addHint(() => {
			const isSure = hasReadNone && !hasForms && service.hints().length === 0;
			return isSure ? 'The account of the API key has no forms yet' : undefined;
		});
		return {
			async execute(itemIndex) {
				const limit = readLimit(context, itemIndex);
				const account = await service.account(itemIndex);
				const forms = await service.forms(account);
				if (forms.length > 0) hasForms = true;
				else hasReadNone = true;
				const returned = forms.slice(0, limit);
				sharedHint.add({
					request: accountKey(account),
					query: String(limit),
					returned: returned.length,
				});
				if (returned.length < forms.length) {
					limitHint.add({ returned: returned.length, total: forms.length });
				}
				return returned;
			},
		};
	},
};
