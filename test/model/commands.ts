import type { IDataObject, INode } from 'n8n-workflow';
import type { SandboxResponse } from '../../sandbox';
import { polling } from '../support/engine';
import { Poller, runPoll } from '../support/poller';
import {
	isStruck,
	outcomeOf,
	type ReadFault,
	readFault,
	SHORT_TIMEOUT_S,
	submitFault,
} from './faults';
import type {
	ActivateCommand,
	Command,
	History,
	ReadCommand,
	RetryCommand,
	RowSpec,
	SubmitCommand,
	Switch,
	TriggerCommand,
} from './history';
import {
	allIsInTheOutput,
	eachItemIsAccountedFor,
	importsEndComplete,
	keysStayHome,
	type Lineage,
	messagesOf,
	messagesSayWhatToDo,
	newResponsesAreEmittedOnce,
	nothingFails,
	nothingIsRepeated,
	nothingIsSaved,
	nothingIsSentTwice,
	placeOf,
	publishingGoesOn,
	readsGiveTheirOwn,
	type ReadExpectation,
	refusalsAreTriedAgain,
	requestsAreFew,
	requestsCarryTheirOwnKey,
	type Stored,
	testEventIsNewest,
	triesAreFew,
} from './invariants';
import type { Execution, WorkflowSpec } from './n8n';
import { Instance } from './n8n';
import type { Account, Request, World } from './world';
import { accountIndexIn, formIn, formOf } from './world';

const CLOSED_PORT = 'http://127.0.0.1:1/api';

let workflows = 0;

/** Lets a history happen in a world, and holds what comes of each command against the invariants. */
export async function play(history: History, world: World): Promise<void> {
	world.begin(history);
	const player = new Player(world, history.clockOffsetMinutes);
	for (const command of history.commands) {
		await player.play(command);
		world.clearFaults();
	}
	// What is still to be emitted comes with the next poll.
	await player.play({ type: 'poll' });
}

/** A failed execution in the list, which may be retried. */
interface FailedExecution {
	command: SubmitCommand;
	lineage: Lineage;
	/** Whether each answer of the service was waited for; what became of the others nobody else can tell */
	isSettled: boolean;
}

interface ActiveTrigger {
	poller: Poller;
	account: Account;
	formId: string;
	passes(response: SandboxResponse): boolean;
	/** Responses that a poll must not emit: old ones, and those emitted before */
	done: Set<string>;
}

class Player {
	private readonly instance = new Instance();

	private failed?: FailedExecution;

	/** The last execution of Create Response */
	private last?: SubmitCommand;

	private trigger?: ActiveTrigger;

	constructor(
		private readonly world: World,
		private readonly clockOffsetMinutes: number,
	) {}

	async play(command: Command): Promise<void> {
		switch (command.type) {
			case 'submit':
				return await this.submit(command);
			case 'retry':
				return await this.retry(command);
			case 'again':
				if (this.last) await this.submit({ ...this.last, ...faultsAreOver, ...command });
				return;
			case 'read':
				return await this.read(command);
			case 'others':
				return command.add.forEach((row) => this.world.add(row));
			case 'activate':
				return await this.activate(command);
			default:
				if (this.trigger) await this.goOnPolling(this.trigger, command);
		}
	}

	private async submit(command: Omit<SubmitCommand, 'type'>): Promise<void> {
		this.last = { ...command, type: 'submit' };
		const rows = this.rowsOf(command.rows, command.accountPerItem);
		const asked = new Map<string, number>();
		for (const row of rows) {
			const place = placeOf(row, formIn(row));
			asked.set(place, (asked.get(place) ?? 0) + 1);
		}
		const workflow = this.submitWorkflow(this.last, rows);
		const input = rows.map((row) => ({ row }));
		const lineage = { asked, requests: [], created: [] };
		await this.execute(this.last, lineage, async () => await this.instance.run(workflow, input));
	}

	private async retry({ isRemapped, faults }: RetryCommand): Promise<void> {
		if (this.failed === undefined) return;
		const { lineage, isSettled } = this.failed;
		const command = { ...this.failed.command, ...faultsAreOver, faults };
		const rows = this.rowsOf(command.rows, command.accountPerItem);
		const now = this.submitWorkflow(command, rows, isRemapped);
		const { workflow } = lineage.execution;
		const failed = {
			...lineage.execution,
			workflow: { ...workflow, credentials: now.credentials },
		};
		await this.execute(
			command,
			lineage,
			async () => await this.instance.retry(failed, isRemapped ? now : undefined),
			isSettled,
		);
	}

	/** @param lineage what was done before on behalf of the same items */
	private async execute(
		command: SubmitCommand,
		lineage: Omit<Lineage, 'execution'>,
		run: () => Promise<Execution>,
		wasSettled = true,
	): Promise<void> {
		const { world } = this;
		const isHasty = command.faults.some(({ fault }) => fault === 'hang');
		const isSettled = wasSettled && !isHasty;
		this.injectSubmitFaults(command);
		const before = world.stored();
		const { made, requests, result } = await this.observe(run, isHasty);
		const whole: Lineage = {
			asked: lineage.asked,
			execution: result,
			requests: [...lineage.requests, ...requests],
			created: [...lineage.created, ...made],
		};
		this.failed = result.status === 'success' ? undefined : { command, lineage: whole, isSettled };
		const isSkipping = isOn(command.skipExisting);
		const isMatched = isSkipping && command.isMatchedOnRow;

		nothingIsSentTwice(whole);
		requestsCarryTheirOwnKey(requests, askedPairs(whole));
		if (isSettled) requestsAreFew(requests, readsOfSubmit(command, whole));
		triesAreFew(requests, result.calls.length, whole.asked);
		const isKnownAgain = isMatched || !command.isVolatile;
		if (isSkipping && isKnownAgain && lineage.created.length === 0) {
			nothingIsRepeated(before, world, whole, isMatched);
		}
		eachItemIsAccountedFor(world, whole);
		allIsInTheOutput(whole, isSkipping);
		importsEndComplete(world, whole, isMatched);
		this.checkTexts(result);
		const struck = requests.filter(isStruck);
		// With Continue, n8n tries again only where the first item failed.
		if (!command.isUnreachable && isSettled && command.onError === 'stopWorkflow') {
			refusalsAreTriedAgain(whole, struck, command.tries);
		}
		// An earlier try may have left what nobody knows, or an output that n8n takes for complete.
		const isUnsettled = lineage.requests.some((request) => outcomeOf(request) === 'unknown');
		const isDisturbed = struck.length > 0 || command.isUnreachable;
		if (isSettled && !isUnsettled && !isDisturbed) nothingFails(result);
	}

	private async read(command: ReadCommand): Promise<void> {
		const rows = this.rowsOf(
			command.of.map((of) => ({ ...of, row: 0 })),
			command.accountPerItem,
		);
		this.injectReadFaults(command.faults, rows);
		const workflow = this.readWorkflow(command, rows);
		const input = rows.map((row) => ({ row }));
		const { requests, result } = await this.observe(
			async () => await this.instance.run(workflow, input),
		);
		const pairOf = (row: string) => `${accountIndexIn(row)} ${formIn(row)}`;
		const most = new Map<string, number>();
		for (const index of result.calls) {
			const inputOfRun = result.runs[index]?.input ?? [];
			const pairs = new Set(inputOfRun.map(({ row }) => pairOf(String(row))));
			for (const pair of pairs) most.set(pair, (most.get(pair) ?? 0) + 1);
		}
		requestsCarryTheirOwnKey(requests, new Set(rows.map(pairOf)));
		requestsAreFew(requests, most);
		triesAreFew(requests, result.calls.length, new Map());
		readsGiveTheirOwn(result, ({ row }) => this.expectationOf(command, String(row)));
		this.checkTexts(result);
		if (!requests.some(isStruck)) nothingFails(result);
	}

	private async activate(command: ActivateCommand): Promise<void> {
		const { world } = this;
		const { includeExisting, onlyRow } = command;
		const account = world.accountOf(command);
		const formId = formOf(command);
		const filter = [{ question: 'row', condition: 'contains', value: `.${onlyRow}>` }];
		const poller = new Poller('classic', {
			// Histories run side by side.
			workflowId: `workflow ${++workflows}`,
			parameters: {
				formId: { __rl: true, mode: 'id', value: formId },
				options: {
					includeExisting,
					...(onlyRow === undefined ? {} : { answerFilters: { filter } }),
				},
			},
			credentials: { baseUrl: account.baseUrl, apiKey: account.apiKey },
		});
		const old = world.responsesOf(account, formId);
		// The service tells its time in whole seconds.
		world.age(old);
		this.trigger = undefined;
		const trigger: ActiveTrigger = {
			poller,
			account,
			formId,
			passes: ({ answers }) =>
				onlyRow === undefined || String(answers.row).includes(`.${onlyRow}>`),
			done: new Set(isOn(includeExisting) ? [] : old.map(({ id }) => id)),
		};
		// Where no answer tells the time of the service, what came since is told by the clock of n8n.
		const fault = this.clockOffsetMinutes === 0 ? command.fault : undefined;
		const error = await this.poll(trigger, async () => await poller.activate(), fault);
		if (error === undefined) this.trigger = trigger;
		if (fault) publishingGoesOn(error, fault);
	}

	private async goOnPolling(trigger: ActiveTrigger, command: TriggerCommand): Promise<void> {
		const { poller } = trigger;
		switch (command.type) {
			case 'poll':
				await this.poll(trigger, async () => await poller.tick(), command.fault);
				return;
			case 'pollTwice': {
				const twice = async () => await Promise.all([poller.tick(), poller.tick()]);
				await this.poll(trigger, async () => (await twice()).flat());
				return;
			}
			case 'publish':
			case 'restart': {
				const { type, fault } = command;
				const start = async () =>
					type === 'publish' ? await poller.activate('update') : await poller.restart();
				const error = await this.poll(trigger, start, fault);
				if (error) this.trigger = undefined;
				return;
			}
			case 'manualPoll':
				return await this.fetchTestEvent(trigger);
		}
	}

	private async fetchTestEvent({ poller, account, formId, passes }: ActiveTrigger): Promise<void> {
		const staticData = JSON.parse(poller.saved) as IDataObject;
		const { context, workflow } = polling({ ...poller.test, mode: 'manual', staticData });
		const responses = this.world.responsesOf(account, formId).filter(passes);
		const emitted = await runPoll(context).catch((error: Error) => {
			messagesSayWhatToDo([error.message]);
			return [];
		});
		testEventIsNewest(emitted, responses);
		nothingIsSaved(poller.saved, JSON.stringify(workflow.staticData));
	}

	/** @returns what n8n says went wrong */
	private async poll(
		{ poller, account, formId, passes, done }: ActiveTrigger,
		run: () => Promise<unknown[]>,
		fault?: ReadFault,
	): Promise<Error | undefined> {
		const { world } = this;
		if (fault) this.injectReadFaults([{ fault, times: 9 }], [`<${account.index}.${formId[1]}>`]);
		let error: Error | undefined;
		const { requests, result: records } = await this.observe(async () => {
			return await run().catch((reason: Error) => {
				error = reason;
				return [];
			});
		});
		world.clearFaults();
		requestsCarryTheirOwnKey(requests, new Set([`${account.index} ${formId}`]));
		keysStayHome(world.accounts, `${JSON.stringify(records)} ${textOf(error)} ${poller.saved}`);
		if (error) messagesSayWhatToDo([error.message]);
		if (fault) {
			newResponsesAreEmittedOnce(records, []);
			return error;
		}
		if (error) throw error;
		const unseen = world.responsesOf(account, formId).filter(({ id }) => !done.has(id));
		newResponsesAreEmittedOnce(records, unseen.filter(passes));
		for (const { id } of unseen) done.add(id);
		return undefined;
	}

	private rowsOf(specs: RowSpec[], accountPerItem: boolean): string[] {
		const [first] = specs;
		return specs.map((spec) =>
			this.world.textOf(accountPerItem ? spec : { ...spec, account: first?.account ?? 0 }),
		);
	}

	private injectSubmitFaults(command: SubmitCommand): void {
		const rows = this.rowsOf(command.rows, command.accountPerItem);
		for (const { fault, item, times } of command.faults) {
			const row = rows[item % rows.length] as string;
			const account = this.world.accounts[accountIndexIn(row)] as Account;
			this.world.serverOf(account).faults.add({
				...submitFault(fault, this.world.echo(account)),
				route: 'POST /responses',
				contains: row,
				times,
			});
		}
		this.injectReadFaults(command.readFaults, rows);
	}

	private injectReadFaults(faults: SubmitCommand['readFaults'], rows: string[]): void {
		const account = this.world.accounts[accountIndexIn(rows[0] as string)] as Account;
		for (const { fault, times } of faults) {
			this.world.serverOf(account).faults.add({
				...readFault(fault, this.world.echo(account)),
				route: 'GET /responses',
				key: account.apiKey,
				times,
			});
		}
	}

	/**
	 * What the services were asked and what they stored while something ran.
	 *
	 * @param isHasty whether it may leave before an answer comes
	 */
	private async observe<Result>(
		run: () => Promise<Result>,
		isHasty = false,
	): Promise<{ made: Stored[]; requests: Request[]; result: Result }> {
		const { world } = this;
		const known = new Set(world.stored());
		const first = world.requests.length;
		const result = await run();
		const isOver = world.requests.slice(first).every(({ status }) => status !== undefined);
		if (!isOver || isHasty) await world.settle();
		const requests = world.requests.slice(first);
		const made = world.accounts.flatMap((account) =>
			account.responses
				.filter((response) => !known.has(response))
				.map((response) => ({ account, response })),
		);
		return { made, requests, result };
	}

	private checkTexts(execution: Execution): void {
		messagesSayWhatToDo(messagesOf(execution));
		keysStayHome(this.world.accounts, `${execution.saved} ${textOf(execution.error)}`);
	}

	private credentialsOf(rows: string[], accountPerItem: boolean) {
		const { accounts } = this.world;
		const account = accounts[accountIndexIn(rows[0] as string)] as Account;
		if (!accountPerItem) return { baseUrl: account.baseUrl, apiKey: account.apiKey };
		const choose = (values: string[]) => `={{ ${JSON.stringify(values)}[$json.row[1]] }}`;
		return {
			baseUrl: choose(accounts.map(({ baseUrl }) => baseUrl)),
			apiKey: choose(accounts.map(({ apiKey }) => apiKey)),
		};
	}

	private submitWorkflow(command: SubmitCommand, rows: string[], isRemapped = false): WorkflowSpec {
		const { parallelRequests, skipExisting, isMatchedOnRow, isVolatile, faults, onError } = command;
		const answers = [
			'row: $json.row',
			...(isVolatile ? ['at: String(Math.random())'] : []),
			...(isRemapped ? ['more: "more"'] : []),
		];
		const isSilent = faults.some(({ fault }) => fault === 'hang');
		return {
			parameters: {
				operation: 'createResponse',
				formId: { __rl: true, mode: 'id', value: '={{ "f" + $json.row[3] }}' },
				answersInput: 'json',
				answersJson: `={{ { ${answers.join()} } }}`,
				options: {
					parallelRequests,
					skipExisting,
					...(isMatchedOnRow ? { matchOn: ['row'] } : {}),
					...(isSilent ? { timeout: SHORT_TIMEOUT_S } : {}),
				},
			},
			credentials: {
				...this.credentialsOf(rows, command.accountPerItem),
				...(command.isUnreachable ? { baseUrl: CLOSED_PORT } : {}),
			},
			node: settingsOf(command),
			batches: command.batches,
			rounds: command.isWiredBack && onError === 'continueErrorOutput' ? 2 : 0,
		};
	}

	private readWorkflow(command: ReadCommand, rows: string[]): WorkflowSpec {
		const { returnAll, limit, sort, isFlattened, filter } = command;
		const value = filter?.condition === 'equals' ? '={{ $json.row }}' : `.${filter?.row}>`;
		const answerFilters = { filter: [{ question: 'row', ...filter, value }] };
		const options = {
			sort,
			...(filter ? { answerFilters } : {}),
		};
		return {
			parameters: {
				operation: 'getResponses',
				formId: { __rl: true, mode: 'id', value: '={{ "f" + $json.row[3] }}' },
				returnAll,
				limit,
				flattenAnswers: isFlattened,
				options,
			},
			credentials: this.credentialsOf(rows, command.accountPerItem),
			node: settingsOf(command),
			batches: command.batches,
		};
	}

	private expectationOf(command: ReadCommand, row: string): ReadExpectation {
		const account = this.world.accounts[accountIndexIn(row)] as Account;
		const limit = isOn(command.returnAll)
			? Infinity
			: Number(/\d+/.exec(String(command.limit))?.[0]);
		const all = this.world.responsesOf(account, formIn(row));
		const records = all.filter(({ answers }) => passes(command.filter, String(answers.row), row));
		if (command.sort === 'asReceived') return { records: records.slice(0, limit), limit };
		const sign = command.sort === 'oldestFirst' ? 1 : -1;
		const times = records.map(timeOf).sort((a, b) => sign * (a - b));
		const isSorted = (found: SandboxResponse[]) =>
			found.map(timeOf).join() === times.slice(0, limit).join();
		return { records, limit, isSorted };
	}
}

const faultsAreOver = { readFaults: [], isUnreachable: false };

/** What an answer filter lets pass. */
function passes(filter: ReadCommand['filter'], row: string, own: string): boolean {
	switch (filter?.condition) {
		case 'equals':
			return row === own;
		case 'contains':
			return row.includes(`.${filter.row}>`);
		case 'notContains':
			return !row.includes(`.${filter.row}>`);
		case 'isEmpty':
			return false;
		default:
			return true;
	}
}

const timeOf = ({ created_at }: SandboxResponse) => Date.parse(created_at);

const textOf = (error: { message?: string; description?: string | null } = {}) =>
	`${error.message} ${error.description}`;

const isOn = (value: Switch): boolean => value === true || value === '={{ "true" }}';

/** Accounts and forms that the items of an execution are about. */
const askedPairs = ({ asked }: Pick<Lineage, 'asked'>): Set<string> =>
	new Set([...asked.keys()].map((place) => place.replace(/^<(\d).* in /, '$1 ')));

function settingsOf({ tries, onError }: Pick<SubmitCommand, 'tries' | 'onError'>): Partial<INode> {
	const retry = { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 };
	return { onError, ...(tries > 1 ? retry : {}) };
}

/** Skip Existing reads each form once per execution, and again to find out what became of a submission. */
function readsOfSubmit(
	{ skipExisting }: SubmitCommand,
	{ asked, requests, execution }: Lineage,
): Map<string, number> {
	if (!isOn(skipExisting)) return new Map();
	const isUnsettled = requests.some((request) => outcomeOf(request) === 'unknown');
	const most = isUnsettled ? 1 + execution.calls.length : 1;
	return new Map([...askedPairs({ asked })].map((pair) => [pair, most]));
}
