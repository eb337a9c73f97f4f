import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { readSettings } from '../../nodes/FormCollection/trigger/settings';
import { type PollTest, polling } from '../support/engine';
import { byId } from '../support/formCollection';

const read = (options: IDataObject = {}, parameters: IDataObject = {}) =>
	readSettings(
		polling({
			parameters: { formId: byId('f1'), options, ...parameters } as INodeParameters,
			credentials: {},
		}).context,
	);

it('existing responses are included where an expression says so, and only then', () => {
	expect(read().includeExisting).toBe(false);
	expect(read({ includeExisting: '={{ "true" }}' }).includeExisting).toBe(true);
	expect(read({ includeExisting: false }).includeExisting).toBe(false);
	expect(() => read({ includeExisting: 'sometimes' })).toThrow(
		'Include Existing Responses is "sometimes": enter true or false',
	);
});

it.each<[string, IDataObject, string]>([
	['Event', { event: 'deletedResponse' }, 'Event is "deletedResponse"'],
	['Flatten Answers', { flattenAnswers: 'maybe' }, 'Flatten Answers is "maybe"'],
	['Form', { formId: byId('') }, 'No form is chosen'],
])('a wrong value is named: %s', (_, parameters, message) => {
	expect(() => read({}, parameters)).toThrow(message);
});

it('the answer filters are known as they are entered, and by what their expressions give', () => {
	const filter = (value: string) => [{ question: 'name', condition: 'equals', value }];
	const { answerFilters, evaluatedFilters, matches } = read({
		answerFilters: { filter: filter('={{ "A" + "da" }}') },
	});

	expect(JSON.parse(answerFilters)).toEqual({ filter: filter('={{ "A" + "da" }}') });
	expect(evaluatedFilters).toMatchObject([{ question: 'name', value: 'Ada' }]);
	expect([{ name: 'Ada' }, { name: 'Bob' }].map((answers) => matches({ answers }))).toEqual([
		true,
		false,
	]);
	expect(JSON.parse(read().answerFilters)).toEqual({});
});

it('what is saved is of one workflow, credential and form', () => {
	const sourceOf = (more: Partial<PollTest>, form = 'f1') =>
		readSettings(polling({ parameters: { formId: byId(form) }, credentials: {}, ...more }).context)
			.source;
	const credentials = { formCollectionApi: { id: 'another', name: 'Form Collection' } };
	const sources = [
		sourceOf({}),
		sourceOf({}, 'f2'),
		sourceOf({ workflowId: 'copy' }),
		sourceOf({ node: { credentials } }),
	];

	expect(new Set(sources).size).toBe(4);
	expect(sourceOf({ node: { name: 'Renamed', id: 'another' } })).toBe(sources[0]);
});
