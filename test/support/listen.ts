import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

const servers: Server[] = [];

/** @returns the port of this computer alone that the server listens on, until the test ends */
export async function listen(server: Server): Promise<number> {
	servers.push(server);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
}

/** A server that something still listens to closes when that has ended. */
export const closeServers = () => servers.splice(0).forEach((server) => server.close());
