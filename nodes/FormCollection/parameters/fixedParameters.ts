import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * The same context, but n8n copies the node once, and reads a parameter without an expression once: it would
 * look it up, copy it and check it for each item. What it gives is shared by all items.
 */
export function withFixedParameters(context: IExecuteFunctions): IExecuteFunctions {
	const node = context.getNode();
	const values = new Map<string, unknown>();
	const isFixed = new Map<string, boolean>();
	const getNodeParameter = (name: string, itemIndex: number, ...more: [unknown, object?]) => {
		if (values.has(name)) return values.get(name);
		const value: unknown = context.getNodeParameter(name, itemIndex, ...more);
		if (!isFixed.has(name)) isFixed.set(name, !mayHaveExpression(entered(node.parameters, name)));
		if (isFixed.get(name) === true) values.set(name, value);
		return value;
	};
	return Object.create(context, {
		getNode: { value: () => node },
		getNodeParameter: { value: getNodeParameter },
	}) as typeof context;
}

function entered(parameters: object, name: string): unknown {
	return name
		.split('.')
		.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], parameters);
}

/** Each text that begins with "=" is one to n8n. What was not entered has a default that differs. */
function mayHaveExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	if (typeof value !== 'object' || value === null) return value === undefined;
	return Object.values(value).some(mayHaveExpression);
}
