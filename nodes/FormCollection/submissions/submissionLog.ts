import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { type ErrorDetails, ServiceError } from '../transport/errors';

/** What became of one submission. n8n saves it with the execution: a format to be read for ever. */
interface Entry {
	/** The reply of the service, if it created the response */
	response?: IDataObject;
	/** The error of a submission whose outcome is unknown */
	unknown?: ErrorDetails;
}

/** The last line of a failed item, by which a workflow tells an unknown outcome from a refusal. */
export const OUTCOME_LINES = {
	created: 'Outcome: created',
	refused: 'Outcome: refused',
	neverSent: 'Outcome: not sent',
	unknown: 'Outcome: unknown',
} as const;

const ENDED_WHILE_SENDING: ErrorDetails = {
	message:
		'The execution ended before the service answered: check whether the response was stored before you send it again',
	outcome: 'unknown',
};

/**
 * What this execution has submitted so far.
 *
 * n8n runs a node again with all its items for Retry On Fail and for a failed execution that is
 * retried, but keeps what the node saved with the execution. A submission is known by what is the same
 * in each try: credential, form, run, item index and input item. Its answers are not: n8n evaluates
 * their expressions anew.
 */
export function openSubmissionLog(context: IExecuteFunctions) {
	const saved = context.getContext('node') as { submitted?: Record<string, Entry> };
	const entries = (saved.submitted ??= {});
	const items = context.getInputData();
	const credentialId = context.getNode().credentials?.formCollectionApi?.id ?? '';
	const runIndex = String(context.evaluateExpression('{{ $runIndex }}', 0));
	// n8n gives each try of a tool a run index of its own. Before 2.41 only the node type tells a tool.
	const isTool =
		(context as Partial<IExecuteFunctions>).isToolExecution?.() ??
		context.getNode().type.endsWith('Tool');

	return {
		/** The entry of one input item that is submitted to a form. */
		entryOf(itemIndex: number, formId: string) {
			const { error: failure, ...json } = items[itemIndex]?.json ?? {};
			// Without `error`, which the error output adds to an item.
			const id = hashOf(JSON.stringify([credentialId, formId]) + textOf(json));
			const key = isTool ? id : `${runIndex}:${itemIndex}:${id}`;
			return {
				/** The reply, if the response was created already. A tool that is called again is meant to submit again. */
				previousResponse: () => (isTool ? undefined : entries[key]?.response),

				/** The error, if an earlier try ended with an unknown outcome */
				unknownOutcome(): ServiceError | undefined {
					const details = entries[key]?.unknown;
					return details && new ServiceError(details, true);
				},

				/** Whether the item has come back from the error output with an unknown outcome. */
				hasComeBack: () =>
					typeof failure === 'string' &&
					failure.endsWith(OUTCOME_LINES.unknown) &&
					Object.keys(entries).some(
						(other) => other.endsWith(id) && entries[other]?.unknown !== undefined,
					),

				/** Before the request: n8n may save the execution and end while it is under way. */
				begin(): void {
					entries[key] = { unknown: ENDED_WHILE_SENDING };
				},

				created(response: IDataObject): void {
					entries[key] = { response };
				},

				/** @returns the error itself */
				failed(error: unknown): unknown {
					const details = error instanceof ServiceError ? error.details : undefined;
					if (details?.outcome === 'refused' || details?.outcome === 'neverSent') {
						Reflect.deleteProperty(entries, key);
					} else {
						entries[key] = { unknown: details ?? ENDED_WHILE_SENDING };
					}
					return error;
				},
			};
		},

		/** What all tries of this run have come to. */
		ofThisRun() {
			let created = 0;
			const failed: { itemIndex: number; error: ServiceError }[] = [];
			for (const [key, { response, unknown }] of Object.entries(entries)) {
				const [run, itemIndex] = key.split(':');
				if (run !== runIndex) continue;
				if (response !== undefined) created++;
				if (unknown === undefined) continue;
				failed.push({ itemIndex: Number(itemIndex), error: new ServiceError(unknown, true) });
			}
			return { created, failed };
		},

		/** The ids of the responses that stand for items of this execution, in whatever run */
		responseIds: (): Set<unknown> =>
			new Set(
				Object.values(entries).flatMap(({ response }) => (response ? [response.response_id] : [])),
			),
	};
}

export type SubmissionLog = ReturnType<typeof openSubmissionLog>;

function textOf(json: IDataObject): string {
	try {
		return JSON.stringify(json);
	} catch {
		// Circular, or nested too deeply.
		return Object.keys(json).join();
	}
}

/** 64 bits: FNV-1a with two seeds. */
function hashOf(text: string): string {
	return [0x811c9dc5, 0x9dc5811c]
		.map((seed) => {
			let hash = seed;
			for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
			return (hash >>> 0).toString(36);
		})
		.join('-');
}
