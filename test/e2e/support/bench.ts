import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ensureN8n } from '../../../playground/install';
import { packPackage } from '../../../playground/packageUnderTest';
import { startPlayground, type Playground } from '../../../playground/playground';

/** For `beforeAll`: the first run on a machine installs n8n. */
export const SETUP_TIMEOUT = 900_000;

const withN8n = async () => await ensureN8n({ log: (line) => process.stderr.write(`${line}\n`) });

/** The package as it would be published, and an n8n that it can be installed into. */
export async function readyPackage(): Promise<string> {
	await withN8n();
	return await packPackage();
}

/** A new n8n that nobody used before, with the package as it would be published. */
export async function startBench(): Promise<Playground> {
	await withN8n();
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
