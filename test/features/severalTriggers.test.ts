import fc from 'fast-check';
import { PollContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { ok } from 'node:assert';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { PollTest } from '../support/engine';
import { polling } from '../support/engine';
import { byId, credentialsOf, formRecord, responseRecord } from '../support/formCollection';
import * as poller from '../support/poller';

const { runPoll } = poller;

const forms = ['A', 'B', 'another A', 'another B'];

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		forms: forms.map((form) => formRecord(form)),
		responses: forms.map((form) => responseRecord(form, `old ${form}`)),
	});
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

type Name = 'A' | 'B';
const names = ['A', 'B'] as const;

let workflows = 0;
let submitted = 0;
const submit = (form: string, answers = {}) => {
	const created_at = new Date(Date.now() + 60_000 * ++submitted).toISOString();
	const id = `${form}${submitted}`;
	sandbox.responses.push(responseRecord(form, id, { created_at, answers }));
	return id;
};

/** A workflow with two triggers, each for the form of its name at first, as n8n 2.41 publishes and polls it. */
class Workflow {
	private readonly id = `workflow ${++workflows}`;

	private saved = '{}';

	private readonly polling = new Set<Name>();

	readonly forms = { A: 'A', B: 'B' };

	/** As the editor shows them */
	readonly nodeNames = { A: 'A', B: 'B' };

	private readonly running = new Map<Name, ReturnType<typeof polling>>();

	constructor(private readonly options: Partial<Record<Name, IDataObject>> = {}) {}

	/** n8n registers this one alone, with a copy of what is saved. */
	async publish(name: Name, activation: PollTest['activation'] = 'update') {
		const registered = polling({
			workflowId: this.id,
			parameters: {
				formId: byId(this.forms[name]),
				options: this.options[name] ?? {},
			} as INodeParameters,
			credentials: credentialsOf(sandbox),
			node: { id: name, name: this.nodeNames[name] },
			activation,
			staticData: jsonParse<IDataObject>(this.saved),
			staged: () => {
				// So does n8n 2.41.
				ok(this.polling.has(name), 'read outside of its poll');
				return registered.workflow.getStaticData('node', registered.context.getNode());
			},
		});
		this.running.set(name, registered);
		const emitted = await this.poll(name);
		this.save(name);
		return emitted;
	}

	async tick(name: Name) {
		const emitted = await this.poll(name);
		if (emitted.length > 0) this.save(name);
		return emitted;
	}

	async restart() {
		return { A: await this.publish('A', 'init'), B: await this.publish('B', 'init') };
	}

	private async poll(name: Name) {
		this.polling.add(name);
		const emitted = await runPoll(this.running.get(name)!.context);
		this.polling.delete(name);
		return emitted.map(({ id }) => id);
	}

	/** The whole copy of the trigger */
	private save(name: Name) {
		const { staticData } = this.running.get(name)!.workflow;
		if (staticData.__dataChanged === true) this.saved = JSON.stringify(staticData);
	}
}

it('repeats nothing after a restart where another trigger, which was published later, emitted last', async () => {
	const workflow = new Workflow();
	await workflow.publish('A');
	await workflow.publish('B');
	for (let i = 0; i < 3; i++) {
		const id = submit('A');
		expect(await workflow.tick('A')).toEqual([id]);
	}
	const id = submit('B');
	expect(await workflow.tick('B')).toEqual([id]);
	expect(await workflow.restart()).toEqual({ A: [], B: [] });
});

it('misses nothing after a restart where a trigger that was published earlier emitted last', async () => {
	const workflow = new Workflow();
	await workflow.publish('A');
	await workflow.publish('B');
	for (const name of ['B', 'A'] as const) {
		const id = submit(name);
		expect(await workflow.tick(name)).toEqual([id]);
	}
	const id = submit('B');
	expect(await workflow.restart()).toEqual({ A: [], B: [id] });
});

it('does not include existing responses again after a restart', async () => {
	const workflow = new Workflow({ B: { includeExisting: true } });
	await workflow.publish('A');
	expect(await workflow.publish('B')).toEqual(['old B']);
	const id = submit('A');
	expect(await workflow.tick('A')).toEqual([id]);
	expect(await workflow.restart()).toEqual({ A: [], B: [] });
});

it.each([{}, { includeExisting: true }])(
	'goes on with another form after a restart, with %j',
	async (options) => {
		const workflow = new Workflow({ A: options });
		await workflow.publish('A');
		await workflow.publish('B');
		for (const name of ['A', 'A', 'A', 'B'] as const) {
			const id = submit(name);
			expect(await workflow.tick(name)).toEqual([id]);
		}
		workflow.forms.A = 'another A';
		expect(await workflow.publish('A')).toEqual(
			'includeExisting' in options ? ['old another A'] : [],
		);
		const id = submit('B');
		expect(await workflow.tick('B')).toEqual([id]);
		const late = submit('another A');
		expect(await workflow.restart()).toEqual({ A: [late], B: [] });
	},
);

it.each([{}, { status: 503 }])(
	'keeps what another trigger emits while it is published, with %j',
	async (fault) => {
		const workflow = new Workflow();
		await workflow.publish('A');
		await workflow.publish('B');
		const [first, second] = [submit('A'), submit('A')];
		expect(await workflow.tick('A')).toEqual([first, second]);
		sandbox.faults.add({ ...fault, delayMs: 100, times: 1 });
		const publishing = workflow.publish('B');
		const id = submit('A');
		expect(await workflow.tick('A')).toEqual([id]);
		await publishing;
		expect(await workflow.restart()).toEqual({ A: [], B: [] });
	},
);

/** A workflow of which n8n registers several triggers at once: they have one copy of what is saved. */
class Together {
	private readonly id = `together ${++workflows}`;

	private saved = '{}';

	register(
		formsAndOptions: Record<string, { form?: string; options?: IDataObject }>,
		activation: PollTest['activation'],
		{ runPoll } = poller,
	) {
		const { saved } = this;
		const make = (name: string) => {
			const { form = name, options = {} } = formsAndOptions[name] ?? {};
			return polling({
				workflowId: this.id,
				parameters: { formId: byId(form), options } as INodeParameters,
				credentials: credentialsOf(sandbox),
				node: { id: name, name },
				activation,
				staticData: jsonParse<IDataObject>(saved),
			});
		};
		const { workflow } = make('');
		const contexts = new Map<string, PollContext>();
		const save = () => {
			const { staticData } = workflow;
			if (staticData.__dataChanged === true) this.saved = JSON.stringify(staticData);
		};
		const poll = async (name: string) => {
			const items = await runPoll(contexts.get(name) as PollContext);
			return items.map(({ id }) => id);
		};
		return {
			save,
			/** Each try has a context of its own. */
			first: async (name: string) => {
				const { context } = make(name);
				const { additionalData } = context as unknown as { additionalData: never };
				const shared = [workflow, context.getNode(), additionalData, 'trigger'] as const;
				contexts.set(name, new PollContext(...shared, activation ?? 'activate'));
				return await poll(name);
			},
			tick: async (name: string) => {
				const emitted = await poll(name);
				if (emitted.length > 0) save();
				return emitted;
			},
		};
	}
}

it('keeps what another trigger emits while n8n tries again to publish one that is refused', async () => {
	const workflow = new Together();
	const running = workflow.register({ A: {} }, 'activate');
	await running.first('A');
	running.save();
	const first = submit('A');
	expect(await running.tick('A')).toEqual([first]);

	const added = workflow.register({ B: {}, C: { form: 'missing' } }, 'update');
	await added.first('B');
	await expect(added.first('C')).rejects.toThrow('404');
	const second = submit('A');
	expect(await running.tick('A')).toEqual([second]);
	await expect(added.first('C')).rejects.toThrow('404');
	added.save();

	expect(await workflow.register({ A: {}, B: {} }, 'init').first('A')).toEqual([]);
});

it('goes by what is saved where another main process had the leadership in between', async () => {
	const filter = [{ question: 'kind', condition: 'equals', value: 'wanted' }];
	const both = { A: {}, B: { options: { answerFilters: { filter } } } };
	const workflow = new Together();
	const before = workflow.register(both, 'activate');
	for (const name of names) await before.first(name);
	before.save();
	for (let i = 0; i < 3; i++) {
		submit('B', { kind: 'other' });
		// Raises the revision that this process has in memory, and saves nothing.
		for (const name of names) expect(await before.tick(name)).toEqual([]);
	}

	// Another process has modules of its own.
	const other = await new Promise<typeof poller>((resolve) =>
		jest.isolateModules(() => resolve(jest.requireActual('../support/poller'))),
	);
	const there = workflow.register(both, 'leadershipChange', other);
	for (const name of names) await there.first(name);
	there.save();
	const wanted = submit('B', { kind: 'wanted' });
	expect(await there.tick('B')).toEqual([wanted]);

	const back = workflow.register(both, 'leadershipChange');
	for (const name of names) expect(await back.first(name)).toEqual([]);
	// Only now may the garbage collector take what it polled with before.
	expect(await before.tick('A')).toEqual([]);
});

it.each(['init', 'leadershipChange'] as const)(
	'keeps what triggers know that start together, on %s',
	async (activation) => {
		const workflow = new Together();
		const published = workflow.register({ A: {}, B: {} }, 'activate');
		for (const name of names) await published.first(name);
		published.save();
		const again = workflow.register({ A: {}, B: {} }, activation);
		const late = submit('A');
		expect([await again.first('A'), await again.first('B')]).toEqual([[late], []]);
		again.save();
		for (const name of ['B', 'A', 'B'] as const) {
			const id = submit(name);
			expect(await again.tick(name)).toEqual([id]);
		}
		const third = workflow.register({ A: {}, B: {} }, 'init');
		expect([await third.first('A'), await third.first('B')]).toEqual([[], []]);
	},
);

it('starts over with a form that it had before another one, where another trigger has emitted', async () => {
	const workflow = new Workflow();
	await workflow.publish('B');
	const id = submit('B');
	expect(await workflow.tick('B')).toEqual([id]);
	await workflow.publish('A');
	const later = submit('B');
	expect(await workflow.tick('B')).toEqual([later]);
	workflow.forms.B = 'another B';
	await workflow.publish('B');
	const ofA = submit('A');
	expect(await workflow.tick('A')).toEqual([ofA]);
	workflow.forms.B = 'B';
	expect(await workflow.publish('B')).toEqual([]);
	expect(await workflow.restart()).toEqual({ A: [], B: [] });
});

it.each([{}, { includeExisting: true }])(
	'goes on where it was with the name of a trigger that is gone, with %j',
	async (options) => {
		const workflow = new Workflow({ B: options });
		await workflow.publish('A');
		for (let i = 0; i < 3; i++) {
			const id = submit('A');
			expect(await workflow.tick('A')).toEqual([id]);
		}
		await workflow.publish('B');
		const id = submit('B');
		expect(await workflow.tick('B')).toEqual([id]);
		await workflow.restart();
		workflow.nodeNames.B = workflow.nodeNames.A;
		expect(await workflow.publish('B')).toEqual([]);
		const later = submit('B');
		expect(await workflow.tick('B')).toEqual([later]);
	},
);

it('takes nothing from a trigger that the scheduler of n8n polls', async () => {
	const context = (name: Name, more: Partial<PollTest>) =>
		polling({
			workflowId: 'scheduled',
			parameters: { formId: byId(name), options: { includeExisting: true } } as INodeParameters,
			credentials: credentialsOf(sandbox),
			node: { id: name, name },
			...more,
		});
	const tick = context('A', { activation: 'update', budgetMs: 36_000 });
	expect(await runPoll(tick.context)).toHaveLength(1);
	const { workflow, ...first } = context('B', { activation: 'activate' });
	expect(await runPoll(first.context)).toHaveLength(1);
	expect(Object.keys(workflow.staticData.global as object)).toEqual(['formCollectionTrigger B']);
});

it('emits each response once, whatever is published, polled and started again', async () => {
	const step = fc.tuple(
		fc.constantFrom('submit', 'tick', 'tick', 'publish', 'restart', 'choose'),
		fc.constantFrom(...names),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
			sandbox.reset();
			const workflow = new Workflow();
			await workflow.publish('A');
			await workflow.publish('B');
			const expected: string[] = [];
			const emitted: unknown[] = [];
			for (const [what, name] of steps) {
				if (what === 'submit') expected.push(submit(workflow.forms[name]));
				if (what === 'tick') emitted.push(...(await workflow.tick(name)));
				if (what === 'choose') {
					// What this form has got before counts as seen.
					emitted.push(...(await workflow.tick(name)));
					workflow.forms[name] = workflow.forms[name] === name ? `another ${name}` : name;
					emitted.push(...(await workflow.publish(name)));
				}
				if (what === 'publish') emitted.push(...(await workflow.publish(name)));
				if (what === 'restart') emitted.push(...Object.values(await workflow.restart()).flat());
			}
			emitted.push(...Object.values(await workflow.restart()).flat());

			expect(emitted.map(String).sort()).toEqual(expected.sort());
		}),
		{ numRuns: 60 },
	);
}, 60_000);
