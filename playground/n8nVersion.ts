import { readFileSync } from 'node:fs';

import { paths } from './paths';
import older from './versions.json';

/** @returns the version of the n8n that runs here: the pinned one, or that of tools/versions */
function n8nVersion(): string {
	return (JSON.parse(readFileSync(paths.n8nManifest, 'utf8')) as { version: string }).version;
}

type Feature =
	| 'durable cursors'
	| 'publication status'
	| 'credential window that closes when saved'
	| 'settings menu'
	| 'mappings without data';

/** Whether this n8n has what some older ones lack, as versions.json says. */
export function n8nHas(feature: Feature): boolean {
	const version = older.find(({ n8n }) => n8n === n8nVersion());
	return !version?.lacks.some((lack) => lack.feature === feature);
}
