import { watch } from 'node:fs';
import { join } from 'node:path';

import { updateInstalledPackage } from './packageUnderTest';
import { paths } from './paths';
import { elapsed, type Log } from './run';

/** Tells n8n to load again what changes in the folders of its packages. n8n 2.41 pushes it to open editors, too. */
export const RELOAD = { N8N_DEV_RELOAD: 'true' };

/** Editors write a file in several steps. */
const PAUSE = 200;

/** Builds the package anew at each change of its source, and replaces the one that n8n has. */
export function rebuildOnChange(userFolder: string, log: Log): void {
	let building = Promise.resolve();
	let pause: NodeJS.Timeout | undefined;
	const build = async () => {
		const start = Date.now();
		try {
			await updateInstalledPackage(userFolder);
			log(`Rebuilt in ${elapsed(Date.now() - start)}: n8n reloads the node.`);
		} catch (error) {
			log(`The package does not build, so n8n keeps the old one.\n${(error as Error).message}`);
		}
	};
	const onChange = () => {
		clearTimeout(pause);
		pause = setTimeout(() => (building = building.then(build)), PAUSE);
	};
	for (const folder of ['nodes', 'credentials', 'icons']) {
		watch(join(paths.root, folder), { recursive: true }, onChange);
	}
}
