import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { freePort } from '../../../playground/ports';
import { lastLines } from '../../../playground/run';
import { until } from './restartableBench';

const run = promisify(execFile);

export interface Servers {
	redisPort: number;
	postgresPort: number;
	stop(): Promise<void>;
}

/** Debian keeps PostgreSQL's programs off the PATH, in a folder for each version. */
function programPath(name: string): string {
	const debian = '/usr/lib/postgresql';
	const versions = existsSync(debian) ? readdirSync(debian) : [];
	const folders = [
		...(process.env['PATH'] ?? '').split(delimiter),
		...versions
			.sort((a, b) => Number(b) - Number(a))
			.map((version) => join(debian, version, 'bin')),
	];
	const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
	if (!found) {
		throw new Error(
			`This test needs "${name}", which is not installed. ` +
				'Install Redis and PostgreSQL (on Debian and Ubuntu: apt-get install redis-server postgresql).',
		);
	}
	return found;
}

/** PostgreSQL refuses to run as root; its package brings a user for it. */
function unprivilegedUser(): { uid?: number; gid?: number } {
	if (process.getuid?.() !== 0) return {};
	const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString());
	return { uid: id('-u'), gid: id('-g') };
}

// The test holds the other end of stdin, so that the server ends however the test ends.
const UNTIL_STDIN_ENDS =
	'exec 3<&0; "$@" </dev/null 3<&- & server=$!; { read -r _ <&3; kill $server; } & wait $server';

/** Redis and an empty PostgreSQL database `n8n`, both gone without a trace after `stop`. */
export async function startServers(): Promise<Servers> {
	const programs = {
		redis: programPath('redis-server'),
		redisClient: programPath('redis-cli'),
		initdb: programPath('initdb'),
		postgres: programPath('postgres'),
		createdb: programPath('createdb'),
	};
	const folder = await mkdtemp(join(tmpdir(), 'form-collection-servers-'));
	const user = { cwd: folder, ...unprivilegedUser() };
	if (user.uid !== undefined) await chown(folder, user.uid, user.gid as number);
	const stops: (() => Promise<void>)[] = [];
	const stop = async () => {
		await Promise.all(stops.map(async (stopOne) => await stopOne()));
		await rm(folder, { recursive: true, force: true });
	};

	const start = async (program: string, args: string[], ready: [string, string[]]) => {
		const logFile = `${folder}-${stops.length}.log`;
		const log = openSync(logFile, 'w');
		const child = spawn('sh', ['-c', UNTIL_STDIN_ENDS, 'sh', program, ...args], {
			...user,
			stdio: ['pipe', log, log],
		});
		closeSync(log);
		const ended = once(child, 'exit');
		stops.push(async () => {
			child.stdin?.end();
			await ended;
			await rm(logFile);
		});
		await until(`${program} is ready`, async () => {
			if (child.exitCode !== null) {
				throw new Error(`${program} ended:\n\n${lastLines(await readFile(logFile, 'utf8'))}`);
			}
			return await run(...ready).catch(() => undefined);
		});
	};

	try {
		const redisPort = await freePort();
		const redisArgs = ['--port', `${redisPort}`, '--bind', '127.0.0.1', '--save', ''];
		await start(programs.redis, redisArgs, [programs.redisClient, ['-p', `${redisPort}`, 'ping']]);

		const data = join(folder, 'postgres');
		await run(programs.initdb, ['-D', data, '-U', 'n8n', '-A', 'trust', '-E', 'UTF8', '-N'], user);
		const postgresPort = await freePort();
		const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
		await start(
			programs.postgres,
			['-D', data, '-p', `${postgresPort}`, ...settings.flatMap((setting) => ['-c', setting])],
			[programs.createdb, ['-h', '127.0.0.1', '-p', `${postgresPort}`, '-U', 'n8n', 'n8n']],
		);
		return { redisPort, postgresPort, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
