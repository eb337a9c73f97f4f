import type { IDataObject } from 'n8n-workflow';
import type { SandboxResponse } from '../../sandbox';
import { execute, polling, retry, type TestResult, type TestRun } from '../support/engine';
import { Poller, runPoll } from '../support/poller';
import { isStruck, outcomeOf, type ReadFault, readFault, submitFault } from './faults';
import type {
	ActivateCommand,
	Command,
	History,
	RetryCommand,
	RowSpec,
	SubmitCommand,
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
	refusalsAreTriedAgain,
	requestsAreFew,
	requestsCarryTheirOwnKey,
	type Stored,
	testEventIsNewest,
	triesAreFew,
} from './invariants';
import type { Account, Request, World } from './world';
import { accountIndexIn, formIn, formOf } from './world';

/** Lets a history happen in a world, and holds what comes of each command against the invariants. */
export async function play(history: History, world: World): Promise<void> {
	world.begin(history);
	const player = new Player(world);
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
				if (this.last) await this.submit({ ...this.last, readFaults: [], ...command });
				return;
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
		const test = this.submitTest(this.last, rows);
		const lineage = { asked, requests: [], created: [] };
		await this.execute(this.last, lineage, async () => await execute(test));
	}

	private async retry({ isRemapped, faults }: RetryCommand): Promise<void> {
		if (this.failed === undefined) return;
		const { lineage } = this.failed;
		const command = { ...this.failed.command, readFaults: [], faults };
		const rows = this.rowsOf(command.rows, command.accountPerItem);
		const now = isRemapped ? this.submitTest(command, rows, true) : undefined;
		await this.execute(command, lineage, async () => await retry(lineage.execution, now));
	}

	/** @param lineage what was done before on behalf of the same items */
	private async execute(
		command: SubmitCommand,
		lineage: Omit<Lineage, 'execution'>,
		run: () => Promise<TestResult>,
	): Promise<void> {
		const { world } = this;
		this.injectSubmitFaults(command);
		const before = world.stored();
		const { made, requests, result } = await this.observe(run);
		const whole: Lineage = {
			asked: lineage.asked,
			execution: result,
			requests: [...lineage.requests, ...requests],
			created: [...lineage.created, ...made],
		};
		this.failed = result.status === 'success' ? undefined : { command, lineage: whole };
		const { skipExisting: isSkipping } = command;
		const isMatched = isSkipping && command.isMatchedOnRow;

		nothingIsSentTwice(whole);
		requestsCarryTheirOwnKey(requests, askedPairs(whole));
		requestsAreFew(requests, readsOfSubmit(command, whole));
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
		if (command.onError === 'stopWorkflow') {
			refusalsAreTriedAgain(whole, struck, command.tries);
		}
		// An earlier try may have left what nobody knows, or an output that n8n takes for complete.
		const isUnsettled = lineage.requests.some((request) => outcomeOf(request) === 'unknown');
		if (!isUnsettled && struck.length === 0) nothingFails(result);
	}

	private async activate(command: ActivateCommand): Promise<void> {
		const { world } = this;
		const { includeExisting, onlyRow } = command;
		const account = world.accountOf(command);
		const formId = formOf(command);
		const filter = [{ question: 'row', condition: 'contains', value: `.${onlyRow}>` }];
		const poller = new Poller('classic', {
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
			done: new Set(includeExisting ? [] : old.map(({ id }) => id)),
		};
		const { fault } = command;
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
					type === 'publish' ? await poller.activate() : await poller.restart();
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

	/** What the services were asked and what they stored while something ran. */
	private async observe<Result>(
		run: () => Promise<Result>,
	): Promise<{ made: Stored[]; requests: Request[]; result: Result }> {
		const { world } = this;
		const known = new Set(world.stored());
		const first = world.requests.length;
		const result = await run();
		const requests = world.requests.slice(first);
		const made = world.accounts.flatMap((account) =>
			account.responses
				.filter((response) => !known.has(response))
				.map((response) => ({ account, response })),
		);
		return { made, requests, result };
	}

	private checkTexts(execution: TestResult): void {
		messagesSayWhatToDo(messagesOf(execution));
		keysStayHome(this.world.accounts, `${execution.save()} ${textOf(execution.error)}`);
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

	private submitTest(command: SubmitCommand, rows: string[], isRemapped = false): TestRun {
		const { parallelRequests, skipExisting, isMatchedOnRow, isVolatile, tries, onError } = command;
		const answers = [
			'row: $json.row',
			...(isVolatile ? ['at: String(Math.random())'] : []),
			...(isRemapped ? ['more: "more"'] : []),
		];
		const matchOn = isMatchedOnRow ? ['row'] : [];
		const retries = { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 };
		const isLoop = command.isWiredBack && onError === 'continueErrorOutput';
		return {
			parameters: {
				operation: 'createResponse',
				formId: { __rl: true, mode: 'id', value: '={{ "f" + $json.row[3] }}' },
				answersInput: 'json',
				answersJson: `={{ { ${answers.join()} } }}`,
				options: { parallelRequests, skipExisting, matchOn },
			},
			credentials: this.credentialsOf(rows, command.accountPerItem),
			input: rows.map((row) => ({ row })),
			node: { onError, ...(tries > 1 ? retries : {}) },
			batches: command.batches,
			wiredBack: isLoop ? { rounds: 2 } : undefined,
		};
	}
}

const textOf = (error: { message?: string; description?: string | null } = {}) =>
	`${error.message} ${error.description}`;

/** Accounts and forms that the items of an execution are about. */
const askedPairs = ({ asked }: Pick<Lineage, 'asked'>): Set<string> =>
	new Set([...asked.keys()].map((place) => place.replace(/^<(\d).* in /, '$1 ')));

/** Skip Existing reads each form once per execution, and again to find out what became of a submission. */
function readsOfSubmit(
	{ skipExisting }: SubmitCommand,
	{ asked, requests, execution }: Lineage,
): Map<string, number> {
	if (!skipExisting) return new Map();
	const isUnsettled = requests.some((request) => outcomeOf(request) === 'unknown');
	const most = isUnsettled ? 1 + execution.calls.length : 1;
	return new Map([...askedPairs({ asked })].map((pair) => [pair, most]));
}
