import type { INodeProperties, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { join } from '../transport/errors';

/**
 * What the editor explains a broken expression with, as lines for the field `error` of an item, which
 * it does not explain.
 *
 * @param fields those of the operation
 */
export function explanationLines(
	{ message, context }: NodeApiError | NodeOperationError,
	fields: INodeProperties[],
): string | undefined {
	const { parameter, messageTemplate, nodeCause } = context as Record<string, unknown>;
	if (typeof parameter !== 'string') return undefined;
	const field = displayNameOf(parameter, fields);
	const template = textOf(messageTemplate)?.replaceAll(/%%PARAMETER(?:_FULL)?%%/g, () => field);
	const node = textOf(nodeCause);
	return join(
		'\n',
		template === message ? undefined : template,
		`Field: ${field}`,
		node && `Node: ${node}`,
	);
}

/** E.g. "Answers > Answer" of `answers.answer`. The name itself where the operation does not have it. */
function displayNameOf(parameter: string, fields: INodeProperties[]): string {
	const names: string[] = [];
	let known: { name: string; displayName?: string }[] = fields;
	for (const part of parameter.split('.')) {
		const field = known.find(({ name }) => name === part);
		if (field?.displayName === undefined) break;
		names.push(field.displayName);
		known = 'options' in field ? (field.options as typeof known) : [];
	}
	return names.length > 0 ? names.join(' > ') : parameter;
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}
