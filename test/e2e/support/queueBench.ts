import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

import { startN8n, type RunningN8n } from '../../../playground/n8n';
import { installPackage } from '../../../playground/packageUnderTest';
import { paths } from '../../../playground/paths';
import { startServers, type Server, type Servers } from './servers';
import { TriggerBench } from './triggerBench';

type Environment = Record<string, string>;

interface DocumentedSetup {
	/** Of main and workers */
	environment: Environment;
	/** Arguments of `redis-server` */
	redisSettings: string[];
}

/** What docs/queue-mode.md tells users to set up. */
async function documentedSetup(): Promise<DocumentedSetup> {
	const page = await readFile(join(paths.root, 'docs', 'queue-mode.md'), 'utf8');
	const [, compose = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
	const { services } = parse(compose, { merge: true }) as {
		services: Record<string, { environment?: Environment; command?: string }>;
	};
	const [main, ...workers] = ['main', 'worker-1', 'worker-2'].map(
		(name) => services[name]?.environment,
	);
	expect(workers).toEqual([main, main]);
	const [program, ...redisSettings] = services['redis']?.command?.split(' ') ?? [];
	expect(program).toBe('redis-server');
	return { environment: main as Environment, redisSettings };
}

/** A process that runs what main puts into the queue, one execution at a time. */
export class Worker {
	private readonly logFiles: string[] = [];

	private n8n?: RunningN8n;

	constructor(
		private readonly userFolder: string,
		private readonly env: Environment,
	) {}

	async start(): Promise<void> {
		const logFile = join(this.userFolder, `worker-${this.logFiles.length + 1}.log`);
		this.logFiles.push(logFile);
		const { userFolder, env } = this;
		this.n8n = await startN8n({ command: 'worker', userFolder, env, logFile });
	}

	/** Lets the worker finish what it runs. */
	stop = async () => await this.n8n?.stop();

	kill = async () => await this.n8n?.kill('SIGKILL');

	/** How often this worker has started the execution. */
	startsOf = async (executionId: string) =>
		await this.timesLogged(`Worker started execution ${executionId} (`);

	/** How often this worker has come to the end of the execution, whether n8n could save it or not. */
	endsOf = async (executionId: string) =>
		await this.timesLogged(`Worker finished execution ${executionId} (`);

	private async timesLogged(text: string): Promise<number> {
		const logs = await Promise.all(this.logFiles.map(async (file) => await readFile(file, 'utf8')));
		return logs.join().split(text).length - 1;
	}

	remove = async () => await rm(this.userFolder, { recursive: true, force: true });
}

/** Redis, PostgreSQL, a main process and two workers, each with a folder and a package of its own. */
export class QueueBench {
	private servers?: Servers;

	/** The server of this name; there after `start`. */
	server = (name: 'redis' | 'postgres'): Server => (this.servers as Servers)[name];

	main!: TriggerBench;

	readonly workers: Worker[] = [];

	async start(tarball: string, forms: string[]): Promise<void> {
		const { environment, redisSettings } = await documentedSetup();
		this.servers = await startServers(redisSettings);
		const env: Environment = {
			...environment,
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: `${this.servers.redis.port}`,
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: `${this.servers.postgres.port}`,
			DB_POSTGRESDB_PASSWORD: 'any',
			N8N_ENCRYPTION_KEY: 'the same for all',
			N8N_LOG_LEVEL: 'debug',
			// n8n notices within seconds, not minutes, that a worker is gone.
			QUEUE_WORKER_LOCK_DURATION: '3000',
			QUEUE_WORKER_LOCK_RENEW_TIME: '500',
			QUEUE_WORKER_STALLED_INTERVAL: '1000',
		};
		this.main = await TriggerBench.start(tarball, env, forms);
		for (let i = 0; i < 2; i++) {
			const userFolder = await mkdtemp(join(tmpdir(), 'form-collection-e2e-'));
			// So that two executions at once are on two workers.
			const worker = new Worker(userFolder, { ...env, N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });
			this.workers.push(worker);
			await installPackage(tarball, userFolder);
		}
		await this.startWorkers();
	}

	startWorkers = async () =>
		void (await Promise.all(this.workers.map(async (worker) => await worker.start())));

	stopWorkers = async () =>
		void (await Promise.all(this.workers.map(async (worker) => await worker.stop())));

	async killAll(): Promise<void> {
		const workers = this.workers.map(async (worker) => await worker.kill());
		await Promise.all([this.main?.killN8n(), ...workers]);
	}

	async stop(): Promise<void> {
		// Nothing that still runs after a failed test is worth waiting for.
		await this.killAll();
		await this.main?.stop();
		await this.servers?.stop();
		await Promise.all(this.workers.map(async (worker) => await worker.remove()));
	}

	/** How often each worker has started the execution. */
	async startsOf(executionId: string): Promise<number[]> {
		return await Promise.all(
			this.workers.map(async (worker) => await worker.startsOf(executionId)),
		);
	}
}
