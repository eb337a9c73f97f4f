import { subtitle } from '../../../../nodes/FormCollection/actions/subtitle';
import { loadOptions } from '../../../support/engine';

it.each([
	[
		{ formId: { __rl: true, mode: 'list', value: 'f1', cachedResultName: 'Contact us' } },
		'Read: Contact us',
	],
	[
		{ operation: 'getEmbedCode', formSlug: { __rl: true, mode: 'slug', value: 'contact-us' } },
		'Read: contact-us',
	],
	[{ formId: { __rl: true, mode: 'id', value: '={{ $json.form }}' } }, 'Read'],
	[{ formId: { __rl: true, mode: 'list', value: '' } }, 'Read'],
	[{}, 'Read'],
])('the line below the name of a node with %j is "%s"', (parameters, line) => {
	const context = loadOptions({ parameters: parameters as never, credentials: {} });
	const { workflow, node } = context as unknown as {
		workflow: { expression: { getSimpleParameterValue(...args: unknown[]): unknown } };
		node: unknown;
	};

	expect(
		workflow.expression.getSimpleParameterValue(node, subtitle('"Read"'), 'internal', {}),
	).toBe(line);
});
