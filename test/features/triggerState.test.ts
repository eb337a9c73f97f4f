import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
	keepStateOf,
	knownState,
	type SavedState,
	savePublishing,
	saveState,
	staticDataCopyOf,
} from '../../nodes/FormCollection/trigger/savedState';
import type { Settings } from '../../nodes/FormCollection/trigger/settings';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { polling } from '../support/engine';
import { byId, credentialsOf, formRecord, responseRecord } from '../support/formCollection';
import { Poller, pollPaths } from '../support/poller';

const here = { source: 'workflow 1 f1', server: 'here' };
const elsewhere = { ...here, server: 'elsewhere' };
const otherForm = { ...here, source: 'workflow 1 f2' };

const NAME = 'Form Collection Trigger';
const NODE = `node:${NAME}`;
const ACTIVATION = 'formCollectionTrigger node';

let workflows = 0;

/** A trigger of which this is saved, as the state of the node and what activation has found */
function trigger(node?: Partial<SavedState>, activation?: Partial<SavedState>) {
	const staticData = {
		...(node && { [NODE]: node }),
		...(activation && { global: { [ACTIVATION]: activation } }),
	};
	const { context, workflow } = polling({
		parameters: {},
		credentials: {},
		workflowId: `saved state ${++workflows}`,
		staticData: JSON.parse(JSON.stringify(staticData)) as IDataObject,
	});
	const saved = (key: string): unknown =>
		(workflow.staticData as Record<string, object | undefined>)[key];
	return {
		context,
		workflow,
		node: () => saved(NODE) as SavedState | undefined,
		activation: () => (saved('global') as Record<string, SavedState> | undefined)?.[ACTIVATION],
	};
}

const state = (revision: number, more: Partial<SavedState> = {}): SavedState => ({
	...here,
	revision,
	answerFilters: '{}',
	...more,
});

describe('what is known', () => {
	it.each<[string, SavedState | undefined, SavedState | undefined, 'node' | 'activation' | 'none']>(
		[
			['nothing', undefined, undefined, 'none'],
			['the state of the node', state(1), undefined, 'node'],
			['what activation has found', undefined, state(1), 'activation'],
			['the later one: the node', state(2), state(1), 'node'],
			['the later one: activation', state(1), state(2), 'activation'],
			['the state of the node of two that are as late', state(1), state(1), 'node'],
			['the state of the node that is referred to', state(1), state(2, { nodeName: NAME }), 'node'],
			['nothing that is referred to and gone', undefined, state(2, { nodeName: NAME }), 'none'],
			[
				'that a poll was the first one, after renaming the node',
				undefined,
				state(2, { nodeName: 'Earlier name' }),
				'activation',
			],
			['nothing of another form', state(1, otherForm), state(2, otherForm), 'none'],
			['nothing of another address', state(1, elsewhere), state(2, elsewhere), 'none'],
			['what is of this address', state(1), state(2, elsewhere), 'node'],
			['what is of this form', state(2, otherForm), state(1), 'activation'],
			[
				'what is of an address that is not known',
				state(1, { server: undefined }),
				undefined,
				'node',
			],
		],
	)('is %s', (_, node, activation, expected) => {
		const { context } = trigger(node, activation);

		expect(knownState(context, here)).toEqual({ node, activation, none: undefined }[expected]);
	});

	it('is also what is of any address, where the one of the service is not known', () => {
		const { context } = trigger(state(1, elsewhere));

		expect(knownState(context, { source: here.source })).toMatchObject(elsewhere);
	});

	it('is that there was something, once the node has another name', () => {
		const onceRenamed = (nodeName: string) => state(3, { hasStarted: true, nodeName });
		const known = (nodeName: string) =>
			knownState(
				trigger(undefined, state(2, { onceRenamed: onceRenamed(nodeName) })).context,
				here,
			);

		expect(known(NAME)).toMatchObject({ revision: 2 });
		expect(known('Earlier name')).toEqual(onceRenamed('Earlier name'));
	});
});

describe('what a poll has come to', () => {
	const next = (more: Partial<SavedState> = {}) => ({ ...here, answerFilters: '{}', ...more });
	const result = (more: object = {}) => ({
		isFirst: false,
		hasProcessed: false,
		isEmitted: false,
		...more,
	});
	const reference = (revision: number) => ({
		...here,
		revision,
		hasStarted: true,
		nodeName: NAME,
	});

	it('changes nothing that n8n would save where nothing has changed', () => {
		const { context, workflow } = trigger(state(1, { validators: { etag: 'a' } }));
		saveState(context, next({ validators: { etag: 'a' } }), result());
		expect(workflow.staticData.__dataChanged).not.toBe(true);

		saveState(context, next({ validators: { etag: 'b' } }), result());
		expect(workflow.staticData.__dataChanged).toBe(true);
		expect(knownState(context, here)).toEqual(state(1, { validators: { etag: 'b' } }));
	});

	it('is saved where only the answer filters have changed', () => {
		const { context, node } = trigger(state(1));
		saveState(context, next({ answerFilters: '{"a":1}' }), result({ isFirst: true }));

		expect(node()).toEqual(state(2, { answerFilters: '{"a":1}' }));
		expect(knownState(context, here)).toMatchObject({ answerFilters: '{"a":1}' });
	});

	it('is kept until the state of the node is sure to be saved', () => {
		const { context, node, activation } = trigger();
		saveState(context, next(), result({ isFirst: true }));
		expect([node(), activation()]).toEqual([state(1), state(1)]);

		saveState(context, next(), result({ hasProcessed: true, isEmitted: true }));
		expect([node(), activation()]).toEqual([state(2), reference(2)]);
	});

	it('is noted in the state of the node alone where the first poll emits', () => {
		const { context, node, activation } = trigger();
		saveState(context, next(), result({ isFirst: true, hasProcessed: true, isEmitted: true }));

		expect([node(), activation()]).toEqual([state(1), reference(1)]);
	});

	it('stays beside what activation has found where n8n may lose it', () => {
		const { context, node, activation } = trigger(undefined, state(4));
		saveState(context, next(), result({ hasProcessed: true, isEmitted: true }));

		expect(node()).toEqual(state(5));
		expect(activation()).toEqual(state(4, { onceRenamed: reference(5) as SavedState }));
	});

	it('is known by this n8n where a poll after the first one gets the first answer', () => {
		const { context, activation } = trigger();
		saveState(context, next(), result());
		expect(activation()).toBeUndefined();

		// The scheduler of n8n polls with what is saved: with nothing.
		const workflowId = String(context.getWorkflow().id);
		const tick = () => polling({ parameters: {}, credentials: {}, workflowId }).context;
		const emitting = tick();
		expect(knownState(emitting, here)).toEqual(state(1));
		expect(knownState(emitting, elsewhere)).toBeUndefined();
		saveState(emitting, next(), result({ hasProcessed: true, isEmitted: true }));
		expect(knownState(emitting, here)).toEqual(state(1));
		// What emits is saved: if that fails, the next poll has to emit the same again.
		expect(knownState(tick(), here)).toBeUndefined();
	});

	it('is known by this n8n where it is the first answer since a publishing', () => {
		const saved = state(1, { publishedAt: 1_000 });
		const { context } = trigger(undefined, saved);
		saveState(context, next(), result());

		const workflowId = String(context.getWorkflow().id);
		const tickWith = (revision: number) => {
			const staticData = { global: { [ACTIVATION]: { ...saved, revision } } };
			return polling({ parameters: {}, credentials: {}, workflowId, staticData }).context;
		};
		expect(knownState(tickWith(1), here)).toEqual(state(2));
		// Meanwhile another process has saved something.
		expect(knownState(tickWith(2), here)).toEqual({ ...saved, revision: 2 });
	});

	it('is saved with a publishing whose first poll gets nothing, where this n8n alone knows it', () => {
		const { context, activation } = trigger();
		saveState(context, next(), result());
		const workflowId = String(context.getWorkflow().id);
		const published = polling({ parameters: {}, credentials: {}, workflowId });
		savePublishing(published.context, here, { answerFilters: '{}' } as Settings, 1_000);

		expect(activation()).toBeUndefined();
		expect(published.workflow.staticData).toMatchObject({ global: { [ACTIVATION]: state(1) } });
	});

	it('counts on from what is about another form', () => {
		const { context, node } = trigger(state(7, otherForm), state(9, otherForm));
		saveState(context, next(), result({ isFirst: true }));

		expect(node()).toMatchObject({ ...here, revision: 10 });
	});
});

describe('a publishing whose first poll gets nothing', () => {
	const publish = (
		{ context }: ReturnType<typeof trigger>,
		at: number,
		answerFilters = '{}',
		source: { source: string; server?: string } = here,
	) => savePublishing(context, source, { answerFilters } as Settings, at);

	it('does not matter where the form is known with the same answer filters', () => {
		for (const known of [trigger(state(1)), trigger(undefined, state(1))]) {
			publish(known, 1_000);

			expect(known.workflow.staticData.__dataChanged).not.toBe(true);
			expect(knownState(known.context, here)).toEqual(state(1));
		}
	});

	it('is noted with other answer filters, the earliest one', () => {
		const known = trigger(state(1), state(2, elsewhere));
		publish(known, 1_000, '{"a":1}');
		expect(knownState(known.context, here)).toEqual(state(3, { publishedAt: 1_000 }));
		publish(known, 2_000, '{"a":2}');
		expect(knownState(known.context, here)).toEqual(state(3, { publishedAt: 1_000 }));
	});

	it('is noted where nothing is known, the earliest one', () => {
		const known = trigger();
		publish(known, 1_000);
		publish(known, 2_000);

		expect(knownState(known.context, here)).toEqual({ ...here, revision: 1, publishedAt: 1_000 });
	});

	it('is noted for an address where the service may have moved to, the earliest one', () => {
		const known = trigger(state(1, elsewhere));
		publish(known, 1_000);
		publish(known, 2_000);
		expect(knownState(known.context, here)).toBeUndefined();
		expect(knownState(known.context, elsewhere)).toEqual(
			state(2, {
				...elsewhere,
				publishedAt: 1_000,
				publishedElsewhere: { server: 'here', at: 1_000 },
			}),
		);

		publish(known, 3_000, '{}', { ...here, server: 'third' });
		expect(knownState(known.context, elsewhere)).toMatchObject({
			publishedAt: 1_000,
			publishedElsewhere: { server: 'third', at: 3_000 },
		});
	});
});

describe('what another trigger knows', () => {
	it('is left as it is where both have one copy of what is saved', () => {
		const { context, workflow } = trigger(state(2), state(1));
		keepStateOf(staticDataCopyOf(context, true), context);

		expect(workflow.staticData.__dataChanged).not.toBe(true);
	});

	const kept = (own: ReturnType<typeof trigger>, other: ReturnType<typeof trigger>) => {
		keepStateOf(staticDataCopyOf(own.context, true), other.context);
		return other.activation();
	};

	it('is put into the copy of one that n8n saves, by its ID', () => {
		expect(kept(trigger(state(2)), trigger())).toEqual(state(2));
		expect(kept(trigger(state(2), state(1)), trigger(undefined, state(1)))).toEqual(state(2));
		expect(kept(trigger(state(1), state(2, { nodeName: NAME })), trigger())).toEqual(state(1));
		expect(kept(trigger(undefined, state(2)), trigger(undefined, state(1)))).toEqual(state(2));
		expect(kept(trigger(state(1), state(2)), trigger())).toEqual(state(2));
		expect(kept(trigger(state(2, otherForm), state(2)), trigger())).toEqual(state(2, otherForm));
	});

	it('is not put into one that has it, or knows more', () => {
		const later = state(3, { hasStarted: true });
		expect(kept(trigger(state(2)), trigger(undefined, later))).toEqual(later);
		expect(kept(trigger(state(3)), trigger(undefined, later))).toEqual(later);
		expect(kept(trigger(), trigger())).toBeUndefined();
	});

	it('is a copy, which does not change with it', () => {
		const own = trigger(state(2, { validators: { etag: 'a' } }));
		const other = trigger();
		kept(own, other);
		own.node()!.validators!.etag = 'b';

		expect(other.activation()).toEqual(state(2, { validators: { etag: 'a' } }));
	});
});

describe('answer filters that are published while nothing is new', () => {
	let sandbox: Sandbox;

	beforeAll(async () => void (sandbox = await startSandbox({ forms: [formRecord('f1')] })));
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.stop());

	it.each(pollPaths)('are those to compare with at the next publishing: %s', async (path) => {
		const testWith = (value?: string) => {
			const filter = [{ question: 'name', condition: 'contains', value }];
			const options = value === undefined ? {} : { answerFilters: { filter } };
			return {
				workflowId: `filters ${path}`,
				parameters: { formId: byId('f1'), options } as unknown as INodeParameters,
				credentials: credentialsOf(sandbox),
			};
		};
		const poller = new Poller(path, testWith('vip'));
		expect(await poller.activate()).toEqual([]);
		sandbox.responses.push(responseRecord('f1', 'first vip'));
		expect(await poller.tick()).toHaveLength(1);

		poller.test = testWith('gold');
		expect(await poller.activate('update')).toEqual([]);
		sandbox.responses.push(responseRecord('f1', 'second vip'));
		expect(await poller.tick()).toEqual([]);

		poller.test = testWith();
		const emitted = [...(await poller.activate('update')), ...(await poller.tick())];
		expect(emitted).toEqual([]);
	});
});
