import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startPlayground, type Playground } from '../../../playground/playground';

/** A new n8n that nobody used before, with the package as it would be published. */
export async function startBench(): Promise<Playground> {
	const userFolder = await mkdtemp(join(tmpdir(), 'form-collection-e2e-'));
	const playground = await startPlayground({ userFolder });
	return {
		...playground,
		stop: async () => {
			await playground.stop();
			await rm(userFolder, { recursive: true, force: true });
		},
	};
}
