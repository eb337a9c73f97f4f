import fc from 'fast-check';
import type { ReadFault, SubmitFault } from './faults';
import { readFaults, submitFaults } from './faults';

/** A world and what happens in it, as data: a counterexample is kept as it was printed. */
export interface History {
	accounts: AccountSpec[];
	/** Responses that are there at first */
	existing: RowSpec[];
	commands: Command[];
}

export interface AccountSpec {
	key: 'plain' | 'signs';
	/** Accounts may share a server, so that only the key tells them apart */
	server: 0 | 1;
}

/** One row of an import: it goes to a form of an account. */
export interface RowSpec {
	account: number;
	form: 0 | 1;
	row: number;
}

interface NodeSettings {
	/** Each item has its own account, or all have that of the first */
	accountPerItem: boolean;
	tries: number;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** In how many runs of the node, as in a loop */
	batches: number;
}

export interface SubmitCommand extends NodeSettings {
	type: 'submit';
	rows: RowSpec[];
	/** One more answer, which is another one at each evaluation */
	isVolatile: boolean;
	parallelRequests: number;
	skipExisting: boolean;
	/** With Skip Existing: the row alone tells what is the same */
	isMatchedOnRow: boolean;
	/** The error output leads back into the node, a few times */
	isWiredBack: boolean;
	faults: { fault: SubmitFault; item: number; times: number }[];
	/** Of what the node reads before it submits */
	readFaults: { fault: ReadFault; times: number }[];
}

/** "Retry" of the last execution, if it failed. */
export interface RetryCommand {
	type: 'retry';
	/** With the workflow as it is saved now, in which one more answer is mapped */
	isRemapped: boolean;
	faults: SubmitCommand['faults'];
}

/** The same rows in a new execution. */
export interface AgainCommand {
	type: 'again';
	faults: SubmitCommand['faults'];
}

export interface OthersCommand {
	type: 'others';
	add: RowSpec[];
}

export interface ActivateCommand {
	type: 'activate';
	account: number;
	form: 0 | 1;
	includeExisting: boolean;
	/** Only responses with this row start the workflow */
	onlyRow?: number;
	fault?: ReadFault;
}

export type TriggerCommand =
	| { type: 'poll' | 'publish' | 'restart'; fault?: ReadFault }
	| { type: 'pollTwice' | 'manualPoll' };

export type Command =
	| SubmitCommand
	| RetryCommand
	| AgainCommand
	| OthersCommand
	| ActivateCommand
	| TriggerCommand;

const form = fc.constantFrom(0 as const, 1 as const);
const account = fc.nat(2);
const row: fc.Arbitrary<RowSpec> = fc.record({ account, form, row: fc.nat(5) });
/** Undefined but for one time in so many */
const oneIn = <T>(times: number, values: fc.Arbitrary<T>) =>
	fc.oneof(
		{ weight: times - 1, arbitrary: fc.constant(undefined) },
		{ weight: 1, arbitrary: values },
	);
const rarely = (times: number) => oneIn(times, fc.constant(true)).map((is) => is ?? false);
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
const aReadFault = fc.array(fc.record({ fault: readFault, times: fc.constantFrom(1, 1, 9) }), {
	maxLength: 1,
});
const settings = {
	accountPerItem: fc.boolean(),
	tries: fc.constantFrom(1, 2, 3),
	onError: fc.constantFrom(
		'stopWorkflow' as const,
		'continueRegularOutput' as const,
		'continueErrorOutput' as const,
	),
	batches: fc.constantFrom(1, 1, 1, 2, 3),
};

const submit: fc.Arbitrary<SubmitCommand> = fc.record({
	type: fc.constant('submit'),
	rows: fc.array(row, { minLength: 1, maxLength: 8, size: 'max' }),
	...settings,
	isVolatile: rarely(3),
	parallelRequests: fc.constantFrom(1, 2, 10),
	skipExisting: fc.boolean(),
	isMatchedOnRow: fc.boolean(),
	isWiredBack: fc.boolean(),
	faults: faultsOf(2),
	readFaults: aReadFault,
});

const retry: fc.Arbitrary<RetryCommand> = fc.record({
	type: fc.constant('retry'),
	isRemapped: rarely(3),
	faults: faultsOf(1),
});

const again: fc.Arbitrary<AgainCommand> = fc.record({
	type: fc.constant('again'),
	faults: faultsOf(1),
});

const others: fc.Arbitrary<OthersCommand> = fc.record({
	type: fc.constant('others'),
	add: fc.array(row, { minLength: 1, maxLength: 3 }),
});

const activate: fc.Arbitrary<ActivateCommand> = fc.record({
	type: fc.constant('activate'),
	account,
	form,
	includeExisting: fc.boolean(),
	onlyRow: oneIn(3, fc.nat(5)),
	fault: oneIn(2, readFault),
});

const trigger: fc.Arbitrary<TriggerCommand> = fc.oneof(
	fc.record({ type: fc.constant('poll' as const), fault: oneIn(2, readFault) }),
	fc.record({ type: fc.constantFrom('publish', 'restart'), fault: oneIn(3, readFault) }),
	fc.record({ type: fc.constantFrom('pollTwice', 'manualPoll') }),
);

/** What comes later is about what comes first. Without a size, fast-check makes most of them very short. */
const beginningWith = <T extends Command>(
	first: fc.Arbitrary<T>,
	later: fc.Arbitrary<Command>,
	most: number,
) =>
	fc
		.tuple(first, fc.array(later, { minLength: 2, maxLength: most - 1, size: 'max' }))
		.map(([command, commands]): Command[] => [command, ...commands]);

export const histories: fc.Arbitrary<History> = fc.record({
	accounts: fc.array(
		fc.record({
			key: fc.constantFrom('plain' as const, 'signs' as const),
			server: fc.constantFrom(0 as const, 1 as const),
		}),
		{ minLength: 1, maxLength: 3 },
	),
	existing: fc.array(row, { maxLength: 6 }),
	/** Most are about submissions or a trigger alone, the others about both. */
	commands: fc.oneof(
		{
			weight: 4,
			arbitrary: beginningWith(submit, fc.oneof(submit, retry, retry, again, others), 4),
		},
		{ weight: 2, arbitrary: beginningWith(activate, fc.oneof(trigger, trigger, others), 8) },
		{
			weight: 2,
			arbitrary: fc.array(fc.oneof(submit, retry, again, others, activate, trigger), {
				minLength: 1,
				maxLength: 5,
			}),
		},
	),
});
