import type { IDataObject } from 'n8n-workflow';
import type { Fault, SandboxResponse } from '../../sandbox';
import type { Execution, WorkflowSpec } from '../model/n8n';
import { Instance } from '../model/n8n';
import { responseRecord } from '../support/formCollection';
import { credentials, startService } from './service';

/** A failed execution of Create Response as n8n saves it, and what the service had stored by then. */
export interface SavedExecution {
	workflow: Pick<WorkflowSpec, 'parameters' | 'batches'>;
	input: IDataObject[];
	/** In the format in which n8n saves it: `flatted` */
	data: unknown[];
	responses: SandboxResponse[];
}

const parameters = (options: IDataObject) => ({
	operation: 'createResponse',
	formId: { __rl: true, mode: 'id', value: 'f2' },
	answersInput: 'json',
	answersJson: '={{ { "row": $json.row } }}',
	options: { parallelRequests: 1, ...options },
});

interface Case {
	options: IDataObject;
	existing: string[];
	rows: string[];
	batches: number;
	fault: Fault;
}

/** What each execution failed with. */
export const cases: Record<string, Case> = {
	'refused in the second run of a loop': {
		options: {},
		existing: [],
		rows: ['a', 'b', 'c', 'd', 'e'],
		batches: 2,
		fault: { status: 422, contains: '"b"' },
	},
	'unknown outcome': {
		options: {},
		existing: [],
		rows: ['a', 'b'],
		batches: 1,
		fault: { status: 500, stored: true, contains: '"b"' },
	},
	'unknown outcome with Skip Existing': {
		options: { skipExisting: true },
		existing: ['there already'],
		rows: ['there already', 'a', 'b', 'a', 'c'],
		batches: 1,
		fault: { status: 500, stored: true, contains: '"b"' },
	},
};

export async function saveExecution(name: string): Promise<SavedExecution> {
	const { options, existing, rows, batches, fault } = cases[name] as Case;
	const service = await startService(
		existing.map((row, index) => responseRecord('f2', `old ${index}`, { answers: { row } })),
	);
	service.faults.add({ route: 'POST /responses', ...fault });
	const workflow = { parameters: parameters(options), batches };
	const input = rows.map((row) => ({ row }));
	const execution = await new Instance().run(specOf(workflow), input);
	await service.stop();
	if (execution.status !== 'error') throw new Error(`"${name}" ended with ${execution.status}`);
	const data = JSON.parse(execution.saved) as unknown[];
	return { workflow, input, data, responses: [...service.responses] };
}

export async function saveExecutions(): Promise<Record<string, SavedExecution>> {
	const saved: Record<string, SavedExecution> = {};
	for (const name of Object.keys(cases)) saved[name] = await saveExecution(name);
	return saved;
}

/** What "Retry" in the list of executions does with it. */
export async function retry({ workflow, data }: SavedExecution): Promise<Execution> {
	const saved = JSON.stringify(data);
	const failed = { status: 'error' as const, runs: [], calls: [], saved };
	return await new Instance().retry({ ...failed, workflow: specOf(workflow) });
}

const specOf = (workflow: SavedExecution['workflow']): WorkflowSpec => ({
	...workflow,
	credentials,
	node: {},
});
