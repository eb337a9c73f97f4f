import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ICredentialType, INodeTypeDescription, Themed } from 'n8n-workflow';
import { parse } from 'yaml';

const root = join(__dirname, '..');
const workflows = join(root, '.github', 'workflows');

interface Manifest {
	name: string;
	version: string;
	homepage: string;
	repository: { url: string };
	n8n: { n8nNodesApiVersion: number; nodes: string[]; credentials: string[] };
	[field: string]: unknown;
}

/** https://docs.n8n.io/integrations/creating-nodes/build/reference/node-codex-files/ */
const CATEGORIES = [
	'Analytics',
	'Communication',
	'Data & Storage',
	'Development',
	'Finance & Accounting',
	'Marketing & Content',
	'Miscellaneous',
	'Productivity',
	'Sales',
	'Utility',
];

type Rule = [sentence: string, holds: boolean];

/**
 * n8n's rules for a verified package that can be looked at without a network, but for those that
 * n8n's lint and scanner know: name, keyword, author, description, MIT licence, peer, no dependencies,
 * overrides or scripts at installation, files, and all rules for the code.
 *
 * @param unpacked folder of what would be published
 * @returns the rules that do not hold
 */
export async function brokenRules(
	unpacked: string,
	nodes: INodeTypeDescription[],
	credentials: ICredentialType[],
): Promise<string[]> {
	const text = async (path: string) => await readFile(join(unpacked, path), 'utf8');
	const manifest = JSON.parse(await text('package.json')) as Manifest;
	const pages = [await text('README.md'), await text('CHANGELOG.md')];
	const icons = await readdir(join(unpacked, 'dist', 'icons'));
	return [
		...manifestRules(manifest),
		...pageRules(manifest, pages, await text('LICENSE.md')),
		...descriptionRules(nodes, credentials, icons),
		...(await workflowRules()),
	]
		.filter(([, holds]) => !holds)
		.map(([sentence]) => sentence);
}

function manifestRules(manifest: Manifest): Rule[] {
	const { n8n, repository, homepage } = manifest;
	const paths = [...n8n.nodes, ...n8n.credentials];
	const [, address] =
		/^git\+(https:\/\/github\.com\/[^/]+\/[^/]+)\.git$/.exec(repository.url) ?? [];
	return [
		['The repository is on GitHub, where n8n looks for it', address !== undefined],
		['The homepage is that of the repository', homepage.startsWith(`${address}#`)],
		[
			'Nothing is installed or bundled with the package',
			!Object.keys(manifest).some((field) =>
				/^(optionalD|bundleD|bundledD|d)ependencies$/.test(field),
			),
		],
		['n8n.n8nNodesApiVersion is 1', n8n.n8nNodesApiVersion === 1],
		['Nodes and credentials are in dist', paths.every((path) => path.startsWith('dist/'))],
	];
}

function pageRules({ name, version }: Manifest, pages: string[], license: string): Rule[] {
	const [readme = '', changelog = ''] = pages;
	const sections = ['Installation', 'Operations', 'Credentials', 'Compatibility', 'Resources'];
	return [
		['LICENSE.md is the MIT licence', license.startsWith('MIT License')],
		['The README says how to install the package', readme.includes(name)],
		...sections.map(
			(section): Rule => [
				`The README has the section ${section}`,
				readme.includes(`\n## ${section}\n`),
			],
		),
		[
			'The CHANGELOG has this version, or what is not released yet',
			changelog.includes(`\n## [${version}]`) || changelog.includes('\n## [Unreleased]'),
		],
		['README and CHANGELOG are in English', pages.every(isLatin)],
	];
}

function descriptionRules(
	nodes: INodeTypeDescription[],
	credentials: ICredentialType[],
	icons: string[],
): Rule[] {
	const used = nodes.flatMap((node) => (node.credentials ?? []).map(({ name }) => name));
	const known = credentials.map(({ name }) => name);
	return [
		[
			'The package is for one service',
			known.length === 1 && used.every((name) => name === known[0]),
		],
		[
			'Each node can be documented: it has a codex file',
			nodes.every(({ codex }) =>
				codex?.resources?.primaryDocumentation?.[0]?.url.startsWith('https://'),
			),
		],
		[
			'The categories are those of n8n',
			nodes.every(({ codex }) => codex?.categories?.every((name) => CATEGORIES.includes(name))),
		],
		[
			'Each credential has a documentation address',
			credentials.every(({ documentationUrl }) => documentationUrl?.startsWith('https://')),
		],
		...[...nodes, ...credentials].flatMap((type): Rule[] => [
			[`${type.displayName} has an SVG icon for light and one for dark`, hasBothIcons(type, icons)],
			[`The texts of ${type.displayName} are in English`, isLatin(JSON.stringify(type))],
		]),
	] as Rule[];
}

/** n8n's loader puts the address of an icon where the file was. */
function hasBothIcons(
	{ icon, iconUrl }: { icon?: unknown; iconUrl?: Themed<string> },
	icons: string[],
): boolean {
	const { light, dark } = (iconUrl ?? icon) as { light: string; dark: string };
	const files = [light, dark].map((path) => basename(path));
	return (
		files.every((file) => file.endsWith('.svg') && icons.includes(file)) && files[0] !== files[1]
	);
}

interface Job {
	permissions?: Record<string, string>;
	environment?: string;
	steps: { run?: string; uses?: string }[];
}

async function workflowRules(): Promise<Rule[]> {
	const files = await readdir(workflows);
	const texts = await Promise.all(
		files.map(async (file) => await readFile(join(workflows, file), 'utf8')),
	);
	const all = texts.map(
		(text) => parse(text) as { permissions: object; jobs: Record<string, Job> },
	);
	const jobs = all.flatMap((workflow) => Object.values(workflow.jobs));
	const publishes = ({ steps }: Job) =>
		steps.some(({ run }) => /\bnpm(@[\d.]+)? (stage )?publish\b/.test(run ?? ''));
	const uses = texts.flatMap((text) => text.match(/^.*\buses: .*$/gm) ?? []);
	return [
		[
			'Every action is pinned by its full commit, with the version beside it',
			uses.every((line) => /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
		],
		[
			'Workflows may read the repository and no more',
			all.every(({ permissions }) => JSON.stringify(permissions) === '{"contents":"read"}'),
		],
		[
			'One job publishes, with provenance and in an environment',
			jobs.filter(publishes).length === 1 &&
				jobs
					.filter(publishes)
					.every(
						({ steps, environment }) =>
							environment !== undefined && steps.some(({ run }) => run?.includes('--provenance')),
					),
		],
		[
			'Only the job that publishes has an identity, and it runs no code of the repository',
			jobs.every((job) =>
				publishes(job)
					? JSON.stringify(job.permissions) === '{"id-token":"write"}' &&
						!job.steps.some(({ uses }) => uses?.startsWith('actions/checkout@'))
					: job.permissions === undefined,
			),
		],
	];
}

/** As near to "in English" as a computer comes without a dictionary. */
const isLatin = (text: string) =>
	!/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text);
