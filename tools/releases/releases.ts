import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ICredentialType, INodeTypeDescription } from 'n8n-workflow';
import { describeInterface, type PackageInterface } from './describe';

const root = join(__dirname, '..', '..');

interface Release {
	version: string;
	description: PackageInterface;
}

export const fileOf = (version: string) =>
	join(root, 'test', 'releases', version, 'interface.json');

const readJson = <T>(file: string) => JSON.parse(readFileSync(file, 'utf8')) as T;

export const readChangelog = () => readFileSync(join(root, 'CHANGELOG.md'), 'utf8');

/** Oldest first */
export function frozenReleases(): Release[] {
	return readdirSync(join(root, 'test', 'releases'))
		.filter((version) => existsSync(fileOf(version)))
		.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
		.map((version) => ({ version, description: readJson(fileOf(version)) }));
}

/** @param nodesFolder with the output previews, as sources or as what is published */
export function interfaceOf(
	nodes: INodeTypeDescription[],
	credentials: ICredentialType[],
	nodesFolder: string,
): PackageInterface {
	const previews = join(nodesFolder, 'FormCollection', '__schema__', 'v1.0.0', 'form');
	const outputs = readdirSync(previews).map((file) => {
		const { properties } = readJson<{ properties: object }>(join(previews, file));
		const types = Object.entries(properties).map(([field, { type }]) => [field, type as string]);
		return [basename(file, '.json'), Object.fromEntries(types)];
	});
	return describeInterface(nodes, credentials, Object.fromEntries(outputs));
}

/**
 * Compares each release with the next one, and the last one with what there is now.
 *
 * @returns an error message for each breaking change that the CHANGELOG does not list
 */
export function unlistedChanges(releases: Release[], now: PackageInterface, changelog: string) {
	const next = [...releases.slice(1), { version: 'Unreleased', description: now }];
	return releases.flatMap((release, i) => {
		const { version, description } = next[i]!;
		const section = changelog.split(/^## /m).find((part) => part.startsWith(`[${version}]`)) ?? '';
		const breaking = section.split(/^### /m).find((part) => part.startsWith('Breaking\n')) ?? '';
		const listed = [...breaking.matchAll(/^- `([^`]+)`: *\S/gm)].map(([, path]) => path);
		return changesIn('', release.description, description)
			.filter(([path]) => !listed.includes(path))
			.map(
				([path, what]) =>
					`Since ${release.version}, ${path} ${what}: undo this, or list it in the CHANGELOG under Breaking as "- \`${path}\`: reason"`,
			);
	});
}

/** @returns all but additions, by paths such as `nodes.formCollection.operations.getForms.parameters.limit.default` */
function changesIn(path: string, before: unknown, after: unknown): [path: string, what: string][] {
	if (!isTree(path, before) || !isTree(path, after)) {
		const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
		return was === is ? [] : [[path, `was ${was} and is ${is}`]];
	}
	return Object.keys({ ...before, ...after }).flatMap((name): [string, string][] => {
		const inner = path === '' ? name : `${path}.${name}`;
		if (!Object.hasOwn(after, name)) return [[inner, 'is gone']];
		if (Object.hasOwn(before, name)) return changesIn(inner, before[name], after[name]);
		// What was saved before cannot hold it.
		const isField = /\.(parameters|credentials)$|^credentials\.[^.]+$/.test(path);
		const isRequired = isField && (after[name] as { required?: boolean }).required;
		return isRequired ? [[inner, 'is new and required']] : [];
	});
}

/** Values of parameters are compared as they are: one more condition to show it is no addition. */
const isTree = (path: string, value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' &&
	value !== null &&
	!Array.isArray(value) &&
	!/\.(default|shown|inputs|outputs)$/.test(path);
