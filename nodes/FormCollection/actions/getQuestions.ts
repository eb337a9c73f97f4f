import type { IDataObject } from 'n8n-workflow';
import { formField, toForm } from '../parameters/formLocator';
import { collectQuestions, type Question } from '../responses/questions';
import type { ListReply } from '../transport/client';
import { copyOf } from '../transport/records';
import type { FormReference } from '../transport/request';
import { PARTIAL_HINT, SharedReads } from './hints';
import type { Operation } from './operation';

export const getQuestions: Operation<{ form: FormReference }> = {
	value: 'getQuestions',
	name: 'Get Questions',
	action: "Get a form's questions",
	description: 'List the questions of a form, as seen in its past responses',
	fields: [formField],
	reader: (context) => (itemIndex) => ({
		form: toForm(context.getNodeParameter('formId', itemIndex)),
	}),
	start({ client }) {
		const reads = new SharedReads<ListReply<Question[]>>();
		let isPartial = false;
		return {
			async execute({ account, input: { form } }) {
				const { result: list } = await reads.get(
					`${account.key} ${form.id}`,
					async () => await client.responses(account, form, collectQuestions),
				);
				isPartial ||= list.isPartial;
				return list.result.map((question) => copyOf(question) as unknown as IDataObject);
			},
			hints: () => [reads.hint(), isPartial ? PARTIAL_HINT : undefined],
		};
	},
};
