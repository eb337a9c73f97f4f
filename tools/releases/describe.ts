import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

export interface Parameter {
	type: string;
	default: unknown;
	required: boolean;
	/** Takes no expression */
	fixed: boolean;
	/** A list of what it holds */
	multiple: boolean;
	/** Values, or modes, that it can have */
	choices: Record<string, true>;
	minimum: number | null;
	/** When else it is there, besides for its operation */
	shown: unknown;
}

/** By name; that of a nested one holds the names of those around it */
type Parameters = Record<string, Parameter>;

/** Type of each field that each item has, as far as n8n is told */
type Output = Record<string, string>;

/**
 * What saved workflows and credentials refer to. Each member is there in each description.
 *
 * @param outputs by operation
 */
export function describeInterface(
	nodes: INodeTypeDescription[],
	credentials: ICredentialType[],
	outputs: Record<string, Output>,
) {
	return {
		nodes: byName(nodes, (node) => ({
			version: node.version as unknown,
			inputs: node.inputs as unknown,
			outputs: node.outputs as unknown,
			credentials: byName(node.credentials ?? [], ({ required = false }) => ({ required })),
			operations: operationsOf(node, outputs),
		})),
		credentials: byName(credentials, ({ properties }) => parametersOf(properties)),
	};
}

export type PackageInterface = ReturnType<typeof describeInterface>;

/** @returns by the value of the parameter that selects what the node does */
function operationsOf({ properties }: INodeTypeDescription, outputs: Record<string, Output>) {
	const selector = properties.find(({ name }) => name === 'operation' || name === 'event')!;
	const operations: Record<string, { parameters: Parameters; output: Output }> = {};
	for (const { value } of selector.options as INodePropertyOptions[]) {
		const shown = properties.filter(
			({ displayOptions }) => displayOptions?.show?.operation?.includes(value) ?? true,
		);
		const operation = String(value);
		operations[operation] = { parameters: parametersOf(shown), output: outputs[operation] ?? {} };
	}
	return operations;
}

function parametersOf(properties: INodeProperties[], around = ''): Parameters {
	const parameters = properties
		// n8n's loader adds the times to each trigger that polls.
		.filter(({ name, type }) => type !== 'notice' && name !== 'pollTimes')
		.map((property): Parameters => {
			const name = `${around}${property.name}`;
			return { [name]: parameterOf(property), ...nestedIn(property, `${name}.`) };
		});
	return Object.assign({}, ...parameters) as Parameters;
}

function parameterOf(property: INodeProperties): Parameter {
	const { show = {}, hide = {} } = property.displayOptions ?? {};
	const conditions = Object.entries(show).filter(
		([name]) => name !== 'operation' && name !== 'resource',
	);
	return {
		type: property.type,
		default: property.default ?? null,
		required: property.required ?? false,
		fixed: property.noDataExpression ?? false,
		multiple: property.typeOptions?.multipleValues ?? false,
		choices: Object.fromEntries(choicesOf(property).map((choice) => [choice, true])),
		minimum: property.typeOptions?.minValue ?? null,
		shown: { if: Object.fromEntries(conditions), unless: hide },
	};
}

function choicesOf({ type, options = [], modes = [] }: INodeProperties): string[] {
	if (modes.length > 0) return modes.map(({ name }) => name);
	if (type !== 'options' && type !== 'multiOptions' && type !== 'hidden') return [];
	return (options as INodePropertyOptions[]).map(({ value }) => String(value));
}

function nestedIn({ type, options = [] }: INodeProperties, around: string): Parameters {
	if (type === 'collection') return parametersOf(options as INodeProperties[], around);
	if (type !== 'fixedCollection') return {};
	const groups = (options as INodePropertyCollection[]).map(({ name, values }) =>
		parametersOf(values, `${around}${name}.`),
	);
	return Object.assign({}, ...groups) as Parameters;
}

const byName = <T extends { name: string }, R>(list: T[], describe: (part: T) => R) =>
	Object.fromEntries(list.map((part) => [part.name, describe(part)]));
