import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { connect } from '../service/client';
import { InvalidInput, toNodeError } from '../service/errors';
import type { ResponseRecord } from '../service/records';
import { isRecord } from '../service/records';

/** The rows of the answers mapping: the question keys in the past responses of the chosen form. */
export async function getQuestions(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		const formId = this.getCurrentNodeParameter('formId', { extractValue: true });
		if (typeof formId !== 'string' || formId.trim() === '') {
			throw new InvalidInput('No form is chosen: pick one in the field Form first');
		}
		const keys = questionKeys(await connect(this).responses(formId.trim()));
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

/** Each key once, in the order in which they are first seen. */
export function questionKeys(responses: ResponseRecord[]): string[] {
	const keys = new Set<string>();
	for (const { answers } of responses) {
		if (isRecord(answers)) Object.keys(answers).forEach((key) => keys.add(key));
	}
	return [...keys];
}
