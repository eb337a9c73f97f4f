import type { IDataObject } from 'n8n-workflow';
import { Options } from '../../parameters/fields';
import { fromChoiceText, toForm } from '../../parameters/formLocator';
import { toBoolean, toCount, toText } from '../../parameters/values';
import {
	type Compared,
	comparedText,
	ExistingResponses,
} from '../../submissions/existingResponses';
import { SubmissionLog } from '../../submissions/submissionLog';
import type { Account } from '../../transport/account';
import { InvalidInput, type ServiceError } from '../../transport/errors';
import { type Answers, copyOf } from '../../transport/records';
import { cancelSignalOf } from '../../transport/request';
import { counted, isTool, listOf } from '../hints';
import type { Handler, Item, Operation, Run } from '../operation';
import { createResponseFields, DEFAULT_PARALLEL_REQUESTS } from './fields';
import { answersReader, type ReadAnswers } from './readAnswers';

interface Input extends ReadAnswers, Omit<Compared, 'account'> {
	/** Of the item in the submission log */
	key: string;
	skipExisting: boolean;
	parallelRequests: number;
}

export const createResponse: Operation<Input> = {
	value: 'createResponse',
	name: 'Create Response',
	action: 'Create a response',
	description: 'Submit a response to a form for each input item',
	builderHint: {
		propertyHint:
			'Each input item is one request. For more items than the plan of the account allows per hour (100 on Free, 1,000 on Pro), put Loop Over Items before this node and Wait (one hour) after it.',
	},
	fields: createResponseFields,
	isSubmission: true,
	reader(context) {
		const log = new SubmissionLog(context, isTool(context));
		const readAnswers = answersReader(context);
		return (itemIndex) => {
			const form = toForm(context.getNodeParameter('formId', itemIndex));
			const key = log.keyOf(itemIndex, form.id);
			const options = new Options(context.getNodeParameter('options', itemIndex));
			const read = readAnswers(itemIndex, form.id, options);
			return { ...read, form, key, ...readSettings(options, read.answers) };
		};
	},
	async start(run) {
		const handler = new CreateResponseHandler(run);
		await handler.begin();
		return handler;
	},
};

/** @throws InvalidInput for an item that has none of the answers to match on, among others */
function readSettings(options: Options, answers: Answers) {
	const skipExisting = toBoolean('Skip Existing', options.get('skipExisting', false));
	const matchOn = skipExisting ? readMatchOn(options) : [];
	if (matchOn.length > 0 && comparedText(answers, matchOn) === undefined) {
		throw new InvalidInput(
			`No answer to ${listOf(matchOn)}, which Match On compares: fill it in, or remove the item`,
		);
	}
	const parallel = options.get('parallelRequests', DEFAULT_PARALLEL_REQUESTS);
	const parallelRequests = toCount('Parallel Requests', parallel);
	return { skipExisting, matchOn, parallelRequests, timeoutMs: options.timeoutMs };
}

/** A list of question keys, or a text with commas between them */
function readMatchOn(options: Options): string[] {
	const value = options.get('matchOn', []);
	const parts = Array.isArray(value)
		? value.map((part) => fromChoiceText(toText('Match On', part)))
		: toText('Match On', value)
				.split(',')
				.map((part) => part.trim());
	const keys = parts.filter((key) => key.trim() !== '');
	const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
	if (keys.length > 0 || isEmpty) return [...new Set(keys)];
	throw new InvalidInput(
		'Match On has an expression that returns no question: make it return question keys',
	);
}

class CreateResponseHandler implements Handler<Input> {
	readonly parallel: number;

	private readonly log: SubmissionLog;

	private readonly existing: ExistingResponses;

	private readonly counts = { created: 0, earlier: 0, existing: 0, cameBack: 0 };

	constructor(private readonly run: Run<Input>) {
		const { context, client, items } = run;
		this.parallel = items[0]?.input.parallelRequests ?? 1;
		this.log = new SubmissionLog(context, isTool(context));
		const compared = items
			.filter(({ input }) => input.skipExisting)
			.map(({ input, account }) => ({ ...input, account }));
		this.existing = new ExistingResponses(client, this.log, compared);
	}

	async begin(): Promise<void> {
		await this.existing.takeTurns(cancelSignalOf(this.run.context));
	}

	end(): void {
		this.existing.giveTurnsBack();
	}

	async execute({ itemIndex, input, account }: Item<Input>): Promise<IDataObject[]> {
		const { key, form, skipExisting } = input;
		const entry = this.log.find(key);
		if (entry?.reply !== undefined) {
			this.counts.earlier++;
			return [copyOf(entry.reply)];
		}
		if (this.log.hasComeBack(itemIndex)) {
			this.counts.cameBack++;
			return [];
		}
		const submit = async () => {
			if (entry !== undefined) throw this.log.recordedError(entry);
			return await this.submit(input, account);
		};
		const reply = skipExisting
			? await this.existing.submitUnlessFound({ ...input, account }, submit)
			: await submit();
		this.log.stored(key, form.id, reply);
		if (reply.skipped === true) this.counts.existing++;
		else this.counts.created++;
		return [copyOf(reply)];
	}

	hints() {
		const { earlier, existing, cameBack } = this.counts;
		const inputs = this.run.items.map(({ input }) => input);
		const leftOut = new Set(inputs.flatMap((input) => input.leftOut ?? []));
		const allSent = new Set(inputs.flatMap((input) => input.allSent ?? []));
		return [
			earlier > 0
				? `${counted(earlier, 'item')} submitted by an earlier try: not sent again`
				: undefined,
			existing > 0
				? `Skipped ${counted(existing, 'item')} that match a response of the form`
				: undefined,
			cameBack > 0
				? `Left out ${counted(cameBack, 'item')} with an unknown outcome: may be stored already`
				: undefined,
			leftOut.size > 0 ? `Not sent (no such question): ${listOf(leftOut)}` : undefined,
			allSent.size > 0 ? `Sent all fields (no question is known): ${listOf(allSent)}` : undefined,
		];
	}

	progress(): string[] {
		const { created, earlier, existing } = this.counts;
		const done = created + earlier;
		const { items } = this.run;
		const isSafe = done === 0 || items.every(({ input }) => input.skipExisting);
		if (items.length === 1) return [];
		return [
			`${done} of ${counted(items.length, 'response')} were created.`,
			existing > 0 ? `Skipped ${counted(existing, 'item')}.` : '',
			isSafe
				? ''
				: 'Turn on Skip Existing before you run the workflow again, and set Match On if an answer changes each time.',
		];
	}

	private async submit(input: Input, account: Account) {
		const { key, form, answers, timeoutMs } = input;
		const { client } = this.run;
		this.log.begin(key, form.id);
		return await client
			.createResponse(account, form, answers, timeoutMs)
			.catch((error: ServiceError) => {
				this.log.failed(key, form.id, error);
				if (error.details.outcome === 'unknown') this.existing.forget();
				throw error;
			});
	}
}
