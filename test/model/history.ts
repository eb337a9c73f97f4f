import fc from 'fast-check';
import type { ReadFault, SubmitFault } from './faults';
import { readFaults, submitFaults } from './faults';

/** A world and what happens in it, as data: a counterexample is kept as it was printed. */
export interface History {
	accounts: AccountSpec[];
	/** Responses that are there at first */
	existing: RowSpec[];
	/** How far the clock of the service is ahead */
	clockOffsetMinutes: number;
	commands: Command[];
}

export interface AccountSpec {
	key: 'plain' | 'signs' | 'markup' | 'long';
	/** Accounts may share a server, so that only the key tells them apart */
	server: 0 | 1;
}

/** One row of an import: it goes to a form of an account. */
export interface RowSpec {
	account: number;
	form: 0 | 1;
	row: number;
}

export interface SubmitCommand {
	type: 'submit';
	rows: RowSpec[];
	/** Each item has its own account, or all have that of the first */
	accountPerItem: boolean;
	answersInput: 'json' | 'keyValue' | 'mapping' | 'automatic';
	/** An answer that is another one at each evaluation */
	volatile: 'none' | '$now.toMillis()' | 'Math.random()' | '$execution.id';
	parallelRequests: number;
	skipExisting: boolean | '={{ "true" }}' | '={{ "false" }}';
	/** With Skip Existing: the row alone tells what is the same */
	isMatchedOnRow?: boolean;
	tries: number;
	/** The error output leads back into the node, a few times */
	isWiredBack?: boolean;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** In how many runs of the node, as in a loop */
	batches: number;
	faults: { fault: SubmitFault; item: number; times: number }[];
	/** Of what the node reads before it submits */
	readFaults: { fault: ReadFault; times: number }[];
	/** Nothing listens at the address of the service */
	isUnreachable: boolean;
	/** The connection breaks while a request is being sent */
	isCutWhileSending?: boolean;
	/** Stops the execution as this submission arrives, counted from 0 */
	stopAt?: number;
	/** False for a process that died before n8n saved the execution */
	isSaved: boolean;
}

export interface RetryCommand {
	type: 'retry';
	/** The workflow as it was, or as it is saved now */
	workflow: 'original' | 'anotherMapping' | 'anotherForm';
	/** The execution that failed first, and not its newest retry */
	isOfFirst?: boolean;
	faults: SubmitCommand['faults'];
}

/** The same rows in a new execution: run again, or called again by another workflow. */
export interface AgainCommand {
	type: 'again';
	faults: SubmitCommand['faults'];
}

export interface ReadCommand {
	type: 'read';
	operation: 'getResponses' | 'getForms' | 'getQuestions';
	/** The options of Get Responses */
	isFlattened?: boolean | '={{ "true" }}' | '={{ "false" }}';
	filter?: {
		condition: 'equals' | 'contains' | 'notContains' | 'isEmpty' | 'isNotEmpty';
		row: number;
	};
	/** The moment half an hour ago as a bound */
	bound?: 'createdAfter' | 'createdBefore';
	of: { account: number; form: 0 | 1 }[];
	accountPerItem: boolean;
	returnAll: boolean | '={{ "true" }}' | '={{ "false" }}';
	limit: 1 | 3 | 50 | '={{ "2" }}';
	sort: 'asReceived' | 'newestFirst' | 'oldestFirst';
	faults: SubmitCommand['readFaults'];
	/** The service answers late: in time for the items that wait long enough */
	patience?: ('short' | 'long')[];
	batches: number;
	tries: number;
	onError: SubmitCommand['onError'];
}

export interface ToolCommand {
	type: 'tool';
	/** What the agent submits, call by call */
	calls: RowSpec[];
	tries: number;
	skipExisting: boolean;
	faults: SubmitCommand['faults'];
}

export interface OthersCommand {
	type: 'others';
	add: RowSpec[];
}

export type TriggerCommand =
	| {
			type: 'activate';
			account: number;
			form: 0 | 1;
			includeExisting: boolean | '={{ "true" }}' | '={{ "false" }}';
			path: 0 | 1 | 2;
			fault?: ReadFault;
			isUnsaved?: boolean;
	  }
	| { type: 'poll'; fault?: ReadFault; isUnsaved?: boolean }
	/** Again, with this name of the trigger */
	| { type: 'publish'; name: 0 | 1; fault?: ReadFault }
	| { type: 'restart'; isStateLost: boolean }
	| { type: 'manualPoll' }
	| { type: 'pollTwice' };

/** A workflow with triggers that all poll in the same second. */
export interface PollTogetherCommand {
	type: 'pollTogether';
	triggers: { account: number; form: 0 | 1 }[];
}

export type Command =
	| SubmitCommand
	| RetryCommand
	| AgainCommand
	| ReadCommand
	| ToolCommand
	| OthersCommand
	| TriggerCommand
	| PollTogetherCommand;

const form = fc.constantFrom(0 as const, 1 as const);
const account = fc.nat(2);
const row: fc.Arbitrary<RowSpec> = fc.record({ account, form, row: fc.nat(5) });
const rarely = (weight: number) => fc.nat(weight - 1).map((n) => n === weight - 1);
const tries = fc.constantFrom(1, 2, 3);
const batches = fc.constantFrom(1, 1, 1, 2, 3);
const onError = fc.constantFrom(
	'stopWorkflow' as const,
	'continueRegularOutput' as const,
	'continueErrorOutput' as const,
);
/** A long one takes long to look for. */
const keyKind: fc.Arbitrary<AccountSpec['key']> = fc.oneof(
	{ weight: 7, arbitrary: fc.constantFrom('plain', 'signs', 'markup') },
	{ weight: 1, arbitrary: fc.constant('long') },
);
/** Undefined but for one time in so many */
const oneIn = <T>(times: number, values: fc.Arbitrary<T>) =>
	fc.oneof(
		{ weight: times - 1, arbitrary: fc.constant(undefined) },
		{ weight: 1, arbitrary: values },
	);
const faultsOf = (maxLength: number) =>
	fc.array(
		fc.record({
			fault: fc.constantFrom(...submitFaults),
			item: fc.nat(7),
			times: fc.constantFrom(1, 1, 2, 9),
		}),
		{ maxLength },
	);
const readFault = fc.constantFrom(...readFaults);
const readFaultsOf = (maxLength: number) =>
	fc.array(fc.record({ fault: readFault, times: fc.constantFrom(1, 1, 9) }), { maxLength });
/** Of true and false, in each way in which it may be entered */
const boolean = fc.constantFrom(false, true, '={{ "false" }}' as const, '={{ "true" }}' as const);

/** Each try of an unreachable service takes a second. */
const brief = (command: SubmitCommand): SubmitCommand =>
	command.isUnreachable ? { ...command, rows: command.rows.slice(0, 1), tries: 1 } : command;

const submit = fc
	.record<SubmitCommand>({
		type: fc.constant('submit'),
		rows: fc.array(row, { minLength: 1, maxLength: 8 }),
		accountPerItem: fc.boolean(),
		answersInput: fc.constantFrom('json', 'keyValue', 'mapping', 'automatic'),
		volatile: fc.constantFrom('none', '$now.toMillis()', 'Math.random()', '$execution.id'),
		parallelRequests: fc.constantFrom(1, 2, 10),
		skipExisting: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, boolean),
		isMatchedOnRow: fc.boolean(),
		tries,
		isWiredBack: fc.boolean(),
		onError,
		batches,
		faults: faultsOf(2),
		readFaults: readFaultsOf(1),
		isUnreachable: rarely(40),
		isCutWhileSending: rarely(15),
		stopAt: oneIn(6, fc.nat(5)),
		isSaved: rarely(6).map((isLost) => !isLost),
	})
	.map(brief);

const retry: fc.Arbitrary<RetryCommand> = fc.record({
	type: fc.constant('retry'),
	workflow: fc.constantFrom('original', 'anotherMapping', 'anotherForm'),
	isOfFirst: rarely(3),
	faults: faultsOf(1),
});

const again: fc.Arbitrary<AgainCommand> = fc.record({
	type: fc.constant('again'),
	faults: faultsOf(1),
});

const read: fc.Arbitrary<ReadCommand> = fc.record({
	type: fc.constant('read'),
	operation: fc.constantFrom('getResponses', 'getResponses', 'getForms', 'getQuestions'),
	isFlattened: boolean,
	filter: oneIn(
		3,
		fc.record({
			condition: fc.constantFrom('equals', 'contains', 'notContains', 'isEmpty', 'isNotEmpty'),
			row: fc.nat(5),
		}),
	),
	bound: oneIn(3, fc.constantFrom('createdAfter' as const, 'createdBefore' as const)),
	of: fc.array(fc.record({ account, form }), { minLength: 1, maxLength: 5 }),
	accountPerItem: fc.boolean(),
	returnAll: boolean,
	limit: fc.constantFrom(1 as const, 3 as const, 50 as const, '={{ "2" }}' as const),
	sort: fc.constantFrom('asReceived', 'newestFirst', 'oldestFirst'),
	faults: readFaultsOf(1),
	patience: oneIn(
		4,
		fc.array(fc.constantFrom('short' as const, 'long' as const), { minLength: 1, maxLength: 3 }),
	),
	batches,
	tries,
	onError,
});

const tool: fc.Arbitrary<ToolCommand> = fc.record({
	type: fc.constant('tool'),
	calls: fc.array(row, { minLength: 1, maxLength: 3 }),
	tries,
	skipExisting: fc.boolean(),
	faults: faultsOf(1),
});

const others: fc.Arbitrary<OthersCommand> = fc.record({
	type: fc.constant('others'),
	add: fc.array(row, { minLength: 1, maxLength: 3 }),
});

const activate: fc.Arbitrary<TriggerCommand> = fc.record({
	type: fc.constant('activate'),
	account,
	form,
	includeExisting: boolean,
	path: fc.constantFrom(0 as const, 1 as const, 2 as const),
	fault: oneIn(2, readFault),
	isUnsaved: rarely(4),
});

const trigger: fc.Arbitrary<TriggerCommand> = fc.oneof(
	activate,
	fc.record({
		type: fc.constant('poll' as const),
		fault: oneIn(2, readFault),
		isUnsaved: rarely(4),
	}),
	fc.record({
		type: fc.constant('publish' as const),
		name: fc.constantFrom(0 as const, 1 as const),
		fault: oneIn(2, readFault),
	}),
	fc.record({ type: fc.constant('restart' as const), isStateLost: fc.boolean() }),
	fc.constant({ type: 'manualPoll' as const }),
	fc.constant({ type: 'pollTwice' as const }),
);

const pollTogether: fc.Arbitrary<PollTogetherCommand> = fc.record({
	type: fc.constant('pollTogether'),
	triggers: fc.array(fc.record({ account, form }), { minLength: 2, maxLength: 3 }),
});

const world = {
	accounts: fc.array(
		fc.record({
			key: keyKind,
			server: fc.constantFrom(0 as const, 1 as const),
		}),
		{ minLength: 1, maxLength: 3 },
	),
	existing: fc.array(row, { maxLength: 6 }),
	clockOffsetMinutes: fc.constantFrom(0, 0, -90, 90),
};

/** What comes later is about what comes first. */
const beginningWith = (first: fc.Arbitrary<Command>, later: fc.Arbitrary<Command>, most: number) =>
	fc
		.tuple(first, fc.array(later, { maxLength: most - 1 }))
		.map(([command, commands]) => [command, ...commands]);

/** Most histories are about submissions, a trigger, or reads alone, the others about all. */
export const histories: fc.Arbitrary<History> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			...world,
			commands: beginningWith(
				submit,
				fc.oneof(
					{ weight: 3, arbitrary: submit },
					{ weight: 3, arbitrary: retry },
					{ weight: 1, arbitrary: again },
					{ weight: 1, arbitrary: others },
				),
				4,
			),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			...world,
			commands: beginningWith(activate, fc.oneof(trigger, trigger, others), 8),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			...world,
			commands: beginningWith(read, fc.oneof(read, read, others), 4),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			...world,
			commands: fc.array(
				fc.oneof(submit, retry, again, read, read, tool, others, trigger, pollTogether),
				{
					minLength: 1,
					maxLength: 5,
				},
			),
		}),
	},
);
