import { once } from 'node:events';
import { createServer } from 'node:net';

async function isFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
		return true;
	} catch {
		return false;
	} finally {
		server.close();
	}
}

/**
 * The preferred port, or one of the next 50, that is free on the loopback interface.
 *
 * n8n takes seconds until it listens. Systems take the ports of their outgoing connections above
 * these, so that none takes this one in the meantime.
 */
export async function freePort(
	preferred = 10_000 + Math.floor(Math.random() * 20_000),
): Promise<number> {
	for (let port = preferred; port <= preferred + 50; port++) {
		if (await isFree(port)) return port;
	}
	throw new Error(`No port from ${preferred} to ${preferred + 50} is free`);
}
