import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ICredentialType, INodeTypeDescription } from 'n8n-workflow';
import { parse } from 'yaml';
import type packageJson from '../package.json';

const workflows = join(__dirname, '..', '.github', 'workflows');

/** https://docs.n8n.io/integrations/creating-nodes/build/reference/node-codex-files/ */
const CATEGORIES =
	/^(Analytics|Communication|Data & Storage|Development|Finance & Accounting|Marketing & Content|Miscellaneous|Productivity|Sales|Utility)$/;

const SECTIONS = ['Installation', 'Operations', 'Credentials', 'Compatibility', 'Resources'];

interface Job {
	permissions?: Record<string, string>;
	environment?: string;
	steps: { run?: string; uses?: string }[];
}

interface Workflow {
	permissions: object;
	jobs: Record<string, Job>;
}

/**
 * n8n's rules for a verified package that hold without a network, except those that n8n's lint and scanner
 * check: name, keyword, author, peer, dependencies, scripts, icons, documentation address, and the code.
 *
 * @param unpacked folder of what would be published
 * @returns the rules that do not hold
 */
export function brokenRules(
	unpacked: string,
	nodes: INodeTypeDescription[],
	credentials: ICredentialType[],
): string[] {
	const text = (path: string) => readFileSync(join(unpacked, path), 'utf8');
	const manifest = JSON.parse(text('package.json')) as typeof packageJson;
	const { name, version, homepage, repository } = manifest;
	const [readme, changelog] = [text('README.md'), text('CHANGELOG.md')];
	const rules = {
		"The repository is on GitHub, and the README's page there is the homepage":
			/^git\+https:\/\/github\.com\/[^/]+\/[^/]+\.git$/.test(repository.url) &&
			repository.url === `git+${homepage.replace('#readme', '.git')}`,
		'Nothing is installed or bundled with the package': !Object.keys(manifest).some((field) =>
			/^(optionalD|bundleD|bundledD|d)ependencies$/.test(field),
		),
		'LICENSE.md is the MIT licence': text('LICENSE.md').startsWith('MIT License'),
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
		...workflowRules(),
	};
	return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [`Not true: ${rule}`]));
}

function workflowRules(): Record<string, boolean> {
	const texts = readdirSync(workflows).map((file) => readFileSync(join(workflows, file), 'utf8'));
	const all = texts.map((text) => parse(text) as Workflow);
	const jobs = all.flatMap((workflow) => Object.values(workflow.jobs));
	const isPublishing = ({ steps }: Job) =>
		steps.some(({ run }) => /\bnpm(@[\d.]+)? (stage )?publish\b/.test(run ?? ''));
	const publishing = jobs.filter(isPublishing);
	const uses = texts.flatMap((text) => text.match(/^.*\buses: .*$/gm) ?? []);
	return {
		'Every action is pinned by its full commit, with the version beside it': uses.every((line) =>
			/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line),
		),
		'Workflows may read the repository and no more': all.every(
			({ permissions }) => JSON.stringify(permissions) === '{"contents":"read"}',
		),
		'One job publishes, with provenance, in an environment, and runs no code of the repository':
			publishing.length === 1 &&
			publishing.every(
				({ environment, steps }) =>
					environment !== undefined &&
					steps.some(({ run }) => run?.includes('--provenance')) &&
					!steps.some(({ uses }) => uses?.startsWith('actions/checkout@')),
			),
		'Only the job that publishes has an identity': jobs.every(
			(job) =>
				JSON.stringify(job.permissions) ===
				(isPublishing(job) ? '{"id-token":"write"}' : undefined),
		),
	};
}
