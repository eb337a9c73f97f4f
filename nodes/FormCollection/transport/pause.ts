import { sleep } from 'n8n-workflow';

const SLICE_MS = 250;

/**
 * Resolves after so many milliseconds, or soon after the signal aborts. Never rejects.
 *
 * In slices, because before n8n 2.41 `sleep` ignores the signal: each timer would stay to its end.
 */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
	for (let leftMs = ms; leftMs > 0 && !signal?.aborted; leftMs -= SLICE_MS) {
		await sleep(Math.min(leftMs, SLICE_MS), signal).catch(() => undefined);
	}
}
