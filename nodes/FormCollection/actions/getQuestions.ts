import { collectQuestions, type Question } from '../responses/questions';
import { accountFormKey } from '../transport/account';
import type { ReadReply } from '../transport/client';
import { copyOf } from '../transport/records';
import { formField, readFormId } from '../parameters/fields';
import { formatted } from './hintText';
import type { Operation } from './operation';
import { SharedRequestHint } from './sharedRequestHint';

export const getQuestions: Operation = {
	value: 'getQuestions',
	name: 'Get Questions',
	action: "Get a form's questions",
	description: 'List the questions of a form, as seen in its past responses',
	fields: [formField],
	start(context, service, addHint) {
		const reads = new Map<string, Promise<ReadReply<Question[]>>>();
		const sharedHint = new SharedRequestHint('question');
		let unknown = 0;
		addHint(() => sharedHint.text());
		addHint(() => unknownHint(unknown));
		return {
			async execute(itemIndex) {
				const formId = readFormId(context, itemIndex);
				const account = await service.account(itemIndex);
				const read = async () => await service.responses(account, formId, () => collectQuestions());
				const key = accountFormKey(account, formId);
				const reading = reads.get(key) ?? read();
				reads.set(key, reading);
				const { result: questions = [], isPartial } = await reading;
				const { length: returned } = questions;
				if (returned === 0 && !isPartial) unknown++;
				sharedHint.add({ request: key, query: '', returned });
				// Items share no objects, because nodes may change those they get.
				return questions.map((question) =>
					copyOf({ ...question, multipleChoice: question.multipleChoice === true }),
				);
			},
		};
	},
};

function unknownHint(count: number): string | undefined {
	if (count === 0) return undefined;
	if (count === 1) return 'The form has no answers yet, so its questions are not known';
	return `For ${formatted(count)} items the form has no answers yet, so its questions are not known`;
}
