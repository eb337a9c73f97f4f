import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { FormCollection } from '../../../nodes/FormCollection/FormCollection.node';
import { execute, loadOptions, testCredential } from '../engine';
import { byId } from '../formCollection';
import { Poller } from '../poller';

/** What a user sees of the service at a place, and how much came of it. */
export interface Seen {
	sentence: string;
	output: number;
	/** All that n8n may show or save, to search it for the key */
	everything: unknown;
}

type Visit = (
	credentials: ICredentialDataDecryptedObject,
	options: { timeout?: number },
) => Promise<Seen>;

/** Goes to a place where all is well so far; the result meets what comes then. */
type Place = (healthy: ICredentialDataDecryptedObject, submit: () => void) => Promise<Visit>;

const OK = 'It works';

const { listSearch, resourceMapping } = new FormCollection().methods;

const operation =
	(parameters: INodeParameters): Place =>
	async () =>
	async (credentials, options) => {
		const { items, error, run } = await execute({
			parameters: { formId: byId('f1'), options, ...parameters },
			credentials,
		});
		return { sentence: error?.message ?? OK, output: items.length, everything: [run, error] };
	};

/** A node that has questions already. */
const editing = {
	operation: 'createResponse',
	formId: byId('f1'),
	answersMapping: { schema: [{ id: 'a' }] },
} as unknown as INodeParameters;

/** @param pick gives as many choices as there are */
const editor =
	(pick: (context: ReturnType<typeof loadOptions>) => Promise<unknown[]>): Place =>
	async () =>
	async (credentials) =>
		await seen(pick(loadOptions({ parameters: editing, credentials })));

async function seen(result: Promise<unknown[]>): Promise<Seen> {
	return await result.then(
		(everything) => ({ sentence: OK, output: everything.length, everything }),
		(error: Error) => ({ sentence: error.message, output: 0, everything: error }),
	);
}

let workflows = 0;

const trigger: Place = async (credentials, submit) => {
	// n8n skips nothing of other workflows: these all poll at once.
	const workflowId = `workflow ${++workflows}`;
	const poller = new Poller('scheduler', {
		workflowId,
		parameters: { formId: byId('f1'), options: {} },
		credentials,
	});
	await poller.activate();
	submit();
	return async (others, options) => {
		poller.test = {
			workflowId,
			parameters: { formId: byId('f1'), options },
			credentials: others,
		};
		const result = await seen(poller.tick());
		return { ...result, everything: [result.everything, poller.state] };
	};
};

const credentialTest: Place = async () => async (credentials) => {
	const { status, message } = await testCredential(credentials);
	return { sentence: message, output: Number(status === 'OK'), everything: message };
};

export const places: Record<string, Place> = {
	'Get Forms': operation({ operation: 'getForms' }),
	'Get Responses': operation({ operation: 'getResponses' }),
	'Create Response': operation({
		operation: 'createResponse',
		answersInput: 'json',
		answersJson: '{"a":"b"}',
	}),
	'Form list': editor(async (context) => (await listSearch.searchForms.call(context)).results),
	Questions: editor(async (context) => (await resourceMapping.getQuestions.call(context)).fields),
	Trigger: trigger,
	'Credential test': credentialTest,
};
