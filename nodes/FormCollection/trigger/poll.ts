import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { isActivation, isRestart, tickBudgetMs } from './activation';
import { dedupeFilter, findNew, newerOf } from './dedupe';
import { forgetTriggers, keepOtherTriggers, rememberTrigger } from './otherTriggers';
import { alone, isAnotherUnderWay, isOvertaken, noteSaved } from './overlap';
import { knownState, type SavedState, savePublishing, saveState, type Source } from './savedState';
import { readSettings, type Settings } from './settings';
import { hashOf } from '../hash';
import { collectUnanswered, matcherOf } from '../responses/answerFilters';
import { collectColumns } from '../responses/table';
import type { Account } from '../transport/account';
import type { ReplyInfo } from '../transport/attempt';
import { type Collector, type ReadReply, ServiceClient } from '../transport/client';
import { InvalidInput, isTemporary, toNodeError } from '../transport/errors';
import { InputMask } from '../transport/inputMask';
import { monotonicMs } from '../transport/monotonicMs';
import type { ResponseRecord } from '../transport/records';
import type { Validators } from '../transport/replyHeaders';

/**
 * Emits the responses that are new since the last poll, in one request, which reads nothing if the
 * service says that nothing has changed.
 */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const startedAt = monotonicMs();
	if (this.getMode() === 'manual') return await pollOnce.call(this, false, startedAt);
	const isFirst = isActivation(this);
	const budgetMs = tickBudgetMs(this);
	const isScheduled = !isFirst && budgetMs !== undefined;
	if (isScheduled && isAnotherUnderWay(this, budgetMs)) return null;
	if (!isFirst && isOvertaken(this, startedAt)) return null;
	const pollNow = async () => await pollOnce.call(this, isFirst, startedAt);
	return isFirst || isScheduled ? await alone(this, startedAt, pollNow) : await pollNow();
}

async function pollOnce(
	this: IPollFunctions,
	isFirst: boolean,
	/** See `monotonicMs` */
	startedAt: number,
): Promise<INodeExecutionData[][] | null> {
	const publishedAt = Date.now();
	let isEmitted = false;
	let settings: Settings | undefined;
	let source: Source | undefined;
	if (isFirst && isRestart(this)) forgetTriggers(this);
	try {
		// All parameters before the first `await`: the end of another poll of the workflow releases what
		// n8n 2.41 evaluates expressions with.
		settings = readSettings(this);
		source = { source: settings.source };
		const service = new ServiceClient(this, 1);
		const account = await service.account(0);
		source.server = hashOf(account.baseUrl);
		const form = { settings, source, service, account, startedAt };
		const isTest = this.getMode() === 'manual';
		const items = await (isTest ? newestItem(this, form) : newItems(this, form, isFirst));
		isEmitted = items.length > 0;
		return isEmitted ? [items] : null;
	} catch (error) {
		await new InputMask(this).apply(error, 0);
		const nodeError = toNodeError(this.getNode(), error);
		// If this threw, n8n would refuse to activate for something that may be over by the next poll. At its
		// start, n8n 2.41 gives up after 15 s: the workflow then looks active, and never polls.
		const mayBeOver = isRestart(this) || (settings !== undefined && isTemporary(error));
		if (!isFirst || !mayBeOver) throw nodeError;
		if (settings && source) savePublishing(this, source, settings, publishedAt);
		this.logger.warn(
			`The first poll of "${this.getNode().name}" got nothing: ${nodeError.message}`,
		);
		return null;
	} finally {
		if (isFirst) {
			noteSaved(this, startedAt, isEmitted);
			keepOtherTriggers(this, isFirst);
		}
	}
}

/** What a poll reads, and where. */
interface PolledForm {
	settings: Settings;
	source: Source;
	service: ServiceClient;
	account: Account;
	/** See `monotonicMs` */
	startedAt: number;
}

async function newItems(
	context: IPollFunctions,
	form: PolledForm,
	isFirst: boolean,
): Promise<INodeExecutionData[]> {
	const { settings, source } = form;
	const { answerFilters, evaluatedFilters, shape } = settings;
	rememberTrigger(context, isFirst);
	const known = knownState(context, source);
	const createCollector = collectorFor(context, form, known, isFirst);
	const isSame = known?.dedupe !== undefined && known.answerFilters === answerFilters;
	const ifChangedSince = isSame ? known.validators : undefined;
	const { result, validators } = await read(context, form, createCollector, ifChangedSince);
	if (result === undefined) return [];
	const { wanted, columns } = result;

	if (!isFirst && isOvertaken(context, form.startedAt)) return [];
	// Read again after the request, because another poll may have overtaken this one.
	const latest = knownState(context, source);
	// The other poll has processed what is there; what has come since is for the next poll.
	if ((latest?.dedupe === undefined) !== (known?.dedupe === undefined)) return [];
	const { newResponses, state } = findNew(result.kept, latest?.dedupe ?? result.state?.dedupe);
	const questions = shape && [...columns.result().questions];
	const filters = { answerFilters, evaluatedFilters };
	const next = { ...source, ...filters, dedupe: state, validators, questions };
	const emitted = newResponses.filter((response) => wanted.has(response));
	const hasProcessed = newResponses.length > 0;
	saveState(context, next, { isFirst, hasProcessed, isEmitted: emitted.length > 0 });
	if (!isFirst && emitted.length > 0) {
		noteSaved(context, form.startedAt, true);
		keepOtherTriggers(context, isFirst);
	}
	return toItems(settings, emitted, columns);
}

/** @param known of this address */
function collectorFor(
	context: IPollFunctions,
	{ settings, source }: PolledForm,
	known: SavedState | undefined,
	isFirst: boolean,
) {
	const atOtherAddress =
		known === undefined ? knownState(context, { source: source.source }) : undefined;
	return ({ clockOffsetMs }: ReplyInfo) => {
		const collect = (state: SavedState | undefined) =>
			collectNew(settings, state, isFirst, clockOffsetMs);
		if (atOtherAddress === undefined) return collect(known);
		// The service may have moved, or the form may be another one that has the same ID.
		const { publishedElsewhere } = atOtherAddress;
		const anew =
			publishedElsewhere?.server === source.server
				? { ...source, revision: 0, publishedAt: publishedElsewhere?.at }
				: undefined;
		const [goingOn, startingOver] = [collect(atOtherAddress), collect(anew)];
		return {
			add(response: ResponseRecord) {
				goingOn.add(response);
				startingOver.add(response);
			},
			result: () => (goingOn.isOfSameForm() ? goingOn : startingOver).result(),
		};
	};
}

/** What a poll keeps of the list. */
function collectNew(
	settings: Settings,
	state: SavedState | undefined,
	isFirst: boolean,
	clockOffsetMs: number | undefined,
) {
	const columns = collectColumns(state?.questions);
	const wanted = new Set<ResponseRecord>();
	const isWanted = wantedBy(settings, state, isFirst, clockOffsetMs);
	const filter = dedupeFilter(state?.dedupe, (response, time) => {
		if (!isWanted(response, time)) return false;
		wanted.add(response);
		return true;
	});
	return {
		add(response: ResponseRecord) {
			if (settings.shape) columns.add(response);
			filter.add(response);
		},
		isOfSameForm: filter.isOfSameForm,
		result: () => ({ state, kept: filter.kept(), wanted, columns }),
	};
}

/** Which of the new responses start the workflow; the others count as processed. */
function wantedBy(
	settings: Settings,
	known: SavedState | undefined,
	isFirst: boolean,
	clockOffsetMs = 0,
) {
	const start = known?.publishedAt === undefined ? Infinity : known.publishedAt + clockOffsetMs;
	const wasWanted = wantedBefore(settings, known, isFirst);
	return (response: ResponseRecord, time = -Infinity) =>
		settings.matches(response) && (wasWanted(response) || isSince(time, start));
}

/** Which of the responses created before the workflow was published as it is now are wanted. */
function wantedBefore(
	{ includeExisting, answerFilters }: Settings,
	known: SavedState | undefined,
	isFirst: boolean,
): Settings['matches'] {
	if (known?.dedupe === undefined) return () => includeExisting && !known?.hasStarted;
	// n8n saves nothing after a poll that emits nothing, so what the filters left out looks new again.
	// After the first poll nothing tells it from what has come since.
	const isPublishing = isFirst || known.publishedAt !== undefined;
	if (!isPublishing || known.answerFilters === answerFilters) return () => true;
	return matcherOf(known.evaluatedFilters ?? []);
}

/** A time without milliseconds may be any moment of its second, also if it is written with `.000`. */
function isSince(time: number, start: number): boolean {
	return time >= start || (time % 1000 === 0 && time + 1000 > start);
}

/** For a test event. Saves nothing. */
async function newestItem(
	context: IPollFunctions,
	form: PolledForm,
): Promise<INodeExecutionData[]> {
	const { settings } = form;
	const { result, unanswered, isPartial } = await read(context, form, () => {
		const columns = collectColumns();
		let isEmpty = true;
		let newest: ResponseRecord | undefined;
		return {
			add(response) {
				isEmpty = false;
				columns.add(response);
				if (settings.matches(response)) newest = newerOf(newest, response);
			},
			result: () => ({ isEmpty, newest, columns }),
		};
	});
	if (result?.newest !== undefined) return toItems(settings, [result.newest], result.columns);
	throw noTestEvent(result?.isEmpty === true, isPartial, unanswered);
}

function noTestEvent(isEmpty: boolean, isPartial: boolean, unanswered: string[]): InvalidInput {
	if (isPartial) {
		return new InvalidInput(
			'The service sent only part of the responses, and none that matches: submit a response that matches and fetch the test event again',
		);
	}
	if (isEmpty) {
		return new InvalidInput(
			'This form has no responses yet: submit one and fetch the test event again',
		);
	}
	if (unanswered.length > 0) {
		return new InvalidInput(
			`None of the responses has an answer to ${quoted(unanswered)}: check the question in Answer Filters, or submit a response that answers it and fetch the test event again`,
		);
	}
	return new InvalidInput(
		'No response of this form matches Answer Filters: change them, or submit a response that matches and fetch the test event again',
	);
}

function quoted(questions: string[]): string {
	return questions.map((key) => `"${key}"`).join(', ');
}

function toItems(
	{ shape }: Settings,
	responses: ResponseRecord[],
	columns: ReturnType<typeof collectColumns>,
): INodeExecutionData[] {
	return (shape?.(responses, columns.result()) ?? responses).map((json) => ({ json }));
}

/** One request in one try: the next poll is the second. */
async function read<Result>(
	context: IPollFunctions,
	{ settings: { formId, timeoutMs, evaluatedFilters }, service, account }: PolledForm,
	createCollector: (reply: ReplyInfo) => Collector<Result>,
	ifChangedSince?: Validators,
): Promise<ReadReply<Result> & { unanswered: string[] }> {
	// The others hold for a response without an answer, too.
	const filters = evaluatedFilters.filter((filter) => !matcherOf([filter])({ answers: {} }));
	let unanswered = collectUnanswered(filters);
	const createWithUnanswered = (info: ReplyInfo) => {
		const collector = createCollector(info);
		unanswered = collectUnanswered(filters);
		return {
			add(response: ResponseRecord) {
				unanswered.add(response);
				return collector.add(response);
			},
			result: () => collector.result(),
		};
	};
	const reply = await service.responses(account, formId, createWithUnanswered, {
		timeoutMs,
		budgetMs: tickBudgetMs(context),
		ifChangedSince,
	});
	for (const hint of service.hints()) warnOnce(context, 'list', hint);
	const questions = reply.isPartial ? [] : unanswered.result();
	if (questions.length > 0) {
		const hint = `None of the responses has an answer to ${quoted(questions)}: check the question in Answer Filters`;
		warnOnce(context, 'filters', hint);
	}
	return { ...reply, unanswered: questions };
}

const warned = new Set<string>();

/** In n8n's log, which is all that an administrator sees of a poll; once for each trigger and subject. */
function warnOnce(context: IPollFunctions, subject: string, hint: string): void {
	const { id, name } = context.getNode();
	const key = `${context.getWorkflow().id} ${id} ${subject}`;
	if (warned.has(key)) return;
	warned.add(key);
	context.logger.warn(`"${name}": ${hint}`);
}
