/**
 * Plays random histories of a workflow, n8n and the service, and holds each against what the README
 * promises. The machinery is in test/model.
 *
 *   npm run soak                              20,000 histories, another seed each time
 *   npm run soak -- --histories 500 --seed 7
 *   npm run soak -- --seed 7 --path 12:0:3    a counterexample again
 *   npm run soak -- --processes 4             2 by default
 *   npm run soak -- --survey                  goes on after counterexamples and counts them
 *
 * Prints the seed, the path and the shrunk history of a counterexample, and then ends with status 1.
 */
import './soakEnvironment';
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { History } from '../test/model/history';
import { describeCounterexample, explore } from '../test/model/model';

const { values } = parseArgs({
	options: {
		histories: { type: 'string', default: '20000' },
		seed: { type: 'string', default: String(Date.now() % 1_000_000) },
		path: { type: 'string' },
		processes: { type: 'string', default: '2' },
		survey: { type: 'boolean', default: false },
		/** One of the processes that this command starts */
		worker: { type: 'boolean', default: false },
	},
});

/** Histories at a time in each process: they wait for timers most of the time. */
const LANES = 8;
const PROGRESS_EVERY_MS = 10_000;

type Message =
	| { type: 'played'; failure?: { invariant: string; message: string } }
	| { type: 'counterexample'; text: string };

async function work(): Promise<void> {
	const { path } = values;
	const counterexample = await explore({
		seed: Number(values.seed),
		histories: Number(values.histories),
		lanes: path === undefined ? LANES : 1,
		path,
		isSurvey: values.survey,
		onHistory: (history, failure) => send({ type: 'played', failure: failureOf(failure, history) }),
	});
	if (counterexample)
		send({ type: 'counterexample', text: describeCounterexample(counterexample) });
}

function failureOf(failure: unknown, history: History) {
	if (failure === undefined) return undefined;
	const { invariant, message } = failure as { invariant?: string; message: string };
	return {
		invariant: invariant ?? message,
		message: `${message.slice(0, 300)}\n${JSON.stringify(history)}`,
	};
}

function send(message: Message): void {
	if (process.send) process.send(message);
	else receive(message);
}

let played = 0;
const startedAt = Date.now();
const failures = new Map<string, { first: number; count: number; example: string }>();

function receive(message: Message): void {
	if (message.type === 'counterexample') {
		console.log(`\n${message.text}`);
		process.exit(1);
	}
	played++;
	if (message.failure === undefined) return;
	const { invariant, message: example } = message.failure;
	const known = failures.get(invariant) ?? { first: played, count: 0, example };
	failures.set(invariant, { ...known, count: known.count + 1 });
}

function report(): void {
	const seconds = (Date.now() - startedAt) / 1000;
	console.log(
		`${played} of ${values.histories} histories in ${seconds.toFixed(0)} s (${(played / seconds).toFixed(0)} per second)`,
	);
	for (const { first, count, example } of values.survey ? failures.values() : []) {
		console.log(`  ${count} times, first after ${first} histories: ${example}`);
	}
}

async function main(): Promise<void> {
	console.log(`Seed ${values.seed}`);
	setInterval(report, PROGRESS_EVERY_MS).unref();
	if (values.path !== undefined) await work();
	else
		await Promise.all(Array.from({ length: Number(values.processes) }, (_, i) => startWorker(i)));
	report();
	if (failures.size === 0) console.log('No counterexample');
}

async function startWorker(index: number): Promise<void> {
	const share = Math.ceil(Number(values.histories) / Number(values.processes));
	const options = ['--worker', '--histories', String(share)];
	const seed = Number(values.seed) + index * LANES;
	if (values.survey) options.push('--survey');
	const worker = fork(__filename, [...options, '--seed', String(seed)]);
	worker.on('message', (message) => receive(message as Message));
	await new Promise<void>((resolve, reject) => {
		worker.on('exit', (code) =>
			code === 0 ? resolve() : reject(new Error(`A process ended with status ${code}`)),
		);
	});
}

void (values.worker ? work() : main()).catch((error: Error) => {
	console.error(error);
	process.exitCode = 1;
});
