import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { findNew, newerOf, type Seen, sieveOf } from './dedupe';
import { events } from './events';
import { readTimeout, shaper } from '../actions/fields';
import { toFormId } from '../actions/formLocator';
import { optionOf, toBoolean, toChoice, toObject } from '../actions/parameters';
import {
	type Collector,
	connect,
	DEFAULT_TIMEOUT_MS,
	type ReadReply,
	type ReplyInfo,
} from '../transport/client';
import { InvalidInput, isTemporary, toNodeError } from '../transport/errors';
import { createdAt, type ResponseRecord } from '../transport/records';
import type { Validators } from '../transport/replyHeaders';

/** What is known of a form. Saved between polls. */
interface State {
	/** The credential and the form that it is about */
	source?: string;
	seen?: Seen;
	/** Of the reply that `seen` is of, or of a later one that had nothing new */
	validators?: Validators;
	/** Unix epoch milliseconds: when the first poll got nothing, until one has got `seen` */
	since?: number;
}

/** n8n polls with one context from activation on; only its scheduler makes one for each tick. */
const usedContexts = new WeakSet<IPollFunctions>();

/**
 * Emits the responses that are new since the last poll, in one request, which reads nothing if the
 * service says that nothing has changed.
 */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const isActivation = isActivating(this);
	usedContexts.add(this);
	let source: string | undefined;
	try {
		// All parameters before the first `await`: the end of another poll of the workflow releases what
		// n8n 2.41 evaluates expressions with.
		const settings = readSettings(this);
		source = settings.source;
		if (this.getMode() === 'manual')
			return [[toItem(settings, await newestResponse(this, settings))]];
		const emitted = await newResponses(this, settings);
		return emitted.length > 0 ? [emitted.map((response) => toItem(settings, response))] : null;
	} catch (error) {
		const nodeError = toNodeError(this.getNode(), error);
		if (isActivation && source !== undefined && isTemporary(error)) {
			if (knownOf(this, source) === undefined) setStart(this, { source, since: Date.now() });
			this.logger.warn(
				`The first poll of "${this.getNode().name}" got nothing: ${nodeError.message}`,
			);
			return null;
		}
		throw nodeError;
	}
}

interface Settings {
	formId: string;
	includeExisting: boolean;
	timeoutMs: number;
	shape: (response: ResponseRecord) => ResponseRecord;
	/** The credential and the form: what is known of others is of no use */
	source: string;
}

function readSettings(context: IPollFunctions): Settings {
	toChoice('Event', context.getNodeParameter('event', 'newResponse'), events);
	const formId = toFormId(context.getNodeParameter('formId', ''));
	const options = toObject('Options', context.getNodeParameter('options', {}));
	return {
		formId,
		includeExisting: toBoolean(
			'Include Existing Responses',
			optionOf(options, 'includeExisting', false),
		),
		timeoutMs: timeoutMs(context, options),
		shape: shaper(options),
		source: `${context.getNode().credentials?.formCollectionApi?.id ?? ''} ${formId}`,
	};
}

function toItem({ shape }: Settings, response: ResponseRecord): INodeExecutionData {
	return { json: shape(response) };
}

/** For a test event. Writes nothing. */
async function newestResponse(
	context: IPollFunctions,
	settings: Settings,
): Promise<ResponseRecord> {
	const { result } = await read(context, settings, () => {
		let newest: ResponseRecord | undefined;
		return {
			add: (response) => void (newest = newerOf(newest, response)),
			result: () => newest,
		};
	});
	if (result !== undefined) return result;
	throw new InvalidInput(
		'This form has no responses yet: submit one and fetch the test event again',
	);
}

async function newResponses(
	context: IPollFunctions,
	settings: Settings,
): Promise<ResponseRecord[]> {
	const { source, includeExisting } = settings;
	const before = knownOf(context, source);
	let isWanted: (time: number | undefined) => boolean = () => true;

	const { result, validators } = await read(
		context,
		settings,
		({ clockOffsetMs = 0 }) => {
			const start = before?.since === undefined ? Infinity : before.since + clockOffsetMs;
			isWanted = (time) =>
				before?.seen !== undefined || includeExisting || (time ?? -Infinity) >= start;
			const sieve = sieveOf(before?.seen, isWanted);
			return { add: sieve.take, result: sieve.passed };
		},
		before?.seen && before.validators,
	);
	if (result === undefined) return [];

	// Read again after the request, so that a poll that overtook this one is taken into account.
	const state: State = context.getWorkflowStaticData('node');
	const known = knownOf(context, source);
	// That one has seen what is there; what has come since is for the next poll.
	if ((known?.seen === undefined) !== (before?.seen === undefined)) return [];
	const { fresh, seen } = findNew(result, known?.seen);
	const next: State = { source, seen, validators };
	// Where nothing has changed, nothing is marked as changed, which n8n would save.
	if (known !== state || fresh.length > 0) {
		Object.assign(state, next);
		setStart(context, known !== state ? next : undefined);
	} else if (hasChanged(state.validators, validators)) {
		Object.assign(state, { validators });
	}
	return fresh.filter((response) => isWanted(createdAt(response)));
}

/** One request in one try: the next poll is the second. */
async function read<Result>(
	context: IPollFunctions,
	{ formId, timeoutMs }: Settings,
	createCollector: (reply: ReplyInfo) => Collector<Result>,
	unless?: Validators,
): Promise<ReadReply<Result>> {
	const service = connect(context, 1);
	const account = await service.account(0);
	const reply = await service.responses(account, formId, createCollector, { timeoutMs, unless });
	for (const hint of service.hints()) warnOnce(context, hint);
	return reply;
}

const warnings = new Set<string>();

/** In n8n's log, which is all that an administrator sees of a poll. */
function warnOnce(context: IPollFunctions, hint: string): void {
	const { id, name } = context.getNode();
	const warning = `${context.getWorkflow().id} ${id} ${hint}`;
	if (warnings.has(warning)) return;
	warnings.add(warning);
	context.logger.warn(`"${name}": ${hint}`);
}

/** @returns undefined where nothing is known, which makes all responses that are there old ones */
function knownOf(context: IPollFunctions, source: string): State | undefined {
	const state: State = context.getWorkflowStaticData('node');
	const start = context.getWorkflowStaticData('global')[startKey(context)] as State | undefined;
	return [state, start].find((candidate) => candidate?.source === source);
}

/**
 * What activation found is kept until the state of the node is sure to be saved. After activation n8n
 * saves the static data of the workflow in every case; that of the node it leaves unsaved with durable
 * cursors, and without them after each later poll that emits nothing.
 */
function setStart(context: IPollFunctions, start: State | undefined): void {
	context.getWorkflowStaticData('global')[startKey(context)] = start;
}

function startKey(context: IPollFunctions): string {
	return `formCollectionTrigger ${context.getNode().id}`;
}

function hasChanged(before: Validators | undefined, after: Validators | undefined): boolean {
	return JSON.stringify(before) !== JSON.stringify(after);
}

const UNSCHEDULED_BUDGET_MS = 300_000;

/** Activation polls once, and would be refused for what is over by the next poll. */
function isActivating(context: IPollFunctions): boolean {
	if (context.getMode() === 'manual' || usedContexts.has(context)) return false;
	// n8n's scheduler gives each of its ticks less time.
	return budgetMs(context) >= UNSCHEDULED_BUDGET_MS;
}

/** After its budget n8n abandons the poll. */
function timeoutMs(context: IPollFunctions, options: object): number {
	return Math.min(readTimeout(options) ?? DEFAULT_TIMEOUT_MS, budgetMs(context));
}

/** n8n before 2.41 has no budget. */
function budgetMs(context: Partial<IPollFunctions>): number {
	return context.getPollBudgetMs?.() ?? UNSCHEDULED_BUDGET_MS;
}
