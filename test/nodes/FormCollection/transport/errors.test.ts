import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
	InvalidInput,
	isTemporary,
	ServiceError,
	toNodeError,
} from '../../../../nodes/FormCollection/transport/errors';

const node: INode = {
	id: '1',
	name: 'Form Collection',
	type: 'formCollection',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** n8n's own errors have a description that may be of any kind. */
const withDescription = (description: unknown) =>
	Object.assign(new Error('It broke'), { description });

it.each<[string, unknown, { message: string; description?: string }]>([
	['an error', new Error('It broke'), { message: 'It broke' }],
	['a description', withDescription('At once'), { message: 'It broke', description: 'At once' }],
	['no description', withDescription(null), { message: 'It broke' }],
	['a description of another kind', withDescription(['a']), { message: 'It broke' }],
	['a text', 'It broke', { message: 'It broke' }],
])('shows what others throw: %s', (_, thrown, { message, description }) => {
	const error = toNodeError(node, thrown, 3);

	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error.message).toBe(message);
	expect(error.description).toBe(description);
	expect(error.context.itemIndex).toBe(3);
});

it('adds sentences to message and description', () => {
	const extra = { message: '1 of 2 were created', description: 'Item 1: Too long' };
	const error = toNodeError(node, new InvalidInput('Too short', 'At least 3'), 0, extra);

	expect(error.message).toBe('Too short. 1 of 2 were created');
	expect(error.description).toBe('At least 3\nItem 1: Too long');
});

describe('what the editor explains a broken expression with', () => {
	const explanation = {
		causeDetailed: 'It has no data',
		descriptionKey: 'nodeNotFound',
		descriptionTemplate: 'Run it for %%PARAMETER%%',
		messageTemplate: '%%PARAMETER%% is broken',
		nodeCause: 'Old name',
		parameter: 'limit',
		runIndex: 2,
		type: 'no_execution_data',
	};
	const broken = () =>
		Object.assign(new Error('Invalid'), {
			context: { ...explanation, itemIndex: 9, request: { headers: 'secret' }, data: 'secret' },
		});

	it('is kept, and nothing else', () => {
		const thrown = broken();
		const { context } = toNodeError(node, thrown, 3);

		expect(context).toEqual({ ...explanation, itemIndex: 3 });
		expect(toNodeError(node, toNodeError(node, thrown), 3).context).toEqual(context);
		expect(thrown).toEqual(broken());
	});

	it('hides nothing that is added', () => {
		const extra = { message: '1 of 2 were created', description: 'Item 1: Too long' };
		const { description, context } = toNodeError(node, broken(), 3, extra);

		expect(description).toBe('Item 1: Too long');
		expect(context).toEqual({
			...explanation,
			descriptionKey: undefined,
			descriptionTemplate: undefined,
			itemIndex: 3,
			messageTemplate: '%%PARAMETER%% is broken. 1 of 2 were created',
		});
	});
});

it.each([
	['rate-limited', true],
	['temporarily-unavailable', true],
	['credential-invalid', false],
	['configuration-invalid', false],
] as const)('may be over by the next poll: %s, %s', (cause, expected) => {
	expect(isTemporary(new ServiceError({ message: 'Not now', failure: { cause } }))).toBe(expected);
});

it('is not over by the next poll where nothing says so', () => {
	expect(isTemporary(new ServiceError({ message: 'Not now' }))).toBe(false);
	expect(isTemporary(new InvalidInput('Not so'))).toBe(false);
});
