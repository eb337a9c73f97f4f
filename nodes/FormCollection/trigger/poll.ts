import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { type Flatten, Options, readAnswerFilters, readFlatten } from '../parameters/fields';
import { toForm } from '../parameters/formLocator';
import { toBoolean } from '../parameters/values';
import { type AnswerFilter, matcherOf } from '../responses/answerFilters';
import { collectQueries } from '../responses/formRead';
import { EVERYTHING, type QueryResult } from '../responses/query';
import { collectColumns, type Columns } from '../responses/table';
import { type Account, credentialIdOf, readAccount } from '../transport/account';
import { ServiceClient } from '../transport/client';
import { InvalidInput, isTemporary, toNodeError } from '../transport/errors';
import { hashOf } from '../transport/hash';
import type { ResponseRecord } from '../transport/records';
import type { FormReference } from '../transport/request';
import {
	type DedupeState,
	identityOf,
	type Identity,
	newTo,
	NOTHING_SEEN,
	withSeen,
} from './dedupe';

interface Settings {
	form: FormReference;
	includeExisting: boolean;
	timeoutMs: number;
	answerFilters: AnswerFilter[];
	/** Whether the filters let a response with these answers pass */
	matches(answers: unknown): boolean;
	flatten?: Flatten;
}

/** What n8n saves of the trigger. */
interface SavedState {
	/** A hash of workflow, credential, form and Base URL: with another one, the trigger starts over. */
	source: string;
	/** Undefined until the first answer of the service */
	seen?: DedupeState;
	/** Unix epoch milliseconds: when the first poll got no answer */
	since?: number;
}

/** n8n does not save a symbol: it tells the poll of an activation from later ones. */
const POLLED = Symbol('polled');

type StaticData = Partial<SavedState> & { [POLLED]?: true };

/** Emits the responses that are new since the last poll, in one request. */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const pollNow = async () => {
		// All parameters before the first `await`: when another poll of the workflow ends, n8n 2.41 releases what it
		// evaluates expressions with.
		const settings = readSettings(this);
		const account = await readAccount(this, 0);
		return this.getMode() === 'manual'
			? await newest(this, settings, account)
			: await newResponses(this, settings, account);
	};
	const items = await pollNow().catch((error: unknown) =>
		Promise.reject(toNodeError(this.getNode(), error)),
	);
	return items.length > 0 ? [items.map((json) => ({ json }))] : null;
}

function readSettings(context: IPollFunctions): Settings {
	const options = new Options(context.getNodeParameter('options'));
	const answerFilters = readAnswerFilters(options);
	return {
		form: toForm(context.getNodeParameter('formId')),
		includeExisting: toBoolean('Include Existing Responses', options.get('includeExisting', false)),
		timeoutMs: options.timeoutMs,
		answerFilters,
		matches: matcherOf(answerFilters),
		flatten: readFlatten(context.getNodeParameter('flattenAnswers'), options),
	};
}

function sourceOf(context: IPollFunctions, { form }: Settings, { baseUrl }: Account): string {
	const credentialId = credentialIdOf(context.getNode());
	return hashOf(JSON.stringify([context.getWorkflow().id, credentialId, form.id, baseUrl]));
}

async function newResponses(
	context: IPollFunctions,
	settings: Settings,
	account: Account,
): Promise<ResponseRecord[]> {
	const saved = context.getWorkflowStaticData('node') as StaticData;
	const isActivation = saved[POLLED] !== true;
	saved[POLLED] = true;
	const source = sourceOf(context, settings, account);
	const startedAt = Date.now();
	if (saved.source !== source) Object.assign(saved, { source, seen: undefined, since: undefined });
	const isFirstAnswer = saved.seen === undefined;
	const { form, timeoutMs } = settings;
	const collect = () => collectNew(settings, saved);
	const reading = new ServiceClient(context, 1).responses(account, form, collect, timeoutMs);
	const list = await reading.catch((error: unknown) => {
		// If this threw, n8n would refuse to activate the workflow for something that may be over by the next poll.
		if (!isActivation || !isTemporary(error)) throw error;
		saved.since ??= startedAt;
		const { message } = error as Error;
		context.logger.warn(`The first poll of "${context.getNode().name}" got no answer: ${message}`);
		return undefined;
	});
	// Another poll may have got the first answer meanwhile: what has come since is for the next one. Or the credential
	// may have another Base URL now.
	const isOvertaken = isFirstAnswer && saved.seen !== undefined;
	if (list === undefined || isOvertaken || saved.source !== source) return [];

	// From here on without an `await`: another poll may have emitted some of them while this one was reading.
	const { found, identities, columns } = list.result;
	const isNew = newTo(saved.seen ?? NOTHING_SEEN);
	const unique = new Map(found.map((each) => [each.identity.id, each]));
	const emitted = [...unique.values()].filter(({ identity }) => isNew(identity)).sort(byTime);
	saved.seen = withSeen(saved.seen ?? NOTHING_SEEN, identities);
	const responses = emitted.map(({ response }) => response);
	return settings.flatten?.(responses, columns) ?? responses;
}

interface Found {
	identity: Identity;
	response: ResponseRecord;
}

function byTime(a: Found, b: Found): number {
	return (a.identity.time ?? Infinity) - (b.identity.time ?? Infinity) || 0;
}

/** Of so many identities of a first poll, only those that matter are kept. */
const MANY_IDENTITIES = 20_000;

/** What a poll keeps of the list: the responses that start the workflow if they are still new at its end. */
function collectNew({ includeExisting, matches, flatten }: Settings, saved: StaticData) {
	const { seen = NOTHING_SEEN, since } = saved;
	const isNew = newTo(seen);
	// The clock of `created_at` may count in whole seconds.
	const from = Math.floor((since ?? Infinity) / 1000) * 1000;
	const isWanted = ({ time }: Identity) =>
		saved.seen !== undefined || includeExisting || (time ?? 0) >= from;
	const columns = collectColumns();
	const found: Found[] = [];
	let identities: Identity[] = [];
	return {
		add(response: ResponseRecord): void {
			if (flatten) columns.add(response);
			const identity = identityOf(response);
			if (!isNew(identity)) return;
			identities.push(identity);
			if (identities.length % MANY_IDENTITIES === 0) identities = newestOf(identities);
			if (isWanted(identity) && matches(response.answers)) found.push({ identity, response });
		},
		result: (): { found: Found[]; identities: Identity[]; columns: Columns } => ({
			found,
			identities,
			columns: columns.result(),
		}),
	};
}

function newestOf(identities: Identity[]): Identity[] {
	const { ids } = withSeen(NOTHING_SEEN, identities);
	return Object.entries(ids).map(([id, time]) => ({ id, time }));
}

/** For a test event. Saves nothing. */
async function newest(
	context: IPollFunctions,
	{ form, timeoutMs, answerFilters, flatten }: Settings,
	account: Account,
): Promise<ResponseRecord[]> {
	const query = { ...EVERYTHING, answerFilters, limit: 1 };
	const collect = () => collectQueries(new Map([['newest', query]]), flatten !== undefined);
	const client = new ServiceClient(context, 1);
	const { result } = await client.responses(account, form, collect, timeoutMs);
	const { results, columns, unanswered } = result;
	const { responses } = results.get('newest') as QueryResult;
	if (responses.length > 0) return flatten?.(responses, columns) ?? responses;
	throw new InvalidInput(
		answerFilters.length > 0
			? 'No response matches Answer Filters: change them, or submit one that does and fetch the test event again'
			: 'This form has no responses yet: submit one and fetch the test event again',
		unanswered.length > 0
			? `No response has an answer to "${unanswered.join('", "')}".`
			: undefined,
	);
}
