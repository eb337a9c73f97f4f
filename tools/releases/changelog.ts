export const UNRELEASED = 'Unreleased';

/** @returns the paths under "Breaking" of the version, each in an entry such as "- `path`: reason" */
export function listedAsBreaking(changelog: string, version: string): Set<string> {
	const section = changelog.split(/^## /m).find((part) => part.startsWith(`[${version}]`)) ?? '';
	const breaking = section.split(/^### /m).find((part) => part.startsWith('Breaking\n')) ?? '';
	return new Set([...breaking.matchAll(/^- `([^`]+)`: *\S/gm)].map(([, path]) => path!));
}

export function isReleased(changelog: string, version: string): boolean {
	return changelog.includes(`\n## [${version}]`);
}
