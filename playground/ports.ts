import getPort from 'get-port';

/** The preferred port, or one of the next 50, or any that is free on the loopback interface. */
export async function freePort(preferred?: number): Promise<number> {
	const port = preferred === undefined ? 0 : getPort.makeRange(preferred, preferred + 50);
	return await getPort({ host: '127.0.0.1', port });
}
