import { join } from 'node:path';

const root = join(__dirname, '..');
const playground = join(root, 'playground');
const data = join(playground, '.data');
// `npm run e2e:versions` puts another n8n in its place.
const pinnedModules = join(playground, 'node_modules');
const modules = process.env.PLAYGROUND_MODULES ?? pinnedModules;
const isWindows = process.platform === 'win32';

/** Everything the playground writes lies in `data`, except the installed n8n itself. */
export const paths = {
	root,
	playground,
	data,
	examples: join(root, 'examples'),
	pictures: join(root, 'docs', 'pictures'),
	lockFile: join(playground, 'package-lock.json'),
	modules,
	pinnedModules,
	n8nManifest: join(modules, 'n8n', 'package.json'),
	n8nCommand: join(modules, 'n8n', 'bin', 'n8n'),
	endWithParent: join(playground, 'endWithParent.cjs'),
	nodeFolder: join(modules, 'node', 'bin'),
	node: join(modules, 'node', 'bin', isWindows ? 'node.exe' : 'node'),
};
