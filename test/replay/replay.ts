import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INode } from 'n8n-workflow';
import type { Fault, Sandbox, SandboxResponse } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { execute, polling, type TestRun } from '../support/engine';
import { formRecord, responseRecord } from '../support/formCollection';
import { Poller, runPoll } from '../support/poller';

/** A workflow as n8n exports it, and what its nodes do with one item that has the fields of `input`. */
export interface SavedWorkflow {
	nodes: INode[];
	input: IDataObject;
	/** By node: what it sent, or else what it put out */
	results: Record<string, unknown>;
}

/** A failed execution of Create Response. */
export interface SavedExecution {
	test: Omit<TestRun, 'credentials'>;
	/** What it failed with */
	fault: Fault;
	/** What the form had before, and what it had in the end */
	existing: SandboxResponse[];
	responses: SandboxResponse[];
	/** In the format in which n8n saves it: `flatted` */
	data: unknown[];
}

/** What n8n saves of a published workflow with a trigger, and what the form had by then. */
export interface SavedTrigger {
	staticData: IDataObject;
	responses: SandboxResponse[];
}

/** What is frozen of a version. */
export interface Frozen {
	workflow: SavedWorkflow;
	executions: Record<string, SavedExecution>;
	triggers: Record<string, SavedTrigger>;
}

export function frozen(version: string): Frozen {
	const read = (name: string): unknown =>
		JSON.parse(readFileSync(join(__dirname, version, `${name}.json`), 'utf8'));
	return {
		workflow: read('workflow'),
		executions: read('executions'),
		triggers: read('triggers'),
	} as Frozen;
}

/** The state of a trigger holds a hash of the address, so it must be the same for ever. */
export const credentials = {
	baseUrl: 'http://forms.example.com/api',
	apiKey: 'replay-key',
	embedUrl: 'https://forms.example.com',
};

/** A service at the address above: a sandbox that is the proxy on the way to it. */
export async function withService<Result>(
	responses: SandboxResponse[],
	use: (service: Sandbox) => Promise<Result>,
): Promise<Result> {
	const forms = [formRecord('f1'), formRecord('f2')];
	const service = await startSandbox({ apiKey: credentials.apiKey, forms, responses });
	process.env.HTTP_PROXY = service.url;
	try {
		return await use(service);
	} finally {
		Reflect.deleteProperty(process.env, 'HTTP_PROXY');
		await service.stop();
	}
}

const answersOfThree = [
	{ email: 'ada@example.com', topics: ['Sales', 'Support'], message: 'First' },
	{ email: 'bob@example.com', topics: ['Sales'], message: 'Second' },
	{ email: 'cleo@example.com', message: 'Third' },
];

export const threeResponses = answersOfThree.map((answers, index) =>
	responseRecord('f1', `r${index + 1}`, {
		answers: answers as SandboxResponse['answers'],
		created_at: `2026-01-0${index + 1}T09:00:00.000Z`,
	}),
);

/** What a node sends, or else what it puts out. */
export async function resultOf(node: INode, item: IDataObject): Promise<unknown> {
	return await withService(threeResponses, async ({ log }) => {
		const { type, parameters } = node;
		if (type.endsWith('Trigger')) {
			return await runPoll(polling({ parameters, credentials, node }).context);
		}
		// The test engine knows the node by its name.
		const settings = { ...node, name: 'Form Collection' };
		const run = await execute({ parameters, credentials, node: settings, input: [item] });
		if (run.error) throw run.error;
		const sent = log.filter(({ method }) => method === 'POST').map(({ body }) => body);
		return sent.length > 0 ? { sent } : { items: run.items.map(({ json }) => json) };
	});
}

export const poller = () =>
	new Poller('classic', {
		parameters: { formId: { __rl: true, mode: 'id', value: 'f1' } },
		credentials,
	});

/** By what happened before n8n ended. */
async function saveTriggers(): Promise<Record<string, SavedTrigger>> {
	return await withService(threeResponses, async ({ faults, responses }) => {
		const save = ({ saved }: Poller): SavedTrigger => ({
			staticData: JSON.parse(saved) as IDataObject,
			responses: [...responses],
		});
		const [unanswered, active] = [poller(), poller()];
		faults.add({ status: 429, times: 1 });
		await unanswered.activate();
		await active.activate();
		const states = { 'got no answer': save(unanswered), published: save(active) };
		responses.push(responseRecord('f1', 'r4', { created_at: '2026-01-04T09:00:00.000Z' }));
		await active.tick();
		return { ...states, 'passed on a response': save(active) };
	});
}

async function saveExecution(saved: SavedExecution): Promise<SavedExecution> {
	const { test, fault, existing } = saved;
	return await withService(existing, async ({ faults, responses }) => {
		faults.add(fault);
		const { save } = await execute({ ...test, credentials });
		return { ...saved, data: JSON.parse(save()) as unknown[], responses: [...responses] };
	});
}

/** What n8n saves of the nodes of today, in the cases that are frozen of an earlier version. */
export async function freeze({ workflow, executions }: Frozen): Promise<Frozen> {
	const results: SavedWorkflow['results'] = {};
	for (const node of workflow.nodes) results[node.name] = await resultOf(node, workflow.input);
	const saved: Frozen['executions'] = {};
	for (const [name, each] of Object.entries(executions)) saved[name] = await saveExecution(each);
	return {
		workflow: { ...workflow, results },
		executions: saved,
		triggers: await saveTriggers(),
	};
}
