import { ensureN8n, packPackage } from '../../../playground/install';

/** What all files share is made before the first of them starts, so that they can run side by side. */
export default async function setup(): Promise<void> {
	await ensureN8n({ log: (line) => process.stderr.write(`${line}\n`) });
	process.env['PACKAGE_TARBALL'] = await packPackage();
}
