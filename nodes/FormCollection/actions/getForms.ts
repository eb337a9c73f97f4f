import { limitField, readLimit, returnAllField } from '../parameters/fields';
import { copyOf } from '../transport/records';
import { counted, PARTIAL_HINT, SharedReads } from './hints';
import type { Operation } from './operation';

export const getForms: Operation<{ limit: number }> = {
	value: 'getForms',
	name: 'Get Forms',
	action: 'Get many forms',
	description: 'List the forms of your account',
	fields: [returnAllField, limitField],
	reader: (context) => (itemIndex) => ({ limit: readLimit(context, itemIndex) }),
	start({ client }) {
		const reads = new SharedReads<Awaited<ReturnType<typeof client.forms>>>();
		let limitHint: string | undefined;
		let isPartial = false;
		return {
			async execute({ account, input: { limit } }) {
				const { result: list } = await reads.get(
					account.key,
					async () => await client.forms(account),
				);
				isPartial ||= list.isPartial;
				if (list.result.length > limit) {
					limitHint = `Returned ${limit} of ${counted(list.result.length, 'form')}: raise Limit for more`;
				}
				return list.result.slice(0, limit).map(copyOf);
			},
			hints: () => [reads.hint(), limitHint, isPartial ? PARTIAL_HINT : undefined],
		};
	},
};
