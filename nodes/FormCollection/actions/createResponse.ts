import type { IExecuteFunctions } from 'n8n-workflow';
import { ExistingResponses } from '../submissions/existingResponses';
import type { Submission } from '../submissions/submission';
import { SubmissionLog } from '../submissions/submissionLog';
import { submitOnce } from '../submissions/submitOnce';
import type { Account } from '../transport/account';
import { DEFAULT_TIMEOUT_MS } from '../transport/client';
import { hasId } from '../transport/records';
import {
	answersFields,
	enteredKeys,
	ifTheFormHasThem,
	listOf,
	otherFieldsChoices,
	readAnswerOptions,
	readAnswers,
	refuseOtherFields,
} from './answersInput';
import { formField, readFormId, readOptions, readTimeout, timeoutField } from './fields';
import { knownQuestions } from './mapping';
import { readMatchOn, refuseUnknown } from './matchOn';
import { optionOf, toBoolean, toWholeNumber } from './parameters';
import type { Operation } from './action';

const DEFAULT_PARALLEL_REQUESTS = 10;

export const createResponse: Operation = {
	value: 'createResponse',
	name: 'Create Response',
	action: 'Create a response',
	description: 'Submit a response to a form for each input item',
	builderHint: {
		propertyHint:
			'Each input item is one request. For more items than the plan of the account allows per hour (100 on Free, 1,000 on Pro), put Loop Over Items before this node and Wait (one hour) after it.',
	},
	fields: [
		formField,
		...answersFields,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Match On Names or IDs',
					name: 'matchOn',
					type: 'multiOptions',
					typeOptions: {
						loadOptionsMethod: 'getQuestionKeys',
						loadOptionsDependsOn: ['formId.value'],
					},
					default: [],
					description:
						'For Skip Existing: the questions whose answers are compared, such as the email address. An item that answers none of them is compared by all its answers. Leave empty to compare all answers. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
					displayOptions: {
						show: { skipExisting: [{ _cnd: { exists: true } }] },
						hide: { skipExisting: [false] },
					},
				},
				{
					displayName: 'Other Fields',
					name: 'otherFields',
					type: 'options',
					default: 'leaveOut',
					options: otherFieldsChoices,
					description:
						'For Map Automatically: what to do with fields that match no question of the form',
					displayOptions: {
						hide: {
							'/answersInput': ['json', 'keyValue'],
							'/answersMapping.mappingMode': ['defineBelow'],
						},
					},
				},
				{
					displayName: 'Parallel Requests',
					name: 'parallelRequests',
					type: 'number',
					typeOptions: { minValue: 1 },
					default: DEFAULT_PARALLEL_REQUESTS,
					description:
						'How many responses to send at the same time. Choose 1 to create them in the order of the items.',
				},
				{
					displayName: 'Skip Existing',
					name: 'skipExisting',
					type: 'boolean',
					// What the option has when somebody adds it. As long as it is not added, nothing is skipped.
					default: true,
					description:
						'Whether to skip items whose answers the form already has. Uses one extra request.',
					builderHint: {
						propertyHint:
							'Set to true in imports, so that the workflow can be run again without submitting a row twice',
					},
				},
				{
					displayName: 'Split Multiple Choice At',
					name: 'splitMultipleAt',
					type: 'string',
					default: '',
					placeholder: 'e.g. ;',
					description:
						'Text between the options of a multiple-choice answer, e.g. the comma in "Sales, Support". Leave empty to send text as it is.',
					displayOptions: { hide: { '/answersInput': ['json', 'keyValue'] } },
				},
				timeoutField,
			],
		},
	],
	parallelRequests(context) {
		try {
			return Number(
				optionOf(readOptions(context, 0), 'parallelRequests', DEFAULT_PARALLEL_REQUESTS),
			);
		} catch {
			// That item ends with an error message of its own.
			return DEFAULT_PARALLEL_REQUESTS;
		}
	},
	isSubmission: true,
	start(context, service, hint) {
		const counts = { now: 0, earlier: 0, existing: 0, cameBack: 0, withoutId: 0 };
		const total = context.getInputData().length;
		hint(() => earlierHint(counts.earlier, total));
		hint(() => existingHint(counts.existing));
		hint(() => cameBackHint(counts.cameBack));
		hint(() => withoutIdHint(counts.withoutId));
		const log = new SubmissionLog(context);
		let accounts: Promise<(Account | Error)[]> | undefined;
		let timeoutMs: number | undefined;
		const existing = new ExistingResponses(
			context,
			service,
			log,
			() => (timeoutMs ??= longestTimeout(context)),
		);
		const questions = knownQuestions(context.getNode());
		let allEntered: ReadonlySet<string> | undefined;
		const isEntered = (key: string) => (allEntered ??= enteredKeys(context, questions)).has(key);
		const leftOut = new Set<string>();
		hint(() => leftOutHint([...leftOut]));
		let isAllSent = false;
		hint(() => (isAllSent ? ALL_SENT : undefined));
		if (!context.continueOnFail()) refuseOtherFields(context, questions);

		const prepare = async (itemIndex: number, formId: string) => {
			service.throwIfStopped();
			const account = (await (accounts ??= service.accounts(total)))[itemIndex];
			if (account === undefined || account instanceof Error) throw account;
			const options = readCreateOptions(context, itemIndex);
			const read = readAnswers(context, itemIndex, options, questions);
			const { answers, entered, others } = read;
			others.forEach((name) => leftOut.add(name));
			if (read.isAllSent) isAllSent = true;
			const matchOn = options.skipExisting ? readMatchOn(options.matchOn, entered, questions) : [];
			const checkMatchOn = (known: ReadonlySet<string>) =>
				refuseUnknown(matchOn, (key) => known.has(key) || entered.has(key) || isEntered(key));
			return { account, formId, answers, matchOn, checkMatchOn, options };
		};
		const execute = async (itemIndex: number) => {
			const formId = readFormId(context, itemIndex);
			let submission: Submission | undefined;
			type Prepared = Awaited<ReturnType<typeof prepare>>;
			const findExisting = async (prepared: Prepared, mayBeNew: boolean) => {
				if (!prepared.options.skipExisting) return undefined;
				submission = await existing.begin(prepared);
				return await submission.claim(mayBeNew);
			};
			const send = async (prepared: Prepared) => {
				const { account, answers, options } = prepared;
				const create = async () =>
					await service.createResponse(account, formId, answers, options.timeoutMs);
				return await existing.send(prepared, create, submission);
			};
			const track = async <Result>(submitting: Promise<Result>) => await existing.track(submitting);
			try {
				const submitted = await submitOnce(
					log.entryOf(itemIndex, formId),
					async () => await prepare(itemIndex, formId),
					{ findExisting, send, track },
				);
				counts[submitted.how]++;
				if (submitted.how === 'cameBack') return [];
				if (submitted.how !== 'existing' && !hasId(submitted.response)) counts.withoutId++;
				return [submitted.response];
			} finally {
				submission?.end();
			}
		};
		const report = () => {
			const { created, failed } = log.ofThisRun();
			return { progress: `${created} of ${total} responses were created`, failed };
		};
		return { execute, report };
	},
};

function readCreateOptions(context: IExecuteFunctions, itemIndex: number) {
	const options = readOptions(context, itemIndex);
	toWholeNumber(
		'Parallel Requests',
		optionOf(options, 'parallelRequests', DEFAULT_PARALLEL_REQUESTS),
	);
	return {
		skipExisting: toBoolean('Skip Existing', optionOf(options, 'skipExisting', false)),
		matchOn: optionOf(options, 'matchOn', []),
		...readAnswerOptions(options),
		timeoutMs: readTimeout(options),
	};
}

/** Of all items that may share the request for the responses of a form. */
function longestTimeout(context: IExecuteFunctions): number {
	let longest = 0;
	for (const itemIndex of context.getInputData().keys()) {
		try {
			const timeoutMs = readTimeout(readOptions(context, itemIndex)) ?? DEFAULT_TIMEOUT_MS;
			longest = Math.max(longest, timeoutMs);
		} catch {
			// That item ends with an error message of its own.
		}
	}
	return longest;
}

function earlierHint(count: number, total: number): string | undefined {
	if (count === 0) return undefined;
	const were = count === 1 ? 'was' : 'were';
	return `${count} of ${total} items ${were} submitted by an earlier try and ${were} not sent again`;
}

function existingHint(count: number): string | undefined {
	if (count === 0) return undefined;
	const items = count === 1 ? 'item' : 'items';
	return `Skipped ${count} ${items}: already in the form`;
}

function cameBackHint(count: number): string | undefined {
	if (count === 0) return undefined;
	return `${count} ${count === 1 ? 'item' : 'items'} came back from the error output with an unknown outcome and may be stored already: not sent again, and left out of the output`;
}

function withoutIdHint(count: number): string | undefined {
	if (count === 0) return undefined;
	const were =
		count === 1 ? 'response: it was created, and is' : 'responses: they were created, and are';
	return `The service gave no response_id for ${count} ${were} not sent again`;
}

function leftOutHint(names: string[]): string | undefined {
	if (names.length === 0) return undefined;
	// n8n shows hints as HTML.
	const listed = listOf(names).replace(/[<>&]/g, ' ');
	return `Left out, because they are not among the questions that this node has loaded: ${listed}. ${ifTheFormHasThem}. To send all fields, set Other Fields under Options to Send`;
}

const ALL_SENT =
	'All fields were sent, because the questions of a form that comes from an expression are not known. Remove fields that are no answers before this node';
