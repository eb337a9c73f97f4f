import type { IExecuteFunctions } from 'n8n-workflow';
import { withFixedParameters } from '../../../../nodes/FormCollection/parameters/fixedParameters';

const parameters = {
	fixed: { a: ['x', { b: ' =1' }], c: null, d: 0 },
	text: 'x',
	list: [{ a: 'x' }, { a: '={{ $json.a }}' }],
	mapping: { mode: 'y', value: { a: '={{ $json.a }}' } },
};

/** Which items each parameter was read for. */
function reads(...names: string[]) {
	const read: string[] = [];
	const context = {
		getNode: () => ({ parameters }),
		getNodeParameter: (name: string, itemIndex: number, byDefault: unknown) => {
			read.push(`${name} ${itemIndex}`);
			if (name === 'text' && itemIndex === 0) throw new Error('refused');
			return [name, itemIndex, byDefault];
		},
	};
	const fixed = withFixedParameters(context as unknown as IExecuteFunctions);
	const values = [0, 1, 2].map((itemIndex) =>
		names.map((name) => {
			try {
				return fixed.getNodeParameter(name, itemIndex, 'default') as unknown;
			} catch {
				return 'refused';
			}
		}),
	);
	return { read, values };
}

it('reads a parameter without an expression once for all items', () => {
	const { read, values } = reads('fixed', 'mapping.mode');

	expect(read).toEqual(['fixed 0', 'mapping.mode 0']);
	expect(values[2]).toEqual([
		['fixed', 0, 'default'],
		['mapping.mode', 0, 'default'],
	]);
});

it('reads any other parameter for each item', () => {
	const { read, values } = reads('list', 'mapping.value', 'mapping', 'absent', 'absent.too');

	expect(read).toHaveLength(15);
	expect(values[2]?.[0]).toEqual(['list', 2, 'default']);
});

it('reads a parameter that n8n refused again', () => {
	const { read, values } = reads('text');

	expect(read).toEqual(['text 0', 'text 1']);
	expect(values).toEqual([['refused'], [['text', 1, 'default']], [['text', 1, 'default']]]);
});

it('has n8n copy the node once', () => {
	const getNode = jest.fn(() => ({ parameters }));
	const fixed = withFixedParameters({ getNode } as unknown as IExecuteFunctions);

	expect([fixed.getNode(), fixed.getNode()]).toEqual([{ parameters }, { parameters }]);
	expect(getNode).toHaveBeenCalledTimes(1);
});
