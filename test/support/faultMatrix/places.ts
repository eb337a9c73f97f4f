import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { FormCollection } from '../../../nodes/FormCollection/FormCollection.node';
import { execute, loadOptions, testCredential } from '../engine';
import { byId } from '../formCollection';
import { Poller } from '../poller';

/** What a user sees of the service at a place, and how much came of it. */
export interface Seen {
	message: string;
	/** The last line of the error of an item that was to be submitted */
	outcome?: string;
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

export const OK = 'It works';

const { listSearch, resourceMapping } = new FormCollection().methods;

const operation =
	(parameters: INodeParameters): Place =>
	async () =>
	async (credentials, options) => {
		const { items, error, run } = await execute({
			parameters: { formId: byId('f1'), options, ...parameters },
			credentials,
		});
		return { message: error?.message ?? OK, output: items.length, everything: [run, error] };
	};

/** As an item: its error says what is known of the submission. */
const submission: Place = async () => async (credentials, options) => {
	const { items, failed, run } = await execute({
		parameters: {
			operation: 'createResponse',
			formId: byId('f1'),
			answersInput: 'json',
			answersJson: '{"a":"b"}',
			options,
		},
		credentials,
		node: { onError: 'continueErrorOutput' },
	});
	const [message = OK, ...more] = failed.flatMap(({ json }) => String(json.error).split('\n'));
	const outcome = more.at(-1)?.replace('Outcome: ', '') ?? 'created';
	return { message, outcome, output: items.length, everything: run };
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
		(everything) => ({ message: OK, output: everything.length, everything }),
		(error: Error) => ({ message: error.message, output: 0, everything: error }),
	);
}

const trigger: Place = async (healthy, submit) => {
	// n8n reads the credential anew for each poll, but not the parameters.
	const credentials = { ...healthy };
	const parameters = { formId: byId('f1'), options: { timeout: 10 } };
	const poller = new Poller('classic', { parameters, credentials });
	await poller.activate();
	submit();
	return async (others) => {
		Object.assign(credentials, others);
		const result = await seen(poller.tick());
		return { ...result, everything: [result.everything, poller.saved] };
	};
};

const credentialTest: Place = async () => async (credentials) => {
	const { status, message } = await testCredential(credentials);
	const isOk = status === 'OK';
	return { message: isOk ? OK : message, output: Number(isOk), everything: message };
};

export const places: Record<string, Place> = {
	'Get Forms': operation({ operation: 'getForms' }),
	'Get Responses': operation({ operation: 'getResponses' }),
	'Create Response': submission,
	'Form list': editor(async (context) => (await listSearch.searchForms.call(context)).results),
	Questions: editor(async (context) => (await resourceMapping.getQuestions.call(context)).fields),
	Trigger: trigger,
	'Credential test': credentialTest,
};
