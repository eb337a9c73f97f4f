import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const root = join(__dirname, '..');
const playground = join(root, 'playground');
const data = join(playground, '.data');
// In a folder of its own: code beside node_modules would import the libraries of n8n, in other versions.
const pinned = join(playground, 'pinned');
const pinnedModules = join(pinned, 'node_modules');
// tools/versions puts another n8n in its place.
const modules = process.env.PLAYGROUND_MODULES ?? pinnedModules;
const isWindows = process.platform === 'win32';

/** Everything the playground writes lies in `data`, except the installed n8n itself. */
export const paths = {
	root,
	data,
	examples: join(root, 'examples'),
	pictures: join(root, 'docs', 'pictures'),
	pinned,
	lockFile: join(pinned, 'package-lock.json'),
	modules,
	pinnedModules,
	n8nManifest: join(modules, 'n8n', 'package.json'),
	n8nCommand: join(modules, 'n8n', 'bin', 'n8n'),
	endWithParent: join(playground, 'endWithParent.cjs'),
	nodeFolder: join(modules, 'node', 'bin'),
	node: join(modules, 'node', 'bin', isWindows ? 'node.exe' : 'node'),
};

/** @returns the program's file on the PATH, or in one of these folders */
export function findProgram(name: string, ...folders: string[]): string | undefined {
	return [...(process.env['PATH'] ?? '').split(delimiter), ...folders]
		.map((folder) => join(folder, name))
		.find((file) => existsSync(file));
}
