import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import manifest from '../../../package.json';
import { selfSigned } from '../../support/certificate';
import { listen } from '../../support/listen';

const HOST = 'registry.npmjs.org';

export interface NpmRegistry {
	/** What n8n, and the npm that it runs, must have in their environment to get there */
	env: Record<string, string>;
	/** The paths that were asked for */
	requests: string[];
	stop(): Promise<void>;
}

/**
 * Stands in for the public npm registry, as if this package were published there and nothing else.
 *
 * n8n takes packages from a registry of another name only with a licence, so what is told to it is
 * the way to the usual one: through a proxy that leads here, or nowhere.
 */
export async function startNpmRegistry(tarball: string): Promise<NpmRegistry> {
	const folder = await mkdtemp(join(tmpdir(), 'form-collection-registry-'));
	const certificate = await selfSigned(HOST);
	const certificateFile = join(folder, 'certificate.pem');
	await writeFile(certificateFile, certificate.cert);

	const archive = await readFile(tarball);
	const { name, version } = manifest;
	const archivePath = `/${name}/-/${name}-${version}.tgz`;
	const published = {
		...manifest,
		dist: {
			tarball: `https://${HOST}${archivePath}`,
			integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}`,
		},
	};
	const versions = { 'dist-tags': { latest: version }, versions: { [version]: published } };
	const contents: Record<string, string | Buffer> = {
		[`/${name}`]: JSON.stringify({ name, ...versions }),
		[`/${name}/latest`]: JSON.stringify(published),
		[archivePath]: archive,
	};

	const requests: string[] = [];
	const registry = createHttpsServer(certificate, ({ url = '' }, response) => {
		requests.push(url);
		response.statusCode = url in contents ? 200 : 404;
		response.setHeader(
			'Content-Type',
			url === archivePath ? 'application/gzip' : 'application/json',
		);
		response.end(contents[url] ?? '{}');
	});
	registry.unref();
	const registryPort = await listen(registry);

	const proxy = createHttpServer().on('connect', ({ url }, client) => {
		if (url !== `${HOST}:443`) {
			client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
			return;
		}
		const through = connect(registryPort, '127.0.0.1', () => {
			client.write('HTTP/1.1 200 OK\r\n\r\n');
			client.pipe(through).pipe(client);
		});
		client.on('error', () => through.destroy());
		through.on('error', () => client.destroy());
	});
	proxy.unref();

	return {
		env: {
			HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
			NODE_EXTRA_CA_CERTS: certificateFile,
			// What comes from here must not be taken for what the real registry has.
			npm_config_cache: join(folder, 'cache'),
			npm_config_fetch_retries: '0',
		},
		requests,
		async stop() {
			registry.close();
			proxy.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
