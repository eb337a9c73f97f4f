import type { IDataObject } from 'n8n-workflow';
import { fingerprintOf } from '../../../../nodes/FormCollection/submissions/fingerprint';

it('tells items apart by their fields', () => {
	const same = fingerprintOf({ a: 1, b: ['x', { c: null }] });

	expect(fingerprintOf({ a: 1, b: ['x', { c: null }] })).toBe(same);
	expect(fingerprintOf({ a: 1, b: ['x', { c: 0 }] })).not.toBe(same);
	expect(fingerprintOf({ a: '1', b: ['x', { c: null }] })).not.toBe(same);
	expect(fingerprintOf(undefined)).toBe(fingerprintOf({}));
});

it('an item that comes back from the error output is the same one', () => {
	const failed = { n: '1', error: 'Not now\nOutcome: refused' };

	expect(fingerprintOf(failed)).toBe(fingerprintOf({ n: '1' }));
	expect(failed.error).toBe('Not now\nOutcome: refused');
	expect(fingerprintOf({ n: '1', error: 'Not now' })).not.toBe(fingerprintOf({ n: '1' }));
});

describe('an item that is no JSON', () => {
	/** Itself, and below it what `add` puts there */
	const circular = (add: (item: IDataObject) => IDataObject) => {
		const item: IDataObject = { n: '1' };
		item.self = item;
		return Object.assign(item, add(item));
	};

	it('is the same in each try, whether or not its fields share an object', () => {
		const option = { label: 'x' };
		const shared = fingerprintOf(circular(() => ({ a: option, b: option, c: [option, option] })));
		const copied = fingerprintOf(
			circular(() => ({ a: { ...option }, b: { ...option }, c: [{ ...option }, { ...option }] })),
		);

		expect(shared).toBe(copied);
	});

	it('is told from one with other values, wherever these are', () => {
		const items = [
			circular(() => ({ a: { b: 'x' } })),
			circular(() => ({ a: { b: 'y' } })),
			circular(() => ({ a: { b: null } })),
			circular(() => ({ a: { b: [] } })),
			circular(() => ({ a: { b: 1n } })),
			circular(() => ({ a: { b: 2n } })),
			{ n: '1', a: { b: 1n } },
		];

		expect(new Set(items.map((item) => fingerprintOf(item as IDataObject))).size).toBe(
			items.length,
		);
	});

	it('is told from one that leads back to another place', () => {
		const leadingTo = (place: 'outer' | 'inner') => {
			const inner: IDataObject = {};
			const outer = { inner };
			inner.back = { outer, inner }[place];
			return { outer };
		};

		expect(fingerprintOf(leadingTo('outer'))).toBe(fingerprintOf(leadingTo('outer')));
		expect(fingerprintOf(leadingTo('outer'))).not.toBe(fingerprintOf(leadingTo('inner')));
	});

	it('is known by the names of its fields where no text can be made of it', () => {
		const broken = (more: IDataObject) => ({
			bad: {
				toJSON: () => {
					throw new Error('No');
				},
			} as unknown as IDataObject,
			...more,
		});

		expect(fingerprintOf(broken({ a: 1 }))).toBe(fingerprintOf(broken({ a: 2 })));
		expect(fingerprintOf(broken({ a: 1 }))).not.toBe(fingerprintOf(broken({ b: 1 })));
	});
});
