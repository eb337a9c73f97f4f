import type { PollContext } from 'n8n-core';
import type { IDataObject, IPollFunctions, Workflow } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { equal, ok } from 'node:assert';
import { FormCollectionTrigger } from '../../nodes/FormCollection/FormCollectionTrigger.node';
import type { PollTest } from './engine';
import { polling } from './engine';

/**
 * The ways in which n8n 2.41 polls. They differ in what is saved when: all save the static data after
 * activation, also after one that the first poll refuses; what a tick that emits nothing has changed stays
 * in memory (classic), is lost (scheduler) or saved (durable cursors). With durable cursors, only what emits
 * is saved of the node at activation.
 */
export const pollPaths = ['classic', 'scheduler', 'durable cursors'] as const;

export type PollPath = (typeof pollPaths)[number];

const SCHEDULED_BUDGET_MS = 36_000;

/** A workflow with the trigger, and n8n around it. */
export class Poller {
	/** As n8n's database has it. */
	saved = '{}';

	/** With durable cursors, n8n saves the cursor with the execution that it starts, or neither. */
	losesCursors = false;

	/** With durable cursors, what n8n has saved of the node */
	private cursor?: string;

	/** The next poll is one for which n8n has not read the saved state before this one has ended. */
	private isMinuteLater = false;

	private running?: { context: PollContext; workflow: Workflow };

	constructor(
		private readonly path: PollPath,
		public test: PollTest,
	) {}

	/** Publishing, or the start of n8n: its scheduler polls only for what is new to it. */
	async activate(activation: PollTest['activation'] = 'activate') {
		if (this.path === 'durable cursors') return await this.poll(this.start(activation), false);
		const running = this.start(activation);
		this.running = running;
		return await runPoll(running.context).finally(() => this.save(running.workflow));
	}

	async tick(): Promise<IDataObject[]> {
		if (this.path === 'durable cursors') return await this.tickWithCursor();
		if (this.path === 'classic' && !this.running) throw new Error('Activate first');
		const { context, workflow } =
			this.path === 'classic' && this.running
				? this.running
				: this.start('update', SCHEDULED_BUDGET_MS);
		const items = await runPoll(context);
		if (items.length > 0) this.save(workflow);
		return items;
	}

	/** What of this n8n is not saved is gone. */
	async restart() {
		this.running = undefined;
		return this.path === 'classic' ? await this.activate('init') : [];
	}

	/** All that n8n saves of the trigger. */
	get state(): string {
		return `${this.saved} ${this.cursor ?? ''}`;
	}

	private async tickWithCursor() {
		const started = this.start('update', SCHEDULED_BUDGET_MS);
		const polled = async () => await this.poll(started, true);
		const { isMinuteLater } = this;
		this.isMinuteLater = false;
		return await (isMinuteLater ? aMinuteLater(polled) : polled());
	}

	private start(activation: PollTest['activation'], budgetMs?: number) {
		const staticData = jsonParse<IDataObject>(this.saved);
		if (this.path !== 'durable cursors') {
			return polling({ ...this.test, staticData, activation, budgetMs });
		}
		const staged = jsonParse<IDataObject>(this.cursor ?? '{}');
		const staging = polling({
			...this.test,
			staticData,
			activation,
			budgetMs,
			staged: () => staged,
		});
		return { ...staging, staged };
	}

	private async poll(
		{ context, workflow, staged }: ReturnType<Poller['start']> & { staged?: IDataObject },
		isTick: boolean,
	) {
		const before = JSON.stringify(staged);
		const items = await runPoll(context).finally(() => {
			if (!isTick) this.save(workflow);
		});
		if (items.length > 0) this.save(workflow);
		if (this.losesCursors) {
			this.isMinuteLater = true;
			return [];
		}
		const after = JSON.stringify(staged);
		if ((isTick && after !== before) || items.length > 0) this.cursor = after;
		return items;
	}

	private save({ staticData }: Workflow) {
		if (staticData.__dataChanged === true) this.saved = JSON.stringify(staticData);
	}
}

/** @returns what the poll puts out; n8n takes null for nothing and starts an execution for all else */
export async function runPoll(context: IPollFunctions) {
	const output = await new FormCollectionTrigger().poll.call(context);
	if (output === null) return [];
	equal(output.length, 1);
	ok(output[0]?.length, 'n8n would start an execution without items');
	return (output[0] ?? []).map(({ json }) => json);
}

/** Only what is done before the first `await` sees this time: other polls run at the same time. */
function aMinuteLater<Result>(begin: () => Result): Result {
	const now = performance.now();
	const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 60_000);
	try {
		return begin();
	} finally {
		clock.mockRestore();
	}
}
