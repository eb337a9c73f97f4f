import { setTimeout as sleep } from 'node:timers/promises';

import type { SavedCredential, SavedWorkflow } from '../../../playground/n8nClient';
import { n8nHas } from '../../../playground/n8nVersion';
import { packPackage } from '../../../playground/packageUnderTest';
import { until } from '../../../playground/until';
import { TriggerBench } from './triggerBench';

const classic = { name: 'classic', env: {} };
const durableCursors = {
	name: 'durable cursors',
	env: {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	},
};

export interface PollPath {
	name: string;
	bench: TriggerBench;
	credential: SavedCredential;
	/** One for each polled form, of the form's name */
	workflows: Record<string, SavedWorkflow>;
}

export const workflowOf = ({ workflows }: PollPath, name: string) =>
	workflows[name] as SavedWorkflow;

/** The ways in which n8n polls, each in an n8n of its own, side by side: all wait for the same minute. */
export class PollPaths {
	private readonly paths = n8nHas('durable cursors') ? [classic, durableCursors] : [classic];

	private readonly running: PollPath[] = [];

	/** @param notPolled forms that no workflow asks for at first */
	async start(polled: string[], notPolled: string[] = []): Promise<void> {
		const tarball = await packPackage();
		await Promise.all(
			this.paths.map(async ({ name, env }) => {
				const bench = await TriggerBench.start(tarball, env, [...polled, ...notPolled]);
				const credential = await bench.credential('Sandbox');
				const path: PollPath = { name, bench, credential, workflows: {} };
				this.running.push(path);
				for (const form of polled) {
					const options = form === 'existing' ? { includeExisting: true } : {};
					path.workflows[form] = await bench.create(form, form, credential, options);
				}
			}),
		);
	}

	stop = async () => void (await Promise.all(this.running.map(({ bench }) => bench.stop())));

	async onEach(check: (path: PollPath) => Promise<void>): Promise<void> {
		await Promise.all(
			this.running.map(async (path) => {
				try {
					await check(path);
				} catch (error) {
					throw new Error(`On the path ${path.name}: ${(error as Error).message}`, {
						cause: error,
					});
				}
			}),
		);
	}
}

/** With durable cursors, what comes between activation and the first poll counts as seen: waits for that poll. */
export async function firstPoll({ name, bench }: PollPath, forms: string[]): Promise<void> {
	if (name === classic.name) return;
	const before = bench.sandbox.log.length;
	for (const form of forms) {
		await until(`a poll of ${form}`, () =>
			bench.sandbox.log.slice(before).some(({ formId, status }) => formId === form && status),
		);
	}
	// n8n saves what a poll notes when it is over, a little after its request.
	await sleep(1_000);
}

/** Activates all of them and waits until each has polled a first response: `<form> 1`. */
export async function startPolling(path: PollPath): Promise<void> {
	const { bench, workflows } = path;
	for (const workflow of Object.values(workflows)) await bench.activate(workflow);
	await firstPoll(path, Object.keys(workflows));
	for (const form of Object.keys(workflows)) bench.submit(form, `${form} 1`);
	for (const form of Object.keys(workflows)) {
		await until(`${form} 1`, () => bench.idsFrom(form).includes(`${form} 1`));
	}
}

/** One more poll of each form; none emits anything old, or anything twice. */
export async function expectAllEmittedOnce(
	{ bench, workflows }: PollPath,
	{ repeated = [], missed = [] }: { repeated?: string[]; missed?: string[] } = {},
): Promise<void> {
	const before = bench.sandbox.log.length;
	await until('a poll of each form', () => {
		const asked = new Set(bench.sandbox.log.slice(before).map(({ formId }) => formId));
		return asked.size === Object.keys(workflows).length;
	});
	const news = bench.sandbox.responses
		.map(({ id }) => id)
		.filter((id) => !id.includes('old') || id.startsWith('existing'));
	const expected = [...news, ...repeated];
	// The last of these polls may still be at work.
	await until('what it emits', () => bench.emitted.length + missed.length >= expected.length);
	const ids = bench.emitted.map(({ id }) => id);
	expect([...ids, ...missed].sort()).toEqual(expected.sort());
}

/** n8n notes a poll when it is over, a little after its request. */
export async function expectOneRequestPerPoll(path: PollPath, form: string): Promise<void> {
	const { bench } = path;
	await until(`as many polls of ${form} as requests`, async () => {
		const polls = await bench.pollsOf(workflowOf(path, form));
		return polls === bench.requestsFor(form).length;
	});
}
