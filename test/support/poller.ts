import type { IDataObject, IPollFunctions, Workflow } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { equal, ok } from 'node:assert';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import { polling, type TestRun } from './engine';

/**
 * The ways in which n8n 2.41 polls. Both save the static data after activation, also after one that the first poll
 * refuses, and after a tick that emits something. What another tick has changed stays in memory (classic), or is lost
 * (scheduler).
 */
export const pollPaths = ['classic', 'scheduler'] as const;

export type PollPath = (typeof pollPaths)[number];

/** A workflow with the trigger, and n8n around it. */
export class Poller {
	/** As n8n's database has it. */
	saved = '{}';

	private running?: ReturnType<typeof polling>;

	constructor(
		private readonly path: PollPath,
		public test: TestRun,
	) {}

	/** Publishing, or the start of n8n: its scheduler polls only for what is new to it. */
	async activate(): Promise<IDataObject[]> {
		this.running = this.load();
		const { context, workflow } = this.running;
		return await runPoll(context).finally(() => this.save(workflow));
	}

	async tick(): Promise<IDataObject[]> {
		const inMemory = this.path === 'classic' ? this.running : undefined;
		const { context, workflow } = inMemory ?? this.load();
		const items = await runPoll(context);
		if (items.length > 0) this.save(workflow);
		return items;
	}

	/** What of this n8n is not saved is gone. */
	async restart(): Promise<IDataObject[]> {
		this.running = undefined;
		return this.path === 'classic' ? await this.activate() : [];
	}

	private load() {
		return polling({ ...this.test, staticData: jsonParse<IDataObject>(this.saved) });
	}

	private save({ staticData }: Workflow) {
		if (staticData.__dataChanged === true) this.saved = JSON.stringify(staticData);
	}
}

/** @returns what the poll puts out; n8n takes null for nothing and starts an execution for all else */
export async function runPoll(context: IPollFunctions): Promise<IDataObject[]> {
	const output = await new FormCollectionTrigger().poll.call(context);
	if (output === null) return [];
	equal(output.length, 1);
	ok(output[0]?.length, 'n8n would start an execution without items');
	return output[0].map(({ json }) => json);
}
