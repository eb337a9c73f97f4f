import type { PackageInterface } from '../../tools/releases/describe';
import { unlistedChanges } from '../../tools/releases/releases';
import first from '../releases/0.1.0/interface.json';

const before = first as unknown as PackageInterface;
const released = [{ version: '0.1.0', description: before }];

type Change = (description: PackageInterface) => unknown;

/** The first release, changed */
function after(change: Change): PackageInterface {
	const description = structuredClone(before);
	change(description);
	return description;
}

const node = ({ nodes }: PackageInterface) => nodes.formCollection!;
const getResponses = (description: PackageInterface) => node(description).operations.getResponses!;
const fields = (description: PackageInterface) => getResponses(description).parameters;
const addTo = ({ credentials }: PackageInterface, required: boolean) =>
	(credentials.formCollectionApi!.region = {
		...credentials.formCollectionApi!.baseUrl!,
		required,
	});
const PATH = 'nodes.formCollection.operations.getResponses.parameters';

it.each<[string, Change]>([
	['an operation', (d) => (node(d).operations.getNothing = getResponses(before))],
	['a parameter', (d) => (fields(d).more = fields(before).limit!)],
	['a value', (d) => (fields(d)['options.sort']!.choices.byAnswer = true)],
	['an output field', (d) => (getResponses(d).output.more = 'string')],
	['a field of the credential', (d) => addTo(d, false)],
])('passes as an addition: %s', (_what, change) => {
	expect(unlistedChanges(released, after(change), '')).toEqual([]);
});

it.each<[string, Change]>([
	['nodes.formCollectionTrigger is gone', ({ nodes }) => delete nodes.formCollectionTrigger],
	[`${PATH}.options.sort is gone`, (d) => delete fields(d)['options.sort']],
	[`${PATH}.limit.default was 50 and is 100`, (d) => (fields(d).limit!.default = 100)],
	[
		`${PATH}.options.sort.choices.asReceived is gone`,
		(d) => delete fields(d)['options.sort']!.choices.asReceived,
	],
	[`${PATH}.limit.required was false and is true`, (d) => (fields(d).limit!.required = true)],
	[`${PATH}.more is new and required`, (d) => (fields(d).more = fields(before).formId!)],
	[
		'nodes.formCollection.outputs was ["main"] and is ["main","main"]',
		(d) => (node(d).outputs = ['main', 'main']),
	],
	['credentials.formCollectionApi.region is new and required', (d) => addTo(d, true)],
])('is a breaking change: %s', (what, change) => {
	expect(unlistedChanges(released, after(change), '')).toEqual([
		expect.stringContaining(`Since 0.1.0, ${what}: undo this, or list it`),
	]);
});

it.each([
	['Breaking', 'fifty were never enough', 0],
	['Breaking', '', 1],
	['Changed', 'fifty were never enough', 1],
])(
	'passes if the CHANGELOG lists it under %s with the reason %j: %i errors',
	(title, reason, errors) => {
		const changelog = `## [Unreleased]\n\n### ${title}\n\n- \`${PATH}.limit.default\`: ${reason}\n\n## [0.1.0]\n`;
		const now = after((description) => (fields(description).limit!.default = 100));

		expect(unlistedChanges(released, now, changelog)).toHaveLength(errors);
		expect(
			unlistedChanges([...released, { version: '0.2.0', description: now }], now, changelog),
		).toHaveLength(1);
	},
);
