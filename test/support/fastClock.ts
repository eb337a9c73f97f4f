/**
 * Lets waits of this process pass ten times as fast, up to the returned call.
 *
 * The clock goes on with the turns of the event loop, so that nothing expires while the computer is busy.
 * Node.js itself (sockets, the `Date` header of its servers) stays on the real clock.
 */
export function startFastClock(): () => void {
	const { setInterval, clearInterval } = globalThis;
	jest.useFakeTimers({
		doNotFake: ['hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
	});
	const ticks = setInterval(() => jest.advanceTimersByTime(50), 5);
	return () => {
		clearInterval(ticks);
		jest.useRealTimers();
	};
}

/** A fast clock in each test of the file or of the `describe`. */
export function useFastClock() {
	let stop: () => void;
	beforeEach(() => void (stop = startFastClock()));
	afterEach(() => stop());
}
