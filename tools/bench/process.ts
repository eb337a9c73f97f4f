import { readFileSync, writeFileSync } from 'node:fs';

/** The kernel counts the time of a process in these: 100 a second on every Linux. */
const TICK_MS = 10;

/** The CPU time that a process has used. */
export function cpuMs(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** @returns what the process has in memory now; from now on `peakBytes` counts anew */
export function startOfPeak(pid: number): number {
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
	return memory(pid, 'VmRSS');
}

export function peakBytes(pid: number): number {
	return memory(pid, 'VmHWM');
}

function memory(pid: number, name: 'VmRSS' | 'VmHWM'): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

interface Socket {
	send(text: string): void;
	close(): void;
	addEventListener(type: 'open' | 'error' | 'close', listener: () => void): void;
	addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
}

// The types of Node.js 20 lack it, because it needs a flag there.
const { WebSocket } = globalThis as unknown as { WebSocket: new (url: string) => Socket };

/** Node of a CPU profile */
interface ProfileNode {
	id: number;
	callFrame: { functionName: string; url: string };
}

interface Profile {
	nodes: ProfileNode[];
	samples: number[];
}

/** A package, Node.js or a native function, and its own share of the CPU time */
export interface Share {
	owner: string;
	share: number;
}

/** A Node.js process that was started with `--inspect`, as a debugger sees it. */
export class Inspector {
	private lastId = 0;

	private readonly waiting = new Map<
		number,
		{ resolve(result: unknown): void; reject(error: Error): void }
	>();

	private constructor(private readonly socket: Socket) {
		socket.addEventListener('message', ({ data }) => {
			const { id, result } = JSON.parse(data) as { id: number; result: unknown };
			this.waiting.get(id)?.resolve(result);
			this.waiting.delete(id);
		});
		socket.addEventListener('close', () => {
			for (const { reject } of this.waiting.values()) reject(new Error('n8n has ended'));
		});
	}

	static async connect(port: number): Promise<Inspector> {
		const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
		const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
		if (!target) throw new Error('n8n cannot be inspected');
		const socket = new WebSocket(target.webSocketDebuggerUrl);
		await new Promise<void>((resolve, reject) => {
			socket.addEventListener('open', resolve);
			socket.addEventListener('error', () => reject(new Error('n8n cannot be inspected')));
		});
		return new Inspector(socket);
	}

	close(): void {
		this.socket.close();
	}

	/** V8 keeps what was used before; without this a run would find room that another one has made. */
	async collectGarbage(): Promise<void> {
		// The first one frees what lets the second free buffers.
		await this.call('HeapProfiler.collectGarbage');
		await this.call('HeapProfiler.collectGarbage');
	}

	async startProfile(): Promise<void> {
		await this.call('Profiler.enable');
		await this.call('Profiler.setSamplingInterval', { interval: 500 });
		await this.call('Profiler.start');
	}

	/** @returns where the time went, the largest share first */
	async endProfile(): Promise<Share[]> {
		const { profile } = await this.call<{ profile: Profile }>('Profiler.stop');
		const owners = new Map(profile.nodes.map(({ id, callFrame }) => [id, ownerOf(callFrame)]));
		const counts = new Map<string, number>();
		for (const sample of profile.samples) {
			const owner = owners.get(sample) ?? '';
			if (owner === '(idle)') continue;
			counts.set(owner, (counts.get(owner) ?? 0) + 1);
		}
		const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
		return [...counts]
			.map(([owner, count]) => ({ owner, share: count / all }))
			.sort((a, b) => b.share - a.share);
	}

	private async call<T>(method: string, params: object = {}): Promise<T> {
		const id = ++this.lastId;
		return await new Promise<T>((resolve, reject) => {
			this.waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
			this.socket.send(JSON.stringify({ id, method, params }));
		});
	}
}

function ownerOf({ functionName, url }: ProfileNode['callFrame']): string {
	if (url.startsWith('node:')) return 'Node.js';
	return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? functionName;
}
