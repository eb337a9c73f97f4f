import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ICredentialType, INodeTypeDescription, Themed } from 'n8n-workflow';
import { parse } from 'yaml';

const workflows = join(__dirname, '..', '.github', 'workflows');

/** https://docs.n8n.io/integrations/creating-nodes/build/reference/node-codex-files/ */
const CATEGORIES =
	/^(Analytics|Communication|Data & Storage|Development|Finance & Accounting|Marketing & Content|Miscellaneous|Productivity|Sales|Utility)$/;

const SECTIONS = ['Installation', 'Operations', 'Credentials', 'Compatibility', 'Resources'];

interface Manifest {
	name: string;
	version: string;
	homepage: string;
	repository: { url: string };
	n8n: { n8nNodesApiVersion: number; nodes: string[]; credentials: string[] };
}

interface Job {
	permissions?: Record<string, string>;
	environment?: string;
	steps: { run?: string; uses?: string }[];
}

/**
 * n8n's rules for a verified package that hold without a network, except those that n8n's lint and scanner
 * check: name, keyword, author, licence, peer, dependencies, scripts, files, and the code.
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
	const { name, version, n8n, homepage } = manifest;
	const [readme, changelog] = [await text('README.md'), await text('CHANGELOG.md')];
	const icons = await readdir(join(unpacked, 'dist', 'icons'));
	const [, address] =
		/^git\+(https:\/\/github\.com\/[^/]+\/[^/]+)\.git$/.exec(manifest.repository.url) ?? [];
	const types = [...nodes, ...credentials];
	const rules = {
		'The repository is on GitHub, and its page is the homepage':
			address !== undefined && homepage.startsWith(`${address}#`),
		'Nothing is installed or bundled with the package': !Object.keys(manifest).some((field) =>
			/^(optionalD|bundleD|bundledD|d)ependencies$/.test(field),
		),
		'n8n.n8nNodesApiVersion is 1': n8n.n8nNodesApiVersion === 1,
		'LICENSE.md is the MIT licence': (await text('LICENSE.md')).startsWith('MIT License'),
		[`The README says how to install the package, and has the sections ${SECTIONS.join(', ')}`]:
			readme.includes(name) && SECTIONS.every((title) => readme.includes(`\n## ${title}\n`)),
		'The CHANGELOG has this version, or what is not released yet':
			changelog.includes(`\n## [${version}]`) || changelog.includes('\n## [Unreleased]'),
		'The package is for one service':
			credentials.length === 1 &&
			nodes.every((node) => node.credentials?.every((used) => used.name === credentials[0]?.name)),
		'Each node has a codex file with documentation and the categories of n8n': nodes.every(
			({ codex }) =>
				codex?.resources?.primaryDocumentation?.[0]?.url.startsWith('https://') &&
				codex.categories?.every((category) => CATEGORIES.test(category)),
		),
		'Each credential has a documentation address': credentials.every(({ documentationUrl }) =>
			documentationUrl?.startsWith('https://'),
		),
		'Each node and credential has an SVG icon for light and one for dark': types.every((type) =>
			hasBothIcons(type, icons),
		),
		// As near to "in English" as a computer comes without a dictionary.
		'All texts are in English': [readme, changelog, JSON.stringify(types)].every(
			(one) => !/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(one),
		),
		...(await workflowRules()),
	};
	return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [`Not true: ${rule}`]));
}

/** n8n's loader puts the address of an icon where the file was. */
function hasBothIcons(type: { icon?: unknown; iconUrl?: Themed<string> }, icons: string[]) {
	const { light, dark } = (type.iconUrl ?? type.icon) as { light: string; dark: string };
	const files = [light, dark].map((path) => basename(path));
	return light !== dark && files.every((file) => file.endsWith('.svg') && icons.includes(file));
}

async function workflowRules(): Promise<Record<string, boolean>> {
	const files = (await readdir(workflows)).map((file) => join(workflows, file));
	const texts = await Promise.all(files.map(async (file) => await readFile(file, 'utf8')));
	const all = texts.map(
		(text) => parse(text) as { permissions: object; jobs: Record<string, Job> },
	);
	const jobs = all.flatMap((workflow) => Object.values(workflow.jobs));
	const isPublishing = ({ steps }: Job) =>
		steps.some(({ run }) => /\bnpm(@[\d.]+)? (stage )?publish\b/.test(run ?? ''));
	const [publishing, ...others] = [
		...jobs.filter(isPublishing),
		...jobs.filter((job) => !isPublishing(job)),
	];
	const uses = texts.flatMap((text) => text.match(/^.*\buses: .*$/gm) ?? []);
	return {
		'Every action is pinned by its full commit, with the version beside it': uses.every((line) =>
			/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line),
		),
		'Workflows may read the repository and no more': all.every(
			({ permissions }) => JSON.stringify(permissions) === '{"contents":"read"}',
		),
		'One job publishes, with provenance, in an environment, and runs no code of the repository':
			jobs.filter(isPublishing).length === 1 &&
			publishing?.environment !== undefined &&
			publishing.steps.some(({ run }) => run?.includes('--provenance')) &&
			!publishing.steps.some(({ uses }) => uses?.startsWith('actions/checkout@')),
		'Only the job that publishes has an identity':
			JSON.stringify(publishing?.permissions) === '{"id-token":"write"}' &&
			others.every(({ permissions }) => permissions === undefined),
	};
}
