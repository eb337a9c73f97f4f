import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ICredentialType, INodeTypeDescription } from 'n8n-workflow';
import { format, resolveConfig } from 'prettier';
import { listedAsBreaking, UNRELEASED } from './changelog';
import { breakingChanges } from './compare';
import { describeInterface, type OutputSchema, type PackageInterface } from './describe';

const root = join(__dirname, '..', '..');
const folder = join(root, 'test', 'releases');

export interface Release {
	version: string;
	description: PackageInterface;
}

const fileOf = (version: string) => join(folder, version, 'interface.json');

export const readChangelog = () => readFileSync(join(root, 'CHANGELOG.md'), 'utf8');

/** Oldest first */
export function frozenReleases(): Release[] {
	return readdirSync(folder)
		.filter((version) => existsSync(fileOf(version)))
		.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
		.map((version) => ({
			version,
			description: JSON.parse(readFileSync(fileOf(version), 'utf8')) as PackageInterface,
		}));
}

export async function freeze({ version, description }: Release): Promise<void> {
	mkdirSync(join(folder, version), { recursive: true });
	const filepath = fileOf(version);
	const options = await resolveConfig(filepath);
	writeFileSync(filepath, await format(JSON.stringify(description), { ...options, filepath }));
}

/** @param nodesFolder with the output previews, as sources or as what is published */
export function interfaceOf(
	nodes: INodeTypeDescription[],
	credentials: ICredentialType[],
	nodesFolder: string,
): PackageInterface {
	const previews = join(nodesFolder, 'FormCollection', '__schema__', 'v1.0.0', 'form');
	const outputs = readdirSync(previews).map((file) => [
		basename(file, '.json'),
		JSON.parse(readFileSync(join(previews, file), 'utf8')) as OutputSchema,
	]);
	return describeInterface(nodes, credentials, Object.fromEntries(outputs));
}

/**
 * Compares each release with the next one, and the last one with what there is now.
 *
 * @returns an error message for each breaking change that the CHANGELOG does not list
 */
export function unlistedChanges(
	releases: Release[],
	now: PackageInterface,
	changelog: string,
): string[] {
	const next = [...releases.slice(1), { version: UNRELEASED, description: now }];
	return releases.flatMap((release, i) => {
		const { version, description } = next[i]!;
		const listed = listedAsBreaking(changelog, version);
		return breakingChanges(release.description, description)
			.filter(({ path }) => !listed.has(path))
			.map(
				({ path, what }) =>
					`Since ${release.version}, ${path} ${what}: undo this, or list it in the CHANGELOG under Breaking as "- \`${path}\`: reason"`,
			);
	});
}
