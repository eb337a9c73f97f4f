import type { History, SubmitCommand } from './history';

const plain = { key: 'plain', server: 0 } as const;
const row = { account: 0, form: 0, row: 0 } as const;

const world = { accounts: [plain], existing: [], clockOffsetMinutes: 0 };

const submit = (command: Partial<SubmitCommand>): SubmitCommand => ({
	type: 'submit',
	rows: [row],
	accountPerItem: false,
	answersInput: 'json',
	volatile: 'none',
	parallelRequests: 1,
	skipExisting: false,
	tries: 1,
	onError: 'stopWorkflow',
	batches: 1,
	faults: [],
	readFaults: [],
	isUnreachable: false,
	isSaved: true,
	...command,
});

/** What the model has found, shrunk, by what went wrong. */
export const counterexamples: Record<string, History> = {
	'an expression gave another answer at each try, so that a created row was sent again': {
		...world,
		commands: [
			submit({
				rows: [row, { ...row, row: 1 }],
				volatile: 'Math.random()',
				tries: 2,
				faults: [{ fault: 'refused', item: 1, times: 1 }],
			}),
		],
	},
	'a mapping was changed before the retry, so that a created row was sent again': {
		...world,
		commands: [
			submit({
				rows: [row, { ...row, row: 1 }],
				faults: [{ fault: 'refused', item: 1, times: 1 }],
			}),
			{ type: 'retry', workflow: 'anotherMapping', faults: [] },
		],
	},
	'an execution was retried twice, and the second retry sent again what the first had sent': {
		...world,
		commands: [
			submit({
				rows: [row, { ...row, row: 1 }, { ...row, row: 2 }],
				faults: [{ fault: 'refused', item: 1, times: 1 }],
			}),
			{
				type: 'retry',
				workflow: 'original',
				faults: [{ fault: 'refused', item: 2, times: 1 }],
			},
			{ type: 'retry', workflow: 'original', isOfFirst: true, faults: [] },
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
	'a switch that came as text was off': {
		...world,
		existing: [row],
		commands: [submit({ skipExisting: '={{ "true" }}' })],
	},
	'a form was read once for each run of a loop': {
		...world,
		commands: [submit({ rows: [row, row], skipExisting: true, batches: 2 })],
	},
	'the account of the first item served the second': {
		...world,
		accounts: [plain, plain],
		commands: [submit({ rows: [row, { ...row, account: 1 }], accountPerItem: true })],
	},
	'a long key was in the error message, and what became of the submission was lost': {
		...world,
		accounts: [{ key: 'long', server: 0 }],
		commands: [submit({ faults: [{ fault: 'redirect303', item: 0, times: 1 }] })],
	},
	'a key in base64 was in the error message': {
		...world,
		commands: [submit({ faults: [{ fault: 'limit', item: 0, times: 1 }] })],
	},
	'the impatient item decided how long a shared request was waited for': {
		...world,
		existing: [row],
		commands: [
			{
				type: 'read',
				operation: 'getResponses',
				of: [row, row],
				accountPerItem: false,
				returnAll: true,
				limit: 50,
				sort: 'asReceived',
				faults: [],
				patience: ['short', 'long'],
				batches: 1,
				tries: 1,
				onError: 'stopWorkflow',
			},
		],
	},
	'a refused activation was compared with the clock of n8n': {
		...world,
		clockOffsetMinutes: -90,
		commands: [
			{ type: 'activate', account: 0, form: 0, includeExisting: false, path: 0, fault: 'limit' },
			{ type: 'others', add: [row] },
			{ type: 'poll' },
		],
	},
	'n8n could not save what it emitted, and the next poll did not emit it': {
		...world,
		commands: [
			{ type: 'activate', account: 0, form: 0, includeExisting: false, path: 2 },
			{ type: 'others', add: [row] },
			{ type: 'poll' },
			{ type: 'others', add: [row] },
			{ type: 'poll', isUnsaved: true },
			{ type: 'poll' },
		],
	},
	'a trigger was renamed after the one poll that got an answer, and emitted the same again': {
		...world,
		existing: [row],
		commands: [
			{
				type: 'activate',
				account: 0,
				form: 0,
				includeExisting: true,
				path: 0,
				fault: 'limit',
			},
			{ type: 'poll' },
			{ type: 'publish', name: 1 },
			{ type: 'poll' },
		],
	},
	'the first of two polls took the expressions from the second': {
		...world,
		commands: [{ type: 'pollTogether', triggers: [row, { ...row, form: 1 }] }],
	},
	'Stop came between two tries, and the next one forgot what was sent': {
		...world,
		commands: [submit({ tries: 3, stopAt: 1, faults: [{ fault: 'refused', item: 0, times: 1 }] })],
	},
	'Stop came between two tries, and the output of the next one was empty': {
		...world,
		commands: [submit({ tries: 2, stopAt: 0, onError: 'continueRegularOutput' })],
	},
};
