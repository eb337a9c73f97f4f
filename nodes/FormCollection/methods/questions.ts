import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { formIdOf } from '../actions/formLocator';
import { connect } from '../transport/client';
import { InvalidInput, toNodeError } from '../transport/errors';
import type { ResponseRecord } from '../transport/records';
import { isRecord } from '../transport/records';

/** The rows of the answers mapping: the question keys in the past responses of the chosen form. */
export async function getQuestions(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		const formId = formIdOf(this.getCurrentNodeParameter('formId'));
		if (formId === undefined) {
			throw new InvalidInput('No form is chosen: pick one in the field Form first');
		}
		const service = connect(this);
		const account = await service.account(0);
		const { result: keys = [] } = await service.responses(account, formId, collectQuestions);
		return {
			fields: keys.map((key) => ({
				id: key,
				displayName: key,
				required: false,
				defaultMatch: false,
				canBeUsedToMatch: false,
				display: true,
				// No type: n8n would turn lists and numbers into text of its own making.
			})),
		};
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

/** Where this many responses in a row have no other question, few others are left to be found. */
const ENOUGH_WITHOUT_NEW = 20_000;

/** Each key once, in the order in which they are first seen, until nothing new comes for long. */
export function collectQuestions() {
	const keys = new Set<string>();
	let withoutNew = 0;
	return {
		add({ answers }: ResponseRecord): boolean {
			const known = keys.size;
			if (isRecord(answers)) Object.keys(answers).forEach((key) => keys.add(key));
			withoutNew = keys.size > known ? 0 : withoutNew + 1;
			return withoutNew < ENOUGH_WITHOUT_NEW;
		},
		result: () => [...keys],
	};
}
