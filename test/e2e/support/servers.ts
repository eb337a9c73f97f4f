import execa from 'execa';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../../playground/ports';
import { findProgram } from '../../../playground/programs';
import { lastLines, run } from '../../../playground/run';
import { until } from '../../../playground/until';

/** A server that keeps its port and its data when it is started again. */
export interface Server {
	port: number;
	start(): Promise<void>;
	/** Ends it at once, with no time to save anything or to say goodbye. */
	kill(): Promise<void>;
}

export interface Servers {
	redis: Server;
	postgres: Server;
	stop(): Promise<void>;
}

/** Debian keeps PostgreSQL's programs off the PATH, in a folder for each version. */
function programPath(name: string): string {
	const debian = '/usr/lib/postgresql';
	const versions = existsSync(debian) ? readdirSync(debian) : [];
	const folders = versions
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => join(debian, version, 'bin'));
	const found = findProgram(name, ...folders);
	if (!found) {
		throw new Error(
			`This test needs "${name}", which is not installed. ` +
				'Install Redis and PostgreSQL (on Debian and Ubuntu: apt-get install redis-server postgresql).',
		);
	}
	return found;
}

/** PostgreSQL refuses to run as root; its package brings a user for it. */
async function unprivilegedUser(): Promise<{ uid?: number; gid?: number }> {
	if (process.getuid?.() !== 0) return {};
	const id = async (flag: string) => Number(await run('id', [flag, 'postgres']));
	return { uid: await id('-u'), gid: await id('-g') };
}

// The test holds the other end of stdin, so that the server ends however the test ends. A line that
// comes before the end names the signal.
const UNTIL_STDIN_ENDS =
	'exec 3<&0; "$@" </dev/null 3<&- & server=$!; ' +
	'{ read -r signal <&3; kill -"${signal:-TERM}" $server; } & wait $server';

interface Program {
	command: string[];
	/** Exits with 0 as soon as the server answers. */
	ready: [string, string[]];
	/** Ends the server at once. */
	killSignal: string;
	options: { cwd: string; uid?: number; gid?: number };
	logFile: string;
}

class ServerProcess {
	private stopIt?: (signal: string) => Promise<void>;

	constructor(
		readonly port: number,
		private readonly program: Program,
	) {}

	async start(): Promise<void> {
		const { command, ready, options, logFile } = this.program;
		const log = openSync(logFile, 'a');
		const child = execa('sh', ['-c', UNTIL_STDIN_ENDS, 'sh', ...command], {
			...options,
			stdio: ['pipe', log, log],
			reject: false,
		});
		closeSync(log);
		this.stopIt = async (signal) => {
			child.stdin?.end(signal);
			await child;
		};
		await until(`${command[0]} is ready`, async () => {
			if (child.exitCode !== null) {
				throw new Error(`${command[0]} ended:\n\n${lastLines(await readFile(logFile, 'utf8'))}`);
			}
			return await run(...ready).catch(() => undefined);
		});
	}

	kill = async () => await this.stopIt?.(`${this.program.killSignal}\n`);

	async stop(): Promise<void> {
		await this.stopIt?.('');
		await rm(this.program.logFile, { force: true });
	}
}

/**
 * Redis and an empty PostgreSQL database `n8n`, both gone without a trace after `stop`.
 *
 * @param redisSettings arguments of `redis-server`
 */
export async function startServers(redisSettings: string[]): Promise<Servers> {
	const programs = {
		redis: programPath('redis-server'),
		redisClient: programPath('redis-cli'),
		initdb: programPath('initdb'),
		postgres: programPath('postgres'),
		isReady: programPath('pg_isready'),
		createdb: programPath('createdb'),
	};
	const folder = await mkdtemp(join(tmpdir(), 'form-collection-servers-'));
	const user = { cwd: folder, ...(await unprivilegedUser()) };
	if (user.uid !== undefined) await chown(folder, user.uid, user.gid as number);
	const servers: ServerProcess[] = [];
	const stop = async () => {
		await Promise.all(servers.map(async (server) => await server.stop()));
		await rm(folder, { recursive: true, force: true });
	};
	const start = async (port: number, program: Omit<Program, 'options' | 'logFile'>) => {
		const logFile = `${folder}-${servers.length}.log`;
		const server = new ServerProcess(port, { ...program, options: user, logFile });
		servers.push(server);
		await server.start();
		return server;
	};

	try {
		const redisPort = await freePort();
		const redis = await start(redisPort, {
			command: [
				programs.redis,
				...['--port', `${redisPort}`, '--bind', '127.0.0.1', '--dir', folder],
				...redisSettings,
			],
			ready: [programs.redisClient, ['-p', `${redisPort}`, 'ping']],
			killSignal: 'KILL',
		});

		const data = join(folder, 'postgres');
		await run(programs.initdb, ['-D', data, '-U', 'n8n', '-A', 'trust', '-E', 'UTF8', '-N'], user);
		const postgresPort = await freePort();
		const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
		const address = ['-h', '127.0.0.1', '-p', `${postgresPort}`, '-U', 'n8n'];
		const postgres = await start(postgresPort, {
			command: [
				programs.postgres,
				...['-D', data, '-p', `${postgresPort}`],
				...settings.flatMap((setting) => ['-c', setting]),
			],
			ready: [programs.isReady, address],
			// PostgreSQL's "immediate shutdown". What it started would outlive SIGKILL for a moment.
			killSignal: 'QUIT',
		});
		await run(programs.createdb, [...address, 'n8n']);
		return { redis, postgres, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
