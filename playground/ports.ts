import { createServer } from 'node:net';

async function listenBriefly(port: number): Promise<number> {
	const server = createServer();
	return await new Promise((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			const taken = typeof address === 'object' && address ? address.port : port;
			server.close(() => resolve(taken));
		});
	});
}

/** Any port that is free on the loopback interface. */
export async function freePort(): Promise<number> {
	return await listenBriefly(0);
}

/** `preferred`, or the next port after it that is free. */
export async function freePortFrom(preferred: number): Promise<number> {
	for (let port = preferred; port < preferred + 50; port++) {
		try {
			return await listenBriefly(port);
		} catch {
			continue;
		}
	}
	return await freePort();
}
