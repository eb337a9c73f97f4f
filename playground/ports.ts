import getPort from 'get-port';

/**
 * The preferred port, or one of the next 50, or any that is free on the loopback interface.
 *
 * n8n takes seconds until it listens. Systems take the ports of their outgoing connections above
 * these, so that none takes this one in the meantime.
 */
export async function freePort(
	preferred = 10_000 + Math.floor(Math.random() * 20_000),
): Promise<number> {
	const port = getPort.makeRange(preferred, preferred + 50);
	return await getPort({ host: '127.0.0.1', port });
}
