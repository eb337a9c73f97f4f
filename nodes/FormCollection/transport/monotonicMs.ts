/**
 * A time to measure waits by, in milliseconds: as for the timers of n8n, no change of the clock affects it, and no
 * sleep of the computer.
 */
export const monotonicMs = (): number => performance.now();
