import axios from 'axios';
import execa, { type ExecaChildProcess } from 'execa';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';

import { paths } from './paths';
import { lastLines, until } from './run';

// Several may start at once.
const START_TIMEOUT = 300_000;
/** What n8n may take to exit after its own deadline for what it runs. */
const EXIT_TIMEOUT = 5_000;

export interface RunningN8n {
	url: string;
	pid: number;
	logFile: string;
	/** Ends n8n and all it started; resolves when they are gone. */
	stop(): Promise<void>;
	/** Ends n8n and all it started at once, as a crash or an impatient user would. */
	kill(): Promise<void>;
	/** Calls back if n8n ends without `stop` or `kill`. */
	onUnexpectedEnd(callback: (sentence: string) => void): void;
}

interface N8nOptions {
	/** n8n keeps its database, key and community packages in `.n8n` below this folder. */
	userFolder: string;
	/** `worker` runs what a main process puts into the queue; default `start`, the main process. */
	command?: 'start' | 'worker';
	port?: number;
	logFile?: string;
	env?: Record<string, string>;
	/** For Node.js itself, e.g. `--inspect` */
	nodeArgs?: string[];
}

async function isFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
		return true;
	} catch {
		return false;
	} finally {
		server.close();
	}
}

/**
 * The preferred port, or one of the next 50, that is free on the loopback interface.
 *
 * n8n takes seconds until it listens. Systems take the ports of their outgoing connections above
 * these, so that none takes this one in the meantime.
 */
export async function freePort(
	preferred = 10_000 + Math.floor(Math.random() * 20_000),
): Promise<number> {
	for (let port = preferred; port <= preferred + 50; port++) {
		if (await isFree(port)) return port;
	}
	throw new Error(`No port from ${preferred} to ${preferred + 50} is free`);
}

/** The caller's environment without what would reach into n8n: its settings, npm's and Jest's. */
function cleanEnvironment(): NodeJS.ProcessEnv {
	const foreign =
		/^(N8N|DB|EXECUTIONS|OFFLOAD|QUEUE|NODES|CREDENTIALS|npm)_|^(NODE_ENV|NODE_OPTIONS|JEST_WORKER_ID|Path)$/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function settings(userFolder: string, port: number, brokerPort: number): Record<string, string> {
	return {
		NODE_ENV: 'production',
		PATH: `${paths.nodeFolder}${delimiter}${process.env['PATH'] ?? ''}`,
		NO_PROXY: '127.0.0.1,localhost',
		N8N_USER_FOLDER: userFolder,
		N8N_PORT: String(port),
		N8N_HOST: '127.0.0.1',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		// A worker answers there, and about its health only.
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}/`,
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_SECURE_COOKIE: 'false',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		// On a busy machine both may take longer than n8n's 5 s: a ping of the database, after which n8n refuses
		// every request (503), and the first expression of an execution, whose node then fails.
		DB_PING_TIMEOUT_MS: '60000',
		N8N_EXPRESSION_ENGINE_TIMEOUT: '60000',
		N8N_RESTRICT_FILE_ACCESS_TO: paths.examples,
		GENERIC_TIMEZONE: 'UTC',
		// The editor opens on the work: no surveys, news, banners or calls to other hosts.
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		// An n8n that does not know a module refuses to start.
		N8N_DISABLED_MODULES:
			paths.modules === paths.pinnedModules
				? 'instance-ai,mcp-registry,insights,chat-hub'
				: 'insights',
		// Explicit, because a later n8n will turn it off by default.
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	};
}

/** n8n leads a process group of its own, so that its task runner ends with it. */
function killTree(child: ExecaChildProcess): void {
	if (child.pid === undefined) return;
	if (process.platform === 'win32') {
		execa.sync('taskkill', ['/pid', String(child.pid), '/T', '/F'], { reject: false });
		return;
	}
	try {
		process.kill(-child.pid, 'SIGKILL');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

async function isReady(url: string, command: string): Promise<boolean> {
	try {
		await axios.get(`${url}/healthz/readiness`, { timeout: 2_000, proxy: false });
		// Older versions say that they are ready before they answer their editor.
		if (command === 'start') {
			await axios.get(`${url}/rest/settings`, { timeout: 2_000, proxy: false });
		}
		return true;
	} catch {
		return false;
	}
}

/** Starts n8n on the loopback interface and resolves when it is ready for work. */
export async function startN8n(options: N8nOptions): Promise<RunningN8n> {
	const port = options.port ?? (await freePort());
	const url = `http://127.0.0.1:${port}`;
	const logFile = options.logFile ?? join(options.userFolder, 'n8n.log');
	mkdirSync(dirname(logFile), { recursive: true });
	const log = openSync(logFile, 'w');
	const { command = 'start', nodeArgs = [] } = options;
	const args = ['--require', paths.endWithParent, ...nodeArgs, paths.n8nCommand, command];
	const env = { ...settings(options.userFolder, port, await freePort()), ...options.env };
	const child = execa(paths.node, args, {
		cwd: options.userFolder,
		detached: process.platform !== 'win32',
		stdio: ['pipe', log, log],
		env: { ...cleanEnvironment(), ...env },
		extendEnv: false,
		reject: false,
	});
	closeSync(log);

	let isExpected = false;
	let hasEnded = false;
	const ended = child.then(() => (hasEnded = true));

	const kill = async () => {
		isExpected = true;
		killTree(child);
		await ended;
	};
	const stop = async () => {
		isExpected = true;
		const deadline = Number(env['N8N_GRACEFUL_SHUTDOWN_TIMEOUT']) * 1000;
		// To n8n alone: it lets its task runner finish before both end.
		child.kill('SIGTERM', { forceKillAfterTimeout: deadline + EXIT_TIMEOUT });
		await ended;
		killTree(child);
	};
	const whatHappened = async (what: string) =>
		`${what} The end of its log (${logFile}):\n\n${lastLines(await readFile(logFile, 'utf8'))}`;

	try {
		const look = async () => hasEnded || (await isReady(url, command));
		await until('n8n is ready', look, START_TIMEOUT);
	} catch (error) {
		await stop();
		throw new Error(await whatHappened(`${(error as Error).message}.`));
	}
	if (hasEnded) throw new Error(await whatHappened('n8n ended before it was ready.'));

	return {
		url,
		pid: child.pid as number,
		logFile,
		stop,
		kill,
		onUnexpectedEnd: (callback) =>
			void ended.then(async () => {
				if (!isExpected) callback(await whatHappened('n8n has ended by itself.'));
			}),
	};
}
