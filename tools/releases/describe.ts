import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

/** What saved workflows and credentials refer to. Each member is there in each description. */
export interface PackageInterface {
	nodes: Record<string, NodeInterface>;
	credentials: Record<string, Record<string, Parameter>>;
}

interface NodeInterface {
	version: unknown;
	inputs: unknown;
	outputs: unknown;
	credentials: Record<string, { required: boolean }>;
	/** By the value of the parameter that selects what the node does */
	operations: Record<string, Operation>;
}

interface Operation {
	/** By name; that of a nested one holds the names of those around it */
	parameters: Record<string, Parameter>;
	/** Type of each field that each item has, as far as n8n is told */
	output: Record<string, string>;
}

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

export interface OutputSchema {
	properties: Record<string, { type: string }>;
}

/** @param outputs output previews by operation */
export function describeInterface(
	nodes: INodeTypeDescription[],
	credentials: ICredentialType[],
	outputs: Record<string, OutputSchema>,
): PackageInterface {
	return {
		nodes: byName(nodes, (node) => ({
			version: node.version,
			inputs: node.inputs,
			outputs: node.outputs,
			credentials: byName(node.credentials ?? [], ({ required = false }) => ({ required })),
			operations: operationsOf(node, outputs),
		})),
		credentials: byName(credentials, ({ properties }) => parametersOf(properties)),
	};
}

function operationsOf(
	{ properties }: INodeTypeDescription,
	outputs: Record<string, OutputSchema>,
): Record<string, Operation> {
	const selector = properties.find(({ name }) => name === 'operation' || name === 'event')!;
	const operationOf = (value: string): Operation => ({
		parameters: parametersOf(
			properties.filter(
				({ displayOptions }) => displayOptions?.show?.operation?.includes(value) ?? true,
			),
		),
		output: Object.fromEntries(
			Object.entries(outputs[value]?.properties ?? {}).map(([field, { type }]) => [field, type]),
		),
	});
	const values = (selector.options as INodePropertyOptions[]).map(({ value }) => String(value));
	return Object.fromEntries(values.map((value) => [value, operationOf(value)]));
}

function parametersOf(properties: INodeProperties[], around = ''): Record<string, Parameter> {
	return Object.fromEntries(
		properties
			// n8n's loader adds the times to each trigger that polls.
			.filter(({ name, type }) => type !== 'notice' && name !== 'pollTimes')
			.flatMap((property): [string, Parameter][] => [
				[`${around}${property.name}`, parameterOf(property)],
				...nestedIn(property, `${around}${property.name}.`),
			]),
	);
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

function nestedIn({ type, options = [] }: INodeProperties, around: string): [string, Parameter][] {
	if (type === 'collection') {
		return Object.entries(parametersOf(options as INodeProperties[], around));
	}
	if (type !== 'fixedCollection') return [];
	return (options as INodePropertyCollection[]).flatMap(({ name, values }) =>
		Object.entries(parametersOf(values, `${around}${name}.`)),
	);
}

const byName = <T extends { name: string }, R>(list: T[], describe: (part: T) => R) =>
	Object.fromEntries(list.map((part) => [part.name, describe(part)]));
