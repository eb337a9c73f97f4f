import { monotonicMs } from './monotonicMs';
import { pause } from './pause';

export interface InactivityTimeout {
	/** Something has come in */
	restart(): void;
	end(): void;
	hasExpired(): boolean;
}

const LONGEST_READING = 10;

/** Made once: without a reason, each abort makes an error with a stack. */
const ENDED = new Error('ended');

/**
 * Ends a request on which nothing has come in for so long, and one that takes longer in all, however
 * slowly it drips. n8n's own timeout ends with the headers of the reply, and in 2.0 it does not act while
 * a proxy is connected.
 */
export function inactivityTimeout(
	timeoutMs: number,
	stop: () => void,
	longestMs = LONGEST_READING * timeoutMs,
): InactivityTimeout {
	const ended = new AbortController();
	let lastAt = monotonicMs();
	let hasExpired = false;
	const watch = async () => {
		const endAt = monotonicMs() + longestMs;
		const leftNow = () => Math.min(lastAt + timeoutMs, endAt) - monotonicMs();
		for (let leftMs = leftNow(); leftMs > 0; leftMs = leftNow()) {
			await pause(leftMs, ended.signal);
			if (ended.signal.aborted) return;
		}
		hasExpired = true;
		stop();
	};
	void watch();
	return {
		restart: () => void (lastAt = monotonicMs()),
		end: () => ended.abort(ENDED),
		hasExpired: () => hasExpired,
	};
}
