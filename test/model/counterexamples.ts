import type { History, SubmitCommand } from './history';

const plain = { key: 'plain', server: 0 } as const;
const row = { account: 0, form: 0, row: 0 } as const;
const another = { ...row, row: 1 } as const;

const world = { accounts: [plain], existing: [] };

const submit = (command: Partial<SubmitCommand>): SubmitCommand => ({
	type: 'submit',
	rows: [row],
	accountPerItem: false,
	isVolatile: false,
	parallelRequests: 1,
	skipExisting: false,
	isMatchedOnRow: false,
	tries: 1,
	isWiredBack: false,
	onError: 'stopWorkflow',
	batches: 1,
	faults: [],
	readFaults: [],
	...command,
});

/** What the model has found, shrunk, by what went wrong. */
export const counterexamples: Record<string, History> = {
	'an expression gave another answer at each try, so that a created row was sent again': {
		...world,
		commands: [
			submit({
				rows: [row, another],
				isVolatile: true,
				tries: 2,
				faults: [{ fault: 'refused', item: 1, times: 1 }],
			}),
		],
	},
	'a mapping was changed before the retry, so that a created row was sent again': {
		...world,
		commands: [
			submit({ rows: [row, another], faults: [{ fault: 'refused', item: 1, times: 1 }] }),
			{ type: 'retry', isRemapped: true, faults: [] },
		],
	},
	'a redirect after the response was stored was taken for a refusal': {
		...world,
		commands: [submit({ tries: 2, faults: [{ fault: 'redirect307', item: 0, times: 1 }] })],
	},
	'an explicit success: false was taken for an unknown outcome': {
		...world,
		commands: [submit({ tries: 2, faults: [{ fault: 'successFalse', item: 0, times: 1 }] })],
	},
	'a form was read once for each run of a loop': {
		...world,
		commands: [submit({ rows: [row, row], skipExisting: true, batches: 2 })],
	},
	'a form was read again where the try before had nothing to compare with it': {
		...world,
		commands: [
			submit({
				rows: [row, row, { ...row, form: 1 }, row],
				isVolatile: true,
				parallelRequests: 2,
				skipExisting: true,
				tries: 3,
				batches: 2,
				faults: [{ fault: 'refused', item: 6, times: 1 }],
			}),
			{ type: 'retry', isRemapped: false, faults: [] },
		],
	},
	'an item that was not sent, because it matched one with an unknown outcome, was left out': {
		...world,
		commands: [
			submit({
				rows: [row, row],
				skipExisting: true,
				isMatchedOnRow: true,
				isWiredBack: true,
				onError: 'continueErrorOutput',
				faults: [{ fault: 'empty', item: 0, times: 1 }],
			}),
			submit({}),
			{ type: 'again', faults: [] },
		],
	},
	'the account of the first item served the second': {
		...world,
		accounts: [plain, plain],
		commands: [submit({ rows: [row, { ...row, account: 1 }], accountPerItem: true })],
	},
	'a key was in the error message': {
		...world,
		accounts: [{ key: 'signs', server: 0 }],
		commands: [submit({ faults: [{ fault: 'limit', item: 0, times: 1 }] })],
	},
	'what came after a limited activation was missed': {
		...world,
		commands: [
			{ type: 'activate', account: 0, form: 0, includeExisting: false, fault: 'limit' },
			{ type: 'others', add: [row] },
			{ type: 'poll' },
		],
	},
};
