/** Makes `dist`: the compiled code, the icons, and the JSON files that n8n reads beside the nodes. */
import { cpSync, rmSync, statSync } from 'node:fs';
import { paths } from '../playground/paths';
import { run } from '../playground/run';

const cwd = paths.root;

async function main(): Promise<void> {
	process.chdir(cwd);
	rmSync('dist', { recursive: true, force: true });
	await run('tsc', ['--project', 'tsconfig.build.json'], { cwd, preferLocal: true });
	cpSync('icons', 'dist/icons', { recursive: true });
	cpSync('nodes', 'dist/nodes', {
		recursive: true,
		filter: (file) => statSync(file).isDirectory() || file.endsWith('.json'),
	});
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
