import type * as workflow from 'n8n-workflow';
import { setTimeout } from 'node:timers/promises';
import { inactivityTimeout } from '../../../../nodes/FormCollection/transport/inactivityTimeout';
import { pause } from '../../../../nodes/FormCollection/transport/pause';
import { startSandbox } from '../../../../sandbox';
import { byId, formRecord, requestsTo, runOn } from '../../../support/formCollection';

/** What `import … from 'n8n-workflow'` gives in each supported n8n; that of 1.123 has the `sleep` of 2.0. */
const libraries = { 'n8n 2.0 and 1.123': 'n8n-workflow-2.0', 'n8n 2.41': 'n8n-workflow' };

/** A timer that outlives its use by more than this is one that was forgotten. */
const SLICE_MS = 250;

let mockSleep: typeof workflow.sleep;
jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (...wait: Parameters<typeof workflow.sleep>) => await mockSleep(...wait),
}));

describe.each(Object.entries(libraries))('in %s', (_n8n, library) => {
	beforeAll(() => {
		({ sleep: mockSleep } = jest.requireActual<typeof workflow>(library));
	});

	beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
	afterEach(() => jest.useRealTimers());

	/** How many milliseconds until it is over. */
	async function lengthOf(wait: Promise<void>): Promise<number> {
		let isOver = false;
		void wait.then(() => (isOver = true));
		const from = Date.now();
		for (await jest.advanceTimersByTimeAsync(0); !isOver && jest.getTimerCount() > 0; ) {
			await jest.advanceTimersToNextTimerAsync();
		}
		return Date.now() - from;
	}

	it.each([0, 1, SLICE_MS, 1_001, 20_000])('waits for %d ms', async (ms) => {
		expect(await lengthOf(pause(ms))).toBe(ms);
		expect(await lengthOf(pause(ms, new AbortController().signal))).toBe(ms);
	});

	it('does not wait when it is stopped already', async () => {
		expect(await lengthOf(pause(20_000, AbortSignal.abort()))).toBe(0);
	});

	it('ends soon after it is stopped, and leaves no timer', async () => {
		const stop = new AbortController();
		const wait = pause(20_000, stop.signal);
		await jest.advanceTimersByTimeAsync(5_100);
		stop.abort();

		expect(await lengthOf(wait)).toBeLessThanOrEqual(SLICE_MS);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('stops a request on which nothing comes in for so long, once', async () => {
		const stop = jest.fn();
		const inactivity = inactivityTimeout(30_000, stop);

		await jest.advanceTimersByTimeAsync(29_999);
		expect([stop.mock.calls.length, inactivity.hasExpired()]).toEqual([0, false]);
		await jest.advanceTimersByTimeAsync(1);
		expect([stop.mock.calls.length, inactivity.hasExpired()]).toEqual([1, true]);
		await jest.advanceTimersByTimeAsync(90_000);
		expect(stop).toHaveBeenCalledTimes(1);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('gives a request its whole time again after each piece that comes in', async () => {
		const stop = jest.fn();
		const inactivity = inactivityTimeout(1_000, stop);

		await jest.advanceTimersByTimeAsync(900);
		inactivity.restart();
		await jest.advanceTimersByTimeAsync(900);
		inactivity.restart();
		await jest.advanceTimersByTimeAsync(999);
		expect(stop).not.toHaveBeenCalled();
		await jest.advanceTimersByTimeAsync(1);
		expect(stop).toHaveBeenCalledTimes(1);
	});

	it('leaves a request that has ended alone, and soon no timer', async () => {
		const stop = jest.fn();
		const inactivity = inactivityTimeout(30_000, stop);

		await jest.advanceTimersByTimeAsync(100);
		inactivity.end();
		await jest.advanceTimersByTimeAsync(SLICE_MS);
		expect(jest.getTimerCount()).toBe(0);
		await jest.advanceTimersByTimeAsync(60_000);
		expect([stop.mock.calls.length, inactivity.hasExpired()]).toEqual([0, false]);
	});

	it('lets Stop end the wait before another try', async () => {
		jest.useRealTimers();
		const sandbox = await startSandbox({ forms: [formRecord('f1')] });
		sandbox.faults.add({ status: 429, headers: { 'Retry-After': '20' } });
		const arrival = async () => {
			while (sandbox.log.length === 0) await setTimeout(10);
		};

		const read = { operation: 'getResponses', formId: byId('f1') };
		const { status } = await runOn(sandbox, read, {
			onStart: (stop) =>
				void arrival()
					.then(async () => await setTimeout(100))
					.then(stop),
		});

		expect(status).toBe('canceled');
		expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
		await sandbox.stop();
	});
});
