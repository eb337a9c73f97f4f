import execa from 'execa';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

import { newUserFolder, packPackage } from '../../../playground/install';
import { freePort, startN8n, type RunningN8n } from '../../../playground/n8n';
import type { SavedWorkflow } from '../../../playground/n8nClient';
import { findProgram, paths } from '../../../playground/paths';
import { lastLines, run, until } from '../../../playground/run';
import type { SandboxOptions } from '../../../sandbox';
import { Bench, importInto } from './bench';

type Environment = Record<string, string>;

/** What docs/queue-mode.md tells users to set up: the environment of main and workers, arguments of Redis. */
async function documentedSetup(): Promise<{ environment: Environment; redisSettings: string[] }> {
	const page = await readFile(join(paths.root, 'docs', 'queue-mode.md'), 'utf8');
	const [, compose = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
	const { services } = parse(compose, { merge: true }) as {
		services: Record<string, { environment: Environment; command: string }>;
	};
	const { main, redis, 'worker-1': one, 'worker-2': two } = services;
	expect([one?.environment, two?.environment]).toEqual([main?.environment, main?.environment]);
	const [program, ...redisSettings] = redis!.command.split(' ');
	expect(program).toBe('redis-server');
	return { environment: main!.environment, redisSettings };
}

/** Debian keeps PostgreSQL's programs off the PATH, in a folder for each version. */
function programPath(name: string): string {
	const debian = '/usr/lib/postgresql';
	const versions = existsSync(debian) ? readdirSync(debian) : [];
	const found = findProgram(name, ...versions.map((version) => join(debian, version, 'bin')));
	if (found) return found;
	throw new Error(
		`This test needs "${name}", which is not installed. ` +
			'Install Redis and PostgreSQL (on Debian and Ubuntu: apt-get install redis-server postgresql).',
	);
}

/** PostgreSQL refuses to run as root; its package brings a user for it. */
async function unprivilegedUser(): Promise<{ uid?: number; gid?: number }> {
	if (process.getuid?.() !== 0) return {};
	const id = async (flag: string) => Number(await run('id', [flag, 'postgres']));
	return { uid: await id('-u'), gid: await id('-g') };
}

// The test holds the other end of stdin, so that the server ends however the test ends.
const UNTIL_STDIN_ENDS =
	'signal=$1; shift; exec 3<&0; "$@" </dev/null 3<&- & server=$!; ' +
	'{ read -r _ <&3; kill -"$signal" $server; } & wait $server';

type User = Awaited<ReturnType<typeof unprivilegedUser>>;

/** A server that keeps its port and its data when it is started again. */
export class Server {
	private end?: () => Promise<unknown>;

	constructor(
		readonly port: number,
		/** Ends it at once, with no time to save anything or to say goodbye. */
		private readonly signal: string,
		private readonly command: string[],
		/** Succeeds as soon as the server answers. */
		private readonly ready: string[],
		private readonly options: User & { cwd: string },
	) {}

	async start(): Promise<void> {
		const { command, options } = this;
		const logFile = join(options.cwd, `${this.port}.log`);
		const log = openSync(logFile, 'a');
		const child = execa('sh', ['-c', UNTIL_STDIN_ENDS, 'sh', this.signal, ...command], {
			...options,
			stdio: ['pipe', log, log],
			reject: false,
		});
		closeSync(log);
		this.end = async () => {
			child.stdin?.end();
			await child;
		};
		const [client = '', ...args] = this.ready;
		await until(`${command[0]} is ready`, async () => {
			if (child.exitCode !== null) {
				throw new Error(`${command[0]} ended:\n\n${lastLines(await readFile(logFile, 'utf8'))}`);
			}
			return await run(client, args).catch(() => undefined);
		});
	}

	kill = async () => await this.end?.();
}

/** A process that runs what main puts into the queue, one execution at a time. */
class Worker {
	private n8n?: RunningN8n;

	constructor(
		readonly userFolder: string,
		private readonly env: Environment,
	) {}

	async start(): Promise<void> {
		const { userFolder, env } = this;
		this.n8n = await startN8n({ command: 'worker', userFolder, env });
	}

	kill = async () => await this.n8n?.kill();

	/** How often this worker has started the execution since its own start. */
	async startsOf(executionId: string): Promise<number> {
		const log = await readFile(this.n8n!.logFile, 'utf8');
		return log.split(`Worker started execution ${executionId} (`).length - 1;
	}
}

/** Redis, PostgreSQL, a main process and two workers, each with a folder and a package of its own. */
export class QueueBench {
	main!: Bench;

	redis!: Server;

	postgres!: Server;

	readonly workers: Worker[] = [];

	private folder!: string;

	async start(sandboxOptions: SandboxOptions): Promise<void> {
		const { environment, redisSettings } = await documentedSetup();
		await this.startServers(redisSettings);
		const env: Environment = {
			...environment,
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: `${this.redis.port}`,
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: `${this.postgres.port}`,
			DB_POSTGRESDB_PASSWORD: 'any',
			N8N_ENCRYPTION_KEY: 'the same for all',
			N8N_LOG_LEVEL: 'debug',
			// n8n notices within seconds, not minutes, that a worker is gone.
			QUEUE_WORKER_LOCK_DURATION: '3000',
			QUEUE_WORKER_LOCK_RENEW_TIME: '500',
			QUEUE_WORKER_STALLED_INTERVAL: '1000',
			// So that two executions at once are on two workers.
			N8N_CONCURRENCY_PRODUCTION_LIMIT: '1',
		};
		this.main = new Bench(sandboxOptions, env);
		await this.main.start();
		const tarball = await packPackage();
		for (let i = 0; i < 2; i++) this.workers.push(new Worker(await newUserFolder(tarball), env));
		await Promise.all(this.workers.map(async (worker) => await worker.start()));
	}

	/** Redis, and an empty PostgreSQL database `n8n` */
	private async startServers(redisSettings: string[]): Promise<void> {
		this.folder = await mkdtemp(join(tmpdir(), 'form-collection-servers-'));
		const { folder } = this;
		const options = { cwd: folder, ...(await unprivilegedUser()) };
		if (options.uid !== undefined) await chown(folder, options.uid, options.gid!);

		const redisPort = await freePort();
		const redis = ['--port', `${redisPort}`, '--bind', '127.0.0.1', ...redisSettings];
		this.redis = new Server(
			redisPort,
			'KILL',
			[programPath('redis-server'), ...redis],
			[programPath('redis-cli'), '-p', `${redisPort}`, 'ping'],
			options,
		);
		await this.redis.start();

		const data = join(folder, 'postgres');
		const initdb = ['-D', data, '-U', 'n8n', '-A', 'trust', '-E', 'UTF8', '-N'];
		await run(programPath('initdb'), initdb, options);
		const port = await freePort();
		const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
		const address = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'n8n'];
		this.postgres = new Server(
			port,
			// What PostgreSQL has started would outlive SIGKILL for a moment.
			'QUIT',
			[
				...[programPath('postgres'), '-D', data, '-p', `${port}`],
				...settings.flatMap((setting) => ['-c', setting]),
			],
			[programPath('pg_isready'), ...address],
			options,
		);
		await this.postgres.start();
		await run(programPath('createdb'), [...address, 'n8n']);
	}

	async stop(): Promise<void> {
		// Nothing that still runs after a failed test is worth waiting for.
		const { main, workers, redis, postgres } = this;
		await Promise.all([main?.killN8n(), ...workers.map(async (worker) => await worker.kill())]);
		await main?.stop();
		await Promise.all([redis?.kill(), postgres?.kill()]);
		for (const folder of [this.folder, ...workers.map(({ userFolder }) => userFolder)]) {
			await rm(folder, { recursive: true, force: true });
		}
	}

	/** How often each worker has started the execution. */
	startsOf = async (executionId: string): Promise<number[]> =>
		await Promise.all(this.workers.map(async (worker) => await worker.startsOf(executionId)));

	post = async (path: string, items: object[]) =>
		(await this.main.client.callWebhook<object[]>(path, { items })).body;

	executionOf = async ({ id }: SavedWorkflow) => (await this.main.client.listExecutions(id))[0]!.id;

	/** Starts an import with Skip Existing, and waits until it has stored some rows; it replies when it is over. */
	async importUntil(count: number, form: string, items: object[]) {
		const { storedRows } = this.main;
		const parameters = importInto(form, { skipExisting: true });
		const workflow = await this.main.publishWebhook(form, parameters);
		const replied = this.post(form, items).catch(() => []);
		await until(`${count} rows`, () => storedRows(form).length >= count);
		const id = await this.executionOf(workflow);
		const worker = (await this.startsOf(id)).indexOf(1);
		expect(storedRows(form).length).toBeLessThan(items.length);
		return { id, replied, worker: this.workers[worker]! };
	}
}
