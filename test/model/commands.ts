import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { SandboxResponse } from '../../sandbox';
import { polling } from '../support/engine';
import { Poller, pollPaths, runPoll } from '../support/poller';
import {
	isDelay,
	isSilent,
	isStruck,
	isTemporary,
	late,
	outcomeOf,
	type ReadFault,
	readFault,
	submitFault,
	timeouts,
} from './faults';
import type {
	AgainCommand,
	Command,
	History,
	OthersCommand,
	PollTogetherCommand,
	ReadCommand,
	RetryCommand,
	RowSpec,
	SubmitCommand,
	ToolCommand,
	TriggerCommand,
} from './history';
import {
	allIsInTheOutput,
	eachItemIsAccountedFor,
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
	readsGiveTheirOwn,
	type ReadExpectation,
	refusalsAreTriedAgain,
	requestsAreFew,
	requestsCarryTheirOwnKey,
	type Stored,
	triesAreFew,
	Violation,
} from './invariants';
import type { Execution, Run, WorkflowSpec } from './n8n';
import { Instance } from './n8n';
import type { Account, Request, World } from './world';
import { accountIndexIn, formIn, formOf } from './world';

let workflows = 0;

const triggerName = (name: 0 | 1) => `Trigger ${name}`;

const CLOSED_PORT = 'http://127.0.0.1:1/api';

/** Lets a history happen in a world, and holds what comes of each command against the invariants. */
export async function play(history: History, world: World): Promise<void> {
	world.begin(history);
	const player = new Player(world);
	for (const command of history.commands) {
		await player.play(command);
		world.clearFaults();
	}
	await player.end();
}

/** A failed execution in the list, which may be retried. */
interface FailedExecution {
	command: SubmitCommand;
	lineage: Lineage;
	/** It, or one that it is a retry of, left before the service answered, which nobody else can tell */
	wasHasty: boolean;
}

interface ActiveTrigger {
	activation: TriggerCommand & { type: 'activate' };
	poller: Poller;
	account: Account;
	formId: string;
	/** Responses that a poll must not emit: old ones, and those emitted before */
	done: Set<string>;
}

class Player {
	private readonly instance = new Instance();

	private failed?: FailedExecution;

	/** The last execution of Create Response */
	private last?: SubmitCommand;

	private trigger?: ActiveTrigger;

	constructor(private readonly world: World) {}

	async play(command: Command): Promise<void> {
		switch (command.type) {
			case 'submit':
				return await this.submit(command);
			case 'retry':
				return await this.retry(command);
			case 'again':
				return await this.runAgain(command);
			case 'read':
				return await this.read(command);
			case 'tool':
				return await this.callTool(command);
			case 'others':
				return this.addOthers(command);
			case 'pollTogether':
				return await this.pollTogether(command);
			case 'activate':
				return await this.activate(command);
			default:
				return await this.goOnPolling(command);
		}
	}

	/** What is still to be emitted comes with the next poll. */
	async end(): Promise<void> {
		if (this.trigger) await this.goOnPolling({ type: 'poll' });
	}

	private async runAgain({ faults }: AgainCommand): Promise<void> {
		if (this.last === undefined) return;
		await this.submit({ ...this.last, ...whatWentWrongIsOver, faults });
	}

	private async submit(command: SubmitCommand): Promise<void> {
		this.last = command;
		const rows = this.rowsOf(command.rows, command.accountPerItem);
		const asked = new Map<string, number>();
		for (const row of rows) ask(asked, row, formIn(row));
		const lineage = { asked, requests: [], created: [], formOf: formIn };
		await this.execute(command, lineage, rows, async (onStart) => {
			const input = rows.map((row) => ({ row }));
			return await this.instance.run(this.submitWorkflow(command, rows), input, onStart);
		});
	}

	private async retry({ workflow, isOfFirst = false, faults }: RetryCommand): Promise<void> {
		if (this.failed === undefined) return;
		const { lineage, command: original, wasHasty } = this.failed;
		const execution = (isOfFirst && lineage.first) || lineage.execution;
		const command = { ...original, ...whatWentWrongIsOver, faults };
		const rows = this.rowsOf(command.rows, command.accountPerItem);
		const changed = this.submitWorkflow(command, rows, workflow);
		const formOfOriginal = isOfFirst ? formIn : lineage.formOf;
		const formOf = { original: formOfOriginal, anotherMapping: formIn, anotherForm: otherFormOf };
		if (workflow === 'anotherForm' && lineage.formOf !== otherFormOf) {
			for (const row of rows) ask(lineage.asked, row, otherFormOf(row));
		}
		const again = {
			...execution,
			workflow: { ...execution.workflow, credentials: changed.credentials },
		};
		await this.execute(
			command,
			{ ...lineage, formOf: formOf[workflow] },
			rows,
			async () => await this.instance.retry(again, workflow === 'original' ? undefined : changed),
			wasHasty,
		);
	}

	/** @param lineage what was done before on behalf of the same items */
	private async execute(
		command: SubmitCommand,
		lineage: Omit<Lineage, 'execution'>,
		rows: string[],
		run: (onStart: (stop: () => void) => void) => Promise<Execution>,
		wasHasty = false,
	): Promise<void> {
		const { world } = this;
		const isHastyRun = isHasty(command);
		this.injectSubmitFaults(command, rows);
		const before = world.stored();
		const { made, requests, result } = await this.observe(async () => {
			return await run((stop) => this.stopAt(command.stopAt, stop));
		}, isHastyRun);
		const whole: Lineage = {
			...lineage,
			execution: result,
			first: lineage.first ?? result,
			requests: [...lineage.requests, ...requests],
			created: [...lineage.created, ...made],
		};
		this.failed = undefined;
		nothingIsSentTwice(whole);
		requestsCarryTheirOwnKey(requests, askedPairs(whole));
		const isSettled = !isHastyRun && !wasHasty;
		if (isSettled) requestsAreFew(requests, readsOfSubmit(command, whole));
		triesAreFew(requests, result.calls.length, whole.asked);
		const isMatched = command.isMatchedOnRow === true;
		const isKnownAgain = isMatched || command.volatile === 'none';
		if (isOn(command.skipExisting) && isKnownAgain && lineage.created.length === 0) {
			nothingIsRepeated(before, world, whole, isMatched);
		}
		if (!command.isSaved) return;
		if (result.status !== 'success') {
			this.failed = { command, lineage: whole, wasHasty: !isSettled };
		}
		eachItemIsAccountedFor(world, whole);
		allIsInTheOutput(whole, isOn(command.skipExisting));
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
		const { world } = this;
		const rows = this.rowsOf(
			command.of.map((of) => ({ ...of, row: 0 })),
			command.accountPerItem,
		);
		const items = rows.map((row, index) => ({
			row,
			patience: command.patience?.[index % command.patience.length] ?? 'long',
		}));
		const route = command.operation === 'getForms' ? 'GET /forms' : 'GET /responses';
		this.injectReadFaults(command.faults, rows, route);
		const isLate = command.patience !== undefined && command.operation === 'getResponses';
		if (isLate) {
			for (const server of world.serversOf(world.accounts)) server.faults.add(late);
		}
		const { requests, result } = await this.observe(
			async () => await this.instance.run(this.readWorkflow(command, rows), items),
			isLate,
		);
		const most = new Map<string, number>();
		for (const index of result.calls) {
			const { input = [] } = result.runs[index] ?? {};
			const keys = new Set(input.map(({ row }) => readKey(command, String(row))));
			for (const key of keys) most.set(key, (most.get(key) ?? 0) + 1);
		}
		requestsCarryTheirOwnKey(requests, readPairs(command, rows));
		requestsAreFew(requests, most);
		triesAreFew(requests, result.calls.length, new Map());
		readsGiveTheirOwn(result, (json) => this.expectationOf(command, json));
		this.checkTexts(result);
		const isHealthy = requests.every(({ fault }) => fault === undefined || isDelay(fault));
		if (isHealthy && (!isLate || result.runs.every(isPatient))) nothingFails(result);
	}

	private async callTool(command: ToolCommand): Promise<void> {
		const rows = this.rowsOf(command.calls, false);
		this.injectSubmitFaults({ ...command, readFaults: [] }, rows);
		const spec = this.submitWorkflow(
			{
				...command,
				answersInput: 'json',
				volatile: 'none',
				parallelRequests: 1,
				onError: 'stopWorkflow',
				accountPerItem: false,
				isUnreachable: false,
				batches: 1,
			},
			rows,
		);
		const call = this.instance.tool(spec);
		for (const row of rows) {
			const { made, requests, result } = await this.observe(
				async () =>
					await call({ row }).then(
						(output) => ({ output: String(output), error: undefined }),
						(error: Error) => ({ output: '', error }),
					),
				isHasty(command),
			);
			const asked = new Map<string, number>();
			ask(asked, row, formIn(row));
			const { output, error } = result;
			const execution: Execution = {
				status: error ? 'error' : 'success',
				runs: error
					? []
					: [
							{
								input: [{ row }],
								items: (JSON.parse(output) as IDataObject[]).map((json) => ({
									json,
									pairedItem: { item: 0 },
								})),
							},
						],
				error,
				calls: [],
				saved: output,
				workflow: spec,
			};
			const lineage = { execution, asked, requests, created: made, formOf: formIn };
			nothingIsSentTwice(lineage);
			requestsCarryTheirOwnKey(requests, askedPairs(lineage));
			eachItemIsAccountedFor(this.world, lineage);
			allIsInTheOutput(lineage, command.skipExisting);
			this.checkTexts(execution);
		}
	}

	private addOthers({ add }: OthersCommand): void {
		for (const row of add) this.world.add(row);
	}

	private async pollTogether({ triggers }: PollTogetherCommand): Promise<void> {
		const { world } = this;
		const accounts = triggers.map((each) => world.accountOf(each));
		const polls = this.instance.triggers(
			triggers.map((each, index) => ({
				parameters: {
					formId: { __rl: true, mode: 'id', value: `={{ "${formOf(each)}" }}` },
					options: { includeExisting: '={{ "false" }}' },
				},
				credentials: this.credentialsOf([`<${accounts[index]?.index}>`], false),
			})),
		);
		const before = world.stored();
		const expectAll = async (isNew: (response: SandboxResponse) => boolean) => {
			const emitted = await polls.pollAll().catch((error: Error) => {
				throw new Violation('polls leave each other alone', error.message);
			});
			triggers.forEach((each, index) => {
				const responses = world.responsesOf(accounts[index] as Account, formOf(each));
				newResponsesAreEmittedOnce(emitted[index] ?? [], responses.filter(isNew));
			});
		};
		await expectAll(() => false);
		triggers.forEach((each, row) => world.add({ ...each, row }));
		await expectAll((response) => !before.includes(response));
		await expectAll(() => false);
	}

	private async activate(command: TriggerCommand & { type: 'activate' }): Promise<void> {
		const account = this.world.accountOf(command);
		const formId = formOf(command);
		const poller = new Poller(pollPaths[command.path], {
			// Histories run side by side.
			workflowId: `workflow ${++workflows}`,
			parameters: {
				formId: { __rl: true, mode: 'id', value: formId },
				options: { includeExisting: command.includeExisting },
			},
			credentials: { baseUrl: account.baseUrl, apiKey: account.apiKey },
			node: { name: triggerName(0) },
		});
		const old = this.world.responsesOf(account, formId);
		// The service tells its time in whole seconds.
		this.world.age(old);
		const isIncluded = isOn(command.includeExisting);
		const done = new Set(isIncluded ? [] : old.map(({ id }) => id));
		this.trigger = undefined;
		const trigger = { activation: command, poller, account, formId, done };
		const isActive = await this.poll(trigger, command, async () => await poller.activate());
		if (isActive) this.trigger = trigger;
	}

	private async goOnPolling(command: Exclude<TriggerCommand, { type: 'activate' }>): Promise<void> {
		const { trigger } = this;
		if (trigger === undefined) return;
		const { poller } = trigger;
		switch (command.type) {
			case 'poll':
				await this.poll(trigger, command, async () => await poller.tick());
				return;
			case 'pollTwice':
				// n8n's scheduler does not start a poll before the last one has ended.
				if (trigger.activation.path !== 0) return;
				await this.poll(trigger, {}, async () => {
					const both = await Promise.all([poller.tick(), poller.tick()]);
					return both.flat();
				});
				return;
			case 'publish':
				return await this.publishAgain(trigger, command);
			case 'restart':
				if (command.isStateLost) return await this.activate(trigger.activation);
				await this.poll(trigger, {}, async () => await poller.restart(), true);
				return;
			case 'manualPoll':
				return await this.fetchTestEvent(poller);
		}
	}

	private async publishAgain(
		trigger: ActiveTrigger,
		command: TriggerCommand & { type: 'publish' },
	): Promise<void> {
		const { poller, account, formId } = trigger;
		const node = { name: triggerName(command.name) };
		if (poller.test.node?.name !== node.name) {
			// A renamed trigger may miss what came after its last poll …
			await this.poll(trigger, {}, async () => await poller.tick());
			// … and tells by the times what came before it was published. The service tells its time in whole seconds.
			this.world.age(this.world.responsesOf(account, formId));
		}
		poller.test = { ...poller.test, node };
		const publish = async () => await poller.activate('update');
		if (!(await this.poll(trigger, command, publish))) this.trigger = undefined;
	}

	private async fetchTestEvent(poller: Poller): Promise<void> {
		const staticData = JSON.parse(poller.saved) as IDataObject;
		const { context, workflow } = polling({ ...poller.test, mode: 'manual', staticData });
		await runPoll(context).catch((error: Error) => messagesSayWhatToDo([error.message]));
		nothingIsSaved(poller.saved, JSON.stringify(workflow.staticData));
	}

	/** @returns false where n8n refuses the activation */
	private async poll(
		trigger: ActiveTrigger,
		{ fault, isUnsaved = false }: { fault?: ReadFault; isUnsaved?: boolean },
		run: () => Promise<unknown[]>,
		mayDoNothing = false,
	): Promise<boolean> {
		const { world } = this;
		const { account, formId, poller, done } = trigger;
		if (fault) this.injectReadFaults([{ fault, times: 9 }], [`<${account.index}.${formId[1]}>`]);
		// Only with durable cursors n8n starts nothing that it cannot save.
		poller.losesCursors = isUnsaved && pollPaths[trigger.activation.path] === 'durable cursors';
		const { requests, result } = await this.observe(
			async () =>
				await run().then(
					(records) => ({ records, error: undefined }),
					(error: Error) => ({ records: [], error }),
				),
		);
		world.clearFaults();
		const { records, error } = result;
		requestsCarryTheirOwnKey(requests, new Set([`${account.index} ${formId}`]));
		keysStayHome(world.accounts, `${JSON.stringify(records)} ${error?.message} ${poller.state}`);
		if (error) messagesSayWhatToDo([error.message]);
		if (fault) {
			newResponsesAreEmittedOnce(records, []);
			return error === undefined || isTemporary(fault);
		}
		if (error)
			nothingFails({ status: 'error', runs: [], error, calls: [], saved: '', workflow: none });
		if (poller.losesCursors) return true;
		if (mayDoNothing && requests.length === 0) return true;
		const expected = world.responsesOf(account, formId).filter(({ id }) => !done.has(id));
		newResponsesAreEmittedOnce(records, expected);
		for (const { id } of expected) done.add(id);
		return true;
	}

	private rowsOf(specs: RowSpec[], accountPerItem: boolean): string[] {
		const [first] = specs;
		return specs.map((spec) =>
			this.world.textOf(accountPerItem ? spec : { ...spec, account: first?.account ?? 0 }),
		);
	}

	private injectSubmitFaults(
		{ faults, readFaults }: Pick<SubmitCommand, 'faults' | 'readFaults'>,
		rows: string[],
	): void {
		for (const { fault, item, times } of faults) {
			const row = rows[item % rows.length] as string;
			const account = this.world.accounts[accountIndexIn(row)] as Account;
			for (const server of this.world.serversOf([account])) {
				server.faults.add({
					...submitFault(fault, this.world.echo(account)),
					route: 'POST /responses',
					contains: row,
					times,
				});
			}
		}
		this.injectReadFaults(readFaults, rows);
	}

	private injectReadFaults(
		faults: SubmitCommand['readFaults'],
		rows: string[],
		route = 'GET /responses',
	): void {
		const account = this.world.accounts[accountIndexIn(rows[0] as string)] as Account;
		for (const { fault, times } of faults) {
			for (const server of this.world.serversOf([account])) {
				server.faults.add({
					...readFault(fault, this.world.echo(account)),
					route,
					key: account.apiKey,
					times,
				});
			}
		}
	}

	private stopAt(count: number | undefined, stop: () => void): void {
		if (count === undefined) return;
		let left = count;
		this.world.onRequest = ({ method }) => {
			if (method === 'POST' && left-- === 0) stop();
		};
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
		world.onRequest = undefined;
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
		const error = JSON.stringify([execution.error?.message, execution.error?.description]);
		keysStayHome(this.world.accounts, `${execution.saved} ${error}`);
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

	private submitWorkflow(
		command: Omit<SubmitCommand, 'type' | 'rows' | 'readFaults' | 'isSaved'>,
		rows: string[],
		version: RetryCommand['workflow'] = 'original',
	): WorkflowSpec {
		const { parallelRequests, skipExisting, isMatchedOnRow, faults } = command;
		const credentials = this.credentialsOf(rows, command.accountPerItem);
		const number = version === 'anotherForm' ? '1 - $json.row[3]' : '$json.row[3]';
		const timeout = faults.some(({ fault }) => isSilent(fault)) ? { timeout: timeouts.short } : {};
		return {
			parameters: {
				operation: 'createResponse',
				formId: { __rl: true, mode: 'id', value: `={{ "f" + (${number}) }}` },
				...answersOf(command, version),
				options: {
					parallelRequests,
					skipExisting,
					...(isMatchedOnRow ? { matchOn: ['row'] } : {}),
					...timeout,
				},
			},
			credentials: {
				...credentials,
				...(command.isUnreachable ? { baseUrl: CLOSED_PORT } : {}),
				...(command.isCutWhileSending ? { baseUrl: this.world.cuttingUrl } : {}),
			},
			node: settingsOf(command),
			batches: command.batches,
			rounds: command.isWiredBack && command.onError === 'continueErrorOutput' ? 2 : 0,
		};
	}

	private readWorkflow(command: ReadCommand, rows: string[]): WorkflowSpec {
		const {
			operation,
			returnAll,
			limit,
			sort,
			patience,
			isFlattened = false,
			filter,
			bound,
		} = command;
		const timeout = `={{ ${JSON.stringify(timeouts)}[$json.patience] }}`;
		const value = filter?.condition === 'equals' ? '={{ $json.row }}' : `.${filter?.row}>`;
		const answerFilters = { filter: [{ question: 'row', ...filter, value }] };
		const options = {
			sort,
			...(patience ? { timeout } : {}),
			...(filter ? { answerFilters } : {}),
			...(bound ? { [bound]: '={{ $now.minus({ minutes: 30 }).toISO() }}' } : {}),
		};
		return {
			parameters: {
				operation,
				formId: { __rl: true, mode: 'id', value: '={{ "f" + $json.row[3] }}' },
				returnAll,
				limit,
				...(operation === 'getResponses' ? { flattenAnswers: isFlattened, options } : {}),
			},
			credentials: this.credentialsOf(rows, command.accountPerItem),
			node: settingsOf(command),
			batches: command.batches,
		};
	}

	private expectationOf(command: ReadCommand, { row }: IDataObject): ReadExpectation {
		const text = String(row);
		const account = this.world.accounts[accountIndexIn(text)] as Account;
		const limit = isOn(command.returnAll)
			? Infinity
			: Number(/\d+/.exec(String(command.limit))?.[0]);
		if (command.operation === 'getForms') return { records: account.forms, limit };
		const all = this.world.responsesOf(account, formIn(text));
		if (command.operation === 'getQuestions') return { records: questionsIn(all), limit: Infinity };
		const halfAnHourAgo = Date.now() - 1_800_000;
		const records = all.filter(
			(record) =>
				(command.bound === undefined ||
					(command.bound === 'createdAfter') === timeOf(record) > halfAnHourAgo) &&
				passes(command.filter, String(record.answers.row), text),
		);
		const best = (compare: (a: number, b: number) => number) => {
			const times = records.map(timeOf).sort(compare).slice(0, limit);
			return (found: SandboxResponse[]) => found.map(timeOf).join() === times.join();
		};
		switch (command.sort) {
			case 'newestFirst':
				return { records, limit, isSorted: best((a, b) => b - a) };
			case 'oldestFirst':
				return { records, limit, isSorted: best((a, b) => a - b) };
			case 'asReceived':
				return { records: records.slice(0, limit), limit };
		}
	}
}

type Hurry = Pick<SubmitCommand, 'faults' | 'stopAt' | 'isCutWhileSending'>;

/** Whether it ends before the service answers, or has a timeout that a busy computer may be too slow for. */
const isHasty = ({ faults, stopAt, isCutWhileSending }: Hurry): boolean =>
	stopAt !== undefined || isCutWhileSending === true || faults.some(({ fault }) => isSilent(fault));

const whatWentWrongIsOver = {
	readFaults: [],
	isUnreachable: false,
	isCutWhileSending: false,
	stopAt: undefined,
};

const none: WorkflowSpec = { parameters: {}, credentials: {}, node: {}, batches: 1 };

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

/** How many responses have an answer to each question. */
function questionsIn(responses: SandboxResponse[]): { key: string; answered: number }[] {
	const keys = new Set(responses.flatMap(({ answers }) => Object.keys(answers)));
	return [...keys].map((key) => ({
		key,
		answered: responses.filter(({ answers }) => key in answers).length,
	}));
}

const timeOf = ({ created_at }: SandboxResponse) => Date.parse(created_at);

const isOn = (value: boolean | string): boolean => value === true || value === '={{ "true" }}';

const otherFormOf = (row: string) => (formIn(row) === 'f0' ? 'f1' : 'f0');

function ask(asked: Map<string, number>, row: string, formId: string): void {
	const place = placeOf(row, formId);
	asked.set(place, (asked.get(place) ?? 0) + 1);
}

/** Accounts and forms that the items of an execution are about. */
function askedPairs({ asked }: Pick<Lineage, 'asked'>): Set<string> {
	return new Set([...asked.keys()].map((place) => place.replace(/^<(\d).* in /, '$1 ')));
}

function settingsOf({ tries, onError }: Pick<SubmitCommand, 'tries' | 'onError'>): Partial<INode> {
	const retry = { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 };
	return { onError, ...(tries > 1 ? retry : {}) };
}

function answersOf(
	{ answersInput, volatile }: Pick<SubmitCommand, 'answersInput' | 'volatile'>,
	version: RetryCommand['workflow'],
): INodeParameters {
	const answers: [string, string][] = [['row', '$json.row']];
	if (volatile !== 'none') answers.push(['at', `String(${volatile})`]);
	if (version === 'anotherMapping') answers.push(['more', '"more"']);
	if (answersInput === 'automatic' && answers.length === 1) {
		return {
			answersInput: 'mapping',
			answersMapping: { mappingMode: 'autoMapInputData', value: null },
		};
	}
	const cells = answers.map(([key, expression]) => ({ key, value: `={{ ${expression} }}` }));
	switch (answersInput) {
		case 'keyValue':
			return { answersInput, answers: { answer: cells } };
		case 'mapping':
			return {
				answersInput,
				answersMapping: {
					mappingMode: 'defineBelow',
					value: Object.fromEntries(cells.map(({ key, value }) => [key, value])),
				},
			};
		default: {
			const members = answers.map(([key, expression]) => `${key}: ${expression}`);
			return { answersInput: 'json', answersJson: `={{ { ${members.join()} } }}` };
		}
	}
}

/** Skip Existing reads each form once per execution, and again to find out what became of a submission. */
function readsOfSubmit(
	{ skipExisting }: SubmitCommand,
	{ asked, requests, execution }: Lineage,
): Map<string, number> {
	if (!isOn(skipExisting)) return new Map();
	const isUnsettled = requests.some((request) => outcomeOf(request) === 'unknown');
	const most = isUnsettled ? 1 + execution.calls.length : 1;
	return new Map(
		[...askedPairs({ asked })].map((pair) => {
			const [account, formId] = pair.split(' ');
			return [`${account} GET /responses ${formId}`, most];
		}),
	);
}

/** Items that share a request wait for as long as the most patient one. */
function isPatient({ input }: Run): boolean {
	const patient = input.filter(({ patience }) => patience === 'long').map(({ row }) => row);
	return input.every(({ row }) => patient.includes(row));
}

/** Accounts, and forms where the operation is about one. */
function readPairs({ operation }: ReadCommand, rows: string[]): Set<string> {
	return new Set(
		rows.map((row) => {
			const account = accountIndexIn(row);
			return operation === 'getForms' ? `${account}` : `${account} ${formIn(row)}`;
		}),
	);
}

function readKey({ operation }: ReadCommand, row: string): string {
	const account = accountIndexIn(row);
	return operation === 'getForms'
		? `${account} GET /forms`
		: `${account} GET /responses ${formIn(row)}`;
}
