import { AsyncLocalStorage } from 'node:async_hooks';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { hashOf } from '../../nodes/FormCollection/hash';
import { poll } from '../../nodes/FormCollection/trigger/poll';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { PollTest } from '../support/engine';
import { polling } from '../support/engine';
import { useFastClock } from '../support/fastClock';
import {
	byId,
	credentialsOf,
	factsOf,
	formRecord,
	fromList,
	requestsTo,
	responseRecord,
	runOn,
} from '../support/formCollection';
import { Poller, pollPaths, runPoll } from '../support/poller';

let sandbox: Sandbox;

const apiKey = 'fc/key+with==signs';

beforeEach(async () => {
	sandbox = await startSandbox({
		apiKey,
		forms: [formRecord('f1'), formRecord('f2')],
		responses: [
			responseRecord('f1', 'b', { created_at: '2026-01-02T00:00:00.000Z' }),
			responseRecord('f1', 'a', { created_at: '2026-01-01T00:00:00.000Z' }),
			responseRecord('f2', 'z'),
			responseRecord('f1', 'c', { created_at: '2026-01-03T00:00:00.000Z' }),
		],
	});
});

afterEach(async () => await sandbox.stop());

const test = (options: IDataObject = {}, more: Partial<PollTest> = {}): PollTest => ({
	parameters: { formId: byId('f1'), options } as INodeParameters,
	credentials: credentialsOf(sandbox),
	// What a trigger knows is kept in memory, too, by workflow.
	workflowId: expect.getState().currentTestName,
	...more,
});

let minute = 0;

/** Someone fills in the form. */
function submit(id: string, formId = 'f1') {
	const created_at = new Date(Date.now() + 60_000 * ++minute).toISOString();
	sandbox.responses.push(responseRecord(formId, id, { created_at }));
}

const idsOf = (items: IDataObject[]) => items.map(({ id }) => id);

const failureOf = async (polled: Promise<unknown>) =>
	factsOf(
		await polled.then(
			() => Promise.reject(new Error('It got through')),
			(error) => error,
		),
	);

const limited: Fault = { status: 429, headers: { 'Retry-After': '1800' } };
const down: Fault = { cut: 'connection' };

describe.each(pollPaths)('polled by n8n on the path: %s', (path) => {
	const poller = (options?: IDataObject, more?: Partial<PollTest>) =>
		new Poller(path, test(options, more));

	it('emits what is new after activation, once, and nothing that was there before', async () => {
		const trigger = poller();
		expect(await trigger.activate()).toEqual([]);
		submit('d');
		submit('e');
		expect(idsOf(await trigger.tick())).toEqual(['d', 'e']);
		expect(await trigger.tick()).toEqual([]);
		submit('f');
		expect(idsOf(await trigger.tick())).toEqual(['f']);
		expect(await trigger.tick()).toEqual([]);
	});

	it('emits once where two Poll Times are due at the same moment', async () => {
		const trigger = poller();
		await trigger.activate();
		for (const id of ['d', 'e']) {
			submit(id);
			const emitted = await Promise.all([trigger.tick(), trigger.tick()]);
			expect(idsOf(emitted.flat())).toEqual([id]);
		}
	});

	it('emits once where the clock is put forward between these polls', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		sandbox.faults.add({ delayMs: 100, times: 1 });
		const asked = sandbox.log.length;
		const first = trigger.tick();
		while (sandbox.log.length === asked) await new Promise((resolve) => setImmediate(resolve));
		sandbox.faults.add({ delayMs: 300, times: 1 });
		const later = Date.now() + 3_600_000;
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => later);
		try {
			const emitted = await Promise.all([first, trigger.tick()]);
			expect(idsOf(emitted.flat())).toEqual(['d']);
		} finally {
			clock.mockRestore();
		}
	});

	it('emits once where the second of these polls begins when the first one has ended', async () => {
		const trigger = poller();
		await trigger.activate();
		for (const id of ['d', 'e']) {
			submit(id);
			const due = [trigger.due(), trigger.due(), trigger.due()];
			const emitted = [];
			for (const polled of due) emitted.push(...(await polled()));
			expect(idsOf(emitted)).toEqual([id]);
		}
		submit('f');
		expect(idsOf(await trigger.tick())).toEqual(['f']);
	});

	it('emits once where a poll begins after n8n has saved the static data, and before the cursor', async () => {
		const trigger = poller();
		await trigger.activate();
		for (const id of ['d', 'e', 'f']) {
			submit(id);
			const before = trigger.cursor;
			const emitted = await trigger.tick();
			const saved = trigger.cursor;
			trigger.cursor = before;
			const due = trigger.due();
			trigger.cursor = saved;
			emitted.push(...(await due()));
			expect(idsOf(emitted)).toEqual([id]);
		}
	});

	it('sends one request per poll', async () => {
		const trigger = poller();
		await trigger.activate();
		await trigger.tick();
		submit('d');
		await trigger.tick();
		expect(requestsTo(sandbox)).toEqual(Array(3).fill('GET /responses f1'));
	});

	it('emits all that is there at first if existing ones are included, oldest first', async () => {
		const trigger = poller({ includeExisting: true });
		expect(idsOf(await trigger.activate())).toEqual(['a', 'b', 'c']);
		expect(await trigger.tick()).toEqual([]);
		submit('d');
		expect(idsOf(await trigger.tick())).toEqual(['d']);
	});

	it('emits only what its answer filters let pass, and takes the rest for seen', async () => {
		const filter = [{ question: 'name', condition: 'contains', value: 'vip' }];
		const trigger = poller({ answerFilters: { filter }, includeExisting: true });
		sandbox.responses[0]!.answers = { name: 'A VIP' };
		expect(idsOf(await trigger.activate())).toEqual(['b']);
		submit('d');
		expect(await trigger.tick()).toEqual([]);
		submit('vip');
		submit('e');
		expect(idsOf(await trigger.tick())).toEqual(['vip']);
		trigger.test = test();
		expect([...(await trigger.restart()), ...(await trigger.tick())]).toEqual([]);
		submit('f');
		expect(idsOf(await trigger.tick())).toEqual(['f']);
	});

	describe('published again with other answer filters', () => {
		const options = (value: string, condition = 'contains') => ({
			answerFilters: { filter: [{ question: 'name', condition, value }] },
		});
		const change = (trigger: Poller, value?: string) => {
			trigger.test = test(value === undefined ? {} : options(value));
		};

		it('repeats nothing that the ones before left out', async () => {
			const trigger = poller(options('vip'));
			await trigger.activate();
			submit('d');
			expect(await trigger.tick()).toEqual([]);
			change(trigger);
			expect(await trigger.activate('update')).toEqual([]);
			expect(await trigger.tick()).toEqual([]);
			submit('e');
			expect(idsOf(await trigger.tick())).toEqual(['e']);
			expect([...(await trigger.restart()), ...(await trigger.tick())]).toEqual([]);
		});

		it('emits what both let pass and nobody has read yet', async () => {
			const trigger = poller(options('vip'));
			await trigger.activate();
			submit('gold vip');
			submit('silver vip');
			submit('gold');
			change(trigger, 'gold');
			const emitted = [...(await trigger.activate('update')), ...(await trigger.tick())];
			expect(idsOf(emitted)).toEqual(['gold vip']);
			submit('gold again');
			expect(idsOf(await trigger.tick())).toEqual(['gold again']);
		});

		it('compares with those of the last publishing each time', async () => {
			const trigger = poller(options('vip'));
			await trigger.activate();
			change(trigger);
			await trigger.activate('update');
			submit('d');
			change(trigger, 'vip');
			expect(await trigger.activate('update')).toEqual([]);
			submit('e');
			expect(await trigger.tick()).toEqual([]);
			change(trigger);
			expect([...(await trigger.activate('update')), ...(await trigger.tick())]).toEqual([]);
		});

		it('emits what came since, where the service is down meanwhile', async () => {
			const trigger = poller(options('vip'));
			await trigger.activate();
			const created_at = new Date(Date.now() - 60_000).toISOString();
			sandbox.responses.push(responseRecord('f1', 'left out', { created_at }));
			expect(await trigger.tick()).toEqual([]);
			change(trigger);
			sandbox.faults.add({ status: 503, times: 1 });
			expect(await trigger.activate('update')).toEqual([]);
			expect(await trigger.tick()).toEqual([]);
			submit('e');
			expect(idsOf(await trigger.tick())).toEqual(['e']);
			expect([...(await trigger.restart()), ...(await trigger.tick())]).toEqual([]);
		});

		it('repeats nothing that expressions in the ones before left out', async () => {
			const trigger = poller(options('={{ "vip" }}'));
			await trigger.activate();
			submit('d vip');
			expect([...(await trigger.restart()), ...(await trigger.tick())]).toHaveLength(1);
			submit('e');
			expect(await trigger.tick()).toEqual([]);
			submit('e vip');
			change(trigger, 'e');
			const emitted = [...(await trigger.activate('update')), ...(await trigger.tick())];
			expect(idsOf(emitted)).toEqual(['e vip']);
			submit('another e');
			expect(idsOf(await trigger.tick())).toEqual(['another e']);
		});
	});

	it('emits what came into an empty form', async () => {
		sandbox.responses.length = 0;
		const trigger = poller();
		expect(await trigger.activate()).toEqual([]);
		expect(await trigger.tick()).toEqual([]);
		submit('first');
		expect(idsOf(await trigger.tick())).toEqual(['first']);
	});

	it('goes on where it was after a restart of n8n', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		expect([...(await trigger.restart()), ...(await trigger.tick())].map(({ id }) => id)).toEqual([
			'd',
		]);
		submit('e');
		await trigger.tick();
		submit('f');
		const after = [...(await trigger.restart()), ...(await trigger.tick())];
		expect(idsOf(after)).toEqual(['f']);
	});

	it.each<[string, Fault]>([
		['refuses the API key', { status: 401 }],
		['does not know the form', { status: 404 }],
		['is a web page', { status: 200, body: '<!doctype html><p>Back soon' }],
		['is down', down],
	])('goes on after a restart of n8n while the service %s', async (_, fault) => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		sandbox.faults.add({ ...fault, times: 2 });
		expect(await trigger.restart()).toEqual([]);
		await trigger.tick().catch(() => []);
		sandbox.faults.clear();
		expect(idsOf(await trigger.tick())).toEqual(['d']);
		expect(await trigger.tick()).toEqual([]);
	});

	it('goes on after a restart of n8n while an expression gives nothing', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		const { test: published } = trigger;
		trigger.test = { ...published, parameters: { formId: byId('={{ $vars.gone }}') } };
		expect(await trigger.restart()).toEqual([]);
		trigger.test = published;
		expect(idsOf([...(await trigger.restart()), ...(await trigger.tick())])).toEqual(['d']);
	});

	it('emits what came while it was inactive', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		await trigger.tick();
		submit('e');
		const emitted = [...(await trigger.activate()), ...(await trigger.tick())];
		expect(idsOf(emitted)).toEqual(['e']);
	});

	describe.each<[string, Fault]>([
		['limited', limited],
		['limited without saying for how long', { status: 429 }],
		['down', { status: 503 }],
		['cutting connections', down],
		['cutting replies short', { cut: 'body' }],
	])('when the service is %s at activation', (_, fault) => {
		it('activates, and emits what came since', async () => {
			const trigger = poller();
			sandbox.faults.add({ ...fault, times: 1 });
			expect(await trigger.activate()).toEqual([]);
			submit('d');
			expect(idsOf(await trigger.tick())).toEqual(['d']);
			submit('e');
			expect(idsOf(await trigger.tick())).toEqual(['e']);
			expect(await trigger.tick()).toEqual([]);
			expect(requestsTo(sandbox)).toHaveLength(4);
		});

		it('takes nothing for new that was there before', async () => {
			const trigger = poller();
			sandbox.responses.push(responseRecord('f1', 'undated', { created_at: 'once' }));
			sandbox.faults.add({ ...fault, times: 1 });
			await trigger.activate();
			expect(await trigger.tick()).toEqual([]);
			expect(await trigger.tick()).toEqual([]);
			submit('d');
			const after = [...(await trigger.restart()), ...(await trigger.tick())];
			expect(idsOf(after)).toEqual(['d']);
		});

		it('emits later ones that are listed late or without a time, too', async () => {
			const trigger = poller();
			sandbox.faults.add({ ...fault, times: 1 });
			await trigger.activate();
			expect(await trigger.tick()).toEqual([]);
			const created_at = new Date(Date.now() - 60_000).toISOString();
			sandbox.responses.push(responseRecord('f1', 'late', { created_at }));
			expect(idsOf(await trigger.tick())).toEqual(['late']);
			sandbox.responses.push(responseRecord('f1', 'undated', { created_at: 'once' }));
			expect(idsOf(await trigger.tick())).toEqual(['undated']);
			expect(await trigger.tick()).toEqual([]);
		});

		it('emits later ones without a time that match new answer filters', async () => {
			const filters = (value: string) => ({
				answerFilters: { filter: [{ question: 'name', condition: 'contains', value }] },
			});
			const trigger = poller(filters('old'));
			await trigger.activate();
			trigger.test = test(filters('new'));
			sandbox.faults.add({ ...fault, times: 1 });
			await trigger.activate('update');
			expect(await trigger.tick()).toEqual([]);
			const answers = { name: 'new' };
			sandbox.responses.push(responseRecord('f1', 'undated', { created_at: 'once', answers }));
			expect(idsOf(await trigger.tick())).toEqual(['undated']);
			expect(await trigger.tick()).toEqual([]);
		});

		it('emits existing ones with the first success if they are included', async () => {
			const trigger = poller({ includeExisting: true });
			sandbox.faults.add({ ...fault, times: 1 });
			await trigger.activate();
			expect(idsOf(await trigger.tick())).toEqual(['a', 'b', 'c']);
			expect(await trigger.tick()).toEqual([]);
		});
	});

	it('keeps what it knew when the service is down at a later activation', async () => {
		const trigger = poller();
		await trigger.activate();
		const created_at = new Date(Date.now() - 1_000).toISOString();
		sandbox.responses.push(responseRecord('f1', 'd', { created_at }));
		sandbox.faults.add({ status: 503, times: 1 });
		expect(await trigger.activate()).toEqual([]);
		expect(idsOf(await trigger.tick())).toEqual(['d']);
	});

	it('emits what came in the millisecond of a first poll that got nothing', async () => {
		const trigger = poller();
		sandbox.faults.add({ status: 503, times: 1 });
		await trigger.activate();
		const since = Number(/"publishedAt":(\d+)/.exec(trigger.saved)?.[1]);
		for (const [id, time] of [
			['before', since - 1],
			['then', since],
		] as const) {
			const created_at = new Date(time).toISOString();
			sandbox.responses.push(responseRecord('f1', id, { created_at }));
		}
		expect(idsOf(await trigger.tick())).toEqual(['then']);
	});

	it.each([
		['an hour ahead', 3_600_000],
		['an hour behind', -3_600_000],
	])(
		'compares a first poll that got nothing on the clock of the service: %s',
		async (_, offset) => {
			const trigger = poller();
			sandbox.faults.add({ status: 503, times: 1 });
			await trigger.activate();
			for (const [id, age] of [
				['before', 10_000],
				['after', -10_000],
			] as const) {
				const created_at = new Date(Date.now() + offset - age).toISOString();
				sandbox.responses.push(responseRecord('f1', id, { created_at }));
			}
			const date = new Date(Date.now() + offset).toUTCString();
			sandbox.faults.add({ headers: { Date: date } });

			expect(idsOf(await trigger.tick())).toEqual(['after']);
			expect(await trigger.tick()).toEqual([]);
		},
	);

	it('emits all that came while the service was down, and changes no state before', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		await trigger.tick();
		const before = trigger.state;
		sandbox.faults.add({ ...down, times: 3 });
		for (const id of ['e', 'f', 'g']) {
			submit(id);
			expect(await failureOf(trigger.tick())).toMatchObject({
				failure: { cause: 'temporarily-unavailable' },
			});
		}
		expect(trigger.state).toBe(before);
		expect(idsOf(await trigger.tick())).toEqual(['e', 'f', 'g']);
	});

	it('starts anew for another form', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		await trigger.tick();
		submit('y', 'f2');

		trigger.test = { ...trigger.test, parameters: { formId: fromList('f2'), options: {} } };
		expect(await trigger.activate('update')).toEqual([]);
		expect(await trigger.tick()).toEqual([]);
		submit('x', 'f2');
		submit('e');
		expect(idsOf(await trigger.tick())).toEqual(['x']);
	});

	it('starts anew for a form that it had before another one', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		await trigger.tick();
		for (const [index, form] of ['f2', 'f1', 'f2', 'f1'].entries()) {
			trigger.test = { ...trigger.test, parameters: { formId: fromList(form), options: {} } };
			expect(await trigger.activate('update')).toEqual([]);
			if (index > 1) expect(await trigger.tick()).toEqual([]);
			submit(`of f1, ${index}`, 'f1');
			submit(`of f2, ${index}`, 'f2');
		}
		expect(idsOf(await trigger.tick())).toEqual(['of f1, 3']);
		expect([...(await trigger.restart()), ...(await trigger.tick())]).toEqual([]);
	});

	it('emits what another form has if existing ones are included', async () => {
		const trigger = poller({ includeExisting: true });
		await trigger.activate();
		trigger.test = { ...trigger.test, parameters: test({ includeExisting: true }).parameters };
		trigger.test.parameters.formId = byId('f2');
		const ofOther = [...(await trigger.activate('update')), ...(await trigger.tick())];
		expect(idsOf(ofOther)).toEqual(['z']);
		trigger.test.parameters.formId = byId('f1');
		const again = [...(await trigger.activate('update')), ...(await trigger.tick())];
		expect(idsOf(again)).toEqual(['a', 'b', 'c']);
	});

	it('goes on where it was with another key in the same credential', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		await trigger.tick();
		submit('e');
		sandbox.addKey('the-next-key');
		trigger.test.credentials.apiKey = 'the-next-key';
		expect(idsOf(await trigger.tick())).toEqual(['e']);
		submit('f');
		const emitted = [...(await trigger.activate('update')), ...(await trigger.tick())];
		expect(idsOf(emitted)).toEqual(['f']);
	});

	it('goes on where it was when its Base URL is written in another way', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		trigger.test.credentials.baseUrl = ` ${sandbox.baseUrl.replace('http:', 'HTTP:')}/ `;
		expect(idsOf(await trigger.tick())).toEqual(['d']);
	});

	describe('with the Base URL of another server in the same credential', () => {
		let other: Sandbox;

		beforeEach(async () => {
			// Of the same IDs as here, but other responses
			const responses = ['theirs', 'a', 'd'].map((id, i) =>
				responseRecord('f1', id, { created_at: `2025-01-0${i + 1}T00:00:00.000Z` }),
			);
			other = await startSandbox({ apiKey, forms: [formRecord('f1')], responses });
		});

		afterEach(async () => await other.stop());

		const move = (trigger: Poller) => {
			Object.assign(trigger.test.credentials, credentialsOf(other));
		};
		const started = async () => {
			const trigger = poller();
			await trigger.activate();
			submit('d');
			await trigger.tick();
			return trigger;
		};
		/** After all that the test publishes */
		const submitSoon = () => {
			const soon = new Date(Date.now() + 60_000).toISOString();
			other.responses.push(responseRecord('f1', 'f', { created_at: soon }));
		};

		it('starts anew, also without being published again', async () => {
			const trigger = await started();
			submit('e');
			move(trigger);
			expect(await trigger.tick()).toEqual([]);
			expect(await trigger.tick()).toEqual([]);
			for (const id of ['f', 'g']) {
				other.responses.push(responseRecord('f1', id));
				expect(idsOf(await trigger.tick())).toEqual([id]);
				expect(await trigger.tick()).toEqual([]);
			}
			other.responses.push(responseRecord('f1', 'h'));
			const emitted = [...(await trigger.restart()), ...(await trigger.tick())];
			expect(idsOf(emitted)).toEqual(['h']);
		});

		it('repeats nothing where the service moves again after a publishing that failed', async () => {
			const trigger = await started();
			move(trigger);
			other.faults.add({ ...limited, times: 1 });
			await trigger.activate('update');
			submitSoon();
			expect(idsOf(await trigger.tick())).toEqual(['f']);
			const third = await startSandbox({
				apiKey,
				forms: [formRecord('f1')],
				responses: [...other.responses],
			});
			try {
				Object.assign(trigger.test.credentials, credentialsOf(third));
				expect(await trigger.tick()).toEqual([]);
			} finally {
				await third.stop();
			}
		});

		it('takes for seen what another form has, where polls got through since a publishing that failed', async () => {
			const trigger = poller();
			sandbox.faults.add({ ...limited, times: 1 });
			await trigger.activate();
			expect(await trigger.tick()).toEqual([]);
			submitSoon();
			move(trigger);
			expect(await trigger.tick()).toEqual([]);
		});

		it('saves what it has started with when it is published again, and the service is limited', async () => {
			const trigger = await started();
			move(trigger);
			expect(await trigger.tick()).toEqual([]);
			other.faults.add({ ...limited, times: 1 });
			expect(await trigger.activate('update')).toEqual([]);
			// A restart would empty the memory of the process; so look at what is saved of the new server.
			expect(trigger.state).toContain(hashOf(other.baseUrl));
		});

		it('emits what has come since it was published at the right address, if both were limited', async () => {
			const trigger = poller();
			sandbox.faults.add({ ...limited, times: 1 });
			expect(await trigger.activate()).toEqual([]);
			move(trigger);
			other.faults.add({ ...limited, times: 1 });
			expect(await trigger.activate('update')).toEqual([]);
			submitSoon();
			expect(idsOf(await trigger.tick())).toEqual(['f']);
			expect(await trigger.tick()).toEqual([]);
		});

		it('starts anew when it gets the earlier one back, and goes on', async () => {
			const trigger = poller();
			await trigger.activate();
			submit('d');
			expect(idsOf(await trigger.tick())).toEqual(['d']);
			move(trigger);
			expect(await trigger.tick()).toEqual([]);
			other.responses.push(responseRecord('f1', 'f'));
			expect(idsOf(await trigger.tick())).toEqual(['f']);
			Object.assign(trigger.test.credentials, credentialsOf(sandbox));
			expect(await trigger.tick()).toEqual([]);
			submit('e');
			expect(idsOf(await trigger.tick())).toEqual(['e']);
		});

		it.each([
			[{}, 'activate'],
			[{ includeExisting: true }, 'activate'],
			[{}, 'tick'],
			[{ includeExisting: true }, 'tick'],
		])(
			'goes on where the service has moved to, and is limited when it is published: %j, %s',
			async (options, first) => {
				const trigger = poller(options);
				await trigger.activate();
				if (first === 'tick') {
					sandbox.responses.push(responseRecord('f1', 'd'));
					expect(idsOf(await trigger.tick())).toEqual(['d']);
				}
				sandbox.responses.push(responseRecord('f1', 'e'));
				other.responses.splice(0, Infinity, ...sandbox.responses);
				move(trigger);
				other.faults.add({ ...limited, times: 1 });
				expect(await trigger.activate('update')).toEqual([]);
				expect(idsOf(await trigger.tick())).toEqual(['e']);
				expect(await trigger.tick()).toEqual([]);
			},
		);

		it('emits what has come since it was published, if the new server is limited then', async () => {
			const trigger = await started();
			move(trigger);
			other.faults.add({ ...limited, times: 1 });
			expect(await trigger.activate('update')).toEqual([]);
			submitSoon();
			expect(idsOf(await trigger.tick())).toEqual(['f']);
			expect(await trigger.tick()).toEqual([]);
		});

		it('repeats nothing where another form was chosen in between', async () => {
			other.forms.push(formRecord('f2'));
			const trigger = poller();
			await trigger.activate();
			move(trigger);
			expect(await trigger.tick()).toEqual([]);
			other.responses.push(responseRecord('f1', 'f'));
			expect(idsOf(await trigger.tick())).toEqual(['f']);
			for (const form of ['f2', 'f1']) {
				trigger.test.parameters.formId = byId(form);
				const emitted = [...(await trigger.activate('update')), ...(await trigger.tick())];
				expect([form, idsOf(emitted)]).toEqual([form, []]);
			}
		});

		it('repeats nothing where the node gets another name after one emission', async () => {
			const trigger = poller({ includeExisting: true });
			await trigger.activate();
			move(trigger);
			expect(idsOf(await trigger.tick())).toEqual(['theirs', 'a', 'd']);
			trigger.test = { ...trigger.test, node: { name: 'New' } };
			expect(await trigger.activate('update')).toEqual([]);
			expect(await trigger.tick()).toEqual([]);
			submitSoon();
			expect(idsOf(await trigger.tick())).toEqual(['f']);
		});

		it('starts anew when it is published again', async () => {
			const trigger = await started();
			move(trigger);
			expect(await trigger.activate('update')).toEqual([]);
			other.responses.push(responseRecord('f1', 'f'));
			const emitted = [...(await trigger.restart()), ...(await trigger.tick())];
			expect(idsOf(emitted)).toEqual(['f']);
		});

		it('emits what is there if existing ones are included', async () => {
			const trigger = poller({ includeExisting: true });
			await trigger.activate();
			move(trigger);
			expect(idsOf(await trigger.tick())).toEqual(['theirs', 'a', 'd']);
			expect(await trigger.tick()).toEqual([]);
		});

		it.each([false, true])(
			'goes on where the service has moved to (published: %j)',
			async (isPublished) => {
				const trigger = await started();
				submit('e');
				other.responses.splice(0, Infinity, ...sandbox.responses);
				move(trigger);
				const emitted = isPublished ? await trigger.activate('update') : [];
				emitted.push(...(await trigger.tick()));
				expect(idsOf(emitted)).toEqual(['e']);
				other.responses.push(responseRecord('f1', 'f'));
				const later = [...(await trigger.restart()), ...(await trigger.tick())];
				expect(idsOf(later)).toEqual(['f']);
			},
		);
	});

	it('starts anew for another credential', async () => {
		const other = await startSandbox({ forms: [formRecord('f1')] });
		try {
			other.responses.push(responseRecord('f1', 'theirs'));
			const trigger = poller();
			await trigger.activate();
			submit('d');
			await trigger.tick();

			trigger.test = test(
				{},
				{
					credentials: credentialsOf(other),
					node: { credentials: { formCollectionApi: { id: '2', name: 'Other' } } },
				},
			);
			expect(await trigger.activate('update')).toEqual([]);
			expect(await trigger.tick()).toEqual([]);
			other.responses.push(responseRecord('f1', 'theirs, too'));
			expect(idsOf(await trigger.tick())).toEqual(['theirs, too']);
		} finally {
			await other.stop();
		}
	});

	it.each([{}, { includeExisting: true }])(
		'repeats nothing when the node gets another name, and its old one back: %j',
		async (options) => {
			const trigger = poller(options);
			const emitted: unknown[] = [];
			const collect = (items: IDataObject[]) => emitted.push(...idsOf(items));
			const submitAndTick = async (...ids: string[]) => {
				for (const id of ids) {
					submit(id);
					collect(await trigger.tick());
				}
			};
			const rename = async (name: string) => {
				trigger.test = test(options, { node: { name } });
				collect(await trigger.activate('update'));
				collect(await trigger.tick());
			};

			collect(await trigger.activate());
			emitted.length = 0;
			await submitAndTick('d', 'e');
			await rename('Contact form');
			await submitAndTick('f', 'g', 'h');
			await rename('Form Collection Trigger');
			await submitAndTick('i');
			await rename('Contact form');
			await submitAndTick('j');

			expect(emitted).toEqual(['d', 'e', 'f', 'g', 'h', 'i', 'j']);
		},
	);

	it('continues where a deleted trigger with its name was', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		await trigger.tick();
		submit('e');
		trigger.test = test({}, { node: { id: 'another' } });
		const emitted = [...(await trigger.activate('update')), ...(await trigger.tick())];
		expect(idsOf(emitted)).toEqual(['e']);
	});

	it('repeats nothing when the node gets another name and the first poll fails', async () => {
		const trigger = poller({ includeExisting: true });
		await trigger.activate();
		for (const id of ['d', 'e']) {
			sandbox.responses.push(responseRecord('f1', id));
			await trigger.tick();
		}
		trigger.test = test({ includeExisting: true }, { node: { name: 'Contact form' } });
		sandbox.faults.add({ ...limited, times: 1 });
		expect(await trigger.activate('update')).toEqual([]);
		submit('f');
		expect(idsOf(await trigger.tick())).toEqual(['f']);
	});

	describe('with another name after a publishing that the service did not answer', () => {
		const vip = {
			answerFilters: { filter: [{ question: 'name', condition: 'contains', value: 'vip' }] },
		};
		const publish = async (trigger: Poller, options: IDataObject, name: string, fault?: Fault) => {
			trigger.test = test(options, { node: { name } });
			if (fault) sandbox.faults.add({ ...fault, times: 1 });
			return idsOf(await trigger.activate('update'));
		};
		const goesOn = async (trigger: Poller) => {
			expect(await trigger.tick()).toEqual([]);
			submit('next');
			expect(idsOf(await trigger.tick())).toEqual(['next']);
		};

		it.each([{}, { includeExisting: true }])('repeats nothing: %j', async (options) => {
			const trigger = poller(options);
			expect(await publish(trigger, options, 'Old', limited)).toEqual([]);
			submit('d');
			expect(idsOf(await trigger.tick())).toContain('d');
			expect(await publish(trigger, options, 'New')).toEqual([]);
			await goesOn(trigger);
		});

		it.each([{}, { includeExisting: true }])(
			'repeats nothing where it is limited again, or gets its old name back: %j',
			async (options) => {
				const trigger = poller(options);
				await publish(trigger, options, 'Old', limited);
				submit('d');
				expect(idsOf(await trigger.tick())).toContain('d');
				// By its time, it has come before the publishing below.
				sandbox.responses.at(-1)!.created_at = new Date(Date.now() - 60_000).toISOString();
				expect(await publish(trigger, options, 'New', limited)).toEqual([]);
				submit('e');
				expect(idsOf(await trigger.tick())).toEqual(['e']);
				expect(await publish(trigger, options, 'Old')).toEqual([]);
				await goesOn(trigger);
			},
		);

		it('repeats nothing where it has got other answer filters', async () => {
			const trigger = poller();
			await publish(trigger, {}, 'Old');
			submit('d vip');
			await publish(trigger, vip, 'Old', limited);
			expect(idsOf(await trigger.tick())).toEqual(['d vip']);
			expect(await publish(trigger, vip, 'New')).toEqual([]);
			expect(await trigger.tick()).toEqual([]);
			submit('e vip');
			expect(idsOf(await trigger.tick())).toEqual(['e vip']);
		});
	});

	it('saves the key nowhere', async () => {
		const trigger = poller();
		sandbox.faults.add({ ...limited, times: 1 });
		await trigger.activate();
		submit('d');
		await trigger.tick();
		expect(trigger.state).toContain('"d"');
		expect(trigger.state).not.toContain(apiKey);
	});
});

describe('the items', () => {
	it.each(['plain', 'extended'] as const)(
		'are those of Get Responses in the %s variant',
		async (variant) => {
			await sandbox.stop();
			sandbox = await startSandbox({ variant });
			const formId = byId(sandbox.forms.find(({ slug }) => slug === 'contact-us')?.id ?? '');
			for (const { flattenAnswers, ...options } of [
				{ flattenAnswers: false },
				{ flattenAnswers: true },
				{ flattenAnswers: true, joinMultipleWith: '; ' },
				{ flattenAnswers: true, joinMultipleWith: '' },
			]) {
				const expected = await runOn(sandbox, {
					operation: 'getResponses',
					formId,
					returnAll: true,
					flattenAnswers,
					options: { ...options, sort: 'oldestFirst' },
				});
				const trigger = new Poller('classic', {
					parameters: { formId, flattenAnswers, options: { ...options, includeExisting: true } },
					credentials: credentialsOf(sandbox),
				});
				const emitted = await trigger.activate();
				expect(emitted).toEqual(expected.items.map(({ json }) => json));
				expect(emitted.length).toBeGreaterThan(10);
			}
		},
	);
});

it('gives flattened items a column for each question that the form has been seen with', async () => {
	sandbox.responses.push(responseRecord('f2', 'y', { answers: { name: 'Y', mail: 'y@x' } }));
	const flat = { formId: byId('f2'), flattenAnswers: true, options: {} } as INodeParameters;
	const trigger = new Poller('classic', test({}, { parameters: flat }));
	await trigger.activate();
	submit('new', 'f2');
	expect(await trigger.tick()).toEqual([
		{ name: 'Name new', mail: '', id: 'new', form_id: 'f2', created_at: expect.any(String) },
	]);
	const staticData = JSON.parse(trigger.saved);
	const { context } = polling(test({}, { parameters: flat, mode: 'manual', staticData }));
	expect(await runPoll(context)).toMatchObject([{ name: 'Name new', mail: '', id: 'new' }]);

	sandbox.responses.splice(
		sandbox.responses.findIndex(({ id }) => id === 'y'),
		1,
	);
	submit('newer', 'f2');
	await trigger.restart();
	submit('newest', 'f2');
	const [item] = await trigger.tick();
	expect(Object.keys(item ?? {})).toEqual(['name', 'mail', 'id', 'form_id', 'created_at']);
});

describe('fetching a test event', () => {
	useFastClock();

	const fetch = async (more?: Partial<PollTest>) => {
		const { context, workflow } = polling({ ...test(), ...more, mode: 'manual' });
		const items = await runPoll(context);
		expect(workflow.staticData).toEqual({});
		return items;
	};

	it('shows the newest response, wherever it is listed', async () => {
		submit('newest');
		sandbox.responses.unshift(...sandbox.responses.splice(-1));
		expect(idsOf(await fetch())).toEqual(['newest']);
		expect(idsOf(await fetch())).toEqual(['newest']);
		expect(requestsTo(sandbox)).toHaveLength(2);
	});

	it('leaves what an active trigger has seen as it is', async () => {
		const trigger = new Poller('classic', test());
		await trigger.activate();
		submit('d');
		const staticData = JSON.parse(trigger.saved);
		const { context, workflow } = polling(test({}, { mode: 'manual', staticData }));
		expect(idsOf(await runPoll(context))).toEqual(['d']);
		expect(JSON.stringify(workflow.staticData)).toBe(trigger.saved);
		expect(idsOf(await trigger.tick())).toEqual(['d']);
	});

	it('ends after its timeout', async () => {
		sandbox.faults.add({ hang: true });
		expect(await failureOf(fetch(test({ timeout: 1 })))).toMatchObject({
			message:
				'The service did not answer within 1 second: try again, or raise Timeout under Options, or check the Base URL in the Form Collection API credential and that n8n can reach it',
		});
	});

	it('shows the newest response that the answer filters let pass', async () => {
		const answerFilters = (value: string) => ({
			answerFilters: { filter: [{ question: 'name', condition: 'equals', value }] },
		});
		expect(idsOf(await fetch(test(answerFilters('name b'))))).toEqual(['b']);
		expect(await failureOf(fetch(test(answerFilters('nobody'))))).toMatchObject({
			message:
				'No response of this form matches Answer Filters: change them, or submit a response that matches and fetch the test event again',
		});
	});

	it('says that no response has an answer to a question of the filters', async () => {
		const filter = ['name', 'emial'].map((question) => ({ question, condition: 'isNotEmpty' }));
		expect(await failureOf(fetch(test({ answerFilters: { filter } })))).toMatchObject({
			message:
				'None of the responses has an answer to "emial": check the question in Answer Filters, or submit a response that answers it and fetch the test event again',
		});
		const others = [
			{ question: 'emial', condition: 'isEmpty' },
			{ question: 'name', condition: 'equals', value: 'nobody' },
		];
		const failure = await failureOf(fetch(test({ answerFilters: { filter: others } })));
		expect(failure.message).toMatch(/^No response of this form matches Answer Filters/);
	});

	it('does not say that there is none where the service sends only a part', async () => {
		sandbox.faults.add({ body: { responses: [], has_more: true } });
		expect(await failureOf(fetch())).toMatchObject({
			message:
				'The service sent only part of the responses, and none that matches: submit a response that matches and fetch the test event again',
		});
	});

	it('says what to do where there is none', async () => {
		sandbox.responses.length = 0;
		expect(await failureOf(fetch())).toMatchObject({
			message: 'This form has no responses yet: submit one and fetch the test event again',
		});
	});

	it('says that the limit is reached', async () => {
		sandbox.faults.add(limited);
		expect((await failureOf(fetch())).message).toMatch(
			/^The request limit of your plan is reached \(429\): try again in 30 minutes, after /,
		);
		expect(requestsTo(sandbox)).toHaveLength(1);
	});
});

describe('a poll that fails', () => {
	useFastClock();

	const whereToLook = 'in the Form Collection API credential';

	it.each<[string, Partial<Fault>, object]>([
		[
			'when the limit is reached',
			{ status: 429, headers: { 'Retry-After': '90' } },
			{
				message: 'The request limit of your plan is reached (429): try again in 90 seconds',
				failure: { cause: 'rate-limited', retryAfterMs: 90_000 },
			},
		],
		[
			'when the limit is reached for an unknown time',
			{ status: 429 },
			{
				message:
					'The request limit of your plan is reached (429): it counts per hour, so wait up to an hour before you try again',
				failure: { cause: 'rate-limited' },
			},
		],
		[
			'when the key is refused',
			{ status: 401 },
			{
				message: `The service refused the API key (401): copy the key from your account settings into the Form Collection API credential`,
				failure: { cause: 'credential-invalid' },
			},
		],
		[
			'when the form is gone',
			{ status: 404, body: '' },
			{
				message:
					'Form "f1" was not found (404): select a form from the list, or enter its ID, not its slug',
				failure: { cause: 'configuration-invalid' },
			},
		],
		[
			'when the service is down',
			{ status: 503, headers: { 'Retry-After': '7' } },
			{
				message:
					'The service, or a proxy on the way to it, could not answer (503): try again in 7 seconds',
				failure: { cause: 'temporarily-unavailable', retryAfterMs: 7_000 },
			},
		],
		[
			'when the service does not answer in time',
			{ hang: true },
			{
				message:
					'The service did not answer within 1 second: try again, or raise Timeout under Options, or check the Base URL in the Form Collection API credential and that n8n can reach it',
				failure: { cause: 'temporarily-unavailable' },
			},
		],
	])(
		'says so to n8n %s, after one request',
		async (_, fault, expected) => {
			for (const path of pollPaths) {
				const trigger = new Poller(path, test(fault.hang ? { timeout: 1 } : {}));
				await trigger.activate();
				sandbox.log.length = 0;
				sandbox.faults.add({ ...fault, times: 1 });
				expect(await failureOf(trigger.tick())).toMatchObject(expected);
				expect(requestsTo(sandbox)).toEqual(['GET /responses f1']);
			}
		},
		20_000,
	);

	it('says so before anything was seen, if it is not the first', async () => {
		for (const path of pollPaths) {
			const trigger = new Poller(path, test());
			sandbox.faults.add({ status: 503, times: 2 });
			await trigger.activate();
			expect(await failureOf(trigger.tick())).toMatchObject({
				failure: { cause: 'temporarily-unavailable' },
			});
		}
	});

	it.each([36_000, 600_000])('says so, however long n8n lets it take: %i ms', async (budgetMs) => {
		sandbox.faults.add({ status: 503, times: 1 });
		const { context } = polling(test({}, { activation: 'update', budgetMs }));
		expect(await failureOf(runPoll(context))).toMatchObject({
			failure: { cause: 'temporarily-unavailable' },
		});
	});

	it.each(['activate', 'init', 'leadershipChange'] as const)(
		'does not keep a workflow from being activated, whatever the budget: %s',
		async (activation) => {
			sandbox.faults.add({ status: 503, times: 1 });
			const { context } = polling(test({}, { activation, budgetMs: 36_000 }));
			expect(await runPoll(context)).toEqual([]);
		},
	);

	it('ends when n8n would abandon it, which no Timeout can change', async () => {
		sandbox.faults.add({ hang: true });
		const { context } = polling(test({}, { activation: 'update', budgetMs: 1_000 }));
		expect(await failureOf(runPoll(context))).toMatchObject({
			message:
				'The service did not answer in full within the 1 s that n8n gives a poll: ask your n8n administrator to raise N8N_SCHEDULER_POLL_TIMEOUT and N8N_SCHEDULER_LEASE_DURATION',
			failure: { cause: 'temporarily-unavailable' },
		});
		expect(
			await failureOf(
				runPoll(polling(test({ timeout: 0.5 }, { activation: 'update', budgetMs: 1_000 })).context),
			),
		).toMatchObject({
			message:
				'The service did not answer within 0.5 seconds: try again, or raise Timeout under Options, or check the Base URL in the Form Collection API credential and that n8n can reach it',
		});
	});

	it('ends when n8n would abandon it, also while the list still comes in', async () => {
		sandbox.faults.add({ slowBodyMs: 4_000 });
		sandbox.responses.push(...Array.from({ length: 500 }, (_, i) => responseRecord('f1', `r${i}`)));
		const { context } = polling(test({}, { activation: 'update', budgetMs: 1_000 }));
		expect(await failureOf(runPoll(context))).toMatchObject({
			message: expect.stringContaining('in full within the 1 s that n8n gives a poll') as string,
			failure: { cause: 'temporarily-unavailable' },
		});
	});

	it.each<[string, Partial<PollTest> | (() => Partial<PollTest>), string]>([
		[
			'a wrong key',
			() => ({ credentials: { baseUrl: sandbox.baseUrl, apiKey: 'wrong' } }),
			`The service refused the API key (401): copy the key from your account settings into the Form Collection API credential`,
		],
		[
			'no base URL',
			{ credentials: { baseUrl: '', apiKey } },
			`The Base URL is empty: enter one like https://forms.example.com/api ${whereToLook}`,
		],
		[
			'a form that is not there',
			{ parameters: { formId: byId('gone'), options: {} } },
			'Form "gone" was not found (404): select a form from the list, or enter its ID, not its slug',
		],
		[
			'no form',
			{ parameters: { formId: byId(''), options: {} } },
			'No form is chosen: select one in the field Form, or enter its ID there',
		],
	])('keeps the workflow from being activated: %s', async (_, setting, message) => {
		for (const path of pollPaths) {
			const more = typeof setting === 'function' ? setting() : setting;
			const trigger = new Poller(path, test({}, more));
			expect(await failureOf(trigger.activate())).toMatchObject({ message });
			expect(trigger.state.trim()).toBe('{}');
		}
	});

	it('does not show the API key, if it was entered in another field', async () => {
		const parameters = { formId: byId(`https://forms.example.com/${apiKey}`) } as INodeParameters;
		const { context } = polling(test({}, { parameters }));
		expect(await failureOf(runPoll(context))).toMatchObject({
			message:
				'Form is a web address (https://forms.example.com/…): select the form from the list, or enter its ID',
		});
	});

	it('keeps what the editor explains a broken expression with', async () => {
		const { context } = polling(test({ timeout: "={{ $('Old name').first().json.n }}" }));
		await expect(runPoll(context)).rejects.toMatchObject({
			name: 'NodeOperationError',
			context: { parameter: 'options', nodeCause: 'Old name', descriptionKey: 'nodeNotFound' },
		});
	});

	it.each([undefined, {}])('keeps it from being activated: no credential (%j)', async (none) => {
		const { context } = polling(test({}, { node: { credentials: none } }));
		expect(await failureOf(runPoll(context))).toMatchObject({
			message: 'This node has no credential: select or create one under Credential',
		});
	});

	it('tells the log of n8n why the first one got nothing', async () => {
		sandbox.faults.add({ status: 503, times: 1 });
		const { context } = polling(test());
		const warn = jest.spyOn(context.logger, 'warn').mockReturnValue();
		await runPoll(context);
		expect(warn.mock.calls).toEqual([
			[
				'The first poll of "Form Collection Trigger" got nothing: The service, or a proxy on the way to it, could not answer (503): try again in a few minutes',
			],
		]);
		warn.mockRestore();
	});

	it('does not keep it from being activated where nothing answers', async () => {
		await sandbox.stop();
		for (const path of pollPaths) {
			expect(await new Poller(path, test()).activate()).toEqual([]);
		}
	});
});

describe.each(pollPaths)(
	'a service that tells whether anything has changed, on the path: %s',
	(path) => {
		const statuses = () => sandbox.log.map(({ status }) => status);

		it.each([
			['etag', undefined],
			['lastModified', '2026-01-05T00:00:00.000Z'],
		] as const)('is not read again until something has (%s)', async (validator, created_at) => {
			sandbox.settings.validator = validator;
			const trigger = new Poller(path, test());
			await trigger.activate();
			expect(await trigger.tick()).toEqual([]);
			sandbox.responses.push(responseRecord('f1', 'd', { created_at }));
			expect(idsOf(await trigger.tick())).toEqual(['d']);
			expect(await trigger.tick()).toEqual([]);
			expect([...(await trigger.restart()), ...(await trigger.tick())]).toEqual([]);

			expect(statuses().slice(0, 4)).toEqual([200, 304, 200, 304]);
			expect(statuses().slice(4)).toEqual(Array(sandbox.log.length - 4).fill(304));
		});

		it('is read in full where a second may hide a change', async () => {
			sandbox.settings.validator = 'lastModified';
			const now = new Date().toISOString();
			sandbox.responses.push(responseRecord('f1', 'd', { created_at: now }));
			const trigger = new Poller(path, test());
			await trigger.activate();
			sandbox.responses.push(responseRecord('f1', 'e', { created_at: now }));

			expect(idsOf(await trigger.tick())).toEqual(['e']);
			expect(statuses()).toEqual([200, 200]);
		});

		it('stays unchanged after an answer that says no more than that', async () => {
			sandbox.settings.validator = 'etag';
			const trigger = new Poller(path, test());
			await trigger.activate();
			sandbox.faults.add({ status: 304, times: 1 });
			await trigger.tick();
			await trigger.tick();

			expect(statuses()).toEqual([200, 304, 304]);
		});

		it('is read in full after what it knew is of another form', async () => {
			sandbox.settings.validator = 'etag';
			const trigger = new Poller(path, test());
			await trigger.activate();
			trigger.test = { ...test(), parameters: { formId: byId('f2'), options: {} } };
			await trigger.activate();

			expect(sandbox.log[1]?.headers).not.toHaveProperty('if-none-match');
		});

		it('is read in full for a test event', async () => {
			sandbox.settings.validator = 'etag';
			const trigger = new Poller(path, test());
			await trigger.activate();
			await runPoll(
				polling(test({}, { mode: 'manual', staticData: JSON.parse(trigger.saved) })).context,
			);

			expect(statuses()).toEqual([200, 200]);
		});
	},
);

describe.each(['classic', 'durable cursors'] as const)(
	'a service that tells whether anything has changed, on the path: %s',
	(path) => {
		it('is read once after each change that brings nothing new', async () => {
			sandbox.settings.validator = 'etag';
			const trigger = new Poller(path, test());
			await trigger.activate();
			for (const gone of ['a', 'b']) {
				sandbox.responses.splice(
					sandbox.responses.findIndex(({ id }) => id === gone),
					1,
				);
				expect(await trigger.tick()).toEqual([]);
				expect(await trigger.tick()).toEqual([]);
			}

			expect(sandbox.log.map(({ status }) => status)).toEqual([200, 200, 304, 200, 304]);
		});
	},
);

describe('what n8n saves', () => {
	it('is marked as changed only where it has changed', async () => {
		const { context, workflow } = polling(test());
		const isChanged = async () => {
			workflow.staticData.__dataChanged = false;
			await runPoll(context);
			return workflow.staticData.__dataChanged;
		};

		expect(await isChanged()).toBe(true);
		expect(await isChanged()).toBe(false);
		submit('d');
		expect(await isChanged()).toBe(true);
		expect(await isChanged()).toBe(false);
	});

	it('is kept once as soon as that of the node is saved', async () => {
		for (const path of pollPaths) {
			// Without the triggers of other tests
			const workflowId = `on ${path}`;
			const trigger = new Poller(path, test({}, { workflowId }));
			await trigger.activate();
			for (const id of [`${path} d`, `${path} e`]) {
				submit(id);
				expect(idsOf(await trigger.tick())).toEqual([id]);
			}

			expect([path, JSON.parse(trigger.saved).global]).toEqual([
				path,
				{
					'formCollectionTrigger node': {
						source: `${workflowId} 1 f1`,
						server: hashOf(sandbox.baseUrl),
						revision: 3,
						hasStarted: true,
						nodeName: 'Form Collection Trigger',
					},
				},
			]);
		}
	});

	it('is kept apart for each trigger of a workflow', async () => {
		const workflowId = 'workflow';
		const trigger = new Poller('durable cursors', test({}, { workflowId }));
		await trigger.activate();

		expect(JSON.parse(trigger.saved)).toMatchObject({
			global: { 'formCollectionTrigger node': { source: 'workflow 1 f1' } },
		});
	});
});

it.each(pollPaths)(
	'a copy of a workflow with what n8n has saved of it starts over (%s)',
	async (path) => {
		const trigger = new Poller(path, test());
		await trigger.activate();
		submit('d');
		expect(idsOf(await trigger.tick())).toEqual(['d']);
		const exported = trigger.saved;
		submit('e');
		expect(idsOf(await trigger.tick())).toEqual(['e']);

		const copy = new Poller(path, { ...test(), workflowId: 'copy' });
		copy.saved = exported;
		expect(await copy.activate()).toEqual([]);
		submit('f');
		expect(idsOf(await copy.tick())).toEqual(['f']);
		expect(idsOf(await trigger.tick())).toEqual(['f']);
	},
);

let clock: jest.SpyInstance | undefined;

/** Until then a poll may be one for which n8n has read what it had saved before. */
function aMinuteLater() {
	const now = performance.now();
	clock?.mockRestore();
	clock = jest.spyOn(performance, 'now').mockImplementation(() => now + 60_000);
}

afterEach(() => clock?.mockRestore());

describe.each(['scheduler', 'durable cursors'] as const)(
	'a poll that is due during the first one (%s)',
	(path) => {
		it('repeats nothing', async () => {
			const trigger = new Poller(path, test({ includeExisting: true }));
			sandbox.faults.add({ delayMs: 300, times: 1 });
			const due = trigger.due();
			const polled = await Promise.all([trigger.activate(), due(), trigger.tick()]);
			expect(idsOf(polled.flat())).toEqual(['a', 'b', 'c']);
			expect(await trigger.tick()).toEqual([]);
		});

		it.each([true, false])(
			'loses nothing where it begins later; existing ones included: %s',
			async (includeExisting) => {
				const trigger = new Poller(path, test({ includeExisting }));
				const due = trigger.due();
				const emitted = await trigger.activate();
				submit('d');
				for (const polled of [due, async () => await trigger.tick()])
					emitted.push(...(await polled()));
				expect(idsOf(emitted)).toEqual([...(includeExisting ? ['a', 'b', 'c'] : []), 'd']);
			},
		);
	},
);

it('emits once where polls overlap that each have a copy of what was saved, without a scheduler', async () => {
	// n8n 2.41 does so once durable cursors have been on and are off again.
	const copies = new AsyncLocalStorage<IDataObject>();
	let saved = '{}';
	const { context } = polling({ ...test(), staged: () => copies.getStore() as IDataObject });
	const pollWithCopy = async () => {
		const copy = JSON.parse(saved) as IDataObject;
		const items = await copies.run(copy, async () => await runPoll(context));
		if (items.length > 0) saved = JSON.stringify(copy);
		return items;
	};
	await pollWithCopy();
	submit('d');
	const emitted = await Promise.all([pollWithCopy(), pollWithCopy()]);
	expect(idsOf(emitted.flat())).toEqual(['d']);
	submit('e');
	expect(idsOf(await pollWithCopy())).toEqual(['e']);
});

describe('an n8n that has started the execution, but could not save the note', () => {
	const emitsInVain = async (trigger: Poller) => {
		const before = trigger.saved;
		submit('d');
		expect(idsOf(await trigger.tick())).toEqual(['d']);
		trigger.saved = before;
		aMinuteLater();
	};

	it('repeats responses, and misses none after the first poll of a publishing was limited', async () => {
		const trigger = new Poller('scheduler', test());
		sandbox.faults.add({ ...limited, times: 1 });
		await trigger.activate();
		await trigger.tick();
		await emitsInVain(trigger);
		sandbox.responses.push(responseRecord('f1', 'undated', { created_at: 'once' }));
		expect(idsOf(await trigger.tick())).toEqual(['d', 'undated']);
		expect(await trigger.tick()).toEqual([]);
	});

	it('repeats responses, and misses none after it has found another server', async () => {
		const trigger = new Poller('scheduler', test());
		trigger.saved = '{}';
		await trigger.tick();
		await emitsInVain(trigger);
		submit('e');
		expect(idsOf(await trigger.tick())).toEqual(['d', 'e']);
		expect(await trigger.tick()).toEqual([]);
	});
});

describe('an n8n that has noted a poll, but could not start the execution', () => {
	const poller = (options?: IDataObject) => new Poller('durable cursors', test(options));
	const lose = async (trigger: Poller, polled: () => Promise<IDataObject[]>) => {
		trigger.losesCursors = true;
		expect(await polled()).toEqual([]);
		expect(await trigger.tick()).toEqual([]);
		trigger.losesCursors = false;
	};

	it.each([0, 1, 2])('emits again what is new after %d others', async (before) => {
		const trigger = poller();
		await trigger.activate();
		for (const id of ['d', 'e'].slice(0, before)) {
			submit(id);
			expect(idsOf(await trigger.tick())).toEqual([id]);
		}
		submit('f');
		await lose(trigger, async () => await trigger.tick());

		expect(idsOf(await trigger.tick())).toEqual(['f']);
		expect(await trigger.tick()).toEqual([]);
	});

	it('emits again what a published trigger is to include', async () => {
		const trigger = poller({ includeExisting: true });
		await lose(trigger, async () => await trigger.activate());

		expect(idsOf(await trigger.tick())).toEqual(['a', 'b', 'c']);
		expect(await trigger.tick()).toEqual([]);
	});

	it('emits again what came while the trigger was changed', async () => {
		const trigger = poller();
		await trigger.activate();
		submit('d');
		expect(idsOf(await trigger.tick())).toEqual(['d']);
		submit('e');
		const filter = [{ question: 'name', condition: 'notEquals', value: 'nobody' }];
		trigger.test = test({ answerFilters: { filter } });
		await lose(trigger, async () => await trigger.activate('update'));

		expect(idsOf(await trigger.tick())).toEqual(['e']);
		expect(await trigger.tick()).toEqual([]);
	});
});

it('polls where n8n gives no budget', async () => {
	const { context } = polling(test());
	Object.assign(context, { getPollBudgetMs: undefined });

	expect(await runPoll(context)).toEqual([]);
	submit('d');
	expect(idsOf(await runPoll(context))).toEqual(['d']);
});

it('polls again once n8n has abandoned a poll that never ends', async () => {
	const trigger = new Poller('scheduler', test());
	await trigger.activate();
	submit('d');
	const scheduled = (getDecrypted?: PollTest['getDecrypted']) =>
		polling({
			...test({}, { getDecrypted }),
			staticData: JSON.parse(trigger.saved) as IDataObject,
			activation: 'update',
			budgetMs: 36_000,
		}).context;
	let giveCredential: ((credential: PollTest['credentials']) => void) | undefined;
	const credential = new Promise<PollTest['credentials']>((resolve) => (giveCredential = resolve));
	const hanging = runPoll(scheduled(async () => await credential));
	expect(await runPoll(scheduled())).toEqual([]);
	const now = performance.now();
	const clock = jest.spyOn(performance, 'now').mockImplementation(() => now + 72_000);
	try {
		sandbox.faults.add({ delayMs: 100, times: 1 });
		const next = runPoll(scheduled());
		// The end of the abandoned one does not make way for a third.
		giveCredential?.(credentialsOf(sandbox));
		await hanging;
		expect(await runPoll(scheduled())).toEqual([]);
		expect(idsOf(await next)).toEqual(['d']);
	} finally {
		clock.mockRestore();
	}
});

describe('polls that overlap', () => {
	it('lose nothing when they are the first two', async () => {
		const { context } = polling(test());
		// The list of the first poll is made after the second one.
		sandbox.faults.add({ delayMs: 300, times: 1 });
		const slow = runPoll(context);
		while (sandbox.log.length < 1) await new Promise((resolve) => setImmediate(resolve));
		expect(await runPoll(context)).toEqual([]);
		submit('d');
		const emitted = [...(await slow), ...(await runPoll(context))];
		expect(idsOf(emitted)).toEqual(['d']);
	});

	it('emit once, whichever answer comes first', async () => {
		const trigger = new Poller('classic', test());
		await trigger.activate();
		submit('d');
		sandbox.faults.add({ delayMs: 300, stored: true, times: 1 });
		const slow = trigger.tick();
		const fast = trigger.tick();
		expect(idsOf([...(await slow), ...(await fast)])).toEqual(['d']);
	});

	it('lose nothing when the older list comes last', async () => {
		const trigger = new Poller('classic', test());
		await trigger.activate();
		// The first list is made before the response is there, and arrives after it.
		sandbox.faults.add({ slowBodyMs: 300, times: 1 });
		const slow = trigger.tick();
		while (sandbox.log.length < 2) await new Promise((resolve) => setImmediate(resolve));
		submit('d');
		expect(idsOf(await trigger.tick())).toEqual(['d']);
		expect(await slow).toEqual([]);
		expect(await trigger.tick()).toEqual([]);
	});
});

it('says once in the log of n8n that the service may have sent only a part', async () => {
	sandbox.faults.add({ body: { responses: [], next: 'https://forms.example.com/2' } });
	const { context } = polling(test({}, { node: { id: 'partial' } }));
	const warn = jest.spyOn(context.logger, 'warn');
	await runPoll(context);
	await runPoll(context);

	const about = warn.mock.calls.filter(([line]) => String(line).includes('also sent'));
	expect(about).toEqual([
		[
			'"Form Collection Trigger": The service also sent next: there may be more responses than these',
		],
	]);
});

it('says once in the log of n8n that no response answers a question of the filters', async () => {
	const answerFilters = { filter: [{ question: 'emial', condition: 'isNotEmpty' }] };
	const { context } = polling(test({ answerFilters }, { node: { id: 'misspelt' } }));
	const warn = jest.spyOn(context.logger, 'warn').mockClear();
	sandbox.faults.clear();
	const list = [responseRecord('f1', 'r1')];
	sandbox.faults.add({ body: { responses: [] }, times: 1 });
	sandbox.faults.add({ body: { responses: list, has_more: true }, times: 1 });
	for (let poll = 0; poll < 4; poll++) await runPoll(context);

	expect(warn.mock.calls.filter(([line]) => !String(line).includes('also sent'))).toEqual([
		[
			'"Form Collection Trigger": None of the responses has an answer to "emial": check the question in Answer Filters',
		],
	]);
});

it('needs no expression once a request is under way, as n8n may have released what evaluates them', async () => {
	const { context, workflow } = polling({
		parameters: { formId: byId('={{ "f1" }}'), options: { timeout: '={{ 20 }}' } },
		credentials: credentialsOf(sandbox),
		mode: 'manual',
	});
	const output = poll.call(context);
	const released = () => {
		throw new Error('No bridge acquired for this context');
	};
	for (const method of [
		'getParameterValue',
		'getSimpleParameterValue',
		'resolveSimpleParameterValue',
	] as const) {
		workflow.expression[method] = released;
	}

	expect((await output)?.[0]?.map(({ json }) => json.id)).toEqual(['c']);
});
