import type { NodeOperationError } from 'n8n-workflow';
import { explanationLines } from '../../../../nodes/FormCollection/actions/explanation';
import { operationByValue } from '../../../../nodes/FormCollection/actions';

const fields = operationByValue.get('createResponse')?.fields ?? [];
const linesOf = (context: object) =>
	explanationLines({ message: 'Broken', context } as NodeOperationError, fields);

it.each<[string, object, string | undefined]>([
	['an option', { parameter: 'options.timeout' }, 'Field: Options > Timeout'],
	['a part of a field', { parameter: 'answersMapping.value' }, 'Field: Answers'],
	['a field of another version', { parameter: 'gone.for' }, 'Field: gone.for'],
	['the node', { parameter: 'formId', nodeCause: 'Old' }, 'Field: Form\nNode: Old'],
	[
		'a template',
		{ parameter: 'formId', messageTemplate: 'No data for %%PARAMETER%%' },
		'No data for Form\nField: Form',
	],
	['the message again', { parameter: 'formId', messageTemplate: 'Broken' }, 'Field: Form'],
	['no field', { itemIndex: 0 }, undefined],
])('names %s', (_, context, expected) => {
	expect(linesOf(context)).toBe(expected);
});
