import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import type { DedupeState } from './dedupe';
import type { Settings } from './settings';
import type { AnswerFilter } from '../responses/answerFilters';
import type { Validators } from '../transport/replyHeaders';

/*
 * Where the trigger keeps what it knows of a form between polls. n8n saves the static data of a workflow, in which
 * there are two places, of which neither is enough (n8n 2.41):
 *
 * - the state of the node, known by its name. It is saved together with what a poll emits; not with the
 *   activation if n8n keeps a cursor of each trigger in its database (`N8N_POLLER_DURABLE_CURSORS_ENABLED`).
 * - the activation state, in the global data, known by the ID of the node. It is saved after the activation, and
 *   after a poll only together with the former.
 *
 * Each has a revision, and the higher one counts. A third place is the memory of this process, for what n8n has no
 * reason to save yet.
 */

/** What a state is about: that of another one is of no use. */
export interface Source {
	/** The workflow, the credential and the form */
	source: string;
	/** The hash of its address; undefined where it is not known */
	server?: string;
}

/** What is known of a form. n8n saves it between polls: its names never change once released. */
export interface SavedState extends Source {
	/** Counts how often it was saved */
	revision: number;
	dedupe?: DedupeState;
	/** Those that `dedupe` was made with, as they were entered; JSON */
	answerFilters?: string;
	/** The answer filters with what their expressions gave then */
	evaluatedFilters?: AnswerFilter[];
	/** Question keys: with Flatten Answers the columns of all items so far */
	questions?: string[];
	/** Of the reply that `dedupe` is of, or of a later one that had nothing new */
	validators?: Validators;
	/**
	 * Unix epoch milliseconds: when the workflow was published, alone or with other answer filters than
	 * these, and the first poll got nothing
	 */
	publishedAt?: number;
	/** The same for another address than `server`: where the service may have moved to */
	publishedElsewhere?: { server?: string; at: number };
	/** Whether an earlier poll was the first one, of which nothing else is known any more */
	hasStarted?: true;
	/** With `hasStarted`: what the node was called when the rest was saved as the state of the node */
	nodeName?: string;
	/**
	 * What takes its place once the node has another name: since this was saved, a poll has emitted, and has
	 * noted that in the state of the node, which is known by the name.
	 */
	onceRenamed?: SavedState;
}

/**
 * By trigger, where a poll other than the first one was the first to get an answer: from another server, or
 * since a publishing. If that poll emits nothing, the scheduler of n8n 2.41 saves nothing, and the next one
 * would take for old what has come since. Of use as long as n8n has saved nothing later.
 */
const unsavedStates = new Map<string, SavedState>();

/** @returns undefined where nothing is known, which makes all responses that are there old ones */
export function knownState(context: IPollFunctions, source: Source): SavedState | undefined {
	const [node, activation, unsaved] = [
		nodeState(context),
		activationState(context),
		unsavedState(context),
	].map((state) => (isAbout(state, source) ? state : undefined));
	if (unsaved !== undefined) return unsaved;
	if (activation === undefined) return isLeftBehind(context, node) ? undefined : node;
	if (refersToNode(context, activation)) return node;
	return node !== undefined && node.revision >= activation.revision ? node : activation;
}

/**
 * Whether the trigger has started over with something else since this was the state of its node, which n8n may
 * not have saved with the publishing, or may have saved as it was before (see `otherTriggers.ts`).
 */
function isLeftBehind(context: IPollFunctions, node: SavedState | undefined): boolean {
	const { dedupe, hasStarted, revision = 0 }: Partial<SavedState> = activationState(context) ?? {};
	const hasRead = dedupe !== undefined || hasStarted === true;
	return hasRead && revision > (node?.revision ?? 0);
}

function isAbout(
	state: Partial<SavedState> | undefined,
	{ source, server }: Source,
): state is SavedState {
	if (state?.source !== source) return false;
	return state.server === undefined || server === undefined || state.server === server;
}

/** What a poll has come to. */
interface PollResult {
	/** It comes with the activation of the workflow */
	isFirst: boolean;
	/** There are new responses in the state */
	hasProcessed: boolean;
	/** Some of them start the workflow */
	isEmitted: boolean;
}

/** Saves what a poll has come to, in as many of the places as n8n may lose. */
export function saveState(
	context: IPollFunctions,
	next: Omit<SavedState, 'revision'>,
	{ isFirst, hasProcessed, isEmitted }: PollResult,
): void {
	const known = knownState(context, next);
	const state = nodeState(context);
	const isUnsaved = known !== undefined && known === unsavedState(context);
	const isSafe = known === state && state.answerFilters === next.answerFilters;
	// An assignment marks the state as changed, and n8n saves it then: none if nothing has changed.
	if (!isSafe || hasProcessed) {
		const { source, server } = next;
		const revision = nextRevision(context);
		const saved = { ...next, revision };
		Object.assign(state, saved);
		const nodeName = context.getNode().name;
		const reference: SavedState = { source, server, revision, hasStarted: true, nodeName };
		if (isFirst && !isEmitted) {
			saveActivationState(context, saved);
		} else if (isFirst || isSafe) {
			saveActivationState(context, reference);
		} else if (isEmitted) {
			// With durable cursors, n8n may lose what is noted in the state of the node: the rest has to stay.
			const activation = activationState(context);
			saveActivationState(context, { ...(activation ?? reference), onceRenamed: reference });
		} else if (known === undefined || isUnsaved || known.publishedAt !== undefined) {
			unsavedStates.set(triggerKey(context), saved);
		}
	} else if (JSON.stringify(state.validators) !== JSON.stringify(next.validators)) {
		state.validators = next.validators;
	}
}

/** Notes when the workflow was published, if that matters for the first poll that gets an answer. */
export function savePublishing(
	context: IPollFunctions,
	source: Source,
	{ answerFilters }: Settings,
	publishedAt: number,
): void {
	const here = knownState(context, source);
	// This run of n8n alone knows it, and publishing is a chance to have it saved.
	if (here !== undefined && here === unsavedState(context)) saveActivationState(context, here);
	const elsewhere = knownState(context, { source: source.source });
	if (here === undefined && elsewhere !== undefined) {
		// The service may have moved: the poll that gets an answer will tell.
		if (elsewhere.publishedElsewhere?.server === source.server) return;
		saveActivationState(context, {
			...elsewhere,
			revision: nextRevision(context),
			publishedAt: elsewhere.publishedAt ?? publishedAt,
			publishedElsewhere: { server: source.server, at: publishedAt },
		});
		return;
	}
	if (here?.publishedAt !== undefined || here?.answerFilters === answerFilters) return;
	const revision = nextRevision(context);
	saveActivationState(context, { ...source, ...here, revision, publishedAt });
}

/**
 * Keeps what activation found until the state of the node is sure to be saved. After activation n8n always
 * saves the static data of the workflow. It does not save the state of the node with durable cursors, nor,
 * without them, after a later poll that emits nothing.
 *
 * Then only the revision is kept. Without durable cursors n8n 2.41 knows the state of a node by its name:
 * that of a renamed node is gone, and that of an earlier name is out of date. This state is known by the ID.
 *
 * What is emitted is noted in the state of the node alone, and here no more than that there was something
 * (`onceRenamed`). With durable cursors n8n 2.41 saves the state of the node together with the execution that
 * it starts, or neither; then the next poll has to emit the same again, although n8n has saved this state.
 */
function saveActivationState(context: IPollFunctions, state: SavedState): void {
	context.getWorkflowStaticData('global')[activationKey(context)] = state;
}

function activationState(context: IPollFunctions): SavedState | undefined {
	const saved = context.getWorkflowStaticData('global')[activationKey(context)];
	const state = saved as SavedState | undefined;
	const onceRenamed = state?.onceRenamed;
	const isRenamed = onceRenamed !== undefined && !refersToNode(context, onceRenamed);
	return isRenamed ? onceRenamed : state;
}

/** Whether it says no more than that the state of the node, by its present name, is the one to trust. */
function refersToNode(context: IPollFunctions, { nodeName }: SavedState): boolean {
	return nodeName === context.getNode().name;
}

/** Counted on from states for other forms and addresses, too, which are older than this one. */
function nextRevision(context: IPollFunctions): number {
	return savedRevision(context) + 1;
}

/** @returns the highest one in what n8n has saved, or is to save after this poll; 0 if there is none */
export function savedRevision(context: IPollFunctions): number {
	return Math.max(nodeRevisionOf(context), activationState(context)?.revision ?? 0);
}

/** @returns 0 if n8n has saved none, or knows it by another name */
export function nodeRevisionOf(context: IPollFunctions): number {
	return nodeState(context).revision ?? 0;
}

/** The copy of the static data that n8n polls a trigger with, and saves after the poll. */
export interface StaticDataCopy {
	global: IDataObject;
	/** The state of the node */
	node: Partial<SavedState>;
	/** The key in `global` */
	key: string;
	nodeName: string;
	/** Known from a poll other than the one that comes with the activation */
	isTick: boolean;
}

export function staticDataCopyOf(context: IPollFunctions, isTick: boolean): StaticDataCopy {
	return {
		global: context.getWorkflowStaticData('global'),
		node: nodeState(context),
		key: activationKey(context),
		nodeName: context.getNode().name,
		isTick,
	};
}

/** Puts what another trigger of the workflow knows into what n8n saves after this poll. */
export function keepStateOf(
	{ global, node, key, nodeName }: StaticDataCopy,
	context: IPollFunctions,
): void {
	const saved = context.getWorkflowStaticData('global');
	// The two have one copy of it, as all triggers have in n8n 1.123 and 2.0.
	if (global === saved) return;
	const activation = global[key] as SavedState | undefined;
	const isOfNode =
		activation === undefined ||
		activation.nodeName === nodeName ||
		(node.revision ?? 0) >= activation.revision;
	const latest = isOfNode ? node : activation;
	const known = saved[key] as SavedState | undefined;
	if ((latest.revision ?? 0) <= (known?.revision ?? 0)) return;
	// A copy: n8n watches each of its objects for changes.
	saved[key] = JSON.parse(JSON.stringify(latest)) as SavedState;
}

function nodeState(context: IPollFunctions): Partial<SavedState> {
	return context.getWorkflowStaticData('node');
}

function activationKey(context: IPollFunctions): string {
	return `formCollectionTrigger ${context.getNode().id}`;
}

function unsavedState(context: IPollFunctions): SavedState | undefined {
	const state = unsavedStates.get(triggerKey(context));
	const isLatest = state !== undefined && state.revision >= nextRevision(context);
	if (!isLatest) unsavedStates.delete(triggerKey(context));
	return isLatest ? state : undefined;
}

export function triggerKey(context: IPollFunctions): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}
