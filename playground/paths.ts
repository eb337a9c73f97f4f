import { join } from 'node:path';

const root = join(__dirname, '..');
const playground = join(root, 'playground');
const data = join(playground, '.data');
const isWindows = process.platform === 'win32';

/** Everything the playground writes lies in `data`, except the installed n8n itself. */
export const paths = {
	root,
	playground,
	data,
	examples: join(root, 'examples'),
	pictures: join(root, 'docs', 'pictures'),
	lockFile: join(playground, 'package-lock.json'),
	modules: join(playground, 'node_modules'),
	n8nManifest: join(playground, 'node_modules', 'n8n', 'package.json'),
	n8nCommand: join(playground, 'node_modules', 'n8n', 'bin', 'n8n'),
	endWithParent: join(playground, 'endWithParent.cjs'),
	nodeFolder: join(playground, 'node_modules', 'node', 'bin'),
	node: join(playground, 'node_modules', 'node', 'bin', isWindows ? 'node.exe' : 'node'),
};
