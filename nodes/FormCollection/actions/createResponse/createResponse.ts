import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { refuseApiKey } from '../../responses/answers';
import { ExistingResponses } from '../../submissions/existingResponses';
import type { Submission } from '../../submissions/submission';
import { SubmissionLog } from '../../submissions/submissionLog';
import { earlierSubmission, submitOnce } from '../../submissions/submitOnce';
import { type Account, isSameForAllItems } from '../../transport/account';
import { accountAt } from '../../transport/accounts';
import type { ServiceClient } from '../../transport/client';
import { join, ServiceError } from '../../transport/errors';
import type { AddHint, Operation, OperationRun, RunReport } from '../operation';
import { answersFields, otherFieldsChoices, refuseOtherFields } from './answersInput';
import { CreateResponseHints } from './createResponseHints';
import { CreateResponseItems, DEFAULT_PARALLEL_REQUESTS } from './createResponseItems';
import { formField, optionsField, readOptions, readTimeout } from '../../parameters/fields';
import { formatted } from '../hintText';
import { type SavedQuestions, savedQuestions } from './mapping';
import { readMatchOn, refuseUnknown } from './matchOn';
import { optionOf } from '../../parameters/values';

/** When n8n executes the items again: after this many that fail without having been stored, it ends. */
const MOST_FAILED = 20;

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
		optionsField(
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
		),
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
	async start(context, service, addHint) {
		const run = new CreateResponseRun(context, service, addHint);
		await run.begin();
		return run;
	},
};

/** What all items of one run share, and what is done for each of them. */
class CreateResponseRun implements OperationRun {
	private readonly total: number;

	private readonly log: SubmissionLog;

	private readonly existing: ExistingResponses;

	private readonly questions: SavedQuestions;

	private readonly hints: CreateResponseHints;

	private accounts: Promise<(Account | Error)[]> | undefined;

	/** The credential has an expression. */
	private hasOtherAccounts = false;

	private longestTimeoutMs: number | undefined;

	/** Of the last item: hardly anybody sets it for some items only */
	private skipsExisting: boolean;

	private isFurtherTry = false;

	private release: () => void = () => undefined;

	/** In a further try: items that have failed without having been stored */
	private failed = 0;

	private readonly items: CreateResponseItems;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly service: ServiceClient,
		addHint: AddHint,
	) {
		this.total = context.getInputData().length;
		// First: it takes the fingerprints of the items before an expression may change them.
		this.log = new SubmissionLog(context);
		this.existing = new ExistingResponses(
			context,
			service,
			this.log,
			() => (this.longestTimeoutMs ??= longestTimeout(context)),
		);
		const options = context.getNode().parameters.options as IDataObject | undefined;
		this.skipsExisting = options?.skipExisting === true;
		this.questions = savedQuestions(context.getNode());
		this.items = new CreateResponseItems(context, this.log, this.questions);
		this.hints = new CreateResponseHints(this.total, this.questions, addHint);
		if (!context.continueOnFail()) refuseOtherFields(context, this.questions);
	}

	async begin(): Promise<void> {
		const { release, taken } = await this.log.begin(this.context.getExecutionCancelSignal());
		this.release = release;
		this.existing.leaveOut(taken);
		this.isFurtherTry = this.log.hasAny();
	}

	end(): void {
		this.release();
	}

	async execute(itemIndex: number): Promise<IDataObject[]> {
		let formId: string;
		try {
			formId = this.items.formIdOf(itemIndex);
		} catch (error) {
			return this.outputWithoutForm(itemIndex, error);
		}
		let submission: Submission | undefined;
		type Prepared = Awaited<ReturnType<typeof this.prepare>>;
		const findExisting = async (prepared: Prepared, mayBeNew: boolean) => {
			if (!prepared.options.skipExisting) return undefined;
			submission = await this.existing.begin(prepared);
			return await submission.claim(mayBeNew);
		};
		const send = async (prepared: Prepared) => {
			const { account, answers, options } = prepared;
			const create = async () =>
				await this.service.createResponse(account, formId, answers, options.timeoutMs);
			const response = await this.existing.send(prepared, create, submission);
			this.hints.addSent(prepared.read);
			return response;
		};
		const entry = this.log.entryOf(itemIndex, formId);
		const beforeSubmission = async () => await this.service.beforeSubmission();
		const track = async <Result>(submitting: Promise<Result>) =>
			await this.existing.track(submitting);
		try {
			const submitted = await submitOnce(entry, async () => await this.prepare(itemIndex, formId), {
				findExisting,
				beforeSubmission,
				send,
				track,
			});
			this.hints.count(submitted);
			return submitted.how === 'cameBack' ? [] : [submitted.response];
		} finally {
			submission?.release();
		}
	}

	/**
	 * n8n 2.41 evaluates no more expressions in an execution once one of them has used up their memory: without
	 * its form, an item must not pass for one that was not sent if an earlier try has sent it.
	 */
	private outputWithoutForm(itemIndex: number, error: unknown): IDataObject[] {
		const entry = this.log.ofItem(itemIndex);
		const submitted = earlierSubmission(entry);
		if (submitted !== undefined) {
			this.hints.count(submitted);
			return [submitted.response];
		}
		if (this.log.hasComeBack(itemIndex)) {
			this.hints.count({ how: 'cameBack' });
			return [];
		}
		throw entry?.unknown === undefined ? error : new ServiceError(entry.unknown, true);
	}

	/**
	 * A further try must get past items that fail each time. The first try stops there, so that a mistake
	 * which all items have is not sent many times.
	 */
	continuesAfter(error: unknown): boolean {
		if (!this.isFurtherTry || !this.isAboutItem(error)) return false;
		// What cannot succeed anyway does not count, and costs no request: `isPermanent`, or a form of no use.
		const { outcome, isPermanent } = error instanceof ServiceError ? error.details : {};
		if (outcome === 'refused' || (outcome === 'neverSent' && !isPermanent)) this.failed++;
		return this.failed < MOST_FAILED;
	}

	/** Whether other items may still succeed */
	private isAboutItem(error: unknown): boolean {
		if (!(error instanceof ServiceError)) return true;
		const { outcome, httpCode, failure } = error.details;
		const isOneOf = (...codes: string[]) => httpCode !== undefined && codes.includes(httpCode);
		// Another account may have access, another address, and other limits.
		if (this.hasOtherAccounts && !isOneOf('407')) {
			return outcome === 'refused' || (outcome === 'neverSent' && failure !== undefined);
		}
		// Without a status, it is what the service says in its reply.
		if (httpCode === undefined) return outcome === 'refused';
		if (outcome === 'refused' && isOneOf('400', '409', '413', '422')) return true;
		return this.questions.isFormFromExpression && isOneOf('403', '404');
	}

	report(): RunReport {
		const { created, createdByOthers, failed } = this.log.summary();
		const unknown = failed.filter(({ error }) => error.details.isOfAnother !== true).length;
		const isSafe = created + createdByOthers + unknown === 0 || this.skipsExisting;
		const ofThisRun = `${formatted(created)} of ${formatted(this.total)} responses were created${unknown > 0 ? `, and ${formatted(unknown)} may have been` : ''}`;
		return {
			progress: join(
				'. ',
				this.total > 1 ? ofThisRun : undefined,
				createdByOthers > 0
					? `Earlier runs of this node created ${formatted(createdByOthers)}`
					: undefined,
			),
			advice: isSafe ? undefined : 'turn on Skip Existing before you run the workflow again',
			failed,
		};
	}

	private async prepare(itemIndex: number, formId: string) {
		this.service.throwIfStopped();
		const account = accountAt(await this.readAccounts(), itemIndex);
		this.hasOtherAccounts ||= !isSameForAllItems(account);
		const { options, read } = this.items.begin(itemIndex);
		this.skipsExisting = options.skipExisting;
		const { answers, entered } = read;
		refuseApiKey(answers, account.apiKey);
		this.hints.add(read);
		const matchOn = options.skipExisting
			? readMatchOn(options.matchOn, entered, this.questions)
			: [];
		const checkMatchOn = (known: ReadonlySet<string>) =>
			refuseUnknown(
				matchOn,
				(key) => known.has(key) || entered.has(key) || this.items.haveKey(key),
			);
		return { account, formId, read, answers, matchOn, checkMatchOn, options };
	}

	private async readAccounts(): Promise<(Account | Error)[]> {
		return await (this.accounts ??= this.service.accounts(this.total));
	}
}

/** Of all items that may share the request for the responses of a form. */
function longestTimeout(context: IExecuteFunctions): number {
	let longest = 0;
	for (const itemIndex of context.getInputData().keys()) {
		try {
			longest = Math.max(longest, readTimeout(readOptions(context, itemIndex)));
		} catch {
			// That item ends with an error message of its own.
		}
	}
	return longest;
}
