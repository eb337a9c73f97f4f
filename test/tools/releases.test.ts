import { breakingChanges } from '../../tools/releases/compare';
import type { PackageInterface } from '../../tools/releases/describe';
import { unlistedChanges } from '../../tools/releases/releases';
import first from '../releases/0.1.0/interface.json';

const before = first as unknown as PackageInterface;

/** The first release, changed */
function after(change: (description: PackageInterface) => void): PackageInterface {
	const description = structuredClone(before);
	change(description);
	return description;
}

const node = ({ nodes }: PackageInterface) => nodes.formCollection!;
const getResponses = (description: PackageInterface) => node(description).operations.getResponses!;
const parameter = (description: PackageInterface, name: string) =>
	getResponses(description).parameters[name]!;
const PARAMETERS = 'nodes.formCollection.operations.getResponses.parameters';

describe('additions pass:', () => {
	it.each<[string, (description: PackageInterface) => void]>([
		['nothing', () => undefined],
		['a node', ({ nodes }) => (nodes.other = node(before))],
		['an operation', (d) => (node(d).operations.getNothing = getResponses(before))],
		['a parameter', (d) => (getResponses(d).parameters.more = parameter(before, 'limit'))],
		['a value', (d) => (parameter(d, 'options.sort').choices.byAnswer = true)],
		['an output field', (d) => (getResponses(d).output.more = 'string')],
		['a field of the credential', ({ credentials }) => addTo(credentials, false)],
	])('%s', (_what, change) => {
		expect(breakingChanges(before, after(change))).toEqual([]);
	});
});

function addTo(credentials: PackageInterface['credentials'], required: boolean) {
	const { baseUrl } = before.credentials.formCollectionApi!;
	credentials.formCollectionApi!.region = { ...baseUrl!, required };
}

describe('all else is a breaking change:', () => {
	it.each<[string, (description: PackageInterface) => void, string, string]>([
		[
			'a node that is gone',
			({ nodes }) => delete nodes.formCollectionTrigger,
			'nodes.formCollectionTrigger',
			'is gone',
		],
		[
			'an operation that is gone',
			(d) => delete node(d).operations.getForms,
			'nodes.formCollection.operations.getForms',
			'is gone',
		],
		[
			'a parameter that is gone',
			(d) => delete getResponses(d).parameters['options.sort'],
			`${PARAMETERS}.options.sort`,
			'is gone',
		],
		[
			'another type',
			(d) => (parameter(d, 'limit').type = 'string'),
			`${PARAMETERS}.limit.type`,
			'was "number" and is "string"',
		],
		[
			'another default',
			(d) => (parameter(d, 'limit').default = 100),
			`${PARAMETERS}.limit.default`,
			'was 50 and is 100',
		],
		[
			'a default with one member more',
			(d) => (parameter(d, 'formId').default = { mode: 'list', value: '', __rl: true }),
			`${PARAMETERS}.formId.default`,
			'was {"mode":"list","value":""} and is {"mode":"list","value":"","__rl":true}',
		],
		[
			'a value that is gone',
			(d) => delete parameter(d, 'options.sort').choices.asReceived,
			`${PARAMETERS}.options.sort.choices.asReceived`,
			'is gone',
		],
		[
			'a parameter that must now be filled in',
			(d) => (parameter(d, 'limit').required = true),
			`${PARAMETERS}.limit.required`,
			'was false and is true',
		],
		[
			'a new parameter that must be filled in',
			(d) => (getResponses(d).parameters.more = parameter(before, 'formId')),
			`${PARAMETERS}.more`,
			'is new and required',
		],
		[
			'one more condition',
			(d) => (parameter(d, 'formId').shown = { if: { returnAll: [true] }, unless: {} }),
			`${PARAMETERS}.formId.shown`,
			'was {"if":{},"unless":{}} and is {"if":{"returnAll":[true]},"unless":{}}',
		],
		[
			'one more output',
			(d) => (node(d).outputs = ['main', 'main']),
			'nodes.formCollection.outputs',
			'was ["main"] and is ["main","main"]',
		],
		[
			'an output field of another type',
			(d) => (getResponses(d).output.answers = 'array'),
			'nodes.formCollection.operations.getResponses.output.answers',
			'was "object" and is "array"',
		],
		[
			'another credential that must be chosen',
			(d) => (node(d).credentials.otherApi = { required: true }),
			'nodes.formCollection.credentials.otherApi',
			'is new and required',
		],
		[
			'a field of the credential that must be filled in',
			({ credentials }) => addTo(credentials, true),
			'credentials.formCollectionApi.region',
			'is new and required',
		],
	])('%s', (_what, change, path, what) => {
		expect(breakingChanges(before, after(change))).toEqual([{ path, what }]);
	});
});

describe('a breaking change', () => {
	const path = `${PARAMETERS}.limit.default`;
	const changed = after((description) => (parameter(description, 'limit').default = 100));
	const error = `Since 0.1.0, ${path} was 50 and is 100: undo this, or list it in the CHANGELOG under Breaking as "- \`${path}\`: reason"`;
	const listed = `### Added\n\n- More.\n\n### Breaking\n\n- \`${path}\`: fifty were never enough.\n`;
	const released = [{ version: '0.1.0', description: before }];

	it.each([
		['is listed with a reason', `# Changelog\n\n## [Unreleased]\n\n${listed}\n## [0.1.0]\n`, []],
		['is listed for an earlier version', `## [Unreleased]\n\n## [0.1.0]\n\n${listed}`, [error]],
		['has no reason', `## [Unreleased]\n\n### Breaking\n\n- \`${path}\`:\n`, [error]],
		[
			'is listed as something else',
			`## [Unreleased]\n\n### Changed\n\n- \`${path}\`: x\n`,
			[error],
		],
		['is another one', `## [Unreleased]\n\n### Breaking\n\n- \`${path}s\`: x\n`, [error]],
	])('%s', (_what, changelog, errors) => {
		expect(unlistedChanges(released, changed, changelog)).toEqual(errors);
	});

	it('stays listed in the section of its release', () => {
		const both = [...released, { version: '0.10.0', description: changed }];

		expect(unlistedChanges(both, changed, `## [0.10.0] - 2027-01-01\n\n${listed}`)).toEqual([]);
		expect(unlistedChanges(both, changed, `## [Unreleased]\n\n${listed}`)).toEqual([error]);
	});
});
