import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { isActivation, tickBudgetMs } from './activation';
import { dedupeFilter, findNew, newerOf } from './dedupe';
import { knownState, type SavedState, savePublishing, saveState } from './savedState';
import { matcherOfEntered, readSettings, type Settings } from './settings';
import { collectColumns } from '../responses/answers';
import {
	type Collector,
	DEFAULT_TIMEOUT_MS,
	type ReadReply,
	type ReplyInfo,
	ServiceClient,
} from '../transport/client';
import { InvalidInput, isTemporary, toNodeError } from '../transport/errors';
import type { ResponseRecord } from '../transport/records';
import type { Validators } from '../transport/replyHeaders';

/**
 * Emits the responses that are new since the last poll, in one request, which reads nothing if the
 * service says that nothing has changed.
 */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const isFirst = isActivation(this);
	const startedAt = Date.now();
	let settings: Settings | undefined;
	try {
		// All parameters before the first `await`: the end of another poll of the workflow releases what
		// n8n 2.41 evaluates expressions with.
		settings = readSettings(this);
		const isTest = this.getMode() === 'manual';
		const items = await (isTest ? newestItem(this, settings) : newItems(this, settings, isFirst));
		return items.length > 0 ? [items] : null;
	} catch (error) {
		const nodeError = toNodeError(this.getNode(), error);
		// If this threw, n8n would refuse to activate for something that may be over by the next poll.
		if (!isFirst || settings === undefined || !isTemporary(error)) throw nodeError;
		savePublishing(this, settings, startedAt);
		this.logger.warn(
			`The first poll of "${this.getNode().name}" got nothing: ${nodeError.message}`,
		);
		return null;
	}
}

async function newItems(
	context: IPollFunctions,
	settings: Settings,
	isFirst: boolean,
): Promise<INodeExecutionData[]> {
	const { source, answerFilters, shape } = settings;
	const known = knownState(context, source);
	const columns = collectColumns(known?.questions);
	const wanted = new Set<ResponseRecord>();

	const createCollector = ({ clockOffsetMs }: ReplyInfo) => {
		const isWanted = wantedBy(settings, known, isFirst, clockOffsetMs);
		const filter = dedupeFilter(known?.dedupe, (response, time) => {
			if (!isWanted(response, time)) return false;
			wanted.add(response);
			return true;
		});
		return {
			add(response: ResponseRecord) {
				if (shape) columns.add(response);
				filter.add(response);
			},
			result: filter.kept,
		};
	};
	const isSame = known?.dedupe !== undefined && known.answerFilters === answerFilters;
	const unless = isSame ? known.validators : undefined;
	const { result, validators } = await read(context, settings, createCollector, unless);
	if (result === undefined) return [];

	// Read again after the request, because another poll may have overtaken this one.
	const latest = knownState(context, source);
	// The other poll has processed what is there; what has come since is for the next poll.
	if ((latest?.dedupe === undefined) !== (known?.dedupe === undefined)) return [];
	const { newResponses, state } = findNew(result, latest?.dedupe);
	const questions = shape && [...columns.result().questions];
	const next = { source, answerFilters, dedupe: state, validators, questions };
	const emitted = newResponses.filter((response) => wanted.has(response));
	const hasProcessed = newResponses.length > 0;
	saveState(context, next, { isFirst, hasProcessed, isEmitted: emitted.length > 0 });
	return toItems(settings, emitted, columns);
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

/** The same for the responses created before the workflow was published as it is now. */
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
	return matcherOfEntered(known.answerFilters ?? '{}');
}

/** A time without milliseconds may be any moment of its second. */
function isSince(time: number, start: number): boolean {
	return time >= start || (time % 1000 === 0 && time + 1000 > start);
}

/** For a test event. Saves nothing. */
async function newestItem(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[]> {
	const columns = collectColumns();
	let isEmpty = true;
	let newest: ResponseRecord | undefined;
	await read(context, settings, () => ({
		add(response) {
			isEmpty = false;
			columns.add(response);
			if (settings.matches(response)) newest = newerOf(newest, response);
		},
		result: () => undefined,
	}));
	if (newest !== undefined) return toItems(settings, [newest], columns);
	throw new InvalidInput(
		isEmpty
			? 'This form has no responses yet: submit one and fetch the test event again'
			: 'No response of this form matches Answer Filters: change them, or submit a response that matches and fetch the test event again',
	);
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
	{ formId, timeoutMs = DEFAULT_TIMEOUT_MS }: Settings,
	createCollector: (reply: ReplyInfo) => Collector<Result>,
	unless?: Validators,
): Promise<ReadReply<Result>> {
	const service = new ServiceClient(context, 1);
	const account = await service.account(0);
	const reply = await service.responses(account, formId, createCollector, {
		timeoutMs,
		budgetMs: tickBudgetMs(context),
		unless,
	});
	for (const hint of service.hints()) warnOnce(context, hint);
	return reply;
}

const warned = new Set<string>();

/** In n8n's log, which is all that an administrator sees of a poll; once for each trigger. */
function warnOnce(context: IPollFunctions, hint: string): void {
	const { id, name } = context.getNode();
	const trigger = `${context.getWorkflow().id} ${id}`;
	if (warned.has(trigger)) return;
	warned.add(trigger);
	context.logger.warn(`"${name}": ${hint}`);
}
